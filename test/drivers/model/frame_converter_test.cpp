// SPDX-License-Identifier: Apache-2.0
#include "nestrt/frame_converter.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/common/frame/frame_rows.h"
#include "nestrt/model.h"
#include "test/drivers/model/use_model.h"
#include "test/support/plan/sample_plans.h"
#include "test/support/process/allocation_counter.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/image/preprocess.h"

namespace nestrt::test {
namespace {

using Catch::Matchers::Contains;

// Returns a plan for y = relu(image), with preprocessing.
PlanBuilder frame_plan(const Shape& shape, const Preprocessing& preprocessing, DataType type = DataType::kF32) {
  PlanBuilder builder;
  const int image = builder.input("image", shape, type);
  const int y = builder.output("y", shape);
  if (type == DataType::kF32)
    builder.op("relu", ops::Unary{}, {image}, {y});
  else
    builder.op("cast", ops::Cast{}, {image}, {y});
  builder.tables().inputs[0].preprocessing = preprocessing;
  return builder;
}

// Pixels with rows that are further apart than necessary, so that tests detect a wrong distance.
struct FrameMemory {
  std::vector<uint8_t> bytes;
  Frame frame;
};

FrameMemory random_frame(PixelFormat format, int width, int height, uint32_t seed) {
  const bool planes = format == PixelFormat::kRgbPlanes || format == PixelFormat::kBgrPlanes;
  const int row_bytes = 4 * (width + 1) + 5;
  FrameMemory memory{std::vector<uint8_t>(static_cast<size_t>(row_bytes * height * (planes ? 3 : 2))), {}};
  std::mt19937 random(seed);
  for (uint8_t& byte : memory.bytes) byte = static_cast<uint8_t>(random() % 5 == 0 ? random() % 2 * 255 : random());
  memory.frame = {
      .format = format, .width = width, .height = height, .planes = {memory.bytes.data()}, .row_bytes = {row_bytes}};
  return memory;
}

// Unpacks the pixels of a frame with the reference functions.
tools::Image image_of(const FrameMemory& memory) {
  const Frame& frame = memory.frame;
  const FrameRect part = frame.crop.width > 0 ? frame.crop : FrameRect{0, 0, frame.width, frame.height};
  tools::Image image{part.width, part.height, frame.format == PixelFormat::kGrey ? 1 : 3, {}};
  std::vector<uint8_t> pixels(static_cast<size_t>(part.width) * 4);
  for (int y = part.top; y < part.top + part.height; ++y) {
    const uint8_t* const plane = memory.bytes.data();
    const ptrdiff_t row = frame.row_bytes[0], size = row * frame.height;
    kernels::FrameRow rows{frame.format, {plane + y * row, plane + size + y * row, plane + 2 * size + y * row}};
    if (frame.format == PixelFormat::kNv12) rows.planes[1] = plane + size + y / 2 * row;
    kernels::reference_frame_rows().unpack(rows, part.left, part.width, pixels.data());
    for (size_t i = 0; i < pixels.size(); ++i)
      if (i % 4 < static_cast<size_t>(image.channels)) image.pixels.push_back(pixels[i]);
  }
  return image;
}

// Converts with FrameConverter and compares the result bit for bit with the preprocessing of the tools.
void check_conversion(const FrameMemory& memory, const Shape& shape, const Preprocessing& preprocessing, DataType type,
                      int threads) {
  const PlanFile file = frame_plan(shape, preprocessing, type).build();
  const auto plan = Plan::from_memory(file.bytes());
  REQUIRE(plan);
  const TensorInfo& input = (*plan)->inputs()[0];
  const auto values = tools::preprocess(image_of(memory), preprocessing, input);
  auto converter = FrameConverter::create(**plan, 0, *open_units("cpu", {.num_threads = threads}));
  REQUIRE(converter);
  std::vector<std::byte> actual(input.size_bytes()), expected(actual);
  const Status status = converter->convert(memory.frame, {type, shape, actual.data()});
  INFO(status.to_string());
  REQUIRE(status.ok() == values.has_value());
  if (!values) return;
  tools::store_elements(*values, type, expected.data());
  REQUIRE(actual == expected);
}

TEST_CASE("Frames of every format and odd sizes convert to what run --image computes for the same pixels") {
  const Preprocessing stretch{.mean = {1, 2, 3}, .scale = {0.5f, 1, 2}};
  for (int format = 0; format <= static_cast<int>(PixelFormat::kYuyv); ++format) {
    for (const auto& [width, height] : {std::pair{1, 1}, {2, 3}, {33, 17}, {64, 48}, {101, 67}}) {
      FrameMemory memory = random_frame(static_cast<PixelFormat>(format), width, height, 1);
      INFO("format " << format << ", " << width << " x " << height);
      check_conversion(memory, {1, 3, 23, 37}, stretch, DataType::kF32, 1);
      check_conversion(memory, {1, 48, 64, 3}, stretch, DataType::kF32, 2);
      if (width < 5) continue;
      memory.frame.crop = {3, 1, width - 4, height - 2};
      check_conversion(memory, {1, 3, 23, 37}, stretch, DataType::kF32, 1);
    }
  }
}

TEST_CASE(
    "Frames are cropped, letterboxed and interpolated as the plan specifies, for inputs of every type and order") {
  Preprocessing crop{.mean = {100}, .scale = {0.7f}, .resize = 32};
  Preprocessing letterbox;
  letterbox.letterbox = letterbox.bgr = true;
  letterbox.pad = 114;
  crop.mean = {100, 100, 100};
  crop.scale = {0.7f, 0.7f, 0.7f};
  for (const auto& [width, height] : {std::pair{31, 47}, {200, 90}, {400, 333}, {32, 32}}) {
    const FrameMemory memory = random_frame(PixelFormat::kBgr, width, height, 2);
    for (Preprocessing preprocessing : {crop, letterbox}) {
      for (const bool antialias : {true, false}) {
        preprocessing.antialias = antialias;
        INFO(width << " x " << height << ", letterbox " << preprocessing.letterbox << ", antialias " << antialias);
        for (const Shape& shape : {Shape{1, 3, 32, 30}, Shape{1, 27, 29, 3}}) {
          check_conversion(memory, shape, preprocessing, DataType::kF32, 3);
          check_conversion(memory, shape, preprocessing, DataType::kU8, 1);
        }
      }
    }
  }
}

TEST_CASE("Colour frames are converted to luminance for inputs with one channel") {
  for (const PixelFormat format : {PixelFormat::kGrey, PixelFormat::kBgr, PixelFormat::kNv12}) {
    const FrameMemory memory = random_frame(format, 61, 43, 3);
    check_conversion(memory, {1, 1, 28, 28}, {.mean = {33}, .scale = {0.01f}}, DataType::kF32, 1);
    check_conversion(memory, {1, 28, 26, 1}, {.mean = {33}, .scale = {0.01f}}, DataType::kU8, 2);
  }
}

TEST_CASE("Large frames are converted to the same bits by any number of threads") {
  Preprocessing letterbox;
  letterbox.letterbox = true;
  const FrameMemory memory = random_frame(PixelFormat::kNv12, 641, 479, 4);
  for (const int threads : {1, 2, 3}) {
    check_conversion(memory, {1, 3, 320, 320}, letterbox, DataType::kF32, threads);
    check_conversion(memory, {1, 3, 224, 224}, {.mean = {}, .scale = {}, .resize = 256}, DataType::kF32, threads);
  }
}

TEST_CASE("Rows may be stored bottom-up, and planes that are not given follow the previous one") {
  const Shape shape{1, 3, 4, 4};
  const PlanFile file = frame_plan(shape, {}).build();
  Model model = *Model::create(*Plan::from_memory(file.bytes()), *open_units());
  const FrameMemory memory = random_frame(PixelFormat::kRgb, 4, 4, 5);
  const auto values = [&](const Frame& frame) {
    const auto outputs = model.run({frame});
    REQUIRE(outputs);
    const auto y = outputs->front().values<float>();
    return std::vector<float>(y.begin(), y.end());
  };
  Frame flipped = memory.frame;
  flipped.row_bytes[0] = -memory.frame.row_bytes[0];
  flipped.planes[0] = memory.frame.planes[0] + 3 * memory.frame.row_bytes[0];
  const auto upright = values(memory.frame), mirrored = values(flipped);
  for (size_t i = 0; i < upright.size(); ++i)
    REQUIRE(mirrored[i] == upright[i / 16 * 16 + (3 - i / 4 % 4) * 4 + i % 4]);
  std::vector<uint8_t> nv12(4 * 6);
  for (size_t i = 0; i < nv12.size(); ++i) nv12[i] = static_cast<uint8_t>(i * 10);
  const Frame dense{.format = PixelFormat::kNv12, .width = 4, .height = 4, .planes = {nv12.data()}};
  Frame given = dense;
  given.planes[1] = nv12.data() + 16;
  CHECK(values(dense) == values(given));
}

TEST_CASE("After the first frame of a size, a model converts and runs frames without allocating") {
  const PlanFile file = frame_plan({1, 3, 224, 224}, {.mean = {1, 2, 3}, .scale = {1, 1, 1}}).build();
  Model model = *Model::create(*Plan::from_memory(file.bytes()), *open_units("cpu", {.num_threads = 2}));
  const FrameMemory memory = random_frame(PixelFormat::kNv12, 640, 480, 6);
  REQUIRE(model.run({memory.frame}));
  REQUIRE(model.run({memory.frame}));
  const AllocationCounter counter;
  const bool ran = model.run({memory.frame}).has_value();
  CHECK(counter.count() == 0);
  CHECK(ran);
}

TEST_CASE("An invalid frame is rejected with the field, the expected and the actual value") {
  const PlanFile file = frame_plan({1, 3, 8, 8}, {.mean = {}, .scale = {}, .resize = 8}).build();
  Model model = *Model::create(*Plan::from_memory(file.bytes()), *open_units());
  const FrameMemory memory = random_frame(PixelFormat::kRgb, 16, 12, 7);
  const auto refusal = [&](auto change) {
    Frame frame = memory.frame;
    change(frame);
    const auto outputs = model.run({{"image", frame}});
    CHECK(outputs.error().code() == Code::kInvalidArgument);
    return std::string(outputs.error().message());
  };
  CHECK(refusal([](Frame& frame) { frame.width = 0; }) == "frame: expected sides of 1 to 32768 pixels, got 0 x 12");
  CHECK(refusal([](Frame& frame) { frame.planes[0] = nullptr; }) == "frame: planes[0] is null");
  CHECK(refusal([](Frame& frame) { frame.row_bytes[0] = -47; }) ==
        "frame: row_bytes[0] is -47, but a row of 16 pixels has 48 bytes");
  CHECK(refusal([](Frame& frame) {
          frame.crop = {9, 0, 8, 8};
        }) == "frame: crop of 8 x 8 at (9, 0) is not inside the frame of 16 x 12");
  CHECK(refusal([](Frame& frame) {
          frame.crop = {0, 0, INT32_MAX, 8};
        }) == "frame: crop of 2147483647 x 8 at (0, 0) is not inside the frame of 16 x 12");
  CHECK(refusal([](Frame& frame) { frame.format = static_cast<PixelFormat>(99); }) == "frame: unknown pixel format 99");
}

TEST_CASE("Inputs that are not images reject frames and name the remedy") {
  const PlanFile plain = maps_plan().build(), relu = relu_plan().build();
  const auto create = [](const PlanFile& file, size_t input) {
    return FrameConverter::create(**Plan::from_memory(file.bytes()), input, {}).error().to_string();
  };
  CHECK_THAT(create(relu, 0), Contains("does not accept frames"));
  CHECK_THAT(create(relu, 1), Contains("there is no input 1"));
  CHECK_THAT(create(plain, 0), Contains("nestc compile --mean"));
  const PlanFile two = frame_plan({2, 3, 8, 8}, {}).build();
  const FrameMemory memory = random_frame(PixelFormat::kRgb, 8, 8, 8);
  Model model = *Model::create(*Plan::from_memory(two.bytes()), *open_units());
  CHECK_THAT(model.run({memory.frame}).error().to_string(), Contains("holds 2 images, got one frame"));
  auto converter = FrameConverter::create(**Plan::from_memory(two.bytes()), 0, {});
  std::vector<float> values(2 * 3 * 64);
  CHECK(converter->convert(memory.frame, tensor_view(values, {2, 3, 8, 8}), 1).ok());
  CHECK_THAT(converter->convert(memory.frame, tensor_view(values, {2, 3, 8, 8}), 2).to_string(),
             Contains("there is no image 2"));
  CHECK_THAT(converter->convert(memory.frame, tensor_view(values, {1, 3, 8, 8})).to_string(),
             Contains("expects memory"));
}

TEST_CASE("A C program passes camera frames with strides and a crop rectangle") {
  const TemporaryFolder folder;
  const PlanFile file = frame_plan({1, 3, 2, 2}, {.mean = {1, 2, 3}, .scale = {1, 10, 100}}).build();
  float planar[12] = {};
  CHECK(use_frame_model(folder.write("frame.nest", file.bytes()).c_str(), planar) == 0);
  CHECK(std::vector<float>(planar, planar + 12) == std::vector<float>{0, 1, 2, 3, 0, 10, 20, 30, 0, 100, 200, 300});
}

}  // namespace
}  // namespace nestrt::test
