// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/import/ops/window.h"

#include <fmt/core.h>

#include <algorithm>

namespace nestrt::compiler {
namespace {

Result<std::vector<int32_t>> checked_list(const NodeContext& node, const char* name, const std::vector<int64_t>& list,
                                          int length, int64_t least) {
  if (list.size() != static_cast<size_t>(length)) {
    return node.invalid(fmt::format("{} has {} entries instead of {}", name, list.size(), length));
  }
  std::vector<int32_t> result;
  for (int64_t entry : list) {
    if (entry < least || entry > INT32_MAX) {
      return node.invalid(fmt::format("{} {} is outside {} to {}", name, entry, least, INT32_MAX));
    }
    result.push_back(static_cast<int32_t>(entry));
  }
  return result;
}

}  // namespace

int64_t Window::extent(int axis) const {
  const auto i = static_cast<size_t>(axis);
  return (int64_t{kernel[i]} - 1) * dilation[i] + 1;
}

int64_t same_padding(int64_t size, int32_t stride, int64_t extent) {
  const int64_t outputs = (size + stride - 1) / stride;
  return std::max<int64_t>(0, (outputs - 1) * stride + extent - size);
}

Result<Window> read_window(NodeContext& node, int spatial_rank, const std::vector<int64_t>& kernel) {
  const std::vector<int64_t> ones(static_cast<size_t>(spatial_rank), 1);
  const std::vector<int64_t> zeros(2 * static_cast<size_t>(spatial_rank), 0);
  const auto stated_or = [&node](const char* name, const std::vector<int64_t>& fallback) {
    const std::vector<int64_t> stated = node.attribute(name, std::vector<int64_t>());
    return stated.empty() ? fallback : stated;
  };
  Window window;
  NESTRT_ASSIGN_OR_RETURN(window.kernel,
                          checked_list(node, "kernel_shape", stated_or("kernel_shape", kernel), spatial_rank, 1));
  NESTRT_ASSIGN_OR_RETURN(window.stride, checked_list(node, "strides", stated_or("strides", ones), spatial_rank, 1));
  NESTRT_ASSIGN_OR_RETURN(window.dilation,
                          checked_list(node, "dilations", stated_or("dilations", ones), spatial_rank, 1));
  NESTRT_ASSIGN_OR_RETURN(const std::vector<int32_t> pads,
                          checked_list(node, "pads", stated_or("pads", zeros), 2 * spatial_rank, 0));
  window.pad_begin.assign(pads.begin(), pads.begin() + spatial_rank);
  window.pad_end.assign(pads.begin() + spatial_rank, pads.end());
  return window;
}

Status resolve_auto_pad(NodeContext& node, const Shape& input, Window& window) {
  const std::string mode = node.attribute("auto_pad", "NOTSET");
  if (mode == "NOTSET") return ok_status();
  if (mode != "SAME_UPPER" && mode != "SAME_LOWER" && mode != "VALID")
    return node.invalid(fmt::format("auto_pad '{}' is unknown", mode));
  const auto padded = [](int32_t pad) { return pad != 0; };
  if (std::any_of(window.pad_begin.begin(), window.pad_begin.end(), padded) ||
      std::any_of(window.pad_end.begin(), window.pad_end.end(), padded)) {
    return node.invalid(fmt::format("specifies both auto_pad '{}' and pads; remove one of them", mode));
  }
  for (int axis = 0; axis < window.spatial_rank(); ++axis) {
    const auto i = static_cast<size_t>(axis);
    int64_t total = 0;
    if (mode != "VALID") {
      total = same_padding(input[axis + 2], window.stride[i], window.extent(axis));
      if (total > INT32_MAX) return node.invalid("auto_pad results in pads beyond 2^31");
    }
    const int64_t smaller = total / 2;
    window.pad_begin[i] = static_cast<int32_t>(mode == "SAME_LOWER" ? total - smaller : smaller);
    window.pad_end[i] = static_cast<int32_t>(total) - window.pad_begin[i];
  }
  return ok_status();
}

}  // namespace nestrt::compiler
