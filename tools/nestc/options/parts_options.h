// SPDX-License-Identifier: Apache-2.0
// Command-line options for dividing a model into parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler-lite/export/export.h"
#include "compiler-lite/graph/graph.h"
#include "compiler-lite/parts/cutting/cut.h"
#include "tools/nestc/options/import_options.h"
#include "tools/support/text/cli.h"

namespace nestrt::compiler {

// Options for writing a graph as ONNX.
class ExportFlags {
 public:
  // The object must outlive parsing.
  std::vector<tools::Option> add_to(tools::Command command);
  // Errors: those of the profile.
  Result<ExportForm> form() const;
  bool folds_batch_norm() const { return batch_norm_ == "fold"; }

 private:
  int64_t opset_ = 0;  // 0: not given
  std::string profile_;
  std::string batch_norm_ = "keep";
};

class PartsFlags {
 public:
  // The object must outlive parsing. `output`: the option that these replace.
  void add_to(tools::Command command, const tools::Option& output);
  const std::string& folder() const { return folder_; }
  // Returns the first option that was given; empty if none was.
  std::string first_given() const;

  // Writes the parts of the model and their manifest to the folder. Errors: those of importing, cutting and writing.
  Status write(const std::string& model) const;
  // Writes the model's operators as a NEST-C partition plan with one part.
  Status write_names(const std::string& model, const std::string& output) const;

 private:
  Result<Graph> import(const std::string& model) const;
  Result<std::vector<PartSpec>> parts_of(const Graph& graph) const;

  std::vector<tools::Option> options_;
  ImportFlags import_;
  ExportFlags export_;
  std::string plan_;
  std::string capability_;
  std::string folder_;
};

}  // namespace nestrt::compiler
