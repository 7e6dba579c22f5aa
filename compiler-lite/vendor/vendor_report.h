// SPDX-License-Identifier: Apache-2.0
// VendorReport: a vendor compiler's report on a part, such as the share that the NPU computes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nestrt/result.h"

namespace nestrt::compiler {

struct VendorReport {
  // The JSON file that the command writes:
  //   {"npu_share": 0.97, "microseconds": 840, "on_cpu": [{"operator": NAME, "reason": TEXT}, ...]}
  // npu_share, from 0 to 1, is required: the share of the part's work that the NPU computes.
  double npu_share = 0;
  std::optional<double> microseconds;  // estimated time of a run
  struct OnCpu {
    std::string operator_name, reason;
  };
  std::vector<OnCpu> on_cpu;  // operators that the vendor's software computes on the CPU
};

// Reads an untrusted file. Errors: kInvalidArgument for a wrong format or range; kNotFound, kIo.
Result<VendorReport> read_vendor_report(const std::string& path);

// Returns up to eight operators as "conv1 (kernel too large), conv2", or an empty string.
std::string operators_on_cpu(const VendorReport& report);
// Returns a sentence such as "97 % of the work is on the NPU; on the CPU: conv1 (kernel too large)".
std::string summary_of(const VendorReport& report);

}  // namespace nestrt::compiler
