// SPDX-License-Identifier: Apache-2.0
// Benchmarks layers of the benchmark networks in f32 ("conv") and s8 ("conv_s8"), on one core and every instruction
// set. `peak` is the fraction of this core's peak multiply-add rate for that type, measured in the same run. "fusion"
// and "fusion_s8" run consecutive layers sequentially and row-fused (kernels/common/framework/row_fusion.h); `between`
// is the size in bytes of the intermediate tensors, which only the sequential form writes and reads.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/common/benchmark/fma_ceiling.h"
#include "kernels/common/benchmark/s8_ceiling.h"
#include "kernels/common/framework/row_fusion.h"
#include "kernels/common/packing/packed_constant.h"
#include "kernels/common/simd/simd.h"
#include "kernels/registry.h"

namespace nestrt::kernels {
namespace {

struct Layer {
  const char* name;
  int64_t inputs, outputs, size;
  int kernel, stride, pad, group;
  ops::Kind kind = ops::Kind::kConv;  // or kPool (max pooling)
};

constexpr Layer kLayers[] = {
    {"resnet50 conv1 7x7", 3, 64, 224, 7, 2, 3, 1},
    {"resnet50 res2 1x1 256-64", 256, 64, 56, 1, 1, 0, 1},
    {"resnet50 res2 3x3", 64, 64, 56, 3, 1, 1, 1},
    {"resnet50 res2 1x1 64-256", 64, 256, 56, 1, 1, 0, 1},
    {"resnet50 res3 3x3", 128, 128, 28, 3, 1, 1, 1},
    {"resnet50 res3 1x1 512-128", 512, 128, 28, 1, 1, 0, 1},
    {"resnet50 res4 3x3", 256, 256, 14, 3, 1, 1, 1},
    {"resnet50 res4 1x1 256-1024", 256, 1024, 14, 1, 1, 0, 1},
    {"resnet50 res4 1x1 stride 2", 512, 1024, 28, 1, 2, 0, 1},
    {"resnet50 res5 3x3", 512, 512, 7, 3, 1, 1, 1},
    {"resnet50 res5 1x1 2048-512", 2048, 512, 7, 1, 1, 0, 1},
    {"squeezenet conv1 3x3", 3, 64, 224, 3, 2, 0, 1},
    {"squeezenet fire2 squeeze", 64, 16, 55, 1, 1, 0, 1},
    {"squeezenet fire2 expand 3x3", 16, 64, 55, 3, 1, 1, 1},
    {"squeezenet conv10", 512, 1000, 13, 1, 1, 0, 1},
    {"mobilenetv2 expand 16-96", 16, 96, 112, 1, 1, 0, 1},
    {"mobilenetv2 project 96-24", 96, 24, 56, 1, 1, 0, 1},
    {"mobilenetv2 depthwise 32", 32, 32, 112, 3, 1, 1, 32},
    {"mobilenetv2 depthwise 96 stride 2", 96, 96, 112, 3, 2, 1, 96},
    {"mobilenetv2 depthwise 384", 384, 384, 14, 3, 1, 1, 384},
    {"mobilenetv2 depthwise 960", 960, 960, 7, 3, 1, 1, 960},
    {"grouped 3x3, plain", 60, 60, 28, 3, 1, 1, 3},
};

struct FusedLayers {
  const char* name;
  std::vector<Layer> layers;
};

// A stem and its pool; an inverted residual and the layers before it in MobileNetV2; a separable convolution of
// MobileNetV1.
const FusedLayers kFusedLayers[] = {
    {"resnet stem, pool", {{"", 3, 64, 224, 7, 2, 3, 1}, {"", 64, 64, 112, 3, 2, 1, 1, ops::Kind::kPool}}},
    {"squeezenet stem, pool", {{"", 3, 64, 224, 3, 2, 0, 1}, {"", 64, 64, 111, 3, 2, 0, 1, ops::Kind::kPool}}},
    {"mobilenetv2 first six",
     {{"", 3, 32, 224, 3, 2, 1, 1},
      {"", 32, 32, 112, 3, 1, 1, 32},
      {"", 32, 16, 112, 1, 1, 0, 1},
      {"", 16, 96, 112, 1, 1, 0, 1},
      {"", 96, 96, 112, 3, 2, 1, 96},
      {"", 96, 24, 56, 1, 1, 0, 1}}},
    {"mobilenetv2 24-144-24",
     {{"", 24, 144, 56, 1, 1, 0, 1}, {"", 144, 144, 56, 3, 1, 1, 144}, {"", 144, 24, 56, 1, 1, 0, 1}}},
    {"mobilenetv2 24-144-32 stride 2",
     {{"", 24, 144, 56, 1, 1, 0, 1}, {"", 144, 144, 56, 3, 2, 1, 144}, {"", 144, 32, 28, 1, 1, 0, 1}}},
    {"mobilenetv2 32-192-32",
     {{"", 32, 192, 28, 1, 1, 0, 1}, {"", 192, 192, 28, 3, 1, 1, 192}, {"", 192, 32, 28, 1, 1, 0, 1}}},
    {"mobilenetv1 32-64", {{"", 32, 32, 112, 3, 1, 1, 32}, {"", 32, 64, 112, 1, 1, 0, 1}}},
    {"mobilenetv1 128-128", {{"", 128, 128, 56, 3, 1, 1, 128}, {"", 128, 128, 56, 1, 1, 0, 1}}},
};

// A layer and its operands, in the layouts preferred by the best kernel of the current instruction set.
class Bench {
 public:
  Bench(const Layer& layer, DataType type) : type_(type) {
    inputs_ = {operand(type, {1, layer.inputs, layer.size, layer.size}, input_quantization_)};
    call_inputs_ = {nullptr};
    if (layer.kind == ops::Kind::kPool)
      attributes_ = windows_of<ops::Pool>(layer);
    else
      set_conv(layer);
    spec_.attributes = &attributes_;
    spec_.inputs = inputs_;
    outputs_ = operators().find(layer.kind)->infer(spec_).value();
    outputs_[0].quantization = layer.kind == ops::Kind::kPool ? &input_quantization_ : &output_quantization_;
    spec_.outputs = outputs_;
    choose_variant();
    call_inputs_[0] = fill(inputs_[0]);
    call_outputs_ = {fill(outputs_[0])};
    if (inputs_.size() > 1)
      multiply_adds_ = static_cast<double>(outputs_[0].shape.num_elements()) * inputs_[1].shape.product(1, 4);
  }

  // Prepares the kernel and its scratch.
  void prepare() {
    kernel_ = std::move(*variant_->prepare(spec_));
    const ScratchSize size = kernel_->scratch(1);
    shared_ = AlignedFloats(static_cast<int64_t>(size.shared / 4 + 1));
    thread_ = AlignedFloats(static_cast<int64_t>(size.per_thread / 4 + 1));
  }
  void run_once() {
    InlineRunner runner;
    KernelCall call;
    call.inputs = call_inputs_;
    call.outputs = call_outputs_;
    call.shared_scratch = reinterpret_cast<std::byte*>(shared_.data());
    call.thread_scratch = reinterpret_cast<std::byte*>(thread_.data());
    call.parallel = &runner;
    kernel_->run(call);
  }
  void run(benchmark::State& state) {
    prepare();
    while (state.KeepRunning()) run_once();
    report(state, type_, multiply_adds_);
    state.SetLabel(std::string(variant_->name));
  }
  static void report(benchmark::State& state, DataType type, double multiply_adds) {
    using benchmark::Counter;
    const double operations = 2e-9 * multiply_adds * static_cast<double>(state.iterations());
    const double ceiling = type == DataType::kS8 ? s8_ceiling_gops() : fma_ceiling_gflops();
    state.counters["Gop/s"] = Counter(operations, Counter::kIsRate);
    state.counters["peak"] = Counter(operations / ceiling, Counter::kIsRate);
  }

  void read_output_of(const Bench& before) { call_inputs_[0] = before.output(); }
  const std::byte* input() const { return call_inputs_[0]; }
  std::byte* output() const { return call_outputs_[0]; }
  const RowKernel* by_rows() const { return kernel_->by_rows(); }
  double multiply_adds() const { return multiply_adds_; }

 private:
  template <class Windows>
  static Windows windows_of(const Layer& layer) {
    Windows windows;
    windows.kernel.assign(2, layer.kernel);
    windows.stride.assign(2, layer.stride);
    windows.dilation.assign(2, 1);
    windows.pad_begin.assign(2, layer.pad);
    windows.pad_end.assign(2, layer.pad);
    return windows;
  }

  void set_conv(const Layer& layer) {
    auto conv = windows_of<ops::Conv>(layer);
    conv.group = layer.group;
    conv.activation.kind = ops::ActivationKind::kRelu;
    attributes_ = std::move(conv);
    inputs_.push_back(
        operand(type_, {layer.outputs, layer.inputs / layer.group, layer.kernel, layer.kernel}, weights_quantization_));
    inputs_.push_back(operand(type_ == DataType::kS8 ? DataType::kS32 : type_, {layer.outputs}, input_quantization_));
    for (size_t i : {1, 2}) {
      inputs_[i].constant = fill(inputs_[i]);
      call_inputs_.push_back(inputs_[i].constant);
    }
  }

  static TensorSpec operand(DataType type, const Shape& shape, const plan::Quantization& quantization) {
    TensorSpec spec;
    spec.type = type;
    spec.shape = shape;
    spec.quantization = &quantization;
    return spec;
  }

  // Selects the layouts. On a tie, the first layout wins, so that an image is not blocked even though direct
  // convolution supports it.
  void choose_variant() {
    constexpr std::pair<Layout, Layout> kLayouts[] = {{Layout::kPlain, Layout::kBlocked16},
                                                      {Layout::kBlocked16, Layout::kBlocked16},
                                                      {Layout::kPlain, Layout::kPlain}};
    std::pair<Layout, Layout> best;
    for (const auto& layouts : kLayouts) {
      std::tie(inputs_[0].layout, outputs_[0].layout) = layouts;
      const KernelVariant* variant = operators().select(spec_, current_instruction_set());
      if (variant == nullptr || (variant_ != nullptr && variant->preference <= variant_->preference)) continue;
      variant_ = variant;
      best = layouts;
    }
    std::tie(inputs_[0].layout, outputs_[0].layout) = best;
  }

  // Fills an operand with small numbers of its type.
  std::byte* fill(const TensorSpec& spec) {
    const int64_t bytes = spec.storage_bytes();
    auto* data = reinterpret_cast<std::byte*>(data_.emplace_back((bytes + 3) / 4).data());
    for (int64_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i % 17 - 8);
    if (spec.type != DataType::kF32) return data;
    for (int64_t i = 0; i < bytes / 4; ++i) reinterpret_cast<float*>(data)[i] = static_cast<float>(i % 17 - 8) * 0.1f;
    return data;
  }

  DataType type_;
  const plan::Quantization input_quantization_{{4}, {}, {}};
  const plan::Quantization weights_quantization_{{7}, {}, {}};
  const plan::Quantization output_quantization_{{3}, {}, {}};
  ops::Attributes attributes_;
  std::vector<AlignedFloats> data_;
  std::vector<TensorSpec> inputs_, outputs_;
  std::vector<const std::byte*> call_inputs_;
  std::vector<std::byte*> call_outputs_;
  OperatorSpec spec_;
  const KernelVariant* variant_ = nullptr;
  double multiply_adds_ = 0;
  std::unique_ptr<Kernel> kernel_;
  AlignedFloats shared_, thread_;
};

class FusionBench {
 public:
  FusionBench(const FusedLayers& group, DataType type) : type_(type) {
    for (const Layer& layer : group.layers) {
      auto bench = std::make_unique<Bench>(layer, type);
      bench->prepare();
      if (!layers_.empty()) bench->read_output_of(*layers_.back());
      multiply_adds_ += bench->multiply_adds();
      layers_.push_back(std::move(bench));
    }
  }

  void run(benchmark::State& state, bool is_row_fused) {
    std::vector<const RowKernel*> kernels;
    for (const auto& layer : layers_) kernels.push_back(layer->by_rows());
    if (std::ranges::count(kernels, nullptr) > 0)
      return state.SkipWithError("a kernel does not support computing individual rows");
    const RowFusion fusion(kernels, 1);
    state.counters["between"] = benchmark::Counter(static_cast<double>(fusion.intermediate_bytes()));
    AlignedArray<std::byte> scratch(static_cast<int64_t>(fusion.scratch_per_thread()));
    InlineRunner runner;
    const RowFusion::Call call{.input = layers_.front()->input(),
                               .between = layers_.front()->output(),
                               .output = layers_.back()->output(),
                               .thread_scratch = scratch.data(),
                               .parallel = &runner};
    while (state.KeepRunning()) {
      if (is_row_fused) {
        fusion.run(call);
        continue;
      }
      for (const auto& layer : layers_) layer->run_once();
    }
    Bench::report(state, type_, multiply_adds_);
  }

 private:
  DataType type_;
  std::vector<std::unique_ptr<Bench>> layers_;
  double multiply_adds_ = 0;
};

void register_fusions(const std::string& name, DataType type, InstructionSet set) {
  for (const FusedLayers& layers : kFusedLayers)
    for (const bool is_row_fused : {false, true}) {
      const std::string full = name + "/" + std::string(nestrt::name(set)) + "/" + layers.name +
                               (is_row_fused ? "/row-fused" : "/sequential");
      benchmark::RegisterBenchmark(full.c_str(), [&layers, type, set, is_row_fused](benchmark::State& state) {
        force_instruction_set(set);
        FusionBench(layers, type).run(state, is_row_fused);
      });
    }
}

void register_layers(const std::string& name, DataType type, InstructionSet set) {
  for (const Layer& layer : kLayers) {
    const std::string full = name + "/" + std::string(nestrt::name(set)) + "/" + layer.name;
    benchmark::RegisterBenchmark(full.c_str(), [&layer, type, set](benchmark::State& state) {
      force_instruction_set(set);
      Bench(layer, type).run(state);
    });
  }
}

const bool kRegistered = [] {
  for (InstructionSet set : supported_instruction_sets()) {
    if (set == InstructionSet::kPortable) continue;
    register_layers("conv", DataType::kF32, set);
    register_layers("conv_s8", DataType::kS8, set);
    register_fusions("fusion", DataType::kF32, set);
    register_fusions("fusion_s8", DataType::kS8, set);
  }
  return true;
}();

}  // namespace
}  // namespace nestrt::kernels
