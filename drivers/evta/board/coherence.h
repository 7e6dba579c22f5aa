// SPDX-License-Identifier: Apache-2.0
// Tests whether an accelerator sees the contents of the host's caches, and whether the host sees the accelerator's
// writes.
//
// On a Zynq UltraScale+ this requires three things that software cannot query: an HPC port, accesses with attributes
// that cause a cache lookup (AxCACHE 1111, as in VTA's builds), and a processor configured to broadcast them (Xilinx
// UG1085, "I/O coherency"). A test run determines coherence instead.
#pragma once

#include "drivers/evta/driver/transport.h"
#include "drivers/evta/isa/configuration.h"

namespace nestrt::evta {

// Runs a program on memory that the host has just changed, without cache maintenance. The port is coherent if, in every
// cache line, the accelerator reads the changes and the host reads the results. Requires cached buffers of the
// transport and no running program. Errors: kOutOfMemory; kDeviceFault or kDeadlineExceeded after a reset of the
// accelerator.
Result<bool> is_coherent(Transport& transport, const Configuration& configuration);

}  // namespace nestrt::evta
