// Plans that no compiler makes: what a program computes does not depend on where its tensors lie, nor on who wrote
// them.
#include <catch2/catch.hpp>
#include <memory>

#include "drivers/evta/driver/evta_unit.h"
#include "drivers/evta/isa/encode.h"
#include "drivers/evta/simulator/simulator_transport.h"
#include "nestrt/open_units.h"
#include "nestrt/session.h"
#include "runtime/core/tensor_set.h"
#include "test/support/plan_builder.h"

namespace nestrt::evta {
namespace {

using nestrt::test::PlanBuilder;
using nestrt::test::PlanFile;

// In the programs' own address space.
constexpr uint64_t kMicroOps = 0x1000, kWeights = 0x2000, kInputs = 0x4000, kResults = 0x8000;
const Shape kSquare = {16, 16};
const ops::Transpose kCopy{.permutation = {0, 1}};

Transfer row(const Configuration& configuration, Memory memory, uint64_t address, uint16_t elements) {
  Transfer transfer;
  transfer.memory = memory;
  transfer.dram_base = static_cast<uint32_t>(address / static_cast<uint64_t>(configuration.element_bytes(memory)));
  transfer.y_size = 1;
  transfer.x_size = transfer.x_stride = elements;
  return transfer;
}

Gemm gemm(bool resets, uint16_t rows) {
  Gemm result;
  result.reset = resets;
  result.loop.uop_end = 1;
  result.loop.iter_in = rows;
  result.loop.dst_factor_in = result.loop.src_factor_in = 1;
  return result;
}

// A plan in which programs multiply rows of kInputs by the tile at kWeights and put them at kResults.
class CraftedPlan {
 public:
  explicit CraftedPlan(const Configuration& configuration = kConfigurations[0]) : configuration_(configuration) {}

  // That many rows. Its segments: the stream, a micro-op, the identity.
  plan::Program program(uint16_t rows) {
    const Configuration& c = configuration_;
    const Instruction instructions[] = {
        make_load(row(c, Memory::kUop, kMicroOps, 1)),
        make_gemm(gemm(true, rows)),
        make_load(row(c, Memory::kInp, kInputs, rows)),
        make_load(row(c, Memory::kWgt, kWeights, 1), {.push_next = true}),
        make_gemm(gemm(false, rows), {.pop_prev = true, .push_next = true}),
        make_store(row(c, Memory::kOut, kResults, rows), {.pop_prev = true, .push_prev = true}),
        make_finish({.pop_next = true})};
    std::vector<uint8_t> stream;
    for (const Instruction& instruction : instructions) {
      const InstructionWord word = encode(c, instruction).value();
      const auto* const bytes = reinterpret_cast<const uint8_t*>(word.data());
      stream.insert(stream.end(), bytes, bytes + sizeof word);
    }
    const auto block = static_cast<size_t>(c.block());
    std::vector<uint8_t> identity(block * block);
    for (size_t i = 0; i < block; ++i) identity[i * (block + 1)] = 1;
    plan::Program program;
    program.unit = "evta";
    program.kind = plan::ProgramKind::kInstructions;
    program.configuration = c.name;
    program.segments = {segment(stream), segment(std::vector<uint8_t>(static_cast<size_t>(c.uop_bytes()))),
                        segment(identity)};
    program.ranges.push_back({kMicroOps, static_cast<uint64_t>(c.uop_bytes()), plan::RangeAccess::kRead, -1, 1});
    return program;
  }
  void weights_are_the_identity(plan::Program& program) const {
    const auto block = static_cast<uint64_t>(configuration_.block());
    program.ranges.push_back({kWeights, block * block, plan::RangeAccess::kRead, -1, 2});
  }

  void add_program(size_t branch, plan::Program program) { programs_.emplace_back(branch, std::move(program)); }

  // One branch.
  void copy(int from, int to) {
    builder.op("copy" + std::to_string(to), kCopy, {from}, {to});
    builder.branch();
  }
  std::shared_ptr<const Plan> made() {
    plan::Tables& tables = builder.tables();  // complete from here on
    for (auto& [branch, program] : programs_) {
      for (uint32_t& segment : program.segments) segment = tables.tensors[segment].buffer;
      tables.branches[branch].programs.push_back(std::move(program));
    }
    plan::MemoryPlan any = tables.memory_plans[0];
    any.kind = plan::MemoryPlanKind::kAnySchedule;
    tables.memory_plans.push_back(any);
    file_ = std::make_unique<PlanFile>(builder.build());
    const auto plan = Plan::from_memory(file_->bytes(), Verification::kComplete);
    if (!plan) FAIL(plan.error().to_string());
    return *plan;
  }

  PlanBuilder builder;

 private:
  // The tensor's index.
  uint32_t segment(const std::vector<uint8_t>& bytes) {
    const std::string name = "segment" + std::to_string(segments_++);
    return static_cast<uint32_t>(builder.constant(name, {static_cast<int64_t>(bytes.size())}, bytes, DataType::kU8));
  }

  const Configuration& configuration_;
  int segments_ = 0;
  std::vector<std::pair<size_t, plan::Program>> programs_;  // by branch; their segments are tensors yet
  std::unique_ptr<PlanFile> file_;                          // what the plan is read from
};

// The bytes of all outputs, and whether the inputs are what they were.
struct Outcome {
  std::vector<std::byte> outputs;
  bool inputs_untouched = false;
};

// Branches one after the other, on the second unit where they have a program for it.
std::shared_ptr<const Schedule> one_by_one(const Plan& plan) {
  Schedule schedule;
  schedule.lanes = {{0}, {1}};
  for (uint32_t branch = 0; branch < plan.tables().branches.size(); ++branch) {
    Step& step = schedule.steps.emplace_back();
    step.branch = branch;
    step.lane = step.program = plan.tables().branches[branch].programs.size() > 1 ? 1 : 0;
    if (branch > 0) step.waits = {branch - 1};
  }
  return std::make_shared<const Schedule>(std::move(schedule));
}

Outcome run(const std::shared_ptr<const Plan>& plan, const UnitList& units, SessionOptions options = {}) {
  if (units.size() > 1) options.fixed_schedule = one_by_one(*plan);
  const auto session = Session::create(plan, units, options);
  if (!session) FAIL(session.error().to_string());
  const TensorSet inputs = *TensorSet::random(plan->inputs()), before = *TensorSet::random(plan->inputs());
  const TensorSet outputs = *TensorSet::create(plan->outputs());
  for (int runs = 0; runs < 2; ++runs) REQUIRE((*session)->run(inputs.const_views(), outputs.views()).ok());
  CHECK((*session)->healed_branches() == 0);
  const auto bytes_of = [](const auto& views) {
    std::vector<std::byte> bytes;
    for (const auto& view : views) {
      const auto* const begin = static_cast<const std::byte*>(view.data);
      bytes.insert(bytes.end(), begin, begin + view.shape.num_elements() * static_cast<int64_t>(size_bytes(view.type)));
    }
    return bytes;
  };
  return {bytes_of(outputs.views()), bytes_of(inputs.const_views()) == bytes_of(before.const_views())};
}

UnitList cpu() { return *open_units("cpu", {.num_threads = 1}); }

std::shared_ptr<Unit> accelerator(const Configuration& configuration, HostView view) {
  SimulatorOptions options;
  options.host_view = view;
  options.stale = std::byte{0x5a};
  return *open_evta_unit({&configuration, 0}, make_simulator_transport(options));
}

// On the CPU and an accelerator together as on the CPU alone, however the host sees its memory.
void check_like_cpu(const std::shared_ptr<const Plan>& plan, const SessionOptions& options = {},
                    const Configuration& configuration = kConfigurations[0]) {
  const std::vector<std::byte> expected = run(plan, cpu()).outputs;
  for (const HostView view : {HostView::kShared, HostView::kSeparate, HostView::kCached}) {
    CAPTURE(static_cast<int>(view));
    UnitList units = cpu();
    units.push_back(accelerator(configuration, view));
    const Outcome outcome = run(plan, units, options);
    CHECK(outcome.outputs == expected);
    CHECK(outcome.inputs_untouched);
  }
}

TEST_CASE("Weights that lie in the arena at no multiple of a tile are read where they are") {
  CraftedPlan crafted;
  PlanBuilder& builder = crafted.builder;
  const int in = builder.input("in", kSquare, DataType::kS8), first = builder.input("first", {4, 16}, DataType::kS8);
  const int out = builder.output("out", kSquare, DataType::kS8), last = builder.output("last", {4, 16}, DataType::kS8);
  const int before = builder.arena("before", {4, 16}, DataType::kS8);  // 64 bytes
  const int x = builder.arena("x", kSquare, DataType::kS8), turned = builder.arena("turned", kSquare, DataType::kS8);
  crafted.copy(first, before);
  crafted.copy(in, x);
  builder.op("transpose", ops::Transpose{.permutation = {1, 0}}, {x}, {turned});
  builder.branch();
  crafted.copy(turned, out);
  crafted.copy(before, last);
  plan::Program program = crafted.program(16);  // the identity by x
  program.ranges.push_back({kWeights, 256, plan::RangeAccess::kRead, x});
  program.ranges.push_back({kInputs, 256, plan::RangeAccess::kRead, -1, 2});
  program.ranges.push_back({kResults, 256, plan::RangeAccess::kWrite, turned});
  crafted.add_program(2, program);
  check_like_cpu(crafted.made());
}

// A branch has a view of what the CPU computed, beside a copy; the next branch, on the accelerator too, reads the view.
struct PlanWithView {
  // `of_input`: the view is of the caller's.
  explicit PlanWithView(bool of_input) {
    PlanBuilder& builder = crafted.builder;
    const int in = builder.input("in", kSquare, DataType::kS8), other = builder.input("other", kSquare, DataType::kS8);
    const int out = builder.output("out", kSquare, DataType::kS8),
              out2 = builder.output("out2", kSquare, DataType::kS8);
    const int x = of_input ? in : builder.arena("x", kSquare, DataType::kS8);
    const int view = builder.view("view", x, kSquare);
    const int copied = builder.arena("copied", kSquare, DataType::kS8);
    const int result = builder.arena("result", kSquare, DataType::kS8);
    if (!of_input) crafted.copy(in, x);
    const size_t branch = of_input ? 0 : 1;
    builder.op("view", ops::Reshape{.shape = {16, 16}}, {x}, {view});
    builder.op("copy", kCopy, {other}, {copied});
    builder.branch();
    crafted.copy(view, result);
    crafted.copy(result, out);
    crafted.copy(copied, out2);
    add_copy(branch, other, copied);
    add_copy(branch + 1, view, result);
  }
  void add_copy(size_t branch, int from, int to) {
    plan::Program program = crafted.program(16);
    crafted.weights_are_the_identity(program);
    program.ranges.push_back({kInputs, 256, plan::RangeAccess::kRead, from});
    program.ranges.push_back({kResults, 256, plan::RangeAccess::kWrite, to});
    crafted.add_program(branch, program);
  }

  CraftedPlan crafted;
};

TEST_CASE("A view in an accelerator's branch is no result of its own: what others wrote there is handed over") {
  check_like_cpu(PlanWithView(false).crafted.made());
}

TEST_CASE(
    "Results that are checked are those that a branch computes: views stay as they are, and so does the caller's") {
  SessionOptions options;
  options.check_every = 1;
  for (const bool of_input : {false, true}) check_like_cpu(PlanWithView(of_input).crafted.made(), options);
}

TEST_CASE("A unit whose results are checked need not compute what nobody else reads") {
  SessionOptions options;
  options.check_every = 1;
  CraftedPlan crafted;
  PlanBuilder& builder = crafted.builder;
  const int in = builder.input("in", kSquare, DataType::kS8), out = builder.output("out", kSquare, DataType::kS8);
  const int inner = builder.arena("inner", kSquare, DataType::kS8), y = builder.arena("y", kSquare, DataType::kS8);
  builder.op("inner", kCopy, {in}, {inner});
  crafted.copy(inner, y);
  crafted.copy(y, out);
  plan::Program program = crafted.program(16);
  crafted.weights_are_the_identity(program);
  program.ranges.push_back({kInputs, 256, plan::RangeAccess::kRead, in});
  program.ranges.push_back({kResults, 256, plan::RangeAccess::kWrite, y});
  crafted.add_program(0, program);
  check_like_cpu(crafted.made(), options);
}

TEST_CASE("A result in wider blocks than the plan's reaches the accelerator again, at the end of the arena too") {
  const Configuration& configuration = *find_configuration("1x32_15_15_18_17");
  const Shape shape = {1, 48, 2, 2};
  CraftedPlan crafted(configuration);
  PlanBuilder& builder = crafted.builder;
  const auto s8 = [&](int tensor) { return builder.quantize(tensor, {4}); };
  const int in = builder.input("in", shape), out = builder.output("out", shape);
  const int quantized = s8(builder.arena("quantized", shape, DataType::kS8));
  const int plain = s8(builder.arena("plain", shape, DataType::kS8));
  const int blocks = s8(builder.blocked("blocks", shape, DataType::kS8));
  const int result = s8(builder.blocked("result", shape, DataType::kS8));
  const int widened = s8(builder.blocked("widened", shape, DataType::kS8));  // last in the arena
  ops::Pool pool;
  pool.kind = ops::PoolKind::kMax;
  pool.kernel = pool.stride = pool.dilation = {1, 1};
  pool.pad_begin = pool.pad_end = {0, 0};
  const auto add = [&](const char* name, const ops::Attributes& attributes, int from, int to) {
    builder.op(name, attributes, {from}, {to});
    builder.branch();
  };
  add("quantize", ops::Quantize{}, in, quantized);
  add("to_blocks", ops::Reorder{}, quantized, blocks);
  add("first", pool, blocks, widened);
  add("second", pool, widened, result);
  add("from_blocks", ops::Reorder{}, result, plain);
  add("dequantize", ops::Dequantize{}, plain, out);
  plan::Program first = crafted.program(8), second = crafted.program(6);
  for (plan::Program* program : {&first, &second}) crafted.weights_are_the_identity(*program);
  first.ranges.push_back({kInputs, 256, plan::RangeAccess::kRead, blocks, 0, Layout::kBlocked32});
  first.ranges.push_back({kResults, 256, plan::RangeAccess::kWrite, widened, 0, Layout::kBlocked32});
  second.ranges.push_back({kInputs, 192, plan::RangeAccess::kRead, widened});
  second.ranges.push_back({kResults, 192, plan::RangeAccess::kWrite, result});
  crafted.add_program(2, first);
  crafted.add_program(3, second);
  check_like_cpu(crafted.made(), {}, configuration);
}

}  // namespace
}  // namespace nestrt::evta
