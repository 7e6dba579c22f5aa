#include <cmath>

#include "compiler-lite/export/ops/families.h"

namespace nestrt::compiler {
namespace {

const char* word(ops::PadMode mode) {
  switch (mode) {
    case ops::PadMode::kConstant:
      return "constant";
    case ops::PadMode::kReflect:
      return "reflect";
    case ops::PadMode::kEdge:
      return "edge";
  }
  return "";
}

Result<std::string> write_pad(NodeWriter& node) {
  const auto& op = node.attributes<ops::Pad>();
  std::vector<int64_t> pads = op.begin;
  pads.insert(pads.end(), op.end.begin(), op.end.end());
  std::vector<std::string> inputs = {node.real(0), node.constant(pads)};
  const DataType type = node.operand(0).quantization ? DataType::kF32 : node.operand(0).type;
  if (op.value != 0) inputs.push_back(node.scalar(type, op.value));
  return node.write("Pad", std::move(inputs), {{"mode", word(op.mode)}});
}

const char* word(ops::ResizeMode mode) {
  switch (mode) {
    case ops::ResizeMode::kNearest:
      return "nearest";
    case ops::ResizeMode::kLinear:
      return "linear";
    case ops::ResizeMode::kCubic:
      return "cubic";
  }
  return "";
}

// Empty for what opset 13 has dropped.
const char* word(ops::CoordinateMode mode) {
  switch (mode) {
    case ops::CoordinateMode::kHalfPixel:
      return "half_pixel";
    case ops::CoordinateMode::kAsymmetric:
      return "asymmetric";
    case ops::CoordinateMode::kAlignCorners:
      return "align_corners";
    case ops::CoordinateMode::kPytorchHalfPixel:
      return "pytorch_half_pixel";
    case ops::CoordinateMode::kTfHalfPixelForNn:
      return "";
    case ops::CoordinateMode::kTfCropAndResize:
      return "tf_crop_and_resize";
  }
  return "";
}

const char* word(ops::NearestMode mode) {
  switch (mode) {
    case ops::NearestMode::kRoundPreferFloor:
      return "round_prefer_floor";
    case ops::NearestMode::kRoundPreferCeil:
      return "round_prefer_ceil";
    case ops::NearestMode::kFloor:
      return "floor";
    case ops::NearestMode::kCeil:
      return "ceil";
  }
  return "";
}

// Which of the two inputs gives both the sizes and the scales of the operator.
enum class SizedBy { kScales, kSizes, kNeither };

// Readers multiply in floats or in doubles: of a scale that was rounded down the latter make a pixel less.
bool gives_size(float dim, float part, float scale, int64_t size) {
  const double exact = static_cast<double>(dim) * static_cast<double>(part) * static_cast<double>(scale);
  return static_cast<int64_t>(std::floor(dim * part * scale)) == size &&
         static_cast<int64_t>(std::floor(exact)) == size;
}

SizedBy sized_by(const ops::Resize& op, const Shape& x) {
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
  if (by == SizedBy::kNeither) return node.unsupported("its scales and its sizes cannot both be stated");
  const std::string_view coordinate = word(op.coordinate);
  if (coordinate.empty()) return node.unsupported("tf_half_pixel_for_nn has gone since opset 13");
  std::vector<std::string> inputs = {node.real(0), op.roi.empty() ? "" : node.floats(op.roi)};
  if (by == SizedBy::kScales)
    inputs.push_back(node.floats(op.scales));
  else
    inputs.insert(inputs.end(), {"", node.constant(op.sizes)});
  return node.write("Resize", std::move(inputs),
                    {{"mode", word(op.mode)},
                     {"coordinate_transformation_mode", word(op.coordinate)},
                     {"nearest_mode", word(op.nearest)},
                     {"cubic_coeff_a", op.cubic_coefficient},
                     {"exclude_outside", op.exclude_outside},
                     {"extrapolation_value", op.extrapolation_value}});
}

Result<std::string> write_grid_sample(NodeWriter& node) {
  const auto& op = node.attributes<ops::GridSample>();
  if (node.opset() < 16) return node.unsupported("ONNX has grids since opset 16");
  if (node.operand(0).shape.rank() != 4) return node.unsupported("ONNX has grids of volumes since opset 20");
  const char* const mode = op.mode == ops::ResizeMode::kNearest  ? "nearest"
                           : op.mode == ops::ResizeMode::kLinear ? "bilinear"
                                                                 : "bicubic";
  const char* const padding = op.padding == ops::PaddingKind::kZeros    ? "zeros"
                              : op.padding == ops::PaddingKind::kBorder ? "border"
                                                                        : "reflection";
  return node.write("GridSample", node.reals(2),
                    {{"mode", mode}, {"padding_mode", padding}, {"align_corners", op.align_corners}});
}

constexpr ExportRule kRules[] = {
    {ops::Kind::kGridSample, write_grid_sample},
    {ops::Kind::kPad, write_pad},
    {ops::Kind::kResize, write_resize},
};

}  // namespace

std::span<const ExportRule> resampling_export_rules() { return kRules; }

}  // namespace nestrt::compiler
