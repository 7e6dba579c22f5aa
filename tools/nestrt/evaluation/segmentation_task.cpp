// SPDX-License-Identifier: Apache-2.0
// Evaluates class maps against mask images.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "runtime/plan/format/image_channels.h"
#include "tools/nestrt/evaluation/evaluation_task.h"
#include "tools/support/image/sample_files.h"
#include "tools/support/metrics/elements.h"
#include "tools/support/metrics/segmentation.h"

namespace nestrt::command {
namespace {

constexpr size_t kMaxClasses = 65536;

// The forms of a class map for a batch of B.
struct MapForm {
  bool is_scores = false;  // [B, C, H, W] or [B, H, W, C]; otherwise class numbers [B, H, W] or [B, 1, H, W]
  bool channels_last = false;
  size_t num_classes = kMaxClasses;
  int64_t height = 0;
  int64_t width = 0;
};

Result<MapForm> map_form(const TensorInfo& output, bool channels_last) {
  const Shape& shape = output.shape;
  if (output.type == DataType::kF32 && shape.rank() == 4) {
    const int64_t classes = shape[channels_last ? 3 : 1];
    const int rows = channels_last ? 1 : 2;
    if (classes > 1 && classes <= static_cast<int64_t>(kMaxClasses))
      return MapForm{true, channels_last, static_cast<size_t>(classes), shape[rows], shape[rows + 1]};
  } else if (output.type != DataType::kF32 && shape.rank() == 3) {
    return MapForm{.height = shape[1], .width = shape[2]};
  } else if (output.type != DataType::kF32 && shape.rank() == 4 && (shape[1] == 1 || shape[3] == 1)) {
    const int rows = shape[1] == 1 ? 2 : 1;
    return MapForm{.height = shape[rows], .width = shape[rows + 1]};
  }
  return Status(Code::kInvalidArgument,
                fmt::format("segmentation requires scores of at least 2 classes (f32 {}) or integer class numbers "
                            "(BxHxW, Bx1xHxW) as the plan's first output, not {} {}",
                            channels_last ? "BxHxWxC" : "BxCxHxW", name(output.type), shape.to_string()));
}

// Returns the class of each pixel of a row; -1 if all scores are NaN.
std::vector<int64_t> class_map(const MapForm& form, const ConstTensorView& row) {
  const auto pixels = static_cast<size_t>(form.height * form.width);
  std::vector<int64_t> map(pixels, -1);
  for (size_t pixel = 0; pixel < pixels; ++pixel) {
    if (!form.is_scores) {
      map[pixel] = static_cast<int64_t>(tools::element(row, pixel));
      continue;
    }
    const auto score = [&](size_t label) {
      return tools::element(row, form.channels_last ? pixel * form.num_classes + label : label * pixels + pixel);
    };
    double most = -INFINITY;
    for (size_t label = 0; label < form.num_classes; ++label) {
      if (!(score(label) > most) && !(map[pixel] < 0 && !std::isnan(score(label)))) continue;
      most = score(label);
      map[pixel] = static_cast<int64_t>(label);
    }
  }
  return map;
}

class SegmentationTask final : public EvaluationTask {
 public:
  SegmentationTask(const TaskOptions& options, tools::SampleFiles found)
      : options_(options), found_(std::move(found)), score_(1) {}

  const std::string& folder() const override { return found_.folder; }
  const std::vector<std::string>& files() const override { return found_.files; }

  Status check(const ImageRunner& runner) override {
    const Shape& input = runner.plan().inputs()[0].shape;
    if (input.rank() != 4)
      return Status(Code::kInvalidArgument, "segmentation requires a plan whose input is an image");
    NESTRT_RETURN_IF_ERROR(check_batch(runner, 0));
    const bool channels_last = image_shape(input).channels_last;
    NESTRT_ASSIGN_OR_RETURN(form_, map_form(runner.plan().outputs()[0], channels_last));
    score_ = tools::SegmentationScore(form_.num_classes + 1);  // the last one counts invalid results
    return {};
  }

  Status count(const ImageRunner& runner, size_t row, size_t index) override {
    NESTRT_ASSIGN_OR_RETURN(const tools::Mask mask, mask_of(index));
    const std::vector<int64_t> map = class_map(form_, tools::row_of(runner.outputs()[0], row));
    const ImageShape input = image_shape(runner.plan().inputs()[0].shape);
    const double scale_x = static_cast<double>(form_.width) / static_cast<double>(input.width);
    const double scale_y = static_cast<double>(form_.height) / static_cast<double>(input.height);
    tools::ImagePlace place{0, 0, static_cast<double>(input.width), static_cast<double>(input.height)};
    if (runner.placed(row)) place = runner.placed(row)->place;
    const auto column_of = [&](int x) { return (place.left + (x + 0.5) * place.width / mask.width) * scale_x; };
    const auto line_of = [&](int y) { return (place.top + (y + 0.5) * place.height / mask.height) * scale_y; };
    for (int y = 0; y < mask.height; ++y) {
      for (int x = 0; x < mask.width; ++x) {
        const double column = column_of(x), line = line_of(y);
        const bool is_cropped = column < 0 || line < 0 || column >= static_cast<double>(form_.width) ||
                                line >= static_cast<double>(form_.height);
        const int64_t truth =
            mask.classes[static_cast<size_t>(y) * static_cast<size_t>(mask.width) + static_cast<size_t>(x)];
        if (is_cropped || truth == options_.ignored_class) continue;
        NESTRT_RETURN_IF_ERROR(count_pixel(
            truth, map[static_cast<size_t>(line) * static_cast<size_t>(form_.width) + static_cast<size_t>(column)],
            index));
      }
    }
    ++num_images_;
    return {};
  }

  Json to_json() const override {
    Json classes = Json::array();
    for (size_t label = 0; label < score_.num_classes(); ++label)
      if (!std::isnan(score_.iou(label))) classes.push_back({{"class", label}, {"iou", score_.iou(label)}});
    return {
        {"n", num_images_}, {"miou", score_.mean_iou()}, {"pixel_accuracy", score_.accuracy()}, {"classes", classes}};
  }

  Table to_table() const override {
    Table table({{""}, {""}});
    table.add_row({"mIoU", format_fraction(score_.mean_iou())});
    table.add_row({"pixel accuracy", format_fraction(score_.accuracy())});
    for (size_t label = 0; label < score_.num_classes(); ++label)
      if (!std::isnan(score_.iou(label)))
        table.add_row({fmt::format("  class {}", label), format_fraction(score_.iou(label))});
    return table;
  }

 private:
  // Returns the mask with the image's name.
  Result<tools::Mask> mask_of(size_t index) const {
    const std::filesystem::path base =
        (std::filesystem::path(options_.labels) / found_.files[index]).replace_extension();
    for (const char* extension : {".png", ".npy", ".bmp"}) {
      const std::string path = base.string() + extension;
      if (std::error_code error; std::filesystem::exists(path, error)) return tools::read_mask(path);
    }
    return Status(Code::kNotFound,
                  fmt::format("'{}' has no mask '{}.png' (or .npy, .bmp)", options_.labels, base.string()));
  }

  Status count_pixel(int64_t truth, int64_t found, size_t index) {
    const auto limit = static_cast<int64_t>(form_.num_classes);
    if (truth < 0 || truth >= limit)
      return Status(Code::kInvalidArgument,
                    fmt::format("the mask of '{}' has class {}, but the plan has {} classes; --ignore-class excludes "
                                "one class",
                                found_.files[index], truth, limit));
    const bool is_valid = found >= 0 && found < limit;
    score_.add(static_cast<size_t>(truth), static_cast<size_t>(is_valid ? found : limit));
    return {};
  }

  TaskOptions options_;
  tools::SampleFiles found_;
  MapForm form_;
  tools::SegmentationScore score_;
  size_t num_images_ = 0;
};

}  // namespace

Result<std::unique_ptr<EvaluationTask>> make_segmentation(const TaskOptions& options) {
  if (options.labels.empty())
    return Status(Code::kInvalidArgument, "segmentation requires --labels DIR with one mask per image");
  NESTRT_ASSIGN_OR_RETURN(auto found, tools::find_samples(options.images));
  return std::unique_ptr<EvaluationTask>(std::make_unique<SegmentationTask>(options, std::move(found)));
}

}  // namespace nestrt::command
