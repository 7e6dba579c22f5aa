// SPDX-License-Identifier: Apache-2.0
// Command-line options for compiling a model, shared by all commands that read an ONNX file.
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

// All compile options except quantization.
struct CompileChoice {
  std::vector<std::string> exposed;
  std::string layout = "auto";  // or "plain"
  std::vector<std::string> disabled_passes;
  std::string target = "host";
  std::string kernels = "same-bits";  // or "one", "all"
  int num_partial_programs = evta::kDefaultPartialPrograms;
  std::string tuning_cache;  // file; empty: the user's default; "none": no cache

  // Errors: those of the target.
  Status add_to(CompileOptions& options) const;
  // Creates new backends; each graph needs its own.
  Result<Backends> backends() const;

 private:
  Result<Backends> backends_for(const TargetDescription& description) const;
  KernelAlternatives kernel_alternatives() const;
};

class CompileFlags {
 public:
  // The object must outlive parsing.
  void add_to(tools::Command command);
  // Reads the files of --bind. Errors: kInvalidArgument with the flag and the expected format, and those of read_npy.
  Result<CompileOptions> options() const;
  // Errors: kInvalidArgument if `output` is a file of --bind.
  Status check_output(const std::string& output) const;
  // Checks that at most one shape is given, for commands that support one shape. Errors: kInvalidArgument.
  Status require_one_shape(std::string_view command) const;
  // Returns the first option that was given, such as "--mean"; empty if none was.
  std::string first_given() const;

 private:
  std::vector<tools::Option> options_;
  ImportFlags import_;
  tools::ImageFlags images_;
  CompileChoice choice_;
};

}  // namespace nestrt::compiler
