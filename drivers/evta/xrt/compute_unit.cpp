// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/xrt/compute_unit.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace nestrt::evta {
namespace {

std::vector<xrt::xclbin::ip> units_of(const xrt::xclbin& xclbin, const std::string& kernel) {
  std::vector<xrt::xclbin::ip> units;
  for (const xrt::xclbin::ip& unit : xclbin.get_ips())
    if (unit.get_name().starts_with(kernel + ":")) units.push_back(unit);
  std::ranges::sort(units, {}, &xrt::xclbin::ip::get_name);
  return units;
}

std::string names_of(const std::vector<xrt::xclbin::ip>& units) {
  std::string names;
  for (const xrt::xclbin::ip& unit : units) names += (names.empty() ? "" : ", ") + unit.get_name();
  return names.empty() ? "none" : names;
}

std::set<int32_t> banks_of(const xrt::xclbin::arg& argument) {
  std::set<int32_t> banks;
  if (!argument) return banks;
  for (const xrt::xclbin::mem& memory : argument.get_mems()) banks.insert(memory.get_index());
  return banks;
}

}  // namespace

Result<xrt::xclbin::ip> find_unit(const OpenedDevice& opened, const std::string& kernel, size_t position) {
  const std::vector<xrt::xclbin::ip> units = units_of(opened.xclbin, kernel);
  const XrtOptions& options = opened.options;
  if (position < options.compute_units.size()) {
    const std::string name = kernel + ":" + options.compute_units[position];
    const auto found = std::ranges::find(units, name, &xrt::xclbin::ip::get_name);
    if (found != units.end()) return *found;
    return Status(Code::kNotFound, fmt::format("{} has no compute unit '{}'; available: {}", options.xclbin.string(),
                                               name, names_of(units)));
  }
  const auto instance = static_cast<size_t>(options.instance);
  if (options.instance >= 0 && instance < units.size()) return units[instance];
  return Status(Code::kNotFound, fmt::format("{} has no compute unit {} of '{}'; available: {}",
                                             options.xclbin.string(), options.instance, kernel, names_of(units)));
}

std::string xrt_instance_name(const xrt::xclbin::ip& unit) {
  const std::string name = unit.get_name();
  const size_t colon = name.find(':');
  return fmt::format("{}:{{{}}}", name.substr(0, colon), name.substr(colon + 1));
}

Result<uint32_t> common_bank(const xrt::xclbin::ip& unit, uint32_t otherwise) {
  std::set<int32_t> common;
  bool is_connected = false;
  for (const xrt::xclbin::arg& argument : unit.get_args()) {
    const std::set<int32_t> banks = banks_of(argument);
    if (banks.empty()) continue;
    if (!is_connected) common = banks;
    std::erase_if(common, [&](int32_t bank) { return !banks.contains(bank); });
    is_connected = true;
  }
  if (!is_connected) return otherwise;
  if (!common.empty()) return static_cast<uint32_t>(*common.rbegin());  // as in XRT: groups of banks come last
  return Status(Code::kIncompatible,
                fmt::format("the ports of {} have no common memory bank, but a program uses only one bank; link all "
                            "ports to one bank, for example with v++ --connectivity.sp",
                            unit.get_name()));
}

Result<XrtBank> find_bank(const xrt::xclbin& xclbin, uint32_t index) {
  for (const xrt::xclbin::mem& memory : xclbin.get_mems()) {
    if (memory.get_index() != static_cast<int32_t>(index)) continue;
    const uint64_t begin = memory.get_base_address();
    return XrtBank{index, begin, begin + memory.get_size_kb() * 1024, memory.get_tag()};
  }
  return Status(Code::kIncompatible, fmt::format("the xclbin has no memory bank {}", index));
}

Result<xrt::xclbin::ip> find_first_unit(const OpenedDevice& opened) {
  const std::string& kernel = opened.options.kernel;
  if (!units_of(opened.xclbin, kernel).empty()) return find_unit(opened, kernel, 0);
  if (!units_of(opened.xclbin, "fetch").empty()) return find_unit(opened, "fetch", 0);
  return Status(Code::kNotFound,
                fmt::format("{} has neither a kernel '{}' nor the stages fetch, load, compute and store; available: {}",
                            opened.options.xclbin.string(), kernel, names_of(opened.xclbin.get_ips())));
}

Result<OpenedUnit> open_compute_unit(const OpenedDevice& opened) {
  const std::vector<xrt::xclbin::ip> units = units_of(opened.xclbin, opened.options.kernel);
  if (units.empty()) return open_stages_unit(opened);
  const bool is_user_managed = units[0].get_control_type() == xrt::xclbin::ip::control_type::none;
  return is_user_managed ? open_user_managed_unit(opened) : open_kernel_unit(opened);
}

}  // namespace nestrt::evta
