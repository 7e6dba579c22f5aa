// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/parts/manifest.h"

#include <catch2/catch.hpp>
#include <string>

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;

// Returns x -> head -> h, x and h -> tail -> y, with names as hostile as UTF-8 allows.
Manifest sample() {
  const std::string inner = "h: \"quoted\" \\ [1, 2] # é \t end";
  Manifest manifest{"net 'work'", "0123", 13, false, {}, {}, {}};
  manifest.inputs = {{"x", DataType::kF32, {1, 3, 224, 224}, {}}};
  manifest.outputs = {{"y", DataType::kS64, {}, {}}};
  plan::Quantization quantization;
  quantization.scales = {0.0078125f, 0.3f};
  quantization.zero_points = {0, -5};
  quantization.axis = 1;
  const Border h{inner, DataType::kS8, {1, 2}, quantization};
  manifest.parts.push_back({"head", "CPU", "head.onnx", {"conv1", "relu1"}, manifest.inputs, {h}, {}});
  manifest.parts.push_back({"tail", "NPU", "tail.onnx", {}, {manifest.inputs[0], h}, manifest.outputs, {"head"}});
  return manifest;
}

std::string json_of(const Manifest& manifest) {
  const auto json = manifest.to_json();
  INFO(json.error().to_string());
  REQUIRE(json);
  return *json;
}

std::string refusal_of_manifest(const std::string& text) {
  const auto manifest = parse_manifest(text, "manifest.json");
  REQUIRE_FALSE(manifest);
  CHECK(manifest.error().code() == Code::kInvalidArgument);
  return std::string(manifest.error().message());
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("A manifest survives writing and reading unchanged") {
  const Manifest manifest = sample();
  const auto read = parse_manifest(json_of(manifest), "manifest.json");
  INFO(read.error().to_string());
  REQUIRE(read);
  CHECK(json_of(*read) == json_of(manifest));
  CHECK(read->model == manifest.model);
  CHECK(read->parts[0].outputs[0].name == manifest.parts[0].outputs[0].name);
  CHECK(read->parts[0].outputs[0].quantization == manifest.parts[0].outputs[0].quantization);
  CHECK(read->outputs[0].shape.rank() == 0);
  CHECK(read->parts[1].after == std::vector<std::string>{"head"});
}

TEST_CASE("A manifest whose borders do not match is rejected") {
  const std::pair<void (*)(Manifest&), const char*> wrong[] = {
      {[](Manifest& m) { m.parts[1].inputs[0].name = "z"; }, "part 'tail' reads 'z', which no earlier part computes"},
      {[](Manifest& m) { std::swap(m.parts[0], m.parts[1]); }, "which no earlier part computes"},
      {[](Manifest& m) { m.parts[1].inputs[0].shape = {1}; }, "its type or shape does not match its definition"},
      {[](Manifest& m) { m.parts[1].inputs[0].type = DataType::kU8; },
       "its type or shape does not match its definition"},
      {[](Manifest& m) { m.parts[1].outputs[0].name = "x"; }, "computes 'x', which already exists"},
      {[](Manifest& m) { m.outputs[0].name = "z"; }, "model output 'z' is not computed by any part"},
      {[](Manifest& m) { m.parts[1].after = {"tail"}; }, "comes after 'tail', which is not an earlier part"},
      {[](Manifest& m) { m.parts[1].name = "head"; }, "duplicate part 'head'"},
      {[](Manifest& m) { m.inputs.push_back(m.inputs[0]); }, "duplicate 'x'"},
  };
  for (const auto& [change, message] : wrong) {
    Manifest manifest = sample();
    change(manifest);
    CHECK_THAT(refusal_of_manifest(json_of(manifest)), Contains(message));
  }
}

TEST_CASE("A manifest that names a file in another folder is rejected") {
  for (const char* file : {"../tail.onnx", "/etc/passwd", "sub/tail.onnx", ".hidden", ""}) {
    Manifest manifest = sample();
    manifest.parts[1].file = file;
    CHECK_THAT(refusal_of_manifest(json_of(manifest)), Contains("part names consist of"));
  }
}

TEST_CASE("A manifest with a different format, version, type or number is rejected with the line") {
  const std::string json = json_of(sample());
  CHECK_THAT(refusal_of_manifest("[]"), Contains("expected the manifest"));
  CHECK_THAT(refusal_of_manifest("{"), Contains("malformed"));
  CHECK_THAT(refusal_of_manifest(replaced(json, "nestrt parts", "shopping list")), Contains("shopping list"));
  CHECK_THAT(refusal_of_manifest(replaced(json, "\"version\": 1", "\"version\": 2")), Contains("version"));
  CHECK_THAT(refusal_of_manifest(replaced(json, "\"f32\"", "\"f33\"")), Contains("'f33' is not a type"));
  CHECK_THAT(refusal_of_manifest(replaced(json, "224", "-224")), Contains("shape"));
  CHECK_THAT(refusal_of_manifest(replaced(json, "\"keep\"", "\"lose\"")), Contains("keep or fold"));
  CHECK_THAT(refusal_of_manifest(replaced(json, "\"backend\"", "\"frontend\"")), Contains("line"));
}

TEST_CASE("A manifest with any bit flipped is read as a consistent manifest or rejected") {
  const std::string json = json_of(sample());
  size_t refused = 0;
  for (size_t bit = 0; bit < json.size() * 8; bit += 3) {
    std::string changed = json;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    const auto manifest = parse_manifest(changed, "manifest.json");
    refused += !manifest;
    if (manifest) CHECK(manifest->parts.size() == 2);
  }
  CHECK(refused > json.size());
}

TEST_CASE("Names that JSON does not support are rejected when the manifest is written") {
  Manifest manifest = sample();
  manifest.inputs[0].name = "\xff";
  CHECK_FALSE(manifest.to_json());
}

}  // namespace nestrt::compiler
