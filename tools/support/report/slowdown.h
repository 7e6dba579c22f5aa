// SPDX-License-Identifier: Apache-2.0
// Distinguishes a change in latency from noise.
#pragma once

#include <span>

namespace nestrt::tools {

// Ratio of the new version's time to the old one's, with a 95 % confidence interval.
struct Slowdown {
  double ratio = 1;
  double low = 1;
  double high = 1;
};

// Compares the runs of one process with those of another: the median of all ratios of a new to an old time (Hodges and
// Lehmann, 1963), with the interval of the Mann-Whitney test in its normal approximation (Lehmann, Nonparametrics,
// 1975). At most 1,000 runs of each are used, spread evenly. It does not account for differences between processes,
// such as clock frequency or memory placement. Requires: positive times, at least one each.
Slowdown slowdown_of_runs(std::span<const double> base, std::span<const double> current);

// Compares several pairs of processes by the ratio of each pair: their geometric mean, with Student's t interval of the
// logarithms. Requires: at least two positive ratios.
Slowdown slowdown_of_pairs(std::span<const double> ratios);

}  // namespace nestrt::tools
