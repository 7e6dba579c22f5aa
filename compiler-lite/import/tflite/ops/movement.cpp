// SPDX-License-Identifier: Apache-2.0
// Operators that move or select elements.
#include <fmt/core.h>

#include <algorithm>

#include "compiler-lite/import/tflite/lite_table.h"

namespace nestrt::compiler {
namespace {

constexpr uint8_t kConcatenation = 10, kGather = 23, kStridedSlice = 32, kMirrorPad = 77;

// --- Concatenation, padding, transposition, gathering ---------------------------------------------------------------

Status import_concatenation(LiteNode& node) {
  const auto& options = node.options<tflite::ConcatenationOptions>();
  NESTRT_ASSIGN_OR_RETURN(const auto x, node.operands(node.all_inputs()));
  const int rank = node.shape(x.values[0]).rank();
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(options.axis(), rank));
  const ops::Concat concat{.axis = axis_in_form(axis, rank, x.form)};
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, node.add(concat, x.values));
  return node.finish(node.activated(y, options.activation()), x.form);
}

// Reads begin and end pads from a tensor [rank, 2].
Status read_pads(LiteNode& node, int rank, Form form, ops::Pad& pad) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> pads, node.ints(1, "the pads"));
  if (pads.size() != 2 * static_cast<size_t>(rank))
    return node.invalid(fmt::format("{} pads do not fit rank {}", pads.size(), rank));
  for (size_t i = 0; i < pads.size(); ++i) {
    if (pads[i] < 0 || pads[i] > INT32_MAX) return node.invalid(fmt::format("pad {} is out of range", pads[i]));
    (i % 2 == 0 ? pad.begin : pad.end).push_back(pads[i]);
  }
  pad.begin = in_form(pad.begin, form);
  pad.end = in_form(pad.end, form);
  return ok_status();
}

Status import_pad_with(LiteNode& node, ops::PadMode mode, float element) {
  ops::Pad pad;
  pad.mode = mode;
  pad.value = element;
  const Form form = node.common_form({0});
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0, form));
  NESTRT_RETURN_IF_ERROR(read_pads(node, node.shape(x).rank(), form, pad));
  return node.finish(node.add(std::move(pad), {x}), form);
}

Status import_pad(LiteNode& node) { return import_pad_with(node, ops::PadMode::kConstant, 0); }

Status import_pad_v2(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const std::vector<float> element, node.floats(2, "the padding value"));
  if (element.size() != 1) return node.invalid("the padding value must be one number");
  return import_pad_with(node, ops::PadMode::kConstant, element.front());
}

Status import_mirror_pad(LiteNode& node) {
  if (node.options<tflite::MirrorPadOptions>().mode() == tflite::MirrorMode::REFLECT)
    return import_pad_with(node, ops::PadMode::kReflect, 0);
  // A symmetric pad of one element repeats the edge.
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> pads, node.ints(1, "the pads"));
  if (std::ranges::any_of(pads, [](int64_t pad) { return pad > 1; }))
    return node.unsupported("symmetric pads of more than one element are not supported");
  return import_pad_with(node, ops::PadMode::kEdge, 0);
}

Status import_transpose(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> stated, node.ints(1, "the permutation"));
  std::vector<int32_t> permutation;
  for (const int64_t entry : stated) {
    NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(entry, node.shape(x).rank()));
    permutation.push_back(axis);
  }
  return node.finish(node.transpose(x, permutation));
}

Status import_gather(LiteNode& node) {
  const auto& options = node.options<tflite::GatherOptions>();
  if (options.batch_dims() != 0) return node.unsupported("batch_dims other than 0 are not supported");
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const ValueId indices, node.input(1));
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(options.axis(), node.shape(x).rank()));
  return node.finish(node.add(ops::Gather{.axis = axis}, {x, indices}));
}

Status import_top_k(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(0));
  NESTRT_ASSIGN_OR_RETURN(const int64_t count, node.one_int(1, "the number of elements"));
  const int rank = node.shape(x).rank();
  if (rank < 1 || count < 1 || count > node.shape(x)[rank - 1])
    return node.invalid(fmt::format("{} elements of {}", count, node.shape(x).to_string()));
  const ops::TopK top{.axis = rank - 1, .count = static_cast<int32_t>(count), .smallest = false};
  NESTRT_ASSIGN_OR_RETURN(const ValueId places, node.add(top, {x}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId best, node.add(ops::GatherElements{.axis = rank - 1}, {x, places}));
  NESTRT_ASSIGN_OR_RETURN(const ValueId narrow, node.cast(places, DataType::kS32));
  NESTRT_RETURN_IF_ERROR(node.set(0, best));
  return node.set(1, narrow);
}

// --- Slices ---------------------------------------------------------------------------------------------------------

struct SliceWindow {
  std::vector<int64_t> start, step, length;  // by axis of the file

  static SliceWindow all_of(const Shape& shape) {
    SliceWindow window;
    window.length = dims_of(shape);
    window.start.assign(window.length.size(), 0);
    window.step.assign(window.length.size(), 1);
    return window;
  }
};

// Returns the elements of input `index` in the window.
Result<ValueId> window_of(LiteNode& node, size_t index, const SliceWindow& window, Form form) {
  NESTRT_ASSIGN_OR_RETURN(const ValueId x, node.input(index, form));
  return node.slice(x, in_form(window.start, form), in_form(window.step, form), Shape(in_form(window.length, form)));
}

Status import_slice(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const Shape stated, node.input_shape(0));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> begin, node.ints(1, "the start"));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> size, node.ints(2, "the size"));
  const auto rank = static_cast<size_t>(stated.rank());
  if (begin.size() != rank || size.size() != rank) return node.invalid("expected one start and size per axis");
  SliceWindow window = SliceWindow::all_of(stated);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t dim = stated[static_cast<int>(i)];
    const int64_t length = size[i] == -1 ? dim - begin[i] : size[i];
    if (begin[i] < 0 || begin[i] > dim || length < 0 || length > dim - begin[i])
      return node.invalid(fmt::format("start {} and size {} are outside {}", begin[i], size[i], stated.to_string()));
    window.start[i] = begin[i];
    window.length[i] = length;
  }
  const Form form = node.common_form({0});
  return node.finish(window_of(node, 0, window, form), form);
}

// Reads a STRIDED_SLICE: entries of start, end and strides, each for an axis of the input, a new axis or an ellipsis.
class StridedSlice {
 public:
  static Result<StridedSlice> read(LiteNode& node, const Shape& x) {
    StridedSlice slice(node, x);
    NESTRT_RETURN_IF_ERROR(slice.read_entries());
    for (size_t i = 0; i < slice.begin_.size(); ++i) NESTRT_RETURN_IF_ERROR(slice.add_entry(i));
    NESTRT_RETURN_IF_ERROR(slice.keep_axes(x.rank() - slice.axis_));
    return slice;
  }

  const SliceWindow& window() const { return window_; }
  // Returns the result's shape, without the axes that become an index.
  const Shape& result() const { return result_; }
  // Returns true if the result has the same axes as the input.
  bool keeps_axes() const { return options_.new_axis_mask() == 0 && options_.shrink_axis_mask() == 0; }

 private:
  StridedSlice(LiteNode& node, const Shape& x)
      : node_(node), options_(node.options<tflite::StridedSliceOptions>()), x_(x), window_(SliceWindow::all_of(x)) {}

  static bool has(int32_t mask, size_t bit) { return (static_cast<uint32_t>(mask) >> bit & 1u) != 0; }

  Status read_entries() {
    NESTRT_ASSIGN_OR_RETURN(begin_, node_.ints(1, "the start"));
    NESTRT_ASSIGN_OR_RETURN(end_, node_.ints(2, "the end"));
    NESTRT_ASSIGN_OR_RETURN(strides_, node_.ints(3, "the strides"));
    constexpr size_t kMaxEntries = 2 * Shape::kMaxRank;
    if (begin_.size() != end_.size() || begin_.size() != strides_.size() || begin_.size() > kMaxEntries)
      return node_.invalid("start, end and strides differ in length");
    return options_.offset() ? node_.unsupported("ends relative to the start are not supported") : ok_status();
  }

  Status add_axis(int64_t length) {
    if (result_.rank() == Shape::kMaxRank) return node_.unsupported("the result has too many dimensions");
    result_.push_back(length);
    return ok_status();
  }

  // Keeps the next `count` axes unchanged.
  Status keep_axes(int count) {
    for (int i = 0; i < count && axis_ < x_.rank(); ++i) NESTRT_RETURN_IF_ERROR(add_axis(x_[axis_++]));
    return ok_status();
  }

  Status add_entry(size_t i) {
    if (has(options_.ellipsis_mask(), i)) {
      int later = 0;
      for (size_t k = i + 1; k < begin_.size(); ++k) later += !has(options_.new_axis_mask(), k);
      return keep_axes(x_.rank() - axis_ - later);
    }
    if (has(options_.new_axis_mask(), i)) return add_axis(1);
    if (axis_ == x_.rank()) return node_.invalid(fmt::format("more entries than axes of {}", x_.to_string()));
    return has(options_.shrink_axis_mask(), i) ? add_index(i) : add_range(i);
  }

  Status add_index(size_t i) {
    const int64_t dim = x_[axis_], index = begin_[i] < 0 ? begin_[i] + dim : begin_[i];
    if (index < 0 || index >= dim)
      return node_.invalid(fmt::format("index {} is outside axis {} of {}", begin_[i], axis_, x_.to_string()));
    const auto at = static_cast<size_t>(axis_++);
    window_.start[at] = index;
    window_.length[at] = 1;
    return ok_status();
  }

  Status add_range(size_t i) {
    const int64_t dim = x_[axis_], step = strides_[i];
    if (step == 0 || step < -INT32_MAX || step > INT32_MAX) return node_.invalid(fmt::format("stride {}", step));
    const bool forward = step > 0;
    const int64_t low = forward ? 0 : -1, high = forward ? dim : dim - 1;
    const auto place = [&](int64_t bound) { return std::clamp(bound < 0 ? bound + dim : bound, low, high); };
    const int64_t first = has(options_.begin_mask(), i) ? (forward ? low : high) : place(begin_[i]);
    const int64_t last = has(options_.end_mask(), i) ? (forward ? high : low) : place(end_[i]);
    const int64_t span = forward ? last - first : first - last, size = forward ? step : -step;
    const auto at = static_cast<size_t>(axis_++);
    window_.length[at] = span <= 0 ? 0 : (span + size - 1) / size;
    window_.start[at] = span <= 0 ? 0 : first;
    window_.step[at] = step;
    return add_axis(window_.length[at]);
  }

  LiteNode& node_;
  const tflite::StridedSliceOptions& options_;
  const Shape x_;
  SliceWindow window_;
  Shape result_;
  std::vector<int64_t> begin_, end_, strides_;
  int axis_ = 0;  // the next axis of the input
};

Status import_strided_slice(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const Shape stated, node.input_shape(0));
  NESTRT_ASSIGN_OR_RETURN(const StridedSlice slice, StridedSlice::read(node, stated));
  const Form form = slice.keeps_axes() ? node.common_form({0}) : Form::kPlain;
  NESTRT_ASSIGN_OR_RETURN(const ValueId y, window_of(node, 0, slice.window(), form));
  return slice.keeps_axes() ? node.set(0, y, form) : node.finish(node.reshape(y, slice.result()));
}

// Defines one output per length along the axis.
Status finish_split(LiteNode& node, size_t input, int64_t stated_axis, const std::vector<int64_t>& lengths) {
  NESTRT_ASSIGN_OR_RETURN(const Shape stated, node.input_shape(input));
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(stated_axis, stated.rank()));
  if (lengths.size() != node.num_outputs())
    return node.invalid(fmt::format("{} lengths for {} outputs", lengths.size(), node.num_outputs()));
  const Form form = node.common_form({input});
  SliceWindow window = SliceWindow::all_of(stated);
  const auto at = static_cast<size_t>(axis);
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0 || lengths[i] > stated[axis] - window.start[at])
      return node.invalid(fmt::format("parts of axis {} do not fit {}", axis, stated.to_string()));
    window.length[at] = lengths[i];
    NESTRT_ASSIGN_OR_RETURN(const ValueId part, window_of(node, input, window, form));
    NESTRT_RETURN_IF_ERROR(node.set(i, part, form));
    window.start[at] += lengths[i];
  }
  return ok_status();
}

Status import_split(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const int64_t stated, node.one_int(0, "the axis"));
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, node.input_shape(1));
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(stated, shape.rank()));
  const auto count = static_cast<int64_t>(node.num_outputs());
  if (count == 0 || shape[axis] % count != 0)
    return node.invalid(fmt::format("axis {} of {} cannot be split into {}", axis, shape.to_string(), count));
  return finish_split(node, 1, axis, std::vector<int64_t>(node.num_outputs(), shape[axis] / count));
}

Status import_split_v(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(std::vector<int64_t> lengths, node.ints(1, "the lengths"));
  NESTRT_ASSIGN_OR_RETURN(const int64_t stated, node.one_int(2, "the axis"));
  NESTRT_ASSIGN_OR_RETURN(const Shape shape, node.input_shape(0));
  NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(stated, shape.rank()));
  const auto open = std::ranges::find(lengths, -1);
  if (open != lengths.end()) {
    *open = 0;
    int64_t rest = shape[axis];
    for (const int64_t length : lengths)
      if (__builtin_sub_overflow(rest, length, &rest)) return node.invalid("a length is out of range");
    *open = rest;
  }
  return finish_split(node, 0, axis, lengths);
}

Status import_reverse(LiteNode& node) {
  NESTRT_ASSIGN_OR_RETURN(const Shape stated, node.input_shape(0));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int64_t> axes, node.ints(1, "the axes"));
  SliceWindow window = SliceWindow::all_of(stated);
  for (const int64_t entry : axes) {
    NESTRT_ASSIGN_OR_RETURN(const int axis, node.axis(entry, stated.rank()));
    if (stated[axis] == 0) continue;
    window.start[static_cast<size_t>(axis)] = stated[axis] - 1;
    window.step[static_cast<size_t>(axis)] = -1;
  }
  const Form form = node.common_form({0});
  return node.finish(window_of(node, 0, window, form), form);
}

constexpr LiteRule kLiteMovementRules[] = {
    lite_rule<tflite::ConcatenationOptions>(LiteOp::CONCATENATION, 1, import_concatenation, kConcatenation),
    lite_rule<tflite::GatherOptions>(LiteOp::GATHER, 2, import_gather, kGather),
    lite_rule<tflite::MirrorPadOptions>(LiteOp::MIRROR_PAD, 2, import_mirror_pad, kMirrorPad),
    lite_rule(LiteOp::PAD, 2, import_pad),
    lite_rule(LiteOp::PADV2, 3, import_pad_v2),
    lite_rule(LiteOp::REVERSE_V2, 2, import_reverse),
    lite_rule(LiteOp::SLICE, 3, import_slice),
    lite_rule(LiteOp::SPLIT, 2, import_split),
    lite_rule(LiteOp::SPLIT_V, 3, import_split_v),
    lite_rule<tflite::StridedSliceOptions>(LiteOp::STRIDED_SLICE, 4, import_strided_slice, kStridedSlice),
    lite_rule(LiteOp::TOPK_V2, 2, import_top_k),
    lite_rule(LiteOp::TRANSPOSE, 2, import_transpose),
};

}  // namespace

std::span<const LiteRule> lite_movement_rules() { return kLiteMovementRules; }

}  // namespace nestrt::compiler
