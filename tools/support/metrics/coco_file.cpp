// SPDX-License-Identifier: Apache-2.0
#include "tools/support/metrics/coco_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "tools/support/image/labels.h"

namespace nestrt::tools {
namespace {

Status invalid(const std::string& why) { return Status(Code::kInvalidArgument, why); }

// Ids are integers that a double represents exactly.
Result<int64_t> whole_number(const Json& object, std::string_view member) {
  const double value = object.number(member).value_or(NAN);
  if (std::abs(value) <= 0x1p53 && std::trunc(value) == value) return static_cast<int64_t>(value);
  return invalid(fmt::format("expected an integer '{}'", member));
}

Result<CocoImage> read_image_entry(const Json& entry) {
  CocoImage image;
  NESTRT_ASSIGN_OR_RETURN(image.id, whole_number(entry, "id"));
  image.file = entry.text("file_name").value_or("");
  if (image.file.empty()) return invalid("expected a 'file_name'");
  if (leaves_folder(image.file)) return invalid(fmt::format("'{}' is outside the folder of the images", image.file));
  return image;
}

Status read_images(const std::vector<Json>& entries, CocoAnnotations& annotations, std::set<int64_t>& ids) {
  if (entries.empty()) return invalid("expected a list 'images' of objects");
  for (size_t i = 0; i < entries.size(); ++i) {
    auto image = read_image_entry(entries[i]);
    if (!image) return image.error().with_context(fmt::format("images[{}]", i));
    if (!ids.insert(image->id).second) return invalid(fmt::format("images[{}]: id {} is repeated", i, image->id));
    annotations.images.push_back(std::move(*image));
  }
  return {};
}

Status read_categories(const std::vector<Json>& entries, CocoAnnotations& annotations) {
  if (entries.empty()) return invalid("expected a list 'categories' of objects");
  std::map<int64_t, std::string> categories;
  for (size_t i = 0; i < entries.size(); ++i) {
    const auto id = whole_number(entries[i], "id");
    if (!id) return id.error().with_context(fmt::format("categories[{}]", i));
    if (!categories.emplace(*id, entries[i].text("name").value_or("")).second)
      return invalid(fmt::format("categories[{}]: id {} is repeated", i, *id));
  }
  for (auto& category : categories) {
    annotations.categories.push_back(category.first);
    annotations.names.push_back(std::move(category.second));
  }
  return {};
}

Result<AnnotatedBox> read_box(const Json& entry, const CocoAnnotations& annotations, const std::set<int64_t>& images) {
  AnnotatedBox box;
  NESTRT_ASSIGN_OR_RETURN(box.image, whole_number(entry, "image_id"));
  NESTRT_ASSIGN_OR_RETURN(box.category, whole_number(entry, "category_id"));
  NESTRT_ASSIGN_OR_RETURN(box.box, coco_box(entry));
  box.area = entry.number("area").value_or(box.box.area());
  box.is_crowd = entry.number("iscrowd").value_or(0) != 0;
  if (!images.contains(box.image)) return invalid(fmt::format("image_id {} is not one of 'images'", box.image));
  if (!std::ranges::binary_search(annotations.categories, box.category))
    return invalid(fmt::format("category_id {} is not one of 'categories'", box.category));
  return box;
}

Result<CocoAnnotations> read_members(const Json& file) {
  CocoAnnotations annotations;
  std::set<int64_t> images;
  NESTRT_RETURN_IF_ERROR(read_images(file.objects("images"), annotations, images));
  NESTRT_RETURN_IF_ERROR(read_categories(file.objects("categories"), annotations));
  const std::vector<Json> entries = file.objects("annotations");
  if (entries.empty()) return invalid("expected a list 'annotations' of objects");
  for (size_t i = 0; i < entries.size(); ++i) {
    auto box = read_box(entries[i], annotations, images);
    if (!box) return box.error().with_context(fmt::format("annotations[{}]", i));
    annotations.boxes.push_back(*box);
  }
  return annotations;
}

}  // namespace

Result<Box> coco_box(const Json& annotation) {
  const std::vector<double> numbers = annotation.numbers("bbox");
  if (numbers.size() != 4 || !std::ranges::all_of(numbers, [](double value) { return std::isfinite(value); }))
    return invalid("expected a 'bbox' of four numbers: x, y, width, height");
  return Box{numbers[0], numbers[1], numbers[2], numbers[3]};
}

Result<CocoAnnotations> read_coco_annotations(const std::string& path) {
  NESTRT_ASSIGN_OR_RETURN(const Json file, read_json(path));
  auto annotations = read_members(file);
  if (!annotations) return annotations.error().with_context(fmt::format("'{}'", path));
  return annotations;
}

}  // namespace nestrt::tools
