#include "drivers/evta/driver/bound_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "runtime/core/channel_blocks.h"
#include "runtime/plan/verify.h"

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
  return Status(Code::kIncompatible,
                fmt::format("the program is for configuration '{}' and the unit is '{}' ({}); recompile it: nestc "
                            "compile MODEL --target cpu,evta:{}",
                            made_for, unit.name, known != nullptr ? differences(*known, unit) : "the former is unknown",
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

// The plan has been verified: a range in another layout is one that its tensor can be brought to, or some blocks of it.
std::optional<Reblocking> reblocking_of(const plan::ProgramRange& range, const plan::Tensor& tensor) {
  if (range.layout == Layout::kPlain) return std::nullopt;
  const ChannelBlocks blocks = stored_blocks(tensor.shape, tensor.layout);
  Reblocking result;
  result.images = tensor.shape[0];
  result.pixels = blocks.pixels;
  const auto blocks32 = static_cast<int64_t>(range.size) / (result.images * result.pixels * 32);
  const auto before = static_cast<int64_t>(range.offset) / (result.images * result.pixels * 16);
  result.blocks16 = std::min(blocks.blocks() - before, 2 * blocks32);
  return result;
}

}  // namespace

Result<BoundProgram> read_program(const Plan& plan, const plan::Program& program, const Configuration& configuration) {
  if (program.kind != plan::ProgramKind::kInstructions)
    return damaged_plan(fmt::format("a program for unit 'evta' is of kind {}", plan::name(program.kind)));
  if (program.configuration != configuration.name) return another_configuration(program.configuration, configuration);
  BoundProgram result;
  result.configuration = &configuration;
  const std::span<const std::byte> stream = plan.constant(program.segments[0]);
  if (stream.size() % sizeof(InstructionWord) != 0)
    return damaged_plan(
        fmt::format("an instruction stream of {} bytes is no multiple of {}", stream.size(), sizeof(InstructionWord)));
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
      binding = {tensor.buffer, tensor.offset + range.offset, reblocking_of(range, tensor)};
    } else {
      binding = {program.segments[range.segment], range.offset, {}};
    }
    if (plan.tables().buffers[binding.buffer].kind == plan::BufferKind::kConstant)
      memory.constant = plan.constant(binding.buffer).data() + binding.offset;
  }
  return result;
}

}  // namespace nestrt::evta
