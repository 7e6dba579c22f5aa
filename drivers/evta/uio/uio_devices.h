// SPDX-License-Identifier: Apache-2.0
// Finds the registers of accelerators: UIO devices as sysfs describes them, or an address in /dev/mem.
//
// A UIO device is an accelerator if its name starts with "evta" and it has the registers of the four stages in one map
// of at least 16 KiB, or in four maps. Otherwise four UIO devices named fetch, load, compute and store ("fetch_0", ...)
// form one. Accesses only sysfs.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/evta/board/stage_registers.h"
#include "drivers/evta/board/system_files.h"
#include "nestrt/result.h"

namespace nestrt::evta {

// The registers of one stage, and how to map them.
struct StageWindow {
  std::string node;           // "/dev/uio0", "/dev/mem"
  uint64_t file_offset = 0;   // for mmap(2)
  uint64_t mapped_bytes = 0;  // of the whole mapping
  uint64_t offset = 0;        // of the registers in the mapping
  uint64_t bytes = 0;         // of the registers
  uint64_t address = 0;       // physical
};

struct UioAccelerator {
  std::string device;                          // "uio0": of fetch; or "mem:0xa0000000"
  std::array<StageWindow, kNumStages> stages;  // fetch, load, compute, store
  uint64_t address() const { return stages[0].address; }
  // Returns the name by which processes exclude each other (DeviceLock).
  std::string lock_name() const;
};

// Returns the accelerators with UIO devices, sorted by address.
std::vector<UioAccelerator> find_uio_accelerators(const SystemFiles& system);

// `device`: "uioN" (instances count from there), "mem:ADDRESS" (instance 0 only), or empty for the first one. Errors:
// kUnavailable, with the remedy; kInvalidArgument; kIncompatible if no registers can be at that address.
Result<UioAccelerator> find_uio_accelerator(const SystemFiles& system, std::string_view device, int instance);

// The two parts of UioOptions::device.
struct UioDeviceNames {
  std::string_view registers, pool;  // empty: the first of each
};
UioDeviceNames split_device(std::string_view device);

// Returns the error of a file in /dev or /sys that cannot be accessed, with the remedy.
Status cannot_access(const std::string& path, int error);

}  // namespace nestrt::evta
