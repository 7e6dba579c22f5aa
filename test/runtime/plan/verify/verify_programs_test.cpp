// SPDX-License-Identifier: Apache-2.0
// Tests which bytes programs of instructions may write, and how often a plan may share its data.
#include <catch2/catch.hpp>
#include <string>

#include "test/support/plan/sample_plans.h"

namespace nestrt::test {
namespace {

// Builds a program of instructions whose stream is the constant tensor `segment`. Ranges have consecutive addresses.
class ProgramMaker {
 public:
  ProgramMaker(PlanBuilder& builder, int segment) : builder_(builder) {
    program_.unit = "npu";
    program_.kind = plan::ProgramKind::kInstructions;
    program_.segments = {tensor(segment).buffer};
  }

  ProgramMaker& reads(int index, uint64_t size) { return add(index, size, plan::RangeAccess::kRead); }
  ProgramMaker& writes(int index, uint64_t size) { return add(index, size, plan::RangeAccess::kWrite); }
  const plan::Program& made() const { return program_; }

 private:
  const plan::Tensor& tensor(int index) { return builder_.tables().tensors[static_cast<size_t>(index)]; }

  ProgramMaker& add(int index, uint64_t size, plan::RangeAccess access) {
    program_.ranges.push_back({.address = address_, .size = size, .access = access, .tensor = index});
    address_ += size;
    return *this;
  }

  PlanBuilder& builder_;
  plan::Program program_;
  uint64_t address_ = 0;
};

// Returns the verifier's message, or an empty string if the plan is accepted.
std::string complaint(PlanBuilder& builder) {
  const PlanFile file = builder.build();
  const auto plan = Plan::from_memory(file.bytes());
  return plan ? std::string() : std::string(plan.error().message());
}

// Branch 0 computes `a`, branch 1 a view of it and y = relu(view), branch 2 z = neg(view).
struct ViewPlan {
  PlanBuilder builder;
  int x = builder.input("x", {1, 4}), a = builder.arena("a", {1, 4}), view = builder.view("view", a, {4, 1});
  int y = builder.output("y", {4, 1}), z = builder.output("z", {4, 1});
  int stream = builder.constant<float>("stream", {4}, {0, 0, 0, 0});

  ViewPlan() {
    builder.op("a", unary(ops::UnaryKind::kRelu), {x}, {a});
    builder.branch();
    builder.op("view", ops::Reshape{.shape = {4, 1}}, {a}, {view});
    builder.op("y", unary(ops::UnaryKind::kRelu), {view}, {y});
    builder.branch();
    builder.op("z", unary(ops::UnaryKind::kNeg), {view}, {z});
    builder.build();  // completes the tables
  }

  std::string complaint_about(const ProgramMaker& program) {
    builder.tables().branches[1].programs.resize(1);
    builder.tables().branches[1].programs.push_back(program.made());
    return complaint(builder);
  }
};

TEST_CASE("An instruction program may not write a view of another branch's result") {
  ViewPlan plan;
  CHECK(plan.complaint_about(ProgramMaker(plan.builder, plan.stream).reads(plan.view, 16).writes(plan.y, 16)).empty());
  CHECK_THAT(
      plan.complaint_about(ProgramMaker(plan.builder, plan.stream).writes(plan.view, 16).writes(plan.y, 16)),
      Catch::Matchers::Contains("branch 1: has a program that writes tensor 2 'view', but its operators do not"));
}

TEST_CASE("An instruction program may not write parts of a Concat that other branches compute in place") {
  PlanBuilder builder;
  const int x = builder.input("x", {2, 4}), whole = builder.arena("whole", {4, 4});
  const int first = builder.view("first", whole, {2, 4}), second = builder.arena("second", {2, 4});
  const int y = builder.output("y", {4, 4}), stream = builder.constant<float>("stream", {4}, {0, 0, 0, 0});
  builder.op("first", unary(ops::UnaryKind::kRelu), {x}, {first});
  builder.op("second", unary(ops::UnaryKind::kRelu), {x}, {second});
  builder.branch();
  builder.op("whole", ops::Concat{.axis = 0}, {first, second}, {whole});
  builder.op("y", unary(ops::UnaryKind::kRelu), {whole}, {y});
  builder.build();
  auto& programs = builder.tables().branches[1].programs;
  programs.push_back(ProgramMaker(builder, stream).reads(first, 32).reads(second, 32).writes(y, 64).made());
  CHECK(complaint(builder).empty());
  programs.back() = ProgramMaker(builder, stream).reads(second, 32).writes(whole, 64).writes(y, 64).made();
  CHECK_THAT(complaint(builder), Catch::Matchers::Contains("writes tensor 1 'whole', but its operators do not"));
}

TEST_CASE("A branch with two programs for the same unit, configuration and channels is rejected") {
  ViewPlan plan;
  const plan::Program made = ProgramMaker(plan.builder, plan.stream).reads(plan.view, 16).writes(plan.y, 16).made();
  auto& programs = plan.builder.tables().branches[1].programs;
  programs.insert(programs.end(), 2, made);
  CHECK_THAT(complaint(plan.builder),
             Catch::Matchers::Contains("branch 1: has two programs for unit 'npu', configuration '' and channels 0-0"));
  programs.back().configuration = "another";
  CHECK(complaint(plan.builder).empty());
}

TEST_CASE("A program with two ranges that write the same bytes is rejected") {
  ViewPlan plan;
  CHECK_THAT(plan.complaint_about(
                 ProgramMaker(plan.builder, plan.stream).reads(plan.view, 16).writes(plan.y, 16).writes(plan.y, 8)),
             Catch::Matchers::Contains("branch 1: has a program with two ranges that write bytes [0, 8) of buffer"));
}

TEST_CASE("A branch that several units can run may not overwrite its inputs") {
  PlanBuilder builder;
  const int in = builder.input("in", {1, 16}), out = builder.output("out", {1, 16});
  const int x = builder.arena("x", {1, 16}), inner = builder.arena("inner", {1, 16}), y = builder.arena("y", {1, 16});
  const int stream = builder.constant<float>("stream", {4}, {0, 0, 0, 0});
  const auto relu = unary(ops::UnaryKind::kRelu);
  builder.op("x", relu, {in}, {x});
  builder.branch();
  builder.op("inner", relu, {x}, {inner});
  builder.op("y", relu, {inner}, {y});
  builder.branch();
  builder.op("out", relu, {y}, {out});
  plan::Tables& tables = builder.tables();
  const auto buffer_of = [&](int tensor) { return tables.tensors[static_cast<size_t>(tensor)].buffer; };
  tables.memory_plans[0].offsets[buffer_of(y)] = tables.memory_plans[0].offsets[buffer_of(x)];
  CHECK(complaint(builder).empty());  // operators run one after the other
  tables.branches[1].programs.push_back(ProgramMaker(builder, stream).reads(x, 64).writes(y, 64).made());
  CHECK_THAT(complaint(builder),
             Catch::Matchers::Contains("branch 1: has programs for several units and writes bytes of "
                                       "buffer 4 that overlap buffer 2, which it reads"));
}

TEST_CASE("A program may write an inner tensor of its branch only if that tensor lives until the branch ends") {
  PlanBuilder builder;
  const int in = builder.input("in", {1, 16}), out = builder.output("out", {1, 16});
  const int x = builder.arena("x", {1, 16}), first = builder.arena("first", {1, 16});
  const int second = builder.arena("second", {1, 16}), y = builder.arena("y", {1, 16});
  const int stream = builder.constant<float>("stream", {4}, {0, 0, 0, 0});
  const auto relu = unary(ops::UnaryKind::kRelu);
  builder.op("x", relu, {in}, {x});
  builder.branch();
  builder.op("first", relu, {x}, {first});
  builder.op("second", relu, {first}, {second});
  builder.op("y", relu, {second}, {y});
  builder.branch();
  builder.op("out", relu, {y}, {out});
  plan::Tables& tables = builder.tables();
  const auto buffer_of = [&](int tensor) { return tables.tensors[static_cast<size_t>(tensor)].buffer; };
  std::vector<uint64_t>& offsets = tables.memory_plans[0].offsets;
  const std::vector<uint64_t> apart = offsets;
  offsets[buffer_of(y)] = offsets[buffer_of(first)];
  tables.branches[1].programs.push_back(ProgramMaker(builder, stream).reads(x, 64).writes(y, 64).made());
  CHECK(complaint(builder).empty());  // `first` is dead when y is written, on every unit

  plan::Program& program = tables.branches[1].programs.back();
  const auto check_refused = [&] {
    CHECK_THAT(complaint(builder), Catch::Matchers::Contains("branch 1: has a program that writes tensor 3 'first', "
                                                             "whose lifetime ends before the branch does"));
  };
  program = ProgramMaker(builder, stream).reads(x, 64).writes(y, 64).writes(first, 64).made();
  check_refused();
  program = ProgramMaker(builder, stream).reads(x, 64).writes(first, 64).writes(y, 64).made();
  check_refused();
  tables.buffers[buffer_of(first)].last_use = 3;  // y's operator
  CHECK_THAT(complaint(builder), Catch::Matchers::Contains("share bytes while both are in use"));
  offsets = apart;
  CHECK(complaint(builder).empty());
}

// y = relu(x) on 1 MB, and constants that serve as instruction streams.
struct SharingPlan {
  static constexpr int64_t kElements = 1 << 18;
  PlanBuilder builder;
  int x = builder.input("x", {kElements}), y = builder.output("y", {kElements});
  int big = builder.constant<float>("big", {kElements}, std::vector<float>(kElements));
  int small = builder.constant<float>("small", {4}, {0, 0, 0, 0});

  SharingPlan() {
    builder.op("relu", unary(ops::UnaryKind::kRelu), {x}, {y});
    builder.build();
  }

  // Adds `count` copies of the program, each for a different configuration.
  std::string complaint_about(plan::Program program, int count) {
    auto& programs = builder.tables().branches[0].programs;
    programs.resize(1);
    for (int i = 0; i < count; ++i) {
      program.configuration = std::to_string(i);
      programs.push_back(program);
    }
    return complaint(builder);
  }
};

TEST_CASE("Plans whose programs refer to too many bytes of a segment or tensor are rejected") {
  SharingPlan plan;
  constexpr uint64_t kBytes = SharingPlan::kElements * 4;
  for (const int tensor : {-1, plan.x}) {
    ProgramMaker maker(plan.builder, tensor == -1 ? plan.big : plan.small);
    maker.writes(plan.y, kBytes);
    for (int i = 0; i < 100; ++i) maker.reads(tensor, kBytes);
    CHECK(plan.complaint_about(maker.made(), 1).empty());
    for (int i = 0; i < 150; ++i) maker.reads(tensor, kBytes);
    CHECK_THAT(plan.complaint_about(maker.made(), 1),
               Catch::Matchers::Contains("bytes of segments of programs and their ranges"));
  }
}

TEST_CASE("Bytes that a program accesses through several views count once per view") {
  PlanBuilder builder;
  constexpr int64_t kElements = SharingPlan::kElements;
  const int in = builder.input("in", {kElements}), y = builder.output("y", {kElements});
  const int x = builder.arena("x", {kElements}), stream = builder.constant<float>("stream", {4}, {0, 0, 0, 0});
  builder.op("x", unary(ops::UnaryKind::kRelu), {in}, {x});
  builder.branch();
  std::vector<int> views;
  for (int i = 0; i < 250; ++i) {
    views.push_back(builder.view("", x, {kElements}));
    builder.op("", ops::Reshape{.shape = {kElements}}, {x}, {views.back()});
  }
  builder.op("y", unary(ops::UnaryKind::kRelu), {x}, {y});
  builder.build();
  const auto complaint_about = [&](size_t count) {
    ProgramMaker maker(builder, stream);
    for (size_t i = 0; i < count; ++i) maker.reads(views[i], kElements * 4);
    auto& programs = builder.tables().branches[1].programs;
    programs.resize(1);
    programs.push_back(maker.writes(y, kElements * 4).made());
    return complaint(builder);
  };
  CHECK(complaint_about(190).empty());
  CHECK_THAT(complaint_about(250), Catch::Matchers::Contains("bytes of segments of programs and their ranges"));
}

TEST_CASE("A program has at most 256 ranges and short ranges count as a page") {
  SharingPlan plan;
  const auto program = [&](size_t ranges) {
    ProgramMaker maker(plan.builder, plan.small);
    maker.writes(plan.y, SharingPlan::kElements * 4);
    for (size_t i = 1; i < ranges; ++i) maker.reads(-1, 1);
    return maker.made();
  };
  CHECK(plan.complaint_about(program(256), 190).empty());
  CHECK_THAT(plan.complaint_about(program(256), 250),
             Catch::Matchers::Contains("bytes of segments of programs and their ranges"));
  CHECK_THAT(plan.complaint_about(program(257), 1),
             Catch::Matchers::Contains("branch 0: has a program for unit 'npu' with 257 ranges, more than 256"));
}

TEST_CASE("Tensors that each of many programs uses once are accepted") {
  SharingPlan plan;
  const plan::Program once = ProgramMaker(plan.builder, plan.small)
                                 .reads(plan.x, SharingPlan::kElements * 4)
                                 .writes(plan.y, SharingPlan::kElements * 4)
                                 .made();
  CHECK(plan.complaint_about(once, 250).empty());
}

TEST_CASE("Plans whose programs share an instruction stream too often are rejected") {
  SharingPlan plan;
  const plan::Program program = ProgramMaker(plan.builder, plan.big).writes(plan.y, SharingPlan::kElements * 4).made();
  CHECK(plan.complaint_about(program, 3).empty());  // 2 MB in addition to the 1 MB of the stream itself
  CHECK_THAT(plan.complaint_about(program, 4), Catch::Matchers::Contains("bytes of streams of instructions"));
}

}  // namespace
}  // namespace nestrt::test
