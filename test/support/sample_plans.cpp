#include "test/support/sample_plans.h"

namespace nestrt::test {

PlanBuilder relu_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {2, 3});
  const int y = builder.output("y", {2, 3});
  builder.op("relu", unary(plan::UnaryKind::relu), {x}, {y});
  return builder;
}

PlanBuilder branches_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {2, 8});
  const int c = builder.constant<float>("c", {8}, {1, 2, 3, 4, 5, 6, 7, 8});
  const int left = builder.arena("left", {2, 8});
  const int right = builder.arena("right", {2, 8});
  const int y = builder.output("y", {2, 8});
  builder.op("left", unary(plan::UnaryKind::relu), {x}, {left});
  builder.branch();
  builder.op("right", binary(plan::BinaryKind::mul), {x, c}, {right});
  builder.branch();
  builder.op("join", binary(plan::BinaryKind::add), {left, right}, {y});
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
  builder.op("relu", unary(plan::UnaryKind::relu), {x}, {relu});
  builder.op("neg", unary(plan::UnaryKind::neg), {x}, {neg});
  plan::ConcatT concat;
  concat.axis = 1;
  builder.op("concat", concat, {relu, neg}, {whole});
  plan::ReshapeT reshape;
  reshape.shape = {8, 1};
  builder.op("reshape", reshape, {whole}, {tall});
  plan::SliceT slice;
  slice.start = {5, 0};
  slice.step = {1, 1};
  slice.shape = {3, 1};
  builder.op("slice", slice, {tall}, {tail});
  builder.op("double", binary(plan::BinaryKind::add), {tall, tall}, {y});
  builder.op("abs", unary(plan::UnaryKind::abs), {tail}, {z});
  return builder;
}

namespace {

// Numbers of both signs that sums tell apart.
std::vector<float> ramp(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 13) / 8 - 0.75f;
  return values;
}

// A 3x3 window that keeps the size.
plan::ConvT conv3x3(int group = 1) {
  plan::ConvT conv;
  conv.kernel = {3, 3};
  conv.stride = conv.dilation = conv.pad_begin = conv.pad_end = {1, 1};
  conv.group = group;
  conv.activation = std::make_unique<plan::Activation>(plan::ActivationKind::relu, 0.0f, 0.0f);
  return conv;
}

plan::PoolT pool2x2(plan::PoolKind kind) {
  plan::PoolT pool;
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
  const int direct_weights = builder.packed("direct_w", {20, 16, 3, 3}, plan::Packing::o16i16, ramp(20 * 16 * 9));
  const int bias = builder.constant<float>("bias", {20}, ramp(20));
  const int depthwise_weights = builder.packed("depthwise_w", {20, 1, 3, 3}, plan::Packing::depthwise16, ramp(20 * 9));
  const int blocked_x = builder.blocked("blocked_x", {1, 16, 6, 6});
  const int direct = builder.blocked("direct", {1, 20, 6, 6});
  const int depthwise = builder.blocked("depthwise", {1, 20, 6, 6});
  const int pool = builder.blocked("pool", {1, 20, 3, 3});
  const int y = builder.output("y", {1, 20, 3, 3});
  builder.op("block", plan::ReorderT(), {x}, {blocked_x});
  builder.op("direct", conv3x3(), {blocked_x, direct_weights, bias}, {direct});
  builder.op("depthwise", conv3x3(20), {direct, depthwise_weights}, {depthwise});
  builder.op("pool", pool2x2(plan::PoolKind::max), {depthwise}, {pool});
  builder.op("unblock", plan::ReorderT(), {pool}, {y});
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
  builder.op("unblock", plan::ReorderT(), {blocked}, {y});
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
  plan::PadT pad;
  pad.mode = plan::PadMode::reflect;
  pad.begin = {0, 0, 1, 1};
  pad.end = {0, 0, 0, 1};
  builder.op("pad", pad, {x}, {padded});
  plan::ResizeT resize;
  resize.mode = plan::ResizeMode::linear;
  resize.sizes = {1, 2, 8, 9};
  resize.scales = {1, 1, 2, 1.5f};
  builder.op("resize", resize, {padded}, {resized});
  plan::TransposeT transpose;
  transpose.permutation = {0, 3, 2, 1};
  builder.op("transpose", transpose, {resized}, {transposed});
  plan::GatherT gather;
  gather.axis = 1;
  builder.op("gather", gather, {transposed, indices}, {gathered});
  plan::ReduceT reduce;
  reduce.kind = plan::ReduceKind::mean;
  reduce.axes = {2};
  builder.op("reduce", reduce, {gathered}, {y});
  return builder;
}

PlanBuilder classifier_plan() {
  PlanBuilder builder;
  const int x = builder.input("x", {1, 5, 2, 2});
  const int weights = builder.packed("w", {5, 2}, plan::Packing::panel16, ramp(10));
  const int bias = builder.constant<float>("b", {2}, {0.5f, -0.5f});
  const int pool = builder.arena("pool", {1, 5, 1, 1});
  const int flat = builder.view("flat", pool, {1, 5});
  const int logits = builder.arena("logits", {1, 2});
  const int y = builder.output("y", {1, 2});
  builder.op("pool", pool2x2(plan::PoolKind::average), {x}, {pool});
  plan::ReshapeT reshape;
  reshape.shape = {1, 5};
  builder.op("flatten", reshape, {pool}, {flat});
  builder.op("dense", plan::DenseT(), {flat, weights, bias}, {logits});
  plan::SoftmaxT softmax;
  softmax.axis = -1;
  builder.op("softmax", softmax, {logits}, {y});
  return builder;
}

namespace {

// What plans with s8 tensors of exponent 4 in blocks of 16 channels, between plain ones of f32, are made of.
class BlockedS8 {
 public:
  explicit BlockedS8(PlanBuilder& builder) : builder_(builder) {}

  int blocked(const std::string& name, const Shape& shape, int8_t exponent = 4) {
    return builder_.quantize(builder_.blocked(name, shape, DataType::kS8), {exponent});
  }
  void bring(const std::string& name, int from, const Shape& shape, int to) {
    const int plain = builder_.quantize(builder_.arena(name + "q", shape, DataType::kS8), {4});
    builder_.op("quantize " + name, plan::QuantizeT(), {from}, {plain});
    builder_.op("block " + name, plan::ReorderT(), {plain}, {to});
  }
  void give_back(int from, const Shape& shape, int8_t exponent, int to) {
    const int plain = builder_.quantize(builder_.arena("yq", shape, DataType::kS8), {exponent});
    builder_.op("unblock", plan::ReorderT(), {from}, {plain});
    builder_.op("dequantize", plan::DequantizeT(), {plain}, {to});
    builder_.branch();
  }
  int weights(const Shape& kernel, plan::Packing packing) {
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
  const int weights = plan.weights({channels, 20, 3, 3}, plan::Packing::s8_o16i4), bias = plan.bias(channels);
  const int xb = plan.blocked("xb", in), rb = plan.blocked("rb", out), yb = plan.blocked("yb", out);
  const int y = builder.output("y", out);
  plan.bring("x", x, in, xb);
  plan.bring("r", residual, out, rb);
  builder.branch();
  plan::ConvT conv = conv3x3();
  conv.inner_exponent = 4;
  builder.op("conv", conv, {xb, weights, bias, rb}, {yb});
  builder.branch();
  plan.give_back(yb, out, 4, y);
  return builder;
}

PlanBuilder channelwise_plan(int64_t channels) {
  const Shape in{1, channels, 6, 8}, out{1, channels, 3, 4};
  PlanBuilder builder;
  BlockedS8 plan(builder);
  const int x = builder.input("x", in), residual = builder.input("r", in);
  const int weights = plan.weights({channels, 1, 3, 3}, plan::Packing::s8_depthwise16), bias = plan.bias(channels);
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
  plan::ConvT conv = conv3x3(static_cast<int32_t>(channels));
  conv.inner_exponent = 4;
  branch("depthwise", conv, {xb, weights, bias, rb}, depthwise);
  branch("maxima", pool2x2(plan::PoolKind::max), {depthwise}, maxima);
  branch("averages", pool2x2(plan::PoolKind::average), {depthwise}, averages);
  branch("sum", binary(plan::BinaryKind::add), {maxima, averages}, sums);
  branch("relu", unary(plan::UnaryKind::relu), {sums}, relu);
  branch("requantize", plan::RequantizeT(), {relu}, coarse);
  plan.give_back(coarse, out, 3, y);
  return builder;
}

}  // namespace nestrt::test
