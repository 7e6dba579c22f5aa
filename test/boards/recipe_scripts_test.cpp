// SPDX-License-Identifier: Apache-2.0
// Runs the Tcl scripts of boards/recipes in tclsh. Replacements for Vivado's commands check their options.
#include <stdlib.h>
#include <sys/wait.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <string>

#include "test/support/skip.h"

namespace nestrt::boards {
namespace {

struct ScriptResult {
  int exit_code = 0;
  std::string output;
};

ScriptResult run_command(const std::string& command) {
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  ScriptResult result;
  std::array<char, 4096> part;
  while (const size_t count = std::fread(part.data(), 1, part.size(), pipe)) result.output.append(part.data(), count);
  const int status = ::pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

bool has_tclsh() {
  if (run_command("echo exit | tclsh").exit_code == 0) return true;
  test::skip("tclsh is not installed");
  return false;
}

const std::filesystem::path kSources = NESTRT_SOURCE_DIR;

// `script`: relative to boards/recipes.
ScriptResult run_script(const std::string& script, const std::string& arguments) {
  return run_command("tclsh '" + (kSources / "test/boards/recipes/vivado_commands.tcl").string() + "' '" +
                     (kSources / "boards/recipes" / script).string() + "' " + arguments);
}

TEST_CASE("The ZCU102 recipe writes the hardware platform of the implemented design, including its bitstream") {
  if (!has_tclsh()) return;
  const ScriptResult result = run_script("zcu102/write_hw_platform.tcl", "vta.xpr vta.xsa");
  CHECK(result.exit_code == 0);
  CHECK(result.output ==
        "open_project vta.xpr\nopen_run impl_1\nwrite_hw_platform -fixed -force -include_bit vta.xsa\n");
}

TEST_CASE("The U280 recipe packages one user-managed kernel") {
  if (!has_tclsh()) return;
  const ScriptResult result = run_script("u280/package_kernel.tcl", "ip vta.xo");
  CHECK(result.exit_code == 0);
  CHECK(result.output ==
        "package_xo -ctrl_protocol user_managed -force -ip_directory ip -kernel_name vta -kernel_xml kernel.xml "
        "-xo_path vta.xo\n");
}

TEST_CASE("The Tcl scripts of the recipes print their usage if the number of arguments is wrong") {
  if (!has_tclsh()) return;
  for (const char* const script : {"zcu102/write_hw_platform.tcl", "u280/package_kernel.tcl"})
    for (const char* const arguments : {"", "one", "one two three"}) {
      const ScriptResult result = run_script(script, arguments);
      CAPTURE(script, arguments);
      CHECK(result.exit_code == 2);
      CHECK(result.output.find("usage: ") == 0);
    }
}

TEST_CASE("The replacements for Vivado's commands reject unknown options, and unknown commands are errors") {
  if (!has_tclsh()) return;
  const std::string commands = (kSources / "test/boards/recipes/vivado_commands.tcl").string();
  for (const char* const call :
       {"open_run -nome impl_1", "open_project", "write_hw_platform -fixed", "no_such_command"})
    CHECK(run_command("echo '" + std::string(call) + "' | tclsh '" + commands + "' /dev/stdin").exit_code == 1);
}

TEST_CASE("The shell scripts of the recipes are well-formed") {
  for (const char* const script : {"zcu102/build", "zcu102/package"})
    CHECK(run_command("bash -n '" + (kSources / "boards/recipes" / script).string() + "'").exit_code == 0);
}

}  // namespace
}  // namespace nestrt::boards
