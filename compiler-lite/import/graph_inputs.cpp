// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/graph_inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler-lite/import/graph_builder.h"
#include "compiler-lite/import/import.h"
#include "compiler-lite/import/onnx/onnx_model.h"
#include "nestrt/log.h"

namespace nestrt::compiler {
namespace {

std::string dims_text(const OnnxValueInfo& input) {
  if (!input.dims) return "unknown";
  if (input.dims->empty()) return "scalar";
  std::string text;
  for (size_t i = 0; i < input.dims->size(); ++i) {
    const int64_t dim = (*input.dims)[i];
    const std::string& symbol = input.dim_names[i];
    text += fmt::format("{}{}", i == 0 ? "" : ",",
                        dim != kDynamic  ? fmt::format("{}", dim)
                        : symbol.empty() ? "?"
                                         : symbol);
  }
  return text;
}

Status check_known(const OnnxModel& model, const std::string& name) {
  const auto is_it = [&](const OnnxValueInfo& input) { return input.name == name; };
  if (std::any_of(model.inputs.begin(), model.inputs.end(), is_it)) return ok_status();
  std::string known;
  for (const OnnxValueInfo& input : model.inputs) known += fmt::format(" '{}' ({})", input.name, dims_text(input));
  return Status(Code::kInvalidArgument, fmt::format("the model has no input '{}'; its inputs are:{}", name, known));
}

// Compares a shape given by the caller with the shape that the model declares.
Status check_shape(const OnnxValueInfo& input, const Shape& shape) {
  const bool valid = std::all_of(shape.begin(), shape.end(), [](int64_t dim) { return dim >= 0; });
  bool fits = valid;
  if (input.dims) {
    fits = fits && static_cast<int>(input.dims->size()) == shape.rank();
    for (int i = 0; fits && i < shape.rank(); ++i) {
      const int64_t stated = (*input.dims)[static_cast<size_t>(i)];
      fits = stated < 1 || stated == shape[i];
    }
  }
  if (fits) return ok_status();
  return Status(Code::kInvalidArgument, fmt::format("input '{}': shape {} does not fit the model's {}", input.name,
                                                    shape.to_string(), dims_text(input)));
}

// Returns a plausible shape of the input's rank for an error message: an image if the rank is 4 or unknown.
std::string example_shape(const OnnxValueInfo& input) {
  constexpr int64_t kImage[] = {1, 3, 224, 224};
  const size_t rank = input.dims ? input.dims->size() : std::size(kImage);
  std::vector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t stated = input.dims ? (*input.dims)[i] : kDynamic;
    shape.push_back(stated > 0 ? stated : rank == std::size(kImage) ? kImage[i] : i == 0 ? 1 : 16);
  }
  return fmt::format("{}={}", input.name, fmt::join(shape, ","));
}

Status dynamic(const OnnxValueInfo& input, const std::string& what) {
  return Status(Code::kInvalidArgument,
                fmt::format("input '{}' ({}): {} is not fixed by the model; fix it, e.g. with --input-shape {}",
                            input.name, dims_text(input), what, example_shape(input)));
}

void note_batch_of_one(const OnnxValueInfo& input, const Shape& shape) {
  const std::string& symbol = input.dim_names.front();
  log(LogLevel::kWarning,
      fmt::format("input '{}' ({}): dimension 0{} is not fixed by the model and becomes 1; to set it, use "
                  "--input-shape {}={}",
                  input.name, dims_text(input), symbol.empty() ? "" : fmt::format(" ('{}')", symbol), input.name,
                  fmt::join(shape, ",")));
}

// Returns the dimensions that the model declares. A dynamic batch dimension becomes 1 if it is the only dynamic one.
Result<Shape> stated_shape(const OnnxValueInfo& input) {
  if (!input.dims) return dynamic(input, "the rank");
  if (input.dims->size() > static_cast<size_t>(Shape::kMaxRank)) {
    return Status(Code::kUnsupported, fmt::format("input '{}' has rank {}; at most {} is supported", input.name,
                                                  input.dims->size(), Shape::kMaxRank));
  }
  Shape shape;
  for (size_t i = 0; i < input.dims->size(); ++i) {
    const int64_t dim = (*input.dims)[i];
    if (dim < 1 && dim != kDynamic) {
      return Status(Code::kInvalidModel, fmt::format("input '{}' ({}): dimension {} is {}, which is not a valid size; "
                                                     "specify the shape, e.g. with --input-shape {}",
                                                     input.name, dims_text(input), i, dim, example_shape(input)));
    }
    if (dim == kDynamic && i > 0) {
      const std::string& symbol = input.dim_names[i];
      return dynamic(input,
                     symbol.empty() ? fmt::format("dimension {}", i) : fmt::format("dimension {} ('{}')", i, symbol));
    }
    shape.push_back(dim == kDynamic ? 1 : dim);
  }
  if (!input.dims->empty() && input.dims->front() == kDynamic) note_batch_of_one(input, shape);
  return shape;
}

Result<Shape> resolve_shape(const OnnxValueInfo& input, const ImportOptions& options) {
  const auto given = options.input_shapes.find(input.name);
  if (given == options.input_shapes.end()) return stated_shape(input);
  NESTRT_RETURN_IF_ERROR(check_shape(input, given->second));
  return given->second;
}

Result<ValueId> bind_input(GraphBuilder& builder, const OnnxValueInfo& input, const HostTensor& binding) {
  NESTRT_RETURN_IF_ERROR(check_shape(input, binding.shape));
  if (binding.type != *input.type) {
    return Status(Code::kInvalidArgument, fmt::format("input '{}' has type {}, but the bound tensor has type {}",
                                                      input.name, name(*input.type), name(binding.type)));
  }
  if (binding.elements.size() != static_cast<size_t>(binding.shape.num_elements()) * size_bytes(binding.type)) {
    return Status(Code::kInvalidArgument,
                  fmt::format("input '{}': the size of the bound tensor does not match its shape", input.name));
  }
  return builder.add_constant(
      OnnxTensor{input.name, binding.type, binding.shape, std::make_shared<const Bytes>(binding.elements)});
}

Result<ValueId> open_input(GraphBuilder& builder, const OnnxValueInfo& input, const ImportOptions& options) {
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, resolve_shape(input, options));
  NESTRT_RETURN_IF_ERROR(builder.check_size(input.name, *input.type, shape));
  Value value;
  value.name = input.name;
  value.type = *input.type;
  value.shape = shape;
  const ValueId id = builder.graph().add_value(std::move(value));
  builder.graph().inputs.push_back({id, std::nullopt});
  if (input.narrow_type != 0) builder.set_narrow_type(id, input.narrow_type);
  return id;
}

}  // namespace

Status add_inputs(GraphBuilder& builder, const OnnxModel& model, const ImportOptions& options) {
  for (const auto& [name, shape] : options.input_shapes) NESTRT_RETURN_IF_ERROR(check_known(model, name));
  for (const auto& [name, tensor] : options.bindings) NESTRT_RETURN_IF_ERROR(check_known(model, name));
  for (const OnnxValueInfo& input : model.inputs) {
    if (!input.type) {
      const std::string what =
          input.type_name.empty() ? "is not a tensor" : fmt::format("is a tensor of {}", input.type_name);
      return Status(Code::kUnsupported,
                    fmt::format("input '{}' {}; tensors of float, int8, uint8, int32, int64 and bool are supported",
                                input.name, what));
    }
    const auto binding = options.bindings.find(input.name);
    NESTRT_ASSIGN_OR_RETURN(const ValueId id, binding != options.bindings.end()
                                                  ? bind_input(builder, input, binding->second)
                                                  : open_input(builder, input, options));
    NESTRT_RETURN_IF_ERROR(builder.define(input.name, id));
  }
  return ok_status();
}

}  // namespace nestrt::compiler
