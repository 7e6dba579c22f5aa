// StagedProgram: a bound program on an accelerator, with staging memory there for all of its ranges.
//
// The accelerator never sees the session's memory: inputs are copied to its own before a run and results back after it,
// so that one that runs on after its time spoils nobody's buffers.
#pragma once

#include <memory>
#include <vector>

#include "drivers/evta/driver/bound_program.h"
#include "drivers/evta/driver/transport.h"
#include "nestrt/unit.h"

namespace nestrt::evta {

class StagedProgram {
 public:
  // Checks the program, moves it to memory of the device and loads it there. Errors: kInvalidPlan, kOutOfMemory.
  static Result<StagedProgram> create(Transport& transport, const BoundProgram& program);

  const std::shared_ptr<DeviceProgram>& device_program() const { return program_; }
  // What the program reads and is no constant, to the device ...
  void copy_in(std::span<std::byte* const> buffers) const;
  // ... and what it writes, from there.
  void copy_out(std::span<std::byte* const> buffers) const;

 private:
  struct Range {
    std::shared_ptr<DeviceBuffer> memory;
    BoundProgram::Binding binding;
    uint64_t size;
    bool copied_in;
    bool copied_out;
  };

  std::shared_ptr<DeviceProgram> program_;
  std::vector<Range> ranges_;
};

}  // namespace nestrt::evta
