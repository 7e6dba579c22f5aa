#include "compiler-lite/emit/emit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "nestrt/plan.h"
#include "runtime/core/aligned_memory.h"
#include "runtime/plan/digest.h"
#include "runtime/plan/encode.h"
#include "runtime/plan/format.h"

namespace nestrt::compiler {
namespace {

uint32_t features(const plan::Tables& tables) {
  const bool quantized = std::any_of(tables.tensors.begin(), tables.tensors.end(),
                                     [](const plan::Tensor& tensor) { return tensor.quantization.has_value(); });
  return quantized ? plan_format::kFeatureS8 : 0;
}

plan_format::Header header_of(const AssembledPlan& plan, uint64_t tables_bytes) {
  plan_format::Header header{};
  std::memcpy(header.magic, plan_format::kMagic, sizeof header.magic);
  header.version_major = plan_format::kVersionMajor;
  header.version_minor = plan_format::kVersionMinor;
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
  for (const auto& [buffer, constant] : plan.constants)
    std::copy(constant->begin(), constant->end(),
              bytes.data() + header.data_offset + plan.tables.buffers[buffer].data_offset);
  plan_format::write_digests({bytes.data(), bytes.span().size()});
  return bytes;
}

}  // namespace

Result<PlanBytes> emit(AssembledPlan plan) {
  PlanBytes bytes = file_of(plan);
  plan = {};
  const auto verified = Plan::from_memory(bytes.span(), Verification::kComplete);
  if (!verified && verified.error().code() == Code::kOutOfMemory) return verified.error();
  if (!verified)
    return Status(Code::kInternal,
                  fmt::format("the emitted plan fails verification: {}", verified.error().to_string()));
  return bytes;
}

}  // namespace nestrt::compiler
