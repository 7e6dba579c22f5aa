// SPDX-License-Identifier: Apache-2.0
#include "python/src/plan.h"

#include <nanobind/stl/vector.h>

#include <cstring>

#include "nestrt/driver/plan_tables.h"
#include "python/src/arrays.h"
#include "python/src/errors.h"
#include "python/src/text.h"
#include "runtime/plan/queries/statistics.h"
#include "runtime/platform/aligned_memory.h"
#include "tools/support/image/classify.h"
#include "tools/support/image/image.h"
#include "tools/support/image/preprocess.h"
#include "tools/support/page/plan_figures.h"
#include "tools/support/page/precisions.h"

namespace nestrt::python {
namespace {

namespace nb = nanobind;

// A plan and the memory that holds it.
struct OwnedPlan {
  AlignedMemory memory;
  std::shared_ptr<const Plan> plan;
};

LoadOptions load_options(const std::vector<std::string>& keys, bool copy) {
  LoadOptions options(Verification::kComplete);
  options.copy = copy;
  for (const std::string& key : keys) options.trusted_keys.push_back(checked(read_public_key(key), key));
  return options;
}

void open_file(PlanHandle* self, const std::string& path, const std::vector<std::string>& keys, bool copy) {
  const LoadOptions options = load_options(keys, copy);
  Result<std::shared_ptr<const Plan>> plan = [&] {
    nb::gil_scoped_release release;
    return Plan::map(path, options);
  }();
  new (self) PlanHandle{checked(std::move(plan), path), path, path};
}

void open_bytes(PlanHandle* self, const nb::bytes& bytes, const std::vector<std::string>& keys) {
  const LoadOptions options = load_options(keys, false);
  const std::span content(static_cast<const std::byte*>(bytes.data()), bytes.size());
  Result<std::shared_ptr<const Plan>> plan = [&] {
    nb::gil_scoped_release release;
    return plan_of_bytes(content, options);
  }();
  new (self) PlanHandle{checked(std::move(plan), "bytes"), "bytes", ""};
}

// Returns the quantization of a tensor, or None if it is not quantized.
nb::object quantization_of(const plan::Tensor& tensor) {
  if (!tensor.quantization) return nb::none();
  nb::dict result;
  const plan::Quantization& stated = *tensor.quantization;
  result["exponents"] = nb::cast(std::vector<int>(stated.exponents.begin(), stated.exponents.end()));
  result["scales"] = nb::cast(stated.scales);
  result["zero_points"] = nb::cast(stated.zero_points);
  result["axis"] = stated.axis;
  return result;
}

nb::dict spec_of(const plan::Tensor& tensor, const Preprocessing* preprocessing) {
  nb::dict spec;
  spec["name"] = tensor.name;
  spec["dtype"] = numpy_name(tensor.type);
  spec["shape"] = as_tuple(tensor.shape);
  spec["quantization"] = quantization_of(tensor);
  spec["preprocessing"] = as_dict(preprocessing);
  return spec;
}

nb::list inputs_of(const PlanHandle& self) {
  nb::list specs;
  const plan::Tables& tables = self.plan->tables();
  for (size_t i = 0; i < tables.inputs.size(); ++i)
    specs.append(spec_of(tables.tensors[tables.inputs[i].tensor], self.plan->preprocessing(i)));
  return specs;
}

nb::list outputs_of(const PlanHandle& self) {
  nb::list specs;
  const plan::Tables& tables = self.plan->tables();
  for (const uint32_t output : tables.outputs) specs.append(spec_of(tables.tensors[output], nullptr));
  return specs;
}

// Returns all computed values by their names in the model.
nb::dict tensors_of(const PlanHandle& self) {
  nb::dict values;
  const plan::Tables& tables = self.plan->tables();
  for (const plan::Tensor& tensor : tables.tensors)
    if (tables.buffers[tensor.buffer].kind != plan::BufferKind::kConstant)
      values[tensor.name.c_str()] = spec_of(tensor, nullptr);
  return values;
}

nb::list operators_of(const PlanHandle& self) {
  nb::list operators;
  const plan::Tables& tables = self.plan->tables();
  for (const plan::Operator& op : tables.operators) {
    nb::dict row;
    row["name"] = op.name;
    row["kind"] = ops::name(op.kind());
    row["macs"] = statistics(tables, op).macs;
    operators.append(row);
  }
  return operators;
}

nb::list explanation_of(const PlanHandle& self) {
  nb::list operators;
  const plan::Tables& tables = self.plan->tables();
  const auto entries = tools::precisions(tables);
  for (size_t i = 0; i < entries.size(); ++i) {
    nb::dict row;
    row["name"] = tables.operators[i].name;
    row["kind"] = entries[i].what;
    row["type"] = entries[i].type;
    row["units"] = tools::units_of(tables, static_cast<uint32_t>(i));
    row["macs"] = statistics(tables, tables.operators[i]).macs;
    row["reason"] = entries[i].reason;
    row["remedy"] = entries[i].remedy;
    operators.append(row);
  }
  return operators;
}

nb::list targets_of(const PlanHandle& self) {
  nb::list targets;
  for (const plan::Target& target : self.plan->tables().targets)
    targets.append(nb::make_tuple(target.unit, target.configuration));
  return targets;
}

nb::dict metadata_of(const PlanHandle& self) {
  const plan::Tables& tables = self.plan->tables();
  nb::dict metadata;
  metadata["producer"] = tables.producer;
  metadata["model"] = tables.model_name;
  metadata["digest"] = self.plan->digest();
  metadata["signer"] = self.plan->signer() ? nb::cast(self.plan->signer()->to_string()) : nb::none();
  metadata["file_bytes"] = self.plan->bytes().size();
  metadata["arena_bytes"] = tables.memory_plans.empty() ? 0 : tables.memory_plans[0].arena_bytes;
  metadata["branches"] = tables.branches.size();
  metadata["targets"] = targets_of(self);
  return metadata;
}

tools::Image image_of(nb::handle image) {
  if (nb::isinstance<nb::str>(image)) {
    const std::string path = nb::cast<std::string>(image);
    return checked(tools::read_image(path), path);
  }
  InputArray array;
  const ConstTensorView view = view_input(image, "the image", array);
  const bool is_image = view.type == DataType::kU8 && view.shape.rank() == 3 && view.shape.num_elements() > 0 &&
                        view.shape.num_elements() <= 3 * tools::kMaxPixels &&
                        (view.shape[2] == 1 || view.shape[2] == 3);
  if (!is_image)
    raise(Status(Code::kInvalidArgument, "the image: expected uint8 of height x width x 3 (RGB) or 1, got " +
                                             std::string(numpy_name(view.type)) + " " + view.shape.to_string()),
          "preprocess");
  const auto* const pixels = static_cast<const uint8_t*>(view.data);
  return {static_cast<int>(view.shape[1]), static_cast<int>(view.shape[0]), static_cast<int>(view.shape[2]),
          std::vector<uint8_t>(pixels, pixels + view.size_bytes())};
}

// `input` is an index. `fallback` is used if the plan does not specify any preprocessing.
nb::object preprocess(const PlanHandle& self, nb::handle image, size_t input, const nb::dict& fallback) {
  if (input >= self.plan->inputs().size())
    raise(
        Status(Code::kInvalidArgument, "input: expected an index below " + std::to_string(self.plan->inputs().size()) +
                                           ", got " + std::to_string(input)),
        self.where);
  const TensorInfo& info = self.plan->inputs()[input];
  const Preprocessing* const stated = self.plan->preprocessing(input);
  const Preprocessing how = stated != nullptr ? *stated : preprocessing_of(fallback);
  const std::vector<float> values = checked(tools::preprocess(image_of(image), how, info), self.where);
  std::vector<std::byte> elements(info.size_bytes());
  tools::store_elements(values, info.type, elements.data());
  return make_array(info.type, info.shape, elements.data());
}

nb::bytes to_bytes(const PlanHandle& self) {
  const std::span<const std::byte> bytes = self.plan->bytes();
  return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

template <typename T>
T value_of(const nb::dict& values, const char* name, T otherwise) {
  return values.contains(name) ? nb::cast<T>(values[name]) : otherwise;
}

}  // namespace

Result<std::shared_ptr<const Plan>> plan_of_bytes(std::span<const std::byte> bytes, const LoadOptions& options) {
  const auto owned = std::make_shared<OwnedPlan>();
  NESTRT_ASSIGN_OR_RETURN(owned->memory, AlignedMemory::allocate(bytes.size(), "the plan"));
  if (!bytes.empty()) std::memcpy(owned->memory.data(), bytes.data(), bytes.size());
  NESTRT_ASSIGN_OR_RETURN(owned->plan, Plan::from_memory({owned->memory.data(), bytes.size()}, options));
  return std::shared_ptr<const Plan>(owned, owned->plan.get());
}

Preprocessing preprocessing_of(const nb::dict& values) {
  Preprocessing result;
  result.mean = value_of(values, "mean", result.mean);
  result.scale = value_of(values, "scale", result.scale);
  result.resize = value_of(values, "resize", result.resize);
  result.bgr = value_of(values, "bgr", result.bgr);
  result.letterbox = value_of(values, "letterbox", result.letterbox);
  result.pad = value_of(values, "pad", result.pad);
  result.antialias = value_of(values, "antialias", result.antialias);
  return result;
}

nb::object as_dict(const Preprocessing* preprocessing) {
  if (preprocessing == nullptr) return nb::none();
  nb::dict result;
  result["mean"] = nb::cast(preprocessing->mean);
  result["scale"] = nb::cast(preprocessing->scale);
  result["resize"] = preprocessing->resize;
  result["bgr"] = preprocessing->bgr;
  result["letterbox"] = preprocessing->letterbox;
  result["pad"] = preprocessing->pad;
  result["antialias"] = preprocessing->antialias;
  return result;
}

void bind_plan(nb::module_& module) {
  using nb::literals::operator""_a;
  nb::class_<PlanHandle>(module, "Plan", "A compiled network, verified completely; see nestrt.Plan.")
      .def("__init__", &open_file, "path"_a, "keys"_a, "copy"_a)
      .def("__init__", &open_bytes, "content"_a, "keys"_a)
      .def("_gives_ranks",
           [](const PlanHandle& self) {  // the first output has the shape of class scores, but contains ranks
             return tools::class_rows(self.plan->outputs()[0]) > 0 && tools::class_rows(*self.plan, 0) == 0;
           })
      .def("_inputs", &inputs_of)
      .def("_outputs", &outputs_of)
      .def("_tensors", &tensors_of)
      .def("_operators", &operators_of)
      .def("_explanation", &explanation_of)
      .def("_metadata", &metadata_of)
      .def("_preprocess", &preprocess, "image"_a, "input"_a, "fallback"_a,
           nb::sig("def _preprocess(self, image: typing.Any, input: int, fallback: dict) -> typing.Any"))
      .def_ro("path", &PlanHandle::path, "The file that contains the plan; empty for plans from bytes.")
      .def("to_bytes", &to_bytes, "Returns the content of the plan's file.");
}

}  // namespace nestrt::python
