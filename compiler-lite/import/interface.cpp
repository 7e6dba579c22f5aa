// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/interface.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/plan/format/image_channels.h"
#include "tools/support/image/image.h"
#include "tools/support/image/image_options.h"
#include "tools/support/text/suggestion.h"

namespace nestrt::compiler {
namespace {

Status check_preprocessing(const Preprocessing& preprocessing, const Shape& image) {
  NESTRT_RETURN_IF_ERROR(tools::check_factors(preprocessing));
  const int64_t resize = preprocessing.resize;
  if (resize == 0) return {};
  const int rows = image_channels_axis(image) == 1 ? 2 : 1;
  const int64_t least = std::min(image[rows], image[rows + 1]);
  if (resize < least || resize > tools::kMaxPixels / resize) {
    return Status(
        Code::kInvalidArgument,
        fmt::format("--resize {}: expected at least {}, the crop for the input ({}), and a square of at most {} pixels",
                    resize, least, image.to_string(), tools::kMaxPixels));
  }
  return {};
}

// Returns `given`, with the mean and scale that the model states if `given` has none.
Preprocessing merged(const Preprocessing& given, const std::optional<Preprocessing>& stated) {
  Preprocessing result = given;
  const auto is_all = [](const std::vector<float>& values, float expected) {
    return std::ranges::all_of(values, [=](float value) { return value == expected; });
  };
  if (!stated || !is_all(given.mean, 0) || !is_all(given.scale, 1)) return result;
  result.mean = stated->mean;
  result.scale = stated->scale;
  return result;
}

}  // namespace

bool is_image(const Value& value) {
  return value.type == DataType::kF32 && value.shape.rank() == 4 &&
         is_image_channels(value.shape[image_channels_axis(value.shape)]);
}

Status attach_preprocessing(Graph& graph, const Preprocessing& preprocessing) {
  GraphInput* image = nullptr;
  for (GraphInput& input : graph.inputs) {
    if (!is_image(graph.value(input.value))) continue;
    if (image != nullptr) {
      // Images without preprocessing need no entry in the plan. Calibration uses the same preprocessing for every image
      // input.
      if (tools::as_options(preprocessing).empty()) return {};
      return Status(Code::kInvalidArgument,
                    "--mean, --scale, --resize, --bgr and --letterbox need one image input; the model has several");
    }
    image = &input;
  }
  if (image == nullptr) {
    return Status(Code::kInvalidArgument,
                  "--mean, --scale, --resize, --bgr and --letterbox need an image input: f32 NxCxHxW or NxHxWxC of 1 "
                  "or 3 channels, which the model does not have; preprocess the inputs and save them as .npy");
  }
  const Shape& shape = graph.value(image->value).shape;
  const auto channels = static_cast<size_t>(shape[image_channels_axis(shape)]);
  image->preprocessing = merged(preprocessing, image->preprocessing);
  for (std::vector<float>* values : {&image->preprocessing->mean, &image->preprocessing->scale}) {
    if (values->size() == 1) values->assign(channels, values->front());
    if (!values->empty() && values->size() != channels) {
      return Status(Code::kInvalidArgument,
                    fmt::format("--mean and --scale accept one value, or one per input channel ({}); got {}", channels,
                                values->size()));
    }
  }
  return check_preprocessing(*image->preprocessing, shape);
}

Status expose(Graph& graph, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& node : graph.nodes()) {
    for (const ValueId id : node->outputs) {
      names.push_back(graph.value(id).name);
      if (names.back() != name) continue;
      if (!graph.is_output(id)) graph.outputs.push_back(id);
      return {};
    }
  }
  constexpr size_t kShown = 12;
  const auto meant = tools::most_like(name, names);
  const std::string more = names.size() > kShown ? fmt::format(" and {} more", names.size() - kShown) : "";
  names.resize(std::min(names.size(), kShown));
  return Status(Code::kInvalidArgument, fmt::format("--expose: no operator computes '{}' (operators that only copy, "
                                                    "such as Identity, are removed); {}available values: {}{}",
                                                    name, meant ? fmt::format("did you mean '{}'? ", *meant) : "",
                                                    fmt::join(names, " "), more));
}

}  // namespace nestrt::compiler
