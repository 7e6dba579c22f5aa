// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/uio/port_widths.h"

#include <fmt/core.h>

#include <array>
#include <map>
#include <string_view>
#include <vector>

namespace nestrt::evta {
namespace {

constexpr std::string_view kDevices = "/sys/bus/platform/devices";
// Numbers of registers in config-afi. Each slave port has one for reads and, after it, one for writes.
constexpr uint32_t kMasterPorts = 14, kLowPowerMasterPort = 15;
constexpr std::array<std::string_view, 7> kSlavePorts = {"S_AXI_HPC0_FPD", "S_AXI_HPC1_FPD", "S_AXI_HP0_FPD",
                                                         "S_AXI_HP1_FPD",  "S_AXI_HP2_FPD",  "S_AXI_HP3_FPD",
                                                         "S_AXI_LPD"};
// A master port: its field in a register, and the addresses that it decodes.
struct MasterPort {
  std::string_view name;
  uint32_t afi_register, shift;
  uint64_t begin, end;
};
constexpr std::array<MasterPort, 3> kMasters = {{{"M_AXI_HPM0_FPD", kMasterPorts, 8, 0xa0000000, 0xb0000000},
                                                 {"M_AXI_HPM1_FPD", kMasterPorts, 10, 0xb0000000, 0xc0000000},
                                                 {"M_AXI_HPM0_LPD", kLowPowerMasterPort, 8, 0x80000000, 0xa0000000}}};
// Widths in bits by the values of the two-bit fields. The fourth value is reserved.
constexpr std::array<int, 4> kSlaveWidths = {128, 64, 32, 0}, kMasterWidths = {32, 64, 128, 0};
// The widths of VTA's design.
constexpr int kSlaveWidth = 128, kMasterWidth = 32;

using AfiRegisters = std::map<uint32_t, uint32_t>;

uint32_t cell(std::string_view bytes, size_t index) {
  uint32_t value = 0;
  for (const char byte : bytes.substr(index * sizeof(value), sizeof(value)))
    value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

Status read_registers(const SystemFiles& system, const std::string& device, AfiRegisters& registers) {
  const std::string folder = fmt::format("{}/{}", kDevices, device);
  const std::optional<std::string> cells = system.read_bytes(folder + "/of_node/config-afi");
  if (!cells) return {};
  constexpr size_t kPairBytes = 2 * sizeof(uint32_t);
  if (cells->empty() || cells->size() % kPairBytes != 0)
    return Status(Code::kIncompatible,
                  fmt::format("config-afi of {} has {} bytes, expected pairs of a register and a value; correct it in "
                              "the device tree overlay",
                              device, cells->size()));
  if (!system.exists(folder + "/driver"))
    return Status(Code::kUnavailable,
                  fmt::format("no driver has applied the port widths of {}: use a kernel of Xilinx with "
                              "CONFIG_XILINX_AFI_FPGA, or set the widths in the boot image and remove config-afi",
                              device));
  for (size_t i = 0; i < cells->size() / sizeof(uint32_t); i += 2) registers[cell(*cells, i)] = cell(*cells, i + 1);
  return {};
}

class WidthChecker {
 public:
  WidthChecker(const AfiRegisters& registers, std::optional<uint64_t> address)
      : registers_(registers), address_(address) {}

  Result<PortWidths> check() {
    for (uint32_t port = 0; port < kSlavePorts.size(); ++port) NESTRT_RETURN_IF_ERROR(check_slave(port));
    for (const MasterPort& port : kMasters) NESTRT_RETURN_IF_ERROR(check_master(port));
    if (!widths_.advice.empty())
      widths_.advice += "; correct config-afi in the device tree overlay, unless your design has these widths";
    return widths_;
  }

 private:
  Status check_slave(uint32_t port) {
    const auto read = registers_.find(2 * port), write = registers_.find(2 * port + 1);
    if (read == registers_.end() && write == registers_.end()) return {};
    const std::string_view name = kSlavePorts[port];
    if (read == registers_.end() || write == registers_.end() || (read->second & 3) != (write->second & 3))
      return Status(Code::kIncompatible,
                    fmt::format("config-afi sets different widths for reads and writes of {} (registers {} and {}); "
                                "set both to the width in the design",
                                name, 2 * port, 2 * port + 1));
    return add(name, kSlaveWidths[read->second & 3], kSlaveWidth, true);
  }

  Status check_master(const MasterPort& port) {
    const auto found = registers_.find(port.afi_register);
    if (found == registers_.end()) return {};
    const bool is_used = address_ && *address_ >= port.begin && *address_ < port.end;
    return add(port.name, kMasterWidths[found->second >> port.shift & 3], kMasterWidth, is_used);
  }

  Status add(std::string_view name, int width, int expected, bool is_used) {
    if (width == 0)
      return Status(
          Code::kIncompatible,
          fmt::format("config-afi sets {} to a reserved width, expected 32, 64 or 128 bits; correct it in the "
                      "device tree overlay",
                      name));
    widths_.found += fmt::format("{}{} {} bits", widths_.found.empty() ? "" : ", ", name, width);
    if (is_used && width != expected)
      widths_.advice += fmt::format("{}{} has {} bits, in VTA's design {}", widths_.advice.empty() ? "" : ", ", name,
                                    width, expected);
    return {};
  }

  const AfiRegisters& registers_;
  const std::optional<uint64_t> address_;
  PortWidths widths_;
};

}  // namespace

Result<PortWidths> check_port_widths(const SystemFiles& system, std::optional<uint64_t> registers) {
  AfiRegisters set;
  for (const std::string& device : system.list(kDevices)) NESTRT_RETURN_IF_ERROR(read_registers(system, device, set));
  if (set.empty()) return PortWidths{"as set by the boot image: the device tree has no config-afi", ""};
  return WidthChecker(set, registers).check();
}

}  // namespace nestrt::evta
