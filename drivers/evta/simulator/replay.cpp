// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/simulator/replay.h"

#include <fmt/core.h>

#include <algorithm>

#include "drivers/evta/simulator/functional_simulator.h"

namespace nestrt::evta {
namespace {

// Returns output buffers for a run, filled with kFillByte.
std::vector<std::vector<std::byte>> fresh_outputs(const VectorCase& vector) {
  std::vector<std::vector<std::byte>> outputs;
  for (const VectorMemory& output : vector.outputs) outputs.emplace_back(output.bytes.size(), kFillByte);
  return outputs;
}

Status compare(const VectorCase& vector, const std::vector<std::vector<std::byte>>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto& expected = vector.outputs[i].bytes;
    const auto [at, wanted] = std::mismatch(outputs[i].begin(), outputs[i].end(), expected.begin());
    if (at == outputs[i].end()) continue;
    return Status(Code::kDeviceFault,
                  fmt::format("byte {} of the output at {} is {}, expected {}", at - outputs[i].begin(),
                              vector.outputs[i].address, std::to_integer<int>(*at), std::to_integer<int>(*wanted)));
  }
  return {};
}

}  // namespace

Program program_of(const VectorCase& vector, const Configuration& configuration, std::vector<MemoryRange>* ranges) {
  ranges->clear();
  for (const VectorMemory& input : vector.inputs)
    ranges->push_back({input.address, input.bytes.size(), MemoryRange::Access::kRead, input.bytes.data()});
  for (const VectorMemory& output : vector.outputs)
    ranges->push_back({output.address, output.bytes.size(), MemoryRange::Access::kWrite, nullptr});
  return {&configuration, vector.instructions, *ranges};
}

Status run_and_compare(const VectorCase& vector, FunctionRef<Status(const Dram&)> run) {
  auto outputs = fresh_outputs(vector);
  Dram dram;
  for (const VectorMemory& input : vector.inputs) dram.add_read(input.address, input.bytes);
  for (size_t i = 0; i < outputs.size(); ++i) dram.add_write(vector.outputs[i].address, outputs[i]);
  NESTRT_RETURN_IF_ERROR(run(dram));
  return compare(vector, outputs);
}

Status replay(const VectorCase& vector, const Configuration& configuration, OnChip before) {
  std::vector<MemoryRange> ranges;
  const Program program = program_of(vector, configuration, &ranges);
  NESTRT_RETURN_IF_ERROR(check_program(program, Results::kPartial, before).with_context("checker"));
  NESTRT_ASSIGN_OR_RETURN(FunctionalSimulator simulator, FunctionalSimulator::create(program));
  return run_and_compare(vector, [&](const Dram& dram) { return simulator.run(dram); }).with_context("simulator");
}

}  // namespace nestrt::evta
