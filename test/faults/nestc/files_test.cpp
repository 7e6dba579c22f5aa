// SPDX-License-Identifier: Apache-2.0
// Fails every system call of reading models and of saving the compiler's results once.
#include <catch2/catch.hpp>

#include "compiler-lite/codegen/evta/tuning/tuning_cache.h"
#include "compiler-lite/compile.h"
#include "compiler-lite/quantize/profile_yaml.h"
#include "compiler-lite/tuning/search_file.h"
#include "nestrt/log.h"
#include "test/compiler-lite/tuning/small_classifier.h"
#include "test/faults/files_fixture.h"

namespace nestrt::compiler {
namespace {

using test::FilesFixture;

TEST_CASE_METHOD(FilesFixture, "An error while reading a model names the file") {
  test::write_small_classifier(folder_.path());
  fail_every_call("model.onnx", [&] { return optimised_graph(path("model.onnx"), {}).error(); });
}

TEST_CASE_METHOD(FilesFixture, "An error while reading or writing profiles and searches names the file") {
  QuantizationProfile profile;
  profile.model_digest = std::string(32, 'a');
  fail_every_call("profile.yaml", [&] { return save_profile(profile, path("profile.yaml")); });
  fail_every_call("search.yaml", [&] { return save_search({}, path("search.yaml")); });
  fail_every_call("search.yaml", [&] { return load_search(path("search.yaml")).error(); });
}

TEST_CASE_METHOD(FilesFixture, "A tuning cache that cannot be read is not overwritten") {
  set_log_level(LogLevel::kOff);
  const auto keep = [&](const std::string& key) {
    evta::TuningCache cache(path("caches/cache"));
    cache.add(key, {});
    return cache.save();
  };
  REQUIRE(keep("first").ok());
  fail_every_call("cache", [&] { return keep("second"); });
  CHECK(evta::TuningCache(path("caches/cache")).find("first"));
  set_log_level(LogLevel::kWarning);
}

}  // namespace
}  // namespace nestrt::compiler
