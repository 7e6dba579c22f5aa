// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/uio/uio_devices.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>

#include "drivers/evta/board/fabric.h"

namespace nestrt::evta {
namespace {

constexpr std::string_view kUioClass = "/sys/class/uio";
constexpr std::string_view kMemory = "mem:";

struct Map {
  uint64_t address, size, offset;
};

struct UioDevice {
  std::string id;    // "uio0"
  std::string name;  // of the node in the device tree
  std::vector<Map> maps;
};

uint64_t page_bytes() { return static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)); }

std::optional<Map> read_map(const SystemFiles& system, const std::string& folder) {
  const auto address = system.read_number(folder + "/addr"), size = system.read_number(folder + "/size");
  if (!address || !size) return std::nullopt;
  return Map{*address, *size, system.read_number(folder + "/offset").value_or(0)};
}

std::vector<UioDevice> find_devices(const SystemFiles& system) {
  std::vector<UioDevice> devices;
  for (const std::string& id : system.list(kUioClass)) {
    const std::string folder = fmt::format("{}/{}", kUioClass, id);
    UioDevice device{id, system.read_text(folder + "/name").value_or(""), {}};
    for (size_t i = 0; i < kNumStages; ++i) {
      const std::optional<Map> map = read_map(system, fmt::format("{}/maps/map{}", folder, i));
      if (!map) break;
      device.maps.push_back(*map);
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

// UIO maps number i of a device at page i of its file.
StageWindow window_of(const UioDevice& device, size_t map_index, uint64_t begin) {
  const Map& map = device.maps[map_index];
  const uint64_t offset = map.offset + begin;
  return {"/dev/" + device.id, map_index * page_bytes(), map.offset + map.size, offset,
          map.size - begin,    map.address + begin};
}

bool starts_with_stage(const UioDevice& device, std::string_view stage) {
  return device.maps.size() == 1 && std::string_view(device.name).starts_with(stage);
}

std::optional<UioAccelerator> accelerator_of(const UioDevice& device) {
  if (!device.name.starts_with("evta")) return std::nullopt;
  const bool has_map_per_stage = device.maps.size() == kNumStages;
  const bool has_all_in_one = device.maps.size() == 1 && device.maps[0].size >= kNumStages * kStageBytes;
  if (!has_map_per_stage && !has_all_in_one) return std::nullopt;
  UioAccelerator accelerator;
  accelerator.device = device.id;
  for (size_t i = 0; i < kNumStages; ++i)
    accelerator.stages[i] = has_map_per_stage ? window_of(device, i, 0) : window_of(device, 0, i * kStageBytes);
  return accelerator;
}

// The n-th device of each stage, by address, belongs to the n-th accelerator.
std::vector<UioAccelerator> accelerators_of_stages(const std::vector<UioDevice>& devices) {
  std::array<std::vector<const UioDevice*>, kNumStages> by_stage;
  for (size_t i = 0; i < kNumStages; ++i) {
    for (const UioDevice& device : devices)
      if (starts_with_stage(device, kStageNames[i])) by_stage[i].push_back(&device);
    std::ranges::sort(by_stage[i], {}, [](const UioDevice* device) { return device->maps[0].address; });
  }
  const size_t count = std::ranges::min_element(by_stage, {}, [](const auto& list) { return list.size(); })->size();
  std::vector<UioAccelerator> accelerators(count);
  for (size_t n = 0; n < count; ++n) {
    accelerators[n].device = by_stage[0][n]->id;
    for (size_t i = 0; i < kNumStages; ++i) accelerators[n].stages[i] = window_of(*by_stage[i][n], 0, 0);
  }
  return accelerators;
}

std::string describe_devices(const SystemFiles& system) {
  std::string text;
  for (const UioDevice& device : find_devices(system)) {
    text += fmt::format("{}{} ({}, ", text.empty() ? "" : ", ", device.id, device.name);
    text += device.maps.empty() ? "no map)"
                                : fmt::format("{:#x} bytes at {:#x})", device.maps[0].size, device.maps[0].address);
  }
  return text;
}

Status no_accelerator(const SystemFiles& system, std::string_view device, int instance) {
  if (!system.exists(kUioClass))
    return Status(Code::kUnavailable,
                  "there is no UIO device: load the driver with `modprobe uio_pdrv_genirq of_id=generic-uio`, and the "
                  "device tree overlay of the design (docs/how-to/uio.md)");
  const std::string present = describe_devices(system);
  return Status(Code::kUnavailable,
                fmt::format("there is no UIO device {}of EVTA instance {}; present: {}; expected one named evta with "
                            "{:#x} bytes of registers, or four named fetch, load, compute and store: load the device "
                            "tree overlay of the design (docs/how-to/uio.md)",
                            device.empty() ? "" : fmt::format("'{}' ", device), instance,
                            present.empty() ? "none" : present, kNumStages * kStageBytes));
}

Result<UioAccelerator> accelerator_in_memory(std::string_view device, int instance) {
  const std::string_view text = device.substr(kMemory.size());
  uint64_t address = 0;
  const bool is_hexadecimal = text.starts_with("0x");
  const auto [end, error] =
      std::from_chars(text.data() + (is_hexadecimal ? 2 : 0), text.data() + text.size(), address, 16);
  if (!is_hexadecimal || error != std::errc() || end != text.data() + text.size() || address % page_bytes() != 0 ||
      address > UINT32_MAX || instance != 0)
    return Status(
        Code::kInvalidArgument,
        fmt::format("expected mem:ADDRESS with the hexadecimal address of a page, such as mem:0xa0000000, for "
                    "one accelerator; got '{}' for instance {}",
                    device, instance));
  UioAccelerator accelerator;
  accelerator.device = device;
  constexpr uint64_t kBytes = kNumStages * kStageBytes;
  for (size_t i = 0; i < kNumStages; ++i)
    accelerator.stages[i] = {"/dev/mem", address, kBytes, i * kStageBytes, kStageBytes, address + i * kStageBytes};
  return accelerator;
}

struct AddressRange {
  uint64_t begin, end;
};

// Returns the addresses at which the processor reaches the fabric below 4 GiB: M_AXI_HPM0_LPD, HPM0_FPD and HPM1_FPD of
// a Zynq UltraScale+ (UG1085), M_AXI_GP0 and GP1 of a Zynq-7000 (UG585).
AddressRange fabric_of(Processor processor) {
  switch (processor) {
    case Processor::kZynqUltraScale:
      return {0x80000000, 0xc0000000};
    case Processor::kZynq7000:
      return {0x40000000, 0xc0000000};
    case Processor::kUnknown:
      break;
  }
  return {0, 0};
}

Status check_stage(const StageWindow& window, std::string_view stage) {
  if (window.bytes >= kUsedStageBytes && window.offset + window.bytes <= window.mapped_bytes &&
      window.address % sizeof(uint32_t) == 0)
    return {};
  return Status(
      Code::kIncompatible,
      fmt::format("{} describes {} bytes of registers at {:#x} for stage {}, expected at least {}: correct the "
                  "device tree overlay",
                  window.node, window.bytes, window.address, stage, kUsedStageBytes));
}

Status check_addresses(const SystemFiles& system, const UioAccelerator& accelerator) {
  const Processor processor = processor_of(system);
  const bool is_memory = accelerator.device.starts_with(kMemory);
  if (processor == Processor::kUnknown && is_memory)
    return Status(
        Code::kIncompatible,
        "registers in /dev/mem are supported only on a Zynq-7000 or Zynq UltraScale+, whose device tree shows "
        "where the fabric is; describe the accelerator to UIO instead (docs/how-to/uio.md)");
  const AddressRange fabric = fabric_of(processor);
  for (size_t i = 0; i < kNumStages; ++i) {
    const StageWindow& window = accelerator.stages[i];
    NESTRT_RETURN_IF_ERROR(check_stage(window, kStageNames[i]));
    if (processor == Processor::kUnknown) continue;
    if (window.address < fabric.begin || window.address + window.bytes > fabric.end)
      return Status(
          Code::kIncompatible,
          fmt::format("stage {} of {} is at {:#x}, outside the fabric's addresses [{:#x}, {:#x}): correct the "
                      "address map",
                      kStageNames[i], accelerator.device, window.address, fabric.begin, fabric.end));
  }
  return {};
}

Result<UioAccelerator> choose(const SystemFiles& system, std::string_view device, int instance) {
  if (device.starts_with(kMemory)) return accelerator_in_memory(device, instance);
  const std::vector<UioAccelerator> all = find_uio_accelerators(system);
  const auto first = device.empty() ? all.begin() : std::ranges::find(all, device, &UioAccelerator::device);
  if (instance < 0 || all.end() - first <= instance) return no_accelerator(system, device, instance);
  return first[instance];
}

}  // namespace

std::string UioAccelerator::lock_name() const { return fmt::format("evta at {:#x}", address()); }

std::vector<UioAccelerator> find_uio_accelerators(const SystemFiles& system) {
  const std::vector<UioDevice> devices = find_devices(system);
  std::vector<UioAccelerator> accelerators = accelerators_of_stages(devices);
  for (const UioDevice& device : devices)
    if (std::optional<UioAccelerator> accelerator = accelerator_of(device))
      accelerators.push_back(std::move(*accelerator));
  std::ranges::sort(accelerators, {}, &UioAccelerator::address);
  return accelerators;
}

Result<UioAccelerator> find_uio_accelerator(const SystemFiles& system, std::string_view device, int instance) {
  NESTRT_ASSIGN_OR_RETURN(UioAccelerator accelerator, choose(system, device, instance));
  NESTRT_RETURN_IF_ERROR(check_addresses(system, accelerator));
  return accelerator;
}

UioDeviceNames split_device(std::string_view device) {
  const size_t separator = device.find('@');
  if (separator == std::string_view::npos) return {device, {}};
  return {device.substr(0, separator), device.substr(separator + 1)};
}

Status cannot_access(const std::string& path, int error) {
  const bool is_denied = error == EACCES || error == EPERM;
  return Status(Code::kUnavailable,
                fmt::format("{} cannot be accessed: {}{}", path, std::generic_category().message(error),
                            is_denied ? "; install the udev rules (docs/how-to/uio.md) and join the group evta, or run "
                                        "as root"
                                      : ""));
}

}  // namespace nestrt::evta
