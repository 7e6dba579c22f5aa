// SPDX-License-Identifier: Apache-2.0
// Tests that row fusion is bit-identical to sequential execution, for random chains of pointwise, depthwise and image
// convolutions, pools and norms, in f32 and s8. Memory contains data of earlier runs.
#include "kernels/common/framework/row_fusion.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "kernels/common/math/integers.h"
#include "kernels/common/packing/packed_constant.h"
#include "kernels/common/simd/simd.h"
#include "kernels/conv/conv.h"
#include "kernels/registry.h"
#include "scheduler/thread_pool/thread_pool.h"
#include "test/support/kernel/kernel_runner.h"
#include "test/support/test_level.h"

namespace nestrt::test {
namespace {

using kernels::RowFusion;
using Bytes = kernels::AlignedArray<std::byte>;

constexpr int64_t kBlock = 16;

// A batch of images with random bytes.
struct Images {
  Shape shape;
  DataType type = DataType::kF32;
  Layout layout = Layout::kBlocked16;
  std::vector<std::byte> bytes;

  Images(DataType its_type, Layout its_layout, const Shape& its_shape, std::mt19937& generator)
      : shape(its_shape), type(its_type), layout(its_layout) {
    const int64_t channels = layout == Layout::kPlain ? shape[1] : kernels::round_up(shape[1], kBlock);
    const int64_t elements = shape[0] * channels * shape[2] * shape[3];
    const TestTensor values =
        type == DataType::kS8 ? random_s8(generator, {elements}) : random_tensor(generator, {elements});
    bytes = values.bytes;
  }
  TensorSpec spec(const plan::Quantization* quantization) const {
    TensorSpec result;
    result.type = type;
    result.shape = shape;
    result.layout = layout;
    result.quantization = quantization;
    return result;
  }
};

enum class LinkKind { kPointwise, kDepthwise, kPool, kNorm, kImage };

bool is_conv(LinkKind kind) { return kind != LinkKind::kPool && kind != LinkKind::kNorm; }

// An operator of the chain and the data to which its spec refers.
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
  // Creates a random chain. `image`: the first link is a convolution of an image.
  Chain(std::mt19937& generator, DataType type, bool image) : generator_(generator), type_(type) {
    exponent_.exponents = {3};
    const int channels = between(1, image ? static_cast<int>(kernels::kStemChannels) : 40);
    tensors_.emplace_back(type, image ? Layout::kPlain : Layout::kBlocked16,
                          Shape{between(1, 2), channels, between(1, 19), between(1, 12)}, generator);
  }

  // Adds a link. `adds`: a residual is added to the result of a convolution.
  void add(LinkKind kind, bool adds) {
    Link& link = links_.emplace_back();
    const Shape x = tensors_.back().shape;
    link.attributes = random_attributes(kind, x);
    link.inputs = {tensors_.back().spec(quantization())};
    if (const auto* const conv = std::get_if<ops::Conv>(&link.attributes)) add_weights(link, *conv, kind);
    OperatorSpec spec;
    spec.attributes = &link.attributes;
    spec.inputs = link.inputs;
    link.output = tensors_.back().spec(quantization());
    link.output.layout = Layout::kBlocked16;
    spec.outputs = std::span(&link.output, 1);
    const auto inferred = infer(kind)(spec);
    if (!inferred) FAIL(inferred.error().to_string());
    tensors_.emplace_back(type_, Layout::kBlocked16, (*inferred)[0].shape, generator_);
    link.output = tensors_.back().spec(quantization());
    if (adds && is_conv(kind)) {
      residual_ = std::make_unique<Images>(type_, Layout::kBlocked16, link.output.shape, generator_);
      link.inputs.push_back(residual_->spec(quantization()));
    }
    prepare(link, kind);
  }

  std::vector<const RowKernel*> by_rows() const {
    std::vector<const RowKernel*> result;
    for (const Link& link : links_) result.push_back(link.kernel->by_rows());
    return result;
  }

  std::vector<std::byte> run_sequentially() {
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

  // Runs the fused kernels. If `output_in_input` is not negative, the output starts at this byte offset in the input.
  std::vector<std::byte> run_row_fused(const RowFusion& fusion, ParallelRunner& runner, int64_t output_in_input = -1) {
    constexpr int64_t kLine = 64;
    const size_t out_bytes = tensors_.back().bytes.size();
    std::vector<std::byte> input = tensors_.front().bytes, output(out_bytes, std::byte{0x7F});
    std::vector<std::byte> between(std::max(tensors_[1].bytes.size(), out_bytes), std::byte{0x7F});
    const size_t in_bytes = input.size();
    if (output_in_input >= 0) input.resize(std::max(in_bytes, static_cast<size_t>(output_in_input) + out_bytes));
    const auto slots = static_cast<int64_t>(runner.num_threads());
    const int64_t per_slot = kernels::round_up(static_cast<int64_t>(fusion.scratch_per_thread()), kLine);
    Bytes scratch(per_slot * slots);
    std::memset(scratch.data(), 0x7F, static_cast<size_t>(per_slot * slots));
    RowFusion::Call call;
    call.input = input.data();
    call.residual = residual_ != nullptr ? residual_->bytes.data() : nullptr;
    call.between = between.data();
    call.output = output_in_input >= 0 ? input.data() + output_in_input : output.data();
    call.thread_scratch = scratch.data();
    call.parallel = &runner;
    if (!fusion.supports(call)) return {};
    fusion.run(call);
    return {call.output, call.output + out_bytes};
  }

 private:
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }
  const plan::Quantization* quantization() const { return type_ == DataType::kS8 ? &exponent_ : nullptr; }

  template <class Windows>
  void set_random_windows(Windows& windows, const Shape& x) {
    for (int axis = 0; axis < 2; ++axis) {
      windows.kernel.push_back(between(1, 5));
      windows.stride.push_back(between(1, 3));
      windows.dilation.push_back(between(1, 4) == 1 ? 2 : 1);
      const int reach = (windows.kernel.back() - 1) * windows.dilation.back() + 1;
      const int most_padding = std::is_same_v<Windows, ops::Pool> ? std::min(3, reach - 1) : 3;
      const int begin = between(0, most_padding);
      windows.pad_begin.push_back(begin);
      windows.pad_end.push_back(std::max(between(0, most_padding), reach - static_cast<int>(x[axis + 2]) - begin));
    }
  }

  ops::Pool random_pool(const Shape& x) {
    ops::Pool pool;
    pool.kind = between(0, 1) == 0 ? ops::PoolKind::kMax : ops::PoolKind::kAverage;
    pool.count_include_pad = between(0, 1) == 0;
    pool.ceil_mode = between(0, 1) == 0;
    set_random_windows(pool, x);
    return pool;
  }

  ops::Attributes random_attributes(LinkKind kind, const Shape& x) {
    if (kind == LinkKind::kPool) return random_pool(x);
    if (kind == LinkKind::kNorm) return ops::LocalResponseNorm{between(1, 7), 0.5f, 0.75f, 1.5f};
    return random_conv(kind, x);
  }

  ops::Conv random_conv(LinkKind kind, const Shape& x) {
    ops::Conv conv;
    if (kind == LinkKind::kPointwise)
      conv = {{1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}};
    else
      set_random_windows(conv, x);
    if (kind == LinkKind::kDepthwise) conv.group = static_cast<int>(x[1]);
    if (kind == LinkKind::kImage) conv.dilation[1] = 1;
    conv.activation = {static_cast<ops::ActivationKind>(between(0, 2)), -0.5f, 0.75f};
    if (type_ == DataType::kS8) conv.inner_exponent = 3;
    return conv;
  }

  void add_weights(Link& link, const ops::Conv& conv, LinkKind kind) {
    const int64_t inputs = tensors_.back().shape[1], outputs = kind == LinkKind::kDepthwise ? inputs : between(1, 50);
    const Shape weights{outputs, inputs / conv.group, conv.kernel[0], conv.kernel[1]};
    if (type_ == DataType::kS8) {
      link.weights = with_exponent(random_s8(generator_, weights), between(8, 11));
      link.bias = absent();
    } else {
      link.weights = random_tensor(generator_, weights);
      link.bias = random_tensor(generator_, {outputs});
    }
    link.inputs.push_back(constant_spec(link.weights));
    link.inputs.push_back(constant_spec(link.bias));
  }

  using Infer = Result<std::vector<TensorSpec>> (*)(const OperatorSpec& spec);
  static Infer infer(LinkKind kind) {
    if (kind == LinkKind::kPool) return kernels::rules<ops::Pool>().infer.get();
    if (kind == LinkKind::kNorm) return kernels::rules<ops::LocalResponseNorm>().infer.get();
    return kernels::rules<ops::Conv>().infer.get();
  }

  // Returns the name of a kernel that supports rows, regardless of which kernel this machine prefers. Empty: any.
  std::string kernel_name(LinkKind kind) const {
    const std::string conv = type_ == DataType::kS8 ? "conv.s8." : "conv.f32.";
    if (kind == LinkKind::kPointwise) return conv + "direct16";
    if (kind == LinkKind::kImage) return conv + "stem16";
    if (kind == LinkKind::kNorm) return "local_response_norm.f32.blocked";
    if (kind == LinkKind::kPool) return type_ == DataType::kS8 ? "pool.s8.blocked16" : "pool.f32.blocked16";
    return "";
  }

  void prepare(Link& link, LinkKind kind) {
    OperatorSpec spec;
    spec.attributes = &link.attributes;
    spec.inputs = link.inputs;
    spec.outputs = std::span(&link.output, 1);
    const KernelVariant* const variant =
        kernels::operators().select(spec, kernels::current_instruction_set(), kernel_name(kind));
    REQUIRE(variant != nullptr);
    auto kernel = variant->prepare(spec);
    REQUIRE(kernel);
    link.kernel = std::move(*kernel);
  }

  std::mt19937& generator_;
  DataType type_;
  plan::Quantization exponent_;
  std::deque<Images> tensors_;
  std::deque<Link> links_;
  std::unique_ptr<Images> residual_;
};

Chain random_chain(std::mt19937& generator, DataType type) {
  const auto coin = [&] { return generator() % 2 == 0; };
  constexpr LinkKind kBetween[] = {LinkKind::kPointwise, LinkKind::kDepthwise, LinkKind::kPool, LinkKind::kNorm};
  const size_t kinds = std::size(kBetween) - (type == DataType::kF32 ? 0 : 1);  // norms are f32 only
  const bool image = coin();
  Chain chain(generator, type, image);
  const size_t links = 2 + generator() % (RowFusion::kMaxKernels - 1);
  for (size_t i = 0; i < links; ++i) {
    const LinkKind kind = i == 0 && image ? LinkKind::kImage : kBetween[generator() % kinds];
    chain.add(kind, i + 1 == links && coin());
  }
  return chain;
}

TEST_CASE("Row-fused kernels are bit-identical to sequential ones") {
  const auto pool = scheduler::ThreadPool::create({.num_threads = 3});
  REQUIRE(pool);
  InlineRunner alone;
  for (uint32_t seed = 0; seed < static_cast<uint32_t>(by_level(60, 300, 5000)); ++seed) {
    std::mt19937 generator(seed);
    Chain chain = random_chain(generator, seed % 2 == 0 ? DataType::kF32 : DataType::kS8);
    const std::vector<const RowKernel*> kernels = chain.by_rows();
    REQUIRE(std::ranges::count(kernels, nullptr) == 0);
    const RowFusion fusion(kernels, 3);
    const std::vector<std::byte> expected = chain.run_sequentially();
    INFO("seed " << seed);
    CHECK(chain.run_row_fused(fusion, alone) == expected);
    CHECK(chain.run_row_fused(fusion, **pool) == expected);
  }
}

TEST_CASE("The output of row-fused kernels may overlap their input") {
  const auto pool = scheduler::ThreadPool::create({.num_threads = 3});
  REQUIRE(pool);
  for (uint32_t seed = 0; seed < 40; ++seed) {
    std::mt19937 generator(seed);
    Chain chain = random_chain(generator, seed % 2 == 0 ? DataType::kF32 : DataType::kS8);
    const RowFusion fusion(chain.by_rows(), 3);
    const std::vector<std::byte> expected = chain.run_sequentially();
    for (const int64_t at : {0, 64}) {
      const std::vector<std::byte> result = chain.run_row_fused(fusion, **pool, at);
      INFO("seed " << seed << ", " << at);
      CHECK((result.empty() || result == expected));
      const auto first = chain.by_rows().front()->row_output(), last = chain.by_rows().back()->row_output();
      CHECK(result.empty() == (first.image_bytes() < last.image_bytes()));
    }
  }
}

}  // namespace
}  // namespace nestrt::test
