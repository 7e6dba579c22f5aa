// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/onnx/tensor_proto.h"

#include <fmt/core.h>
#include <onnx/onnx_pb.h>

#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "compiler-lite/import/element_conversion.h"
#include "compiler-lite/import/onnx/external_data.h"
#include "compiler-lite/import/onnx/narrow_types.h"
#include "compiler-lite/import/onnx/onnx_model.h"
#include "compiler-lite/import/onnx/onnx_types.h"

namespace nestrt::compiler {
namespace {

using onnx::TensorProto;

Status invalid(const TensorProto& proto, const std::string& what) {
  return Status(Code::kInvalidModel, fmt::format("tensor '{}': {}", proto.name(), what));
}

size_t stored_bytes(int32_t onnx_type) {
  switch (onnx_type) {
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
      return 2;
    case TensorProto::DOUBLE:
      return 8;
    default:
      return size_bytes(*converted_type(onnx_type));
  }
}

Result<Shape> decode_shape(const TensorProto& proto, size_t element_bytes, const ImportLimits& limits) {
  if (proto.dims_size() > Shape::kMaxRank) {
    return Status(Code::kUnsupported, fmt::format("tensor '{}' has rank {}; at most {} is supported", proto.name(),
                                                  proto.dims_size(), Shape::kMaxRank));
  }
  Shape shape;
  int64_t bytes = static_cast<int64_t>(element_bytes);
  for (int64_t dim : proto.dims()) {
    if (dim < 0) return invalid(proto, fmt::format("negative dimension {}", dim));
    shape.push_back(dim);
  }
  for (int64_t dim : shape) {
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(dim, 1), &bytes) || bytes > limits.tensor_bytes) {
      return invalid(
          proto, fmt::format("shape {} is larger than the limit of {} bytes", shape.to_string(), limits.tensor_bytes));
    }
  }
  return shape;
}

bool is_converted(int32_t onnx_type) {
  return onnx_type == TensorProto::BOOL ||
         (converted_type(onnx_type) == DataType::kF32 && onnx_type != TensorProto::FLOAT);
}

// `raw`: the elements as stored, little-endian.
Bytes convert_stored(int32_t onnx_type, const std::byte* raw, size_t count) {
  switch (onnx_type) {
    case TensorProto::FLOAT16:
      return convert<uint16_t, float>(raw, count, from_float16);
    case TensorProto::BFLOAT16:
      return convert<uint16_t, float>(raw, count, from_bfloat16);
    case TensorProto::DOUBLE:
      return convert<double, float>(raw, count, [](double x) { return static_cast<float>(x); });
    case TensorProto::BOOL:
      return convert<uint8_t, uint8_t>(raw, count, [](uint8_t x) { return uint8_t{x != 0}; });
    default:
      return Bytes(raw, raw + count * stored_bytes(onnx_type));
  }
}

// Takes ownership of `raw`, so elements that need no conversion are not copied.
Bytes convert_stored(int32_t onnx_type, Bytes raw, size_t count) {
  if (is_converted(onnx_type)) return convert_stored(onnx_type, raw.data(), count);
  return raw;
}

// Reads the elements of a typed list and narrows each to its width in raw data.
template <typename Stored, typename List>
Result<Bytes> from_list(const TensorProto& proto, const List& list, size_t count) {
  if (static_cast<size_t>(list.size()) != count) {
    return invalid(proto, fmt::format("has {} elements, expected {} for its shape", list.size(), count));
  }
  Bytes raw(count * sizeof(Stored));
  for (size_t i = 0; i < count; ++i) {
    const Stored element = static_cast<Stored>(list[static_cast<int>(i)]);
    std::memcpy(raw.data() + i * sizeof(Stored), &element, sizeof(Stored));
  }
  return raw;
}

Result<Bytes> stored_in_lists(const TensorProto& proto, size_t count) {
  switch (proto.data_type()) {
    case TensorProto::FLOAT:
      return from_list<float>(proto, proto.float_data(), count);
    case TensorProto::DOUBLE:
      return from_list<double>(proto, proto.double_data(), count);
    case TensorProto::INT64:
      return from_list<int64_t>(proto, proto.int64_data(), count);
    case TensorProto::INT32:
      return from_list<int32_t>(proto, proto.int32_data(), count);
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
      return from_list<uint16_t>(proto, proto.int32_data(), count);
    default:
      return from_list<uint8_t>(proto, proto.int32_data(), count);
  }
}

Result<int64_t> parse_number(const TensorProto& proto, const std::string& key, const std::string& text) {
  int64_t value = 0;
  const bool digits = !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) return invalid(proto, fmt::format("external data: {} '{}' is not a number of bytes", key, text));
  for (char digit : text) value = value * 10 + (digit - '0');
  return value;
}

Result<Bytes> stored_outside(const TensorProto& proto, ExternalFiles* files, int64_t bytes) {
  if (files == nullptr)
    return invalid(proto, "stores its data outside the model, but the model was loaded from memory");
  ExternalData data;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") data.location = entry.value();
    if (entry.key() != "offset" && entry.key() != "length") continue;
    NESTRT_ASSIGN_OR_RETURN(const int64_t number, parse_number(proto, entry.key(), entry.value()));
    if (entry.key() == "offset") data.offset = number;
    if (entry.key() == "length") data.length = number;
  }
  auto stored = files->read(data, bytes);
  if (!stored) return stored.error().with_context(fmt::format("tensor '{}'", proto.name()));
  return stored;
}

// A byte of a list may contain several elements.
Result<Bytes> decode_narrow(const TensorProto& proto, const NarrowType& type, ExternalFiles* files, size_t count) {
  const size_t bytes = packed_bytes(type, count);
  if (proto.data_location() == TensorProto::EXTERNAL) {
    NESTRT_ASSIGN_OR_RETURN(const Bytes stored, stored_outside(proto, files, static_cast<int64_t>(bytes)));
    return unpacked(type, stored, count);
  }
  if (!proto.has_raw_data()) {
    NESTRT_ASSIGN_OR_RETURN(const Bytes stored, type.bits == 16 ? from_list<uint16_t>(proto, proto.int32_data(), count)
                                                                : from_list<uint8_t>(proto, proto.int32_data(), bytes));
    return unpacked(type, stored, count);
  }
  if (proto.raw_data().size() == bytes) return unpacked(type, std::as_bytes(std::span(proto.raw_data())), count);
  return invalid(
      proto, fmt::format("raw_data has {} bytes, expected {} for its shape and type", proto.raw_data().size(), bytes));
}

Result<Bytes> decode_elements(const TensorProto& proto, ExternalFiles* files, size_t count) {
  if (const NarrowType* type = find_constant_type(proto.data_type())) return decode_narrow(proto, *type, files, count);
  const size_t bytes = count * stored_bytes(proto.data_type());
  if (proto.data_location() == TensorProto::EXTERNAL) {
    NESTRT_ASSIGN_OR_RETURN(Bytes stored, stored_outside(proto, files, static_cast<int64_t>(bytes)));
    return convert_stored(proto.data_type(), std::move(stored), count);
  }
  if (proto.has_raw_data()) {
    const std::string& raw = proto.raw_data();
    if (raw.size() != bytes) {
      return invalid(proto,
                     fmt::format("raw_data has {} bytes, expected {} for its shape and type", raw.size(), bytes));
    }
    return convert_stored(proto.data_type(), reinterpret_cast<const std::byte*>(raw.data()), count);
  }
  NESTRT_ASSIGN_OR_RETURN(Bytes stored, stored_in_lists(proto, count));
  return convert_stored(proto.data_type(), std::move(stored), count);
}

}  // namespace

std::optional<DataType> converted_type(int32_t onnx_type) {
  switch (onnx_type) {
    case TensorProto::FLOAT:
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
    case TensorProto::DOUBLE:
      return DataType::kF32;
    case TensorProto::INT8:
      return DataType::kS8;
    case TensorProto::UINT8:
      return DataType::kU8;
    case TensorProto::INT32:
      return DataType::kS32;
    case TensorProto::INT64:
      return DataType::kS64;
    case TensorProto::BOOL:
      return DataType::kBool;
    default:
      break;
  }
  const NarrowType* narrow = find_narrow_type(onnx_type);
  return narrow == nullptr ? std::nullopt : std::optional(narrow->type);
}

std::string onnx_type_name(int32_t onnx_type) {
  if (const NarrowType* narrow = find_constant_type(onnx_type)) return std::string(narrow->name);
  if (!TensorProto::DataType_IsValid(onnx_type)) return fmt::format("unknown type {}", onnx_type);
  std::string name = TensorProto::DataType_Name(static_cast<TensorProto::DataType>(onnx_type));
  for (char& letter : name) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return name;
}

Result<OnnxTensor> decode_tensor(const TensorProto& proto, ExternalFiles* files, const ImportLimits& limits) {
  const NarrowType* narrow = find_constant_type(proto.data_type());
  const std::optional<DataType> type = narrow != nullptr ? narrow->type : converted_type(proto.data_type());
  if (!type) {
    return Status(Code::kUnsupported,
                  fmt::format("tensor '{}': elements of {} are not supported; supported: float, float16, double, int2 "
                              "to int64, uint2 to uint16, bool, and floats of 4 and 8 bits",
                              proto.name(), onnx_type_name(proto.data_type())));
  }
  if (proto.has_segment())
    return Status(Code::kUnsupported, fmt::format("tensor '{}': segments are not supported", proto.name()));
  OnnxTensor tensor;
  tensor.name = proto.name();
  tensor.type = *type;
  if (find_narrow_type(proto.data_type()) != nullptr) tensor.narrow_type = proto.data_type();
  NESTRT_ASSIGN_OR_RETURN(tensor.shape,
                          decode_shape(proto, std::max(stored_bytes(proto.data_type()), size_bytes(*type)), limits));
  const size_t count = static_cast<size_t>(tensor.shape.num_elements());
  if (narrow != nullptr && !narrow->is_float()) tensor.stated_range = IntegerRange{narrow->low(), narrow->high()};
  NESTRT_ASSIGN_OR_RETURN(Bytes elements, decode_elements(proto, files, count));
  tensor.elements = std::make_shared<const Bytes>(std::move(elements));
  return tensor;
}

}  // namespace nestrt::compiler
