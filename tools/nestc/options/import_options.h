// SPDX-License-Identifier: Apache-2.0
// Command-line options for reading a model, shared by the commands that read an ONNX file.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compiler-lite/import/import.h"
#include "tools/support/text/cli.h"

namespace nestrt::compiler {

class ImportFlags {
 public:
  // The object must outlive parsing.
  std::vector<tools::Option> add_to(tools::Command command);
  // Returns the input shapes of each shape of the plan, in the order of the command line; options() uses the first.
  // Inputs with several shapes must all have the same number of them. An input with one shape has it in every shape of
  // the plan.
  // Errors: kInvalidArgument.
  Result<std::vector<std::map<std::string, Shape>>> shapes() const;
  // Checks that at most one shape is given, for commands that support one shape. Errors: kInvalidArgument.
  Status require_one_shape(std::string_view command) const;
  // Reads the files of --bind. Errors: kInvalidArgument with the flag and the expected format, and those of read_npy.
  Result<ImportOptions> options() const;
  // Errors: kInvalidArgument if `output` is a file of --bind.
  Status check_output(const std::string& output) const;

 private:
  std::vector<std::string> input_shapes_;
  std::vector<std::string> bindings_;
  std::string qdq_rounding_;  // a name of ops::Rounding; empty: as the model specifies
  int computed_mb_ = static_cast<int>(FoldingBudget::kBytes >> 20);
};

}  // namespace nestrt::compiler
