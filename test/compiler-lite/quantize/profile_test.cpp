// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/quantize/profile.h"

#include <catch2/catch.hpp>

#include "test/support/process/temporary_folder.h"

using namespace nestrt;
using namespace nestrt::compiler;

TEST_CASE("Calibration methods are found by name") {
  for (const auto method :
       {CalibrationMethod::kMinMax, CalibrationMethod::kPercentile, CalibrationMethod::kKl, CalibrationMethod::kMse})
    CHECK(calibration_method(name(method)) == method);
  CHECK_FALSE(calibration_method("MSE").has_value());
  CHECK_FALSE(calibration_method("").has_value());
}

TEST_CASE("A profile finds its values by name") {
  QuantizationProfile profile;
  profile.values.resize(2);
  profile.values[0].name = "a";
  profile.values[1].name = "b";
  CHECK(profile.find("b") == &profile.values[1]);
  CHECK(profile.find("c") == nullptr);
}

TEST_CASE("The digest of a model is the digest of its content") {
  const test::TemporaryFolder folder;
  const auto digest = [&](const std::string& file, const std::string& content) {
    auto result = model_digest(folder.write_text(file, content));
    REQUIRE(result);
    return *result;
  };
  const std::string one = digest("one.onnx", "content");
  CHECK(one.size() == 32);
  CHECK(one == digest("same.onnx", "content"));
  CHECK(one != digest("other.onnx", "contenu"));
  CHECK(model_digest(folder.path() + "/absent.onnx").error().code() == Code::kNotFound);
}

TEST_CASE("The digest of a model depends on the constants bound to its inputs") {
  const test::TemporaryFolder folder;
  const std::string model = folder.write_text("model.onnx", "content");
  const auto digest = [&](const std::map<std::string, HostTensor>& bindings) { return *model_digest(model, bindings); };
  const auto constant = [](uint8_t value) { return HostTensor{DataType::kU8, Shape{1}, Bytes{std::byte{value}}}; };
  CHECK(digest({}) == *model_digest(model));
  const std::string one = digest({{"rate", constant(1)}});
  CHECK(one != digest({}));
  CHECK(one == digest({{"rate", constant(1)}}));
  CHECK(one != digest({{"rate", constant(2)}}));
  CHECK(one != digest({{"kind", constant(1)}}));
  CHECK(one != digest({{"rate", constant(1)}, {"kind", constant(1)}}));
}

TEST_CASE("A profile of another model is rejected") {
  QuantizationProfile profile;
  profile.model_digest = "11112222";
  CHECK(require_model(profile, "11112222").ok());
  const Status status = require_model(profile, "33334444");
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(std::string(status.message()).find("another model") != std::string::npos);
  profile.model_digest.clear();
  CHECK(require_model(profile, "33334444").ok());
}
