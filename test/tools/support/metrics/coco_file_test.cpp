// SPDX-License-Identifier: Apache-2.0
#include "tools/support/metrics/coco_file.h"

#include <catch2/catch.hpp>

#include "test/support/process/temporary_folder.h"

namespace nestrt::tools {
namespace {

constexpr const char* kImages = R"("images": [{"id": 1, "file_name": "a.jpg"}])";
constexpr const char* kCategories = R"("categories": [{"id": 7, "name": "cat"}, {"id": 2, "name": "dog"}])";
constexpr const char* kAnnotations =
    R"("annotations": [{"image_id": 1, "category_id": 7, "bbox": [1, 2, 3, 4], "iscrowd": 1}])";

Result<CocoAnnotations> read(const std::vector<std::string>& members) {
  std::string text;
  for (const std::string& member : members) text += (text.empty() ? "{" : ",") + member;
  text += "}";
  const test::TemporaryFolder folder;
  return read_coco_annotations(folder.write("a.json", std::as_bytes(std::span(text))));
}

TEST_CASE("COCO annotations are read, with categories in ascending order") {
  const auto data = read({kImages, kCategories, kAnnotations});
  REQUIRE(data);
  CHECK(data->images.at(0).file == "a.jpg");
  CHECK(data->categories == std::vector<int64_t>{2, 7});
  CHECK(data->names == std::vector<std::string>{"dog", "cat"});
  const AnnotatedBox& box = data->boxes.at(0);
  CHECK(box.is_crowd);
  CHECK(box.area == 12);
}

TEST_CASE("Malformed COCO annotations are rejected with the entry") {
  const auto refusal = [](const std::vector<std::string>& members) {
    return std::string(read(members).error().message());
  };
  using Catch::Contains;
  CHECK_THAT(refusal({kImages, kCategories}), Contains("expected a list 'annotations'"));
  CHECK_THAT(refusal({kCategories, kAnnotations}), Contains("expected a list 'images'"));
  CHECK_THAT(refusal({R"("images": [{"id": 1, "file_name": "../a.jpg"}])", kCategories, kAnnotations}),
             Contains("images[0]") && Contains("outside the folder"));
  CHECK_THAT(refusal({R"("images": [{"id": 1, "file_name": "a"}, {"id": 1, "file_name": "b"}])", kCategories}),
             Contains("images[1]: id 1 is repeated"));
  CHECK_THAT(refusal({R"("images": [{"id": 1e300, "file_name": "a"}])"}), Contains("expected an integer 'id'"));
  for (const char* entry : {R"({"image_id": 2, "category_id": 7, "bbox": [1, 2, 3, 4]})",
                            R"({"image_id": 1, "category_id": 8, "bbox": [1, 2, 3, 4]})",
                            R"({"image_id": 1, "category_id": 7, "bbox": [1, 2, 3]})", R"({"category_id": 7})"})
    CHECK_THAT(refusal({kImages, kCategories, std::string(R"("annotations": [)") + entry + "]"}),
               Contains("annotations[0]"));
}

}  // namespace
}  // namespace nestrt::tools
