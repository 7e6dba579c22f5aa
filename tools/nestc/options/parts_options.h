// The command-line options that say how a model is divided into parts.
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

// How a graph is written as ONNX.
class ExportFlags {
 public:
  // Must outlive the parse.
  std::vector<tools::Option> add_to(tools::Command command);
  int64_t opset() const { return opset_; }
  bool folds_batch_norm() const { return batch_norm_ == "fold"; }

 private:
  int64_t opset_ = kDefaultExportOpset;
  std::string batch_norm_ = "keep";
};

class PartsFlags {
 public:
  // Must outlive the parse. `output`: the option that these are in place of.
  void add_to(tools::Command command, const tools::Option& output);
  const std::string& folder() const { return folder_; }
  // The first of the options that was given; empty where none was.
  std::string first_given() const;

  // The parts of the model and their manifest, into the folder. Errors: those of importing, cutting and writing.
  Status write(const std::string& model) const;
  // The model's operators as a partition plan of NEST-C of one part.
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
