// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/checker/hazard.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "drivers/evta/checker/index_set.h"

namespace nestrt::evta {
namespace {

// Pairs of iterations: each (o, i) with o < count_out and first_in <= i < first_in + count_in is paired with (o + out,
// i + in).
struct IterationPairs {
  int64_t count_out, first_in, count_in;
  int64_t out, in;
};

// Returns all pairs at a distance of `iterations`: 0 is the same iteration, 1 the next, 2 the one after that.
std::vector<IterationPairs> pairs_apart(const Loop& loop, int iterations) {
  const int64_t count_out = loop.iter_out, count_in = loop.iter_in;
  std::vector<IterationPairs> pairs = {{count_out, 0, count_in - iterations, 0, iterations}};
  if (iterations > count_in)
    // one inner iteration: pairs are two outer iterations apart
    pairs.push_back({count_out - iterations, 0, 1, iterations, 0});
  else if (iterations > 0)
    pairs.push_back({count_out - 1, count_in - iterations, iterations, 1, iterations - count_in});
  std::erase_if(pairs, [](const IterationPairs& p) { return p.count_out <= 0 || p.count_in <= 0; });
  return pairs;
}

// One of the indices used by a loop's steps.
struct Index {
  uint32_t MicroOp::*field;
  int64_t factor_out, factor_in;

  int64_t of(const MicroOp& micro_op) const { return micro_op.*field; }
  // Returns how much the index increases from the earlier to the later iteration of a pair.
  int64_t move(const IterationPairs& pairs) const { return pairs.out * factor_out + pairs.in * factor_in; }
};

Index dst_of(const Loop& loop) { return {&MicroOp::dst, loop.dst_factor_out, loop.dst_factor_in}; }
Index src_of(const Loop& loop) { return {&MicroOp::src, loop.src_factor_out, loop.src_factor_in}; }

// The distance between the written and the read index, for all earlier iterations of pairs.
class Drift {
 public:
  Drift(const IterationPairs& pairs, const Index& written, const Index& read) {
    const int64_t by_out = written.factor_out - read.factor_out, by_in = written.factor_in - read.factor_in;
    least_ = pairs.first_in * by_in + std::min<int64_t>(0, (pairs.count_out - 1) * by_out) +
             std::min<int64_t>(0, (pairs.count_in - 1) * by_in);
    above_least_.add(0);
    above_least_.spread(static_cast<uint32_t>(pairs.count_out), static_cast<uint32_t>(std::abs(by_out)),
                        static_cast<uint32_t>(pairs.count_in), static_cast<uint32_t>(std::abs(by_in)));
  }

  bool comes_to(int64_t distance) const {
    return distance >= least_ && above_least_.has(static_cast<size_t>(distance - least_));
  }

 private:
  int64_t least_;
  IndexSet above_least_;  // relative to the minimum value; all indices are below twice the depth of ACC
};

// Finds steps whose read index collides with a write of a preceding step.
class Collisions {
 public:
  Collisions(const Loop& loop, std::span<const MicroOp> micro_ops, const Index& read)
      : loop_(loop), micro_ops_(micro_ops), read_(read) {}

  // Ignores collisions whose steps have the same source.
  void ignore_same_source() { ignores_same_source_ = true; }

  bool any(int late_steps) {
    for (int64_t distance = 1; distance <= late_steps; ++distance) {
      if (any_at(distance)) return true;
    }
    return false;
  }

 private:
  bool any_at(int64_t distance) {
    const auto count = static_cast<int64_t>(micro_ops_.size());
    for (int iterations = 0; iterations <= 2; ++iterations) {
      const int64_t first = std::max<int64_t>(0, distance - iterations * count);
      const int64_t last = std::min(count, distance + count - iterations * count);
      if (first < last && any_of(iterations, first, last, distance - iterations * count)) return true;
    }
    return false;
  }

  // Checks micro-ops [first, last) as the later steps. The earlier step is `back` micro-ops and `iterations` iterations
  // before each of them.
  bool any_of(int iterations, int64_t first, int64_t last, int64_t back) const {
    for (const IterationPairs& pairs : pairs_apart(loop_, iterations)) {
      const Drift drift(pairs, dst_of(loop_), read_);
      for (int64_t u = first; u < last; ++u) {
        const MicroOp& later = micro_ops_[static_cast<size_t>(u)];
        const MicroOp& earlier = micro_ops_[static_cast<size_t>(u - back)];
        if (drift.comes_to(read_.of(later) + read_.move(pairs) - earlier.dst) && !is_spared(earlier, later, pairs))
          return true;
      }
    }
    return false;
  }

  bool is_spared(const MicroOp& earlier, const MicroOp& later, const IterationPairs& pairs) const {
    return ignores_same_source_ && earlier.src == later.src + src_of(loop_).move(pairs);
  }

  const Loop& loop_;
  const std::span<const MicroOp> micro_ops_;
  const Index read_;
  bool ignores_same_source_ = false;
};

bool is_repeatable(AluOpcode opcode) { return opcode == AluOpcode::kMin || opcode == AluOpcode::kMax; }

}  // namespace

Hazard find_hazard(Design design, const Gemm& gemm, std::span<const MicroOp> micro_ops) {
  if (gemm.reset) return Hazard::kNone;
  Collisions writes(gemm.loop, micro_ops, dst_of(gemm.loop));
  return writes.any(late_gemm_steps(design)) ? Hazard::kWrite : Hazard::kNone;
}

Hazard find_hazard(Design design, const Alu& alu, std::span<const MicroOp> micro_ops) {
  const int late_steps = late_alu_steps(design);
  if (alu.use_immediate && is_repeatable(alu.opcode)) return Hazard::kNone;
  Collisions writes(alu.loop, micro_ops, dst_of(alu.loop));
  if (is_repeatable(alu.opcode)) writes.ignore_same_source();
  if (writes.any(late_steps)) return Hazard::kWrite;
  if (alu.use_immediate) return Hazard::kNone;
  return Collisions(alu.loop, micro_ops, src_of(alu.loop)).any(late_steps) ? Hazard::kSource : Hazard::kNone;
}

}  // namespace nestrt::evta
