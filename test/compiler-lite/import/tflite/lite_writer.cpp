// SPDX-License-Identifier: Apache-2.0
#include "test/compiler-lite/import/tflite/lite_writer.h"

#include <algorithm>

#include "compiler-lite/import/tflite/metadata_generated.h"

namespace nestrt::test {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

int32_t LiteWriter::tensor(const std::string& name, const std::vector<int32_t>& shape, LiteType type,
                           const Scales& scales) {
  tensors_.push_back({name, shape, type, 0, scales, false});
  return static_cast<int32_t>(tensors_.size() - 1);
}

LiteWriter& LiteWriter::add(LiteOp code, const std::vector<int32_t>& inputs, const std::vector<int32_t>& outputs,
                            uint8_t type, Options options) {
  operators_.push_back({code, "", inputs, outputs, type, std::move(options), {}});
  return *this;
}

LiteWriter& LiteWriter::add_custom(const std::string& name, const std::vector<int32_t>& inputs,
                                   const std::vector<int32_t>& outputs, std::vector<uint8_t> options) {
  operators_.push_back({LiteOp::CUSTOM, name, inputs, outputs, 0, {}, std::move(options)});
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

Offset<tflite::SubGraph> LiteWriter::write(FlatBufferBuilder& builder, uint32_t first_buffer,
                                           uint32_t first_code) const {
  const auto tensors = written(builder, tensors_, [&](const TensorEntry& entry) {
    const auto scales = write_scales(builder, entry.scales);
    const uint32_t buffer = entry.buffer == 0 ? 0 : first_buffer + entry.buffer;
    return tflite::CreateTensorDirect(builder, &entry.shape, entry.type, buffer, entry.name.c_str(), scales,
                                      entry.is_variable);
  });
  uint32_t code = first_code;
  const auto operators = written(builder, operators_, [&](const OperatorEntry& entry) {
    const Offset<void> options = entry.options ? entry.options(builder) : Offset<void>();
    return tflite::CreateOperatorDirect(builder, code++, &entry.inputs, &entry.outputs, entry.type,
                                        Offset<tflite::Options>(options.o),
                                        entry.custom_options.empty() ? nullptr : &entry.custom_options);
  });
  const auto inputs = builder.CreateVector(inputs_), outputs = builder.CreateVector(outputs_);
  return tflite::CreateSubGraph(builder, tensors, inputs, outputs, operators);
}

std::vector<std::byte> LiteWriter::bytes() const {
  FlatBufferBuilder builder;
  std::vector<const LiteWriter*> graphs{this};
  for (const LiteWriter& body : bodies_) graphs.push_back(&body);
  std::vector<Offset<tflite::SubGraph>> subgraph_offsets;
  std::vector<std::vector<uint8_t>> all_buffers;
  std::vector<OperatorEntry> all_operators;
  for (const LiteWriter* graph : graphs) {
    subgraph_offsets.push_back(
        graph->write(builder, static_cast<uint32_t>(all_buffers.size()), static_cast<uint32_t>(all_operators.size())));
    all_buffers.insert(all_buffers.end(), graph->buffers_.begin(), graph->buffers_.end());
    all_operators.insert(all_operators.end(), graph->operators_.begin(), graph->operators_.end());
  }
  constexpr int kMaxShortCode = 127;
  const auto codes = written(builder, all_operators, [&](const OperatorEntry& entry) {
    const auto short_code = static_cast<int8_t>(std::min(static_cast<int>(entry.code), kMaxShortCode));
    const char* const custom = entry.custom.empty() ? nullptr : entry.custom.c_str();
    return tflite::CreateOperatorCodeDirect(builder, short_code, custom, 1, entry.code);
  });
  const auto buffers = written(builder, all_buffers, [&](const std::vector<uint8_t>& data) {
    builder.ForceVectorAlignment(data.size(), 1, 16);
    return tflite::CreateBuffer(builder, data.empty() ? 0 : builder.CreateVector(data));
  });
  const auto subgraphs = builder.CreateVector(subgraph_offsets);
  Offset<flatbuffers::Vector<Offset<tflite::SignatureDef>>> signatures = 0;
  if (signature_) {
    const auto in = write_ports(builder, signature_->first), out = write_ports(builder, signature_->second);
    const std::vector all{tflite::CreateSignatureDef(builder, in, out, builder.CreateString("serving_default"))};
    signatures = builder.CreateVector(all);
  }
  // The buffers of this subgraph are the first ones.
  const auto metadata = written(builder, metadata_, [&](const auto& entry) {
    const auto named = compiler::tflite_metadata::CreateMetadataDirect(builder, entry.first.c_str(), entry.second);
    return Offset<tflite::Unread>(named.o);
  });
  constexpr uint32_t kVersion = 3;
  builder.Finish(tflite::CreateModel(builder, kVersion, codes, subgraphs, 0, buffers, 0, metadata, signatures),
                 tflite::ModelIdentifier());
  const auto* start = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  return {start, start + builder.GetSize()};
}

}  // namespace nestrt::test
