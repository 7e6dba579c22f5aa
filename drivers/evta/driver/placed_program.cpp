// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/placed_program.h"

#include "drivers/evta/checker/program_checker.h"
#include "drivers/evta/driver/relocate.h"
#include "nestrt/driver/plan_tables.h"

namespace nestrt::evta {

Result<PlacedProgram> PlacedProgram::create(DeviceMemory memory, BoundProgram program,
                                            std::shared_ptr<const Plan> plan) {
  NESTRT_RETURN_IF_ERROR(check_program(program.program()));
  PlacedProgram placed(memory, std::move(program), std::move(plan));
  NESTRT_RETURN_IF_ERROR(placed.place_constants());
  return placed;
}

Status PlacedProgram::place_constants() {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<uint64_t> elements, largest_elements(source_.program()));
  for (size_t i = 0; i < source_.ranges.size(); ++i) {
    const MemoryRange& range = source_.ranges[i];
    Range& added = ranges_.emplace_back();
    added.element = elements[i];
    added.host_bytes = host_bytes(source_.bindings[i].conversion, range.size);
    added.is_read = allows(range.access, MemoryRange::Access::kRead);
    added.is_written = allows(range.access, MemoryRange::Access::kWrite);
    added.is_constant = range.constant != nullptr;
    if (!added.is_constant) continue;
    const std::span<const std::byte> bytes(range.constant, range.size);
    const uint64_t offset = range.address % kPageBytes;
    // Ranges that a program writes cannot be shared.
    const bool is_shared = plan_ != nullptr && !added.is_written;
    NESTRT_ASSIGN_OR_RETURN(added.place.memory, is_shared
                                                    ? memory_.constants->get(*memory_.transport, plan_, bytes, offset)
                                                    : upload(*memory_.transport, bytes, offset));
  }
  return {};
}

// --- Placement.

std::byte* PlacedProgram::bytes_of(size_t index, std::span<std::byte* const> buffers) const {
  const BoundProgram::Binding& binding = source_.bindings[index];
  std::byte* const buffer = buffers[binding.buffer];
  return buffer == nullptr ? nullptr : buffer + binding.offset;
}

bool PlacedProgram::is_placed_for(std::span<std::byte* const> buffers) const {
  if (loaded_ == nullptr) return false;
  for (size_t i = 0; i < ranges_.size(); ++i)
    if (ranges_[i].in_place != nullptr && ranges_[i].in_place != bytes_of(i, buffers)) return false;
  return true;
}

Status PlacedProgram::place(std::span<std::byte* const> buffers) {
  if (is_placed_for(buffers)) return {};
  loaded_ = nullptr;
  for (size_t i = 0; i < ranges_.size(); ++i)
    if (!ranges_[i].is_constant) place_in_host_visible_memory(i, bytes_of(i, buffers));
  NESTRT_RETURN_IF_ERROR(stage_others());
  return load();
}

void PlacedProgram::place_in_host_visible_memory(size_t index, std::byte* bytes) {
  Range& range = ranges_[index];
  range.in_place = nullptr;
  range.host_visible = bytes == nullptr ? std::nullopt : memory_.host_visible->find(bytes, range.host_bytes);
  if (!range.host_visible || !fits(index, *range.host_visible)) return;
  range.place = *range.host_visible;
  range.in_place = bytes;
}

bool PlacedProgram::fits(size_t index, const Place& place) const {
  if (source_.bindings[index].conversion) return false;
  const uint64_t element = ranges_[index].element;
  return place.address() % element == source_.ranges[index].address % element && !overlaps_another(index, place) &&
         (!ranges_[index].is_written || has_whole_lines(index, place));
}

// Returns whether a write covers whole cache lines. Otherwise the host could write back the first or last line, which
// contains other data and old bytes of the accelerator. Nothing follows a buffer, so its last line may be partial.
bool PlacedProgram::has_whole_lines(size_t index, const Place& place) const {
  const uint64_t line = memory_.transport->cache_line_bytes();
  if (line == 1) return true;
  const BoundProgram::Binding& binding = source_.bindings[index];
  const uint64_t size = source_.ranges[index].size;
  const bool ends_buffer = plan_ != nullptr && binding.offset + size == plan_->tables().buffers[binding.buffer].size;
  return place.address() % line == 0 && (size % line == 0 || ends_buffer);
}

// Returns whether the tensor overlaps another one. A program's ranges are disjoint, but one tensor may be a view of
// another.
bool PlacedProgram::overlaps_another(size_t index, const Place& place) const {
  const uint64_t begin = place.address(), end = begin + source_.ranges[index].size;
  for (size_t i = 0; i < index; ++i) {
    if (ranges_[i].in_place == nullptr) continue;
    const uint64_t other = ranges_[i].place.address();
    if (begin < other + source_.ranges[i].size && other < end) return true;
  }
  return false;
}

// Assigns staging memory to all other ranges. Each range gets separate pages, which preserves the alignment of
// addresses to elements.
Status PlacedProgram::stage_others() {
  uint64_t end = 0;
  for (size_t i = 0; i < ranges_.size(); ++i) {
    if (ranges_[i].is_constant || ranges_[i].in_place != nullptr) continue;
    const uint64_t begin = end + source_.ranges[i].address % kPageBytes;
    ranges_[i].place = {nullptr, begin};
    end = (begin + source_.ranges[i].size + kPageBytes - 1) / kPageBytes * kPageBytes;
  }
  if (end == 0) return {};
  NESTRT_ASSIGN_OR_RETURN(const std::shared_ptr<DeviceBuffer> memory, memory_.staging->get(*memory_.transport, end));
  for (Range& range : ranges_)
    if (range.place.memory == nullptr) range.place.memory = memory;
  return {};
}

Status PlacedProgram::load() {
  std::vector<MemoryRange> ranges = source_.ranges;
  std::vector<uint64_t> targets;
  std::vector<std::shared_ptr<DeviceBuffer>> memory;
  for (size_t i = 0; i < ranges.size(); ++i) {
    ranges[i].address = ranges_[i].place.address();
    targets.push_back(ranges[i].address);
    memory.push_back(ranges_[i].place.memory);
  }
  NESTRT_ASSIGN_OR_RETURN(const std::vector<InstructionWord> words, relocate(source_.program(), targets));
  NESTRT_ASSIGN_OR_RETURN(loaded_, memory_.transport->load({source_.configuration, words, ranges}, std::move(memory)));
  return {};
}

// --- Before and after a run.

Status PlacedProgram::give_inputs(const Submission& submission) {
  traffic_ = {};
  for (size_t i = 0; i < ranges_.size(); ++i)
    if (is_given(ranges_[i], submission)) NESTRT_RETURN_IF_ERROR(give(i, submission));
  return {};
}

bool PlacedProgram::is_given(const Range& range, const Submission& submission) const {
  if (range.is_constant) return false;
  const bool may_be_written_back = range.in_place != nullptr && memory_.transport->cache_line_bytes() > 1;
  return range.is_read || submission.is_checked || may_be_written_back;
}

Status PlacedProgram::give(size_t index, const Submission& submission) {
  const Range& range = ranges_[index];
  const BoundProgram::Binding& binding = source_.bindings[index];
  const uint64_t size = source_.ranges[index].size;
  const std::span<std::byte> bytes = range.place.memory->bytes().subspan(range.place.offset, size);
  if (range.in_place == nullptr) {
    bring_in(binding.conversion, bytes_of(index, submission.bindings.buffers), bytes);
    traffic_.copied_bytes += size;
  } else if (submission.is_own_result(binding.buffer)) {
    return {};
  }
  traffic_.shared_memory_bytes += size;
  return range.place.memory->to_device(range.place.offset, size);
}

Status PlacedProgram::take_results(const Submission& submission) {
  for (size_t i = 0; i < ranges_.size(); ++i)
    if (ranges_[i].is_written && !ranges_[i].is_constant) NESTRT_RETURN_IF_ERROR(take(i, submission));
  return {};
}

Status PlacedProgram::take(size_t index, const Submission& submission) {
  const Range& range = ranges_[index];
  const uint64_t size = source_.ranges[index].size;
  NESTRT_RETURN_IF_ERROR(range.place.memory->from_device(range.place.offset, size));
  traffic_.shared_memory_bytes += size;
  if (range.in_place != nullptr) return {};
  const std::span<const std::byte> bytes = range.place.memory->bytes().subspan(range.place.offset, size);
  bring_out(source_.bindings[index].conversion, bytes, bytes_of(index, submission.bindings.buffers));
  traffic_.copied_bytes += size;
  // Readers find these bytes in host-visible memory, as if the program had written them there.
  if (!range.host_visible) return {};
  traffic_.shared_memory_bytes += range.host_bytes;
  return range.host_visible->memory->to_device(range.host_visible->offset, range.host_bytes);
}

}  // namespace nestrt::evta
