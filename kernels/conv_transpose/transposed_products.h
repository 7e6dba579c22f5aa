// SPDX-License-Identifier: Apache-2.0
// Computes a transposed convolution of plain tensors as matrix products over a window of inputs
// (kernels/conv/flat_window.h). Phases that read the same inputs share one product, in which each contributes its own
// points (rows of the result). If the kernel is as large as the stride, without dilation or padding at the start, all
// phases share one product.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/common/framework/split.h"
#include "kernels/common/math/integers.h"
#include "kernels/conv/flat_window.h"
#include "kernels/conv_transpose/phases.h"

namespace nestrt::kernels {

// The phases of an axis that read the same inputs.
struct PhaseClass {
  PhaseTaps taps;
  std::vector<size_t> members;  // indices into the phases of the axis

  int64_t size() const { return static_cast<int64_t>(members.size()); }
};

// One axis. Outputs are numbered within their phase.
struct TransposedAxis {
  explicit TransposedAxis(const ConvAxis& axis);

  int64_t num_phases() const { return static_cast<int64_t>(phases.size()); }

  std::vector<AxisPhase> phases;
  std::vector<PhaseClass> classes;
  int64_t outputs = 0;            // number of outputs of the largest phase
  int64_t lowest = 0, reach = 0;  // output j reads inputs j + lowest to j + lowest + reach
};
using TransposedAxes = std::array<TransposedAxis, 3>;

// A product for one class of each axis. Points are numbered [output channel of the group][depth phase][height
// phase][width phase]. A unit consists of the points of one row of outputs.
struct TransposedProduct {
  std::array<const PhaseClass*, 3> classes{};
  std::vector<int64_t> shifts;  // shift of each element of a sum in the window: [group inputs][taps]
  int64_t first_weight = 0;     // index in the sorted weights of a group

  int64_t length() const { return static_cast<int64_t>(shifts.size()); }
  int64_t units_per_channel() const { return classes[0]->size() * classes[1]->size(); }
};

class TransposedProducts {
 public:
  // `unit_block`: the number of units that are computed together. `max_points`: the maximum number of points of a tile.
  // `axes` must outlive this object.
  TransposedProducts(const ConvGeometry& geometry, const TransposedAxes& axes, const FlatWindow& window,
                     int64_t unit_block, int64_t max_points);

  // Returns the products, ordered by class; the class of the width varies fastest.
  const std::vector<TransposedProduct>& products() const { return products_; }
  int64_t num_units(const TransposedProduct& product) const { return outputs_ * product.units_per_channel(); }
  Range unit_block(const TransposedProduct& product, int64_t block) const;
  // Calls visit(points) for the tiles of a block of units.
  template <typename Visit>
  void for_each_tile(const TransposedProduct& product, Range units, Visit visit) const {
    const int64_t width = product.classes[2]->size(), points = units.size() * width;
    const int64_t tiles = ceil_div(points, max_points_);
    for (int64_t t = 0; t < tiles; ++t) {
      const Range part = part_of(points, t, tiles);
      visit(Range{units.first * width + part.first, units.first * width + part.last});
    }
  }
  // Sorts weights from [in_channels][group outputs][taps] to [group][product][tiles][elements of a sum][points].
  void sort_weights(const float* weights, float* sorted) const;

 private:
  std::vector<int64_t> shifts_of(const TransposedProduct& product, const TransposedAxes& axes,
                                 const FlatWindow& window) const;
  void sort_point(const TransposedProduct& product, const float* weights, int64_t point, int64_t step,
                  float* sorted) const;

  ConvGeometry g_;
  const TransposedAxes& axes_;
  int64_t outputs_, unit_block_, max_points_;
  std::vector<TransposedProduct> products_;
};

}  // namespace nestrt::kernels
