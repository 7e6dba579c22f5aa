// SPDX-License-Identifier: Apache-2.0
// Element types of TensorFlow Lite, and the conversion of constants to the graph's types.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "compiler-lite/graph/bytes.h"
#include "compiler-lite/import/tflite/tflite_generated.h"
#include "nestrt/data_type.h"

namespace nestrt::compiler {

// Returns the graph's type: f32 for all float types, s8 for INT4, s32 for INT16 (without a scale); nullopt for types
// that the importer does not support.
std::optional<DataType> lite_type(tflite::ElementType type);

// Returns the bytes of `count` elements in the file. Requires: a supported type.
size_t lite_bytes(tflite::ElementType type, size_t count);

// Requires: raw.size() == lite_bytes(type, count).
Bytes decode_lite(tflite::ElementType type, std::span<const std::byte> raw, size_t count);

}  // namespace nestrt::compiler
