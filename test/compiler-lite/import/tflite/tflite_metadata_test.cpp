// SPDX-License-Identifier: Apache-2.0
// Tests the metadata of TensorFlow Lite models: an image's normalization becomes the preprocessing of the input.
#include <catch2/catch.hpp>

#include <limits>

#include "compiler-lite/import/interface.h"
#include "compiler-lite/import/tflite/metadata_generated.h"
#include "test/compiler-lite/import/tflite/lite_models.h"

namespace nestrt::test {
namespace {

namespace tflite_metadata = compiler::tflite_metadata;
using Floats = std::vector<float>;

struct StatedNormalization {
  Floats mean, std;
  uint8_t unit = 1;  // value in ProcessUnitOptions
};

std::vector<uint8_t> metadata_of(const std::vector<StatedNormalization>& inputs) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<tflite_metadata::TensorMetadata>> tensors;
  for (const StatedNormalization& input : inputs) {
    const auto options = tflite_metadata::CreateNormalizationOptionsDirect(builder, &input.mean, &input.std);
    const std::vector units{tflite_metadata::CreateProcessUnit(
        builder, input.unit, flatbuffers::Offset<tflite_metadata::Options>(options.o))};
    tensors.push_back(tflite_metadata::CreateTensorMetadata(builder, 0, 0, 0, 0, builder.CreateVector(units)));
  }
  const std::vector subgraphs{tflite_metadata::CreateSubGraphMetadataDirect(builder, nullptr, nullptr, &tensors)};
  builder.Finish(tflite_metadata::CreateModelMetadataDirect(builder, nullptr, nullptr, nullptr, &subgraphs),
                 tflite_metadata::ModelMetadataIdentifier());
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

// A table of numbers and an image of three channels.
LiteWriter described_model(std::vector<uint8_t> metadata, const std::string& name = "TFLITE_METADATA") {
  LiteWriter model;
  const int32_t numbers = model.input("numbers", {1, 2}), image = model.input("image", {1, 2, 2, 3});
  const int32_t a = model.tensor("a", {1, 2}), b = model.tensor("b", {1, 2, 2, 3});
  model.add(LiteOp::RELU, {numbers}, {a}).add(LiteOp::RELU, {image}, {b}).output(a).output(b);
  model.metadata(name, std::move(metadata));
  return model;
}

compiler::Graph described(const LiteWriter& model) {
  auto graph = model.import();
  INFO(graph.error().to_string());
  REQUIRE(graph);
  REQUIRE(graph->inputs.size() == 2);
  return std::move(*graph);
}

TEST_CASE("The normalization in the metadata becomes the preprocessing of an image") {
  const auto graph = described(described_model(metadata_of({{{1}, {2}}, {{127.5f}, {128, 64, 32}}})));
  CHECK(!graph.inputs[0].preprocessing);  // not an image
  REQUIRE(graph.inputs[1].preprocessing);
  CHECK(graph.inputs[1].preprocessing->mean == Floats{127.5f, 127.5f, 127.5f});
  CHECK(graph.inputs[1].preprocessing->scale == Floats{1.0f / 128, 1.0f / 64, 1.0f / 32});
}

TEST_CASE("Other metadata leaves the pixels unchanged") {
  CHECK(!described(described_model(metadata_of({{{1}, {2}}}))).inputs[1].preprocessing);
  CHECK(!described(described_model(metadata_of({{}, {{1}, {2}, 2}}))).inputs[1].preprocessing);
  CHECK(!described(described_model(metadata_of({{}, {{1}, {2}}}), "min_runtime_version")).inputs[1].preprocessing);
  CHECK(!described(described_model({'1', '.', '5'})).inputs[1].preprocessing);
}

TEST_CASE("Image options keep the normalization from the metadata unless they specify another") {
  const auto stated = [] { return described(described_model(metadata_of({{}, {{100}, {50}}}))); };
  compiler::Graph resized = stated();
  REQUIRE(compiler::attach_preprocessing(resized, {.mean = {0}, .scale = {1}, .resize = 8}).ok());
  CHECK(resized.inputs[1].preprocessing->mean == Floats(3, 100));
  CHECK(resized.inputs[1].preprocessing->scale == Floats(3, 1.0f / 50));
  CHECK(resized.inputs[1].preprocessing->resize == 8);
  compiler::Graph replaced = stated();
  REQUIRE(compiler::attach_preprocessing(replaced, {.mean = {0}, .scale = {0.5f}}).ok());
  CHECK(replaced.inputs[1].preprocessing->mean == Floats(3, 0));
  CHECK(replaced.inputs[1].preprocessing->scale == Floats(3, 0.5f));
}

TEST_CASE("Metadata that does not match the image, or is damaged, is rejected") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (const StatedNormalization& wrong : std::vector<StatedNormalization>{
           {{1, 2}, {1}}, {{0}, {0}}, {{0}, {kNan}}, {{kNan}, {1}}, {{0}, {std::numeric_limits<float>::infinity()}}})
    CHECK(described_model(metadata_of({{}, wrong})).import().error().code() == Code::kInvalidModel);
  std::vector<uint8_t> cut = metadata_of({{}, {{1}, {2}}});
  cut.resize(cut.size() - 8);
  CHECK(described_model(cut).import().error().code() == Code::kInvalidModel);
}

TEST_CASE("Metadata with flipped bytes never causes a crash") {
  const std::vector<uint8_t> bytes = metadata_of({{}, {{1, 2, 3}, {4}}});
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const uint8_t flip : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> broken = bytes;
      broken[at] ^= flip;
      const auto graph = described_model(std::move(broken)).import();
      CHECK((graph || !graph.error().message().empty()));
    }
  }
}

}  // namespace
}  // namespace nestrt::test
