// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/flat_window.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/common/math/integers.h"

namespace nestrt::kernels {

FlatWindow::FlatWindow(const ConvGeometry& geometry, std::array<WindowAxis, 3> axes)
    : channels_(geometry.group_inputs()), axes_(std::move(axes)), take_every_(shift_functions().take_every) {
  size_ = channels_;
  for (size_t axis = 0; axis < 3; ++axis) {
    input_[axis] = geometry.axes[axis].input;
    size_ *= static_cast<int64_t>(axes_[axis].phases.size()) * axes_[axis].length;
  }
}

int64_t FlatWindow::position(int64_t channel, const Index& phase, int64_t row, int64_t column) const {
  int64_t plane = channel;
  for (size_t axis = 0; axis < 3; ++axis) plane = plane * static_cast<int64_t>(axes_[axis].phases.size()) + phase[axis];
  return (plane * axes_[1].length + row) * pitch() + column;
}

void FlatWindow::fill(const float* input, const Index& begin, int64_t rows, int64_t columns, float* to) const {
  const auto& [depth, height, width] = axes_;
  float* plane = to;
  for (int64_t c = 0; c < channels_; ++c, input += input_[0] * input_[1] * input_[2])
    for (const int64_t dz : depth.phases)
      for (const int64_t dy : height.phases)
        for (const int64_t dx : width.phases) {
          const int64_t z = begin[0] + dz;
          for (int64_t row = 0; row < rows; ++row) {
            const int64_t y = begin[1] + dy + row * height.stride;
            const bool inside = z >= 0 && z < input_[0] && y >= 0 && y < input_[1];
            const float* const line = inside ? input + (z * input_[1] + y) * input_[2] : nullptr;
            fill_row(line, begin[2] + dx, columns, plane + row * pitch());
          }
          plane += height.length * pitch();
        }
  std::fill_n(to + size_, kShiftColumns, 0.0f);
}

// `line`: a row of the input, or null if the row is in the padding.
void FlatWindow::fill_row(const float* line, int64_t begin, int64_t columns, float* to) const {
  const int64_t stride = axes_[2].stride;
  const int64_t first = line == nullptr || begin >= 0 ? 0 : std::min(columns, ceil_div(-begin, stride));
  const int64_t room = line == nullptr || begin >= input_[2] ? 0 : ceil_div(input_[2] - begin, stride);
  const int64_t last = std::clamp(room, first, columns);
  std::fill(to, to + first, 0.0f);
  std::fill(to + last, to + columns, 0.0f);
  if (first == last) return;
  const float* const from = line + begin + first * stride;
  if (stride == 1) {
    std::memcpy(to + first, from, static_cast<size_t>(last - first) * sizeof(float));
  } else {
    take_every_(from, stride, last - first, to + first);
  }
}

FlatRanges::FlatRanges(int64_t rows, int64_t columns, int64_t pitch, int64_t max_columns)
    : columns_(columns), pitch_(pitch), max_columns_(max_columns) {
  length_ = (rows - 1) * pitch + columns;
  if (rows * round_up(columns, kShiftColumns) < round_up(length_, kShiftColumns)) {
    ranges_ = rows;
    length_ = columns;
  }
  steps_ = ceil_div(length_, max_columns_);
}

FlatRange FlatRanges::at(int64_t index) const {
  const int64_t begin = index / steps_ * pitch_;
  const int64_t first = index % steps_ * max_columns_;
  return {begin + first, begin + std::min(length_, first + max_columns_)};
}

}  // namespace nestrt::kernels
