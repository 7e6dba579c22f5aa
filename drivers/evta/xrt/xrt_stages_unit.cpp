// SPDX-License-Identifier: Apache-2.0
// EVTA as VTA's four stages (board/stages_unit.h), whose registers XRT maps: four IPs, or one user-managed kernel with
// the blocks of the stages next to each other. Neither the kernel driver nor an interrupt is used.
#include <experimental/xrt_ip.h>
#include <fmt/core.h>

#include "drivers/evta/board/stages_unit.h"
#include "drivers/evta/xrt/compute_unit.h"
#include "drivers/evta/xrt/xrt_errors.h"

namespace nestrt::evta {
namespace {

// The registers of one stage, which start at `offset` in an IP.
struct StageBlock {
  xrt::ip ip;
  uint32_t offset = 0;
};

class XrtRegisters final : public StageRegisters {
 public:
  explicit XrtRegisters(std::vector<StageBlock> stages) : stages_(std::move(stages)) {}

  uint32_t read(Stage stage, uint32_t offset) override {
    StageBlock& block = stages_[static_cast<size_t>(stage)];
    return block.ip.read_register(block.offset + offset);
  }
  void write(Stage stage, uint32_t offset, uint32_t value) override {
    StageBlock& block = stages_[static_cast<size_t>(stage)];
    block.ip.write_register(block.offset + offset, value);
  }

 private:
  std::vector<StageBlock> stages_;
};

// Converts XRT's exceptions.
class XrtStagesUnit final : public ComputeUnit {
 public:
  explicit XrtStagesUnit(std::vector<StageBlock> stages, const AddressRegisters& addresses = kNarrowAddresses,
                         uint64_t base = 0)
      : stages_(std::make_unique<XrtRegisters>(std::move(stages)), addresses, base) {}

  Status start(uint32_t count, uint32_t address) override {
    return xrt_call("starting the accelerator", Code::kDeviceFault, [&] { return stages_.start(count, address); });
  }
  Result<bool> poll() override {
    return xrt_call("reading the state of the accelerator", Code::kDeviceFault, [&] { return stages_.poll(); });
  }
  Status abort() override {
    return xrt_call("reading the state of the accelerator", Code::kDeviceFault, [&] { return stages_.abort(); });
  }
  std::vector<DeviceRegister> registers() override {
    const auto read = [&]() -> Result<std::vector<DeviceRegister>> { return stages_.registers(); };
    auto result = xrt_call("reading the registers", Code::kDeviceFault, read);
    return result ? std::move(*result) : std::vector<DeviceRegister>();
  }
  Status wait_for_previous_owner() {
    return xrt_call("reading the state of the accelerator", Code::kDeviceFault,
                    [&] { return stages_.wait_for_previous_owner(); });
  }

 private:
  StagesUnit stages_;
};

Result<xrt::ip> open_ip(const OpenedDevice& opened, const xrt::xclbin::ip& unit) {
  return open_context(unit.get_name(), [&]() -> Result<xrt::ip> {
    return xrt::ip(opened.device, opened.xclbin.get_uuid(), xrt_instance_name(unit));
  });
}

Result<OpenedUnit> finish(std::unique_ptr<XrtStagesUnit> unit, XrtBank bank) {
  NESTRT_RETURN_IF_ERROR(unit->wait_for_previous_owner());
  return OpenedUnit{std::move(unit), std::move(bank)};
}

// A register of a user-managed kernel that the xclbin must describe.
struct ExpectedArgument {
  const char* name;
  uint64_t offset, size;
};

std::vector<ExpectedArgument> expected_arguments(const AddressRegisters& addresses) {
  const auto at = [](Stage stage, uint32_t offset) { return static_cast<uint64_t>(stage) * kStageBytes + offset; };
  const uint64_t bytes = addresses.address_bytes;
  return {{"insn_count", at(Stage::kFetch, kFetchCount), sizeof(uint32_t)},
          {"insns", at(Stage::kFetch, kFetchAddress), bytes},
          {"inputs", at(Stage::kLoad, kLoadInputs), bytes},
          {"weights", at(Stage::kLoad, addresses.load_weights), bytes},
          {"uops", at(Stage::kCompute, kComputeMicroOps), bytes},
          {"biases", at(Stage::kCompute, addresses.compute_biases), bytes},
          {"outputs", at(Stage::kStore, kStoreOutputs), bytes}};
}

// Returns the description of the argument, or "missing".
std::string stated_argument(const xrt::xclbin::ip& unit, const char* name) {
  for (const xrt::xclbin::arg& argument : unit.get_args())
    if (argument.get_name() == name)
      return fmt::format("{} bytes at {:#x}", argument.get_size(), argument.get_offset());
  return "missing";
}

bool has_wide_addresses(const xrt::xclbin::ip& unit) {
  for (const xrt::xclbin::arg& argument : unit.get_args())
    if (argument.get_name() == "insns") return argument.get_size() == sizeof(uint64_t);
  return false;
}

Status check_arguments(const xrt::xclbin::ip& unit, const AddressRegisters& addresses) {
  for (const ExpectedArgument& expected : expected_arguments(addresses)) {
    const std::string stated = stated_argument(unit, expected.name);
    const std::string right = fmt::format("{} bytes at {:#x}", expected.size, expected.offset);
    if (stated != right)
      return Status(Code::kIncompatible,
                    fmt::format("argument '{}' of the user-managed kernel {} is {}, expected {}: see "
                                "docs/reference/hardware.md",
                                expected.name, unit.get_name(), stated, right));
  }
  return {};
}

// Returns the address to write to the stages' base registers: the start of a bank that extends beyond 4 GiB, otherwise
// 0, so that EVTA's addresses equal the device's.
uint64_t base_of(const XrtBank& bank, bool has_wide_addresses) {
  return has_wide_addresses && bank.end > kEndOfAddresses ? bank.begin : 0;
}

}  // namespace

Result<OpenedUnit> open_stages_unit(const OpenedDevice& opened) {
  std::vector<StageBlock> stages;
  uint32_t index = opened.options.board->default_bank;
  for (const std::string_view name : kStageNames) {
    NESTRT_ASSIGN_OR_RETURN(const xrt::xclbin::ip unit, find_unit(opened, std::string(name), stages.size()));
    NESTRT_ASSIGN_OR_RETURN(const uint32_t reached, common_bank(unit, index));
    if (!stages.empty() && reached != index)
      return Status(
          Code::kIncompatible,
          fmt::format("stage {} uses memory bank {}, but the previous stages use bank {}; link all stages to one bank",
                      name, reached, index));
    index = reached;
    NESTRT_ASSIGN_OR_RETURN(xrt::ip stage, open_ip(opened, unit));
    stages.push_back({std::move(stage)});
  }
  NESTRT_ASSIGN_OR_RETURN(XrtBank bank, find_bank(opened.xclbin, index));
  return finish(std::make_unique<XrtStagesUnit>(std::move(stages)), std::move(bank));
}

Result<OpenedUnit> open_user_managed_unit(const OpenedDevice& opened) {
  NESTRT_ASSIGN_OR_RETURN(const xrt::xclbin::ip unit, find_unit(opened, opened.options.kernel, 0));
  const bool is_wide = has_wide_addresses(unit);
  const AddressRegisters& addresses = is_wide ? kWideAddresses : kNarrowAddresses;
  NESTRT_RETURN_IF_ERROR(check_arguments(unit, addresses));
  NESTRT_ASSIGN_OR_RETURN(const uint32_t index, common_bank(unit, opened.options.board->default_bank));
  NESTRT_ASSIGN_OR_RETURN(XrtBank bank, find_bank(opened.xclbin, index));
  bank.base = base_of(bank, is_wide);
  NESTRT_ASSIGN_OR_RETURN(const xrt::ip registers, open_ip(opened, unit));
  std::vector<StageBlock> stages;
  for (uint32_t stage = 0; stage < kNumStages; ++stage)
    stages.push_back({registers, stage * static_cast<uint32_t>(kStageBytes)});
  return finish(std::make_unique<XrtStagesUnit>(std::move(stages), addresses, bank.base), std::move(bank));
}

}  // namespace nestrt::evta
