// What commands say beside their results, as a user meets it.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "test/support/program.h"
#include "test/support/sample_plans.h"
#include "test/support/temporary_folder.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

// A variable of the environment while it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST_CASE("Progress is a line now and then where nothing can be redrawn") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("relu.nest", relu_plan().build().bytes());
  const std::vector<std::string> bench = {"bench", plan, "--runs", "3", "--warmup", "0"};
  CHECK_THAT(run_program("nestrt", bench).text, !Contains("3/3"));  // not within ten seconds
  const Variable always("NESTRT_PROGRESS", "0");
  const ProgramResult result = run_program("nestrt", bench);
  INFO(result.text);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.text, Contains("runs  [") && Contains("] 1/3") && Contains("] 3/3\n") && !Contains("\x1b"));
}

TEST_CASE("Warnings bear the name of the command") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("relu.nest", relu_plan().build().bytes());
  const Variable nonsense("NESTRT_ISA", "nonsense");
  CHECK_THAT(run_program("nestrt", {"verify", plan}).text, Contains("nestrt: warning: NESTRT_ISA=nonsense"));
  const ProgramResult nestc = run_program("nestc", {"inspect", plan});
  CHECK_THAT(nestc.text, Contains("nestc: warning: NESTRT_ISA=nonsense") && !Contains("[nestrt]"));
}

TEST_CASE("A list at the end of a message ends it") {
  const TemporaryFolder folder;
  const std::string plan = folder.write("maps.nest", maps_plan().build().bytes());
  const std::string labels = folder.write_text("labels.tsv", "a.png\t0\n");
  const ProgramResult result = run_program("nestrt", {"eval", plan, "--images", folder.path(), "--labels", labels});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.text, Contains("map  f32  1x3x8x8\n") && !Contains("\\n"));
}

}  // namespace
}  // namespace nestrt::test
