// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/driver/bound_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "runtime/core/channel_blocks.h"
#include "runtime/plan/verify/verify.h"

namespace nestrt::evta {
namespace {

std::string differences(const Configuration& made_for, const Configuration& unit) {
  std::string result;
  const auto compare = [&](std::string_view field, int64_t theirs, int64_t ours) {
    if (theirs != ours) result += fmt::format("{}{} {} instead of {}", result.empty() ? "" : ", ", field, theirs, ours);
  };
  compare("batch", made_for.batch(), unit.batch());
  compare("block", made_for.block(), unit.block());
  compare("micro-ops", made_for.uop_depth(), unit.uop_depth());
  compare("input vectors", made_for.inp_depth(), unit.inp_depth());
  compare("weight tiles", made_for.wgt_depth(), unit.wgt_depth());
  compare("accumulators", made_for.acc_depth(), unit.acc_depth());
  return result;
}

Status another_configuration(std::string_view made_for, const Configuration& unit) {
  const Configuration* const known = find_configuration(made_for);
  return Status(
      Code::kIncompatible,
      fmt::format(
          "the program is for configuration '{}', but the unit has configuration '{}' ({}); recompile it: nestc "
          "compile MODEL --target cpu,evta:{}",
          made_for, unit.name, known != nullptr ? differences(*known, unit) : "the program's configuration is unknown",
          unit.name));
}

MemoryRange::Access access_of(plan::RangeAccess access) {
  switch (access) {
    case plan::RangeAccess::kWrite:
      return MemoryRange::Access::kWrite;
    case plan::RangeAccess::kReadWrite:
      return MemoryRange::Access::kReadWrite;
    case plan::RangeAccess::kRead:
      break;
  }
  return MemoryRange::Access::kRead;
}

// The plan is verified: a range in another layout covers a tensor that can be converted to that layout, or whole blocks
// of it.
Reblocking reblocking_of(const plan::ProgramRange& range, const plan::Tensor& tensor) {
  const ChannelBlocks blocks = stored_blocks(tensor.shape, tensor.layout);
  Reblocking result;
  result.images = tensor.shape[0];
  result.pixels = blocks.pixels;
  result.block = plan::block_of(range.layout);
  result.unit_blocks = static_cast<int64_t>(range.size) / (result.images * result.pixels * result.block);
  const auto before = static_cast<int64_t>(range.offset) / (result.images * result.pixels * 16);
  result.blocks16 = std::min(blocks.blocks() - before, (result.unit_blocks * result.block + 15) / 16);
  return result;
}

// The plan is verified: the branch's only operator is a convolution with this output.
Result<Widening> widening_of(const plan::ProgramRange& range, const plan::Tables& tables, uint32_t branch) {
  const plan::Operator& conv = tables.operators[tables.branches[branch].operators[0]];
  const auto tensor = [&](int32_t index) -> const plan::Tensor& {
    return tables.tensors[static_cast<uint32_t>(index)];
  };
  const auto &input = tensor(conv.inputs[0]).quantization, &weights = tensor(conv.inputs[1]).quantization;
  const plan::Tensor& output = tensor(range.tensor);
  const ChannelBlocks blocks = stored_blocks(output.shape, output.layout);
  const auto is_for_all = [&](size_t exponents) {
    return exponents == 1 || exponents == static_cast<uint64_t>(blocks.channels);
  };
  if (!input || input->exponents.size() != 1 || !weights || !is_for_all(weights->exponents.size()))
    return damaged_plan(fmt::format("a program writes accumulators of '{}', which has no exponents", conv.name));
  Widening result;
  result.images = output.shape[0];
  result.pixels = blocks.pixels;
  result.block = range.layout == plan::RangeLayout::kBytes32 ? 2 * kLanes : kLanes;
  result.channels = blocks.channels;
  result.input_exponent = input->exponents[0];
  result.exponents = weights->exponents;
  const int64_t vector_bytes = result.images * kLanes * static_cast<int64_t>(sizeof(float));
  result.first_vector = static_cast<int64_t>(range.offset) / vector_bytes;
  const int64_t left = blocks.blocks() * blocks.pixels - result.first_vector;
  result.vectors = std::min(static_cast<int64_t>(range.size) / vector_bytes, left);
  return result;
}

Result<MaybeConversion> conversion_of(const plan::ProgramRange& range, const plan::Tables& tables, uint32_t branch) {
  switch (range.layout) {
    case plan::RangeLayout::kBytes16:
    case plan::RangeLayout::kBytes32: {
      NESTRT_ASSIGN_OR_RETURN(const Widening widening, widening_of(range, tables, branch));
      return MaybeConversion(widening);
    }
    case plan::RangeLayout::kBlocked8:
    case plan::RangeLayout::kBlocked32:
      return MaybeConversion(reblocking_of(range, tables.tensors[static_cast<uint32_t>(range.tensor)]));
    case plan::RangeLayout::kPlain:
      break;
  }
  return MaybeConversion();
}

}  // namespace

Result<BoundProgram> read_program(const Plan& plan, uint32_t branch, const plan::Program& program,
                                  const Configuration& configuration) {
  if (program.kind != plan::ProgramKind::kInstructions)
    return damaged_plan(fmt::format("a program for unit 'evta' is of kind {}", plan::name(program.kind)));
  if (program.configuration != configuration.name) return another_configuration(program.configuration, configuration);
  BoundProgram result;
  result.configuration = &configuration;
  const std::span<const std::byte> stream = plan.constant(program.segments[0]);
  if (stream.size() % sizeof(InstructionWord) != 0)
    return damaged_plan(fmt::format("an instruction stream has {} bytes, which is not a multiple of {}", stream.size(),
                                    sizeof(InstructionWord)));
  result.instructions = {reinterpret_cast<const InstructionWord*>(stream.data()),
                         stream.size() / sizeof(InstructionWord)};
  for (const plan::ProgramRange& range : program.ranges) {
    MemoryRange& memory = result.ranges.emplace_back();
    memory.address = range.address;
    memory.size = range.size;
    memory.access = access_of(range.access);
    BoundProgram::Binding& binding = result.bindings.emplace_back();
    if (range.tensor >= 0) {
      const plan::Tensor& tensor = plan.tables().tensors[static_cast<uint32_t>(range.tensor)];
      NESTRT_ASSIGN_OR_RETURN(const MaybeConversion conversion, conversion_of(range, plan.tables(), branch));
      binding = {tensor.buffer, tensor.offset + range.offset, conversion};
    } else {
      binding = {program.segments[range.segment], range.offset, {}};
    }
    if (plan.tables().buffers[binding.buffer].kind == plan::BufferKind::kConstant)
      memory.constant = plan.constant(binding.buffer).data() + binding.offset;
  }
  return result;
}

}  // namespace nestrt::evta
