// SPDX-License-Identifier: Apache-2.0
#include "tools/support/text/cli.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <optional>

namespace nestrt::tools {
namespace {

// The values that a command received. It succeeds unless `outcome` is set.
struct Ran {
  int times = 0;
  Result<ExitCode> outcome = ExitCode::kOk;
};

// A program with one command, "go", whose options a test adds.
class Program {
 public:
  Program() : command_(cli_.add_command("go", "goes", {"test go"}, [this] { return ++ran.times, ran.outcome; })) {}

  Command& command() { return command_; }
  int run(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), {"test", "go"});
    return cli_.run(static_cast<int>(arguments.size()), arguments.data());
  }
  // Returns whether the command line is rejected before the command runs.
  bool refuses(const std::vector<const char*>& arguments) {
    const int before = ran.times;
    return run(arguments) == 2 && ran.times == before;
  }

  Ran ran;

 private:
  Cli cli_{"test", "a test"};
  Command command_;
};

TEST_CASE("Options set variables of every type") {
  Program program;
  std::string text, argument;
  int number = 0;
  int64_t large = 0;
  uint32_t small = 0;
  uint64_t size = 0;
  double real = 0;
  std::optional<double> perhaps, absent;
  bool flag = false, switched = true;
  Command& go = program.command();
  go.add_option("FILE", argument, "");
  go.add_option("-t,--text", text, "");
  go.add_option("--number", number, "");
  go.add_option("--large", large, "");
  go.add_option("--small", small, "");
  go.add_option("--size", size, "");
  go.add_option("--real", real, "");
  go.add_option("--perhaps", perhaps, "");
  go.add_option("--absent", absent, "");
  go.add_flag("--flag", flag, "");
  go.add_flag("!--no-switch", switched, "");
  CHECK(program.run({"file", "-t", "x y", "--number", "-3", "--large", "-9000000000", "--small", "4000000000", "--size",
                     "9000000000", "--real", "1e-3", "--perhaps", "0.5", "--flag", "--no-switch"}) == 0);
  CHECK(program.ran.times == 1);
  CHECK(argument == "file");
  CHECK(text == "x y");
  CHECK(number == -3);
  CHECK(large == -9'000'000'000);
  CHECK(small == 4'000'000'000);
  CHECK(size == 9'000'000'000);
  CHECK(real == 1e-3);
  CHECK(perhaps == 0.5);
  CHECK_FALSE(absent.has_value());
  CHECK(flag);
  CHECK_FALSE(switched);
}

TEST_CASE("Variables keep their value if an option is not given") {
  Program program;
  int threads = 4;
  const Option option = program.command().add_option("--threads", threads, "");
  CHECK(program.run({}) == 0);
  CHECK(threads == 4);
  CHECK_FALSE(option.given());
  CHECK(program.run({"--threads", "2"}) == 0);
  CHECK(threads == 2);
  CHECK(option.given());
  CHECK(program.command().given("--threads"));
  CHECK(option.name() == "--threads");
}

TEST_CASE("A repeatable option accepts one value per occurrence, a list all following values") {
  Program program;
  std::vector<std::string> images;
  std::vector<double> clocks;
  std::vector<float> mean;
  std::vector<int> counts;
  std::string plan;
  program.command().add_option("PLAN", plan, "");
  program.command().add_option("--image", images, "").repeatable();
  program.command().add_option("--clocks", clocks, "");
  program.command().add_option("--mean", mean, "").separated_by(',');
  program.command().add_option("--count", counts, "");
  CHECK(program.run({"--image", "a", "--mean", "1,2.5,3", "plan", "--image", "b", "--clocks", "100", "200.5", "--count",
                     "1", "2"}) == 0);
  CHECK(images == std::vector<std::string>{"a", "b"});
  CHECK(clocks == std::vector<double>{100, 200.5});
  CHECK(mean == std::vector<float>{1, 2.5f, 3});
  CHECK(counts == std::vector<int>{1, 2});
  CHECK(plan == "plan");
}

TEST_CASE("Values out of bounds are rejected before the command runs") {
  Program program;
  int number = 0;
  uint64_t limit = 0;
  double share = 0;
  std::string file, method;
  program.command().add_option("--number", number, "").in_range(0, 8);
  program.command().add_option("--limit", limit, "").positive();
  program.command().add_option("--share", share, "").between(0, 1);
  program.command().add_option("--file", file, "").not_empty();
  program.command().add_option("--method", method, "").one_of({"kl", "mse"});
  CHECK(program.run({"--number", "8", "--limit", "1", "--share", "1", "--file", "f", "--method", "mse"}) == 0);
  for (const char* value : {"-1", "9", "1.5", "x", "", "99999999999999999999"})
    CHECK(program.refuses({"--number", value}));
  for (const char* value : {"0", "-1", "x"}) CHECK(program.refuses({"--limit", value}));
  for (const char* value : {"-0.1", "1.1", "nan", "inf", ""}) CHECK(program.refuses({"--share", value}));
  CHECK(program.refuses({"--file", ""}));
  CHECK(program.refuses({"--method", "k"}));
}

TEST_CASE("A choice may be written with hyphens instead of underscores") {
  for (const char* value : {"half_up", "half-up"}) {
    Program program;
    std::string rounding;
    program.command().add_option("--rounding", rounding, "").one_of({"half_even", "half_up"});
    CHECK(program.run({"--rounding", value}) == 0);
    CHECK(rounding == "half_up");
  }
}

TEST_CASE("Required, dependent and exclusive options are checked") {
  Program program;
  std::string plan, reference, other;
  double tolerance = 0;
  Command& go = program.command();
  go.add_option("PLAN", plan, "").required();
  const Option base = go.add_option("--reference", reference, "");
  go.add_option("--tolerance", tolerance, "").needs(base);
  go.add_option("--other", other, "").excludes(base).needs("--tolerance");
  CHECK(program.refuses({}));
  CHECK(program.run({"p"}) == 0);
  CHECK(program.refuses({"p", "--tolerance", "1"}));
  CHECK(program.run({"p", "--tolerance", "1", "--reference", "r"}) == 0);
  CHECK(program.refuses({"p", "--other", "o"}));
  CHECK(program.refuses({"p", "--tolerance", "1", "--reference", "r", "--other", "o"}));
}

TEST_CASE("A command may parse an option itself") {
  Program program;
  size_t letters = 0;
  program.command().add_parsed_option(
      "--word",
      [&letters](const std::string& text) {
        letters = text.size();
        return letters < 5 ? Status() : Status(Code::kInvalidArgument, "too long");
      },
      "");
  CHECK(program.run({"--word", "four"}) == 0);
  CHECK(letters == 4);
  CHECK(program.refuses({"--word", "longer"}));
}

TEST_CASE("The exit code is that of the command, or 2 if it fails or is missing") {
  Program program;
  CHECK(program.run({"--help"}) == 0);
  CHECK(program.ran.times == 0);
  program.ran.outcome = ExitCode::kMismatch;
  CHECK(program.run({}) == 1);
  program.ran.outcome = Status(Code::kNotFound, "no such thing");
  CHECK(program.run({}) == 2);
  CHECK(program.refuses({"--nonsense"}));
  Cli empty("test", "a test");
  const char* const arguments[] = {"test", "absent"};
  CHECK(empty.run(2, arguments) == 2);
}

TEST_CASE("Unknown options and commands are rejected") {
  Program program;
  int threads = 0;
  program.command().add_option("--threads", threads, "");
  CHECK(program.refuses({"--treads", "4"}));
  CHECK(program.refuses({"--nothing-like-it"}));
  CHECK(program.refuses({"surplus"}));
}

}  // namespace
}  // namespace nestrt::tools
