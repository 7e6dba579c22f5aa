// SPDX-License-Identifier: Apache-2.0
// PlacedProgram: a bound program on an accelerator, and the addresses of its ranges.
//
// The program accesses tensors in host-visible memory of the accelerator in place. Other tensors, and those whose order
// or type differs from the plan's, are copied to staging memory before a run and back after it.
#pragma once

#include <memory>
#include <vector>

#include "drivers/evta/driver/bound_program.h"
#include "drivers/evta/driver/memory/host_visible_blocks.h"
#include "drivers/evta/driver/memory/shared_constants.h"
#include "drivers/evta/driver/memory/staging_memory.h"
#include "nestrt/driver/unit.h"

namespace nestrt::evta {

// The memory of an accelerator, by purpose.
struct DeviceMemory {
  Transport* transport;
  HostVisibleBlocks* host_visible;
  SharedConstants* constants;
  StagingMemory* staging;
};

class PlacedProgram {
 public:
  // Checks the program. Everything it refers to must outlive the result. `plan`: the program's plan, or null. Errors:
  // kInvalidPlan, kOutOfMemory, kDeviceFault.
  static Result<PlacedProgram> create(DeviceMemory memory, BoundProgram program, std::shared_ptr<const Plan> plan);

  // Relocates the program to the addresses of these buffers (null if not yet known) and loads it, unless it is already
  // loaded there. Errors: kInvalidPlan, kOutOfMemory.
  Status place(std::span<std::byte* const> buffers);
  // Null before the first place().
  const std::shared_ptr<DeviceProgram>& device_program() const { return loaded_; }

  // Transfers the program's inputs to the accelerator, except data that the accelerator itself wrote
  // (Submission::writers). Also transfers the contents of output memory if results are checked, or if the host's cache
  // would later overwrite them. Errors: kDeviceFault.
  Status give_inputs(const Submission& submission);
  // Transfers the program's outputs to the host. Errors: kDeviceFault.
  Status take_results(const Submission& submission);

  // Returns the traffic of the last run.
  const Traffic& traffic() const { return traffic_; }

 private:
  struct Range {
    Place place;
    const std::byte* in_place = nullptr;  // host address of the bytes, if the range is the tensor itself
    std::optional<Place> host_visible;    // location of the tensor in host-visible memory, even if it is copied
    bool is_read = false;                 // by the program
    bool is_written = false;              // by the program
    bool is_constant = false;
    uint64_t element = 1;     // alignment of its address (relocate.h)
    uint64_t host_bytes = 0;  // size of the tensor in the plan's order
  };

  PlacedProgram(DeviceMemory memory, BoundProgram program, std::shared_ptr<const Plan> plan)
      : memory_(memory), source_(std::move(program)), plan_(std::move(plan)) {}

  Status place_constants();
  bool is_placed_for(std::span<std::byte* const> buffers) const;
  // Places the range in host-visible memory if possible. `bytes`: the tensor's bytes, or null if not yet known.
  void place_in_host_visible_memory(size_t index, std::byte* bytes);
  bool fits(size_t index, const Place& place) const;
  bool overlaps_another(size_t index, const Place& place) const;
  bool has_whole_lines(size_t index, const Place& place) const;
  bool is_given(const Range& range, const Submission& submission) const;
  Status stage_others();
  Status load();
  std::byte* bytes_of(size_t index, std::span<std::byte* const> buffers) const;
  Status give(size_t index, const Submission& submission);
  Status take(size_t index, const Submission& submission);

  DeviceMemory memory_;
  BoundProgram source_;
  std::shared_ptr<const Plan> plan_;
  std::vector<Range> ranges_;
  std::shared_ptr<DeviceProgram> loaded_;
  Traffic traffic_;
};

}  // namespace nestrt::evta
