// The command-line options that say which parts of a model a vendor's compiler gets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compiler-lite/vendor/offload.h"
#include "tools/common/cli.h"

namespace nestrt::compiler {

class VendorFlags {
 public:
  // Must outlive the parse.
  void add_to(tools::Command command);
  bool given() const { return !vendor_.empty(); }
  // Empty where no vendor is asked for. Errors: kInvalidArgument with the option.
  Result<std::optional<VendorOptions>> options() const;
  // Errors: kInvalidArgument where `output` is a file that these options name.
  Status check_output(const std::string& output) const;

 private:
  std::string vendor_;
  std::string plan_;
  std::string capability_;
  std::string data_;
  int64_t time_limit_s_ = 600;
};

}  // namespace nestrt::compiler
