// SPDX-License-Identifier: Apache-2.0
// Tests whether an accelerator sees the contents of the host's caches, and the host the accelerator's writes.
//
// On a Zynq UltraScale+ this requires three things that software cannot query: an HPC port, accesses with attributes
// that are looked up in caches (AxCACHE 1111, as in VTA's builds), and a processor configured to broadcast them (Xilinx
// UG1085, "I/O coherency"). A test run determines it instead.
#pragma once

#include "drivers/evta/driver/transport.h"
#include "drivers/evta/isa/configuration.h"

namespace nestrt::evta {

// Runs a program over memory that the host has just changed, without cache maintenance. The port is coherent if the
// accelerator reads the changes and the host reads its results, in every line. Requires cached buffers of the transport
// and no running program. Errors: kOutOfMemory; kDeviceFault or kDeadlineExceeded after a reset of the accelerator.
Result<bool> is_coherent(Transport& transport, const Configuration& configuration);

}  // namespace nestrt::evta
