// The command-line options that say how a model is read; shared by the commands that take an ONNX file.
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
  // Must outlive the parse.
  std::vector<tools::Option> add_to(tools::Command command);
  // The shapes of inputs, one after the other: the first is that of options(). An input that is given several times has
  // as many; one that is given once has the same in all. Errors: kInvalidArgument.
  Result<std::vector<std::map<std::string, Shape>>> shapes() const;
  // Of a command that looks at one shape. Errors: kInvalidArgument where several are given.
  Status require_one_shape(std::string_view command) const;
  // Reads the files of --bind. Errors: kInvalidArgument with the flag and the form it takes, and those of read_npy.
  Result<ImportOptions> options() const;
  // Errors: kInvalidArgument where `output` is a file of --bind.
  Status check_output(const std::string& output) const;

 private:
  std::vector<std::string> input_shapes_;
  std::vector<std::string> bindings_;
  int computed_mb_ = static_cast<int>(FoldingBudget::kBytes >> 20);
};

}  // namespace nestrt::compiler
