// SPDX-License-Identifier: Apache-2.0
// Copies rows of pixels. A pixel contains the innermost axes that are neither padded nor cropped; a row runs along the
// next outer axis.
#include <algorithm>
#include <cstring>

#include "kernels/common/framework/elements.h"
#include "kernels/common/framework/function_kernel.h"
#include "kernels/common/framework/parallel_ranges.h"
#include "kernels/pad/pad.h"

namespace nestrt::kernels {
namespace {

using Mode = ops::PadMode;

template <size_t kBytes>
struct Width {};

// Calls body(Width<bytes>()) for common element sizes, so that copies are inlined, otherwise body(Width<0>()).
template <typename Body>
void with_width(size_t bytes, const Body& body) {
  if (bytes == 4)
    body(Width<4>());
  else if (bytes == 1)
    body(Width<1>());
  else if (bytes == 8)
    body(Width<8>());
  else
    body(Width<0>());
}

// The rows of an operator. An Index represents the position of a row and is kept on the stack of each thread.
struct PadRows {
  Mode mode = Mode::kConstant;
  int row_axis = 0;
  Shape output;
  PadAxes axes{};
  Index strides{};  // of the input, in bytes
  size_t element_bytes = 1, pixel_bytes = 1;
  ElementBytes element{};

  size_t at(int axis) const { return static_cast<size_t>(axis); }
  int64_t num_rows() const { return output.product(0, row_axis); }
  int64_t pixels() const { return output[row_axis]; }

  Index index_of(int64_t row) const {
    Index index{};
    for (int axis = row_axis - 1; axis >= 0; row /= output[axis--]) index[at(axis)] = row % output[axis];
    return index;
  }
  void advance(Index& index) const {
    for (int axis = row_axis - 1; axis >= 0 && ++index[at(axis)] == output[axis]; --axis) index[at(axis)] = 0;
  }

  // Returns the byte offset of the input row, or -1 if the whole row is padding.
  int64_t source(const Index& index) const {
    int64_t offset = 0;
    for (int axis = 0; axis < row_axis; ++axis) {
      const PadAxis& pad = axes[at(axis)];
      int64_t along = index[at(axis)] - pad.begin;
      if (!pad.contains(along)) {
        if (mode == Mode::kConstant) return -1;
        along = pad.outside(along, mode);
      }
      offset += along * strides[at(axis)];
    }
    return offset;
  }

  // Fills a range of pixels with the constant by repeatedly copying what is already filled, which is as fast as vector
  // code.
  void fill(std::byte* to, int64_t count) const {
    const size_t bytes = static_cast<size_t>(count) * pixel_bytes;
    size_t filled = std::min(bytes, size_t{8} * element_bytes);
    with_width(element_bytes, [&]<size_t kWidth>(Width<kWidth>) {
      for (size_t i = 0; i < filled; i += kWidth) std::memcpy(to + i, element.data(), kWidth);
    });
    for (; filled < bytes; filled += std::min(filled, bytes - filled))
      std::memcpy(to + filled, to, std::min(filled, bytes - filled));
  }

  // Writes the output pixels [first, last), which are outside the input.
  void write_outside(const std::byte* from, std::byte* to, int64_t first, int64_t last) const {
    if (first == last) return;
    if (mode == Mode::kConstant) return fill(to + static_cast<size_t>(first) * pixel_bytes, last - first);
    const PadAxis& pad = axes[at(row_axis)];
    const int64_t stride = strides[at(row_axis)];
    with_width(pixel_bytes, [&]<size_t kWidth>(Width<kWidth>) {
      const size_t bytes = kWidth == 0 ? pixel_bytes : kWidth;
      for (int64_t pixel = first; pixel < last; ++pixel)
        std::memcpy(to + static_cast<size_t>(pixel) * bytes, from + pad.outside(pixel - pad.begin, mode) * stride,
                    bytes);
    });
  }

  void write_row(const std::byte* from, std::byte* to) const {
    const PadAxis& pad = axes[at(row_axis)];
    const int64_t first = std::clamp<int64_t>(pad.low + pad.begin, 0, pixels());
    const int64_t last = std::clamp<int64_t>(pad.high + pad.begin, first, pixels());
    write_outside(from, to, 0, first);
    if (last > first)
      std::memcpy(to + static_cast<size_t>(first) * pixel_bytes, from + (first - pad.begin) * strides[at(row_axis)],
                  static_cast<size_t>(last - first) * pixel_bytes);
    write_outside(from, to, last, pixels());
  }
};

bool is_changed(const ops::Pad& pad, int axis) {
  const auto i = static_cast<size_t>(axis);
  return pad.begin[i] != 0 || pad.end[i] != 0;
}

PadRows pad_rows(const OperatorSpec& spec) {
  const ops::Pad& pad = *spec.as<ops::Pad>();
  const Shape& input = spec.inputs[0].shape;
  PadRows rows;
  rows.mode = pad.mode;
  rows.output = spec.outputs[0].shape;
  rows.axes = pad_axes(spec);
  rows.element_bytes = size_bytes(spec.inputs[0].type);
  rows.row_axis = input.rank() - 1;
  while (rows.row_axis > 0 && !is_changed(pad, rows.row_axis)) --rows.row_axis;
  rows.pixel_bytes = static_cast<size_t>(input.product(rows.row_axis + 1, input.rank())) * rows.element_bytes;
  rows.strides = strides_of(input);
  for (int64_t& stride : rows.strides) stride *= static_cast<int64_t>(rows.element_bytes);
  return rows;
}

}  // namespace

Result<std::unique_ptr<Kernel>> prepare_pad_rows(const OperatorSpec& spec) {
  if (spec.outputs[0].shape.num_elements() == 0) return make_kernel([](const KernelCall&) {});
  if (spec.outputs[0].shape.rank() == 0)
    return make_kernel([size = size_bytes(spec.inputs[0].type)](const KernelCall& call) {
      std::memcpy(call.outputs[0], call.inputs[0], size);
    });
  return make_kernel([layout = pad_rows(spec), value = PadElement(spec)](const KernelCall& call) {
    PadRows rows = layout;
    rows.element = value.of(call);
    const size_t row_bytes = static_cast<size_t>(rows.pixels()) * rows.pixel_bytes;
    const auto row_elements = static_cast<int64_t>(row_bytes / rows.element_bytes);
    parallel_ranges(*call.parallel, rows.num_rows(), row_elements, [&](int64_t first, int64_t last) {
      Index index = rows.index_of(first);
      for (int64_t row = first; row < last; ++row, rows.advance(index)) {
        std::byte* const to = call.outputs[0] + static_cast<size_t>(row) * row_bytes;
        const int64_t source = rows.source(index);
        if (source < 0)
          rows.fill(to, rows.pixels());
        else
          rows.write_row(call.inputs[0] + source, to);
      }
    });
  });
}

}  // namespace nestrt::kernels
