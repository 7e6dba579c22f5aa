// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/image_runner.h"

#include <fmt/core.h>

#include <cstring>

#include "nestrt/log.h"
#include "tools/support/image/classify.h"
#include "tools/support/image/preprocess.h"
#include "tools/support/image/preprocessing_warnings.h"

namespace nestrt::command {
namespace {

// Accepts [1, 3, 8, 8] and [3, 8, 8] for an input of [1, 3, 8, 8].
bool fills(const Shape& shape, const Shape& input) {
  const int missing = input.rank() - shape.rank();
  if (missing < 0 || !std::equal(shape.begin(), shape.end(), input.begin() + missing)) return false;
  return std::all_of(input.begin(), input.begin() + missing, [](int64_t dim) { return dim == 1; });
}

// Warns about stated preprocessing that is probably a mistake.
void remark(const Plan& plan, const std::optional<Preprocessing>& options, const Preprocessing& preprocessing) {
  std::vector<std::string> remarks = options ? tools::remarks_on(*options) : std::vector<std::string>();
  remarks.push_back(tools::remark_on_range(plan.tables(), preprocessing));
  for (const std::string& each : remarks)
    if (!each.empty()) log(LogLevel::kWarning, each);
}

}  // namespace

Result<ImageRunner> ImageRunner::create(const std::string& plan_path, const UnitChoice& units,
                                        const tools::ImageFlags& flags) {
  ImageRunner runner;
  NESTRT_ASSIGN_OR_RETURN(runner.loaded_, load_plan(plan_path, units));
  const Plan& plan = runner.plan();
  if (plan.inputs().size() != 1) {
    return Status(
        Code::kInvalidArgument,
        fmt::format(
            "an image requires a plan with one input, but this one has {}; pass each as --input NAME=FILE.npy:\n{}",
            plan.inputs().size(), describe(plan.inputs())));
  }
  NESTRT_ASSIGN_OR_RETURN(runner.preprocessing_, flags.agree_with(plan.preprocessing(0), plan_path));
  runner.options_ = flags.preprocessing();
  runner.stated_ = plan.preprocessing(0) != nullptr || runner.options_;
  NESTRT_ASSIGN_OR_RETURN(runner.outputs_, TensorSet::create(plan.outputs()));
  const TensorInfo& input = plan.inputs()[0];
  runner.input_ = {input.type, input.shape, std::vector<std::byte>(input.size_bytes())};
  return runner;
}

Status ImageRunner::read_image(const std::string& path) {
  const TensorInfo& input = plan().inputs()[0];
  NESTRT_ASSIGN_OR_RETURN(const tools::Image image, tools::read_image(path));
  const auto values = tools::preprocess(image, preprocessing_, input);
  if (!values) return values.error().with_context(path);
  std::memcpy(input_.bytes.data(), values->data(), input_.bytes.size());
  NESTRT_ASSIGN_OR_RETURN(const tools::ImagePlace place,
                          tools::place_of_image(image.width, image.height, preprocessing_, input));
  place_ = fmt::format("the {}x{} image fills {}x{} pixels of the input, starting at column {} and row {}", image.width,
                       image.height, place.width, place.height, place.left, place.top);
  if (stated_ && !remarked_) remark(plan(), options_, preprocessing_);
  remarked_ = true;
  if (!stated_)
    log(LogLevel::kWarning,
        "neither the plan nor an option states the preprocessing of images; using pixel values from 0 to 255. Set "
        "--mean, --scale and --resize when compiling the model, or --mean 0 if these values are correct");
  stated_ = true;
  return {};
}

Status ImageRunner::read_array(const std::string& path) {
  const TensorInfo& input = plan().inputs()[0];
  NESTRT_ASSIGN_OR_RETURN(tools::Array array, tools::read_npy(path));
  if (array.type != input.type || !fills(array.shape, input.shape)) {
    return Status(Code::kInvalidArgument,
                  fmt::format("'{}' has {} {}, but input '{}' requires {} {}", path, name(array.type),
                              array.shape.to_string(), input.name, name(input.type), input.shape.to_string()));
  }
  input_.bytes = std::move(array.bytes);
  place_.clear();
  return {};
}

Status ImageRunner::run(const std::string& path) {
  NESTRT_RETURN_IF_ERROR(path.ends_with(".npy") ? read_array(path) : read_image(path));
  const ConstTensorView view = input_.view();
  return loaded_.run(std::span(&view, 1), outputs());
}

bool ImageRunner::input_is_numbers() const { return tools::holds_numbers(input_.view()); }

std::span<const float> ImageRunner::scores() const {
  const TensorView& output = outputs()[0];
  return {static_cast<const float*>(output.data), static_cast<size_t>(output.shape.num_elements())};
}

bool ImageRunner::gives_classes() const { return tools::class_rows(plan(), 0) == 1; }

Status ImageRunner::require_classes(const std::string& whose) const {
  if (gives_classes()) return {};
  return Status(Code::kInvalidArgument,
                fmt::format("{} requires class scores, but the plan's first output is not a row of class scores "
                            "(f32 1xN):\n{}",
                            whose, describe(plan().outputs().first(1))));
}

}  // namespace nestrt::command
