// Branches and their programs.
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "runtime/plan/channels.h"
#include "runtime/plan/folding.h"
#include "runtime/plan/verify_parts.h"

namespace nestrt::plan_verify {
namespace {

// What the operators of a branch do with a tensor, by the last branch that touches it.
struct Touched {
  uint32_t branch = UINT32_MAX;
  bool computed = false;
};

class BranchCheck {
 public:
  BranchCheck(Context& context, uint32_t index, std::vector<Touched>& touched)
      : context_(context), index_(index), branch_(context.plan.branches[index]), touched_(touched) {}

  // Branches follow each other in file order: `next` is the first operator that no branch has yet.
  Status operators(uint32_t* next) {
    if (branch_.operators.size() == 0) return fail("has no operators");
    for (uint32_t op : branch_.operators) {
      if (op != *next || op >= context_.plan.operators.size())
        return fail(
            text("has operator ", op, " where ", *next, " is next: branches must split the operators in file order"));
      ++*next;
    }
    return {};
  }

  Status programs() {
    mark_operands();
    const plan::Program* host = nullptr;
    for (const plan::Program& program : branch_.programs) {
      NESTRT_RETURN_IF_ERROR(verify_program(program));
      if (program.kind == plan::ProgramKind::kKernels && program.fingerprint.empty()) host = &program;
    }
    if (host == nullptr) return fail("has no program of kernels, which any host can run");
    for (const plan::Program& program : branch_.programs)
      if (program.unit == host->unit && program.kind != plan::ProgramKind::kKernels)
        return fail(text("has a program for unit '", host->unit, "' that is not made of kernels"));
    return {};
  }

 private:
  Status fail(std::string what) const { return damaged_plan(text("branch ", index_, ": ", what)); }

  void mark_operands() {
    for (uint32_t index : branch_.operators) {
      const plan::Operator& op = context_.plan.operators[index];
      for (int32_t tensor : op.inputs)
        if (tensor >= 0 && touched_[static_cast<uint32_t>(tensor)].branch != index_)
          touched_[static_cast<uint32_t>(tensor)] = {index_, false};
      for (int32_t tensor : op.outputs) touched_[static_cast<uint32_t>(tensor)] = {index_, true};
    }
  }

  Status verify_program(const plan::Program& program) {
    if (program.unit.empty()) return fail("has a program for no unit");
    if (program.channels != 0) NESTRT_RETURN_IF_ERROR(verify_channels(program));
    NESTRT_RETURN_IF_ERROR(verify_selections(program));
    NESTRT_RETURN_IF_ERROR(verify_segments(program));
    NESTRT_RETURN_IF_ERROR(verify_ranges(program));
    return verify_costs(program);
  }

  Status verify_channels(const plan::Program& program) {
    if (!divisible_) divisible_ = divisible_channels(context_.plan, branch_);
    const uint32_t part = program.channels, all = *divisible_;
    if (program.kind != plan::ProgramKind::kInstructions)
      return fail(text("has a program of kind ", plan::name(program.kind), " for ", part,
                       " channels: only instructions are made for a number of channels"));
    if (all == 0) return fail(text("has a program for ", part, " channels of what cannot be divided by channels"));
    if (part % kChannelBlock == 0 && part < all) return {};
    return fail(text("has a program for ", part, " of ", all, " channels: expected whole blocks of ", kChannelBlock,
                     ", and not all"));
  }

  Status verify_selections(const plan::Program& program) {
    for (const plan::KernelSelection& selection : program.selections) {
      const size_t count = selection.kernels.size();
      if (count != branch_.operators.size())
        return fail(text("names ", count, " kernels for ", branch_.operators.size(), " operators"));
      const size_t names = context_.plan.kernel_names.size();
      for (uint32_t kernel : selection.kernels)
        if (kernel >= names) return fail(text("has kernel ", kernel, ", which does not exist: there are ", names));
      NESTRT_RETURN_IF_ERROR(verify_weights(selection));
    }
    return {};
  }

  // What a kernel reads in place of input 1 is the same constant, packed otherwise.
  Status verify_weights(const plan::KernelSelection& selection) const {
    if (selection.weights.empty()) return {};
    if (selection.weights.size() != branch_.operators.size())
      return fail(text("names ", selection.weights.size(), " weights for ", branch_.operators.size(), " operators"));
    for (size_t i = 0; i < selection.weights.size(); ++i) {
      const int32_t index = selection.weights[i];
      if (index == -1) continue;
      const plan::Operator& op = context_.plan.operators[branch_.operators[i]];
      const bool exists = index >= 0 && static_cast<size_t>(index) < context_.plan.tensors.size();
      if (!exists || op.inputs.size() < 2 || op.inputs[1] < 0 || !is_same_constant(index, op.inputs[1]))
        return fail(text("has tensor ", index, " as weights of ", operator_name(context_.plan, branch_.operators[i]),
                         ", which are no such constant"));
    }
    return {};
  }

  bool is_same_constant(int32_t one, int32_t other) const {
    const plan::Tensor& a = context_.plan.tensors[static_cast<size_t>(one)];
    const plan::Tensor& b = context_.plan.tensors[static_cast<size_t>(other)];
    const auto is_constant = [&](const plan::Tensor& tensor) {
      return context_.plan.buffers[tensor.buffer].kind == plan::BufferKind::kConstant;
    };
    return is_constant(a) && is_constant(b) && a.type == b.type && a.shape == b.shape && a.layout == b.layout &&
           a.quantization == b.quantization;
  }

  Status verify_segments(const plan::Program& program) const {
    const auto& buffers = context_.plan.buffers;
    if (program.kind != plan::ProgramKind::kKernels && program.segments.size() == 0)
      return fail(text("has a program of kind ", plan::name(program.kind), " without segments"));
    for (uint32_t segment : program.segments)
      if (segment >= buffers.size() || buffers[segment].kind != plan::BufferKind::kConstant)
        return fail(text("has a program in buffer ", segment, ", which is not a constant buffer"));
    return {};
  }

  Status verify_ranges(const plan::Program& program) const {
    uint64_t free = 0;
    for (const plan::ProgramRange& range : program.ranges) {
      const uint64_t address = range.address;
      if (address < free || range.size == 0 || __builtin_add_overflow(address, range.size, &free))
        return fail(text("has a range of ", range.size, " bytes at address ", address,
                         ", which is empty, too long, or not after the range before it"));
      NESTRT_RETURN_IF_ERROR(range.tensor == -1 ? verify_segment_range(program, range)
                                                : verify_tensor_range(program, range));
    }
    return {};
  }

  Status verify_segment_range(const plan::Program& program, const plan::ProgramRange& range) const {
    const auto& segments = program.segments;
    if (range.segment >= segments.size())
      return fail(
          text("has a range of segment ", range.segment, ", which does not exist: there are ", segments.size()));
    const uint64_t size = context_.plan.buffers[segments[range.segment]].size;
    if (range.size > size)
      return fail(text("has a range of ", range.size, " bytes in segment ", range.segment, " of ", size));
    return range.access == plan::RangeAccess::kRead ? Status() : fail("has a program that writes a segment");
  }

  // A program may read what its branch's operators read or compute, and write what they compute.
  Status verify_tensor_range(const plan::Program& program, const plan::ProgramRange& range) const {
    const auto at = static_cast<uint32_t>(range.tensor);
    if (range.tensor < 0 || at >= touched_.size())
      return fail(text("has a range of tensor ", range.tensor, ", which does not exist"));
    const std::string tensor = tensor_name(context_.plan, at);
    const plan::BufferKind kind = context_.plan.buffers[context_.extents[at].buffer].kind;
    const bool writable = kind == plan::BufferKind::kArena || kind == plan::BufferKind::kOutput;
    if (touched_[at].branch != index_) return fail(text("has a program that uses ", tensor, ", unlike its operators"));
    if (range.access != plan::RangeAccess::kRead && !(touched_[at].computed && writable))
      return fail(text("has a program that writes ", tensor, ", unlike its operators"));
    if (range.layout != Layout::kPlain) return verify_converted_range(program, range, at);
    const uint64_t size = context_.extents[at].end - context_.extents[at].begin;
    if (program.channels != 0 && is_cut(at)) return verify_part_range(range, at, size, program.channels, kChannelBlock);
    if (range.size > size) return fail(text("has a range of ", range.size, " bytes in ", tensor, ", which has ", size));
    return {};
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
    return fail(text("has a program for ", part, " channels with a range of ", range.size, " bytes in ",
                     tensor_name(context_.plan, at), ", which has ", size, " for ", *divisible_,
                     " channels in blocks of ", block));
  }

  Status verify_converted_range(const plan::Program& program, const plan::ProgramRange& range, uint32_t at) const {
    const plan::Tensor& tensor = context_.plan.tensors[at];
    const bool constant = context_.plan.buffers[tensor.buffer].kind == plan::BufferKind::kConstant;
    if (tensor.type == DataType::kS8 && !constant) {
      if (tensor.layout == Layout::kPlain) return verify_folded_range(range, at);
      if (tensor.layout == Layout::kBlocked16 && range.layout == Layout::kBlocked32)
        return verify_widened_range(program, range, at);
    }
    return fail(text("has a range of ", tensor_name(context_.plan, at), " in a layout that it cannot be brought to"));
  }

  Status verify_folded_range(const plan::ProgramRange& range, uint32_t at) const {
    const plan::Tensor& tensor = context_.plan.tensors[at];
    if (range.access != plan::RangeAccess::kRead)
      return fail(text("has a program that writes ", tensor_name(context_.plan, at), " in blocks of channels"));
    if (find_folding(tensor.shape, block_size(range.layout), range.size)) return {};
    return fail(text("has a range of ", range.size, " bytes for ", tensor_name(context_.plan, at),
                     ", which takes another size in blocks of channels, folded or not"));
  }

  // Blocks of 32 channels where the tensor has 16: at most twice its bytes. Programs for some channels may leave out
  // blocks at the end.
  Status verify_widened_range(const plan::Program& program, const plan::ProgramRange& range, uint32_t at) const {
    const plan::Tensor& tensor = context_.plan.tensors[at];
    const uint64_t channels = static_cast<uint64_t>(tensor.shape[1]), blocks16 = (channels + 15) / 16;
    const uint64_t bytes16 = context_.extents[at].end - context_.extents[at].begin;
    const uint64_t blocks32 = (channels + 31) / 32, size = blocks16 == 0 ? 0 : bytes16 / blocks16 * 2 * blocks32;
    if (program.channels != 0 && is_cut(at)) return verify_part_range(range, at, size, program.channels, 32);
    const bool some_blocks = program.channels != 0 && range.size < size && range.size % (size / blocks32) == 0;
    if (range.size == size || some_blocks) return {};
    return fail(text("has a range of ", range.size, " bytes for ", tensor_name(context_.plan, at), ", which has ", size,
                     " in blocks of 32 channels"));
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
  std::vector<Touched>& touched_;      // by tensor
  std::optional<uint32_t> divisible_;  // once it was asked for
};

}  // namespace

Status verify_programs(Context& context) {
  uint32_t next = 0;
  std::vector<Touched> touched(context.plan.tensors.size());
  for (uint32_t index = 0; index < context.plan.branches.size(); ++index) {
    BranchCheck branch(context, index, touched);
    NESTRT_RETURN_IF_ERROR(branch.operators(&next));
    NESTRT_RETURN_IF_ERROR(branch.programs());
  }
  if (next != context.plan.operators.size())
    return damaged_plan(text(operator_name(context.plan, next), ": belongs to no branch"));
  return {};
}

}  // namespace nestrt::plan_verify
