// SPDX-License-Identifier: Apache-2.0
// LiteGraph: the tensors of a TensorFlow Lite subgraph as values of the graph under construction.
//
// In TensorFlow Lite, channels are the last axis; in the graph, they are axis 1. A tensor of rank 3 or more exists in
// one of two forms or in both: `kPlain` with the dimensions of the file, and `kChannelsFirst` with the last axis moved
// to axis 1. Each form is created from the other when an operator needs it. Operators that work equally in both forms
// use the one that exists, so that Transposes remain only at the inputs and outputs and where an operator depends on
// the order.
//
// Tensors of int8 and uint8 with a scale are stored as integers with their quantization. real() returns them as f32
// after a Dequantize; define() adds the Quantize. passes/integers/fuse_qdq.cpp converts both to integer operators.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler-lite/import/graph_builder.h"
#include "compiler-lite/import/tflite/lite_file.h"

namespace nestrt::compiler {

enum class Form : uint8_t { kPlain = 0, kChannelsFirst = 1 };

// Returns the axis of a form that corresponds to axis `axis` of the file.
int axis_in_form(int axis, int rank, Form form);
// Converts a list by axis of the file to a list by axis of the form.
template <typename T>
std::vector<T> in_form(const std::vector<T>& list, Form form) {
  std::vector<T> result(list.size());
  const auto rank = static_cast<int>(list.size());
  for (int axis = 0; axis < rank; ++axis)
    result[static_cast<size_t>(axis_in_form(axis, rank, form))] = list[static_cast<size_t>(axis)];
  return result;
}
// Returns the permutation that a Transpose needs to convert the other form to this one.
std::vector<int32_t> permutation_to(Form form, int rank);

// Returns the quantization with one scale and zero point 0.
plan::Quantization symmetric_steps(float scale);

// The values of one tensor.
struct LiteForms {
  std::array<ValueId, 2> stored{kNoValue, kNoValue};  // by Form
  std::array<ValueId, 2> real{kNoValue, kNoValue};    // of quantized tensors
  int32_t flattened_from = -1;
  bool is_constant = false;
};

// A state that the interpreter keeps between runs. In a plan the caller keeps it: an input receives the value before a
// run, and an output returns the value after it.
struct LiteVariable {
  ValueId value = kNoValue;  // as stored; kNoValue until an operator reads or assigns it
  bool is_assigned = false;
};

// Data that all subgraphs of a file share. Loop bodies are imported once per step, but their constants only once.
struct LiteContext {
  const LiteFile& file;
  GraphBuilder& builder;
  std::map<int32_t, std::vector<LiteForms>> constants = {};  // by subgraph and tensor
  // Converted elements by buffer and type. Cached because tensors may share a buffer, so a small file could otherwise
  // require a lot of memory.
  std::map<std::pair<uint32_t, tflite::ElementType>, std::shared_ptr<const Bytes>> elements = {};
  std::map<std::string, LiteVariable> variables = {};  // by name
  int depth = 0;                                       // of nested subgraphs
};

class LiteGraph {
 public:
  using Quantization = std::optional<plan::Quantization>;

  // `scope` precedes all names. Requires: the subgraph exists and has tensors.
  LiteGraph(LiteContext& context, int32_t subgraph, std::string scope);

  LiteContext& context() { return context_; }
  const LiteFile& file() const { return context_.file; }
  GraphBuilder& builder() { return builder_; }
  const tflite::SubGraph& subgraph() const { return *file().subgraph(subgraph_); }
  const tflite::Tensor& tensor(int32_t index) const { return *tensors_.Get(static_cast<uint32_t>(index)); }
  bool exists(int32_t index) const { return index >= 0 && static_cast<size_t>(index) < forms_.size(); }
  // Returns a name for messages and values: the tensor's name, or one like "tensor_7" if it is empty.
  std::string name(int32_t index) const;
  // Returns the type of the value that represents the tensor. Errors: kUnsupported.
  Result<DataType> type(int32_t index) const;
  // Returns the tensor's quantization if it contains integers with a scale. Errors: kInvalidModel.
  Result<Quantization> quantization(int32_t index) const;
  // Returns the scale of an int16 tensor; nullopt for other types, or if it does not have exactly one scale.
  Result<std::optional<float>> wide_scale(int32_t index) const;

  bool is_defined(int32_t index) const;
  // Returns true if the tensor exists only in the form kChannelsFirst.
  bool is_channels_first(int32_t index) const;
  // Returns the tensor as stored: integers if it is quantized. Reads constants of the file. Errors: kInvalidModel if no
  // earlier operator has computed it.
  Result<ValueId> stored(int32_t index, Form form);
  // Returns the tensor as real numbers if it is quantized, or else as stored.
  Result<ValueId> real(int32_t index, Form form);
  // Defines a tensor. If the tensor is quantized, `id` contains real numbers. Errors: kInvalidModel if it is already
  // defined.
  Status define(int32_t index, ValueId id, Form form);
  // Defines an input of the model: the integers of a quantized tensor, without their quantization.
  Status define_input(int32_t index, ValueId id);
  // Defines an input of a subgraph from the calling operator's value, as stored.
  Status define_argument(int32_t index, ValueId id);

  // Makes a tensor refer to the variable `name`.
  void set_handle(int32_t index, std::string name) { handles_[index] = std::move(name); }
  // Returns null if the tensor does not refer to a variable.
  LiteVariable* variable(int32_t index) {
    const auto found = handles_.find(index);
    return found == handles_.end() ? nullptr : &context_.variables[found->second];
  }
  const std::string& variable_name(int32_t index) const { return handles_.at(index); }

  // Marks a tensor [N, all the rest] as a reshape of `source` in the form kChannelsFirst.
  void set_flattened_from(int32_t index, int32_t source) { forms_[static_cast<size_t>(index)].flattened_from = source; }
  // Returns the source, or -1.
  int32_t flattened_from(int32_t index) const { return forms_[static_cast<size_t>(index)].flattened_from; }

 private:
  LiteForms& forms(int32_t index) { return forms_[static_cast<size_t>(index)]; }
  // Stores a form. If the tensor is constant, other imports of the subgraph share it.
  ValueId keep(int32_t index, std::array<ValueId, 2> LiteForms::*kind, Form form, ValueId id);
  std::string label(int32_t index) const;
  Result<ValueId> add(int32_t index, std::string name, ops::Attributes attributes, ValueId input,
                      const Quantization& quantization = {});
  // Limits the real numbers of an int16 tensor to the range that its scale allows.
  Result<ValueId> saturated(int32_t index, ValueId id);
  Result<ValueId> load_constant(int32_t index);
  // Loads an int16 constant that has a scale, as real numbers.
  Result<ValueId> load_wide_constant(int32_t index);
  // Loads the elements, which have type `type`, as a constant without a quantization.
  Result<Value> read_constant(int32_t index, DataType type);
  Result<std::shared_ptr<const Bytes>> elements_of(int32_t index, DataType type, const Shape& shape);

  LiteContext& context_;
  GraphBuilder& builder_;
  int32_t subgraph_;
  std::string scope_;
  const flatbuffers::Vector<flatbuffers::Offset<tflite::Tensor>>& tensors_;
  std::vector<LiteForms> forms_;
  std::map<int32_t, std::string> handles_;  // names of variables by tensor
};

}  // namespace nestrt::compiler
