// Branches and their programs.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/channel_blocks.h"
#include "runtime/plan/channels.h"
#include "runtime/plan/computed_bytes.h"
#include "runtime/plan/format.h"
#include "runtime/plan/verify_parts.h"

namespace nestrt::plan_verify {
namespace {

class BranchCheck {
 public:
  // `touched`: by tensor, the last branch whose operators have it. `writes`: what all operators compute, by operator.
  BranchCheck(Context& context, uint32_t index, std::vector<uint32_t>& touched, std::span<const Write> writes)
      : context_(context), index_(index), branch_(context.plan.branches[index]), touched_(touched), writes_(writes) {}

  // Branches follow each other in file order: `next` is the first operator that no branch has yet.
  Status operators(uint32_t* next) {
    if (branch_.operators.size() == 0) return fail("has no operators");
    for (uint32_t op : branch_.operators) {
      if (op != *next || op >= context_.plan.operators.size())
        return fail(fmt::format("has operator {} where {} is next: branches must split the operators in file order", op,
                                *next));
      ++*next;
    }
    return {};
  }

  Status programs() {
    if (branch_.programs.size() > plan_format::kMaxPrograms)
      return fail(fmt::format("has {} programs, more than {}", branch_.programs.size(), plan_format::kMaxPrograms));
    mark_operands();
    context_.computed.push_back(computed_bytes(branch_, writes_));
    const plan::Program* host = nullptr;
    for (const plan::Program& program : branch_.programs) {
      NESTRT_RETURN_IF_ERROR(verify_program(program));
      if (program.kind == plan::ProgramKind::kKernels && program.configuration.empty()) host = &program;
    }
    if (host == nullptr) return fail("has no program of kernels, which any host can run");
    for (const plan::Program& program : branch_.programs)
      if (program.unit == host->unit && program.kind != plan::ProgramKind::kKernels)
        return fail(fmt::format("has a program for unit '{}' that is not made of kernels", host->unit));
    return choices_differ();
  }

 private:
  struct Choice {
    std::string_view unit, configuration;
    uint32_t channels = 0;

    auto operator<=>(const Choice&) const = default;
    bool is_for_unit_of(const Choice& other) const {
      return unit == other.unit && configuration == other.configuration;
    }
  };

  // No unit has two programs for the same, nor more than may be tried out.
  Status choices_differ() const {
    std::vector<Choice> choices;
    for (const plan::Program& program : branch_.programs)
      choices.push_back({program.unit, program.configuration, program.channels});
    std::ranges::sort(choices);
    if (const auto twice = std::ranges::adjacent_find(choices); twice != choices.end())
      return fail(fmt::format("has two programs for unit '{}', configuration '{}' and {} channels (0: all)",
                              twice->unit, twice->configuration, twice->channels));
    for (size_t i = plan_format::kMaxWays; i < choices.size(); ++i)
      if (choices[i].is_for_unit_of(choices[i - plan_format::kMaxWays]))
        return fail(fmt::format("has more than {} programs for unit '{}' and configuration '{}'", plan_format::kMaxWays,
                                choices[i].unit, choices[i].configuration));
    return {};
  }

  Status fail(std::string what) const { return damaged_plan(fmt::format("branch {}: {}", index_, what)); }

  void mark_operands() {
    for (uint32_t index : branch_.operators) {
      const plan::Operator& op = context_.plan.operators[index];
      for (int32_t tensor : op.inputs)
        if (tensor >= 0) touched_[static_cast<uint32_t>(tensor)] = index_;
      for (int32_t tensor : op.outputs) touched_[static_cast<uint32_t>(tensor)] = index_;
    }
  }

  Status verify_program(const plan::Program& program) {
    if (program.unit.empty()) return fail("has a program for no unit");
    if (program.channels != 0) NESTRT_RETURN_IF_ERROR(verify_channels(program));
    NESTRT_RETURN_IF_ERROR(verify_selections(program));
    NESTRT_RETURN_IF_ERROR(verify_segments(program));
    NESTRT_RETURN_IF_ERROR(verify_ranges(program));
    NESTRT_RETURN_IF_ERROR(verify_writes_once(program));
    return verify_costs(program);
  }

  Status verify_channels(const plan::Program& program) {
    if (!divisible_) divisible_ = divisible_channels(context_.plan, branch_);
    const uint32_t part = program.channels, all = *divisible_;
    if (program.kind != plan::ProgramKind::kInstructions)
      return fail(
          fmt::format("has a program of kind {} for {} channels: only instructions are made for a number of channels",
                      plan::name(program.kind), part));
    if (all == 0) return fail(fmt::format("has a program for {} channels of what cannot be divided by channels", part));
    if (part % kChannelBlock == 0 && part < all) return {};
    return fail(fmt::format("has a program for {} of {} channels: expected whole blocks of {}, and not all", part, all,
                            kChannelBlock));
  }

  Status verify_selections(const plan::Program& program) {
    for (const plan::KernelSelection& selection : program.selections) {
      const size_t count = selection.kernels.size();
      if (count != branch_.operators.size())
        return fail(fmt::format("names {} kernels for {} operators", count, branch_.operators.size()));
      const size_t names = context_.plan.kernel_names.size();
      for (uint32_t kernel : selection.kernels)
        if (kernel >= names)
          return fail(fmt::format("has kernel {}, which does not exist: there are {}", kernel, names));
      NESTRT_RETURN_IF_ERROR(verify_weights(selection));
    }
    return {};
  }

  // What a kernel reads in place of input 1 is the same constant, packed otherwise.
  Status verify_weights(const plan::KernelSelection& selection) const {
    if (selection.weights.empty()) return {};
    if (selection.weights.size() != branch_.operators.size())
      return fail(fmt::format("names {} weights for {} operators", selection.weights.size(), branch_.operators.size()));
    for (size_t i = 0; i < selection.weights.size(); ++i) {
      const int32_t index = selection.weights[i];
      if (index == -1) continue;
      const plan::Operator& op = context_.plan.operators[branch_.operators[i]];
      const bool exists = index >= 0 && static_cast<size_t>(index) < context_.plan.tensors.size();
      if (!exists || op.inputs.size() < 2 || op.inputs[1] < 0 || !is_same_constant(index, op.inputs[1]))
        return fail(fmt::format("has tensor {} as weights of {}, which are no such constant", index,
                                operator_name(context_.plan, branch_.operators[i])));
    }
    return {};
  }

  bool is_same_constant(int32_t one, int32_t other) const {
    if (one == other) return true;
    const plan::Tensor& a = context_.plan.tensors[static_cast<size_t>(one)];
    const plan::Tensor& b = context_.plan.tensors[static_cast<size_t>(other)];
    const auto is_constant = [&](const plan::Tensor& tensor) {
      return context_.plan.buffers[tensor.buffer].kind == plan::BufferKind::kConstant;
    };
    // Many selections may name the same two.
    return is_constant(a) && is_constant(b) && a.type == b.type && a.shape == b.shape && a.layout == b.layout &&
           context_.compared.charge(bytes_of_quantization(a)) && a.quantization == b.quantization;
  }

  Status verify_segments(const plan::Program& program) const {
    const auto& buffers = context_.plan.buffers;
    if (program.kind != plan::ProgramKind::kKernels && program.segments.size() == 0)
      return fail(fmt::format("has a program of kind {} without segments", plan::name(program.kind)));
    for (uint32_t segment : program.segments)
      if (segment >= buffers.size() || buffers[segment].kind != plan::BufferKind::kConstant)
        return fail(fmt::format("has a program in buffer {}, which is not a constant buffer", segment));
    return {};
  }

  Status verify_ranges(const plan::Program& program) const {
    if (program.ranges.size() > plan_format::kMaxRanges)
      return fail(fmt::format("has a program for unit '{}' with {} ranges, more than {}", program.unit,
                              program.ranges.size(), plan_format::kMaxRanges));
    uint64_t free = 0;
    for (const plan::ProgramRange& range : program.ranges) {
      const uint64_t address = range.address;
      if (address < free || range.size == 0 || __builtin_add_overflow(address, range.size, &free))
        return fail(fmt::format(
            "has a range of {} bytes at address {}, which is empty, too long, or not after the range before it",
            range.size, address));
      NESTRT_RETURN_IF_ERROR(range.tensor == -1 ? verify_segment_range(program, range)
                                                : verify_tensor_range(program, range));
    }
    return {};
  }

  Status verify_segment_range(const plan::Program& program, const plan::ProgramRange& range) const {
    const auto& segments = program.segments;
    if (range.segment >= segments.size())
      return fail(
          fmt::format("has a range of segment {}, which does not exist: there are {}", range.segment, segments.size()));
    const uint64_t size = context_.plan.buffers[segments[range.segment]].size;
    if (range.size > size)
      return fail(fmt::format("has a range of {} bytes in segment {} of {}", range.size, range.segment, size));
    return range.access == plan::RangeAccess::kRead ? Status() : fail("has a program that writes a segment");
  }

  // A program may read what its branch's operators read, and write the bytes that they compute, which are not all of
  // their outputs': others compute those of a view. Only what it may write, its driver sees to, it reads no earlier
  // than that.
  Status verify_tensor_range(const plan::Program& program, const plan::ProgramRange& range) const {
    const auto at = static_cast<uint32_t>(range.tensor);
    if (range.tensor < 0 || at >= touched_.size())
      return fail(fmt::format("has a range of tensor {}, which does not exist", range.tensor));
    const auto tensor = [&] { return tensor_name(context_.plan, at); };  // for failures only: names may be long
    const Extents& computed = context_.computed[index_];
    if (touched_[at] != index_) return fail(fmt::format("has a program that uses {}, unlike its operators", tensor()));
    if (range.access != plan::RangeAccess::kRead && !holds(computed, bytes_of(context_, program, range)))
      return fail(fmt::format("has a program that writes {}, unlike its operators", tensor()));
    if (range.access != plan::RangeAccess::kRead && !lives_to_end(at))
      return fail(fmt::format("has a program that writes {}, whose life ends before the branch does", tensor()));
    if (range.access == plan::RangeAccess::kRead && touches(computed, context_.extents[at]))
      return fail(fmt::format("has a program that reads {}, which its operators compute", tensor()));
    if (range.layout != Layout::kPlain) return verify_converted_range(program, range, at);
    const uint64_t size = context_.extents[at].end - context_.extents[at].begin;
    if (program.channels != 0 && is_cut(at)) return verify_part_range(range, at, size, program.channels, kChannelBlock);
    if (range.size > size)
      return fail(fmt::format("has a range of {} bytes in {}, which has {}", range.size, tensor(), size));
    return {};
  }

  // A program writes in an order of its own, and its results are looked at when it is over. So none of them may lie
  // where operators write others later; of two buffers that live to the same operator, no memory plan lets that happen.
  bool lives_to_end(uint32_t at) const {
    const plan::Buffer& buffer = context_.plan.buffers[context_.plan.tensors[at].buffer];
    return buffer.kind != plan::BufferKind::kArena || buffer.last_use >= branch_.operators.back();
  }

  // Bytes that two ranges write would be those of either, as they come to lie.
  Status verify_writes_once(const plan::Program& program) const {
    std::vector<Extent> written = written_bytes(context_, program);
    std::erase_if(written, [](const Extent& bytes) { return bytes.begin == bytes.end; });
    std::sort(written.begin(), written.end());
    const auto twice = std::ranges::adjacent_find(written, &Extent::overlaps);
    if (twice == written.end()) return {};
    return fail(fmt::format("has a program with two ranges that write bytes [{}, {}) of buffer {}", (twice + 1)->begin,
                            std::min(twice->end, (twice + 1)->end), twice->buffer));
  }

  // Whether a program for some channels has to do with those of the tensor only. Requires: the branch is divisible.
  bool is_cut(uint32_t at) const {
    const plan::Operator& op = context_.plan.operators[branch_.operators[0]];
    const auto& inputs = op.inputs;
    for (uint32_t i = 0; i < inputs.size(); ++i)
      if (inputs[i] == static_cast<int32_t>(at) && channel_axis(op.attributes, i) != 1) return false;
    return true;
  }

  // The first `part` channels of a tensor, which has `size` bytes in such blocks, and no more: others are computed
  // elsewhere.
  Status verify_part_range(const plan::ProgramRange& range, uint32_t at, uint64_t size, uint32_t part,
                           uint32_t block) const {
    const uint32_t blocks = (*divisible_ + block - 1) / block;
    if (part % block == 0 && range.size == size / blocks * (part / block)) return {};
    return fail(fmt::format(
        "has a program for {} channels with a range of {} bytes in {}, which has {} for {} channels in blocks of {}",
        part, range.size, tensor_name(context_.plan, at), size, *divisible_, block));
  }

  Status verify_converted_range(const plan::Program& program, const plan::ProgramRange& range, uint32_t at) const {
    const plan::Tensor& tensor = context_.plan.tensors[at];
    const bool constant = context_.plan.buffers[tensor.buffer].kind == plan::BufferKind::kConstant;
    const bool has_blocks = block_size(tensor.layout) == 16;
    if (tensor.type == DataType::kS8 && !constant && has_blocks && range.layout == Layout::kBlocked32)
      return verify_widened_range(program, range, at);
    return fail(
        fmt::format("has a range of {} in a layout that it cannot be brought to", tensor_name(context_.plan, at)));
  }

  // Blocks of 32 channels where the tensor has 16: at most twice its bytes. Programs for some channels may leave out
  // blocks at the end.
  Status verify_widened_range(const plan::Program& program, const plan::ProgramRange& range, uint32_t at) const {
    const plan::Tensor& tensor = context_.plan.tensors[at];
    const auto channels = static_cast<uint64_t>(stored_blocks(tensor.shape, tensor.layout).channels);
    const uint64_t blocks16 = (channels + 15) / 16;
    const uint64_t bytes16 = context_.extents[at].end - context_.extents[at].begin;
    const uint64_t blocks32 = (channels + 31) / 32, size = blocks16 == 0 ? 0 : bytes16 / blocks16 * 2 * blocks32;
    if (program.channels != 0 && is_cut(at)) return verify_part_range(range, at, size, program.channels, 32);
    const bool some_blocks = program.channels != 0 && range.size < size && range.size % (size / blocks32) == 0;
    if (range.size == size || some_blocks) return {};
    return fail(fmt::format("has a range of {} bytes for {}, which has {} in blocks of 32 channels", range.size,
                            tensor_name(context_.plan, at), size));
  }

  Status verify_costs(const plan::Program& program) const {
    for (const plan::Cost& cost : program.costs) {
      if (!(std::isfinite(cost.microseconds) && cost.microseconds >= 0)) return fail("has a cost that is not a time");
    }
    return {};
  }

  Context& context_;
  uint32_t index_;
  const plan::Branch& branch_;
  std::vector<uint32_t>& touched_;
  std::span<const Write> writes_;
  std::optional<uint32_t> divisible_;  // once it was asked for
};

}  // namespace

Extent bytes_of(const Context& context, const plan::Program& program, const plan::ProgramRange& range) {
  Extent bytes = context.extents[static_cast<uint32_t>(range.tensor)];
  const bool is_as_long = range.layout == Layout::kPlain && program.channels == 0;
  if (is_as_long) bytes.end = bytes.begin + std::min(range.size, bytes.end - bytes.begin);
  return bytes;
}

std::vector<Extent> written_bytes(const Context& context, const plan::Program& program) {
  std::vector<Extent> written;
  for (const plan::ProgramRange& range : program.ranges)
    if (range.tensor >= 0 && range.access != plan::RangeAccess::kRead)
      written.push_back(bytes_of(context, program, range));
  return written;
}

Status verify_programs(Context& context) {
  uint32_t next = 0;
  std::vector<uint32_t> touched(context.plan.tensors.size(), UINT32_MAX);
  std::vector<Write> writes = context.writes;
  std::ranges::sort(writes, {}, &Write::operator_index);
  for (uint32_t index = 0; index < context.plan.branches.size(); ++index) {
    BranchCheck branch(context, index, touched, writes);
    NESTRT_RETURN_IF_ERROR(branch.operators(&next));
    NESTRT_RETURN_IF_ERROR(branch.programs());
  }
  if (next != context.plan.operators.size())
    return damaged_plan(fmt::format("{}: belongs to no branch", operator_name(context.plan, next)));
  return {};
}

}  // namespace nestrt::plan_verify
