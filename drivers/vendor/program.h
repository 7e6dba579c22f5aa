// SPDX-License-Identifier: Apache-2.0
// The parts of a plan's program that are passed to a plug-in: the blob and its ports. Requires a verified plan: ranges
// are within their tensors and segments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "drivers/vendor/reordered_port.h"
#include "nestrt/plan.h"
#include "nestrt/result.h"

namespace nestrt::plan {
struct Program;
}

namespace nestrt::vendor {

// A tensor in a buffer of the plan.
struct Port {
  uint32_t buffer = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;                      // in plain layout, the only layout that plug-ins use
  std::optional<ReorderedPort> reordered;  // set if the tensor has another layout
};

struct PortedProgram {
  std::span<const std::byte> blob;  // owned by the plan
  std::vector<Port> inputs, outputs;

  std::vector<uint64_t> input_bytes() const { return bytes_of(inputs); }
  std::vector<uint64_t> output_bytes() const { return bytes_of(outputs); }

 private:
  static std::vector<uint64_t> bytes_of(std::span<const Port> ports);
};

// Ports are the program's ranges in order: whole tensors, inputs before outputs. Errors: kInvalidPlan, kIncompatible
// for another configuration.
Result<PortedProgram> read_program(const Plan& plan, const plan::Program& program, std::string_view configuration);

}  // namespace nestrt::vendor
