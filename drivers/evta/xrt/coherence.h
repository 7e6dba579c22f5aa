// Whether an accelerator sees what lies in the caches of the host, and the host what the accelerator has written.
//
// On a Zynq UltraScale+ that takes three things of which software sees none: a port of the kind HPC, accesses with the
// attributes that are looked up in caches (AxCACHE 1111, as in VTA's builds), and a processor that was told to
// broadcast them (Xilinx UG1085, "I/O coherency"). So it is found out by a run.
#pragma once

#include "drivers/evta/driver/transport.h"
#include "drivers/evta/isa/configuration.h"

namespace nestrt::evta {

// Runs a program over memory that the host has just changed and hands nothing over: coherent is what reads the changes,
// and whose results the host reads, in every line. The transport's buffers are cached, and handing over maintains the
// cache. Nothing is running. Errors: kOutOfMemory, kDeviceFault, kDeadlineExceeded; then the accelerator was reset.
Result<bool> is_coherent(Transport& transport, const Configuration& configuration);

}  // namespace nestrt::evta
