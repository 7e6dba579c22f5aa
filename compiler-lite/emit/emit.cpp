// SPDX-License-Identifier: Apache-2.0
#include "compiler-lite/emit/emit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "nestrt/plan.h"
#include "runtime/plan/format/digest.h"
#include "runtime/plan/format/encode.h"
#include "runtime/plan/format/format.h"
#include "runtime/platform/aligned_memory.h"

namespace nestrt::compiler {
namespace {

bool is_quantized(const plan::Tables& tables) {
  return std::any_of(tables.tensors.begin(), tables.tensors.end(),
                     [](const plan::Tensor& tensor) { return tensor.quantization.has_value(); }) ||
         std::ranges::any_of(tables.shapes, is_quantized);
}

uint32_t features(const plan::Tables& tables) { return is_quantized(tables) ? plan_format::kFeatureS8 : 0; }

plan_format::Header header_of(const AssembledPlan& plan, uint64_t tables_bytes) {
  plan_format::Header header{};
  std::memcpy(header.magic, plan_format::kMagic, sizeof header.magic);
  header.version_major = plan_format::kVersionMajor;
  header.version_minor = minor_version_of(plan.tables);
  header.features = features(plan.tables);
  header.tables_bytes = tables_bytes;
  header.data_offset = align_up(sizeof header + tables_bytes, plan_format::kDataAlignment);
  header.data_bytes = plan.data_bytes;
  return header;
}

PlanBytes file_of(const AssembledPlan& plan) {
  const std::vector<std::byte> tables = encode_tables(plan.tables);
  const plan_format::Header header = header_of(plan, tables.size());
  PlanBytes bytes(header.data_offset + header.data_bytes);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::copy(tables.begin(), tables.end(), bytes.data() + sizeof header);
  for (const AssembledPlan::Constant& constant : plan.constants)
    std::copy(constant.bytes->begin(), constant.bytes->end(), bytes.data() + header.data_offset + constant.data_offset);
  plan_format::write_digests({bytes.data(), bytes.span().size()});
  return bytes;
}

Result<std::shared_ptr<const Plan>> verified(const PlanBytes& bytes) {
  const auto plan = Plan::from_memory(bytes.span(), Verification::kComplete);
  if (plan || plan.error().code() == Code::kOutOfMemory) return plan;
  return Status(Code::kInternal, fmt::format("the emitted plan fails verification: {}", plan.error().to_string()));
}

}  // namespace

Result<PlanBytes> emit(AssembledPlan plan, const Complete& complete) {
  PlanBytes bytes = file_of(plan);
  if (complete) {
    NESTRT_ASSIGN_OR_RETURN(const auto written, verified(bytes));
    complete(*written, plan.tables);
    bytes = file_of(plan);
  }
  plan = {};
  NESTRT_ASSIGN_OR_RETURN(const auto written, verified(bytes));
  return bytes;
}

}  // namespace nestrt::compiler
