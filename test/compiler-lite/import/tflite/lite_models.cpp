// SPDX-License-Identifier: Apache-2.0
#include "test/compiler-lite/import/tflite/lite_models.h"

#include <random>

namespace nestrt::test {

using flatbuffers::FlatBufferBuilder;
using tflite::FusedActivation;
using tflite::PaddingScheme;

LiteWriter::Options conv_options(PaddingScheme padding, int32_t stride, FusedActivation activation) {
  return [=](FlatBufferBuilder& builder) {
    return tflite::CreateConv2DOptions(builder, padding, stride, stride, activation).Union();
  };
}

LiteWriter::Options depthwise_options(PaddingScheme padding, int32_t stride, int32_t dilation) {
  return [=](FlatBufferBuilder& builder) {
    return tflite::CreateDepthwiseConv2DOptions(builder, padding, stride, stride, 1, FusedActivation::RELU6, dilation,
                                                dilation)
        .Union();
  };
}

LiteWriter::Options pool_options(PaddingScheme padding, int32_t stride, int32_t filter) {
  return [=](FlatBufferBuilder& builder) {
    return tflite::CreatePool2DOptions(builder, padding, stride, stride, filter, filter).Union();
  };
}

std::vector<float> lite_numbers(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> result(count);
  for (float& number : result) number = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 1000;
  return result;
}

std::vector<int8_t> lite_bytes_of(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int8_t> result(count);
  for (int8_t& byte : result) byte = static_cast<int8_t>(static_cast<int>(random() % 255) - 127);
  return result;
}

LiteWriter classifier_model() {
  using namespace lite_options;
  LiteWriter model;
  const int32_t x = model.input("x", {1, 7, 6, 3});
  const int32_t w1 = model.floats("w1", {4, 3, 3, 3}, lite_numbers(108, 1));
  const int32_t b1 = model.floats("b1", {4}, lite_numbers(4, 2));
  const int32_t w2 = model.floats("w2", {1, 3, 3, 4}, lite_numbers(36, 3));
  const int32_t b2 = model.floats("b2", {4}, lite_numbers(4, 4));
  const int32_t w3 = model.floats("w3", {5, 24}, lite_numbers(120, 5));
  const int32_t shape = model.ints("shape", {1, 24});
  const int32_t c = model.tensor("c", {1, 4, 3, 4}), d = model.tensor("d", {1, 4, 3, 4});
  const int32_t p = model.tensor("p", {1, 3, 2, 4}), f = model.tensor("f", {1, 24});
  const int32_t y = model.tensor("y", {1, 5}), s = model.tensor("s", {1, 5});
  model.add(LiteOp::CONV_2D, {x, w1, b1}, {c}, kConv2D, conv_options(PaddingScheme::SAME, 2, FusedActivation::RELU));
  model.add(LiteOp::DEPTHWISE_CONV_2D, {c, w2, b2}, {d}, kDepthwiseConv2D, depthwise_options(PaddingScheme::SAME, 1));
  model.add(LiteOp::MAX_POOL_2D, {d}, {p}, kPool2D, pool_options(PaddingScheme::VALID, 1, 2));
  model.add(LiteOp::RESHAPE, {p, shape}, {f});
  model.add(LiteOp::FULLY_CONNECTED, {f, w3, -1}, {y}, kFullyConnected,
            [](FlatBufferBuilder& builder) { return tflite::CreateFullyConnectedOptions(builder).Union(); });
  model.add(LiteOp::SOFTMAX, {y}, {s}, kSoftmax,
            [](FlatBufferBuilder& builder) { return tflite::CreateSoftmaxOptions(builder, 1).Union(); });
  return model.output(y).output(s);
}

LiteWriter quantized_classifier_model() {
  using namespace lite_options;
  const LiteWriter::Scales of_x{{0.05f}, {-3}}, of_w1{{0.01f, 0.02f, 0.005f, 0.01f}, {0, 0, 0, 0}, 0};
  const LiteWriter::Scales of_c{{0.04f}, {-128}}, of_w2{{0.01f, 0.02f, 0.015f, 0.01f}, {0, 0, 0, 0}, 3};
  const LiteWriter::Scales of_d{{0.07f}, {5}}, of_w3{{0.01f}, {0}}, of_y{{0.3f}, {10}};
  LiteWriter model;
  const int32_t x = model.input("x", {1, 7, 6, 3}, LiteType::INT8, of_x);
  const int32_t w1 = model.constant("w1", {4, 3, 3, 3}, LiteType::INT8, lite_bytes_of(108, 1), of_w1);
  const int32_t b1 = model.constant("b1", {4}, LiteType::INT32, std::vector<int32_t>{900, -50, 7000, 3});
  const int32_t w2 = model.constant("w2", {1, 3, 3, 4}, LiteType::INT8, lite_bytes_of(36, 2), of_w2);
  const int32_t w3 = model.constant("w3", {5, 48}, LiteType::INT8, lite_bytes_of(240, 3), of_w3);
  const int32_t shape = model.ints("shape", {1, 48});
  const int32_t c = model.tensor("c", {1, 4, 3, 4}, LiteType::INT8, of_c);
  const int32_t d = model.tensor("d", {1, 4, 3, 4}, LiteType::INT8, of_d);
  const int32_t f = model.tensor("f", {1, 48}, LiteType::INT8, of_d);
  const int32_t y = model.tensor("y", {1, 5}, LiteType::INT8, of_y);
  model.add(LiteOp::CONV_2D, {x, w1, b1}, {c}, kConv2D, conv_options(PaddingScheme::SAME, 2, FusedActivation::RELU));
  model.add(LiteOp::DEPTHWISE_CONV_2D, {c, w2}, {d}, kDepthwiseConv2D, depthwise_options(PaddingScheme::SAME, 1));
  model.add(LiteOp::RESHAPE, {d, shape}, {f});
  model.add(LiteOp::FULLY_CONNECTED, {f, w3}, {y}, kFullyConnected,
            [](FlatBufferBuilder& builder) { return tflite::CreateFullyConnectedOptions(builder).Union(); });
  return model.output(y);
}

namespace {

LiteWriter elements_model() {
  LiteWriter model;
  const int32_t x = model.input("x", {1, 2, 2, 3});
  const int32_t scale = model.floats("scale", {3}, {1, 2, 3});
  const int32_t axes = model.ints("axes", {1, 2});
  const int32_t a = model.tensor("a", {1, 2, 2, 3}), b = model.tensor("b", {1, 2, 2, 3});
  const int32_t m = model.tensor("m", {1, 3});
  model.add(LiteOp::MUL, {x, scale}, {a}).add(LiteOp::LOGISTIC, {a}, {b}).add(LiteOp::MEAN, {b, axes}, {m});
  return model.output(m);
}

LiteWriter movement_model() {
  using namespace lite_options;
  LiteWriter model;
  const int32_t x = model.input("x", {1, 4, 4, 2});
  const int32_t pads = model.constant("pads", {4, 2}, LiteType::INT32, std::vector<int32_t>{0, 0, 1, 1, 1, 0, 0, 0});
  const int32_t begin = model.ints("begin", {0, 1, 0, 0}), end = model.ints("end", {0, -1, 9, 1});
  const int32_t strides = model.ints("strides", {1, 1, 2, 1});
  const int32_t p = model.tensor("p", {1, 6, 5, 2}), s = model.tensor("s", {1, 4, 3});
  model.add(LiteOp::PAD, {x, pads}, {p});
  model.add(LiteOp::STRIDED_SLICE, {p, begin, end, strides}, {s}, kStridedSlice, [](FlatBufferBuilder& builder) {
    return tflite::CreateStridedSliceOptions(builder, 1, 1, 0, 0, 8).Union();
  });
  return model.output(s);
}

}  // namespace

LiteWriter loop_model() {
  LiteWriter condition;
  const int32_t count = condition.input("count", {}, LiteType::INT32);
  condition.input("sum", {2});
  condition.input("x", {2});
  const int32_t limit = condition.constant("limit", {}, LiteType::INT32, std::vector<int32_t>{3});
  const int32_t goes_on = condition.tensor("goes_on", {}, LiteType::BOOL);
  condition.add(LiteOp::LESS, {count, limit}, {goes_on}).output(goes_on);
  LiteWriter body;
  const int32_t before = body.input("count", {}, LiteType::INT32), sum = body.input("sum", {2});
  const int32_t term = body.input("x", {2});
  const int32_t one = body.constant("one", {}, LiteType::INT32, std::vector<int32_t>{1});
  const int32_t after = body.tensor("after", {}, LiteType::INT32), longer = body.tensor("longer", {2});
  body.add(LiteOp::ADD, {before, one}, {after}).add(LiteOp::ADD, {sum, term}, {longer});
  body.output(after).output(longer).output(term);
  LiteWriter model;
  const int32_t x = model.input("x", {2});
  const int32_t zero = model.constant("zero", {}, LiteType::INT32, std::vector<int32_t>{0});
  const int32_t zeros = model.floats("zeros", {2}, {0, 0});
  const int32_t steps = model.tensor("steps", {}, LiteType::INT32), y = model.tensor("y", {2});
  const int32_t same = model.tensor("same", {2});
  const int32_t test = model.subgraph(condition), loop = model.subgraph(body);
  model.add(LiteOp::WHILE, {zero, zeros, x}, {steps, y, same}, lite_options::kWhile,
            [=](FlatBufferBuilder& builder) { return tflite::CreateWhileOptions(builder, test, loop).Union(); });
  return model.output(y);
}

std::vector<LiteWriter> sample_lite_models() {
  return {classifier_model(), quantized_classifier_model(), elements_model(), movement_model(), loop_model()};
}

}  // namespace nestrt::test
