// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/board/fabric.h"

#include <fmt/core.h>

namespace nestrt::evta {

std::string board_model(const SystemFiles& system) {
  std::string model = system.read_text("/sys/firmware/devicetree/base/model").value_or("");
  return model.substr(0, model.find('\0'));
}

Processor processor_of(const SystemFiles& system) {
  const std::string compatible = system.read_text("/sys/firmware/devicetree/base/compatible").value_or("");
  if (compatible.find("xlnx,zynqmp") != std::string::npos) return Processor::kZynqUltraScale;
  return compatible.find("xlnx,zynq-7000") != std::string::npos ? Processor::kZynq7000 : Processor::kUnknown;
}

Status check_fabric(const SystemFiles& system) {
  constexpr std::string_view kManagers = "/sys/class/fpga_manager";
  std::string states;
  for (const std::string& manager : system.list(kManagers)) {
    const std::string state = system.read_text(fmt::format("{}/{}/state", kManagers, manager)).value_or("unreadable");
    if (state == "operating") return {};
    states += fmt::format("{}{}: {}", states.empty() ? "" : ", ", manager, state);
  }
  if (states.empty()) return {};  // this kernel has no FPGA manager
  return Status(Code::kUnavailable,
                fmt::format("the fabric holds no design (FPGA manager {}, expected operating): load the bitstream, for "
                            "example with `nestrt board load --overlay evta.dtbo`",
                            states));
}

}  // namespace nestrt::evta
