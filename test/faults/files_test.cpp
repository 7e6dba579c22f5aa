// SPDX-License-Identifier: Apache-2.0
// Fails every system call of reading and writing files once, with every fault.
#include <catch2/catch.hpp>
#include <filesystem>

#include "nestrt/driver/costs.h"
#include "nestrt/plan.h"
#include "nestrt/public_key.h"
#include "runtime/platform/replace_file.h"
#include "test/faults/files_fixture.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/sample_images.h"
#include "tools/support/image/image.h"
#include "tools/support/image/labels.h"
#include "tools/support/text/files.h"
#include "tools/support/text/npy.h"

namespace nestrt::test {
namespace {

TEST_CASE_METHOD(FilesFixture, "An error while mapping or copying a plan names the file") {
  const std::string file = folder_.write("views.nest", views_plan().build().bytes());
  fail_every_call("views.nest", [&] { return Plan::map(file).error(); });
  LoadOptions options;
  options.copy = true;
  fail_every_call("views.nest", [&] { return Plan::map(file, options).error(); });
}

TEST_CASE_METHOD(FilesFixture, "An error while reading keys, costs, images, arrays or lists names the file") {
  const std::string key = folder_.write_text("team.pub", "nestrt-public-key " + std::string(64, 'a') + "\n");
  fail_every_call("team.pub", [&] { return read_public_key(key).error(); });
  const std::string image = folder_.write("image.png", from_hex(images::kPngRgb3x2));
  fail_every_call("image.png", [&] { return tools::read_image(image).error(); });
  const std::string names = folder_.write_text("names.txt", "cat\ndog\n");
  fail_every_call("names.txt", [&] { return tools::read_class_names(names).error(); });
  const float elements[] = {1, 2};
  REQUIRE(tools::write_npy(path("x.npy"), {DataType::kF32, Shape({2}), elements}).ok());
  fail_every_call("x.npy", [&] { return tools::read_npy(path("x.npy")).error(); });
  REQUIRE(write_costs(path("costs"), {}).ok());
  fail_every_call("costs", [&] { return read_costs(path("costs")).error(); });
}

TEST_CASE_METHOD(FilesFixture, "An error while writing names the file, which has its old or its new content") {
  const std::string old = "\x93NUMPY";  // valid start of an array, so that write_npy() may replace it
  const std::string file = folder_.write_text("file", old);
  const auto is_new = [&] {
    const bool grown = std::filesystem::file_size(file) > old.size();
    folder_.write_text("file", old);
    return grown ? Status() : Status(Code::kInternal, "it was not written");
  };
  fail_every_call(
      "file", [&] { return tools::write_text(file, "a new text"); }, is_new);
  fail_every_call(
      "file", [&] { return write_costs(file, {}); }, is_new);
  folder_.write_text("file", old);
  const std::vector<float> elements(1000, 1.0f);
  const ConstTensorView array{DataType::kF32, Shape({1000}), elements.data()};
  fail_every_call(
      "file", [&] { return tools::write_npy(file, array); }, is_new);
}

TEST_CASE_METHOD(FilesFixture, "A file keeps its content if its replacement cannot be written") {
  const std::string file = folder_.write_text("file", "old"), successor(100, 'n');
  for (const CallFault fault : kCallFaults) {
    for (int64_t number = 0; number < 10; ++number) {
      folder_.write_text("file", "old");
      Status status;
      {
        const FailingCalls calls(number, fault);
        status = replace_file(file, std::as_bytes(std::span(successor)));
      }
      const auto lines = tools::read_lines(file);
      REQUIRE(lines);
      CHECK(lines->lines().at(0) == (status.ok() ? successor : "old"));
      CHECK(files().size() == 1);
    }
  }
}

}  // namespace
}  // namespace nestrt::test
