// SPDX-License-Identifier: Apache-2.0
// LiteWriter: writes small TensorFlow Lite models for tests.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler-lite/import/import_model.h"
#include "compiler-lite/import/tflite/tflite_generated.h"

namespace nestrt::test {

namespace tflite = compiler::tflite;
using LiteOp = tflite::OperatorCodeValue;
using LiteType = tflite::ElementType;

struct LiteScales {
  std::vector<float> scales{};
  std::vector<int64_t> zero_points{};
  int32_t axis = 0;
};

class LiteWriter {
 public:
  using Scales = LiteScales;
  // Creates a table of options.
  using Options = std::function<flatbuffers::Offset<void>(flatbuffers::FlatBufferBuilder&)>;

  // Add tensors and return their index.
  int32_t tensor(const std::string& name, const std::vector<int32_t>& shape, LiteType type = LiteType::FLOAT32,
                 const Scales& scales = {});
  template <typename T>
  int32_t constant(const std::string& name, const std::vector<int32_t>& shape, LiteType type,
                   const std::vector<T>& elements, const Scales& scales = {}) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(elements.data());
    buffers_.emplace_back(bytes, bytes + elements.size() * sizeof(T));
    const int32_t index = tensor(name, shape, type, scales);
    tensors_.back().buffer = static_cast<uint32_t>(buffers_.size() - 1);
    return index;
  }
  int32_t floats(const std::string& name, const std::vector<int32_t>& shape, const std::vector<float>& elements) {
    return constant(name, shape, LiteType::FLOAT32, elements);
  }
  int32_t ints(const std::string& name, const std::vector<int32_t>& elements) {
    return constant(name, {static_cast<int32_t>(elements.size())}, LiteType::INT32, elements);
  }
  int32_t input(const std::string& name, const std::vector<int32_t>& shape, LiteType type = LiteType::FLOAT32,
                const Scales& scales = {}) {
    inputs_.push_back(tensor(name, shape, type, scales));
    return inputs_.back();
  }
  // Adds a state that the interpreter keeps between runs.
  int32_t variable(const std::string& name, const std::vector<int32_t>& shape, LiteType type = LiteType::FLOAT32,
                   const Scales& scales = {}) {
    const int32_t index = tensor(name, shape, type, scales);
    tensors_.back().is_variable = true;
    return index;
  }
  // Marks a tensor as an output of the model.
  LiteWriter& output(int32_t tensor) {
    outputs_.push_back(tensor);
    return *this;
  }

  // Adds an operator. `type`: the value of BuiltinOptions.
  LiteWriter& add(LiteOp code, const std::vector<int32_t>& inputs, const std::vector<int32_t>& outputs,
                  uint8_t type = 0, Options options = {});
  LiteWriter& add_custom(const std::string& name, const std::vector<int32_t>& inputs,
                         const std::vector<int32_t>& outputs, std::vector<uint8_t> options = {});
  // Adds a signature of the main subgraph.
  LiteWriter& signature(const std::vector<std::pair<std::string, int32_t>>& inputs,
                        const std::vector<std::pair<std::string, int32_t>>& outputs);

  // Adds a named buffer, such as "TFLITE_METADATA".
  LiteWriter& metadata(const std::string& name, std::vector<uint8_t> bytes) {
    buffers_.push_back(std::move(bytes));
    metadata_.emplace_back(name, static_cast<uint32_t>(buffers_.size() - 1));
    return *this;
  }

  // Adds a subgraph, such as the body of a loop, and returns its index.
  int32_t subgraph(const LiteWriter& graph) {
    bodies_.push_back(graph);
    return static_cast<int32_t>(bodies_.size());
  }

  std::vector<std::byte> bytes() const;
  Result<compiler::Graph> import(const compiler::ImportOptions& options = {}) const {
    return compiler::import_tflite(bytes(), options);
  }

 private:
  struct TensorEntry {
    std::string name;
    std::vector<int32_t> shape;
    LiteType type;
    uint32_t buffer = 0;
    Scales scales;
    bool is_variable = false;
  };
  struct OperatorEntry {
    LiteOp code;
    std::string custom;
    std::vector<int32_t> inputs, outputs;
    uint8_t type = 0;
    Options options;
    std::vector<uint8_t> custom_options{};
  };
  using Ports = std::vector<std::pair<std::string, int32_t>>;

  // Writes the tensors and operators of this subgraph. `first_buffer`, `first_code`: indices of its first buffer and
  // operator code.
  flatbuffers::Offset<tflite::SubGraph> write(flatbuffers::FlatBufferBuilder& builder, uint32_t first_buffer,
                                              uint32_t first_code) const;

  std::vector<LiteWriter> bodies_;
  std::vector<std::vector<uint8_t>> buffers_{{}};  // the first is empty, as in every model
  std::vector<TensorEntry> tensors_;
  std::vector<OperatorEntry> operators_;
  std::vector<int32_t> inputs_, outputs_;
  std::vector<std::pair<std::string, uint32_t>> metadata_;  // names and buffers
  std::optional<std::pair<Ports, Ports>> signature_;
};

}  // namespace nestrt::test
