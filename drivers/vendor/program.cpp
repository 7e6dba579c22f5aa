// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/program.h"

#include <fmt/core.h>

#include "nestrt/driver/plan_tables.h"
#include "nestrt/vendor.h"
#include "runtime/plan/verify/verify.h"

namespace nestrt::vendor {
namespace {

Status check_kind(const plan::Program& program, std::string_view configuration) {
  if (program.kind != plan::ProgramKind::kBlob)
    return damaged_plan(
        fmt::format("a program for unit '{}' is of kind {}: expected a blob", program.unit, plan::name(program.kind)));
  if (!program.configuration.empty() && program.configuration != configuration)
    return Status(Code::kIncompatible,
                  fmt::format("the program is for configuration '{}', but the unit has '{}'; recompile the model",
                              program.configuration, configuration));
  if (program.segments.size() != 1)
    return damaged_plan(fmt::format("a program for unit '{}' has {} segments: expected only its blob", program.unit,
                                    program.segments.size()));
  if (program.ranges.size() > NESTRT_VENDOR_MAX_PORTS)
    return damaged_plan(fmt::format("a program for unit '{}' has {} ranges; at most {} are supported", program.unit,
                                    program.ranges.size(), NESTRT_VENDOR_MAX_PORTS));
  return {};
}

Result<Port> port_of(const Plan& plan, const plan::ProgramRange& range) {
  if (range.tensor < 0) return damaged_plan("a vendor's program has a range that is not a tensor");
  const plan::Tensor& tensor = plan.tables().tensors[static_cast<uint32_t>(range.tensor)];
  const auto stored = static_cast<uint64_t>(storage_bytes(tensor.type, tensor.shape, tensor.layout));
  if (range.layout != plan::RangeLayout::kPlain)
    return damaged_plan(fmt::format("a vendor's program has tensor {} in an unexpected layout", range.tensor));
  if (range.size != stored)
    return damaged_plan(
        fmt::format("a vendor's program has {} bytes of tensor {}, which has {}", range.size, range.tensor, stored));
  if (tensor.layout == Layout::kPlain) return Port{tensor.buffer, tensor.offset, stored, std::nullopt};
  if (is_folded(tensor.layout) && range.access != plan::RangeAccess::kRead)
    return damaged_plan(fmt::format("a vendor's program writes tensor {}, a folded image", range.tensor));
  const auto plain = static_cast<uint64_t>(storage_bytes(tensor.type, tensor.shape, Layout::kPlain));
  return Port{tensor.buffer, tensor.offset, plain, ReorderedPort(tensor.type, tensor.shape, tensor.layout)};
}

}  // namespace

std::vector<uint64_t> PortedProgram::bytes_of(std::span<const Port> ports) {
  std::vector<uint64_t> bytes;
  bytes.reserve(ports.size());
  for (const Port& port : ports) bytes.push_back(port.bytes);
  return bytes;
}

Result<PortedProgram> read_program(const Plan& plan, const plan::Program& program, std::string_view configuration) {
  NESTRT_RETURN_IF_ERROR(check_kind(program, configuration));
  PortedProgram ported;
  ported.blob = plan.constant(program.segments[0]);
  for (const plan::ProgramRange& range : program.ranges) {
    NESTRT_ASSIGN_OR_RETURN(const Port port, port_of(plan, range));
    if (range.access == plan::RangeAccess::kReadWrite)
      return damaged_plan(fmt::format("a vendor's program reads and writes tensor {}", range.tensor));
    const bool is_input = range.access == plan::RangeAccess::kRead;
    if (is_input && !ported.outputs.empty()) return damaged_plan("a vendor's program has an input after its outputs");
    (is_input ? ported.inputs : ported.outputs).push_back(port);
  }
  return ported;
}

}  // namespace nestrt::vendor
