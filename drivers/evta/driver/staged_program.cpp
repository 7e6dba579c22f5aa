#include "drivers/evta/driver/staged_program.h"

#include <cstring>

#include "drivers/evta/checker/program_checker.h"
#include "drivers/evta/driver/relocate.h"

namespace nestrt::evta {

Result<StagedProgram> StagedProgram::create(Transport& transport, const BoundProgram& source) {
  NESTRT_RETURN_IF_ERROR(check_program(source.program()));
  StagedProgram staged;
  std::vector<MemoryRange> ranges = source.ranges;
  std::vector<uint64_t> targets;
  std::vector<std::shared_ptr<DeviceBuffer>> memory;
  for (size_t i = 0; i < ranges.size(); ++i) {
    MemoryRange& range = ranges[i];
    NESTRT_ASSIGN_OR_RETURN(std::shared_ptr<DeviceBuffer> buffer,
                            transport.allocate(range.size, range.address % kPageBytes));
    if (range.constant != nullptr) std::memcpy(buffer->bytes().data(), range.constant, range.size);
    range.address = buffer->address();
    targets.push_back(range.address);
    staged.ranges_.push_back({buffer, source.bindings[i], range.size,
                              range.constant == nullptr && allows(range.access, MemoryRange::Access::kRead),
                              allows(range.access, MemoryRange::Access::kWrite)});
    memory.push_back(std::move(buffer));
  }
  NESTRT_ASSIGN_OR_RETURN(const std::vector<InstructionWord> words, relocate(source.program(), targets));
  NESTRT_ASSIGN_OR_RETURN(staged.program_, transport.load({source.configuration, words, ranges}, std::move(memory)));
  return staged;
}

void StagedProgram::copy_in(std::span<std::byte* const> buffers) const {
  for (const Range& range : ranges_) {
    if (!range.copied_in) continue;
    const std::byte* from = buffers[range.binding.buffer] + range.binding.offset;
    std::byte* to = range.memory->bytes().data();
    if (const auto* folding = std::get_if<Folding>(&range.binding.conversion)) {
      to_folded_blocks(*folding, from, to);
    } else if (const auto* reblocking = std::get_if<Reblocking>(&range.binding.conversion)) {
      to_blocks_of_32(*reblocking, from, to);
    } else {
      std::memcpy(to, from, range.size);
    }
  }
}

void StagedProgram::copy_out(std::span<std::byte* const> buffers) const {
  for (const Range& range : ranges_) {
    if (!range.copied_out) continue;
    const std::byte* from = range.memory->bytes().data();
    std::byte* to = buffers[range.binding.buffer] + range.binding.offset;
    if (const auto* reblocking = std::get_if<Reblocking>(&range.binding.conversion)) {
      from_blocks_of_32(*reblocking, from, to);
    } else {
      std::memcpy(to, from, range.size);
    }
  }
}

}  // namespace nestrt::evta
