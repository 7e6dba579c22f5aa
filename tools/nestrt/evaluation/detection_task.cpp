// SPDX-License-Identifier: Apache-2.0
// Evaluates boxes against COCO annotations.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "runtime/plan/format/image_channels.h"
#include "tools/nestrt/evaluation/evaluation_task.h"
#include "tools/support/metrics/coco_file.h"
#include "tools/support/metrics/decode_boxes.h"
#include "tools/support/text/printable.h"

namespace nestrt::command {
namespace {

class DetectionTask final : public EvaluationTask {
 public:
  DetectionTask(const TaskOptions& options, tools::CocoAnnotations annotations)
      : options_(options), annotations_(std::move(annotations)) {
    for (const tools::CocoImage& image : annotations_.images) files_.push_back(image.file);
  }

  const std::string& folder() const override { return options_.images; }
  const std::vector<std::string>& files() const override { return files_; }

  Status check(const ImageRunner& runner) override {
    NESTRT_ASSIGN_OR_RETURN(form_, tools::box_form(options_.boxes, runner.plan().outputs()));
    for (size_t i = 0; i < (form_ == tools::BoxForm::kSsd ? 4 : 1); ++i) NESTRT_RETURN_IF_ERROR(check_batch(runner, i));
    if (runner.plan().inputs()[0].shape.rank() == 4) return {};
    return Status(Code::kInvalidArgument, "detection requires a plan whose input is an image");
  }

  Status count(const ImageRunner& runner, size_t row, size_t index) override {
    const std::optional<PlacedImage>& image = runner.placed(row);
    if (!image) return Status(Code::kInvalidArgument, "detection requires images: the size of an array's is unknown");
    const ImageShape input = image_shape(runner.plan().inputs()[0].shape);
    const auto boxes =
        tools::decode_boxes(form_, runner.outputs(), row, static_cast<double>(input.width),
                            static_cast<double>(input.height), {options_.min_score, options_.max_overlap});
    for (const tools::FoundBox& found : boxes) {
      NESTRT_ASSIGN_OR_RETURN(const int64_t category, category_of(found.label));
      detected_.push_back({annotations_.images[index].id, category, in_image(found.box, *image), found.score});
    }
    is_counted_.insert(annotations_.images[index].id);
    return {};
  }

  Json to_json() const override {
    const tools::DetectionScore score = this->score();
    Json by_category = Json::array();
    for (size_t i = 0; i < score.ap_of_category.size(); ++i)
      by_category.push_back({{"id", annotations_.categories[i]},
                             {"name", annotations_.names[i]},
                             {"ap", figure(score.ap_of_category[i])}});
    return {{"n", is_counted_.size()},
            {"map", figure(score.ap)},
            {"map50", figure(score.ap50)},
            {"map75", figure(score.ap75)},
            {"map_small", figure(score.ap_small)},
            {"map_medium", figure(score.ap_medium)},
            {"map_large", figure(score.ap_large)},
            {"ar1", figure(score.ar1)},
            {"ar10", figure(score.ar10)},
            {"ar100", figure(score.ar100)},
            {"ar_small", figure(score.ar_small)},
            {"ar_medium", figure(score.ar_medium)},
            {"ar_large", figure(score.ar_large)},
            {"categories", by_category}};
  }

  Table to_table() const override {
    const tools::DetectionScore score = this->score();
    Table table({{""}, {""}});
    table.add_row({"mAP 0.50:0.95", format_fraction(score.ap)});
    table.add_row({"mAP 0.50, 0.75", format_fraction(score.ap50) + ", " + format_fraction(score.ap75)});
    table.add_row(
        {"small, medium, large", fmt::format("{}, {}, {}", format_fraction(score.ap_small),
                                             format_fraction(score.ap_medium), format_fraction(score.ap_large))});
    table.add_row({"recall, 100 boxes", format_fraction(score.ar100)});
    table.add_row({"images, boxes", fmt::format("{}, {}", is_counted_.size(), detected_.size())});
    for (size_t i = 0; i < score.ap_of_category.size(); ++i)
      if (score.ap_of_category[i] >= 0)
        table.add_row({"  " + tools::printable(annotations_.names[i]), format_fraction(score.ap_of_category[i])});
    return table;
  }

 private:
  static Json figure(double value) { return value < 0 ? Json() : Json(value); }

  // Scores the images that were evaluated.
  tools::DetectionScore score() const {
    std::vector<tools::AnnotatedBox> annotated;
    std::ranges::copy_if(annotations_.boxes, std::back_inserter(annotated),
                         [&](const tools::AnnotatedBox& box) { return is_counted_.contains(box.image); });
    return tools::score_detections(annotated, detected_, annotations_.categories);
  }

  Result<int64_t> category_of(size_t label) const {
    const std::vector<int64_t>& known = annotations_.categories;
    const int64_t number = static_cast<int64_t>(label) + options_.offset;
    if (options_.category_ids) return number;
    if (number >= 0 && number < static_cast<int64_t>(known.size())) return known[static_cast<size_t>(number)];
    return Status(Code::kInvalidArgument,
                  fmt::format("the plan found class {}, but '{}' has {} categories; see --offset and --category-ids",
                              label, options_.labels, known.size()));
  }

  static tools::Box in_image(const tools::Box& box, const PlacedImage& image) {
    const double x_scale = image.width / image.place.width, y_scale = image.height / image.place.height;
    const double right = std::clamp<double>((box.x + box.width - image.place.left) * x_scale, 0, image.width);
    const double bottom = std::clamp<double>((box.y + box.height - image.place.top) * y_scale, 0, image.height);
    const double left = std::clamp<double>((box.x - image.place.left) * x_scale, 0, image.width);
    const double top = std::clamp<double>((box.y - image.place.top) * y_scale, 0, image.height);
    return {left, top, right - left, bottom - top};
  }

  TaskOptions options_;
  tools::CocoAnnotations annotations_;
  std::vector<std::string> files_;
  tools::BoxForm form_ = tools::BoxForm::kRows;
  std::vector<tools::DetectedBox> detected_;
  std::set<int64_t> is_counted_;
};

}  // namespace

Result<std::unique_ptr<EvaluationTask>> make_detection(const TaskOptions& options) {
  if (options.labels.empty())
    return Status(Code::kInvalidArgument, "detection requires --labels FILE with COCO annotations (.json)");
  NESTRT_ASSIGN_OR_RETURN(auto annotations, tools::read_coco_annotations(options.labels));
  return std::unique_ptr<EvaluationTask>(std::make_unique<DetectionTask>(options, std::move(annotations)));
}

}  // namespace nestrt::command
