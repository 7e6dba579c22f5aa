// SPDX-License-Identifier: Apache-2.0
// Converts a Part for a plug-in, and compares it with the ports that the plug-in reports.
#pragma once

#include <string_view>
#include <vector>

#include "drivers/vendor/part.h"
#include "nestrt/result.h"
#include "nestrt/vendor.h"

namespace nestrt::vendor {

// A part in the form that plug-ins receive. It refers to the Part.
class PartForPlugin {
 public:
  explicit PartForPlugin(const Part& part);
  PartForPlugin(const PartForPlugin&) = delete;
  PartForPlugin& operator=(const PartForPlugin&) = delete;
  const nestrt_vendor_part* get() const { return &part_; }

 private:
  std::vector<nestrt_vendor_port> ports_;
  std::vector<nestrt_vendor_file> files_;
  nestrt_vendor_part part_ = {};
};

// `file`: the plug-in, for messages. A plan is untrusted: if the plug-in's ports are valid and the plan's differ, the
// plan is wrong. Errors: kDeviceFault for ports that no program can have; kInvalidPlan for ports that differ.
Status check_num_ports(uint32_t num_inputs, uint32_t num_outputs, const Part& part, std::string_view file);
Status check_port_bytes(uint64_t stated, const Part& part, size_t port, std::string_view file);
// Checks the reported ports completely. Returns, per port, whether its channels are last.
Result<std::vector<bool>> check_stated_ports(const nestrt_vendor_program_ports& stated, const Part& part,
                                             std::string_view file);

}  // namespace nestrt::vendor
