// SPDX-License-Identifier: Apache-2.0
#include "test/support/plan/program.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <stdexcept>

namespace nestrt::test {
namespace {

#ifdef NESTRT_SANITIZED
constexpr const char* kLimits = "ulimit -t 600; ";
#else
constexpr const char* kLimits = "ulimit -t 60; ulimit -v 4194304; ";
#endif

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "' ";
}

int exit_code(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

}  // namespace

ProgramResult run_program(const std::string& name, const std::vector<std::string>& arguments) {
  std::string command = kLimits;
  command += "exec " + quoted(NESTRT_BINARY_DIR "/bin/" + name);
  for (const std::string& argument : arguments) command += quoted(argument);
  FILE* pipe = ::popen((command + "</dev/null 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start " + command);
  ProgramResult result;
  std::array<char, 4096> part;
  while (const size_t count = std::fread(part.data(), 1, part.size(), pipe)) result.text.append(part.data(), count);
  result.exit_code = exit_code(::pclose(pipe));
  return result;
}

}  // namespace nestrt::test
