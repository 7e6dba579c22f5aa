// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/export/export_profile.h"

#include <catch2/catch.hpp>
#include <filesystem>

namespace nestrt::compiler {
namespace {

using Catch::Matchers::Contains;

std::string refusal_of(const std::string& text) {
  ExportForm form;
  const Status status = parse_export_profile(text, "profile.yaml", form);
  CHECK(status.code() == Code::kInvalidArgument);
  return std::string(status.message());
}

}  // namespace

TEST_CASE("An export profile changes the keys that it contains") {
  ExportForm form;
  REQUIRE(
      parse_export_profile("opset: 18\nweights: per_tensor\nbiases: f32\nproducer: pytorch\ngemm: plain\n", "p", form)
          .ok());
  CHECK(form.opset == 18);
  CHECK(form.per_tensor);
  CHECK(form.float_biases);
  CHECK(form.producer == "pytorch");
  CHECK_FALSE(form.gemm_trans_b);
  CHECK(form.all_attributes);
  REQUIRE(parse_export_profile(
              "{attributes: stated, flatten: reshape, operators: decomposed, zero_points: required, biases: s32}", "p",
              form)
              .ok());
  CHECK_FALSE(form.all_attributes);
  CHECK_FALSE(form.flatten);
  CHECK_FALSE(form.whole_operators);
  CHECK_FALSE(form.all_zero_points);
  CHECK_FALSE(form.float_biases);
  CHECK(form.opset == 18);
}

TEST_CASE("An invalid export profile is rejected with the line and changes nothing") {
  CHECK_THAT(refusal_of("opset: 12"), Contains("13 to 21"));
  CHECK_THAT(refusal_of("opset: 13\nweights: half"), Contains("per_tensor or per_channel") && Contains("2"));
  CHECK_THAT(refusal_of("colour: red"), Contains("colour"));
  CHECK_THAT(refusal_of("[1]"), Contains("expected an export profile"));
  ExportForm form;
  CHECK_FALSE(parse_export_profile("opset: 18\nbiases: none", "p", form).ok());
  CHECK(form.opset == kDefaultExportOpset);
}

TEST_CASE("The shipped export profiles are valid") {
  size_t profiles = 0;
  for (const auto& file : std::filesystem::directory_iterator(NESTRT_SOURCE_DIR "/examples/vendor/profiles")) {
    if (file.path().extension() != ".yaml") continue;
    ExportForm form;
    const Status status = read_export_profile(file.path().string(), form);
    INFO(status.to_string());
    CHECK(status.ok());
    ++profiles;
  }
  CHECK(profiles >= 3);
}

}  // namespace nestrt::compiler
