// SPDX-License-Identifier: Apache-2.0
// The transport to EVTA on a Zynq board without XRT: registers through UIO or /dev/mem, memory through u-dma-buf. The
// accelerator consists of VTA's four stages. docs/how-to/uio.md describes the set-up of a board.
//
// An interrupt of the fetch stage only shortens waits; the registers determine whether a run has ended. Processes
// exclude each other from an accelerator and from a pool (board/device_lock.h).
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "drivers/evta/board/system_files.h"
#include "drivers/evta/driver/transport.h"

namespace nestrt::evta {

struct UioOptions {
  SystemFiles system = SystemFiles::from_environment();
  // "[REGISTERS][@POOL]": the accelerator as in find_uio_accelerator(), and the device of u-dma-buf, such as
  // "uio0@udmabuf0". Defaults: the first of each.
  std::string device;
  int instance = 0;  // counted from the accelerator that `device` names
  // How long to wait if another process uses the accelerator or the pool.
  std::chrono::milliseconds wait{0};
  // The accelerator's configuration, for the coherence test (board/coherence.h). If null, the port is treated as not
  // coherent.
  const Configuration* configuration = nullptr;
};

// Does not access a register before all checks of sysfs have passed. Errors, with the remedy: kUnavailable (no device,
// no design in the fabric, in use, permission denied, a previous owner's program does not end), kIncompatible (unusable
// addresses, coherence declared but not present), kInvalidArgument, kOutOfMemory.
Result<std::unique_ptr<Transport>> make_uio_transport(const UioOptions& options);

}  // namespace nestrt::evta
