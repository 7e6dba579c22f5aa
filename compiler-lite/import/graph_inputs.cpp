#include "compiler-lite/import/graph_inputs.h"

#include <algorithm>

namespace nestrt::compiler {
namespace {

std::string dims_text(const OnnxValueInfo& input) {
  if (!input.dims) return "unknown";
  if (input.dims->empty()) return "scalar";
  std::string text;
  for (size_t i = 0; i < input.dims->size(); ++i) {
    const int64_t dim = (*input.dims)[i];
    const std::string& symbol = input.dim_names[i];
    text += (i == 0 ? "" : ",") + (dim != kDynamic ? std::to_string(dim) : symbol.empty() ? "?" : symbol);
  }
  return text;
}

Status check_known(const OnnxModel& model, const std::string& name) {
  const auto is_it = [&](const OnnxValueInfo& input) { return input.name == name; };
  if (std::any_of(model.inputs.begin(), model.inputs.end(), is_it)) return ok_status();
  std::string known;
  for (const OnnxValueInfo& input : model.inputs) known += " '" + input.name + "' (" + dims_text(input) + ")";
  return Status(Code::kInvalidArgument, "the model has no input '" + name + "'; its inputs are:" + known);
}

// A shape given by the caller, compared with what the model states.
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
  return Status(Code::kInvalidArgument, "input '" + input.name + "': shape " + shape.to_string() +
                                            " does not fit the model's " + dims_text(input));
}

Status dynamic(const OnnxValueInfo& input, const std::string& what) {
  return Status(Code::kInvalidArgument, "input '" + input.name + "' (" + dims_text(input) + "): " + what +
                                            " is not fixed by the model; fix it, e.g. with --input-shape " +
                                            input.name + "=1,3,224,224");
}

// The model's own dimensions; a batch dimension that alone is open becomes 1.
Result<Shape> stated_shape(const OnnxValueInfo& input) {
  if (!input.dims) return dynamic(input, "the rank");
  if (input.dims->size() > static_cast<size_t>(Shape::kMaxRank)) {
    return Status(Code::kUnsupported, "input '" + input.name + "' has rank " + std::to_string(input.dims->size()) +
                                          ", at most " + std::to_string(Shape::kMaxRank) + " is supported");
  }
  Shape shape;
  for (size_t i = 0; i < input.dims->size(); ++i) {
    const int64_t dim = (*input.dims)[i];
    if (dim < 1 && dim != kDynamic) {
      return Status(Code::kInvalidModel, "input '" + input.name + "' (" + dims_text(input) + "): dimension " +
                                             std::to_string(i) + " is " + std::to_string(dim) +
                                             ", which is no size; state the shape, e.g. with --input-shape " +
                                             input.name + "=1,3,224,224");
    }
    if (dim == kDynamic && i > 0) {
      const std::string& symbol = input.dim_names[i];
      return dynamic(input, "dimension " + std::to_string(i) + (symbol.empty() ? "" : " ('" + symbol + "')"));
    }
    shape.push_back(dim == kDynamic ? 1 : dim);
  }
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
    return Status(Code::kInvalidArgument, "input '" + input.name + "' has type " + std::string(name(*input.type)) +
                                              ", the bound tensor has " + std::string(name(binding.type)));
  }
  if (binding.elements.size() != static_cast<size_t>(binding.shape.num_elements()) * size_bytes(binding.type)) {
    return Status(Code::kInvalidArgument, "input '" + input.name + "': the bound tensor's bytes do not fit its shape");
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
  return id;
}

}  // namespace

Status add_inputs(GraphBuilder& builder, const OnnxModel& model, const ImportOptions& options) {
  for (const auto& [name, shape] : options.input_shapes) NESTRT_RETURN_IF_ERROR(check_known(model, name));
  for (const auto& [name, tensor] : options.bindings) NESTRT_RETURN_IF_ERROR(check_known(model, name));
  for (const OnnxValueInfo& input : model.inputs) {
    if (!input.type) {
      const std::string what = input.type_name.empty() ? "is no tensor" : "is a tensor of " + input.type_name;
      return Status(Code::kUnsupported, "input '" + input.name + "' " + what +
                                            "; tensors of float, int8, uint8, int32, int64 and bool are supported");
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
