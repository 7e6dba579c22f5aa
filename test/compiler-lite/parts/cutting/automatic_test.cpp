// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/cutting/automatic.h"

#include <catch2/catch.hpp>
#include <random>

#include "compiler-lite/import/import.h"
#include "test/compiler-lite/import/model_builder.h"
#include "test/support/example_files.h"

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;
using Operators = std::vector<uint32_t>;

// Returns a chain of Convs ("c") and Tanhs ("t"). A Conv is 1x1 with 2 input and 2 output channels over 4x4 pixels: 64
// multiply-accumulates and 16 bytes of weights.
Graph chain(const std::string& operators) {
  test::ModelBuilder model;
  model.input("v0", {1, 2, 4, 4}).output("v" + std::to_string(operators.size()));
  for (size_t i = 0; i < operators.size(); ++i) {
    const std::string from = "v" + std::to_string(i), to = "v" + std::to_string(i + 1), name = "op" + std::to_string(i);
    if (operators[i] == 't') {
      model.node("Tanh", {from}, {to}, name);
      continue;
    }
    model.constant("w" + std::to_string(i), {2, 2, 1, 1}, {1, 2, 3, 4});
    model.node("Conv", {from, "w" + std::to_string(i)}, {to}, name);
  }
  auto graph = model.import();
  REQUIRE(graph);
  return std::move(*graph);
}

Capability npu(const std::string& more = "") {
  const auto result = parse_capability("name: NPU\noperators:\n  Conv:\n" + more, "npu.yaml");
  INFO(result.error().to_string());
  REQUIRE(result);
  return *result;
}

AutomaticParts npu_parts(const Graph& graph, const Capability& vendor) {
  auto result = automatic_parts(graph, vendor, {});
  INFO(result.error().to_string());
  REQUIRE(result);
  REQUIRE(cut(graph, result->parts));
  return std::move(*result);
}

std::string reason_of(const AutomaticParts& parts, uint32_t op) {
  for (const RejectedOperator& rejected : parts.rejected)
    if (rejected.op == op) return rejected.reason;
  return "";
}

}  // namespace

TEST_CASE("Connected operators that the vendor accepts form a part, and other operators have a reason") {
  const AutomaticParts parts = npu_parts(chain("cctcc"), npu());
  REQUIRE(parts.parts.size() == 2);
  CHECK(parts.parts[0].backend == "NPU");
  CHECK(parts.parts[0].operators == Operators{0, 1});
  CHECK(parts.parts[1].operators == Operators{3, 4});
  REQUIRE(parts.rejected.size() == 1);
  CHECK(parts.rejected[0].op == 2);
  CHECK(parts.rejected[0].reason == "NPU does not support Tanh");
}

TEST_CASE("Regions with fewer operators or multiply-accumulates than the minimum stay on the host") {
  const Graph graph = chain("cctctccc");
  const AutomaticParts by_operators = npu_parts(graph, npu("region: {min_operators: 3}\n"));
  REQUIRE(by_operators.parts.size() == 1);
  CHECK(by_operators.parts[0].operators == Operators{5, 6, 7});
  CHECK_THAT(reason_of(by_operators, 3), Contains("1 operators, fewer than 3"));
  const AutomaticParts by_macs = npu_parts(graph, npu("region: {min_macs: 128}\n"));
  CHECK(by_macs.parts.size() == 2);
  CHECK_THAT(reason_of(by_macs, 3), Contains("64 multiply-accumulates, fewer than 128"));
}

TEST_CASE("A region that saves less time than its transfers cost stays on the host") {
  // Transfers: 128 bytes in, 128 bytes out. Each Conv saves 64 - 6.4 us.
  const std::string cost = "cost: {macs_per_us: 10, host_macs_per_us: 1, transfer_bytes_per_us: 4, launch_us: ";
  CHECK(npu_parts(chain("cc"), npu(cost + "50}\n")).parts.size() == 1);  // saves 115.2, costs 114
  const AutomaticParts parts = npu_parts(chain("cc"), npu(cost + "52}\n"));
  CHECK(parts.parts.empty());
  CHECK(reason_of(parts, 0) == "its region saves 115.2 us and its transfers cost 116.0 us");
}

TEST_CASE(
    "A region whose constants exceed the memory is divided and a constant that exceeds it alone stays on the host") {
  const AutomaticParts divided = npu_parts(chain("ccc"), npu("memory: {weights: 32}\n"));
  REQUIRE(divided.parts.size() == 2);
  CHECK(divided.parts[0].operators == Operators{0, 1});
  CHECK(divided.parts[1].operators == Operators{2});
  const AutomaticParts none = npu_parts(chain("c"), npu("memory: {weights: 15}\n"));
  CHECK(none.parts.empty());
  CHECK(reason_of(none, 0) == "its constants occupy 16 bytes, more than 15");
}

TEST_CASE("Types, sizes and attributes of an operator decide whether the vendor accepts it") {
  const Graph graph = chain("c");
  const auto reason = [&](const std::string& limits) { return reason_of(npu_parts(graph, npu(limits)), 0); };
  CHECK(reason("    attributes: {group: {max: 1}, kernel_shape: {values: [1, 3]}, auto_pad: {values: [VALID]}}\n")
            .empty());
  CHECK_THAT(reason("    attributes: {kernel_shape: {min: 2}}\n"), Contains("kernel_shape 1 is below 2"));
  CHECK_THAT(reason("    attributes: {strides: {max: 0}}\n"), Contains("strides 1 is above 0"));
  CHECK_THAT(reason("    attributes: {group: {values: [2, 4]}}\n"), Contains("group 1 is not a supported value"));
  CHECK_THAT(reason("    types: [s8]\n"), Contains("is f32"));
  CHECK_THAT(reason("types: [u8, s8]\n"), Contains("is f32"));
  CHECK_THAT(reason("memory: {tensor: 127}\n"), Contains("occupies 128 bytes, more than 127"));
}

TEST_CASE("A branch that the vendor rejects is not inside a part") {
  test::ModelBuilder model;
  model.input("x", {1, 4}).output("y");
  model.node("Relu", {"x"}, {"a"}, "a");
  model.node("Tanh", {"a"}, {"b"}, "b");
  model.node("Relu", {"a"}, {"c"}, "c");
  model.node("Add", {"b", "c"}, {"y"}, "y");
  const auto graph = model.import();
  REQUIRE(graph);
  const auto vendor = parse_capability("name: NPU\noperators: {Relu: , Add: }\n", "npu.yaml");
  REQUIRE(vendor);
  const AutomaticParts parts = npu_parts(*graph, *vendor);
  REQUIRE(parts.parts.size() == 2);
  CHECK(parts.parts[0].operators == Operators{0, 2});
  CHECK(parts.parts[1].operators == Operators{3});
}

TEST_CASE(
    "No partition of a real network has more parts than the smallest region allows, for any capability of the vendor") {
  const auto graph = import_onnx(nestrt::test::kDemoModel);
  REQUIRE(graph);
  const size_t operators = model_operators(*graph).size();
  std::mt19937 generator(1);
  const std::vector<std::string> known = {"Conv",    "Relu",   "MaxPool", "Concat", "GlobalAveragePool",
                                          "Reshape", "Softmax"};
  for (int i = 0; i < 50; ++i) {
    Capability vendor;
    vendor.name = "NPU";
    vendor.types = {DataType::kF32};
    vendor.min_operators = 1 + generator() % 6;
    for (const std::string& name : known)
      if (generator() % 2 == 0) vendor.operators[name] = {};
    const AutomaticParts parts = npu_parts(*graph, vendor);
    size_t placed = 0;
    for (const PartSpec& part : parts.parts) placed += part.operators.size();
    CHECK(parts.parts.size() * vendor.min_operators <= placed);
    CHECK(placed + parts.rejected.size() == operators);
  }
}

TEST_CASE("Invalid capability files are rejected with the line") {
  const std::pair<const char*, const char*> wrong[] = {
      {"[]", "expected a capability file"},
      {"name: NPU\n", "operators"},
      {"name: NPU\noperators: [Conv]\n", "by ONNX name"},
      {"name: NPU\noperators: {Conv: 3}\n", "expected {types, attributes}"},
      {"name: NPU\noperators: {Conv: {colour: red}}\n", "colour"},
      {"name: NPU\ntypes: [f16]\noperators: {Conv: }\n", "'f16' is not a type"},
      {"name: NPU\noperators: {Conv: {attributes: {group: 1}}}\n", "expected {min, max} or {values}"},
      {"name: NPU\noperators: {Conv: }\nmemory: {weights: -1}\n", "weights"},
      {"name: NPU\noperators: {Conv: }\nregion: {min_operators: 0}\n", "min_operators"},
      {"name: NPU\noperators: {Conv: }\ncost: {macs_per_us: 1}\n", "host_macs_per_us"},
      {"name: NPU\noperators: {Conv: }\ncost: {macs_per_us: 0, host_macs_per_us: 1, transfer_bytes_per_us: 1, "
       "launch_us: "
       "1}\n",
       "macs_per_us"},
  };
  for (const auto& [text, message] : wrong) {
    INFO(text);
    const auto result = parse_capability(text, "npu.yaml");
    REQUIRE_FALSE(result);
    CHECK(result.error().code() == Code::kInvalidArgument);
    CHECK_THAT(std::string(result.error().message()), Contains(message));
  }
}

}  // namespace nestrt::compiler
