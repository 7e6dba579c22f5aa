// The command-line options that say which parts of a model a vendor's compiler gets.
#pragma once

#include <cstdint>
#include <string>

#include "compiler-lite/compile.h"
#include "compiler-lite/vendor/optional_backend.h"
#include "tools/support/text/cli.h"

namespace nestrt::compiler {

class VendorFlags {
 public:
  // Must outlive the parse.
  void add_to(tools::Command command);
  bool given() const { return !vendor_.empty(); }
  // Gives the compilation what it needs to call the vendor; `failure` is told where he fails and the plan can do
  // without. Errors: kInvalidArgument with the option; of the capability file.
  Status add_to(CompileOptions& options, const VendorFailure& failure) const;
  // Errors: kInvalidArgument where `output` is a file that these options name.
  Status check_output(const std::string& output) const;

 private:
  Result<VendorOptions> options() const;

  std::string vendor_;
  std::string plan_;
  std::string capability_;
  std::string data_;
  bool optional_ = false;
  int64_t time_limit_s_ = 600;
};

}  // namespace nestrt::compiler
