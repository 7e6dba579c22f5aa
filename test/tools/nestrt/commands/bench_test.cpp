// SPDX-License-Identifier: Apache-2.0
// Tests nestrt bench on the command line.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "test/support/plan/copy_plan.h"
#include "test/support/plan/program.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("nestrt bench shows the busy time of each unit and the state of the machine") {
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

TEST_CASE("nestrt bench shows the unit of each operator and the kernel of CPU operators") {
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

TEST_CASE("nestrt bench uses the given arrays and rejects those that do not fit") {
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

// Runs nestrt bench on a plan, with a line per run. A full pipe blocks it, so that it cannot end before it is
// interrupted.
class BenchInPipe {
 public:
  explicit BenchInPipe(const std::string& plan) {
    int ends[2] = {};
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO), ::dup2(ends[1], STDERR_FILENO);
      ::setenv("NESTRT_PROGRESS", "0", 1);
      ::signal(SIGINT, SIG_DFL);  // ignored in background jobs of a shell, in which tests may run
      const char* const program = NESTRT_BINARY_DIR "/bin/nestrt";
      ::execl(program, program, "bench", plan.c_str(), "--warmup", "0", "--runs", "10000000", nullptr);
      ::_exit(1);
    }
    ::close(ends[1]);
    read_end_ = ends[0];
  }
  BenchInPipe(const BenchInPipe&) = delete;
  ~BenchInPipe() { ::close(read_end_); }

  void interrupt() const { ::kill(pid_, SIGINT); }
  // Returns the next output; empty at its end.
  std::string read() const {
    char text[4096];
    const ssize_t size = ::read(read_end_, text, sizeof text);
    return {text, size > 0 ? static_cast<size_t>(size) : 0};
  }
  int exit_code() const {
    int state = 0;
    ::waitpid(pid_, &state, 0);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
  }

 private:
  pid_t pid_ = 0;
  int read_end_ = -1;
};

TEST_CASE("An interrupted nestrt bench shows the results so far") {
  const TemporaryFolder folder;
  const BenchInPipe bench(folder.write("relu.nest", relu_plan().build().bytes()));
  std::string text;
  while (text.find("runs  [") == std::string::npos) {
    const std::string more = bench.read();
    REQUIRE(!more.empty());
    text += more;
  }
  bench.interrupt();
  for (std::string more = bench.read(); !more.empty(); more = bench.read()) text += more;
  CHECK(bench.exit_code() == 130);
  CHECK_THAT(text, Contains("interrupted, 10000000 were requested") && Contains("median"));
}

}  // namespace
}  // namespace nestrt::test
