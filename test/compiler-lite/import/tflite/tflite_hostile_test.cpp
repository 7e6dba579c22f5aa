// SPDX-License-Identifier: Apache-2.0
// Tests TensorFlow Lite files that are damaged or use features that the importer does not support.
#include <catch2/catch.hpp>

#include <algorithm>

#include "test/compiler-lite/import/tflite/lite_models.h"

namespace nestrt::test {
namespace {

void check_refused(const Result<compiler::Graph>& graph, Code code, const std::string& part) {
  REQUIRE(!graph);
  INFO(graph.error().to_string());
  CHECK(graph.error().code() == code);
  CHECK(std::string(graph.error().message()).find(part) != std::string::npos);
}

Result<compiler::Graph> import_lite_bytes(std::vector<std::byte> bytes) {
  return compiler::import_tflite(std::move(bytes));
}

TEST_CASE("Every truncated TensorFlow Lite model is rejected or still valid") {
  for (const LiteWriter& model : sample_lite_models()) {
    const std::vector<std::byte> bytes = model.bytes();
    for (size_t length = 0; length < bytes.size(); length += 3) {
      const auto graph = import_lite_bytes({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)});
      if (!graph) CHECK(!graph.error().message().empty());
    }
  }
}

TEST_CASE("TensorFlow Lite models with flipped bytes never crash") {
  for (const LiteWriter& model : sample_lite_models()) {
    const std::vector<std::byte> bytes = model.bytes();
    for (size_t at = 0; at < bytes.size(); ++at) {
      for (const std::byte flip : {std::byte{0x01}, std::byte{0x80}, std::byte{0xff}}) {
        std::vector<std::byte> broken = bytes;
        broken[at] ^= flip;
        const auto graph = import_lite_bytes(std::move(broken));
        if (!graph) CHECK(!graph.error().message().empty());
      }
    }
  }
}

TEST_CASE("All unsupported operators of a TensorFlow Lite model are named in one error") {
  LiteWriter model;
  const int32_t x = model.input("x", {1, 2}), a = model.tensor("a", {1, 2}), b = model.tensor("b", {1, 2});
  model.add(LiteOp::LSH_PROJECTION, {x}, {a}).add_custom("FlexErf", {a}, {b}).output(b);
  check_refused(model.import(), Code::kUnsupported, "LSH_PROJECTION (1 operator)");
  check_refused(model.import(), Code::kUnsupported, "custom operator 'FlexErf'");
  check_refused(model.import(), Code::kUnsupported, "SELECT_TF_OPS");
}

TEST_CASE("The error for a tensor that nothing computes names it") {
  LiteWriter model;
  const int32_t nothing = model.tensor("nothing", {1, 2}), y = model.tensor("y", {1, 2});
  model.input("x", {1, 2});
  model.add(LiteOp::RELU, {nothing}, {y}).output(y);
  check_refused(model.import(), Code::kInvalidModel, "'nothing' is read before");
}

TEST_CASE("A tensor that two operators compute is rejected") {
  LiteWriter model;
  const int32_t x = model.input("x", {1, 2}), y = model.tensor("y", {1, 2});
  model.add(LiteOp::RELU, {x}, {y}).add(LiteOp::TANH, {x}, {y}).output(y);
  check_refused(model.import(), Code::kInvalidModel, "'y' is computed twice");
}

TEST_CASE("The size of a constant must match its shape") {
  LiteWriter model;
  const int32_t x = model.input("x", {1, 2}), y = model.tensor("y", {1, 2});
  const int32_t w = model.floats("w", {2, 2}, {1, 2, 3});
  model.add(LiteOp::FULLY_CONNECTED, {x, w}, {y}).output(y);
  check_refused(model.import(), Code::kInvalidModel, "12 bytes, expected 16");
}

TEST_CASE("Loops that never end and subgraphs that call themselves are rejected") {
  LiteWriter model;
  const int32_t x = model.input("x", {}, LiteType::BOOL), y = model.tensor("y", {}, LiteType::BOOL);
  LiteWriter forever;
  const int32_t condition = forever.constant("yes", {}, LiteType::BOOL, std::vector<uint8_t>{1});
  forever.input("x", {}, LiteType::BOOL);
  LiteWriter body;
  const int32_t same = body.input("x", {}, LiteType::BOOL);
  const int32_t test = model.subgraph(forever.output(condition)), loop = model.subgraph(body.output(same));
  const auto options = [](int32_t cond, int32_t repeated) {
    return [=](flatbuffers::FlatBufferBuilder& builder) {
      return tflite::CreateWhileOptions(builder, cond, repeated).Union();
    };
  };
  model.add(LiteOp::WHILE, {x}, {y}, lite_options::kWhile, options(test, loop)).output(y);
  check_refused(model.import(), Code::kInvalidModel, "operators");
  LiteWriter recursive;
  const int32_t z = recursive.input("z", {}, LiteType::BOOL), w = recursive.tensor("w", {}, LiteType::BOOL);
  recursive.add(LiteOp::WHILE, {z}, {w}, lite_options::kWhile, options(0, 0)).output(w);
  check_refused(recursive.import(), Code::kUnsupported, "nested");
}

TEST_CASE("Options of another operator are rejected") {
  LiteWriter model;
  const int32_t x = model.input("x", {1, 2, 2, 1}), y = model.tensor("y", {1, 2, 2, 1});
  const int32_t w = model.floats("w", {1, 1, 1, 1}, {1});
  model.add(LiteOp::CONV_2D, {x, w}, {y}, lite_options::kPool2D, pool_options(tflite::PaddingScheme::SAME, 1, 1));
  model.output(y);
  check_refused(model.import(), Code::kInvalidModel, "options");
}

TEST_CASE("A stride of 0 and operators without inputs are rejected") {
  LiteWriter model;
  const int32_t x = model.input("x", {1, 2, 2, 1}), y = model.tensor("y", {1, 2, 2, 1});
  const int32_t w = model.floats("w", {1, 1, 1, 1}, {1});
  model.add(LiteOp::CONV_2D, {x, w}, {y}, lite_options::kConv2D, conv_options(tflite::PaddingScheme::SAME, 0));
  check_refused(model.output(y).import(), Code::kInvalidModel, "stride");
  LiteWriter empty;
  const int32_t z = empty.tensor("z", {1});
  empty.input("x", {1});
  check_refused(empty.add(LiteOp::RELU, {}, {z}).output(z).import(), Code::kInvalidModel, "input 0 is missing");
}

}  // namespace
}  // namespace nestrt::test
