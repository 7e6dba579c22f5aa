// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv_transpose/transposed_products.h"

#include <algorithm>
#include <utility>

namespace nestrt::kernels {

TransposedAxis::TransposedAxis(const ConvAxis& axis) : phases(reached_phases(axis)) {
  int64_t highest = 0;
  for (size_t i = 0; i < phases.size(); ++i) {
    const PhaseTaps& taps = phases[i].taps;
    const int64_t low = taps.source(0, taps.taps - 1);
    lowest = i == 0 ? low : std::min(lowest, low);
    highest = i == 0 ? taps.shift : std::max(highest, taps.shift);
    outputs = std::max(outputs, phases[i].outputs);
    const auto known = std::ranges::find(classes, taps, &PhaseClass::taps);
    if (known != classes.end()) {
      known->members.push_back(i);
    } else {
      classes.push_back({taps, {i}});
    }
  }
  reach = highest - lowest;
}

TransposedProducts::TransposedProducts(const ConvGeometry& geometry, const TransposedAxes& axes,
                                       const FlatWindow& window, int64_t unit_block, int64_t max_points)
    : g_(geometry), axes_(axes), outputs_(geometry.group_outputs()), unit_block_(unit_block), max_points_(max_points) {
  int64_t weights = 0;
  for (const PhaseClass& d : axes[0].classes)
    for (const PhaseClass& h : axes[1].classes)
      for (const PhaseClass& w : axes[2].classes) {
        TransposedProduct product{{&d, &h, &w}, {}, weights};
        product.shifts = shifts_of(product, axes, window);
        weights += product.length() * num_units(product) * w.size();
        products_.push_back(std::move(product));
      }
}

std::vector<int64_t> TransposedProducts::shifts_of(const TransposedProduct& product, const TransposedAxes& axes,
                                                   const FlatWindow& window) const {
  const auto& [d, h, w] = product.classes;
  const auto source = [&](size_t axis, int64_t tap) {
    return product.classes[axis]->taps.source(0, tap) - axes[axis].lowest;
  };
  std::vector<int64_t> shifts;
  for (int64_t c = 0; c < g_.group_inputs(); ++c)
    for (int64_t kd = 0; kd < d->taps.taps; ++kd)
      for (int64_t kh = 0; kh < h->taps.taps; ++kh)
        for (int64_t kw = 0; kw < w->taps.taps; ++kw)
          shifts.push_back(window.position(c, {source(0, kd), 0, 0}, source(1, kh), source(2, kw)));
  return shifts;
}

Range TransposedProducts::unit_block(const TransposedProduct& product, int64_t block) const {
  const int64_t first = block * unit_block_;
  return {first, std::min(first + unit_block_, num_units(product))};
}

void TransposedProducts::sort_weights(const float* weights, float* sorted) const {
  for (int64_t group = 0; group < g_.group; ++group, weights += g_.group_inputs() * outputs_ * g_.taps())
    for (const TransposedProduct& product : products_)
      for (int64_t block = 0; block * unit_block_ < num_units(product); ++block)
        for_each_tile(product, unit_block(product, block), [&](Range points) {
          for (int64_t p = points.first; p < points.last; ++p)
            sort_point(product, weights, p, points.size(), sorted + p - points.first);
          sorted += points.size() * product.length();
        });
}

// Writes the weights of a point at intervals of `step`.
void TransposedProducts::sort_point(const TransposedProduct& product, const float* weights, int64_t point, int64_t step,
                                    float* sorted) const {
  std::array<const AxisPhase*, 3> phase{};
  int64_t index = point;
  for (size_t axis = 3; axis-- > 0; index /= product.classes[axis]->size()) {
    const std::vector<size_t>& members = product.classes[axis]->members;
    phase[axis] = &axes_[axis].phases[members[static_cast<size_t>(index) % members.size()]];
  }
  const auto& [d, h, w] = phase;  // index: the output channel
  for (int64_t c = 0; c < g_.group_inputs(); ++c) {
    const float* const kernel = weights + (c * outputs_ + index) * g_.taps();
    for (int64_t kd = 0; kd < d->taps.taps; ++kd)
      for (int64_t kh = 0; kh < h->taps.taps; ++kh)
        for (int64_t kw = 0; kw < w->taps.taps; ++kw, sorted += step)
          *sorted = kernel[(d->tap(kd) * g_.axes[1].kernel + h->tap(kh)) * g_.axes[2].kernel + w->tap(kw)];
  }
}

}  // namespace nestrt::kernels
