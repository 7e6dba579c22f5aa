#include "compiler-lite/process/process.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

namespace nestrt::compiler {

TEST_CASE("A process's exit code, output and error are told") {
  const auto folder = TemporaryFolder::create();
  REQUIRE(folder);
  const auto result = run_process({"sh", "-c", "echo \"$1\"; echo down >&2; exit 7", "sh", "a  b"}, folder->path());
  REQUIRE(result);
  REQUIRE(result->exit_code == 7);
  REQUIRE(result->output == "a  b\n");
  REQUIRE(result->error == "down\n");
}

TEST_CASE("A process that was killed has the exit code of its signal") {
  const auto folder = TemporaryFolder::create();
  REQUIRE(run_process({"sh", "-c", "kill -9 $$"}, folder->path())->exit_code == 128 + 9);
}

TEST_CASE("A program that does not exist is named") {
  const auto folder = TemporaryFolder::create();
  const auto result = run_process({"no-such-program-of-nestrt"}, folder->path());
  REQUIRE_FALSE(result);
  REQUIRE(result.error().code() == Code::kNotFound);
  REQUIRE(result.error().message().find("no-such-program-of-nestrt") != std::string_view::npos);
}

TEST_CASE("A process works in the folder that it is given") {
  const auto folder = TemporaryFolder::create();
  const auto other = TemporaryFolder::create();
  const auto result = run_process({"sh", "-c", "touch here"}, folder->path(), {other->path(), {}});
  REQUIRE(result);
  REQUIRE(result->exit_code == 0);
  REQUIRE(std::filesystem::exists(other->path() + "/here"));
}

TEST_CASE("A process that takes longer than its limit is killed with what it has started") {
  const auto folder = TemporaryFolder::create();
  const auto result =
      run_process({"sh", "-c", "sleep 1000 & echo $!; wait"}, folder->path(), {{}, std::chrono::milliseconds(300)});
  REQUIRE_FALSE(result);
  REQUIRE(result.error().code() == Code::kDeadlineExceeded);
}

TEST_CASE("A temporary folder goes with everything in it") {
  std::filesystem::path path;
  {
    auto folder = TemporaryFolder::create();
    path = folder->path();
    const TemporaryFolder moved = std::move(*folder);
    std::ofstream(path / "file") << "content";
    REQUIRE(std::filesystem::is_directory(path));
  }
  REQUIRE_FALSE(std::filesystem::exists(path));
}

}  // namespace nestrt::compiler
