// nestrt bench as a user meets it.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "test/support/copy_plan.h"
#include "test/support/program.h"
#include "test/support/sample_plans.h"
#include "test/support/temporary_folder.h"
#include "tools/common/npy.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("Each unit's part of the time is shown, in the table and in JSON, with the machine's state") {
  const TemporaryFolder folder;
  const std::string plan = folder.path() + "/network.nest", json = folder.path() + "/bench.json";
  const PlanFile file = evta::test::random_network(evta::kConfigurations[0], 6, 1).build();
  std::ofstream(plan).write(reinterpret_cast<const char*>(file.bytes().data()),
                            static_cast<std::streamsize>(file.bytes().size()));
  const ProgramResult result =
      run_program("nestrt", {"bench", plan, "--units", "cpu,evta:sim", "--threads", "1", "--schedule", "file-order",
                             "--runs", "5", "--warmup", "1", "--per-unit", "--json", json});
  INFO(result.text);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.text, Contains("jitter") && Contains("\nunit ") && Contains("\ncpu ") && Contains("\nevta0 "));
  CHECK_THAT(text_of(json), Contains("\"jitter_ms\"") && Contains("\"busy_median_ms\"") && Contains("\"evta0\"") &&
                                Contains("\"machine_before\"") && Contains("\"machine_after\""));
}

TEST_CASE("Each operator is shown with the unit that computes it, and the CPU's kernel where that is the CPU") {
  const TemporaryFolder folder;
  const PlanFile file = evta::test::random_network(evta::kConfigurations[0], 6, 1).build();
  const std::string plan = folder.write("network.nest", file.bytes()), json = folder.path() + "/bench.json";
  const ProgramResult result =
      run_program("nestrt", {"bench", plan, "--units", "cpu,evta:sim", "--threads", "1", "--schedule", "file-order",
                             "--runs", "1", "--warmup", "0", "--per-op", "--json", json});
  INFO(result.text);
  REQUIRE(result.exit_code == 0);
  const auto operators = nlohmann::json::parse(text_of(json))["operators"];
  int on_evta = 0;
  for (const auto& op : operators) {
    const std::string unit = op["unit"], kernel = op["kernel"];
    on_evta += unit == "evta0";
    CHECK((unit == "evta0") == kernel.empty());
  }
  CHECK(on_evta > 0);
}

TEST_CASE("A bench runs on arrays that are given, and refuses those that do not fit") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("relu.nest", relu_plan().build().bytes()), x = folder.path() + "/x.npy";
  const std::vector<float> values(6, 2);
  REQUIRE(tools::write_npy(x, {DataType::kF32, Shape{2, 3}, values.data()}).ok());
  const auto bench = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"bench", plan, "--runs", "2", "--warmup", "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program("nestrt", arguments);
  };
  const ProgramResult fits = bench({"--input", x, "--against", "sequential", "--pipeline", "2"});
  INFO(fits.text);
  CHECK(fits.exit_code == 0);
  const std::vector<float> more(5);
  REQUIRE(tools::write_npy(x, {DataType::kF32, Shape{5}, more.data()}).ok());
  const ProgramResult other = bench({"--input", x});
  CHECK(other.exit_code == 2);
  CHECK_THAT(other.text, Contains("the plan expects"));
  const ProgramResult overwritten = bench({"--input", x, "--json", x});
  CHECK(overwritten.exit_code == 2);
  CHECK_THAT(overwritten.text, Contains("x.npy"));
}

TEST_CASE("An interrupted bench shows what it has") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("relu.nest", relu_plan().build().bytes()), out = folder.path() + "/out.txt";
  const pid_t bench = ::fork();
  if (bench == 0) {
    const int file = ::open(out.c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(file, STDOUT_FILENO), ::dup2(file, STDERR_FILENO);
    ::setenv("NESTRT_PROGRESS", "0", 1);  // the first line says that it runs
    const char* const program = NESTRT_BINARY_DIR "/bin/nestrt";
    ::execl(program, program, "bench", plan.c_str(), "--warmup", "0", "--runs", "10000000", nullptr);
    ::_exit(1);
  }
  while (text_of(out).find("runs  [") == std::string::npos) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(bench, SIGINT);
  int state = 0;
  ::waitpid(bench, &state, 0);
  REQUIRE(WIFEXITED(state));
  CHECK(WEXITSTATUS(state) == 130);
  CHECK_THAT(text_of(out), Contains("interrupted, 10000000 were asked for") && Contains("median"));
}

}  // namespace
}  // namespace nestrt::test
