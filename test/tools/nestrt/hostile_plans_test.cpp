// SPDX-License-Identifier: Apache-2.0
// Tests that the nestrt command rejects damaged plans and arrays with a message, exit code 2 and no output.
#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <filesystem>

#include "runtime/plan/format/format.h"
#include "test/support/plan/program.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {
namespace {

namespace fs = std::filesystem;

// Returns commands for a plan with all inputs and outputs.
std::vector<std::vector<std::string>> commands(const TemporaryFolder& folder, const std::string& plan) {
  const std::string out = folder.path() + "/out";
  return {{"verify", plan},
          {"info", plan, "--json", out + "/info.json"},
          {"bench", plan, "--runs", "1", "--warmup", "0", "--threads", "1", "--json", out + "/bench.json"},
          {"run", plan, "--input", "x=" + folder.path() + "/x.npy", "--output", out + "/results"}};
}

// A folder with the input of branches_plan() and an empty folder "out".
class HostilePlans {
 public:
  HostilePlans() {
    fs::create_directory(folder_.path() + "/out");
    const std::vector<float> elements(16, 1);
    REQUIRE(tools::write_npy(folder_.path() + "/x.npy", {DataType::kF32, {2, 8}, elements.data()}).ok());
  }

  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

  void check_refused(std::span<const std::byte> bytes, size_t first = 0, size_t last = 4) const {
    const std::string plan = folder_.write("broken.nest", bytes);
    const auto all = commands(folder_, plan);
    for (size_t i = first; i < last; ++i) check_refused(all[i]);
  }
  void check_refused(const std::vector<std::string>& command, const std::string& part = "") const {
    const ProgramResult result = run_program("nestrt", command);
    INFO("nestrt " << command[0] << ": " << result.text);
    CHECK(result.exit_code == 2);
    CHECK(result.text.starts_with("nestrt: "));
    CHECK(result.text.find(part) != std::string::npos);
    CHECK(fs::is_empty(path("out")));
  }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

// Returns the positions to test: every `step` bytes, the words of the header, and the border between tables and data.
std::vector<size_t> samples(std::span<const std::byte> bytes, size_t step) {
  plan_format::Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::vector<size_t> places;
  for (size_t at = 0; at < bytes.size(); ++at) {
    const bool in_header = at < sizeof header && at % 4 == 0;
    const bool at_border = at + 4 > header.data_offset && at < header.data_offset + 4;
    if (in_header || at_border || at % step == 0) places.push_back(at);
  }
  return places;
}

TEST_CASE("Every command accepts an intact plan") {
  const HostilePlans plans;
  const std::string plan = plans.folder().write("good.nest", branches_plan().build().bytes());
  for (const auto& command : commands(plans.folder(), plan)) {
    const ProgramResult result = run_program("nestrt", command);
    INFO(command[0] << ": " << result.text);
    CHECK(result.exit_code == 0);
  }
  CHECK(fs::exists(plans.path("out/results/y.npy")));
  CHECK(fs::exists(plans.path("out/info.json")));
}

// Returns y = x + sum(x). FlatBuffers writes no dimension list for the sum.
PlanBuilder scalar_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {2, 8});
  const int sum = builder.arena("sum", {});
  const int y = builder.output("y", {2, 8});
  builder.op("sum", ops::Reduce{ops::ReduceKind::kSum, {0, 1}, false}, {x}, {sum});
  builder.op("add", binary(ops::BinaryKind::kAdd), {x, sum}, {y});
  return builder;
}

TEST_CASE("Every command accepts a plan with a scalar activation") {
  const HostilePlans plans;
  const std::string plan = plans.folder().write("scalar.nest", scalar_plan().build().bytes());
  for (const auto& command : commands(plans.folder(), plan)) {
    const ProgramResult result = run_program("nestrt", command);
    INFO(command[0] << ": " << result.text);
    CHECK(result.exit_code == 0);
  }
}

TEST_CASE("Every command rejects a plan with a flipped byte at any position") {
  const HostilePlans plans;
  const PlanFile good = branches_plan().build();
  size_t turn = 0;
  for (size_t at : samples(good.bytes(), 53)) {
    PlanFile broken = good;
    broken.mutable_bytes()[at] ^= std::byte{0x40};
    INFO("byte " << at << " of " << good.bytes().size());
    // All commands load plans in the same way, so each position is tested with one of them.
    plans.check_refused(broken.bytes(), turn % 4, turn % 4 + 1);
    ++turn;
  }
}

TEST_CASE("Every command rejects a truncated plan") {
  const HostilePlans plans;
  const PlanFile good = branches_plan().build();
  size_t turn = 0;
  for (size_t length : samples(good.bytes(), 71)) {
    INFO(length << " of " << good.bytes().size() << " bytes");
    plans.check_refused(good.bytes().first(length), turn % 4, turn % 4 + 1);
    ++turn;
  }
  plans.check_refused(good.bytes().first(good.bytes().size() - 1));
}

TEST_CASE("Every command rejects folders, pipes and missing files as plans") {
  const HostilePlans plans;
  REQUIRE(::mkfifo(plans.path("pipe").c_str(), 0600) == 0);
  for (const std::string place : {"pipe", "out", "absent.nest"}) {
    for (const auto& command : commands(plans.folder(), plans.path(place))) {
      plans.check_refused(command, place);
    }
  }
}

TEST_CASE("nestrt run lists the expected inputs if the given ones are wrong") {
  const HostilePlans plans;
  const std::string plan = plans.folder().write("good.nest", branches_plan().build().bytes());
  const auto refuse = [&](const std::string& input, const std::string& part) {
    plans.check_refused({"run", plan, "--input", input, "--output", plans.path("out")}, part);
  };
  const std::string expected = "--input x=FILE.npy  (f32 2x8)";
  refuse("z=" + plans.path("x.npy"), expected);
  refuse("x=" + plans.path("absent.npy"), "absent.npy");
  refuse("x=" + plan, "good.nest");
  refuse("x=" + plans.path("out"), "out");
  const std::vector<int64_t> integers(16, 1);
  REQUIRE(tools::write_npy(plans.path("type.npy"), {DataType::kS64, {2, 8}, integers.data()}).ok());
  refuse("x=" + plans.path("type.npy"), "contains s64 2x8");
  REQUIRE(tools::write_npy(plans.path("shape.npy"), {DataType::kF32, {8, 1}, integers.data()}).ok());
  refuse("x=" + plans.path("shape.npy"), expected);
  plans.check_refused({"run", plan}, expected);
}

TEST_CASE("Pipes as arrays, images and lists are rejected without waiting") {
  const HostilePlans plans;
  const std::string plan = plans.folder().write("good.nest", branches_plan().build().bytes());
  const std::string classifier = plans.folder().write("classifier.nest", classifier_plan().build().bytes());
  const std::string pipe = plans.path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::vector<std::string>& command : {std::vector<std::string>{"run", plan, "--input", "x=" + pipe},
                                                  {"run", classifier, "--image", pipe, "--labels", pipe},
                                                  {"run", classifier, "--image", pipe},
                                                  {"eval", classifier, "--images", ".", "--labels", pipe}})
    plans.check_refused(command, "pipe' is not a regular file");
}

TEST_CASE("Images are rejected for plans without a single image input") {
  const HostilePlans plans;
  const std::string plan = plans.folder().write("relu.nest", relu_plan().build().bytes());
  plans.check_refused({"run", plan, "--image", NESTRT_SOURCE_DIR "/examples/images/cat.png"}, "requires a batch of 1");
  PlanBuilder builder;
  const int x = builder.input("x", {1, 3, 4, 4}), z = builder.input("z", {1, 3, 4, 4});
  builder.op("sum", binary(ops::BinaryKind::kAdd), {x, z}, {builder.output("y", {1, 3, 4, 4})});
  const std::string two = plans.folder().write("two.nest", builder.build().bytes());
  plans.check_refused({"run", two, "--image", "cat.png"},
                      "an image requires a plan with one input, but this one has 2");
}

TEST_CASE("An output with the name of an input does not overwrite it") {
  const HostilePlans plans;
  const std::string plan = plans.folder().write("good.nest", branches_plan().build().bytes());
  const std::string folder = plans.path("arrays");
  fs::create_directory(folder);
  fs::copy(plans.path("x.npy"), folder + "/y.npy");
  plans.check_refused({"run", plan, "--input", "x=" + folder + "/y.npy", "--output", folder}, "name another file");
}

TEST_CASE("No output is written if one of the outputs cannot be written") {
  const HostilePlans plans;
  PlanBuilder builder;
  const int x = builder.input("x", {2, 8}), y = builder.output("y", {2, 8}), z = builder.output("z", {2, 8});
  builder.op("y", unary(ops::UnaryKind::kRelu), {x}, {y});
  builder.op("z", unary(ops::UnaryKind::kNeg), {x}, {z});
  const std::string plan = plans.folder().write("two.nest", builder.build().bytes());
  fs::create_directories(plans.path("results/z.npy"));
  plans.check_refused({"run", plan, "--input", "x=" + plans.path("x.npy"), "--output", plans.path("results")}, "z.npy");
  CHECK(std::distance(fs::directory_iterator(plans.path("results")), fs::directory_iterator()) == 1);
}

TEST_CASE("Output files are checked before the computation") {
  const HostilePlans plans;
  const std::string plan = plans.folder().write("good.nest", branches_plan().build().bytes());
  plans.check_refused({"bench", plan, "--json", ""}, "the name is empty");
  plans.check_refused({"run", plan, "--output", ""}, "the name is empty");
  for (const char* command : {"bench", "info"}) {
    const ProgramResult result = run_program("nestrt", {command, plan, "--json", plans.path("absent/figures.json")});
    CHECK(result.exit_code == 2);
    CHECK(result.text.starts_with("nestrt: not found: cannot write"));
  }
}

TEST_CASE("The description of a plan does not overwrite the plan") {
  const HostilePlans plans;
  const std::string plan = plans.folder().write("good.nest", branches_plan().build().bytes());
  plans.check_refused({"info", plan, "--json", plan}, "name another file");
  plans.check_refused({"bench", plan, "--json", plan}, "name another file");
  CHECK(run_program("nestrt", {"verify", plan}).exit_code == 0);
}

}  // namespace
}  // namespace nestrt::test
