// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "compiler-lite/export/ops/families.h"
#include "compiler-lite/import/onnx/onnx_names.h"

namespace nestrt::compiler {
namespace {

Result<std::string> write_pad(NodeWriter& node) {
  const auto& op = node.attributes<ops::Pad>();
  std::vector<int64_t> pads = op.begin;
  pads.insert(pads.end(), op.end.begin(), op.end.end());
  std::vector<std::string> inputs = {node.real(0), node.constant(pads)};
  const DataType type = node.operand(0).quantization ? DataType::kF32 : node.operand(0).type;
  if (node.has_input(1))
    inputs.push_back(node.real(1));
  else if (op.value != 0)
    inputs.push_back(node.scalar(type, op.value));
  return node.write("Pad", std::move(inputs), {{"mode", onnx_name(kPadModes, op.mode)}});
}

// The input, scales or sizes, from which runtimes derive both the sizes and the scales.
enum class SizedBy { kScales, kSizes, kNeither };

// Returns true if the scale gives this size in float and in double arithmetic. Runtimes use one or the other; in
// double, a scale that was rounded down gives one element less.
bool gives_size(float dim, float part, float scale, int64_t size) {
  const double exact = static_cast<double>(dim) * static_cast<double>(part) * static_cast<double>(scale);
  return static_cast<int64_t>(std::floor(dim * part * scale)) == size &&
         static_cast<int64_t>(std::floor(exact)) == size;
}

SizedBy sized_by(const ops::Resize& op, const Shape& x) {
  if (op.scales.empty()) return SizedBy::kSizes;
  bool scales = true, sizes = true;
  for (size_t axis = 0; axis < op.sizes.size(); ++axis) {
    const auto dim = static_cast<float>(x[static_cast<int>(axis)]);
    const float part = op.roi.empty() ? 1.0f : op.roi[op.sizes.size() + axis] - op.roi[axis];
    scales = scales && gives_size(dim, part, op.scales[axis], op.sizes[axis]);
    sizes = sizes && static_cast<float>(op.sizes[axis]) / dim == op.scales[axis];
  }
  return scales ? SizedBy::kScales : sizes ? SizedBy::kSizes : SizedBy::kNeither;
}

Result<std::string> write_resize(NodeWriter& node) {
  const auto& op = node.attributes<ops::Resize>();
  const SizedBy by = sized_by(op, node.operand(0).shape);
  if (by == SizedBy::kNeither) return node.unsupported("its scales and sizes cannot be expressed together");
  if (op.coordinate == ops::CoordinateMode::kTfHalfPixelForNn)
    return node.unsupported("tf_half_pixel_for_nn was removed in opset 13");
  std::vector<std::string> inputs = {node.real(0), op.roi.empty() ? "" : node.floats(op.roi)};
  if (by == SizedBy::kScales)
    inputs.push_back(node.floats(op.scales));
  else
    inputs.insert(inputs.end(), {"", node.constant(op.sizes)});
  return node.write("Resize", std::move(inputs),
                    {{"mode", onnx_name(kResizeModes, op.mode)},
                     {"coordinate_transformation_mode", onnx_name(kCoordinateModes, op.coordinate)},
                     {"nearest_mode", onnx_name(kNearestModes, op.nearest)},
                     {"cubic_coeff_a", op.cubic_coefficient},
                     {"exclude_outside", op.exclude_outside},
                     {"extrapolation_value", op.extrapolation_value}});
}

Result<std::string> write_grid_sample(NodeWriter& node) {
  const auto& op = node.attributes<ops::GridSample>();
  if (node.opset() < 16) return node.unsupported("GridSample requires opset 16");
  if (node.operand(0).shape.rank() != 4) return node.unsupported("GridSample of volumes requires opset 20");
  // Opset 20 renamed bilinear and bicubic.
  std::string_view mode = onnx_name(kGridSampleModes, op.mode);
  if (node.opset() >= 20 && mode.starts_with("bi")) mode = mode == "bicubic" ? "cubic" : "linear";
  return node.write("GridSample", node.reals(2),
                    {{"mode", mode},
                     {"padding_mode", onnx_name(kGridSamplePaddings, op.padding)},
                     {"align_corners", op.align_corners}});
}

constexpr ExportRule kResamplingExportRules[] = {
    {ops::Kind::kGridSample, write_grid_sample},
    {ops::Kind::kPad, write_pad},
    {ops::Kind::kResize, write_resize},
};

}  // namespace

std::span<const ExportRule> resampling_export_rules() { return kResamplingExportRules; }

}  // namespace nestrt::compiler
