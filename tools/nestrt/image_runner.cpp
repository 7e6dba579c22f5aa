// SPDX-License-Identifier: Apache-2.0
#include "tools/nestrt/image_runner.h"

#include <fmt/core.h>

#include <algorithm>

#include "nestrt/log.h"
#include "tools/support/image/classify.h"
#include "tools/support/image/preprocessing_warnings.h"

namespace nestrt::command {
namespace {

// Accepts [1, 3, 8, 8] and [3, 8, 8] for an input of [1, 3, 8, 8].
bool fills(const Shape& shape, const Shape& input) {
  const int missing = input.rank() - shape.rank();
  if (missing < 0 || !std::equal(shape.begin(), shape.end(), input.begin() + missing)) return false;
  return std::all_of(input.begin(), input.begin() + missing, [](int64_t dim) { return dim == 1; });
}

size_t batch_of(const Plan& plan) {
  const int64_t rows = tools::class_rows(plan, 0);
  const Shape& input = plan.inputs()[0].shape;
  return rows > 1 && input.rank() > 0 && input[0] == rows ? static_cast<size_t>(rows) : 1;
}

// Warns if the preprocessing is probably a mistake.
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
  runner.set_batch(batch_of(plan));
  runner.input_ = {input.type, input.shape, std::vector<std::byte>(input.size_bytes())};
  return runner;
}

void ImageRunner::set_batch(size_t size) {
  batch_size_ = size;
  row_ = plan().inputs()[0];
  if (size > 1) row_.shape[0] = 1;
  placed_.assign(size, std::nullopt);
}

void ImageRunner::split_batch() {
  const Shape& input = plan().inputs()[0].shape;
  if (input.rank() > 1) set_batch(static_cast<size_t>(input[0]));
}

std::span<std::byte> ImageRunner::row_of_input(size_t row) {
  return std::span(input_.bytes).subspan(row * row_.size_bytes(), row_.size_bytes());
}

ConstTensorView ImageRunner::view_row(size_t row) const {
  return {row_.type, row_.shape, input_.bytes.data() + row * row_.size_bytes()};
}

Status ImageRunner::read_image(const std::string& path, size_t row) {
  NESTRT_ASSIGN_OR_RETURN(const tools::Image image, tools::read_image(path));
  const auto values = tools::preprocess(image, preprocessing_, row_);
  if (!values) return values.error().with_context(path);
  tools::store_elements(*values, row_.type, row_of_input(row).data());
  NESTRT_ASSIGN_OR_RETURN(const tools::ImagePlace place,
                          tools::place_of_image(image.width, image.height, preprocessing_, row_));
  placed_[row] = PlacedImage{image.width, image.height, place};
  place_ = fmt::format("the {}x{} image fills {}x{} pixels of the input, starting at column {} and row {}", image.width,
                       image.height, place.width, place.height, place.left, place.top);
  if (stated_ && !remarked_) remark(plan(), options_, preprocessing_);
  remarked_ = true;
  if (!stated_)
    log(LogLevel::kWarning,
        "neither the plan nor an option specifies the preprocessing of images; using pixel values from 0 to 255. Set "
        "--mean, --scale and --resize when compiling the model, or --mean 0 if these values are correct");
  stated_ = true;
  return {};
}

Status ImageRunner::read_array(const std::string& path, size_t row) {
  NESTRT_ASSIGN_OR_RETURN(const tools::Array array, tools::read_npy(path));
  if (array.type != row_.type || !fills(array.shape, row_.shape)) {
    return Status(Code::kInvalidArgument,
                  fmt::format("'{}' has {} {}, but input '{}' requires {} {}", path, name(array.type),
                              array.shape.to_string(), row_.name, name(row_.type), row_.shape.to_string()));
  }
  std::ranges::copy(array.bytes, row_of_input(row).begin());
  place_.clear();
  placed_[row].reset();
  return {};
}

Status ImageRunner::load(const std::string& path, size_t row) {
  return path.ends_with(".npy") ? read_array(path, row) : read_image(path, row);
}

Status ImageRunner::run() {
  const ConstTensorView view = input_.view();
  return loaded_.run(std::span(&view, 1), outputs());
}

bool ImageRunner::input_is_numbers(size_t row) const { return tools::holds_numbers(view_row(row)); }

int64_t ImageRunner::num_classes() const {
  return plan().outputs()[0].shape.num_elements() / static_cast<int64_t>(batch_size_);
}

std::span<const float> ImageRunner::scores(size_t row) const {
  const auto count = static_cast<size_t>(num_classes());
  return {static_cast<const float*>(outputs()[0].data) + row * count, count};
}

bool ImageRunner::has_class_scores() const { return tools::class_rows(plan(), 0) == static_cast<int64_t>(batch_size_); }

Status ImageRunner::require_classes(const std::string& whose) const {
  if (has_class_scores()) return {};
  return Status(Code::kInvalidArgument,
                fmt::format("{} requires class scores, but the plan's first output is not a row of class scores for "
                            "each image (f32 1xN, or BxN for a batch of B):\n{}",
                            whose, describe(plan().outputs().first(1))));
}

}  // namespace nestrt::command
