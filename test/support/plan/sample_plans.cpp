// SPDX-License-Identifier: Apache-2.0
#include "test/support/plan/sample_plans.h"

namespace nestrt::test {

PlanBuilder relu_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {2, 3});
  const int y = builder.output("y", {2, 3});
  builder.op("relu", unary(ops::UnaryKind::kRelu), {x}, {y});
  return builder;
}

PlanBuilder branches_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {2, 8});
  const int c = builder.constant<float>("c", {8}, {1, 2, 3, 4, 5, 6, 7, 8});
  const int left = builder.arena("left", {2, 8});
  const int right = builder.arena("right", {2, 8});
  const int y = builder.output("y", {2, 8});
  builder.op("left", unary(ops::UnaryKind::kRelu), {x}, {left});
  builder.branch();
  builder.op("right", binary(ops::BinaryKind::kMul), {x, c}, {right});
  builder.branch();
  builder.op("join", binary(ops::BinaryKind::kAdd), {left, right}, {y});
  builder.branch();
  return builder;
}

PlanBuilder views_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 4});
  const int whole = builder.arena("whole", {1, 8});
  const int relu = builder.view("relu", whole, {1, 4});
  const int neg = builder.view("neg", whole, {1, 4}, 16);
  const int tall = builder.view("tall", whole, {8, 1});
  const int tail = builder.view("tail", whole, {3, 1}, 20);
  const int y = builder.output("y", {8, 1});
  const int z = builder.output("z", {3, 1});
  builder.op("relu", unary(ops::UnaryKind::kRelu), {x}, {relu});
  builder.op("neg", unary(ops::UnaryKind::kNeg), {x}, {neg});
  ops::Concat concat;
  concat.axis = 1;
  builder.op("concat", concat, {relu, neg}, {whole});
  ops::Reshape reshape;
  reshape.shape = {8, 1};
  builder.op("reshape", reshape, {whole}, {tall});
  ops::Slice slice;
  slice.start = {5, 0};
  slice.step = {1, 1};
  slice.shape = {3, 1};
  builder.op("slice", slice, {tall}, {tail});
  builder.op("double", binary(ops::BinaryKind::kAdd), {tall, tall}, {y});
  builder.op("abs", unary(ops::UnaryKind::kAbs), {tail}, {z});
  return builder;
}

namespace {

// Returns values of both signs with distinguishable sums.
std::vector<float> ramp(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 13) / 8 - 0.75f;
  return values;
}

// Returns a 3x3 convolution that keeps the size.
ops::Conv conv3x3(int group = 1) {
  ops::Conv conv;
  conv.kernel = {3, 3};
  conv.stride = conv.dilation = conv.pad_begin = conv.pad_end = {1, 1};
  conv.group = group;
  conv.activation = {.kind = ops::ActivationKind::kRelu};
  return conv;
}

ops::Pool pool2x2(ops::PoolKind kind) {
  ops::Pool pool;
  pool.kind = kind;
  pool.kernel = pool.stride = {2, 2};
  pool.dilation = {1, 1};
  pool.pad_begin = pool.pad_end = {0, 0};
  return pool;
}

}  // namespace

PlanBuilder blocked_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 16, 6, 6});
  const int direct_weights = builder.packed("direct_w", {20, 16, 3, 3}, Packing::kO16i16, ramp(20 * 16 * 9));
  const int bias = builder.constant<float>("bias", {20}, ramp(20));
  const int depthwise_weights = builder.packed("depthwise_w", {20, 1, 3, 3}, Packing::kDepthwise16, ramp(20 * 9));
  const int blocked_x = builder.blocked("blocked_x", {1, 16, 6, 6});
  const int direct = builder.blocked("direct", {1, 20, 6, 6});
  const int depthwise = builder.blocked("depthwise", {1, 20, 6, 6});
  const int pool = builder.blocked("pool", {1, 20, 3, 3});
  const int y = builder.output("y", {1, 20, 3, 3});
  builder.op("block", ops::Reorder(), {x}, {blocked_x});
  builder.op("direct", conv3x3(), {blocked_x, direct_weights, bias}, {direct});
  builder.op("depthwise", conv3x3(20), {direct, depthwise_weights}, {depthwise});
  builder.op("pool", pool2x2(ops::PoolKind::kMax), {depthwise}, {pool});
  builder.op("unblock", ops::Reorder(), {pool}, {y});
  return builder;
}

PlanBuilder plain_conv_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 3, 5, 5});
  const int weights = builder.constant<float>("w", {4, 3, 3, 3}, ramp(4 * 3 * 9));
  const int y = builder.output("y", {1, 4, 5, 5});
  builder.op("conv", conv3x3(), {x, weights}, {y});
  return builder;
}

PlanBuilder unpacked_conv_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 3, 5, 5});
  const int weights = builder.constant<float>("w", {4, 3, 3, 3}, ramp(4 * 3 * 9));
  const int blocked = builder.blocked("blocked", {1, 4, 5, 5});
  const int y = builder.output("y", {1, 4, 5, 5});
  builder.op("conv", conv3x3(), {x, weights}, {blocked});
  builder.op("unblock", ops::Reorder(), {blocked}, {y});
  return builder;
}

PlanBuilder inverted_residual_plan() {
  constexpr int kNarrow = 16, kWide = 32, kSize = 96;
  const auto conv_of = [](int kernel, int group) {
    ops::Conv conv;
    conv.kernel = {kernel, kernel};
    conv.stride = conv.dilation = {1, 1};
    conv.pad_begin = conv.pad_end = {kernel / 2, kernel / 2};
    conv.group = group;
    return conv;
  };
  const auto weights = [](int count) {
    std::vector<float> values(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) values[static_cast<size_t>(i)] = static_cast<float>(i % 23 - 11) / 16;
    return values;
  };
  PlanBuilder builder;
  const Shape narrow{1, kNarrow, kSize, kSize}, wide{1, kWide, kSize, kSize};
  const int x = builder.input("x", narrow), blocked = builder.blocked("blocked", narrow);
  const int expanded = builder.blocked("expanded", wide), filtered = builder.blocked("filtered", wide);
  const int projected = builder.blocked("projected", narrow), y = builder.output("y", narrow);
  const int first = builder.constant<float>("first", {kWide, kNarrow, 1, 1}, weights(kWide * kNarrow));
  const int second = builder.constant<float>("second", {kWide, 1, 3, 3}, weights(kWide * 9));
  const int third = builder.constant<float>("third", {kNarrow, kWide, 1, 1}, weights(kNarrow * kWide));
  builder.op("block", ops::Reorder{}, {x}, {blocked});
  builder.op("expand", conv_of(1, 1), {blocked, first}, {expanded});
  builder.op("filter", conv_of(3, kWide), {expanded, second}, {filtered});
  builder.op("project", conv_of(1, 1), {filtered, third}, {projected});
  builder.op("plain", ops::Reorder{}, {projected}, {y});
  return builder;
}

PlanBuilder movement_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 2, 3, 4});
  const int indices = builder.constant<int64_t>("indices", {3}, {2, 0, -1}, DataType::kS64);
  const int padded = builder.arena("padded", {1, 2, 4, 6});
  const int resized = builder.arena("resized", {1, 2, 8, 9});
  const int transposed = builder.arena("transposed", {1, 9, 8, 2});
  const int gathered = builder.arena("gathered", {1, 3, 8, 2});
  const int y = builder.output("y", {1, 3, 1, 2});
  ops::Pad pad;
  pad.mode = ops::PadMode::kReflect;
  pad.begin = {0, 0, 1, 1};
  pad.end = {0, 0, 0, 1};
  builder.op("pad", pad, {x}, {padded});
  ops::Resize resize;
  resize.mode = ops::ResizeMode::kLinear;
  resize.sizes = {1, 2, 8, 9};
  resize.scales = {1, 1, 2, 1.5f};
  builder.op("resize", resize, {padded}, {resized});
  ops::Transpose transpose;
  transpose.permutation = {0, 3, 2, 1};
  builder.op("transpose", transpose, {resized}, {transposed});
  ops::Gather gather;
  gather.axis = 1;
  builder.op("gather", gather, {transposed, indices}, {gathered});
  ops::Reduce reduce;
  reduce.kind = ops::ReduceKind::kMean;
  reduce.axes = {2};
  builder.op("reduce", reduce, {gathered}, {y});
  return builder;
}

PlanBuilder selection_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {3, 4});
  const int where = builder.input("where", {2}, DataType::kS64);
  const int image = builder.input("image", {1, 2, 3, 3});
  const int grid = builder.input("grid", {1, 2, 2, 2});
  const int boxes = builder.input("boxes", {1, 5, 4});
  const int scores = builder.input("scores", {1, 2, 5});
  const int updates = builder.constant<float>("updates", {2, 4}, ramp(8));
  const int scattered = builder.arena("scattered", {3, 4});
  const int steps = builder.view("steps", scattered, {3, 1, 4});
  const int weights = builder.constant<float>("weights", {1, 4}, ramp(4));
  const int top = builder.output("top", {3, 2}, DataType::kS64);
  const int sampled = builder.output("sampled", {1, 2, 2, 2});
  const int states = builder.output("states", {4, 1, 1});
  const int chosen = builder.output("chosen", {6, 3}, DataType::kS64);
  builder.op("top", ops::TopK{.axis = 1, .count = 2}, {x}, {top});
  builder.op("scatter", ops::Scatter{.kind = ops::ScatterKind::kAdd}, {x, where, updates}, {scattered});
  builder.op("steps", ops::Reshape{.shape = {3, 1, 4}}, {scattered}, {steps});
  builder.op("lstm", ops::Recurrent{.kind = ops::RecurrentKind::kLstm, .gate = {ops::ActivationKind::kSigmoid}},
             {steps, weights}, {states});
  builder.op("sample", ops::GridSample{.mode = ops::ResizeMode::kCubic}, {image, grid}, {sampled});
  builder.op("suppress", ops::NonMaxSuppression{.count = 3, .iou_threshold = 0.5f}, {boxes, scores}, {chosen});
  return builder;
}

PlanBuilder integer_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 2, 3, 3}), steps = builder.input("steps", {2, 1, 8});
  const int q = builder.arena("q", {1, 2, 3, 3}, DataType::kU8), scale = builder.arena("scale", {});
  const int zero = builder.arena("zero", {}, DataType::kU8), image = builder.arena("image", {1, 1, 3, 3});
  const int rows = builder.view("rows", q, {6, 3}), flat = builder.view("flat", image, {1, 9});
  const int product = builder.arena("product", {6, 2}), padded = builder.arena("padded", {7, 2});
  const std::vector<int8_t> bytes = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12, 13, -14, 15, -16, 17, -18};
  const int matrix = builder.packed("matrix", {3, 2}, Packing::kS8Panel, std::vector<int8_t>{1, -2, 3, -4, 5, -128});
  const int kernel = builder.constant<int8_t>("kernel", {1, 2, 3, 3}, bytes, DataType::kS8);
  const int one = builder.constant<float>("one", {}, {0.5f}), each = builder.constant<float>("each", {2}, {0.5f, 2});
  const int packed = builder.constant<uint8_t>("packed", {1, 2, 4, 16}, std::vector<uint8_t>(128, 0x5a), DataType::kU8);
  const int scales = builder.constant<float>("scales", {1, 2, 16}, ramp(32));
  const int state = builder.constant<int8_t>("state", {2, 8}, {bytes.begin(), bytes.begin() + 16}, DataType::kS8);
  const int y = builder.output("y", {7, 2}), z = builder.output("z", {1, 3}),
            states = builder.output("states", {3, 1, 2});
  const int sums = builder.output("sums", {6, 2}, DataType::kS32);
  builder.op("quantize", ops::DynamicQuantize(), {x}, {q, scale, zero});
  builder.op("rows", ops::Reshape{.shape = {6, 3}}, {q}, {rows});
  builder.op("sums", ops::MatMulInteger(), {rows, matrix, zero}, {sums});
  builder.op("product", ops::MatMulInteger(), {rows, matrix, zero, -1, scale, each, each}, {product});
  builder.op("pad", ops::Pad{.begin = {1, 0}, .end = {0, 0}}, {product, one}, {padded});
  builder.op("y", unary(ops::UnaryKind::kNeg), {padded}, {y});
  ops::ConvInteger conv{.kernel = {3, 3}, .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {1, 1}, .pad_end = {1, 1}};
  builder.op("conv", conv, {q, kernel, zero, -1, scale, one}, {image});
  builder.op("flat", ops::Reshape{.shape = {1, 9}}, {image}, {flat});
  builder.op("nbits", ops::MatMulNBits{.bits = 4, .block = 8, .columns = 3}, {flat, packed, scales}, {z});
  builder.op("lstm", ops::Recurrent{.kind = ops::RecurrentKind::kLstm, .gate = {ops::ActivationKind::kSigmoid}},
             {steps, state, -1, -1, -1, -1, one}, {states});
  return builder;
}

PlanBuilder classifier_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 5, 2, 2});
  const int weights = builder.packed("w", {5, 2}, Packing::kPanel16, ramp(10));
  const int bias = builder.constant<float>("b", {2}, {0.5f, -0.5f});
  const int pool = builder.arena("pool", {1, 5, 1, 1});
  const int flat = builder.view("flat", pool, {1, 5});
  const int logits = builder.arena("logits", {1, 2});
  const int y = builder.output("y", {1, 2});
  builder.op("pool", pool2x2(ops::PoolKind::kAverage), {x}, {pool});
  ops::Reshape reshape;
  reshape.shape = {1, 5};
  builder.op("flatten", reshape, {pool}, {flat});
  builder.op("dense", ops::Dense(), {flat, weights, bias}, {logits});
  ops::Softmax softmax;
  softmax.axis = -1;
  builder.op("softmax", softmax, {logits}, {y});
  return builder;
}

namespace {

// Builds plans with s8 tensors of exponent 4 in blocks of 16 channels between plain f32 tensors.
class BlockedS8 {
 public:
  explicit BlockedS8(PlanBuilder& builder) : builder_(builder) {}

  int blocked(const std::string& name, const Shape& shape, int8_t exponent = 4) {
    return builder_.quantize(builder_.blocked(name, shape, DataType::kS8), {exponent});
  }
  void bring(const std::string& name, int from, const Shape& shape, int to) {
    const int plain = builder_.quantize(builder_.arena(name + "q", shape, DataType::kS8), {4});
    builder_.op("quantize " + name, ops::Quantize(), {from}, {plain});
    builder_.op("block " + name, ops::Reorder(), {plain}, {to});
  }
  void give_back(int from, const Shape& shape, int8_t exponent, int to) {
    const int plain = builder_.quantize(builder_.arena("yq", shape, DataType::kS8), {exponent});
    builder_.op("unblock", ops::Reorder(), {from}, {plain});
    builder_.op("dequantize", ops::Dequantize(), {plain}, {to});
    builder_.branch();
  }
  int weights(const Shape& kernel, Packing packing) {
    std::vector<int8_t> values(static_cast<size_t>(kernel.num_elements())), exponents(static_cast<size_t>(kernel[0]));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int8_t>(static_cast<int>(i * 7919 % 31) - 15);
    for (size_t i = 0; i < exponents.size(); ++i) exponents[i] = static_cast<int8_t>(5 + i % 4);
    return builder_.quantize(builder_.packed("w", kernel, packing, values), exponents, 0);
  }
  int bias(int64_t channels) {
    std::vector<int32_t> biases(static_cast<size_t>(channels));
    for (size_t i = 0; i < biases.size(); ++i) biases[i] = static_cast<int32_t>(i * 6007 % 4096) - 2048;
    return builder_.constant("b", {channels}, biases, DataType::kS32);
  }

 private:
  PlanBuilder& builder_;
};

}  // namespace

PlanBuilder divisible_plan(int64_t channels) {
  const Shape in{1, 20, 5, 6}, out{1, channels, 5, 6};
  PlanBuilder builder;
  BlockedS8 plan(builder);
  const int x = builder.input("x", in), residual = builder.input("r", out);
  const int weights = plan.weights({channels, 20, 3, 3}, Packing::kS8O16i4), bias = plan.bias(channels);
  const int xb = plan.blocked("xb", in), rb = plan.blocked("rb", out), yb = plan.blocked("yb", out);
  const int y = builder.output("y", out);
  plan.bring("x", x, in, xb);
  plan.bring("r", residual, out, rb);
  builder.branch();
  ops::Conv conv = conv3x3();
  conv.inner_exponent = 4;
  builder.op("conv", conv, {xb, weights, bias, rb}, {yb});
  builder.branch();
  plan.give_back(yb, out, 4, y);
  return builder;
}

PlanBuilder wide_plan(int64_t channels) {
  const Shape in{1, 20, 5, 6}, out{1, channels, 5, 6};
  PlanBuilder builder;
  BlockedS8 plan(builder);
  const int x = builder.input("x", in);
  const int weights = plan.weights({channels, 20, 3, 3}, Packing::kS8O16i4), bias = plan.bias(channels);
  const int xb = plan.blocked("xb", in), yb = builder.blocked("yb", out), positive = builder.blocked("positive", out);
  const int y = builder.output("y", out);
  plan.bring("x", x, in, xb);
  builder.branch();
  ops::Conv conv = conv3x3();
  conv.wide_output = true;
  conv.activation = {};
  builder.op("conv", conv, {xb, weights, bias}, {yb});
  builder.branch();
  builder.op("relu", unary(ops::UnaryKind::kRelu), {yb}, {positive});
  builder.op("unblock", ops::Reorder(), {positive}, {y});
  builder.branch();
  return builder;
}

PlanBuilder channelwise_plan(int64_t channels) {
  const Shape in{1, channels, 6, 8}, out{1, channels, 3, 4};
  PlanBuilder builder;
  BlockedS8 plan(builder);
  const int x = builder.input("x", in), residual = builder.input("r", in);
  const int weights = plan.weights({channels, 1, 3, 3}, Packing::kS8Depthwise16), bias = plan.bias(channels);
  const int xb = plan.blocked("xb", in), rb = plan.blocked("rb", in), depthwise = plan.blocked("depthwise", in);
  const int maxima = plan.blocked("maxima", out), averages = plan.blocked("averages", out);
  const int sums = plan.blocked("sums", out), relu = plan.blocked("relu", out);
  const int coarse = plan.blocked("coarse", out, 3), y = builder.output("y", out);
  plan.bring("x", x, in, xb);
  plan.bring("r", residual, in, rb);
  builder.branch();
  const auto branch = [&](const char* name, auto attributes, const std::vector<int>& inputs, int output) {
    builder.op(name, std::move(attributes), inputs, {output});
    builder.branch();
  };
  ops::Conv conv = conv3x3(static_cast<int32_t>(channels));
  conv.inner_exponent = 4;
  branch("depthwise", conv, {xb, weights, bias, rb}, depthwise);
  branch("maxima", pool2x2(ops::PoolKind::kMax), {depthwise}, maxima);
  branch("averages", pool2x2(ops::PoolKind::kAverage), {depthwise}, averages);
  branch("sum", binary(ops::BinaryKind::kAdd), {maxima, averages}, sums);
  branch("relu", unary(ops::UnaryKind::kRelu), {sums}, relu);
  branch("requantize", ops::Requantize(), {relu}, coarse);
  plan.give_back(coarse, out, 3, y);
  return builder;
}

PlanBuilder colour_plan() {
  PlanBuilder builder;
  const int image = builder.input("image", {1, 3, 32, 32});
  const int mean = builder.arena("mean", {1, 3});
  const int colour = builder.output("colour/0", {1, 3});
  ops::Reduce reduce;
  reduce.kind = ops::ReduceKind::kMean;
  reduce.axes = {2, 3};
  reduce.keep_dims = false;
  builder.op("average", std::move(reduce), {image}, {mean});
  ops::Softmax softmax;
  softmax.axis = 1;
  builder.op("softmax", softmax, {mean}, {colour});
  return builder;
}

PlanBuilder maps_plan() {
  PlanBuilder builder;
  const int image = builder.input("image", {1, 3, 8, 8});
  const int map = builder.output("map", {1, 3, 8, 8});
  builder.op("relu", unary(ops::UnaryKind::kRelu), {image}, {map});
  return builder;
}

}  // namespace nestrt::test
