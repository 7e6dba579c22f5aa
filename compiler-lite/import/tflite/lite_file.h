// SPDX-License-Identifier: Apache-2.0
// LiteFile: a TensorFlow Lite model in memory whose tables have been verified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler-lite/import/onnx/limits.h"
#include "compiler-lite/import/tflite/tflite_generated.h"
#include "nestrt/result.h"

namespace nestrt::compiler {

// An operator code of the file: a built-in operator, or the name of a custom operator.
struct LiteCode {
  tflite::OperatorCodeValue code = tflite::OperatorCodeValue::CUSTOM;
  std::string custom;

  // Returns "CONV_2D", "custom operator 'FlexErf'" or "operator code 300".
  std::string name() const;
};

class LiteFile {
 public:
  // Returns true if a file that starts with these bytes, at least kStartBytes, is a TensorFlow Lite model.
  static constexpr size_t kStartBytes = 8;
  static bool is_lite(std::span<const std::byte> start);

  // Verifies every table and string, but not indices, which their readers must check. Errors: kInvalidModel.
  static Result<LiteFile> open(std::vector<std::byte> bytes, const ImportLimits& limits);

  int64_t num_bytes() const { return static_cast<int64_t>(bytes_.size()); }
  const tflite::Model& model() const { return *tflite::GetModel(bytes_.data()); }
  // Returns the subgraph that the interpreter runs.
  const tflite::SubGraph& main() const { return *model().subgraphs()->Get(0); }
  // Returns null if the index is out of range.
  const tflite::SubGraph* subgraph(int64_t index) const;
  // Returns the signature of the main subgraph, or null if the model has none.
  const tflite::SignatureDef* signature() const;
  Result<LiteCode> code(const tflite::Operator& op) const;
  // Returns the bytes of a buffer, which may be empty. Errors: kInvalidModel if it is out of range.
  Result<std::span<const std::byte>> buffer(uint32_t index) const;
  // Verifies the options as a table of type `Table`.
  template <typename Table>
  bool verify(const tflite::Options& options) const {
    flatbuffers::Verifier verifier = make_verifier();
    return verifier.VerifyTable(reinterpret_cast<const Table*>(&options));
  }

 private:
  explicit LiteFile(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  flatbuffers::Verifier make_verifier() const;

  std::vector<std::byte> bytes_;
};

// Returns the entries of a list; an empty list for null. Lists of 8-byte elements may be unaligned in a file.
template <typename T>
std::vector<T> lite_list(const flatbuffers::Vector<T>* list) {
  std::vector<T> result(list == nullptr ? 0 : list->size());
  if (!result.empty()) std::memcpy(result.data(), list->Data(), result.size() * sizeof(T));
  return result;
}

inline std::string lite_text(const flatbuffers::String* text) { return text == nullptr ? std::string() : text->str(); }

// Returns the number of entries of a list; 0 for null.
template <typename Vector>
size_t lite_size(const Vector* list) {
  return list == nullptr ? 0 : list->size();
}

}  // namespace nestrt::compiler
