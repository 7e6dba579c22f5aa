// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/tuning/tuning_cache.h"

#include <catch2/catch.hpp>

#include "compiler-lite/codegen/evta/layer/conv.h"
#include "compiler-lite/codegen/evta/tuning/cached_tuner.h"
#include "test/compiler-lite/codegen/evta/layer_runner.h"
#include "test/support/evta/evta_configuration.h"
#include "test/support/process/temporary_folder.h"
#include "tools/support/text/files.h"

namespace nestrt::test {
namespace {

using compiler::evta::CachedTuner;
using compiler::evta::ConvGenerator;
using compiler::evta::LoopOrder;
using compiler::evta::Tiling;
using compiler::evta::TuningCache;

constexpr Tiling kFirst = {4, 7, 2, 3, 2, LoopOrder::kBlocksInner};
constexpr Tiling kSecond = {1, 1, 1, 1, 1, LoopOrder::kPixelsInner};

std::string text_of(const std::string& path) {
  const auto bytes = tools::read_file(path);
  REQUIRE(bytes);
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

TEST_CASE("A tuning cache returns its own entries, those from its file, and those of other processes") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/made/on/demand";
  TuningCache cache(path), other(path);
  cache.add("a key, with words", kFirst);
  other.add("another", kSecond);
  CHECK(cache.find("a key, with words") == kFirst);
  CHECK_FALSE(cache.find("another"));
  REQUIRE(cache.save().ok());
  REQUIRE(other.save().ok());
  const TuningCache read(path);
  CHECK(read.find("a key, with words") == kFirst);
  CHECK(read.find("another") == kSecond);
  CHECK_FALSE(read.find("a third"));
}

TEST_CASE("A tuning cache without a file stays in memory") {
  TuningCache cache;
  cache.add("key", kFirst);
  CHECK(cache.find("key") == kFirst);
  CHECK(cache.save().ok());
}

TEST_CASE("A damaged tuning cache is ignored and rewritten") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/tilings";
  TuningCache cache(path);
  cache.add("key", kFirst);
  REQUIRE(cache.save().ok());
  const std::string good = text_of(path);
  for (size_t i = 0; i < good.size(); i += 7) {
    std::string damaged = good;
    damaged[i] ^= 1;
    REQUIRE(tools::write_text(path, damaged).ok());
    REQUIRE_FALSE(TuningCache(path).find("key"));
  }
  for (const char* text : {"", "nestrt schedules for EVTA, version 1, digest "}) {
    REQUIRE(tools::write_text(path, text).ok());
    TuningCache other(path);
    CHECK_FALSE(other.find("key"));
    other.add("key", kSecond);
    REQUIRE(other.save().ok());
    CHECK(TuningCache(path).find("key") == kSecond);
  }
  CHECK_FALSE(TuningCache(folder.path()).find("key"));

  REQUIRE(tools::write_text(path, "foreign").ok());
  TuningCache other(path);
  other.add("key", kSecond);
  CHECK(other.save().code() == Code::kInvalidArgument);
  CHECK(text_of(path) == "foreign");
}

TEST_CASE(
    "A cached tiling produces the same program as the search, and a tiling that does not fit is searched for again") {
  const auto& configuration = evta::test::stock_configuration();
  const auto& profile = *evta::find_cycle_profile("zcu102");
  std::mt19937 generator(1);
  const auto layer = ConvGenerator::create(configuration, random_conv(generator, 64, 64, {.input = 40, .kernel = 3}));
  REQUIRE(layer);
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/tilings";
  const auto program = [&] {
    auto cache = std::make_shared<TuningCache>(path);
    InlineRunner alone;
    auto made = CachedTuner(configuration, profile, cache, alone).program(*layer, 4);
    REQUIRE(made);
    REQUIRE(cache->save().ok());
    return made->instructions;
  };
  const auto searched = program();
  const std::string cached = text_of(path);
  CHECK(program() == searched);
  CHECK(text_of(path) == cached);

  // The whole layer as one tile exceeds the memories.
  TuningCache cache(path);
  const size_t key = cached.find("tuner ");
  cache.add(cached.substr(key, cached.find('\n', key) - key), {38, 38, 4, 4, 2, LoopOrder::kPixelsInner});
  REQUIRE(cache.save().ok());
  REQUIRE(text_of(path) != cached);
  CHECK(program() == searched);
  CHECK(text_of(path) == cached);
}

}  // namespace
}  // namespace nestrt::test
