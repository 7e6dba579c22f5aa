// SPDX-License-Identifier: Apache-2.0
// MappedStages: the registers of an accelerator, mapped into this process, and the interrupt of its fetch stage.
#pragma once

#include <memory>

#include "drivers/evta/board/stage_registers.h"
#include "drivers/evta/uio/uio_devices.h"
#include "runtime/platform/file_descriptor.h"

namespace nestrt::evta {

class MappedStages final : public StageRegisters {
 public:
  // Does not access the registers. Errors: kUnavailable, with the remedy.
  static Result<std::unique_ptr<MappedStages>> open(const SystemFiles& system, const UioAccelerator& accelerator);
  ~MappedStages() override;
  MappedStages(const MappedStages&) = delete;

  // Always one load of 32 bits: the empty statement keeps compilers from merging the load into a comparison of one
  // byte.
  uint32_t read(Stage stage, uint32_t offset) override {
    uint32_t value = registers_[index_of(stage)][offset / 4];
    __asm__ volatile("" : "+r"(value));
    return value;
  }
  void write(Stage stage, uint32_t offset, uint32_t value) override { registers_[index_of(stage)][offset / 4] = value; }

  // Enables the interrupt of fetch, which occurs once per run. Returns false if the device has none.
  bool enable_interrupt();
  void acknowledge_interrupt();
  // Returns the file that becomes readable when an interrupt occurs.
  int interrupt_file() const { return files_[index_of(Stage::kFetch)].value(); }

 private:
  struct Mapping {
    void* begin = nullptr;
    uint64_t bytes = 0;
  };

  MappedStages() = default;
  static size_t index_of(Stage stage) { return static_cast<size_t>(stage); }
  Status map(const SystemFiles& system, size_t stage, const StageWindow& window);

  std::array<FileDescriptor, kNumStages> files_;
  std::array<Mapping, kNumStages> mappings_;
  std::array<volatile uint32_t*, kNumStages> registers_{};
};

}  // namespace nestrt::evta
