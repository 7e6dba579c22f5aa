#include "tools/nestrt/picture_runner.h"

#include <fmt/core.h>

#include <algorithm>

#include "tools/common/preprocess.h"

namespace nestrt::command {
namespace {

bool is_class_scores(const TensorInfo& output) {
  const int64_t count = output.shape.num_elements();
  const auto dims = output.shape.dims();
  return output.type == DataType::kF32 && count > 0 && !dims.empty() &&
         *std::max_element(dims.begin(), dims.end()) == count && (dims[0] == 1 || dims.size() == 1);
}

}  // namespace

Result<PictureRunner> PictureRunner::create(const std::string& plan_path, const UnitChoice& units) {
  PictureRunner runner;
  NESTRT_ASSIGN_OR_RETURN(runner.loaded_, load_plan(plan_path, units));
  const Plan& plan = runner.plan();
  if (plan.inputs().size() != 1) {
    return Status(Code::kInvalidArgument,
                  fmt::format("a picture fills one input, but the plan has {}; pass each as --input NAME=FILE.npy:\n{}",
                              plan.inputs().size(), describe(plan.inputs())));
  }
  if (!is_class_scores(plan.outputs()[0])) {
    return Status(Code::kInvalidArgument,
                  fmt::format("the plan's first output is no row of class scores (f32 1xN), but\n{}"
                              "use nestrt run --input NAME=FILE.npy --output DIR",
                              describe(plan.outputs().first(1))));
  }
  NESTRT_ASSIGN_OR_RETURN(runner.outputs_, TensorSet::create(plan.outputs()));
  return runner;
}

Result<std::span<const float>> PictureRunner::run(const std::string& picture_path) {
  static const Preprocessing kPixelsAsTheyAre;
  const Preprocessing* stated = plan().preprocessing(0);
  const TensorInfo& input = plan().inputs()[0];
  NESTRT_ASSIGN_OR_RETURN(const tools::Image image, tools::read_image(picture_path));
  auto values = tools::preprocess(image, stated != nullptr ? *stated : kPixelsAsTheyAre, input);
  if (!values) return values.error().with_context(picture_path);
  const ConstTensorView view(DataType::kF32, input.shape, values->data());
  NESTRT_RETURN_IF_ERROR(loaded_.run(std::span(&view, 1), outputs()));
  const TensorView& output = outputs()[0];
  return std::span<const float>(static_cast<const float*>(output.data),
                                static_cast<size_t>(output.shape.num_elements()));
}

}  // namespace nestrt::command
