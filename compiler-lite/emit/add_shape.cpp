// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/emit/add_shape.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "runtime/plan/format/format.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt::compiler {
namespace {

size_t hash_of(const Bytes& bytes) {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

void add_shape(AssembledPlan& plan, AssembledPlan other) {
  std::unordered_multimap<size_t, size_t> known;  // hash to index in constants
  for (size_t i = 0; i < plan.constants.size(); ++i) known.emplace(hash_of(*plan.constants[i].bytes), i);
  for (AssembledPlan::Constant& constant : other.constants) {
    const auto [begin, end] = known.equal_range(hash_of(*constant.bytes));
    const auto same = std::find_if(begin, end, [&](const auto& entry) {
      const auto& bytes = plan.constants[entry.second].bytes;
      return bytes == constant.bytes || *bytes == *constant.bytes;
    });
    if (same != end) {
      constant.data_offset = plan.constants[same->second].data_offset;
    } else {
      constant.data_offset = plan.data_bytes;
      plan.data_bytes = align_up(plan.data_bytes + constant.bytes->size(), plan_format::kSegmentAlignment);
      plan.constants.push_back(constant);
    }
    other.tables.buffers[constant.buffer].data_offset = constant.data_offset;
  }
  plan.tables.shapes.push_back(std::move(other.tables));
}

}  // namespace nestrt::compiler
