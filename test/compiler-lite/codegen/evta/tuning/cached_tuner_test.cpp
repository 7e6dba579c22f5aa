// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/tuning/cached_tuner.h"

#include <catch2/catch.hpp>

#include "compiler-lite/codegen/evta/layer/conv.h"
#include "compiler-lite/codegen/evta/tuning/tuner.h"
#include "drivers/evta/checker/program_checker.h"
#include "drivers/evta/cycles/cycle_model.h"
#include "test/compiler-lite/codegen/evta/layer_runner.h"
#include "test/support/evta/evta_configuration.h"

namespace nestrt::test {
namespace {

using compiler::evta::CachedTuner;
using compiler::evta::ConvGenerator;
using compiler::evta::EncodedProgram;
using compiler::evta::LayerGenerator;
using compiler::evta::Tiling;
using compiler::evta::TuningCache;

constexpr size_t kPrograms = 6;

const evta::CycleProfile& profile() { return *evta::find_cycle_profile("hls_zynq7020"); }

// A layer for which the checker rejects the programs of one tiling, or all.
class RefusedPrograms final : public LayerGenerator {
 public:
  RefusedPrograms(ConvGenerator layer, std::optional<Tiling> refused)
      : LayerGenerator(layer.name(), layer.configuration(), layer.shape()),
        layer_(std::move(layer)),
        refused_(refused) {}

  std::string cost_key() const override { return layer_.cost_key(); }
  Result<uint64_t> estimate_cycles(const Tiling& tiling, const evta::CycleProfile& of) const override {
    return layer_.estimate_cycles(tiling, of);
  }
  Result<EncodedProgram> generate(const Tiling& tiling) const override {
    Result<EncodedProgram> program = layer_.generate(tiling);
    if (program && (!refused_ || tiling == *refused_)) program->ranges.clear();
    return program;
  }

 private:
  ConvGenerator layer_;
  std::optional<Tiling> refused_;
};

ConvGenerator conv() {
  std::mt19937 generator(1);
  auto layer = ConvGenerator::create(
      evta::test::stock_configuration(),
      random_conv(generator, 64, 64, {.input = 28, .kernel = 3, .stride = 1, .pad_begin = 1, .pad_end = 1}));
  REQUIRE(layer.has_value());
  return std::move(*layer);
}

Tiling tiling_of(const LayerGenerator& layer) {
  const auto cost = [](const evta::Program& program) -> uint64_t {
    const auto count = evta::count_cycles(program, profile());
    return count ? count->cycles : 0;
  };
  const auto tuned = compiler::evta::tune(layer, {.cost = cost, .most_programs = kPrograms, .profile = &profile()});
  REQUIRE(tuned.has_value());
  return tuned->tiling;
}

Result<EncodedProgram> tuned(const LayerGenerator& layer) {
  InlineRunner alone;
  CachedTuner tuner(layer.configuration(), profile(), std::make_shared<TuningCache>(), alone);
  return tuner.program(layer, kPrograms);
}

TEST_CASE("Another tiling is chosen if the checker rejects the program of the best one") {
  const Tiling best = tiling_of(conv());
  const Result<EncodedProgram> program = tuned(RefusedPrograms(conv(), best));
  REQUIRE(program.has_value());
  CHECK(evta::check_program(program->program()).ok());
  CHECK(program->instructions != conv().generate(best)->instructions);
}

TEST_CASE("A layer is rejected if the checker rejects all of its programs") {
  const Result<EncodedProgram> program = tuned(RefusedPrograms(conv(), std::nullopt));
  REQUIRE_FALSE(program.has_value());
  CHECK(program.error().code() == Code::kUnsupported);
}

}  // namespace
}  // namespace nestrt::test
