// SPDX-License-Identifier: Apache-2.0
#include "python/src/frame.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <tuple>
#include <utility>

namespace nestrt::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

using Plane = std::pair<uintptr_t, std::ptrdiff_t>;  // the address of the top row, and the distance between rows
using Crop = std::tuple<int32_t, int32_t, int32_t, int32_t>;

void create(FrameHandle* self, int format, int32_t width, int32_t height, const std::vector<Plane>& planes,
            const std::optional<Crop>& crop) {
  Frame frame{.format = static_cast<PixelFormat>(format), .width = width, .height = height};
  for (size_t i = 0; i < planes.size() && i < frame.planes.size(); ++i) {
    frame.planes[i] = reinterpret_cast<const uint8_t*>(planes[i].first);
    frame.row_bytes[i] = planes[i].second;
  }
  if (crop) {
    const auto [left, top, crop_width, crop_height] = *crop;
    frame.crop = {left, top, crop_width, crop_height};
  }
  new (self) FrameHandle{frame};
}

}  // namespace

Result<AlignedMemory> FrameInputs::convert(const Frame& frame, size_t input) {
  std::optional<FrameConverter>& converter = converters_[input];
  if (!converter) {
    NESTRT_ASSIGN_OR_RETURN(FrameConverter created, FrameConverter::create(plan_, input, units_));
    converter = std::move(created);
  }
  const TensorInfo& info = plan_.inputs()[input];
  NESTRT_ASSIGN_OR_RETURN(AlignedMemory values, AlignedMemory::allocate(info.size_bytes(), "an image"));
  NESTRT_RETURN_IF_ERROR(converter->convert(frame, {info.type, info.shape, values.data(), values.size()}));
  return values;
}

void bind_frame(nb::module_& module) {
  nb::class_<FrameHandle>(module, "Frame", "Pixels of a camera or decoder; see nestrt.Frame.")
      .def("__init__", &create, "format"_a, "width"_a, "height"_a, "planes"_a, "crop"_a.none());
}

}  // namespace nestrt::python
