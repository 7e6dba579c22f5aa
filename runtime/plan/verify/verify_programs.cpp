// SPDX-License-Identifier: Apache-2.0
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
#include "runtime/plan/format/format.h"
#include "runtime/plan/queries/channels.h"
#include "runtime/plan/verify/computed_bytes.h"
#include "runtime/plan/verify/verify_parts.h"

namespace nestrt::plan_verify {
namespace {

class BranchCheck {
 public:
  // `touched`: per tensor, the last branch whose operators access it. `writes`: the writes of all operators, in
  // operator order.
  BranchCheck(Context& context, uint32_t index, std::vector<uint32_t>& touched, std::span<const Write> writes)
      : context_(context), index_(index), branch_(context.plan.branches[index]), touched_(touched), writes_(writes) {}

  // Branches are consecutive in file order: `next` is the first operator that belongs to no branch yet.
  Status operators(uint32_t* next) {
    if (branch_.operators.size() == 0) return fail("has no operators");
    for (uint32_t op : branch_.operators) {
      if (op != *next || op >= context_.plan.operators.size())
        return fail(fmt::format(
            "starts with operator {}, expected {}: branches must contain the operators in file order", op, *next));
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
    if (is_opaque())
      return host == nullptr ? choices_differ() : fail("has a kernel program, but its operator has no kernels");
    if (host == nullptr) return fail("has no kernel program, which any host can run");
    for (const plan::Program& program : branch_.programs)
      if (program.unit == host->unit && program.kind != plan::ProgramKind::kKernels)
        return fail(fmt::format("has a program for unit '{}' that does not consist of kernels", host->unit));
    return choices_differ();
  }

 private:
  // Returns whether the operator has no kernel. Such an operator is alone in its branch, which has another program.
  bool is_opaque() const {
    return branch_.operators.size() == 1 && !branch_.programs.empty() &&
           context_.plan.operators[branch_.operators[0]].kind() == ops::Kind::kOpaque;
  }

  struct Choice {
    std::string_view unit, configuration;
    ChannelRange channels;

    auto operator<=>(const Choice&) const = default;
    bool is_for_unit_of(const Choice& other) const {
      return unit == other.unit && configuration == other.configuration;
    }
  };

  // Checks that no unit has two programs for the same channels, or more alternatives than allowed.
  Status choices_differ() const {
    std::vector<Choice> choices;
    for (const plan::Program& program : branch_.programs)
      choices.push_back({program.unit, program.configuration, program.channels});
    std::ranges::sort(choices);
    if (const auto twice = std::ranges::adjacent_find(choices); twice != choices.end())
      return fail(fmt::format("has two programs for unit '{}', configuration '{}' and channels {} (0-0: all)",
                              twice->unit, twice->configuration, to_string(twice->channels)));
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
    if (program.unit.empty()) return fail("has a program without a unit");
    if (program.channels != ChannelRange()) NESTRT_RETURN_IF_ERROR(verify_channels(program));
    NESTRT_RETURN_IF_ERROR(verify_selections(program));
    NESTRT_RETURN_IF_ERROR(verify_segments(program));
    NESTRT_RETURN_IF_ERROR(verify_ranges(program));
    NESTRT_RETURN_IF_ERROR(verify_writes_once(program));
    return verify_costs(program);
  }

  Status verify_channels(const plan::Program& program) {
    find_divisible();
    const auto part = [&] { return to_string(program.channels); };
    if (program.kind != plan::ProgramKind::kInstructions)
      return fail(fmt::format(
          "has a program of kind {} for channels {}: only instruction programs may compute some of the channels",
          plan::name(program.kind), part()));
    if (*divisible_ == 0)
      return fail(fmt::format("has a program for channels {}, but cannot be divided by channels", part()));
    if (is_part(*divisible_, rows_, program.channels) && program.channels != ChannelRange{0, *divisible_}) return {};
    return fail(fmt::format("has a program for channels {} of {} channels: expected whole blocks of {}{}, and not all",
                            part(), *divisible_, kChannelBlock,
                            rows_ == 1 ? "" : fmt::format(" or some of their {} rows", rows_)));
  }

  void find_divisible() {
    if (divisible_) return;
    divisible_ = divisible_channels(context_.plan, branch_);
    if (*divisible_ > 0) rows_ = divisible_rows(context_.plan, branch_);
  }

  Status verify_selections(const plan::Program& program) {
    for (const plan::KernelSelection& selection : program.selections) {
      const size_t count = selection.kernels.size();
      if (count != branch_.operators.size())
        return fail(fmt::format("selects {} kernels for {} operators", count, branch_.operators.size()));
      const size_t names = context_.plan.kernel_names.size();
      for (uint32_t kernel : selection.kernels)
        if (kernel >= names)
          return fail(fmt::format("has kernel {}, which does not exist: the plan has {}", kernel, names));
      NESTRT_RETURN_IF_ERROR(verify_weights(selection));
      NESTRT_RETURN_IF_ERROR(verify_alternatives(selection));
    }
    return {};
  }

  Status verify_alternatives(const plan::KernelSelection& selection) const {
    const auto& all = selection.alternatives;
    for (size_t i = 0; i < all.size(); ++i) {
      const plan::KernelAlternative& other = all[i];
      if (other.op >= branch_.operators.size() || other.kernel >= context_.plan.kernel_names.size())
        return fail(fmt::format("has kernel {} as an alternative for operator {} of {}, one of which does not exist",
                                other.kernel, other.op, branch_.operators.size()));
      if (i > 0 && other.op < all[i - 1].op) return fail("has alternatives that are not in operator order");
      if (i >= plan_format::kMaxAlternatives && all[i - plan_format::kMaxAlternatives].op == other.op)
        return fail(fmt::format("has more than {} alternatives for one operator", plan_format::kMaxAlternatives));
      NESTRT_RETURN_IF_ERROR(verify_weights(other.op, other.weights));
    }
    return {};
  }

  // Checks that the tensor that replaces input 1 for the kernels is the same constant in another packing.
  Status verify_weights(const plan::KernelSelection& selection) const {
    if (selection.weights.empty()) return {};
    if (selection.weights.size() != branch_.operators.size())
      return fail(
          fmt::format("selects {} weights for {} operators", selection.weights.size(), branch_.operators.size()));
    for (size_t i = 0; i < selection.weights.size(); ++i)
      NESTRT_RETURN_IF_ERROR(verify_weights(i, selection.weights[i]));
    return {};
  }

  Status verify_weights(size_t position, int32_t index) const {
    if (index == -1) return {};
    const plan::Operator& op = context_.plan.operators[branch_.operators[position]];
    const bool exists = index >= 0 && static_cast<size_t>(index) < context_.plan.tensors.size();
    if (!exists || op.inputs.size() < 2 || op.inputs[1] < 0 || !is_same_constant(index, op.inputs[1]))
      return fail(fmt::format("has tensor {} as weights of {}, but it is not the same constant in another packing",
                              index, operator_name(context_.plan, branch_.operators[position])));
    return {};
  }

  bool is_same_constant(int32_t one, int32_t other) const {
    if (one == other) return true;
    const plan::Tensor& a = context_.plan.tensors[static_cast<size_t>(one)];
    const plan::Tensor& b = context_.plan.tensors[static_cast<size_t>(other)];
    const auto is_constant = [&](const plan::Tensor& tensor) {
      return context_.plan.buffers[tensor.buffer].kind == plan::BufferKind::kConstant;
    };
    // Charges the comparison, because many selections may refer to the same pair.
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
            "has a range of {} bytes at address {} that is empty, too long, or not after the previous range",
            range.size, address));
      NESTRT_RETURN_IF_ERROR(range.tensor == -1 ? verify_segment_range(program, range)
                                                : verify_tensor_range(program, range));
    }
    return {};
  }

  Status verify_segment_range(const plan::Program& program, const plan::ProgramRange& range) const {
    const auto& segments = program.segments;
    if (range.segment >= segments.size())
      return fail(fmt::format("has a range of segment {}, which does not exist: the program has {}", range.segment,
                              segments.size()));
    const uint64_t size = context_.plan.buffers[segments[range.segment]].size;
    if (range.size > size || range.offset > size - range.size || range.offset % plan_format::kSegmentAlignment != 0)
      return fail(fmt::format(
          "has a range of {} bytes at offset {} of segment {} with {} bytes: expected one within it, at a multiple "
          "of {}",
          range.size, range.offset, range.segment, size, plan_format::kSegmentAlignment));
    return range.access == plan::RangeAccess::kRead ? Status() : fail("has a program that writes a segment");
  }

  // Checks a range of a tensor. A program may read what its branch's operators read, and write the bytes that they
  // compute. These need not be all bytes of their outputs, because other branches compute the bytes of views. The
  // driver ensures that a program reads write-only bytes only after writing them.
  Status verify_tensor_range(const plan::Program& program, const plan::ProgramRange& range) const {
    const auto at = static_cast<uint32_t>(range.tensor);
    if (range.tensor < 0 || at >= touched_.size())
      return fail(fmt::format("has a range of tensor {}, which does not exist", range.tensor));
    // called on failure only, because names may be long
    const auto tensor = [&] { return tensor_name(context_.plan, at); };
    const Extents& computed = context_.computed[index_];
    if (touched_[at] != index_)
      return fail(fmt::format("has a program that uses {}, but its operators do not", tensor()));
    if (range.access != plan::RangeAccess::kRead && !holds(computed, bytes_of(context_, program, range)))
      return fail(fmt::format("has a program that writes {}, but its operators do not", tensor()));
    if (range.access != plan::RangeAccess::kRead && !lives_to_end(at))
      return fail(fmt::format("has a program that writes {}, whose lifetime ends before the branch does", tensor()));
    if (range.access == plan::RangeAccess::kRead && touches(computed, context_.extents[at]))
      return fail(fmt::format("has a program that reads {}, which its operators compute", tensor()));
    if (range.layout != plan::RangeLayout::kPlain) return verify_converted_range(program, range, at);
    const uint64_t size = size_of(at);
    if (!program.channels.all() && is_cut(at)) return verify_part_range(range, at, size, program.channels);
    if (range.size > size || range.offset > size - range.size)
      return fail(fmt::format("has a range of {} bytes at offset {} of {}, which has {}", range.size, range.offset,
                              tensor(), size));
    return verify_begin(range, at);
  }

  uint64_t size_of(uint32_t at) const { return context_.extents[at].end - context_.extents[at].begin; }

  // Checks that results begin at the start of their tensor.
  Status verify_begin(const plan::ProgramRange& range, uint32_t at) const {
    if (range.offset == 0 || range.access == plan::RangeAccess::kRead) return {};
    return fail(fmt::format("has a range of {} that starts at byte {}: expected its first byte",
                            tensor_name(context_.plan, at), range.offset));
  }

  // Returns whether the tensor's buffer is alive until the end of the branch. A program may write in any order, and its
  // results are complete only when it ends, so they must not overlap anything that later operators write. Every memory
  // plan ensures this for two buffers that are alive until the same operator.
  bool lives_to_end(uint32_t at) const {
    const plan::Buffer& buffer = context_.plan.buffers[context_.plan.tensors[at].buffer];
    return buffer.kind != plan::BufferKind::kArena || buffer.last_use >= branch_.operators.back();
  }

  // Checks that no two ranges write the same bytes, because their value would then depend on the order of the writes.
  Status verify_writes_once(const plan::Program& program) const {
    std::vector<Extent> written = written_bytes(context_, program);
    std::erase_if(written, [](const Extent& bytes) { return bytes.begin == bytes.end; });
    std::sort(written.begin(), written.end());
    const auto twice = std::ranges::adjacent_find(written, &Extent::overlaps);
    if (twice == written.end()) return {};
    return fail(fmt::format("has a program with two ranges that write bytes [{}, {}) of buffer {}", (twice + 1)->begin,
                            std::min(twice->end, (twice + 1)->end), twice->buffer));
  }

  // Returns whether a program for some channels accesses only these channels of the tensor. Requires: a divisible
  // branch.
  bool is_cut(uint32_t at) const {
    const plan::Operator& op = context_.plan.operators[branch_.operators[0]];
    const auto& inputs = op.inputs;
    for (uint32_t i = 0; i < inputs.size(); ++i)
      if (inputs[i] == static_cast<int32_t>(at) && channel_axis(op.attributes, i) != 1) return false;
    return true;
  }

  // Checks that the range contains exactly these channels and rows of a tensor of `size` bytes; other programs compute
  // the rest.
  Status verify_part_range(const plan::ProgramRange& range, uint32_t at, uint64_t size, ChannelRange part) const {
    const uint64_t lines = uint64_t{(*divisible_ + kChannelBlock - 1) / kChannelBlock} * rows_;
    const auto line_of = [&](uint32_t channel, uint32_t row) {
      return uint64_t{(channel + kChannelBlock - 1) / kChannelBlock} * rows_ + row;
    };
    const uint64_t begin = line_of(part.begin, part.begin_row), end = line_of(part.end, part.end_row);
    if (size % lines == 0 && range.offset == size / lines * begin && range.size == size / lines * (end - begin))
      return {};
    return wrong_part(range, at, size, part);
  }

  Status wrong_part(const plan::ProgramRange& range, uint32_t at, uint64_t size, ChannelRange part) const {
    return fail(
        fmt::format("has a program for channels {} with a range of {} bytes at offset {} of {}, which has {} for "
                    "{} channels",
                    to_string(part), range.size, range.offset, tensor_name(context_.plan, at), size, *divisible_));
  }

  Status verify_converted_range(const plan::Program& program, const plan::ProgramRange& range, uint32_t at) const {
    const plan::Tensor& tensor = context_.plan.tensors[at];
    const bool constant = context_.plan.buffers[tensor.buffer].kind == plan::BufferKind::kConstant;
    const bool has_blocks = block_size(tensor.layout) == 16;
    const bool is_reblocked =
        range.layout == plan::RangeLayout::kBlocked8 || range.layout == plan::RangeLayout::kBlocked32;
    if (tensor.type == DataType::kS8 && !constant && has_blocks && is_reblocked)
      return verify_other_blocks(program, range, at, static_cast<uint64_t>(plan::block_of(range.layout)));
    if (range.layout == plan::RangeLayout::kBytes16 && is_wide_result(range, at))
      return verify_bytes_range(program, range, at);
    if (range.layout == plan::RangeLayout::kBytes32 && is_wide_result(range, at))
      return verify_other_blocks(program, range, at, 32);
    return fail(
        fmt::format("has a range of {} in a layout that it cannot be converted to", tensor_name(context_.plan, at)));
  }

  // Returns whether the range contains the bytes of accumulators that the host converts to f32.
  bool is_wide_result(const plan::ProgramRange& range, uint32_t at) const {
    const plan::Operator& op = context_.plan.operators[branch_.operators[0]];
    const plan::Tensor& tensor = context_.plan.tensors[at];
    const auto* const conv = op.as<ops::Conv>();
    return range.access == plan::RangeAccess::kWrite && branch_.operators.size() == 1 && conv != nullptr &&
           conv->wide_output && op.outputs[0] == static_cast<int32_t>(at) && tensor.type == DataType::kF32 &&
           tensor.layout == Layout::kBlocked16;
  }

  // Checks that the range has as many bytes as the f32 elements, in the same order of channels.
  Status verify_bytes_range(const plan::Program& program, const plan::ProgramRange& range, uint32_t at) const {
    const uint64_t size = size_of(at);
    if (!program.channels.all()) return verify_part_range(range, at, size, program.channels);
    if (range.size == size && range.offset == 0) return {};
    return fail(fmt::format("has a range of {} bytes of accumulators for {}, which has {}", range.size,
                            tensor_name(context_.plan, at), size));
  }

  // Checks a range in blocks of `block` channels, 8 or 32, of a tensor in blocks of 16: it has all blocks that the
  // channels need. Programs for some channels may omit blocks at the end.
  Status verify_other_blocks(const plan::Program& program, const plan::ProgramRange& range, uint32_t at,
                             uint64_t block) const {
    const plan::Tensor& tensor = context_.plan.tensors[at];
    const ChannelBlocks stored = stored_blocks(tensor.shape, tensor.layout);
    const auto blocks16 = static_cast<uint64_t>(stored.blocks());
    const BlockBytes bytes = {blocks16 == 0 ? 0 : size_of(at) / blocks16, block};
    const uint64_t blocks = (static_cast<uint64_t>(stored.channels) + block - 1) / block, size = bytes.own() * blocks;
    if (!program.channels.all() && is_cut(at)) return verify_part_of_other_blocks(range, at, bytes, program.channels);
    NESTRT_RETURN_IF_ERROR(verify_begin(range, at));
    if (range.size == size && range.offset == 0) return {};
    const bool are_blocks = bytes.own() > 0 && range.size % bytes.own() == 0 && range.offset % bytes.whole() == 0;
    if (!program.channels.all() && are_blocks && range.size < size &&
        range.offset / bytes.plan * 16 / block <= blocks - range.size / bytes.own())
      return {};
    return fail(fmt::format("has a range of {} bytes for {}, which has {} in blocks of {} channels", range.size,
                            tensor_name(context_.plan, at), size, block));
  }

  // The bytes of all pixels of a block of channels.
  struct BlockBytes {
    uint64_t plan = 0;    // of 16 channels
    uint64_t block = 16;  // channels of a block of the program

    uint64_t own() const { return plan * block / 16; }
    // Returns the number of channels, and their bytes, that are whole blocks in both forms.
    uint64_t whole_channels() const { return std::max<uint64_t>(block, 16); }
    uint64_t whole() const { return plan * whole_channels() / 16; }
  };

  // Checks that the range contains blocks that are whole in both forms, except the last.
  Status verify_part_of_other_blocks(const plan::ProgramRange& range, uint32_t at, const BlockBytes& bytes,
                                     ChannelRange part) const {
    const uint64_t block = bytes.block, whole = bytes.whole_channels();
    const bool is_whole =
        part.begin % whole == 0 && (part.end % whole == 0 || part.end == *divisible_) && part.has_whole_blocks();
    const uint64_t begin = part.begin / block, end = (uint64_t{part.end} + block - 1) / block;
    if (is_whole && range.offset == bytes.plan * (part.begin / 16) && range.size == bytes.own() * (end - begin))
      return {};
    return wrong_part(range, at, bytes.own() * ((uint64_t{*divisible_} + block - 1) / block), part);
  }

  Status verify_costs(const plan::Program& program) const {
    for (const plan::Cost& cost : program.costs) {
      if (!(std::isfinite(cost.microseconds) && cost.microseconds >= 0)) return fail("has an invalid cost");
    }
    return {};
  }

  Context& context_;
  uint32_t index_;
  const plan::Branch& branch_;
  std::vector<uint32_t>& touched_;
  std::span<const Write> writes_;
  std::optional<uint32_t> divisible_;  // channel count, once it has been computed
  uint32_t rows_ = 1;                  // row count, once it has been computed
};

}  // namespace

Extent bytes_of(const Context& context, const plan::Program& program, const plan::ProgramRange& range) {
  Extent bytes = context.extents[static_cast<uint32_t>(range.tensor)];
  const bool is_as_long = range.layout == plan::RangeLayout::kPlain && program.channels.all();
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
    return damaged_plan(fmt::format("{}: does not belong to a branch", operator_name(context.plan, next)));
  return {};
}

}  // namespace nestrt::plan_verify
