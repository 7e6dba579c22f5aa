// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/program.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

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
  if (program.ranges.size() > NESTRT_VENDOR_MAX_PORTS)
    return damaged_plan(fmt::format("a program for unit '{}' has {} ranges; at most {} are supported", program.unit,
                                    program.ranges.size(), NESTRT_VENDOR_MAX_PORTS));
  return {};
}

// Returns the tensor of a port.
Result<const plan::Tensor*> tensor_of(const Plan& plan, const plan::ProgramRange& range) {
  if (range.tensor < 0) return damaged_plan("a vendor's program has a range that is not a tensor");
  const plan::Tensor& tensor = plan.tables().tensors[static_cast<uint32_t>(range.tensor)];
  const auto stored = static_cast<uint64_t>(storage_bytes(tensor.type, tensor.shape, tensor.layout));
  if (range.layout != plan::RangeLayout::kPlain)
    return damaged_plan(fmt::format("a vendor's program has tensor {} in an unexpected layout", range.tensor));
  if (range.size != stored)
    return damaged_plan(
        fmt::format("a vendor's program has {} bytes of tensor {}, which has {}", range.size, range.tensor, stored));
  if (range.access == plan::RangeAccess::kReadWrite)
    return damaged_plan(fmt::format("a vendor's program reads and writes tensor {}", range.tensor));
  if (is_folded(tensor.layout) && range.access != plan::RangeAccess::kRead)
    return damaged_plan(fmt::format("a vendor's program writes tensor {}, a folded image", range.tensor));
  return &tensor;
}

PortSpec spec_of(const plan::Tensor& tensor, std::string name) {
  PortSpec spec{static_cast<uint64_t>(storage_bytes(tensor.type, tensor.shape, Layout::kPlain)), std::move(name),
                tensor.type, tensor.shape};
  if (!tensor.quantization) return spec;
  spec.scales = tensor.quantization->scales;
  spec.zero_points = tensor.quantization->zero_points;
  for (const int8_t exponent : tensor.quantization->exponents) {
    spec.scales.push_back(std::ldexp(1.0f, -exponent));
    spec.zero_points.push_back(0);
  }
  spec.axis = tensor.quantization->axis;
  return spec;
}

// Returns the blob, which is copied to `joined` if it has several segments.
Result<std::span<const std::byte>> blob_of(const Plan& plan, const plan::Program& program, AlignedMemory* joined) {
  if (program.segments.size() == 1) return plan.constant(program.segments[0]);
  uint64_t size = 0;
  for (const uint32_t segment : program.segments) size += plan.constant(segment).size();
  NESTRT_ASSIGN_OR_RETURN(*joined, AlignedMemory::allocate(size, "a vendor's program"));
  std::byte* next = joined->data();
  for (const uint32_t segment : program.segments) next = std::ranges::copy(plan.constant(segment), next).out;
  return std::span<const std::byte>(joined->data(), size);
}

}  // namespace

Result<PortedProgram> read_program(const Plan& plan, const plan::Program& program, std::string_view configuration) {
  NESTRT_RETURN_IF_ERROR(check_kind(program, configuration));
  PortedProgram ported;
  NESTRT_ASSIGN_OR_RETURN(ported.part.blob, blob_of(plan, program, &ported.joined));
  const std::vector<std::string> no_names, &names = program.vendor ? program.vendor->port_names : no_names;
  for (size_t i = 0; i < program.ranges.size(); ++i) {
    const plan::ProgramRange& range = program.ranges[i];
    NESTRT_ASSIGN_OR_RETURN(const plan::Tensor* const tensor, tensor_of(plan, range));
    const bool is_input = range.access == plan::RangeAccess::kRead;
    if (is_input && !ported.part.outputs.empty())
      return damaged_plan("a vendor's program has an input after its outputs");
    PortSpec spec = spec_of(*tensor, names.empty() ? "" : names[i]);
    ported.ports.push_back({tensor->buffer, tensor->offset, spec.bytes, tensor->layout});
    (is_input ? ported.part.inputs : ported.part.outputs).push_back(std::move(spec));
  }
  if (program.vendor)
    for (const auto& file : program.vendor->files) ported.part.files.push_back({file.name, file.offset, file.size});
  return ported;
}

}  // namespace nestrt::vendor
