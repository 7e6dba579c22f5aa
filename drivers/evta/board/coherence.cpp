// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/board/coherence.h"

#include "drivers/evta/board/probe_run.h"

namespace nestrt::evta {
namespace {

// Sixteen or more cache lines of results, and four times as many lines of inputs. They are too many for a cache to
// write back or evict all of them during a run, and few enough that a core does not bypass its caches for sequential
// writes.
constexpr uint32_t kElements = 64;
constexpr std::chrono::seconds kRunTime{5};  // far more than the few hundred cycles needed

// Synchronises the host's caches with memory and reloads them.
Status settle(const ProbeRun& probe) {
  for (const std::shared_ptr<DeviceBuffer>& buffer : probe.buffers()) {
    const uint64_t size = buffer->bytes().size();
    NESTRT_RETURN_IF_ERROR(buffer->to_device(0, size));
    NESTRT_RETURN_IF_ERROR(buffer->from_device(0, size));
    const volatile std::byte* const bytes = buffer->bytes().data();
    for (uint64_t i = 0; i < size; ++i) [[maybe_unused]] const std::byte read = bytes[i];
  }
  return {};
}

}  // namespace

Result<bool> is_coherent(Transport& transport, const Configuration& configuration) {
  NESTRT_ASSIGN_OR_RETURN(ProbeRun probe, ProbeRun::create(transport, configuration, kElements));
  NESTRT_RETURN_IF_ERROR(settle(probe));
  probe.write_inputs();
  Status status = probe.start();
  if (status.ok()) status = probe.wait(kRunTime);
  const bool coherent = probe.is_right();
  if (!status.ok()) {
    NESTRT_RETURN_IF_ERROR(transport.reset());
    return status;
  }
  // Otherwise dirty lines would later overwrite new contents of the probe's memory.
  NESTRT_RETURN_IF_ERROR(settle(probe));
  return coherent;
}

}  // namespace nestrt::evta
