// What every unit has to do, whatever it is.
#include <catch2/catch.hpp>
#include <thread>

#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "test/drivers/evta/driver/prepared_copy.h"

namespace nestrt::test {
namespace {

using evta::test::PreparedCopy;

constexpr const char* kUnits[] = {"cpu", "evta"};

std::shared_ptr<Unit> open(const char* spec) {
  auto units = open_units(spec, {.num_threads = 1});
  if (!units) FAIL(units.error().to_string());
  return (*units)[0];
}

TEST_CASE("Unit conformance: a program computes the same on every unit, again and again") {
  for (const char* spec : kUnits) {
    CAPTURE(spec);
    const std::shared_ptr<Unit> unit = open(spec);
    PreparedCopy copy(*unit);
    for (int run = 0; run < 5; ++run) {
      for (int8_t& value : copy.x) ++value;
      REQUIRE(copy.run().ok());
      CHECK(copy.y == copy.x);
    }
  }
}

TEST_CASE("Unit conformance: a unit describes itself") {
  for (const char* spec : kUnits) {
    const std::shared_ptr<Unit> unit = open(spec);
    CHECK(unit->info().kind == spec);
    CHECK(unit->info().name.find(spec) == 0);
    CHECK_FALSE(unit->info().fingerprint.empty());
    CHECK(unit->info().num_threads > 0);
  }
}

TEST_CASE("Unit conformance: a deadline that has passed ends a run without results, and the next run works") {
  for (const char* spec : kUnits) {
    CAPTURE(spec);
    const std::shared_ptr<Unit> unit = open(spec);
    PreparedCopy copy(*unit);
    CHECK(copy.run(Deadline::min()).code() == Code::kDeadlineExceeded);
    CHECK(copy.untouched());
    CHECK(copy.run().ok());
    CHECK(copy.y == copy.x);
  }
}

TEST_CASE("Unit conformance: a completion reaches only the generation that it was armed for") {
  for (const char* spec : kUnits) {
    CAPTURE(spec);
    const std::shared_ptr<Unit> unit = open(spec);
    PreparedCopy copy(*unit);
    const uint64_t first = copy.submit();
    REQUIRE(copy.completion.wait().ok());
    CHECK_FALSE(copy.completion.signal(first));  // signalled already
    const uint64_t second = copy.completion.arm();
    CHECK(second != first);
    CHECK_FALSE(copy.completion.signal(first));
    CHECK_FALSE(copy.completion.done());
  }
}

TEST_CASE("Unit conformance: a unit that works can be reset, probed and used again") {
  for (const char* spec : kUnits) {
    CAPTURE(spec);
    const std::shared_ptr<Unit> unit = open(spec);
    PreparedCopy copy(*unit);
    for (int round = 0; round < 3; ++round) {
      CHECK(unit->reset().ok());
      CHECK(unit->probe().ok());
      CHECK(copy.run().ok());
      CHECK(copy.y == copy.x);
    }
  }
}

TEST_CASE("Unit conformance: cancelling what is complete changes nothing") {
  for (const char* spec : kUnits) {
    CAPTURE(spec);
    const std::shared_ptr<Unit> unit = open(spec);
    PreparedCopy copy(*unit);
    const uint64_t generation = copy.submit();
    REQUIRE(copy.completion.wait().ok());
    copy.executable().cancel(generation);
    CHECK(copy.run().ok());
    CHECK(copy.y == copy.x);
  }
}

TEST_CASE("Unit conformance: executables of one unit run from several threads") {
  for (const char* spec : kUnits) {
    CAPTURE(spec);
    const std::shared_ptr<Unit> unit = open(spec);
    PreparedCopy first(*unit), second(*unit);
    const auto run = [](PreparedCopy* copy) {
      for (int i = 0; i < 20; ++i)
        if (!copy->run().ok()) return;
    };
    std::thread other(run, &second);
    run(&first);
    other.join();
    CHECK(first.y == first.x);
    CHECK(second.y == second.x);
  }
}

TEST_CASE("Unit conformance: an observer hears of every operator once") {
  struct Counter final : RunObserver {
    void operator_done(uint32_t operator_index, SteadyClock::time_point start, SteadyClock::time_point end) override {
      CHECK(operator_index == 0);
      CHECK(end >= start);
      ++calls;
    }
    int calls = 0;
  };
  for (const char* spec : kUnits) {
    CAPTURE(spec);
    const std::shared_ptr<Unit> unit = open(spec);
    PreparedCopy copy(*unit);
    Counter counter;
    REQUIRE(copy.run(kNoDeadline, &counter).ok());
    CHECK(counter.calls == 1);
    CHECK(copy.executable().kernel_choices().size() == 1);
  }
}

TEST_CASE("Unit conformance: a session prefers the first unit beside the CPU that has a program") {
  const PlanBytes file = evta::test::copy_plan(evta::kConfigurations[0]).build();
  const auto plan = Plan::from_memory(file.bytes());
  REQUIRE(plan);
  for (const char* const specs : {"cpu,evta", "evta,cpu", "evta", "evta:1x32_15_15_18_17,cpu"}) {
    CAPTURE(specs);
    const auto units = open_units(specs, {.num_threads = 1});
    REQUIRE(units);
    const auto session = Session::create(*plan, *units);
    REQUIRE(session);
    const bool on_evta = specs != std::string_view("evta:1x32_15_15_18_17,cpu");
    CHECK((*session)->operators()[0].unit == (on_evta ? "evta0" : "cpu"));
    const std::vector<int8_t> x(64, 5);
    std::vector<int8_t> y(64);
    const Shape shape{evta::test::kCopyRows, 16};
    const ConstTensorView input{DataType::kS8, shape, x.data()};
    const TensorView output{DataType::kS8, shape, y.data()};
    CHECK((*session)->run({&input, 1}, {&output, 1}).ok());
    CHECK(y == x);
  }
}

TEST_CASE("Unit conformance: an executable that is destroyed leaves the unit as it was") {
  for (const char* spec : kUnits) {
    CAPTURE(spec);
    const std::shared_ptr<Unit> unit = open(spec);
    PreparedCopy stays(*unit);
    {
      PreparedCopy goes(*unit);
      goes.submit();
    }
    CHECK(stays.run().ok());
    CHECK(stays.y == stays.x);
  }
}

}  // namespace
}  // namespace nestrt::test
