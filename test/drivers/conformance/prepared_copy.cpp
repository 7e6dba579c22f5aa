// SPDX-License-Identifier: Apache-2.0
#include "test/drivers/conformance/prepared_copy.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

namespace nestrt::test {

ProgramInPlan::ProgramInPlan(const PlanFile& bytes, std::string_view kind) : file(bytes) {
  auto loaded = Plan::from_memory(file.bytes());
  if (!loaded) FAIL(loaded.error().to_string());
  plan = std::move(*loaded);
  for (const plan::Program& candidate : plan->tables().branches[0].programs)
    if (candidate.unit == kind) program = &candidate;
  if (program == nullptr) FAIL("the plan has no program for unit '" << kind << "'");
}

PreparedCopy::PreparedCopy(Unit& unit, const PlanFile& file) : source_(file, unit.info().kind) {
  auto executable = source_.prepare(unit);
  if (!executable) FAIL(executable.error().to_string());
  executable_ = std::move(*executable);
  const plan::Tables& tables = plan().tables();
  x.resize(plan().inputs()[0].size_bytes());
  std::iota(x.begin(), x.end(), static_cast<int8_t>(-7));
  y.assign(x.size(), kUnchanged);
  for (uint32_t buffer = 0; buffer < tables.buffers.size(); ++buffer) {
    const bool is_constant = tables.buffers[buffer].kind == plan::BufferKind::kConstant;
    buffers_.push_back(is_constant ? const_cast<std::byte*>(plan().constant(buffer).data()) : nullptr);
  }
  buffers_[tables.tensors[tables.inputs[0].tensor].buffer] = reinterpret_cast<std::byte*>(x.data());
  buffers_[tables.tensors[tables.outputs[0]].buffer] = reinterpret_cast<std::byte*>(y.data());
  scratch_.resize(executable_->scratch_bytes() + 64);
}

Bindings PreparedCopy::bindings() {
  const auto address = reinterpret_cast<uintptr_t>(scratch_.data());
  return {buffers_, scratch_.data() + (64 - address % 64) % 64};
}

uint64_t PreparedCopy::submit(Submission submission) {
  submission.bindings = bindings();
  submission.completion = &completion;
  submission.generation = completion.arm();
  executable_->submit(submission);
  return submission.generation;
}

Status PreparedCopy::wait() {
  Status status = completion.wait(SteadyClock::now() + kLongEnough);
  if (!completion.done()) FAIL("the submission did not complete in time");
  return status;
}

void PreparedCopy::renew() {
  for (int8_t& value : x) value = static_cast<int8_t>(value * 5 + 3);
  std::fill(y.begin(), y.end(), kUnchanged);
}

void check_runs(PreparedCopy& copy) {
  copy.renew();
  CHECK(copy.run().ok());
  CHECK(copy.is_right());
}

}  // namespace nestrt::test
