// SPDX-License-Identifier: Apache-2.0
#include "nestrt/driver/plan_tables.h"

namespace nestrt::plan {

std::string_view name(BufferKind value) {
  switch (value) {
    case BufferKind::kConstant:
      return "constant";
    case BufferKind::kArena:
      return "arena";
    case BufferKind::kInput:
      return "input";
    case BufferKind::kOutput:
      return "output";
  }
  return {};
}

std::string_view name(MemoryPlanKind value) {
  switch (value) {
    case MemoryPlanKind::kSequential:
      return "sequential";
    case MemoryPlanKind::kAnySchedule:
      return "any_schedule";
  }
  return {};
}

std::string_view name(CostOrigin value) {
  switch (value) {
    case CostOrigin::kUnknown:
      return "unknown";
    case CostOrigin::kMeasured:
      return "measured";
    case CostOrigin::kSimulated:
      return "simulated";
    case CostOrigin::kModelled:
      return "modelled";
  }
  return {};
}

std::string_view name(ProgramKind value) {
  switch (value) {
    case ProgramKind::kKernels:
      return "kernels";
    case ProgramKind::kInstructions:
      return "instructions";
    case ProgramKind::kBlob:
      return "blob";
  }
  return {};
}

std::string_view name(RangeAccess value) {
  switch (value) {
    case RangeAccess::kRead:
      return "read";
    case RangeAccess::kWrite:
      return "write";
    case RangeAccess::kReadWrite:
      return "read_write";
  }
  return {};
}

std::string_view name(RangeLayout value) {
  switch (value) {
    case RangeLayout::kPlain:
      return "plain";
    case RangeLayout::kBlocked8:
      return "blocked8";
    case RangeLayout::kBlocked32:
      return "blocked32";
    case RangeLayout::kBytes16:
      return "bytes16";
    case RangeLayout::kBytes32:
      return "bytes32";
  }
  return {};
}

}  // namespace nestrt::plan
