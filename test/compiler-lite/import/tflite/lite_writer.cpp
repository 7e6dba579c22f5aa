// SPDX-License-Identifier: Apache-2.0
#include "test/compiler-lite/import/tflite/lite_writer.h"

#include <algorithm>

namespace nestrt::test {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

int32_t LiteWriter::tensor(const std::string& name, const std::vector<int32_t>& shape, LiteType type,
                           const Scales& scales) {
  tensors_.push_back({name, shape, type, 0, scales});
  return static_cast<int32_t>(tensors_.size() - 1);
}

LiteWriter& LiteWriter::add(LiteOp code, const std::vector<int32_t>& inputs, const std::vector<int32_t>& outputs,
                            uint8_t type, Options options) {
  operators_.push_back({code, "", inputs, outputs, type, std::move(options)});
  return *this;
}

LiteWriter& LiteWriter::add_custom(const std::string& name, const std::vector<int32_t>& inputs,
                                   const std::vector<int32_t>& outputs) {
  operators_.push_back({LiteOp::CUSTOM, name, inputs, outputs, 0, {}});
  return *this;
}

LiteWriter& LiteWriter::signature(const Ports& inputs, const Ports& outputs) {
  signature_ = std::pair(inputs, outputs);
  return *this;
}

namespace {

template <typename T, typename Function>
auto written(FlatBufferBuilder& builder, const std::vector<T>& entries, Function function) {
  std::vector<decltype(function(entries.front()))> offsets;
  for (const T& entry : entries) offsets.push_back(function(entry));
  return builder.CreateVector(offsets);
}

Offset<tflite::QuantizationParameters> write_scales(FlatBufferBuilder& builder, const LiteWriter::Scales& scales) {
  if (scales.scales.empty()) return 0;
  const auto values = builder.CreateVector(scales.scales);
  const auto zero_points = builder.CreateVector(scales.zero_points);
  return tflite::CreateQuantizationParameters(builder, 0, 0, values, zero_points, 0, 0, scales.axis);
}

template <typename Ports>
auto write_ports(FlatBufferBuilder& builder, const Ports& ports) {
  return written(builder, ports, [&](const auto& port) {
    return tflite::CreateTensorMapDirect(builder, port.first.c_str(), static_cast<uint32_t>(port.second));
  });
}

}  // namespace

std::vector<std::byte> LiteWriter::bytes() const {
  FlatBufferBuilder builder;
  const auto tensors = written(builder, tensors_, [&](const TensorEntry& entry) {
    const auto scales = write_scales(builder, entry.scales);
    return tflite::CreateTensorDirect(builder, &entry.shape, entry.type, entry.buffer, entry.name.c_str(), scales);
  });
  uint32_t code = 0;
  const auto operators = written(builder, operators_, [&](const OperatorEntry& entry) {
    const Offset<void> options = entry.options ? entry.options(builder) : Offset<void>();
    return tflite::CreateOperatorDirect(builder, code++, &entry.inputs, &entry.outputs, entry.type,
                                        Offset<tflite::Options>(options.o));
  });
  constexpr int kMaxShortCode = 127;
  const auto codes = written(builder, operators_, [&](const OperatorEntry& entry) {
    const auto short_code = static_cast<int8_t>(std::min(static_cast<int>(entry.code), kMaxShortCode));
    const char* const custom = entry.custom.empty() ? nullptr : entry.custom.c_str();
    return tflite::CreateOperatorCodeDirect(builder, short_code, custom, 1, entry.code);
  });
  const auto buffers = written(builder, buffers_, [&](const std::vector<uint8_t>& data) {
    builder.ForceVectorAlignment(data.size(), 1, 16);
    return tflite::CreateBuffer(builder, data.empty() ? 0 : builder.CreateVector(data));
  });
  const auto inputs = builder.CreateVector(inputs_), outputs = builder.CreateVector(outputs_);
  const std::vector graphs{tflite::CreateSubGraph(builder, tensors, inputs, outputs, operators)};
  const auto subgraphs = builder.CreateVector(graphs);
  Offset<flatbuffers::Vector<Offset<tflite::SignatureDef>>> signatures = 0;
  if (signature_) {
    const auto in = write_ports(builder, signature_->first), out = write_ports(builder, signature_->second);
    const std::vector all{tflite::CreateSignatureDef(builder, in, out, builder.CreateString("serving_default"))};
    signatures = builder.CreateVector(all);
  }
  constexpr uint32_t kVersion = 3;
  builder.Finish(tflite::CreateModel(builder, kVersion, codes, subgraphs, 0, buffers, 0, 0, signatures),
                 tflite::ModelIdentifier());
  const auto* start = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return {start, start + builder.GetSize()};
}

}  // namespace nestrt::test
