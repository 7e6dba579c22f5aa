// The command-line options that say how a model is compiled; shared by every command that takes an ONNX file.
#pragma once

#include <string>
#include <vector>

#include "compiler-lite/compile.h"

namespace CLI {
class App;
}

namespace nestrt::compiler {

class CompileFlags {
 public:
  // Must outlive the parse.
  void add_to(CLI::App& command);
  // Reads the files of --bind. Errors: kInvalidArgument with the flag and the form it takes, and those of read_npy.
  Result<CompileOptions> options() const;

 private:
  std::optional<Preprocessing> preprocessing() const;

  std::vector<std::string> input_shapes_;
  std::vector<std::string> bindings_;
  std::vector<float> mean_;
  std::vector<float> scale_;
  uint32_t resize_ = 0;
  bool bgr_ = false;
  std::string layout_ = "auto";
  std::vector<std::string> disabled_passes_;
  std::string target_ = "host";
};

}  // namespace nestrt::compiler
