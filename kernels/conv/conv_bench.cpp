// Layers of the networks that nestrt is measured on, in f32 ("conv") and s8 ("conv_s8"), one core, every instruction
// set. `peak` is the share of the multiply-adds of that type that this core can do at best, measured in the same run.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "kernels/common/fma_ceiling.h"
#include "kernels/common/packed_constant.h"
#include "kernels/common/s8_ceiling.h"
#include "kernels/common/simd.h"
#include "kernels/conv/conv.h"

namespace nestrt::kernels {
namespace {

struct Layer {
  const char* name;
  int64_t inputs, outputs, size;
  int kernel, stride, pad, group;
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

// A layer with its operands, in the layouts that preferred_conv() names.
class Bench {
 public:
  Bench(const Layer& layer, DataType type) : type_(type) {
    quantize(4, &input_quantization_);
    quantize(7, &weights_quantization_);
    quantize(3, &output_quantization_);
    plan::ConvT conv;
    conv.kernel.assign(2, layer.kernel);
    conv.stride.assign(2, layer.stride);
    conv.dilation.assign(2, 1);
    conv.pad_begin.assign(2, layer.pad);
    conv.pad_end.assign(2, layer.pad);
    conv.group = layer.group;
    conv.activation = std::make_unique<plan::Activation>(plan::ActivationKind::relu, 0.0f, 0.0f);
    plan::AttributesUnion attributes;
    attributes.Set(std::move(conv));
    const auto table = attributes.Pack(builder_);
    plan::OperatorBuilder op(builder_);
    op.add_attributes_type(attributes.type);
    op.add_attributes(table);
    builder_.Finish(op.Finish());
    inputs_ = {
        operand(type, {1, layer.inputs, layer.size, layer.size}, input_quantization_),
        operand(type, {layer.outputs, layer.inputs / layer.group, layer.kernel, layer.kernel}, weights_quantization_),
        operand(type == DataType::kS8 ? DataType::kS32 : type, {layer.outputs}, input_quantization_)};
    for (size_t i : {1, 2}) inputs_[i].constant = fill(inputs_[i]);
    spec_.op = flatbuffers::GetRoot<plan::Operator>(builder_.GetBufferPointer());
    spec_.inputs = inputs_;
    const ConvPlan preferred = preferred_conv(spec_);
    outputs_ = conv_rules().infer(spec_).value();
    inputs_[0].layout = preferred.input;
    outputs_[0].layout = preferred.output;
    outputs_[0].quantization = flatbuffers::GetRoot<plan::Quantization>(output_quantization_.GetBufferPointer());
    spec_.outputs = outputs_;
    call_inputs_ = {fill(inputs_[0]), inputs_[1].constant, inputs_[2].constant};
    call_outputs_ = {fill(outputs_[0])};
    multiply_adds_ = static_cast<double>(outputs_[0].shape.num_elements()) * inputs_[1].shape.product(1, 4);
  }

  void run(benchmark::State& state) {
    const KernelRegistry registry({&conv_rules(), 1});
    const KernelVariant* variant = registry.select(spec_);
    const std::unique_ptr<Kernel> kernel = std::move(*variant->prepare(spec_));
    const ScratchSize size = kernel->scratch(1);
    AlignedFloats shared(static_cast<int64_t>(size.shared / 4 + 1)),
        thread(static_cast<int64_t>(size.per_thread / 4 + 1));
    InlineRunner runner;
    KernelCall call;
    call.inputs = call_inputs_;
    call.outputs = call_outputs_;
    call.shared_scratch = reinterpret_cast<std::byte*>(shared.data());
    call.thread_scratch = reinterpret_cast<std::byte*>(thread.data());
    call.parallel = &runner;
    for (auto _ : state) kernel->run(call);
    using benchmark::Counter;
    const double operations = 2e-9 * multiply_adds_ * static_cast<double>(state.iterations());
    const double ceiling = type_ == DataType::kS8 ? s8_ceiling_gops() : fma_ceiling_gflops();
    state.counters["Gop/s"] = Counter(operations, Counter::kIsRate);
    state.counters["peak"] = Counter(operations / ceiling, Counter::kIsRate);
    state.SetLabel(std::string(variant->name));
  }

 private:
  static void quantize(int8_t exponent, flatbuffers::FlatBufferBuilder* builder) {
    plan::QuantizationT table;
    table.exponents = {exponent};
    builder->Finish(plan::Quantization::Pack(*builder, &table));
  }

  static TensorSpec operand(DataType type, const Shape& shape, const flatbuffers::FlatBufferBuilder& quantization) {
    TensorSpec spec;
    spec.type = type;
    spec.shape = shape;
    spec.quantization = flatbuffers::GetRoot<plan::Quantization>(quantization.GetBufferPointer());
    return spec;
  }

  // Small numbers of the operand's type.
  std::byte* fill(const TensorSpec& spec) {
    const int64_t bytes = spec.storage_bytes();
    auto* data = reinterpret_cast<std::byte*>(data_.emplace_back((bytes + 3) / 4).data());
    for (int64_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i % 17 - 8);
    if (spec.type != DataType::kF32) return data;
    for (int64_t i = 0; i < bytes / 4; ++i) reinterpret_cast<float*>(data)[i] = static_cast<float>(i % 17 - 8) * 0.1f;
    return data;
  }

  DataType type_;
  flatbuffers::FlatBufferBuilder input_quantization_, weights_quantization_, output_quantization_;
  flatbuffers::FlatBufferBuilder builder_;
  std::vector<AlignedFloats> data_;
  std::vector<TensorSpec> inputs_, outputs_;
  std::vector<const std::byte*> call_inputs_;
  std::vector<std::byte*> call_outputs_;
  OperatorSpec spec_;
  double multiply_adds_ = 0;
};

void register_layers(const std::string& name, DataType type, Isa isa) {
  for (const Layer& layer : kLayers) {
    const std::string full = name + "/" + std::string(nestrt::kernels::name(isa)) + "/" + layer.name;
    benchmark::RegisterBenchmark(full.c_str(), [&layer, type, isa](benchmark::State& state) {
      force_isa(isa);
      Bench(layer, type).run(state);
    });
  }
}

const bool kRegistered = [] {
  for (Isa isa : supported_isas()) {
    if (isa == Isa::kPortable) continue;
    register_layers("conv", DataType::kF32, isa);
    register_layers("conv_s8", DataType::kS8, isa);
  }
  return true;
}();

}  // namespace
}  // namespace nestrt::kernels
