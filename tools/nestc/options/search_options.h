// SPDX-License-Identifier: Apache-2.0
// Command-line options for the quantization search of nestc compile.
#pragma once

#include <optional>
#include <string>

#include "compiler-lite/tuning/search.h"
#include "tools/nestc/options/quantize_options.h"

namespace nestrt::compiler {

class SearchFlags {
 public:
  // The object must outlive parsing. Call after QuantizeFlags::add_to().
  void add_to(tools::Command command);
  bool wanted() const { return max_loss_.has_value(); }
  // Errors: if an output or the search file is another file that is read or written.
  Status check_output(const std::string& output, const std::string& model) const;
  // Checks the options; call before calibration. Errors: kInvalidArgument if options contradict each other, or an error
  // of reading the search file.
  Status check(const QuantizeFlags& quantize) const;
  // Searches from the quantization in `compile`, which `quantize` selected. Shows progress and prints the trials. If no
  // configuration meets the loss limit, prints a message and returns nullopt. Errors: those of search() and of the
  // search file.
  Result<std::optional<Quantization>> search(const std::string& model, const CompileOptions& compile,
                                             const QuantizeFlags& quantize) const;

 private:
  Result<Evaluator> evaluator(const std::string& model, const CompileOptions& compile,
                              const QuantizeFlags& quantize) const;
  SearchOptions options(const QuantizeFlags& quantize) const;

  std::optional<double> max_loss_;
  std::string data_;  // empty: the calibration data
  size_t limit_ = 100;
  std::string labels_;
  int64_t offset_ = 0;
  size_t budget_ = SearchOptions().budget;
  std::string file_;
};

}  // namespace nestrt::compiler
