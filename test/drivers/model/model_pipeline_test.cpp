// SPDX-License-Identifier: Apache-2.0
#include "nestrt/model_pipeline.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "nestrt/frame_converter.h"
#include "test/drivers/model/use_model.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/allocation_counter.h"
#include "test/support/process/temporary_folder.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

constexpr int kWidth = 38, kHeight = 24;
const Shape kImage = {1, 3, 16, 20};
using Values = std::vector<float>;

// Returns a plan that copies an image, with preprocessing.
PlanFile copying_plan(const Shape& shape = kImage) {
  PlanBuilder builder;
  const int image = builder.input("image", shape);
  const int y = builder.output("y", shape);
  builder.op("copy", ops::Reshape{.shape = {shape.begin(), shape.end()}}, {image}, {y});
  builder.tables().inputs[0].preprocessing = Preprocessing{.mean = {100, 120, 140}, .scale = {0.5F, 0.25F, 2}};
  return builder.build();
}

struct PipelineWorkshop {
  explicit PipelineWorkshop(int in_flight, int waiting, const Shape& shape = kImage)
      : file(copying_plan(shape)),
        plan(*Plan::from_memory(file.bytes())),
        units(*open_units("cpu", {.num_threads = 2})) {
    auto created = ModelPipeline::create(plan, units, {.in_flight = in_flight, .waiting = waiting, .session = {}});
    REQUIRE(created);
    pipeline.emplace(*std::move(created));
  }

  // Returns the tensor that FrameConverter computes.
  Values converted(const Frame& frame) const {
    Values values(static_cast<size_t>(kImage.num_elements()));
    auto converter = FrameConverter::create(*plan, 0, units);
    REQUIRE(converter);
    REQUIRE(converter->convert(frame, tensor_view(values, kImage)).ok());
    return values;
  }

  PlanFile file;
  std::shared_ptr<const Plan> plan;
  UnitList units;
  std::optional<ModelPipeline> pipeline;
};

// A camera with one buffer, whose rows have padding. Each frame replaces the previous one.
class Camera {
 public:
  explicit Camera(PixelFormat format) {
    frame_.format = format;
    frame_.width = kWidth, frame_.height = kHeight;
    frame_.planes = {buffer_.data()};
    frame_.row_bytes = {kRowBytes};
    if (format == PixelFormat::kNv12) {
      frame_.planes[1] = buffer_.data() + kRowBytes * kHeight;
      frame_.row_bytes[1] = kRowBytes;
    }
  }

  const Frame& take(uint32_t number) {
    std::mt19937 random(number);
    for (uint8_t& byte : buffer_) byte = static_cast<uint8_t>(random());
    return frame_;
  }

 private:
  static constexpr ptrdiff_t kRowBytes = kWidth * 4 + 7;
  std::vector<uint8_t> buffer_ = std::vector<uint8_t>(static_cast<size_t>(kRowBytes) * kHeight * 2);
  Frame frame_;
};

TEST_CASE("Each frame of a pipeline gives what FrameConverter computes, although the buffer is reused") {
  constexpr uint32_t kFrames = 40;
  for (const PixelFormat format : {PixelFormat::kRgb, PixelFormat::kBgr, PixelFormat::kBgra, PixelFormat::kNv12,
                                   PixelFormat::kYuyv, PixelFormat::kGrey}) {
    PipelineWorkshop workshop(2, 1);
    Camera camera(format);
    std::vector<Values> actual(kFrames, Values(static_cast<size_t>(kImage.num_elements()))), expected;
    for (uint32_t i = 0; i < kFrames; ++i) expected.push_back(workshop.converted(camera.take(i)));
    std::thread submitter([&] {
      for (uint32_t i = 0; i < kFrames; ++i) {
        const TensorView output = tensor_view(actual[i], kImage);
        if (!workshop.pipeline->submit({camera.take(i)}, {&output, 1}).ok()) std::abort();
      }
    });
    for (uint32_t returned = 0; returned < kFrames;) {
      while (!workshop.pipeline->wait_for_next(std::chrono::seconds(1))) continue;
      returned += workshop.pipeline->next().ok();
    }
    submitter.join();
    CHECK(actual == expected);
  }
}

TEST_CASE("A pipeline accepts frames, images of bytes and tensors alternately") {
  PipelineWorkshop workshop(2, 4);
  Camera camera(PixelFormat::kBgr);
  const Values tensor = workshop.converted(camera.take(1));
  const std::vector<uint8_t> grey(static_cast<size_t>(kImage.num_elements()), 140);
  std::vector<Values> outputs(3, Values(tensor.size()));
  std::vector<TensorView> views;
  for (Values& output : outputs) views.push_back(tensor_view(output, kImage));
  REQUIRE(workshop.pipeline->submit({camera.take(2)}, {&views[0], 1}).ok());
  REQUIRE(workshop.pipeline->submit({{"image", tensor}}, {&views[1], 1}).ok());
  REQUIRE(workshop.pipeline->submit({grey}, {&views[2], 1}).ok());
  for (int i = 0; i < 3; ++i) REQUIRE(workshop.pipeline->next().ok());
  CHECK(outputs[0] == workshop.converted(camera.take(2)));
  CHECK(outputs[1] == tensor);
  CHECK(outputs[2][0] == 20);
  CHECK(outputs[2].back() == 0);
}

TEST_CASE("A rejected frame is not in the pipeline") {
  PipelineWorkshop workshop(1, 1);
  Camera camera(PixelFormat::kRgb);
  Values values(static_cast<size_t>(kImage.num_elements()));
  const TensorView output = tensor_view(values, kImage);
  Frame outside = camera.take(1);
  outside.crop = {kWidth - 1, 0, 2, 2};
  for (size_t i = 0; i < 2 * workshop.pipeline->capacity(); ++i)
    CHECK_THAT(workshop.pipeline->submit({outside}, {&output, 1}).to_string(), Contains("not inside the frame"));
  CHECK_THAT(workshop.pipeline->submit({{"other", camera.take(1)}}, {&output, 1}).to_string(),
             Contains("unknown input 'other'"));
  CHECK(workshop.pipeline->next().code() == Code::kInvalidArgument);
  for (size_t i = 0; i < 2 * workshop.pipeline->capacity(); ++i) {
    REQUIRE(workshop.pipeline->submit({camera.take(2)}, {&output, 1}).ok());
    REQUIRE(workshop.pipeline->next().ok());
  }
  CHECK(values == workshop.converted(camera.take(2)));
  PipelineWorkshop batched(1, 0, {2, 3, 16, 20});
  CHECK_THAT(batched.pipeline->submit({camera.take(1)}, {&output, 1}).to_string(), Contains("holds 2 images"));
}

TEST_CASE("After the first frame of each inference, a pipeline converts frames without allocating") {
  PipelineWorkshop workshop(1, 2);
  Camera camera(PixelFormat::kNv12);
  Values values(static_cast<size_t>(kImage.num_elements()));
  const TensorView output = tensor_view(values, kImage);
  const ModelInput input(camera.take(1));
  bool is_ok = true;
  const auto run = [&] {
    for (size_t i = 0; i < workshop.pipeline->capacity(); ++i) {
      is_ok &= workshop.pipeline->submit({&input, 1}, {&output, 1}).ok();
      is_ok &= workshop.pipeline->next().ok();
    }
  };
  for (int i = 0; i < 3; ++i) run();
  const AllocationCounter counter;
  run();
  CHECK(counter.count() == 0);
  CHECK(is_ok);
}

TEST_CASE("A C program submits camera frames to a pipeline") {
  const TemporaryFolder folder;
  PlanBuilder builder;
  const int image = builder.input("image", {1, 3, 2, 2});
  const int y = builder.output("y", {1, 3, 2, 2});
  builder.op("relu", ops::Unary{}, {image}, {y});
  builder.tables().inputs[0].preprocessing = Preprocessing{.mean = {1, 2, 3}, .scale = {1, 10, 100}};
  float planar[12] = {};
  CHECK(use_frame_pipeline(folder.write("frame.nest", builder.build().bytes()).c_str(), planar) == 0);
  CHECK(Values(planar, planar + 12) == Values{0, 1, 2, 3, 0, 10, 20, 30, 0, 100, 200, 300});
}

}  // namespace
}  // namespace nestrt::test
