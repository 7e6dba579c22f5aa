// SPDX-License-Identifier: Apache-2.0
// EVTA as VTA's four stages (board/stages_unit.h), whose registers XRT maps. Neither the kernel driver nor an interrupt
// is used.
#include <experimental/xrt_ip.h>
#include <fmt/core.h>

#include "drivers/evta/board/stages_unit.h"
#include "drivers/evta/xrt/compute_unit.h"
#include "drivers/evta/xrt/xrt_errors.h"

namespace nestrt::evta {
namespace {

class XrtRegisters final : public StageRegisters {
 public:
  explicit XrtRegisters(std::vector<xrt::ip> stages) : stages_(std::move(stages)) {}

  uint32_t read(Stage stage, uint32_t offset) override {
    return stages_[static_cast<size_t>(stage)].read_register(offset);
  }
  void write(Stage stage, uint32_t offset, uint32_t value) override {
    stages_[static_cast<size_t>(stage)].write_register(offset, value);
  }

 private:
  std::vector<xrt::ip> stages_;
};

// Converts XRT's exceptions.
class XrtStagesUnit final : public ComputeUnit {
 public:
  explicit XrtStagesUnit(std::vector<xrt::ip> stages) : stages_(std::make_unique<XrtRegisters>(std::move(stages))) {}

  Status start(uint32_t count, uint32_t address) override {
    return xrt_call("starting the accelerator", Code::kDeviceFault, [&] { return stages_.start(count, address); });
  }
  Result<bool> poll() override {
    return xrt_call("reading the state of the accelerator", Code::kDeviceFault, [&] { return stages_.poll(); });
  }
  Status abort() override {
    return xrt_call("reading the state of the accelerator", Code::kDeviceFault, [&] { return stages_.abort(); });
  }
  Status wait_for_previous_owner() {
    return xrt_call("reading the state of the accelerator", Code::kDeviceFault,
                    [&] { return stages_.wait_for_previous_owner(); });
  }

 private:
  StagesUnit stages_;
};

}  // namespace

Result<OpenedUnit> open_stages_unit(const OpenedDevice& opened) {
  std::vector<xrt::ip> stages;
  uint32_t bank = opened.options.board->default_bank;
  for (const std::string_view name : kStageNames) {
    NESTRT_ASSIGN_OR_RETURN(const xrt::xclbin::ip unit, find_unit(opened, std::string(name), stages.size()));
    NESTRT_ASSIGN_OR_RETURN(const uint32_t reached, common_bank(unit, bank));
    if (!stages.empty() && reached != bank)
      return Status(
          Code::kIncompatible,
          fmt::format("stage {} uses memory bank {}, but the previous stages use bank {}; link all stages to one bank",
                      name, reached, bank));
    bank = reached;
    NESTRT_ASSIGN_OR_RETURN(xrt::ip stage, open_context(unit.get_name(), [&]() -> Result<xrt::ip> {
                              return xrt::ip(opened.device, opened.xclbin.get_uuid(), xrt_instance_name(unit));
                            }));
    stages.push_back(std::move(stage));
  }
  auto unit = std::make_unique<XrtStagesUnit>(std::move(stages));
  NESTRT_RETURN_IF_ERROR(unit->wait_for_previous_owner());
  return OpenedUnit{std::move(unit), bank};
}

}  // namespace nestrt::evta
