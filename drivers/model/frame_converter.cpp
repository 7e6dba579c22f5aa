// SPDX-License-Identifier: Apache-2.0
#include "nestrt/frame_converter.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "drivers/model/frame_layout.h"
#include "drivers/model/frame_plan.h"
#include "nestrt/driver/unit.h"
#include "runtime/core/host.h"
#include "runtime/kernel/parallel.h"
#include "runtime/plan/format/image_channels.h"
#include "runtime/platform/guard.h"

namespace nestrt {
namespace {

using kernels::ElementFormat, kernels::FrameRow, kernels::FrameRows, kernels::kPixelBytes;

// With fewer pixels in the frame and the input than this, additional threads cost more time than they save.
constexpr int64_t kMinParallelPixels = 64 * 1024;

Status no_image(const TensorInfo& input) {
  return Status(Code::kInvalidArgument,
                fmt::format("input '{}' ({} {}) does not accept frames: expected f32, u8 or s8 NxCxHxW or NxHxWxC with "
                            "1 or 3 channels and sides of at most {}",
                            input.name, name(input.type), input.shape.to_string(), kMaxFrameSide));
}

Result<ImageShape> frame_input(const TensorInfo& input) {
  const bool has_pixels = input.type == DataType::kF32 || input.type == DataType::kU8 || input.type == DataType::kS8;
  if (!has_pixels || input.shape.rank() != 4) return no_image(input);
  const ImageShape shape = image_shape(input.shape);
  const auto is_side = [](int64_t side) { return side >= 1 && side <= kMaxFrameSide; };
  if (!is_image_channels(shape.channels) || !is_side(shape.height) || !is_side(shape.width)) return no_image(input);
  return shape;
}

Result<ElementFormat> element_format(const TensorInfo& input, const ImageShape& shape,
                                     const Preprocessing& preprocessing) {
  const auto channels = static_cast<int>(shape.channels);
  NESTRT_ASSIGN_OR_RETURN(const auto mean, values_by_channel(preprocessing.mean, channels, 0.0f, "the mean"));
  NESTRT_ASSIGN_OR_RETURN(const auto scale, values_by_channel(preprocessing.scale, channels, 1.0f, "the scale"));
  ElementFormat format{input.type, channels, shape.channels_last, preprocessing.bgr, {}, {}};
  std::ranges::copy(mean, format.mean);
  std::ranges::copy(scale, format.scale);
  return format;
}

Unit* host_of(const UnitList& units) {
  const auto found = std::ranges::find_if(units, [](const auto& unit) { return unit->host() != nullptr; });
  return found != units.end() ? found->get() : nullptr;
}

// Computes rows of an input, in order.
class RowMaker {
 public:
  RowMaker(const FrameRows& steps, const FrameLayout& frame, const FramePlan& plan, bool is_grey, int slot)
      : steps_(steps), frame_(frame), plan_(plan), is_grey_(is_grey), scratch_(plan.scratch(slot)) {}

  // Returns the pixels of a row of the input. Requires: `row` increases from call to call.
  const uint8_t* make(int64_t row) {
    const FrameAxis& rows = plan_.rows();
    const int64_t at = row - rows.offset;
    if (at < 0 || at >= rows.count) return plan_.padding();
    uint8_t* const pixels = scratch_.line + plan_.columns().offset * kPixelBytes;
    if (plan_.interpolates())
      interpolate(static_cast<size_t>(at), pixels);
    else if (rows.resampling.taps > 0)
      blend(static_cast<size_t>(at), pixels);
    else
      resample_columns(rows.source + at, pixels);
    return scratch_.line;
  }

 private:
  void blend(size_t at, uint8_t* pixels) {
    const Resampling& resampling = plan_.rows().resampling;
    const int64_t taps = resampling.taps, first = resampling.firsts[at];
    for (next_ = std::max(next_, first); next_ < first + taps; ++next_)
      resample_columns(plan_.rows().source + next_, scratch_.ring_row<uint8_t>(next_ % taps));
    for (int64_t k = 0; k < taps; ++k) scratch_.taps[k] = scratch_.ring_row<uint8_t>((first + k) % taps);
    steps_.blend(scratch_.taps, &resampling.weights[at * static_cast<size_t>(taps)], taps, plan_.columns().count,
                 pixels);
  }

  void interpolate(size_t at, uint8_t* pixels) {
    const FrameAxis& rows = plan_.rows();
    const int64_t first = rows.interpolation.firsts[at], second = std::min<int64_t>(first + 1, rows.source_count - 1);
    for (next_ = std::max(next_, first); next_ <= second; ++next_)
      interpolate_columns(rows.source + next_, scratch_.ring_row<int16_t>(next_ % 2));
    steps_.interpolate_rows(scratch_.ring_row<int16_t>(first % 2), scratch_.ring_row<int16_t>(second % 2),
                            rows.interpolation.weights[at], plan_.columns().count, pixels);
  }

  // Unpacks the needed pixels of a row of the frame.
  void unpack(int64_t y, uint8_t* pixels) {
    const FrameAxis& columns = plan_.columns();
    const FrameRow row = frame_.row(y);
    steps_.unpack(row, frame_.part().left + columns.source, columns.source_count, pixels);
    if (is_grey_ && row.format != PixelFormat::kGrey) steps_.to_luminance(pixels, columns.source_count);
  }

  void interpolate_columns(int64_t y, int16_t* to) {
    const FrameAxis& columns = plan_.columns();
    unpack(y, scratch_.source);
    steps_.interpolate_columns(scratch_.source, columns.interpolation.firsts.data(), plan_.mix_weights().data(),
                               columns.count, to);
  }

  void resample_columns(int64_t y, uint8_t* pixels) {
    const FrameAxis& columns = plan_.columns();
    const int64_t taps = columns.resampling.taps;
    uint8_t* const source = taps == 0 ? pixels : scratch_.source;
    unpack(y, source);
    if (taps == 0) return;
    steps_.resample(source, columns.resampling.firsts.data(), plan_.column_weights().data(),
                    (taps + kernels::kTapStep - 1) / kernels::kTapStep * kernels::kTapStep, columns.count, pixels);
  }

  const FrameRows& steps_;
  const FrameLayout& frame_;
  const FramePlan& plan_;
  const bool is_grey_;
  const FramePlan::Scratch scratch_;
  int64_t next_ = 0;  // the next row to put into the ring, relative to the rows' source
};

}  // namespace

struct FrameConverter::State {
  TensorInfo input;
  ImageShape shape;
  Preprocessing preprocessing;
  ElementFormat format;
  UnitList units;  // keep the host's threads
  Unit* host = nullptr;
  FrameRows steps = kernels::frame_rows();
  // For the size of the previous frame.
  ImageSize size;
  int64_t num_bands = 1;
  std::optional<FramePlan> plan;

  int num_threads() const { return host != nullptr ? host->host()->threads().num_threads() : 1; }

  // Adjacent bands both process the frame rows at their border, so there are few bands.
  int64_t bands_for(ImageSize frame) const {
    constexpr int64_t kBandsPerThread = 2;
    const int64_t pixels = int64_t{frame.width} * frame.height + shape.pixels();
    if (num_threads() == 1 || pixels < kMinParallelPixels) return 1;
    return std::min(kBandsPerThread * num_threads(), shape.height);
  }

  Status plan_for(ImageSize frame) {
    if (plan && frame.width == size.width && frame.height == size.height) return {};
    const ImageSize target{static_cast<int>(shape.width), static_cast<int>(shape.height)};
    num_bands = bands_for(frame);
    plan.reset();
    NESTRT_ASSIGN_OR_RETURN(plan, FramePlan::create(frame, target, preprocessing, num_bands > 1 ? num_threads() : 1));
    size = frame;
    return {};
  }

  Status check(const TensorView& view, size_t index) const {
    if (view.type != input.type || view.shape != input.shape || view.data == nullptr)
      return Status(Code::kInvalidArgument,
                    fmt::format("input '{}' expects memory for {} {}, got {} {}{}", input.name, name(input.type),
                                input.shape.to_string(), name(view.type), view.shape.to_string(),
                                view.data == nullptr ? " at null" : ""));
    if (view.capacity < view.size_bytes())
      return Status(Code::kInvalidArgument,
                    fmt::format("input '{}' expects {} bytes, got {}", input.name, view.size_bytes(), view.capacity));
    if (index < static_cast<size_t>(shape.images)) return {};
    return Status(Code::kInvalidArgument,
                  fmt::format("input '{}' holds {} images; there is no image {}", input.name, shape.images, index));
  }

  // Computes band `band` of the rows of an image at `elements`, with the scratch memory of thread `slot`.
  void convert_band(const FrameLayout& frame, std::byte* elements, int64_t band, int slot) const {
    const auto element_bytes = static_cast<int64_t>(size_bytes(format.type));
    RowMaker rows(steps, frame, *plan, format.channels == 1, slot);
    for (int64_t y = shape.height * band / num_bands; y < shape.height * (band + 1) / num_bands; ++y) {
      void* to[3] = {};
      for (int c = 0; c < format.channels; ++c)
        to[c] = elements + element_bytes * (format.interleaved ? y * shape.width * shape.channels
                                                               : c * shape.pixels() + y * shape.width);
      steps.store(format, rows.make(y), shape.width, to);
    }
  }

  Status convert(const Frame& frame, const TensorView& view, size_t index) {
    NESTRT_RETURN_IF_ERROR(check(view, index));
    NESTRT_ASSIGN_OR_RETURN(const FrameLayout layout, FrameLayout::of(frame));
    NESTRT_RETURN_IF_ERROR(plan_for({layout.part().width, layout.part().height}));
    auto* const elements =
        static_cast<std::byte*>(view.data) + view.size_bytes() / static_cast<size_t>(shape.images) * index;
    InlineRunner alone;
    ParallelRunner& runner = num_bands > 1 ? host->host()->threads() : alone;
    runner.parallel_for(num_bands, [&](int64_t band, int slot) { convert_band(layout, elements, band, slot); });
    return {};
  }
};

FrameConverter::FrameConverter(std::unique_ptr<State> state) : state_(std::move(state)) {}
FrameConverter::FrameConverter(FrameConverter&& other) noexcept = default;
FrameConverter& FrameConverter::operator=(FrameConverter&& other) noexcept = default;
FrameConverter::~FrameConverter() = default;

Result<FrameConverter> FrameConverter::create(const Plan& plan, size_t input, const UnitList& units) {
  return guarded([&]() -> Result<FrameConverter> {
    if (input >= plan.inputs().size())
      return Status(Code::kInvalidArgument,
                    fmt::format("the plan has {} inputs; there is no input {}", plan.inputs().size(), input));
    auto state = std::make_unique<State>();
    state->input = plan.inputs()[input];
    NESTRT_ASSIGN_OR_RETURN(state->shape, frame_input(state->input));
    const Preprocessing* const stated = plan.preprocessing(input);
    if (stated == nullptr && state->input.type == DataType::kF32)
      return Status(Code::kInvalidArgument,
                    fmt::format("input '{}' is f32 and the plan contains no image preprocessing; pass f32 values, or "
                                "compile the model with nestc compile --mean and --scale",
                                state->input.name));
    if (stated != nullptr) state->preprocessing = *stated;
    NESTRT_ASSIGN_OR_RETURN(state->format, element_format(state->input, state->shape, state->preprocessing));
    state->units = units;
    state->host = host_of(units);
    return FrameConverter(std::move(state));
  });
}

Status FrameConverter::convert(const Frame& frame, const TensorView& input, size_t index) {
  return guarded([&] { return state_->convert(frame, input, index); });
}

}  // namespace nestrt
