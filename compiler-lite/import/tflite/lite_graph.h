// SPDX-License-Identifier: Apache-2.0
// LiteGraph: the tensors of a TensorFlow Lite subgraph as values of the graph under construction.
//
// TensorFlow Lite has its channels last, the graph has them second. A tensor of rank 3 or more exists in one of two
// forms or in both: `kPlain` with the dimensions of the file, and `kChannelsFirst` with the last axis moved to axis 1.
// Each form is made from the other when an operator needs it. Operators that work equally in both forms use the one
// that exists, so that Transposes remain only at the inputs and outputs and where an operator depends on the order.
//
// Tensors of int8 and uint8 with a scale are stored as integers with their quantization. real() returns them as f32
// after a Dequantize; define() adds the Quantize. passes/integers/fuse_qdq.cpp makes integer operators of both.
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

// Returns the axis of a form that holds the axis `axis` of the file.
int axis_in_form(int axis, int rank, Form form);
// Returns a list by axis of the file as a list by axis of the form.
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

// A state that the interpreter keeps between runs. In a plan the caller keeps it: an input has the value before a run,
// and an output the value after it.
struct LiteVariable {
  ValueId value = kNoValue;  // as stored; kNoValue until an operator reads or assigns it
  bool is_assigned = false;
};

// What all subgraphs of a file share. Bodies of loops are imported once per step, and their constants only once.
struct LiteContext {
  const LiteFile& file;
  GraphBuilder& builder;
  std::map<int32_t, std::vector<LiteForms>> constants = {};  // by subgraph and tensor
  // Converted elements by buffer and type. Tensors may share a buffer, so a small file could need much memory.
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
  // Returns a name for messages and values: that of the tensor, or "tensor_7" if it has none.
  std::string name(int32_t index) const;
  // Returns the type of the value that holds the tensor. Errors: kUnsupported.
  Result<DataType> type(int32_t index) const;
  // Returns the quantization of integers with a scale. Errors: kInvalidModel.
  Result<Quantization> quantization(int32_t index) const;
  // Returns the scale of a tensor of int16; nullopt for other types and unless it has exactly one scale.
  Result<std::optional<float>> wide_scale(int32_t index) const;

  bool is_defined(int32_t index) const;
  // Returns true if the tensor exists in the form kChannelsFirst only.
  bool is_channels_first(int32_t index) const;
  // Returns the tensor as stored: integers if it is quantized. Reads constants of the file. Errors: kInvalidModel if no
  // operator before has computed it.
  Result<ValueId> stored(int32_t index, Form form);
  // Returns the tensor as real numbers if it is quantized, otherwise as stored.
  Result<ValueId> real(int32_t index, Form form);
  // Defines a tensor. `id`: real numbers if the tensor is quantized. Errors: kInvalidModel if it is already defined.
  Status define(int32_t index, ValueId id, Form form);
  // Defines an input of the model: the integers of a quantized tensor, without their quantization.
  Status define_input(int32_t index, ValueId id);
  // Defines an input of a subgraph as stored by the operator that calls it.
  Status define_argument(int32_t index, ValueId id);

  // A tensor that refers to the variable `name`.
  void set_handle(int32_t index, std::string name) { handles_[index] = std::move(name); }
  // Returns null if the tensor does not refer to a variable.
  LiteVariable* variable(int32_t index) {
    const auto found = handles_.find(index);
    return found == handles_.end() ? nullptr : &context_.variables[found->second];
  }
  const std::string& variable_name(int32_t index) const { return handles_.at(index); }

  // A tensor [N, all the rest] that is the reshaped form kChannelsFirst of `source`.
  void set_flattened_from(int32_t index, int32_t source) { forms_[static_cast<size_t>(index)].flattened_from = source; }
  // Returns the source, or -1.
  int32_t flattened_from(int32_t index) const { return forms_[static_cast<size_t>(index)].flattened_from; }

 private:
  LiteForms& forms(int32_t index) { return forms_[static_cast<size_t>(index)]; }
  // Stores a form, and shares it with other imports of the subgraph if the tensor is constant.
  ValueId keep(int32_t index, std::array<ValueId, 2> LiteForms::*kind, Form form, ValueId id);
  std::string label(int32_t index) const;
  Result<ValueId> add(int32_t index, std::string name, ops::Attributes attributes, ValueId input,
                      const Quantization& quantization = {});
  // Limits the real numbers of a tensor of int16 to the range that its scale allows.
  Result<ValueId> saturated(int32_t index, ValueId id);
  Result<ValueId> load_constant(int32_t index);
  // Loads a constant of int16 with a scale as real numbers.
  Result<ValueId> load_wide_constant(int32_t index);
  // Loads the elements as a constant without a quantization. `type`: of the elements.
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
