#include "tools/common/compare_units.h"

#include <algorithm>
#include <random>

#include "nestrt/plan_tables.h"
#include "nestrt/session.h"
#include "runtime/core/aligned_memory.h"
#include "runtime/core/channel_blocks.h"
#include "runtime/plan/channels.h"
#include "runtime/plan/program_for.h"
#include "runtime/plan/views.h"

namespace nestrt::tools {
namespace {

// The place of each element of a tensor among its bytes, in units of its type; padding lanes left out.
std::vector<int64_t> places(const plan::Tensor& tensor) {
  const Shape& shape = tensor.shape;
  const int64_t block = block_size(tensor.layout);
  const int64_t elements = shape.num_elements(), pixels = shape.product(2, shape.rank());
  std::vector<int64_t> result(static_cast<size_t>(elements));
  const ChannelBlocks blocks{block == 1 ? 1 : shape[1], pixels, block};
  for (int64_t i = 0; i < elements; ++i) {
    const int64_t channel = i / pixels % blocks.channels, image = i / pixels / blocks.channels;
    result[static_cast<size_t>(i)] = blocks.index(image, channel, i % pixels);
  }
  return result;
}

class UnitComparer {
 public:
  UnitComparer(std::shared_ptr<const Plan> plan, const UnitList& units) : plan_(std::move(plan)), units_(units) {}

  Result<std::vector<BranchComparison>> run() {
    const auto host = std::find_if(units_.begin(), units_.end(), [](const auto& unit) { return unit->info().is_host; });
    if (host == units_.end())
      return Status(Code::kInvalidArgument, "nothing to compare with: there is no unit 'cpu' among those given");
    NESTRT_RETURN_IF_ERROR(allocate());
    const auto& branches = plan_->tables().branches;
    std::vector<BranchComparison> result;
    for (uint32_t branch = 0; branch < branches.size(); ++branch) {
      for (const std::shared_ptr<Unit>& unit : units_)
        if (unit != *host) NESTRT_RETURN_IF_ERROR(compare_programs(branch, **host, *unit, result));
    }
    return result;
  }

 private:
  Status compare_programs(uint32_t branch, Unit& host, Unit& unit, std::vector<BranchComparison>& result) {
    const plan::Branch& entry = plan_->tables().branches[branch];
    const plan::Program* reference = program_for(entry, host.info());
    if (reference == nullptr)
      return Status(Code::kIncompatible, "branch " + std::to_string(branch) + " has no program for this CPU");
    for (const plan::Program& program : entry.programs) {
      const bool chosen = program.channels != 0 || &program == program_for(entry, unit.info());
      if (!chosen || !can_run(program, unit.info())) continue;
      NESTRT_ASSIGN_OR_RETURN(result.emplace_back(), compare(branch, host, *reference, unit, program));
    }
    return {};
  }

  // Every buffer has memory of its own: nothing depends on an order.
  Status allocate() {
    const auto& buffers = plan_->tables().buffers;
    for (uint32_t index = 0; index < buffers.size(); ++index) {
      if (buffers[index].kind == plan::BufferKind::kConstant) {
        addresses_.push_back(const_cast<std::byte*>(plan_->constant(index).data()));  // units only read it
        continue;
      }
      NESTRT_ASSIGN_OR_RETURN(memory_.emplace_back(), AlignedMemory::allocate(buffers[index].size, "a buffer"));
      addresses_.push_back(memory_.back().data());
    }
    return {};
  }

  void randomize() {
    for (const AlignedMemory& memory : memory_)
      std::generate_n(reinterpret_cast<uint8_t*>(memory.data()), memory.size(),
                      [this] { return static_cast<uint8_t>(random_()); });
  }

  Status run_on(uint32_t branch, Unit& unit, const plan::Program& program, ChannelRange channels = {}) const {
    NESTRT_ASSIGN_OR_RETURN(const auto executable, unit.prepare({plan_, branch, &program, channels}));
    NESTRT_ASSIGN_OR_RETURN(const auto scratch, AlignedMemory::allocate(executable->scratch_bytes(), "scratch memory"));
    Submission submission;
    submission.bindings = {addresses_, scratch.data()};
    submission.unit_deadline = SteadyClock::now() + SessionOptions().unit_timeout;
    return nestrt::run(*executable, submission);
  }

  // Calls visit(bytes) for each element that the branch computes, one tensor after the other; padding lanes left out,
  // and views, which nobody computes.
  template <typename Visit>
  void for_each_result(uint32_t branch, Visit visit) const {
    const plan::Tables& tables = plan_->tables();
    for (uint32_t op : tables.branches[branch].operators) {
      if (is_view(tables, tables.operators[op])) continue;
      for (int32_t index : tables.operators[op].outputs) {
        const plan::Tensor& tensor = tables.tensors[static_cast<uint32_t>(index)];
        const size_t size = size_bytes(tensor.type);
        std::byte* begin = addresses_[tensor.buffer] + tensor.offset;
        for (const int64_t place : places(tensor)) visit(std::span(begin + static_cast<size_t>(place) * size, size));
      }
    }
  }

  std::vector<std::byte> results(uint32_t branch) const {
    std::vector<std::byte> bytes;
    for_each_result(branch,
                    [&](std::span<std::byte> element) { bytes.insert(bytes.end(), element.begin(), element.end()); });
    return bytes;
  }

  // What is not computed afterwards cannot be right by chance.
  void spoil_results(uint32_t branch) const {
    for_each_result(branch, [](std::span<std::byte> element) {
      for (std::byte& byte : element) byte ^= std::byte{0x55};
    });
  }

  Result<BranchComparison> compare(uint32_t branch, Unit& host, const plan::Program& host_program, Unit& unit,
                                   const plan::Program& program) {
    const uint32_t first = plan_->tables().branches[branch].operators[0];
    BranchComparison result{branch, plan_->tables().operators[first].name, unit.info().name, program.channels};
    randomize();
    NESTRT_RETURN_IF_ERROR(run_on(branch, host, host_program));
    const std::vector<std::byte> expected = results(branch);
    spoil_results(branch);
    if (program.channels != 0) {  // the host goes first: nobody covers what the unit should leave alone
      const uint32_t all = divisible_channels(plan_->tables(), plan_->tables().branches[branch]);
      NESTRT_RETURN_IF_ERROR(run_on(branch, host, host_program, {program.channels, all}));
    }
    NESTRT_RETURN_IF_ERROR(run_on(branch, unit, program));
    const std::vector<std::byte> computed = results(branch);
    result.bytes = expected.size();
    for (size_t i = 0; i < expected.size(); ++i) result.different += expected[i] != computed[i];
    return result;
  }

  const std::shared_ptr<const Plan> plan_;
  const UnitList& units_;
  std::vector<AlignedMemory> memory_;
  std::vector<std::byte*> addresses_;  // by buffer of the plan
  std::mt19937 random_{1};             // the same inputs every time
};

}  // namespace

Result<std::vector<BranchComparison>> compare_units(const std::shared_ptr<const Plan>& plan, const UnitList& units) {
  return UnitComparer(plan, units).run();
}

}  // namespace nestrt::tools
