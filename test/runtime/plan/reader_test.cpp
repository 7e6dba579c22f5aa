// SPDX-License-Identifier: Apache-2.0
// Tests that plans are read from files and from memory, and that damaged plans are rejected.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <string>

#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "runtime/plan/format/encode.h"
#include "runtime/plan/format/format.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

Code code_of(const Result<std::shared_ptr<const Plan>>& plan) { return plan ? Code::kOk : plan.error().code(); }

TEST_CASE("A mapped plan returns its inputs, outputs and identity") {
  PlanBuilder builder = branches_plan();
  const TemporaryFolder folder;
  const auto plan = Plan::map(folder.write("net.nest", builder.build().bytes()), Verification::kComplete);
  if (!plan) FAIL(plan.error().to_string());
  REQUIRE((*plan)->inputs().size() == 1);
  REQUIRE((*plan)->outputs().size() == 1);
  CHECK((*plan)->inputs()[0].name == "x");
  CHECK((*plan)->outputs()[0].shape == Shape{2, 8});
  CHECK((*plan)->preprocessing(0) == nullptr);
  CHECK((*plan)->digest().size() == 32);
  CHECK((*plan)->constant(1).size() == 32);
  CHECK((*plan)->constant(0).empty());
  CHECK((*plan)->constant(99).empty());
}

TEST_CASE("A plan is mapped or copied from an open file, which may be closed afterwards") {
  const TemporaryFolder folder;
  const PlanFile file = branches_plan().build();
  const std::string path = folder.write("net.nest", file.bytes());
  for (const bool copy : {false, true}) {
    LoadOptions options(Verification::kComplete);
    options.copy = copy;
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const auto plan = Plan::map_descriptor(descriptor, options);
    ::close(descriptor);
    if (!plan) FAIL(plan.error().to_string());
    CHECK(std::ranges::equal((*plan)->bytes(), file.bytes()));
    CHECK(code_of(Plan::map_descriptor(descriptor, options)) == Code::kIo);
  }
}

// Returns how much of the mapping that contains `address` is in memory.
size_t resident_bytes(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  bool is_inside = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long first = 0, last = 0, kilobytes = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &first, &last) == 2)
      is_inside = reinterpret_cast<uintptr_t>(address) >= first && reinterpret_cast<uintptr_t>(address) < last;
    else if (is_inside && std::sscanf(line.c_str(), "Rss: %lu kB", &kilobytes) == 1)
      return kilobytes * 1024;
  }
  FAIL("the address is not mapped");
  return 0;
}

TEST_CASE("Complete verification of a mapped plan leaves little of it in memory") {
  constexpr int64_t kElements = int64_t{4} << 20;
  PlanBuilder builder;
  const int x = builder.input("x", {kElements}), y = builder.output("y", {kElements});
  const int weights = builder.constant("weights", {kElements}, std::vector<float>(kElements, 1.5F));
  builder.op("add", binary(ops::BinaryKind::kAdd), {x, weights}, {y});
  const TemporaryFolder folder;
  const auto plan = Plan::map(folder.write("net.nest", builder.build().bytes()), Verification::kComplete);
  REQUIRE(plan);
  CHECK(resident_bytes((*plan)->bytes().data()) < (*plan)->bytes().size() / 4);
  CHECK(reinterpret_cast<const float*>((*plan)->constant(2).data())[kElements - 1] == 1.5F);
}

TEST_CASE("Overwriting a plan's file does not change its verified tables") {
  const TemporaryFolder folder;
  PlanFile file = branches_plan().build();
  const std::string path = folder.write("net.nest", file.bytes());
  const auto plan = Plan::map(path);
  REQUIRE(plan);
  const std::vector<std::byte> before = encode_tables((*plan)->tables());
  std::ranges::fill(file.tables(), std::byte{0xFF});
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary)
      .write(reinterpret_cast<const char*>(file.bytes().data()), static_cast<std::streamsize>(file.bytes().size()));
  CHECK(std::ranges::equal((*plan)->bytes(), file.bytes()));  // it is mapped, not copied
  CHECK(encode_tables((*plan)->tables()) == before);
  CHECK(Session::create(*plan, *open_units("cpu", {.num_threads = 1})));
}

TEST_CASE("Preprocessing without a mean or scale uses 0 or 1") {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 3, 2, 2});
  const int y = builder.output("y", {1, 3, 2, 2});
  builder.op("relu", unary(ops::UnaryKind::kRelu), {x}, {y});
  builder.tables().inputs[0].preprocessing = {.mean = {1, 2, 3}, .scale = {}};
  const PlanFile file = builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  REQUIRE(plan);
  REQUIRE((*plan)->preprocessing(0) != nullptr);
  CHECK((*plan)->preprocessing(0)->mean == std::vector<float>{1, 2, 3});
  CHECK((*plan)->preprocessing(0)->scale == std::vector<float>{1, 1, 1});
}

TEST_CASE("Files that are not plans are rejected with their path") {
  const TemporaryFolder folder;
  const std::vector<std::byte> noise(5000, std::byte{42});
  CHECK(code_of(Plan::map(folder.path() + "/missing.nest")) == Code::kNotFound);
  CHECK(code_of(Plan::map(folder.path())) == Code::kInvalidPlan);
  CHECK(code_of(Plan::map("/dev/null")) == Code::kInvalidPlan);
  CHECK(code_of(Plan::map(folder.write("empty.nest", {}))) == Code::kInvalidPlan);
  const std::string path = folder.write("noise.nest", noise);
  const auto plan = Plan::map(path);
  REQUIRE_FALSE(plan);
  CHECK(plan.error().message().find(path) == 0);
}

TEST_CASE("Plans of another version or with unknown features are incompatible") {
  const PlanFile good = relu_plan().build();
  const auto with = [&](auto change) {
    PlanFile file = good;
    plan_format::Header header;
    std::memcpy(&header, file.bytes().data(), sizeof header);
    change(header);
    std::memcpy(file.mutable_bytes().data(), &header, sizeof header);
    file.write_digests();
    return code_of(Plan::from_memory(file.bytes()));
  };
  CHECK(with([](plan_format::Header& header) { header.version_minor = 8; }) == Code::kIncompatible);
  CHECK(with([](plan_format::Header& header) { header.version_major = 2; }) == Code::kIncompatible);
  CHECK(with([](plan_format::Header& header) { header.features = 4; }) == Code::kIncompatible);
}

TEST_CASE("Misaligned memory is rejected") {
  const PlanFile file = relu_plan().build();
  std::vector<std::byte> storage(file.bytes().size() + 128);
  auto* const aligned = reinterpret_cast<std::byte*>((reinterpret_cast<uintptr_t>(storage.data()) + 63) / 64 * 64);
  std::copy(file.bytes().begin(), file.bytes().end(), aligned + 8);
  CHECK(code_of(Plan::from_memory({aligned + 8, file.bytes().size()})) == Code::kInvalidArgument);
}

TEST_CASE("Every truncation of a plan is rejected") {
  const PlanFile file = branches_plan().build();
  for (size_t size = 0; size < file.bytes().size(); ++size) {
    const PlanFile part(file.bytes().first(size));
    if (Plan::from_memory(part.bytes())) FAIL("accepted the first " << size << " bytes");
  }
  SUCCEED("all of them were refused");
}

}  // namespace
}  // namespace nestrt::test
