// Kernels taken in turns of some rows give the bits of the same kernels one after the other: random chains of
// pointwise and depthwise convolutions, f32 and s8, over memory that held something else.
#include "kernels/common/row_chain.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "kernels/common/integers.h"
#include "kernels/common/packed_constant.h"
#include "kernels/common/simd.h"
#include "kernels/registry.h"
#include "scheduler/thread_pool/thread_pool.h"
#include "test/support/kernel_runner.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using kernels::RowChain;
using Bytes = kernels::AlignedArray<std::byte>;

constexpr int64_t kBlock = 16;

// A tensor of blocks of 16 channels, the bytes of which are random.
struct Blocks {
  Shape shape;
  DataType type = DataType::kF32;
  std::vector<std::byte> bytes;

  Blocks(DataType its_type, const Shape& its_shape, std::mt19937& generator) : shape(its_shape), type(its_type) {
    const int64_t elements = shape[0] * kernels::round_up(shape[1], kBlock) * shape[2] * shape[3];
    const TestTensor values =
        type == DataType::kS8 ? random_s8(generator, {elements}) : random_tensor(generator, {elements});
    bytes = values.bytes;
  }
  TensorSpec spec(const plan::Quantization* quantization) const {
    TensorSpec result;
    result.type = type;
    result.shape = shape;
    result.layout = Layout::kBlocked16;
    result.quantization = quantization;
    return result;
  }
};

// A convolution, with what its spec points to.
struct Link {
  ops::Attributes attributes;
  TestTensor weights, bias;
  std::vector<TensorSpec> inputs;
  TensorSpec output;
  std::unique_ptr<Kernel> kernel;
};

TensorSpec constant_spec(const TestTensor& tensor) {
  TensorSpec spec;
  spec.type = tensor.type;
  spec.shape = tensor.shape;
  spec.quantization = tensor.quantization ? &*tensor.quantization : nullptr;
  spec.constant = tensor.bytes.data();
  spec.present = tensor.present;
  return spec;
}

class Chain {
 public:
  Chain(std::mt19937& generator, DataType type) : generator_(generator), type_(type) {
    exponent_.exponents = {3};
    tensors_.emplace_back(type, Shape{between(1, 2), between(1, 40), between(1, 19), between(1, 12)}, generator);
  }

  // `adds`: something to the result.
  void add(bool depthwise, bool adds) {
    Link& link = links_.emplace_back();
    const Shape x = tensors_.back().shape;
    ops::Conv conv =
        depthwise ? random_depthwise(static_cast<int>(x[1])) : ops::Conv{{1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}};
    const int64_t outputs = depthwise ? x[1] : between(1, 50);
    conv.activation = {static_cast<ops::ActivationKind>(between(0, 2)), -0.5f, 0.75f};
    Shape y{x[0], outputs};
    for (int64_t axis = 0; axis < 2; ++axis) {
      const auto i = static_cast<size_t>(axis);
      const int64_t reach = (conv.kernel[i] - 1) * conv.dilation[i] + 1;
      const int64_t room = x[axis + 2] + conv.pad_begin[i] + conv.pad_end[i] - reach;
      if (room < 0) conv.pad_end[i] -= static_cast<int>(room);
      y.push_back(std::max<int64_t>(room, 0) / conv.stride[i] + 1);
    }
    const Shape weights{outputs, depthwise ? 1 : x[1], conv.kernel[0], conv.kernel[1]};
    if (type_ == DataType::kS8) {
      conv.inner_exponent = 3;
      link.weights = with_exponent(random_s8(generator_, weights), between(8, 11));
      link.bias = absent();
    } else {
      link.weights = random_tensor(generator_, weights);
      link.bias = random_tensor(generator_, {outputs});
    }
    link.attributes = conv;
    link.inputs = {tensors_.back().spec(quantization()), constant_spec(link.weights), constant_spec(link.bias)};
    tensors_.emplace_back(type_, y, generator_);
    link.output = tensors_.back().spec(quantization());
    if (adds) {
      residual_ = std::make_unique<Blocks>(type_, y, generator_);
      link.inputs.push_back(residual_->spec(quantization()));
    }
    prepare(link, depthwise);
  }

  std::vector<const RowKernel*> by_rows() const {
    std::vector<const RowKernel*> result;
    for (const Link& link : links_) result.push_back(link.kernel->by_rows());
    return result;
  }

  std::vector<std::byte> one_after_the_other() {
    InlineRunner runner;
    for (size_t i = 0; i < links_.size(); ++i) {
      const bool adds = links_[i].inputs.size() > 3;
      const std::byte* const inputs[] = {tensors_[i].bytes.data(), links_[i].weights.bytes.data(),
                                         links_[i].bias.bytes.data(), adds ? residual_->bytes.data() : nullptr};
      std::byte* const outputs[] = {tensors_[i + 1].bytes.data()};
      const ScratchSize size = links_[i].kernel->scratch(1);
      Bytes shared(static_cast<int64_t>(size.shared)), own(static_cast<int64_t>(size.per_thread));
      KernelCall call;
      call.inputs = std::span(inputs).first(links_[i].inputs.size());
      call.outputs = outputs;
      call.shared_scratch = shared.data();
      call.thread_scratch = own.data();
      call.parallel = &runner;
      links_[i].kernel->run(call);
    }
    return tensors_.back().bytes;
  }

  // Where the operands lie for a test: the output may begin so many bytes into the input.
  std::vector<std::byte> in_turns(const RowChain& chain, ParallelRunner& runner, int64_t output_in_input = -1) {
    constexpr int64_t kLine = 64;
    const size_t out_bytes = tensors_.back().bytes.size();
    std::vector<std::byte> input = tensors_.front().bytes, output(out_bytes, std::byte{0x7F});
    std::vector<std::byte> between(std::max(tensors_[1].bytes.size(), out_bytes), std::byte{0x7F});
    const size_t in_bytes = input.size();
    if (output_in_input >= 0) input.resize(std::max(in_bytes, static_cast<size_t>(output_in_input) + out_bytes));
    const auto slots = static_cast<int64_t>(runner.num_threads());
    const int64_t per_slot = kernels::round_up(static_cast<int64_t>(chain.scratch_per_thread()), kLine);
    Bytes scratch(per_slot * slots);
    std::memset(scratch.data(), 0x7F, static_cast<size_t>(per_slot * slots));
    RowChain::Call call;
    call.input = input.data();
    call.residual = residual_ != nullptr ? residual_->bytes.data() : nullptr;
    call.between = between.data();
    call.output = output_in_input >= 0 ? input.data() + output_in_input : output.data();
    call.thread_scratch = scratch.data();
    call.parallel = &runner;
    if (!chain.takes(call)) return {};
    chain.run(call);
    return {call.output, call.output + out_bytes};
  }

 private:
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }
  const plan::Quantization* quantization() const { return type_ == DataType::kS8 ? &exponent_ : nullptr; }

  ops::Conv random_depthwise(int channels) {
    ops::Conv conv;
    conv.group = channels;
    for (int axis = 0; axis < 2; ++axis) {
      conv.kernel.push_back(between(1, 5));
      conv.stride.push_back(between(1, 3));
      conv.dilation.push_back(between(1, 4) == 1 ? 2 : 1);
      conv.pad_begin.push_back(between(0, 3));
      conv.pad_end.push_back(between(0, 3));
    }
    return conv;
  }

  void prepare(Link& link, bool depthwise) {
    OperatorSpec spec;
    spec.attributes = &link.attributes;
    spec.inputs = link.inputs;
    spec.outputs = std::span(&link.output, 1);
    const auto inferred = kernels::rules<ops::Conv>().infer.get()(spec);
    if (!inferred) FAIL(inferred.error().to_string());
    REQUIRE((*inferred)[0].shape == link.output.shape);
    // The machine's choice may be one of several by rows for depthwise ones, and one that is not for the others.
    const std::string name = depthwise ? "" : type_ == DataType::kS8 ? "conv.s8.direct16" : "conv.f32.direct16";
    const KernelVariant* const variant = kernels::operators().select(spec, kernels::current_instruction_set(), name);
    REQUIRE(variant != nullptr);
    auto kernel = variant->prepare(spec);
    REQUIRE(kernel);
    link.kernel = std::move(*kernel);
  }

  std::mt19937& generator_;
  DataType type_;
  plan::Quantization exponent_;
  std::deque<Blocks> tensors_;
  std::deque<Link> links_;
  std::unique_ptr<Blocks> residual_;
};

Chain random_chain(std::mt19937& generator, DataType type) {
  const auto coin = [&] { return generator() % 2 == 0; };
  Chain chain(generator, type);
  const size_t links = 2 + generator() % (RowChain::kMostKernels - 1);
  bool depthwise = coin();
  for (size_t i = 0; i < links; ++i, depthwise = coin()) chain.add(depthwise, i + 1 == links && coin());
  return chain;
}

TEST_CASE("Convolutions in turns of some rows give the bits of the same one after the other") {
  const auto pool = scheduler::ThreadPool::create({.num_threads = 3});
  REQUIRE(pool);
  InlineRunner alone;
  for (uint32_t seed = 0; seed < static_cast<uint32_t>(by_level(60, 300, 5000)); ++seed) {
    std::mt19937 generator(seed);
    Chain chain = random_chain(generator, seed % 2 == 0 ? DataType::kF32 : DataType::kS8);
    const std::vector<const RowKernel*> kernels = chain.by_rows();
    REQUIRE(std::ranges::count(kernels, nullptr) == 0);
    const RowChain turns(kernels, 3);
    const std::vector<std::byte> expected = chain.one_after_the_other();
    INFO("seed " << seed);
    CHECK(chain.in_turns(turns, alone) == expected);
    CHECK(chain.in_turns(turns, **pool) == expected);
  }
}

TEST_CASE("The output of convolutions in turns may take the place of their input") {
  const auto pool = scheduler::ThreadPool::create({.num_threads = 3});
  REQUIRE(pool);
  for (uint32_t seed = 0; seed < 40; ++seed) {
    std::mt19937 generator(seed);
    Chain chain = random_chain(generator, seed % 2 == 0 ? DataType::kF32 : DataType::kS8);
    const RowChain turns(chain.by_rows(), 3);
    const std::vector<std::byte> expected = chain.one_after_the_other();
    for (const int64_t at : {0, 64}) {
      const std::vector<std::byte> result = chain.in_turns(turns, **pool, at);
      INFO("seed " << seed << ", " << at);
      CHECK((result.empty() || result == expected));
      const auto first = chain.by_rows().front()->row_output(), last = chain.by_rows().back()->row_output();
      CHECK(result.empty() == (first.image_bytes() < last.image_bytes()));
    }
  }
}

}  // namespace
}  // namespace nestrt::test
