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
      : context_(context), index_(index), branch_(*items(context.plan.branches())[index]), touched_(touched) {}

  // Branches follow each other in file order: `next` is the first operator that no branch has yet.
  Status operators(uint32_t* next) {
    if (!context_.charge(branch_.operators())) return shared_vectors();
    if (items(branch_.operators()).size() == 0) return fail("has no operators");
    for (uint32_t op : items(branch_.operators())) {
      if (op != *next || op >= items(context_.plan.operators()).size())
        return fail(
            text("has operator ", op, " where ", *next, " is next: branches must split the operators in file order"));
      ++*next;
    }
    return {};
  }

  Status programs() {
    if (!context_.charge(branch_.programs())) return shared_vectors();
    mark_operands();
    bool runs_on_cpu = false;
    for (const plan::Program* program : items(branch_.programs())) {
      NESTRT_RETURN_IF_ERROR(verify_program(*program));
      runs_on_cpu |= view(program->unit()) == "cpu" && view(program->fingerprint()).empty();
    }
    return runs_on_cpu ? Status() : fail("has no program of kernels for unit 'cpu'");
  }

 private:
  Status fail(std::string what) const { return damaged_plan(text("branch ", index_, ": ", what)); }

  void mark_operands() {
    for (uint32_t index : items(branch_.operators())) {
      const plan::Operator& op = *items(context_.plan.operators())[index];
      for (int32_t tensor : items(op.inputs()))
        if (tensor >= 0 && touched_[static_cast<uint32_t>(tensor)].branch != index_)
          touched_[static_cast<uint32_t>(tensor)] = {index_, false};
      for (int32_t tensor : items(op.outputs())) touched_[static_cast<uint32_t>(tensor)] = {index_, true};
    }
  }

  Status verify_program(const plan::Program& program) {
    if (view(program.unit()).empty()) return fail("has a program for no unit");
    if (!known(plan::EnumNameProgramKind(program.kind())))
      return fail(text("has a program of unknown kind ", static_cast<int>(program.kind())));
    if (view(program.unit()) == "cpu" && program.kind() != plan::ProgramKind::kernels)
      return fail("has a program for unit 'cpu' that is not made of kernels");
    if (!context_.charge(program.selections()) || !context_.charge(program.segments()) ||
        !context_.charge(program.costs()) || !context_.charge(program.ranges()))
      return shared_vectors();
    if (program.channels() != 0) NESTRT_RETURN_IF_ERROR(verify_channels(program));
    NESTRT_RETURN_IF_ERROR(verify_selections(program));
    NESTRT_RETURN_IF_ERROR(verify_segments(program));
    NESTRT_RETURN_IF_ERROR(verify_ranges(program));
    return verify_costs(program);
  }

  Status verify_channels(const plan::Program& program) {
    if (!divisible_) divisible_ = divisible_channels(context_.plan, branch_);
    const uint32_t part = program.channels(), all = *divisible_;
    if (program.kind() != plan::ProgramKind::instructions)
      return fail(text("has a program of kind ", plan::EnumNameProgramKind(program.kind()), " for ", part,
                       " channels: only instructions are made for a number of channels"));
    if (all == 0) return fail(text("has a program for ", part, " channels of what cannot be divided by channels"));
    if (part % kChannelBlock == 0 && part < all) return {};
    return fail(text("has a program for ", part, " of ", all, " channels: expected whole blocks of ", kChannelBlock,
                     ", and not all"));
  }

  Status verify_selections(const plan::Program& program) {
    for (const plan::KernelSelection* selection : items(program.selections())) {
      if (!context_.charge(selection->kernels())) return shared_vectors();
      const uint32_t count = items(selection->kernels()).size();
      if (count != items(branch_.operators()).size())
        return fail(text("names ", count, " kernels for ", items(branch_.operators()).size(), " operators"));
      const uint32_t names = items(context_.plan.kernel_names()).size();
      for (uint32_t kernel : items(selection->kernels()))
        if (kernel >= names) return fail(text("has kernel ", kernel, ", which does not exist: there are ", names));
    }
    return {};
  }

  Status verify_segments(const plan::Program& program) const {
    const auto& buffers = items(context_.plan.buffers());
    if (program.kind() != plan::ProgramKind::kernels && items(program.segments()).size() == 0)
      return fail(text("has a program of kind ", plan::EnumNameProgramKind(program.kind()), " without segments"));
    for (uint32_t segment : items(program.segments()))
      if (segment >= buffers.size() || buffers[segment]->kind() != plan::BufferKind::constant)
        return fail(text("has a program in buffer ", segment, ", which is not a constant buffer"));
    return {};
  }

  Status verify_ranges(const plan::Program& program) const {
    uint64_t free = 0;
    for (const plan::ProgramRange* range : items(program.ranges())) {
      if (!known(plan::EnumNameRangeAccess(range->access())))
        return fail(text("has a range of unknown access ", static_cast<int>(range->access())));
      const uint64_t address = range->address();
      if (address < free || range->size() == 0 || __builtin_add_overflow(address, range->size(), &free))
        return fail(text("has a range of ", range->size(), " bytes at address ", address,
                         ", which is empty, too long, or not after the range before it"));
      NESTRT_RETURN_IF_ERROR(range->tensor() == -1 ? verify_segment_range(program, *range)
                                                   : verify_tensor_range(program, *range));
    }
    return {};
  }

  Status verify_segment_range(const plan::Program& program, const plan::ProgramRange& range) const {
    const auto& segments = items(program.segments());
    if (range.segment() >= segments.size())
      return fail(text("has a range of segment ", range.segment(), ", which does not exist: there are ",
                       segments.size()));
    const uint64_t size = items(context_.plan.buffers())[segments[range.segment()]]->size();
    if (range.size() > size)
      return fail(text("has a range of ", range.size(), " bytes in segment ", range.segment(), " of ", size));
    return range.access() == plan::RangeAccess::read ? Status() : fail("has a program that writes a segment");
  }

  // A program may read what its branch's operators read or compute, and write what they compute.
  Status verify_tensor_range(const plan::Program& program, const plan::ProgramRange& range) const {
    const auto at = static_cast<uint32_t>(range.tensor());
    if (range.tensor() < 0 || at >= touched_.size())
      return fail(text("has a range of tensor ", range.tensor(), ", which does not exist"));
    const std::string tensor = tensor_name(context_.plan, at);
    const plan::BufferKind kind = items(context_.plan.buffers())[context_.extents[at].buffer]->kind();
    const bool writable = kind == plan::BufferKind::arena || kind == plan::BufferKind::output;
    if (touched_[at].branch != index_) return fail(text("has a program that uses ", tensor, ", unlike its operators"));
    if (range.access() != plan::RangeAccess::read && !(touched_[at].computed && writable))
      return fail(text("has a program that writes ", tensor, ", unlike its operators"));
    if (range.layout() != plan::Layout::plain) return verify_converted_range(program, range, at);
    const uint64_t size = context_.extents[at].end - context_.extents[at].begin;
    if (program.channels() != 0 && is_cut(at))
      return verify_part_range(range, at, size, program.channels(), kChannelBlock);
    if (range.size() > size)
      return fail(text("has a range of ", range.size(), " bytes in ", tensor, ", which has ", size));
    return {};
  }

  // Whether a program for some channels has to do with those of the tensor only. Requires: the branch is divisible.
  bool is_cut(uint32_t at) const {
    const plan::Operator& op = *items(context_.plan.operators())[items(branch_.operators())[0]];
    const auto& inputs = items(op.inputs());
    for (uint32_t i = 0; i < inputs.size(); ++i)
      if (inputs[i] == static_cast<int32_t>(at) && channel_axis(op, i) != 1) return false;
    return true;
  }

  // The first `part` channels of a tensor, which has `size` bytes in such blocks, and no more: others are computed
  // elsewhere.
  Status verify_part_range(const plan::ProgramRange& range, uint32_t at, uint64_t size, uint32_t part,
                           uint32_t block) const {
    const uint32_t blocks = (*divisible_ + block - 1) / block;
    if (part % block == 0 && range.size() == size / blocks * (part / block)) return {};
    return fail(text("has a program for ", part, " channels with a range of ", range.size(), " bytes in ",
                     tensor_name(context_.plan, at), ", which has ", size, " for ", *divisible_,
                     " channels in blocks of ", block));
  }

  Status verify_converted_range(const plan::Program& program, const plan::ProgramRange& range, uint32_t at) const {
    const plan::Tensor& tensor = *items(context_.plan.tensors())[at];
    const bool constant = items(context_.plan.buffers())[tensor.buffer()]->kind() == plan::BufferKind::constant;
    if (tensor.type() == plan::DataType::s8 && !constant && known(plan::EnumNameLayout(range.layout()))) {
      if (tensor.layout() == plan::Layout::plain) return verify_folded_range(range, at);
      if (tensor.layout() == plan::Layout::blocked16 && range.layout() == plan::Layout::blocked32)
        return verify_widened_range(program, range, at);
    }
    return fail(text("has a range of ", tensor_name(context_.plan, at), " in a layout that it cannot be brought to"));
  }

  Status verify_folded_range(const plan::ProgramRange& range, uint32_t at) const {
    const plan::Tensor& tensor = *items(context_.plan.tensors())[at];
    if (range.access() != plan::RangeAccess::read)
      return fail(text("has a program that writes ", tensor_name(context_.plan, at), " in blocks of channels"));
    if (find_folding(shape_of(tensor), block_size(static_cast<Layout>(range.layout())), range.size())) return {};
    return fail(text("has a range of ", range.size(), " bytes for ", tensor_name(context_.plan, at),
                     ", which takes another size in blocks of channels, folded or not"));
  }

  // Blocks of 32 channels where the tensor has 16: at most twice its bytes. Programs for some channels may leave out
  // blocks at the end.
  Status verify_widened_range(const plan::Program& program, const plan::ProgramRange& range, uint32_t at) const {
    const plan::Tensor& tensor = *items(context_.plan.tensors())[at];
    const uint64_t channels = static_cast<uint64_t>(items(tensor.shape())[1]), blocks16 = (channels + 15) / 16;
    const uint64_t bytes16 = context_.extents[at].end - context_.extents[at].begin;
    const uint64_t blocks32 = (channels + 31) / 32, size = blocks16 == 0 ? 0 : bytes16 / blocks16 * 2 * blocks32;
    if (program.channels() != 0 && is_cut(at)) return verify_part_range(range, at, size, program.channels(), 32);
    const bool some_blocks = program.channels() != 0 && range.size() < size && range.size() % (size / blocks32) == 0;
    if (range.size() == size || some_blocks) return {};
    return fail(text("has a range of ", range.size(), " bytes for ", tensor_name(context_.plan, at), ", which has ",
                     size, " in blocks of 32 channels"));
  }

  Status verify_costs(const plan::Program& program) const {
    for (const plan::Cost* cost : items(program.costs())) {
      if (!known(plan::EnumNameCostOrigin(cost->origin())))
        return fail(text("has a cost of unknown origin ", static_cast<int>(cost->origin())));
      if (!(std::isfinite(cost->microseconds()) && cost->microseconds() >= 0))
        return fail("has a cost that is not a time");
    }
    return {};
  }

  Context& context_;
  uint32_t index_;
  const plan::Branch& branch_;
  std::vector<Touched>& touched_;  // by tensor
  std::optional<uint32_t> divisible_;  // once it was asked for
};

}  // namespace

Status verify_programs(Context& context) {
  if (!context.charge(context.plan.branches())) return shared_vectors();
  uint32_t next = 0;
  std::vector<Touched> touched(items(context.plan.tensors()).size());
  for (uint32_t index = 0; index < items(context.plan.branches()).size(); ++index) {
    BranchCheck branch(context, index, touched);
    NESTRT_RETURN_IF_ERROR(branch.operators(&next));
    NESTRT_RETURN_IF_ERROR(branch.programs());
  }
  if (next != items(context.plan.operators()).size())
    return damaged_plan(text(operator_name(context.plan, next), ": belongs to no branch"));
  return {};
}

}  // namespace nestrt::plan_verify
