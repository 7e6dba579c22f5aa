// SPDX-License-Identifier: Apache-2.0
#include "test/drivers/null/copy_program.h"

#include <string>
#include <vector>

namespace nestrt::null::test {
namespace {

bool copies(const plan::Tables& tables, const plan::Branch& branch) {
  return branch.operators.size() == 1 && tables.operators[branch.operators[0]].as<ops::Transpose>() != nullptr;
}

uint32_t add_segment(nestrt::test::PlanBuilder& builder, std::span<const std::byte> blob) {
  plan::Tables& tables = builder.tables();
  const std::vector<std::byte> bytes(blob.begin(), blob.end());
  const int tensor = builder.constant("copies" + std::to_string(tables.tensors.size()),
                                      Shape{static_cast<int64_t>(bytes.size())}, bytes, DataType::kU8);
  for (plan::MemoryPlan& memory : tables.memory_plans) memory.offsets.push_back(0);
  return tables.tensors[static_cast<size_t>(tensor)].buffer;
}

}  // namespace

void add_program(nestrt::test::PlanBuilder& builder, uint32_t branch, std::span<const std::byte> blob) {
  const uint32_t segment = add_segment(builder, blob);
  plan::Tables& tables = builder.tables();
  const plan::Operator& op = tables.operators[tables.branches[branch].operators[0]];
  plan::Program program;
  program.unit = kUnitKind;
  program.kind = plan::ProgramKind::kBlob;
  program.configuration = kConfiguration;
  program.segments = {segment};
  uint64_t address = 0;
  for (const auto& [tensor, access] :
       {std::pair(op.inputs[0], plan::RangeAccess::kRead), std::pair(op.outputs[0], plan::RangeAccess::kWrite)}) {
    const plan::Tensor& operand = tables.tensors[static_cast<size_t>(tensor)];
    const auto size = static_cast<uint64_t>(storage_bytes(operand.type, operand.shape, operand.layout));
    program.ranges.push_back({address, size, access, tensor});
    address += size;
  }
  tables.branches[branch].programs.push_back(std::move(program));
}

void add_programs(nestrt::test::PlanBuilder& builder) {
  const BlobCopy copy{0, 1};
  const std::vector<std::byte> blob = encode_blob({&copy, 1});
  const plan::Tables& tables = builder.tables();
  for (uint32_t branch = 0; branch < tables.branches.size(); ++branch)
    if (copies(tables, tables.branches[branch])) add_program(builder, branch, blob);
}

}  // namespace nestrt::null::test
