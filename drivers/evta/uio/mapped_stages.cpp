// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/uio/mapped_stages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace nestrt::evta {
Result<std::unique_ptr<MappedStages>> MappedStages::open(const SystemFiles& system, const UioAccelerator& accelerator) {
  std::unique_ptr<MappedStages> stages(new MappedStages);
  for (size_t i = 0; i < kNumStages; ++i) NESTRT_RETURN_IF_ERROR(stages->map(system, i, accelerator.stages[i]));
  return stages;
}

MappedStages::~MappedStages() {
  for (const Mapping& mapping : mappings_)
    if (mapping.begin != nullptr) ::munmap(mapping.begin, mapping.bytes);
}

// O_SYNC maps registers in /dev/mem without a cache; UIO always does.
Status MappedStages::map(const SystemFiles& system, size_t stage, const StageWindow& window) {
  const std::string path = system.path(window.node);
  files_[stage] = FileDescriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_SYNC));
  if (!files_[stage].is_open()) return cannot_access(path, errno);
  void* const begin = ::mmap(nullptr, window.mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, files_[stage].value(),
                             static_cast<off_t>(window.file_offset));
  if (begin == MAP_FAILED) return cannot_access(path, errno);
  mappings_[stage] = {begin, window.mapped_bytes};
  registers_[stage] = reinterpret_cast<volatile uint32_t*>(static_cast<std::byte*>(begin) + window.offset);
  return {};
}

// UIO rejects the write if the device has no interrupt.
bool MappedStages::enable_interrupt() {
  const uint32_t one = 1;
  if (::write(interrupt_file(), &one, sizeof(one)) != sizeof(one)) return false;
  write(Stage::kFetch, kInterruptSources, kStageDone);
  write(Stage::kFetch, kInterruptEnable, 1);
  return true;
}

// Writing a bit of kInterruptStatus inverts it. UIO disables an interrupt when it occurs, until it is enabled again.
void MappedStages::acknowledge_interrupt() {
  uint32_t count = 0;
  static_cast<void>(::read(interrupt_file(), &count, sizeof(count)));
  const uint32_t status = MappedStages::read(Stage::kFetch, kInterruptStatus);
  if ((status & kStageDone) != 0) MappedStages::write(Stage::kFetch, kInterruptStatus, kStageDone);
  const uint32_t one = 1;
  static_cast<void>(::write(interrupt_file(), &one, sizeof(one)));
}

}  // namespace nestrt::evta
