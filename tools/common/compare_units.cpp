#include "tools/common/compare_units.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "nestrt/packing.h"
#include "nestrt/plan_tables.h"
#include "nestrt/session.h"
#include "runtime/core/aligned_memory.h"
#include "runtime/core/channel_blocks.h"
#include "runtime/plan/channels.h"
#include "runtime/plan/computed_bytes.h"
#include "runtime/plan/program_for.h"
#include "runtime/plan/views.h"

namespace nestrt::tools {
namespace {

// The place of each element of a tensor among its bytes, in units of its type; padding lanes left out.
std::vector<int64_t> places(const plan::Tensor& tensor) {
  const Shape& shape = tensor.shape;
  std::vector<int64_t> result(static_cast<size_t>(shape.num_elements()));
  std::iota(result.begin(), result.end(), int64_t{0});
  if (tensor.layout == Layout::kPlain) return result;
  const StoredOrder order(shape, tensor.layout);
  const int64_t pixels = shape.product(2, shape.rank());
  for (int64_t& place : result) {
    const int64_t plane = place / pixels;
    place = order.index(plane / shape[1], plane % shape[1], place % pixels);
  }
  return result;
}

// Memory for one branch: of the plan's buffers those that its operators touch, each apart from the others, so that
// nothing depends on an order; and of these the bytes of its tensors alone, as many branches may share a long buffer.
class BranchMemory {
 public:
  // `computed`: the branch's. Both outlive this.
  BranchMemory(const Plan& plan, uint32_t branch, const plan_verify::Extents& computed)
      : plan_(plan),
        branch_(plan.tables().branches[branch]),
        computed_(computed),
        touched_(plan_verify::make_set(operands())),
        others_(plan_verify::difference(touched_, computed)) {}

  // Errors: kOutOfMemory.
  Status allocate() {
    addresses_.assign(plan_.tables().buffers.size(), nullptr);
    for (const plan_verify::Extent& bytes : touched_) {
      if (addresses_[bytes.buffer] != nullptr) continue;
      NESTRT_ASSIGN_OR_RETURN(addresses_[bytes.buffer], allocate_buffer(bytes.buffer));
    }
    return {};
  }

  std::span<std::byte* const> addresses() const { return addresses_; }  // by buffer of the plan; null: untouched

  void randomize(std::mt19937& random) {
    for (const plan_verify::Extent& extent : touched_) {
      if (is_constant(extent.buffer)) continue;
      const std::span<std::byte> bytes = bytes_of(extent);
      for (size_t i = 0; i < bytes.size(); i += sizeof(uint32_t)) {
        const auto number = static_cast<uint32_t>(random());
        std::memcpy(bytes.data() + i, &number, std::min(sizeof number, bytes.size() - i));
      }
    }
  }

  std::vector<std::byte> results() const {
    std::vector<std::byte> bytes;
    for_each_result([&](std::span<std::byte> element) { bytes.insert(bytes.end(), element.begin(), element.end()); });
    return bytes;
  }

  // What is not computed afterwards cannot be right by chance.
  void spoil_results() const {
    for_each_result([](std::span<std::byte> element) {
      for (std::byte& byte : element) byte ^= std::byte{0x55};
    });
  }

  // All that the branch reads, or has as a view, and does not compute.
  std::vector<std::byte> others() const {
    std::vector<std::byte> bytes;
    for (const plan_verify::Extent& extent : others_) {
      const std::span<const std::byte> part = bytes_of(extent);
      bytes.insert(bytes.end(), part.begin(), part.end());
    }
    return bytes;
  }

 private:
  plan_verify::Extents operands() const {
    plan_verify::Extents extents;
    const auto add = [&](int32_t index) {
      if (index < 0) return;
      const plan::Tensor& tensor = plan_.tables().tensors[static_cast<uint32_t>(index)];
      extents.push_back({tensor.buffer, tensor.offset, tensor.offset + stored_bytes(tensor)});
    };
    for (const uint32_t op : branch_.operators) {
      std::ranges::for_each(plan_.tables().operators[op].inputs, add);
      std::ranges::for_each(plan_.tables().operators[op].outputs, add);
    }
    return extents;
  }

  static uint64_t stored_bytes(const plan::Tensor& tensor) {
    const int64_t bytes = tensor.packing == Packing::kNone
                              ? storage_bytes(tensor.type, tensor.shape, tensor.layout)
                              : packed_size_bytes(tensor.packing, tensor.shape).value_or(0);
    return static_cast<uint64_t>(bytes);
  }

  bool is_constant(uint32_t buffer) const { return plan_.tables().buffers[buffer].kind == plan::BufferKind::kConstant; }

  std::span<std::byte> bytes_of(const plan_verify::Extent& extent) const {
    return {addresses_[extent.buffer] + extent.begin, static_cast<size_t>(extent.end - extent.begin)};
  }

  Result<std::byte*> allocate_buffer(uint32_t buffer) {
    if (is_constant(buffer)) return const_cast<std::byte*>(plan_.constant(buffer).data());  // units only read it
    NESTRT_ASSIGN_OR_RETURN(memory_.emplace_back(),
                            AlignedMemory::allocate(plan_.tables().buffers[buffer].size, "a buffer"));
    return memory_.back().data();
  }

  // Calls visit(bytes) for each element that the branch computes, one tensor after the other; padding lanes left out.
  template <typename Visit>
  void for_each_result(Visit visit) const {
    const plan::Tables& tables = plan_.tables();
    for (const uint32_t op : branch_.operators) {
      if (is_view(tables, tables.operators[op])) continue;
      for (const int32_t index : tables.operators[op].outputs) {
        const plan::Tensor& tensor = tables.tensors[static_cast<uint32_t>(index)];
        const size_t size = size_bytes(tensor.type);
        for (const int64_t place : places(tensor)) {
          const uint64_t begin = tensor.offset + static_cast<uint64_t>(place) * size;
          if (plan_verify::holds(computed_, {tensor.buffer, begin, begin + size}))
            visit(std::span(addresses_[tensor.buffer] + begin, size));
        }
      }
    }
  }

  const Plan& plan_;
  const plan::Branch& branch_;
  const plan_verify::Extents& computed_;
  const plan_verify::Extents touched_;
  const plan_verify::Extents others_;
  std::vector<AlignedMemory> memory_;
  std::vector<std::byte*> addresses_;
};

uint64_t count_differences(const std::vector<std::byte>& one, const std::vector<std::byte>& other) {
  uint64_t different = 0;
  for (size_t i = 0; i < one.size(); ++i) different += one[i] != other[i];
  return different;
}

class UnitComparer {
 public:
  UnitComparer(std::shared_ptr<const Plan> plan, const UnitList& units) : plan_(std::move(plan)), units_(units) {}

  Result<std::vector<BranchComparison>> run() {
    const auto host = std::find_if(units_.begin(), units_.end(), [](const auto& unit) { return unit->info().is_host; });
    if (host == units_.end())
      return Status(Code::kInvalidArgument, "nothing to compare with: there is no unit 'cpu' among those given");
    NESTRT_ASSIGN_OR_RETURN(computed_, computed_bytes(plan_->tables()));
    std::vector<BranchComparison> result;
    for (uint32_t branch = 0; branch < plan_->tables().branches.size(); ++branch) {
      for (const std::shared_ptr<Unit>& unit : units_)
        if (unit != *host) NESTRT_RETURN_IF_ERROR(compare_programs(branch, **host, *unit, result));
    }
    return result;
  }

 private:
  Status compare_programs(uint32_t branch, Unit& host, Unit& unit, std::vector<BranchComparison>& result) {
    const plan::Branch& entry = plan_->tables().branches[branch];
    const plan::Program* reference = program_for(entry, host.info());
    if (reference == nullptr) return {};  // what another compiler has compiled is that unit's alone
    for (const plan::Program& program : entry.programs) {
      const bool chosen = !program.channels.all() || &program == program_for(entry, unit.info());
      if (!chosen || !can_run(program, unit.info())) continue;
      NESTRT_ASSIGN_OR_RETURN(result.emplace_back(), compare(branch, host, *reference, unit, program));
    }
    return {};
  }

  // What lies before and behind a part of a branch's only operator.
  std::vector<ChannelRange> others_of(const ChannelRange& part, uint32_t branch) const {
    if (part.all()) return {};
    const uint32_t channels = divisible_channels(plan_->tables(), plan_->tables().branches[branch]);
    std::vector<ChannelRange> others;
    if (part.begin > 0 || part.begin_row > 0) others.push_back({0, part.begin, 0, part.begin_row});
    if (part.end < channels) others.push_back({part.end, channels, part.end_row, 0});
    return others;
  }

  Status run_on(const BranchMemory& memory, const BranchSpec& branch, Unit& unit) const {
    NESTRT_ASSIGN_OR_RETURN(const auto executable, unit.prepare(branch));
    NESTRT_ASSIGN_OR_RETURN(const auto scratch, AlignedMemory::allocate(executable->scratch_bytes(), "scratch memory"));
    Submission submission;
    submission.bindings = {memory.addresses(), scratch.data()};
    submission.unit_deadline = SteadyClock::now() + SessionOptions().unit_timeout;
    return nestrt::run(*executable, submission);
  }

  Result<BranchComparison> compare(uint32_t branch, Unit& host, const plan::Program& host_program, Unit& unit,
                                   const plan::Program& program) {
    const plan::Tables& tables = plan_->tables();
    const plan::Branch& entry = tables.branches[branch];
    BranchComparison result{branch, tables.operators[entry.operators[0]].name, unit.info().name, program.channels};
    BranchMemory memory(*plan_, branch, computed_[branch]);
    NESTRT_RETURN_IF_ERROR(memory.allocate());
    memory.randomize(random_);
    NESTRT_RETURN_IF_ERROR(run_on(memory, {plan_, branch, &host_program, {}}, host));
    const std::vector<std::byte> expected = memory.results(), others = memory.others();
    memory.spoil_results();
    // The host goes first: nobody covers what the unit should leave alone.
    for (const ChannelRange& rest : others_of(program.channels, branch))
      NESTRT_RETURN_IF_ERROR(run_on(memory, {plan_, branch, &host_program, rest}, host));
    NESTRT_RETURN_IF_ERROR(run_on(memory, {plan_, branch, &program, {}}, unit));
    result.bytes = expected.size();
    result.different = count_differences(expected, memory.results());
    result.stray = count_differences(others, memory.others());
    return result;
  }

  const std::shared_ptr<const Plan> plan_;
  const UnitList& units_;
  std::vector<plan_verify::Extents> computed_;  // by branch
  std::mt19937 random_{1};                      // the same inputs every time
};

}  // namespace

Result<std::vector<BranchComparison>> compare_units(const std::shared_ptr<const Plan>& plan, const UnitList& units) {
  return UnitComparer(plan, units).run();
}

}  // namespace nestrt::tools
