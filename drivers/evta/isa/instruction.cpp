// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/isa/instruction.h"

namespace nestrt::evta {
namespace {

template <size_t kCount, typename Enum>
std::string_view name_in(const std::array<std::string_view, kCount>& names, Enum value) {
  const auto index = static_cast<size_t>(value);
  return index < kCount ? names[index] : "?";
}

}  // namespace

std::string_view name(Opcode opcode) {
  return name_in(std::array<std::string_view, 5>{"load", "store", "gemm", "finish", "alu"}, opcode);
}

std::string_view name(AluOpcode opcode) {
  return name_in(std::array<std::string_view, 5>{"min", "max", "add", "shr", "mul"}, opcode);
}

std::string_view name(Module module) {
  return name_in(std::array<std::string_view, kNumModules>{"load", "compute", "store"}, module);
}

Module module_of(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kStore) return Module::kStore;
  if (instruction.opcode != Opcode::kLoad) return Module::kCompute;
  const Memory memory = instruction.transfer().memory;
  return memory == Memory::kInp || memory == Memory::kWgt ? Module::kLoad : Module::kCompute;
}

}  // namespace nestrt::evta
