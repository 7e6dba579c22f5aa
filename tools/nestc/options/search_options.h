// The command-line options that have nestc compile look for a quantization that loses little enough.
#pragma once

#include <optional>
#include <string>

#include "compiler-lite/tuning/search.h"
#include "tools/nestc/options/quantize_options.h"

namespace nestrt::compiler {

class SearchFlags {
 public:
  // Must outlive the parse. After QuantizeFlags::add_to().
  void add_to(tools::Command command);
  bool wanted() const { return max_loss_.has_value(); }
  // Refuses an output or a search file that is one of the files read or written otherwise.
  Status check_output(const std::string& output, const std::string& model) const;
  // To be asked before the calibration. Errors: kInvalidArgument for options that do not fit together; those of reading
  // the search file.
  Status check(const QuantizeFlags& quantize) const;
  // Searches from the quantization in `compile`, which is that of `quantize`; shows progress and prints what was tried.
  // Empty where no configuration loses as little as asked, which is printed too. Errors: those of
  // search() and of the search file.
  Result<std::optional<Quantization>> search(const std::string& model, const CompileOptions& compile,
                                             const QuantizeFlags& quantize) const;

 private:
  Result<Evaluator> evaluator(const std::string& model, const CompileOptions& compile,
                              const QuantizeFlags& quantize) const;
  SearchOptions options(const QuantizeFlags& quantize) const;

  std::optional<double> max_loss_;
  std::string data_;  // empty: what is calibrated with
  size_t limit_ = 100;
  std::string labels_;
  int64_t offset_ = 0;
  size_t budget_ = SearchOptions().budget;
  std::string file_;
};

}  // namespace nestrt::compiler
