// The command-line options that say how a model is compiled; shared by every command that takes an ONNX file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler-lite/codegen/cpu/cpu_backend.h"
#include "compiler-lite/codegen/evta/partial_programs.h"
#include "compiler-lite/compile.h"
#include "compiler-lite/target/target_description.h"
#include "tools/nestc/options/import_options.h"
#include "tools/support/image/image_options.h"
#include "tools/support/text/cli.h"

namespace nestrt::compiler {

// What decides how a model that has been read becomes a plan, but for its quantization.
struct CompileChoice {
  std::vector<std::string> exposed;
  std::string layout = "auto";  // or "plain"
  std::vector<std::string> disabled_passes;
  std::string target = "host";
  std::string kernels = "same-bits";  // or "one", "all"
  int pieces = evta::kDefaultPartialPrograms;
  std::string tuning_cache;  // a file; empty: the user's own, "none": nowhere

  // Errors: those of the target.
  Status add_to(CompileOptions& options) const;
  // The backends alone, anew: a graph each.
  Result<Backends> backends() const;

 private:
  Result<Backends> backends_for(const TargetDescription& description) const;
  KernelAlternatives kernel_alternatives() const;
};

class CompileFlags {
 public:
  // Must outlive the parse.
  void add_to(tools::Command command);
  // Reads the files of --bind. Errors: kInvalidArgument with the flag and the form it takes, and those of read_npy.
  Result<CompileOptions> options() const;
  // Errors: kInvalidArgument where `output` is a file of --bind.
  Status check_output(const std::string& output) const;
  // Of a command that looks at one shape. Errors: kInvalidArgument where several are given.
  Status require_one_shape(std::string_view command) const;
  // The first of the options that was given, such as "--mean"; empty where none was.
  std::string first_given() const;

 private:
  std::vector<tools::Option> options_;
  ImportFlags import_;
  tools::ImageFlags images_;
  CompileChoice choice_;
};

}  // namespace nestrt::compiler
