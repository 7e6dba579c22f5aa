// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/ports.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "drivers/vendor/description.h"
#include "runtime/text/escaped.h"

namespace nestrt::vendor {
namespace {

// The maximum length of a compared name. It limits reading if the terminating zero of a text is missing.
constexpr size_t kMaxName = 8192;

uint32_t type_to_c(const std::optional<DataType>& type) {
  return type ? static_cast<uint32_t>(*type) + 1 : NESTRT_VENDOR_TYPE_UNKNOWN;
}
static_assert(static_cast<uint32_t>(DataType::kF32) + 1 == NESTRT_VENDOR_TYPE_F32 &&
              static_cast<uint32_t>(DataType::kBool) + 1 == NESTRT_VENDOR_TYPE_BOOL);
static_assert(Shape::kMaxRank == NESTRT_VENDOR_MAX_RANK);

nestrt_vendor_port to_c(const PortSpec& spec) {
  nestrt_vendor_port port = {};
  port.name = spec.name.empty() ? nullptr : spec.name.c_str();
  port.bytes = spec.bytes;
  port.type = type_to_c(spec.type);
  port.layout = NESTRT_VENDOR_LAYOUT_ROW_MAJOR;
  port.rank = static_cast<uint32_t>(spec.shape.rank());
  port.axis = spec.axis;
  std::ranges::copy(spec.shape.dims(), port.shape);
  port.num_scales = static_cast<uint32_t>(spec.scales.size());
  port.scales = spec.scales.empty() ? nullptr : spec.scales.data();
  port.zero_points = spec.scales.empty() ? nullptr : spec.zero_points.data();
  return port;
}

// Compares one port. A member that only one side specifies counts as equal.
class StatedPort {
 public:
  StatedPort(const nestrt_vendor_port& stated, const Part& part, size_t index, std::string_view file)
      : stated_(stated), part_(part), index_(index), spec_(part.port(index)), file_(file) {}

  Status check() const {
    NESTRT_RETURN_IF_ERROR(check_name());
    NESTRT_RETURN_IF_ERROR(check_port_bytes(stated_.bytes, part_, index_, file_));
    NESTRT_RETURN_IF_ERROR(check_shape());
    NESTRT_RETURN_IF_ERROR(check_scales());
    return check_layout();
  }

 private:
  Status differs(std::string_view what, std::string_view stated, std::string_view expected) const {
    return Status(Code::kInvalidPlan,
                  fmt::format("plug-in '{}' reports {} {} for port {} of its program, but the plan has {}", file_, what,
                              stated, index_, expected));
  }
  Status invalid(std::string_view what) const {
    return wrong_answer(file_, "load_part", fmt::format("returns {} for port {}", what, index_));
  }

  Status check_name() const {
    if (stated_.name == nullptr || spec_.name.empty()) return {};
    const std::string name(stated_.name, ::strnlen(stated_.name, kMaxName));
    if (name == spec_.name) return {};
    return differs("the name", "'" + escaped(name) + "'", "'" + escaped(spec_.name) + "'");
  }

  Status check_shape() const {
    if (stated_.type == NESTRT_VENDOR_TYPE_UNKNOWN) return {};
    if (stated_.type > NESTRT_VENDOR_TYPE_BOOL || stated_.rank > NESTRT_VENDOR_MAX_RANK)
      return invalid(fmt::format("type {} and {} dimensions", stated_.type, stated_.rank));
    if (!spec_.type) return {};
    const auto type = static_cast<DataType>(stated_.type - 1);
    const Shape shape(std::span(stated_.shape, stated_.rank));
    if (type == *spec_.type && shape == spec_.shape) return {};
    return differs("type and shape", fmt::format("{} {}", name(type), shape.to_string()),
                   fmt::format("{} {}", name(*spec_.type), spec_.shape.to_string()));
  }

  Status check_scales() const {
    if (stated_.num_scales == 0 || spec_.scales.empty()) return {};
    if (stated_.scales == nullptr || stated_.zero_points == nullptr) return invalid("scales that are null");
    if (stated_.num_scales != spec_.scales.size())
      return differs("a number of scales", std::to_string(stated_.num_scales), std::to_string(spec_.scales.size()));
    const std::span scales(stated_.scales, stated_.num_scales);
    const std::span zero_points(stated_.zero_points, stated_.num_scales);
    const bool are_equal =
        std::ranges::equal(scales, spec_.scales) && std::ranges::equal(zero_points, spec_.zero_points);
    if (are_equal && (stated_.num_scales == 1 || stated_.axis == spec_.axis)) return {};
    return differs("scale and zero point", fmt::format("{} and {}", scales[0], zero_points[0]),
                   fmt::format("{} and {}", spec_.scales[0], spec_.zero_points[0]));
  }

  Status check_layout() const {
    if (stated_.layout == NESTRT_VENDOR_LAYOUT_ROW_MAJOR) return {};
    if (stated_.layout != NESTRT_VENDOR_LAYOUT_CHANNELS_LAST)
      return invalid(fmt::format("the unknown layout {}", stated_.layout));
    if (spec_.type && spec_.shape.rank() >= 3) return {};
    return invalid(spec_.type ? "channels last, although it has fewer than three dimensions"
                              : "channels last, although its shape is unknown");
  }

  const nestrt_vendor_port& stated_;
  const Part& part_;
  const size_t index_;
  const PortSpec& spec_;
  const std::string_view file_;
};

}  // namespace

PartForPlugin::PartForPlugin(const Part& part) {
  for (size_t i = 0; i < part.num_ports(); ++i) ports_.push_back(to_c(part.port(i)));
  for (const Part::File& file : part.files)
    files_.push_back({file.name.c_str(), part.blob.data() + file.offset, file.size});
  part_.struct_bytes = sizeof part_;
  part_.num_inputs = static_cast<uint32_t>(part.inputs.size());
  part_.num_outputs = static_cast<uint32_t>(part.outputs.size());
  part_.num_files = static_cast<uint32_t>(files_.size());
  part_.ports = ports_.data();
  part_.files = files_.data();
  part_.blob = part.blob.data();
  part_.blob_bytes = part.blob.size();
}

Status check_num_ports(uint32_t num_inputs, uint32_t num_outputs, const Part& part, std::string_view file) {
  if (num_outputs == 0 || uint64_t{num_inputs} + num_outputs > NESTRT_VENDOR_MAX_PORTS)
    return wrong_answer(
        file, "load",
        fmt::format("returns {} inputs and {} outputs: expected at least one output and at most {} in total",
                    num_inputs, num_outputs, NESTRT_VENDOR_MAX_PORTS));
  if (num_inputs == part.inputs.size() && num_outputs == part.outputs.size()) return {};
  return Status(
      Code::kInvalidPlan,
      fmt::format(
          "plug-in '{}' reports {} inputs and {} outputs for its program, but the plan has {} inputs and {} outputs",
          file, num_inputs, num_outputs, part.inputs.size(), part.outputs.size()));
}

Status check_port_bytes(uint64_t stated, const Part& part, size_t port, std::string_view file) {
  const uint64_t expected = part.port(port).bytes;
  if (stated == expected) return {};
  return Status(Code::kInvalidPlan,
                fmt::format("plug-in '{}' reports {} bytes for port {} of its program, but the plan has {} bytes", file,
                            stated, port, expected));
}

Result<std::vector<bool>> check_stated_ports(const nestrt_vendor_program_ports& stated, const Part& part,
                                             std::string_view file) {
  NESTRT_RETURN_IF_ERROR(check_num_ports(stated.num_inputs, stated.num_outputs, part, file));
  std::vector<bool> have_channels_last;
  for (size_t i = 0; i < part.num_ports(); ++i) {
    NESTRT_RETURN_IF_ERROR(StatedPort(stated.ports[i], part, i, file).check());
    have_channels_last.push_back(stated.ports[i].layout == NESTRT_VENDOR_LAYOUT_CHANNELS_LAST);
  }
  return have_channels_last;
}

}  // namespace nestrt::vendor
