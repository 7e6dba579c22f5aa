// SPDX-License-Identifier: Apache-2.0
// Python's Frame: pixels in arrays, which the Python layer checks and keeps alive.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <vector>

#include "nestrt/frame_converter.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt::python {

struct FrameHandle {
  Frame frame;
};

// Converts the frames among the inputs of a session. One thread at a time; the GIL ensures this.
class FrameInputs {
 public:
  FrameInputs(const Plan& plan, const UnitList& units)
      : plan_(plan), units_(units), converters_(plan.inputs().size()) {}

  // Errors: as for FrameConverter.
  Result<AlignedMemory> convert(const Frame& frame, size_t input);

 private:
  const Plan& plan_;
  const UnitList units_;
  std::vector<std::optional<FrameConverter>> converters_;
};

void bind_frame(nanobind::module_& module);

}  // namespace nestrt::python
