// SPDX-License-Identifier: Apache-2.0
#include "test/drivers/vendor/skeleton_programs.h"

#include <cstring>
#include <string>

#include "test/support/plan/copy_plan.h"

namespace nestrt::vendor::test {
namespace {

constexpr uint32_t kMagic = 0x314c4b53;  // "SKL1"

bool copies(const plan::Tables& tables, const plan::Branch& branch) {
  return branch.operators.size() == 1 && tables.operators[branch.operators[0]].as<ops::Transpose>() != nullptr;
}

uint32_t bytes_of(const plan::Tensor& tensor) {
  return static_cast<uint32_t>(storage_bytes(tensor.type, tensor.shape, tensor.layout));
}

uint32_t add_segment(nestrt::test::PlanBuilder& builder, const std::vector<uint32_t>& blob) {
  plan::Tables& tables = builder.tables();
  std::vector<uint8_t> bytes(blob.size() * sizeof blob[0]);
  std::memcpy(bytes.data(), blob.data(), bytes.size());
  const int tensor = builder.constant("blob" + std::to_string(tables.tensors.size()),
                                      Shape{static_cast<int64_t>(bytes.size())}, bytes, DataType::kU8);
  for (plan::MemoryPlan& memory : tables.memory_plans) memory.offsets.push_back(0);
  return tables.tensors[static_cast<size_t>(tensor)].buffer;
}

void add_program(nestrt::test::PlanBuilder& builder, uint32_t branch) {
  const plan::Operator op = builder.tables().operators[builder.tables().branches[branch].operators[0]];
  const uint32_t bytes = bytes_of(builder.tables().tensors[static_cast<size_t>(op.inputs[0])]);
  plan::Program program;
  program.unit = "skeleton";
  program.kind = plan::ProgramKind::kBlob;
  program.segments = {add_segment(builder, skeleton_blob(1, 1, bytes))};
  program.ranges = {{0, bytes, plan::RangeAccess::kRead, op.inputs[0]},
                    {bytes, bytes, plan::RangeAccess::kWrite, op.outputs[0]}};
  builder.tables().branches[branch].programs.push_back(std::move(program));
}

}  // namespace

const nestrt_vendor_functions& skeleton() { return *nestrt_vendor_plugin(NESTRT_VENDOR_ABI_1); }

const nestrt_vendor_functions& described_skeleton() { return *nestrt_vendor_plugin(NESTRT_VENDOR_ABI); }

std::vector<uint32_t> skeleton_blob(uint32_t num_inputs, uint32_t num_outputs, uint32_t port_bytes) {
  return {kMagic, num_inputs, num_outputs, port_bytes};
}

void add_skeleton_programs(nestrt::test::PlanBuilder& builder) {
  const plan::Tables& tables = builder.tables();
  for (uint32_t branch = 0; branch < tables.branches.size(); ++branch)
    if (copies(tables, tables.branches[branch])) add_program(builder, branch);
}

nestrt::test::PlanFile skeleton_copy_file() {
  auto builder = evta::test::copy_plan(evta::kConfigurations[0]);
  add_skeleton_programs(builder);
  return builder.build();
}

}  // namespace nestrt::vendor::test
