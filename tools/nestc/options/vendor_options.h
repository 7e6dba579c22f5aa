// SPDX-License-Identifier: Apache-2.0
// Command-line options for the parts of a model that a vendor's compiler receives.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "compiler-lite/compile.h"
#include "compiler-lite/vendor/optional_backend.h"
#include "tools/support/text/cli.h"

namespace nestrt::compiler {

struct VendorNotes {
  VendorFailure failure;  // called if the compiler fails and the plan works without it
  std::function<void(const std::string& part, const VendorReport& report)> report;
};

class VendorFlags {
 public:
  // The object must outlive parsing.
  void add_to(tools::Command command);
  bool given() const { return !vendor_.empty(); }
  // Adds the call of the vendor's compiler to the options. Errors: kInvalidArgument with the option; those of the
  // capability file.
  Status add_to(CompileOptions& options, const VendorNotes& notes) const;
  // Errors: kInvalidArgument if `output` is a file that these options name.
  Status check_output(const std::string& output) const;

 private:
  Result<VendorOptions> options() const;

  std::string vendor_;
  std::string plan_;
  std::string capability_;
  std::string profile_;
  std::string data_;
  int64_t opset_ = 0;  // 0: not given
  size_t data_limit_ = 0;
  bool optional_ = false;
  bool allow_cpu_ = false;
  int64_t time_limit_s_ = 600;
};

}  // namespace nestrt::compiler
