// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/vendor/optional_backend.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <list>

#include "compiler-lite/codegen/cpu/cpu_backend.h"
#include "compiler-lite/compile.h"
#include "nestrt/plan.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;

// Returns convolutions and a pool in blocks of channels: x -> a -> {b1 -> b2, c} -> Concat -> y.
test::ModelBuilder fork_and_join() {
  test::ModelBuilder model;
  model.input("x", {1, 16, 4, 4}).output("y");
  const auto conv = [&](const std::string& x, const std::string& y, const std::string& name) {
    model.constant("w_" + name, {16, 16, 1, 1},
                   std::vector<float>(256, static_cast<float>(name.size() + name[0]) / 1024));
    model.node("Conv", {x, "w_" + name}, {y}, name);
  };
  conv("x", "u", "a");
  conv("u", "v", "b1");
  conv("v", "w", "b2");
  onnx::NodeProto& pool = model.node("MaxPool", {"u"}, {"z"}, "c");
  test::set_attribute(pool, "kernel_shape", std::vector<int64_t>{3, 3});
  test::set_attribute(pool, "pads", std::vector<int64_t>(4, 1));
  test::set_attribute(model.node("Concat", {"w", "z"}, {"y"}, "join"), "axis", int64_t{1});
  return model;
}

// A vendor whose compiler copies its input model as the program.
class Copier {
 public:
  explicit Copier(const std::string& script = "cp $1 $2", std::chrono::seconds time_limit = std::chrono::seconds(60))
      : options_(*parse_vendor("npu=sh " + folder_.write_text("cc.sh", script) + " {input} {output}")) {
    options_.time_limit = time_limit;
  }

  std::shared_ptr<const Plan> compile(const std::optional<Capability>& capability,
                                      const std::function<void(CompileOptions&)>& change = {}) {
    CompileOptions options;
    options.backends = {make_cpu_backend({})};
    options.backends.push_back(make_optional_vendor_backend(
        options_, capability,
        [this](const std::string& branch, const Status& why) { failures.push_back(branch + ": " + why.to_string()); }));
    if (change) change(options);
    return compile(options);
  }
  std::shared_ptr<const Plan> compile(const CompileOptions& options) {
    auto bytes = nestrt::compiler::compile(folder_.write_text("model.onnx", fork_and_join().bytes()), options);
    INFO(bytes.error().to_string());
    REQUIRE(bytes);
    bytes_.push_back(std::move(*bytes));
    auto plan = Plan::from_memory(bytes_.back().span());
    INFO(plan.error().to_string());
    REQUIRE(plan);
    return *plan;
  }

  std::vector<std::string> failures;

 private:
  const test::TemporaryFolder folder_;
  VendorOptions options_;
  std::list<PlanBytes> bytes_;
};

Capability of_convolutions(uint32_t min_operators) {
  Capability capability;
  capability.name = "NPU";
  capability.types = {DataType::kF32, DataType::kS8};
  for (const char* op : {"Conv", "Relu", "QuantizeLinear", "DequantizeLinear"}) capability.operators[op] = {};
  capability.min_operators = min_operators;
  return capability;
}

std::vector<const plan::Program*> programs_of(const Plan& plan, const std::string& unit) {
  std::vector<const plan::Program*> programs;
  for (const plan::Branch& branch : plan.tables().branches)
    for (const plan::Program& program : branch.programs)
      if (program.unit == unit) programs.push_back(&program);
  return programs;
}

onnx::ModelProto model_in(const Plan& plan, const plan::Program& program) {
  const auto blob = plan.constant(program.segments[0]);
  onnx::ModelProto model;
  REQUIRE(model.ParseFromArray(blob.data(), static_cast<int>(blob.size())));
  return model;
}

}  // namespace

TEST_CASE("A vendor's programs are added to the CPU's without changing the branches of the plan") {
  Copier vendor;
  CompileOptions alone;
  alone.backends = {make_cpu_backend({})};
  const auto without = vendor.compile(alone), with = vendor.compile(std::nullopt);
  const auto &before = without->tables().branches, &after = with->tables().branches;
  REQUIRE(before.size() == after.size());
  for (size_t branch = 0; branch < before.size(); ++branch) {
    CHECK(before[branch].operators == after[branch].operators);
    CHECK(after[branch].programs[0].unit == "cpu");
  }
  const auto blobs = programs_of(*with, "npu");
  CHECK(blobs.size() >= 3);
  for (const plan::Program* program : blobs) {
    CHECK(program->kind == plan::ProgramKind::kBlob);
    REQUIRE(program->costs.size() == 1);
    CHECK(program->costs[0].origin == plan::CostOrigin::kUnknown);  // the vendor declares no cost
    CHECK(program->costs[0].microseconds >= 200);
  }
  CHECK(vendor.failures.empty());
}

TEST_CASE("A vendor gets the operators of a branch as standard ONNX") {
  Copier vendor;
  const auto plan = vendor.compile(of_convolutions(2));
  const auto blobs = programs_of(*plan, "npu");
  REQUIRE(blobs.size() == 1);
  const onnx::ModelProto model = model_in(*plan, *blobs[0]);
  std::vector<std::string> names;
  for (const auto& node : model.graph().node()) names.push_back(node.name());
  CHECK(names == std::vector<std::string>{"b1", "b2"});
  CHECK(model.graph().input(0).type().tensor_type().shape().dim_size() == 4);
}

TEST_CASE("The vendor's smallest region limits the number of programs and the capability file determines their cost") {
  for (const uint32_t least : {1u, 2u, 3u}) {
    Copier vendor;
    Capability capability = of_convolutions(least);
    capability.cost = OffloadCost{1e6, 1, 1e6, 7};
    const auto plan = vendor.compile(capability);
    const auto blobs = programs_of(*plan, "npu");
    CHECK(blobs.size() <= 5 / least);
    CHECK(blobs.size() == (least == 1 ? 2 : least == 2 ? 1 : 0));
    for (const plan::Program* program : blobs) {
      CHECK(program->costs.at(0).origin == plan::CostOrigin::kModelled);
      CHECK(program->costs[0].microseconds == Approx(7).margin(0.1));
    }
  }
}

TEST_CASE("If the vendor's command fails, the branch runs on the CPU and the failure is reported") {
  Copier vendor("echo no >&2; exit 3");
  const auto plan = vendor.compile(of_convolutions(2));
  CHECK(programs_of(*plan, "npu").empty());
  REQUIRE(vendor.failures.size() == 1);
  CHECK_THAT(vendor.failures[0], Contains("exit code 3; it printed: no"));
}

TEST_CASE("A hanging command delays the compilation only once") {
  Copier sleeper("sleep 1000", std::chrono::seconds(1));
  CHECK(programs_of(*sleeper.compile(std::nullopt), "npu").empty());
  REQUIRE(sleeper.failures.size() == 1);
  CHECK_THAT(sleeper.failures[0], Contains("its command took more than 1 seconds"));
}

TEST_CASE("In an s8 network a vendor gets QDQ with nestrt's exponents between int8 borders") {
  Copier vendor;
  const auto plan = vendor.compile(of_convolutions(2), [](CompileOptions& options) {
    options.quantization.emplace();
    options.quantization->options.corrections = {false, false, false};
    for (const char* name : {"x", "u", "v", "w", "z", "y"}) {
      ValueProfile& value = options.quantization->profile.values.emplace_back();
      value.name = name;
      value.exponent = -5;
    }
  });
  const auto blobs = programs_of(*plan, "npu");
  REQUIRE_FALSE(blobs.empty());
  const onnx::ModelProto model = model_in(*plan, *blobs.back());
  CHECK(model.graph().input(0).type().tensor_type().elem_type() == onnx::TensorProto::INT8);
  const auto& nodes = model.graph().node();
  const auto count_of = [&](const char* type) {
    return std::ranges::count_if(nodes, [&](const onnx::NodeProto& node) { return node.op_type() == type; });
  };
  CHECK(count_of("DequantizeLinear") >= 1);
  CHECK(count_of("QuantizeLinear") >= 1);
}

}  // namespace nestrt::compiler
