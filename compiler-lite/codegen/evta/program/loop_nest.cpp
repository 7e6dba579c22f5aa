// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/codegen/evta/program/loop_nest.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>

namespace nestrt::compiler::evta {
namespace {

using isa::MicroOp;

MicroOp scaled(const MicroOp& stride, uint32_t by) { return {stride.dst * by, stride.src * by, stride.wgt * by}; }

MicroOp sum(const MicroOp& a, const MicroOp& b) { return {a.dst + b.dst, a.src + b.src, a.wgt + b.wgt}; }

// Returns the dimensions with more than one iteration; adjacent dimensions that continue each other are merged.
std::vector<Dimension> simplified(const std::vector<Dimension>& dimensions) {
  std::vector<Dimension> result;
  for (const Dimension& dimension : dimensions) {
    if (dimension.count == 1) continue;
    if (!result.empty() && result.back().stride == scaled(dimension.stride, dimension.count)) {
      result.back() = {result.back().count * dimension.count, dimension.stride};
    } else {
      result.push_back(dimension);
    }
  }
  return result;
}

// The loops of an instruction and the remaining dimensions, which become micro-ops.
struct Choice {
  Dimension outer;
  Dimension inner;
  std::vector<Dimension> listed;

  uint64_t micro_ops() const {
    uint64_t count = 1;
    for (const Dimension& dimension : listed) count *= dimension.count;
    return count;
  }
  // Returns the smallest number of writes between two writes of the same destination.
  uint64_t distance() const {
    uint64_t count = 1;
    for (const Dimension& dimension : listed) count *= dimension.reduces() ? 1 : dimension.count;
    return count;
  }
};

bool fits_loop(const isa::Configuration& configuration, const Dimension& dimension, int iter_bits) {
  const auto fits = [](uint32_t value, int bits) { return value >> bits == 0; };
  return fits(dimension.count, iter_bits) && fits(dimension.stride.dst, configuration.acc_factor_bits()) &&
         fits(dimension.stride.src, std::min(configuration.inp_factor_bits(), configuration.acc_factor_bits())) &&
         fits(dimension.stride.wgt, configuration.wgt_factor_bits());
}

bool legal(const isa::Configuration& configuration, const Choice& choice, bool any_reduction) {
  return fits_loop(configuration, choice.outer, configuration.iter_out_bits) &&
         fits_loop(configuration, choice.inner, configuration.iter_in_bits) &&
         choice.micro_ops() <= configuration.uop_depth() && (!any_reduction || choice.distance() >= kHazardDistance);
}

std::optional<Choice> best_choice(const isa::Configuration& configuration, const std::vector<Dimension>& dimensions) {
  const auto reduces = [](const Dimension& dimension) { return dimension.reduces(); };
  const bool any_reduction = std::any_of(dimensions.begin(), dimensions.end(), reduces);
  std::optional<Choice> best;
  const size_t count = dimensions.size();
  for (size_t outer = 0; outer <= count; ++outer) {  // `count` means no loop
    for (size_t inner = 0; inner <= count; ++inner) {
      if (inner == outer && outer != count) continue;
      Choice choice;
      for (size_t i = 0; i < count; ++i) {
        if (i == outer)
          choice.outer = dimensions[i];
        else if (i == inner)
          choice.inner = dimensions[i];
        else
          choice.listed.push_back(dimensions[i]);
      }
      if (legal(configuration, choice, any_reduction) && (!best || choice.micro_ops() < best->micro_ops()))
        best = choice;
    }
  }
  return best;
}

// Reductions become the outer loops, so that every destination is written once before any is written again.
std::vector<MicroOp> written_out(const MicroOp& base, std::vector<Dimension> dimensions) {
  std::stable_partition(dimensions.begin(), dimensions.end(), [](const Dimension& d) { return d.reduces(); });
  std::vector<MicroOp> result = {base};
  for (const Dimension& dimension : dimensions) {
    std::vector<MicroOp> longer;
    longer.reserve(result.size() * dimension.count);
    for (const MicroOp& micro_op : result) {
      for (uint32_t i = 0; i < dimension.count; ++i) longer.push_back(sum(micro_op, scaled(dimension.stride, i)));
    }
    result = std::move(longer);
  }
  return result;
}

}  // namespace

Result<LoweredNest> lower(const isa::Configuration& configuration, const LoopNest& nest) {
  const std::optional<Choice> choice = best_choice(configuration, simplified(nest.dimensions));
  if (!choice) {
    return Status(
        Code::kUnsupported,
        fmt::format(
            "a loop nest of {} dimensions does not fit an instruction of configuration {}; choose smaller tiles",
            nest.dimensions.size(), configuration.name));
  }
  return LoweredNest{written_out(nest.base, choice->listed), choice->outer.count, choice->inner.count,
                     choice->outer.stride, choice->inner.stride};
}

}  // namespace nestrt::compiler::evta
