// evta-replay: runs test vectors of the accelerator in the simulators.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/evta/simulator/replay.h"

namespace {

using nestrt::Code;
using nestrt::Result;
using nestrt::Status;

enum ExitCode { kPassed = 0, kFailed = 1, kBadInput = 2 };

constexpr std::string_view kUsage =
    "Usage: evta-replay FILE [--configuration NAME]\n"
    "\n"
    "Runs every program of FILE in the plain and in the functional simulator, compares the memory that each leaves "
    "with\n"
    "the expected one, and prints how many passed and failed. The format is that of "
    "drivers/evta/simulator/vector_file.h.\n"
    "\n"
    "  --configuration NAME  what the programs were made for (default 1x16_15_15_18_17)\n"
    "  --help                print this\n"
    "\n"
    "Exit code: 0 all passed, 1 some failed, 2 bad input.\n"
    "\n"
    "Example: evta-replay vectors.bin\n";

struct Options {
  std::string file;
  std::string configuration = "1x16_15_15_18_17";
  bool help = false;
};

Status bad_option(const std::string& message) {
  return Status(Code::kInvalidArgument, message + "; see evta-replay --help");
}

Result<Options> parse(const std::vector<std::string>& arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--help" || arguments[i] == "-h") {
      options.help = true;
      return options;
    }
    if (arguments[i] == "--configuration") {
      if (++i == arguments.size()) return bad_option("--configuration wants a name");
      options.configuration = arguments[i];
    } else if (arguments[i].starts_with("-")) {
      return bad_option("there is no option " + arguments[i]);
    } else if (!options.file.empty()) {
      return bad_option("one file at a time");
    } else {
      options.file = arguments[i];
    }
  }
  if (options.file.empty()) return bad_option("which file?");
  return options;
}

Result<std::vector<std::byte>> read_file(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return Status(Code::kInvalidArgument, "'" + path + "' is no regular file");
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status(Code::kNotFound, "cannot open '" + path + "'");
  const std::vector<char> contents{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) return Status(Code::kIo, "cannot read '" + path + "'");
  const auto* bytes = reinterpret_cast<const std::byte*>(contents.data());
  return std::vector<std::byte>(bytes, bytes + contents.size());
}

// A name from a file, for a terminal.
std::string printable(std::string text) {
  for (char& c : text) c = c < ' ' || c > '~' ? '?' : c;
  return text;
}

Result<ExitCode> replay_all(const Options& options) {
  const nestrt::evta::Configuration* configuration = nestrt::evta::find_configuration(options.configuration);
  if (configuration == nullptr) return bad_option("there is no configuration '" + options.configuration + "'");
  NESTRT_ASSIGN_OR_RETURN(const std::vector<std::byte> file, read_file(options.file));
  auto cases = nestrt::evta::parse_vectors(file);
  if (!cases) return cases.error().with_context(options.file);
  size_t failed = 0;
  for (const nestrt::evta::VectorCase& vector : *cases) {
    const Status status = nestrt::evta::replay(vector, *configuration);
    if (status.ok()) continue;
    ++failed;
    std::printf("%s: %s\n", printable(vector.name).c_str(), std::string(status.message()).c_str());
  }
  std::printf("%zu passed, %zu failed\n", cases->size() - failed, failed);
  if (std::fflush(stdout) != 0) return Status(Code::kIo, "cannot write to standard output");
  return failed == 0 ? kPassed : kFailed;
}

Result<ExitCode> run(const std::vector<std::string>& arguments) {
  NESTRT_ASSIGN_OR_RETURN(const Options options, parse(arguments));
  if (!options.help) return replay_all(options);
  std::fputs(kUsage.data(), stdout);
  return kPassed;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Result<ExitCode> code = run({argv + 1, argv + argc});
    if (code) return *code;
    std::fprintf(stderr, "evta-replay: %s\n", printable(code.error().to_string()).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "evta-replay: %s\n", error.what());
  }
  return kBadInput;
}
