// SPDX-License-Identifier: Apache-2.0
// The registers of VTA's four stages.
//
// Source: register maps of VTA's modules from Vivado HLS 2019.1, and its layout rule: a 32-bit argument occupies 8
// bytes, a 64-bit argument 12. docs/reference/hardware.md has the tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nestrt::evta {

enum class Stage : uint8_t { kFetch, kLoad, kCompute, kStore };
inline constexpr size_t kNumStages = 4;
inline constexpr std::array<std::string_view, kNumStages> kStageNames = {"fetch", "load", "compute", "store"};
// Distance between the stages' registers in VTA's builds, which place them next to each other.
inline constexpr uint64_t kStageBytes = 0x1000;

// Offsets in bytes.
inline constexpr uint32_t kControl = 0x00, kInterruptEnable = 0x04, kInterruptSources = 0x08, kInterruptStatus = 0x0c;
inline constexpr uint32_t kFetchCount = 0x10, kFetchAddress = 0x18;
inline constexpr uint32_t kLoadInputs = 0x10;
inline constexpr uint32_t kComputeDone = 0x18, kComputeDoneWritten = 0x1c, kComputeMicroOps = 0x20;
inline constexpr uint32_t kStoreOutputs = 0x10;
// The size of an address, which depends on the build, and the offsets of the registers that follow one.
struct AddressRegisters {
  uint32_t address_bytes;
  uint32_t load_weights, compute_biases;
};
inline constexpr AddressRegisters kNarrowAddresses{4, 0x18, 0x28}, kWideAddresses{8, 0x1c, 0x2c};
inline constexpr uint64_t kUsedStageBytes = 0x34;  // the registers above are below this offset
// Bits of kControl.
inline constexpr uint32_t kStart = 0x01, kIdle = 0x04, kAutoRestart = 0x80;
// Bit of kInterruptSources and kInterruptStatus: the stage has ended.
inline constexpr uint32_t kStageDone = 0x01;

// Access to the registers of one accelerator.
class StageRegisters {
 public:
  virtual ~StageRegisters() = default;
  virtual uint32_t read(Stage stage, uint32_t offset) = 0;
  virtual void write(Stage stage, uint32_t offset, uint32_t value) = 0;
};

}  // namespace nestrt::evta
