// PlacedProgram: a bound program on an accelerator, and where its ranges lie there.
//
// Tensors in memory that the accelerator has lent are read and written where they are. What lies elsewhere, or in
// another order or type than the plan's, is copied to staging memory before a run, and back after it.
#pragma once

#include <memory>
#include <vector>

#include "drivers/evta/driver/bound_program.h"
#include "drivers/evta/driver/memory/host_visible_blocks.h"
#include "drivers/evta/driver/memory/shared_constants.h"
#include "drivers/evta/driver/memory/staging_memory.h"
#include "nestrt/driver/unit.h"

namespace nestrt::evta {

// An accelerator's memory, by what it is used for.
struct DeviceMemory {
  Transport* transport;
  HostVisibleBlocks* lent;
  SharedConstants* constants;
  StagingMemory* staging;
};

class PlacedProgram {
 public:
  // Checks the program; what it refers to outlives the result. `plan`: that it is of; null: of none. Errors:
  // kInvalidPlan, kOutOfMemory, kDeviceFault.
  static Result<PlacedProgram> create(DeviceMemory memory, BoundProgram program, std::shared_ptr<const Plan> plan);

  // Moves the program to where these buffers lie and loads it; null: not known yet. Nothing to do where it is there
  // already. Errors: kInvalidPlan, kOutOfMemory.
  Status place(std::span<std::byte* const> buffers);
  // Null before the first place().
  const std::shared_ptr<DeviceProgram>& device_program() const { return loaded_; }

  // What the program reads, to the accelerator, but for what it wrote itself (Submission::writers); and what lies where
  // its results go, if they are checked, or if the host's cache would write that over them later ...
  Status give_inputs(const Submission& submission);
  // ... and what it writes, from there, for all to see. Errors, of both: kDeviceFault.
  Status take_results(const Submission& submission);

  // Of the last run.
  const Traffic& traffic() const { return traffic_; }

 private:
  struct Range {
    Place place;
    const std::byte* in_place = nullptr;  // the host's address of those bytes, where they are the tensor itself
    std::optional<Place> lent;            // of the tensor, where it is copied though it lies there
    bool is_read = false;                 // by the program
    bool is_written = false;              // likewise
    bool is_constant = false;
    uint64_t element = 1;     // its address moves by multiples of that (relocate.h)
    uint64_t host_bytes = 0;  // of the tensor, in the plan's order
  };

  PlacedProgram(DeviceMemory memory, BoundProgram program, std::shared_ptr<const Plan> plan)
      : memory_(memory), source_(std::move(program)), plan_(std::move(plan)) {}

  Status place_constants();
  bool is_placed_for(std::span<std::byte* const> buffers) const;
  // Where that is possible. `bytes`: the tensor's; null: not known yet.
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
