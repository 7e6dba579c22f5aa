// The command-line options that say how a model is read, and how pictures become its input; shared by the commands that
// take an ONNX file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler-lite/import/import.h"
#include "nestrt/preprocessing.h"
#include "tools/common/cli.h"

namespace nestrt::compiler {

class ImportFlags {
 public:
  // Must outlive the parse.
  std::vector<tools::Option> add_to(tools::Command command);
  // Reads the files of --bind. Errors: kInvalidArgument with the flag and the form it takes, and those of read_npy.
  Result<ImportOptions> options() const;
  // Errors: kInvalidArgument where `output` is a file of --bind.
  Status check_output(const std::string& output) const;

 private:
  std::vector<std::string> input_shapes_;
  std::vector<std::string> bindings_;
  int computed_mb_ = static_cast<int>(FoldingBudget::kBytes >> 20);
};

class PictureFlags {
 public:
  // Must outlive the parse.
  std::vector<tools::Option> add_to(tools::Command command);
  // Empty where none of them was given.
  std::optional<Preprocessing> preprocessing() const;

 private:
  std::vector<float> mean_;
  std::vector<float> scale_;
  uint32_t resize_ = 0;
  bool bgr_ = false;
};

}  // namespace nestrt::compiler
