// nestc compile --target and nestrt --units as a user meets them.
#include <catch2/catch.hpp>
#include <map>

#include "runtime/tools/files.h"
#include "runtime/tools/json.h"
#include "runtime/tools/npy.h"
#include "test/support/program.h"
#include "test/support/temporary_folder.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

constexpr const char* kModel = NESTRT_SOURCE_DIR "/examples/models/nest_squeeze_cifar10.onnx";

// The project's own network, calibrated on numbers that mean nothing, in 8 bits.
class Workshop {
 public:
  Workshop() {
    std::vector<float> samples(2 * 3 * 32 * 32);
    for (size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<float>(i * 7919 % 257) / 64 - 2;
    REQUIRE(tools::write_npy(path("samples.npy"), {DataType::kF32, {2, 3, 32, 32}, samples.data()}).ok());
    REQUIRE(tools::write_npy(path("input.npy"), {DataType::kF32, {1, 3, 32, 32}, samples.data() + 1}).ok());
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string plan() const { return path("model.nest"); }
  ProgramResult on_target(const std::string& command, const std::string& target) const {
    std::vector<std::string> arguments{
        command, kModel,           "--quantize",     "s8", "--calibrate", path("samples.npy"), "--target",
        target,  "--tuning-cache", path("schedules")};
    if (command == "compile") arguments.insert(arguments.end(), {"-o", plan()});
    return run_program("nestc", arguments);
  }
  std::vector<std::byte> outputs(const std::string& units) const {
    const std::string folder = path("out-" + units);
    const ProgramResult result = run_program("nestrt", {"run", plan(), "--units", units, "--schedule", "file-order",
                                                        "--input", path("input.npy"), "--output", folder});
    INFO(result.text);
    REQUIRE(result.exit_code == 0);
    auto bytes = tools::read_file(folder + "/probabilities.npy");
    REQUIRE(bytes);
    return *bytes;
  }

 private:
  TemporaryFolder folder_;
};

void check(const ProgramResult& result, int exit_code, const std::string& part) {
  INFO(result.text);
  CHECK(result.exit_code == exit_code);
  CHECK_THAT(result.text, Contains(part));
}

TEST_CASE("A plan for EVTA computes the CPU's bits, whatever the units and the configuration") {
  const Workshop workshop;
  for (const char* target : {"zcu102", "cpu,evta:1x32_15_15_18_17"}) {
    check(workshop.on_target("compile", target), 0, "29 operators");
    check(run_program("nestrt", {"verify", workshop.plan(), "--units", "cpu,evta"}), 0,
          "that share a layer with the CPU compute the CPU's results bit for bit");
    CHECK(workshop.outputs("cpu") == workshop.outputs("cpu,evta"));
  }
}

TEST_CASE("nestc says so where a target's units have nothing to do") {
  const TemporaryFolder folder;
  check(run_program("nestc", {"compile", kModel, "--target", "zcu102", "-o", folder.path() + "/f32.nest"}), 0,
        "evta runs none of the operators: it needs them in s8");
}

TEST_CASE("nestrt bench keeps what it measures, and has several inferences in flight") {
  const Workshop workshop;
  check(workshop.on_target("compile", "zcu102"), 0, "operators");
  const std::string costs = workshop.path("costs");
  std::vector<std::string> arguments = {
      "bench", workshop.plan(), "--units", "cpu,evta",   "--threads", "1",           "--runs",
      "4",     "--warmup",      "1",       "--pipeline", "3",         "--cost-file", costs};
  check(run_program("nestrt", arguments), 0, "3 inferences in flight");
  const auto kept = tools::read_file(costs);
  REQUIRE(kept);
  for (const char* method : {"file-order", "sequential", "paper", "optimum"}) {
    std::vector<std::string> with_method = arguments;
    with_method.insert(with_method.end(), {"--schedule", method});
    check(run_program("nestrt", with_method), 0, "throughput");
  }
  CHECK(*tools::read_file(costs) == *kept);
  REQUIRE(tools::write_file(costs, std::as_bytes(std::span("nonsense"))).ok());
  check(run_program("nestrt", arguments), 2, "expected 'nestrt");
  arguments.insert(arguments.end(), {"--schedule", "guess"});
  CHECK(run_program("nestrt", arguments).exit_code == 2);
}

TEST_CASE("A trace has the runs, and what units did in them") {
  const Workshop workshop;
  check(workshop.on_target("compile", "cpu,evta:2_1x16_15_15_18_17"), 0, "operators");
  const std::string file = workshop.path("trace.json");
  check(run_program("nestrt", {"info", workshop.plan()}), 0, "evta 2_1x16_15_15_18_17");
  check(run_program("nestrt", {"run", workshop.plan(), "--units", "cpu,evta", "--pace", "1", "--trace", file, "--input",
                               workshop.path("input.npy")}),
        0, "probabilities");
  const auto bytes = tools::read_file(file);
  REQUIRE(bytes);
  const auto* text = reinterpret_cast<const char*>(bytes->data());
  const tools::Json trace = tools::Json::parse(text, text + bytes->size());
  std::map<std::string, int> spans;
  for (const tools::Json& event : trace["traceEvents"])
    if (event["ph"] == "X") ++spans[event["cat"]];
  CHECK(spans["run"] == 1);
  CHECK(spans["operator"] >= 20);  // those that compute something
  CHECK(spans["step"] >= 1);
  CHECK(run_program("nestrt", {"bench", workshop.plan(), "--trace", workshop.plan()}).exit_code == 2);
}

TEST_CASE("A unit of another configuration is refused with the command that helps") {
  const Workshop workshop;
  check(workshop.on_target("compile", "cpu,evta:1x32_15_15_18_17"), 0, "operators");
  check(run_program("nestrt", {"info", workshop.plan(), "--units", "evta:1x16_15_15_18_17"}), 2, "recompile");
  check(run_program("nestrt", {"info", workshop.plan(), "--units", "evta:3x3"}), 2, "1x16_15_15_18_17");
  check(run_program("nestrt", {"info", workshop.plan(), "--units", "toaster"}), 2, "there is no unit 'toaster'");
}

TEST_CASE("nestc says where operators run, and what the programs are") {
  const Workshop workshop;
  const ProgramResult explained = workshop.on_target("explain", "zcu102");
  check(explained, 0, "22 of 33 operators");
  CHECK_THAT(explained.text, Contains("EVTA has no Concat") && Contains("ms)"));
  check(workshop.on_target("compile", "zcu102"), 0, "operators");
  check(run_program("nestc", {"inspect", workshop.plan(), "--asm"}), 0, "gemm");
  check(run_program("nestc", {"inspect", kModel, "--asm"}), 2, "--target zcu102");
}

TEST_CASE("nestc shows what may run side by side, and writes where it runs for NEST-C") {
  const Workshop workshop;
  check(workshop.on_target("compile", "zcu102"), 0, "operators");
  check(run_program("nestc", {"inspect", workshop.plan(), "--regions", "--json", workshop.path("plan.json")}), 0,
        "6 parallel groups");
  const std::string yaml = workshop.path("partition.yaml");
  check(run_program("nestc", {"partition", workshop.plan(), "-o", yaml}), 0, "");
  const auto text = tools::read_lines(yaml);
  REQUIRE(text);
  REQUIRE(text->size() == 9);
  CHECK_THAT((*text)[2], Contains("numOfPartitions: "));
  CHECK_THAT((*text)[3], Contains("CPU:VTA-0:"));
  CHECK_THAT((*text)[7], Contains("||"));
  check(run_program("nestc", {"partition", workshop.plan(), "--units", "toaster", "-o", yaml}), 2, "toaster");
}

}  // namespace
}  // namespace nestrt::test
