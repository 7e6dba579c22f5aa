// SPDX-License-Identifier: Apache-2.0
// Model: opens a plan and runs it, in two statements.
//
//   auto model = nestrt::Model::open("model.nest");
//   auto outputs = model->run({pixels});
//   std::span<const float> scores = outputs->front().values<float>();
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "nestrt/frame.h"
#include "nestrt/open_units.h"
#include "nestrt/plan.h"
#include "nestrt/session.h"
#include "nestrt/tensor.h"
#include "nestrt/visibility.h"

namespace NESTRT_PUBLIC nestrt {

// Options of Model::open().
struct ModelOptions {
  std::string units = "cpu";  // as open_units() accepts it: "cpu,evta"
  UnitOptions unit_options = {};
  LoadOptions load = {};
  SessionOptions session = {};
};

// An input of Model::run(), optionally with the input's name.
//
// Data: a TensorView, or an array, vector or span of elements. The latter has the shape specified in the plan.
// Images: if the input is f32 and the plan specifies its preprocessing, uint8 RGB or grayscale pixels are accepted too
// and converted: (pixel - mean) * scale, in the plan's channel order. The shape of a view selects the pixel order: [N,
// H, W, C] or [N, C, H, W], without N for one image. Elements without a shape are in [N, H, W, C] order.
// Frames: camera frames of any size, which are converted and resized as the plan specifies. The pixels must stay valid
// during the run.
class ModelInput {
 public:
  ModelInput(const ConstTensorView& tensor)  // NOLINT: implicit by design
      : type_(tensor.type), data_(tensor.data), capacity_(tensor.capacity), shape_(tensor.shape) {}
  ModelInput(const TensorView& tensor) : ModelInput(ConstTensorView(tensor)) {}  // NOLINT: implicit by design
  ModelInput(const Frame& frame) : type_(DataType::kU8), frame_(frame) {}        // NOLINT: implicit by design
  template <TensorData Range>
  ModelInput(Range&& data) {  // NOLINT: implicit by design
    const std::span elements(data);
    type_ = data_type_of<std::remove_const_t<typename decltype(elements)::element_type>>;
    data_ = elements.data();
    capacity_ = elements.size_bytes();
  }
  template <typename Data>
  ModelInput(std::string_view name, Data&& data) : ModelInput(std::forward<Data>(data)) {
    name_ = name;
  }

  std::string_view name() const { return name_; }
  DataType type() const { return type_; }
  const void* data() const { return data_; }
  // Returns the size of the data in bytes, or SIZE_MAX if it is unknown.
  size_t capacity() const { return capacity_; }
  // Returns the shape, or nullopt to use the plan's shape.
  const std::optional<Shape>& shape() const { return shape_; }
  // Returns the frame, or nullopt for other data.
  const std::optional<Frame>& frame() const { return frame_; }

 private:
  std::string_view name_;
  DataType type_ = DataType::kF32;
  const void* data_ = nullptr;
  size_t capacity_ = 0;
  std::optional<Shape> shape_;
  std::optional<Frame> frame_;
};

// An output of a run: a tensor and its name in the plan.
struct ModelOutput : ConstTensorView {
  std::string_view name;
};

// A plan with its units, session and outputs.
//
// Shapes: if the plan has several, the inputs of each run select the first shape that they match.
// Threading: one thread at a time. For concurrent runs, open one model per thread or use sessions, which share a plan.
// Ownership: the model owns its outputs. They stay valid until the next run or until the model is destroyed.
// Memory: the first run with a shape allocates its outputs and image buffers; later runs with that shape do not
// allocate, unless the size of a frame changes.
class Model {
 public:
  // Maps a plan, opens the units and creates a session. Errors: as for Plan::map(), open_units() and Session::create().
  static Result<Model> open(const std::string& path, const ModelOptions& options = {});
  // Creates a session of a loaded plan on opened units, which several models may share. Errors: as for
  // Session::create().
  static Result<Model> create(std::shared_ptr<const Plan> plan, UnitList units, const SessionOptions& options = {});
  Model(Model&& other) noexcept;
  Model& operator=(Model&& other) noexcept;
  ~Model();

  // Inputs and outputs in the plan's order; those of the first shape if the plan has several.
  std::span<const TensorInfo> inputs() const;
  std::span<const TensorInfo> outputs() const;
  // Returns the index of the input or output named `name`, or nullopt.
  std::optional<size_t> find_input(std::string_view name) const;
  std::optional<size_t> find_output(std::string_view name) const;

  // Runs one inference and returns the outputs in the plan's order. Inputs without a name are in the plan's order; all
  // inputs are required. Images other than frames are not resized: their size must match the input.
  // Errors: kInvalidArgument (the message contains expected and actual values), or an error of Session::run().
  Result<std::span<const ModelOutput>> run(std::initializer_list<ModelInput> inputs, const RunOptions& options = {}) {
    return run(std::span(inputs.begin(), inputs.size()), options);
  }
  Result<std::span<const ModelOutput>> run(std::span<const ModelInput> inputs, const RunOptions& options = {});

  // Returns the plan and the session behind the model.
  const Plan& plan() const;
  Session& session();

 private:
  struct State;
  explicit Model(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace nestrt
