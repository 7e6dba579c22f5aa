// SPDX-License-Identifier: Apache-2.0
#include "test/drivers/evta/cycles/vta_unit_tests.h"

#include "test/drivers/evta/cycles/vta_stream.h"

namespace nestrt::evta::test {
namespace {

constexpr Module kLoad = Module::kLoad, kCompute = Module::kCompute, kStore = Module::kStore;

Transfer dense(Memory memory, uint16_t elements) {
  Transfer transfer;
  transfer.memory = memory;
  transfer.y_size = 1;
  transfer.x_size = transfer.x_stride = elements;
  return transfer;
}

// Returns one micro-op in two loops, as the compiler folds them.
Loop elements(uint32_t outer, uint32_t inner) {
  Loop loop;
  loop.uop_end = 1;
  loop.iter_out = outer;
  loop.iter_in = inner;
  loop.dst_factor_out = loop.src_factor_out = inner;
  loop.dst_factor_in = loop.src_factor_in = 1;
  return loop;
}

void store_results(VtaStream* stream, uint16_t elements) {
  stream->push(kCompute, kStore);
  stream->pop(kCompute, kStore);
  stream->store(dense(Memory::kOut, elements));
}

// Returns a program of ACC loads, one ALU instruction per opcode, and a store of all results.
std::vector<Instruction> elementwise(uint16_t outer, uint16_t inner, int loads, std::vector<AluOpcode> opcodes) {
  VtaStream stream;
  const auto count = static_cast<uint16_t>(outer * inner);
  for (int i = 0; i < loads; ++i) stream.load(dense(Memory::kAcc, count));
  for (AluOpcode opcode : opcodes) stream.alu(elements(outer, inner), opcode, loads == 1);
  store_results(&stream, count);
  stream.finish();
  return stream.instructions();
}

std::vector<Instruction> padded_load() {
  VtaStream stream;
  Transfer transfer = dense(Memory::kAcc, 20);
  transfer.y_size = 21;
  transfer.y_pad_end = 1;
  transfer.x_pad_begin = 1;
  transfer.x_pad_end = 3;
  stream.load(transfer);
  stream.alu(elements(22, 24), AluOpcode::kShr, true);
  store_results(&stream, 22 * 24);
  stream.finish();
  return stream.instructions();
}

// Returns a product of 4 inputs and 4 weights. `threads` virtual threads divide the inputs; all finish one stage before
// the next.
std::vector<Instruction> gemm(uint16_t threads) {
  VtaStream stream;
  const auto rows = static_cast<uint16_t>(4 / threads);
  for (int thread = 0; thread < threads; ++thread) {
    stream.gemm(elements(rows, 4), true);
    stream.push(kCompute, kLoad);
  }
  for (int thread = 0; thread < threads; ++thread) {
    stream.pop(kCompute, kLoad);
    stream.load(dense(Memory::kInp, rows));
    stream.load(dense(Memory::kWgt, 4));
    stream.push(kLoad, kCompute);
  }
  for (int thread = 0; thread < threads; ++thread) {
    stream.pop(kLoad, kCompute);
    stream.gemm(elements(rows, 4), false);
  }
  for (int thread = 0; thread < threads; ++thread) {
    for (AluOpcode opcode : {AluOpcode::kShr, AluOpcode::kMax, AluOpcode::kMin})
      stream.alu(elements(rows, 4), opcode, true);
    stream.push(kCompute, kStore);
  }
  for (int thread = 0; thread < threads; ++thread) {
    stream.pop(kCompute, kStore);
    stream.store(dense(Memory::kOut, static_cast<uint16_t>(4 * rows)));
  }
  stream.finish();
  return stream.instructions();
}

}  // namespace

std::vector<VtaUnitTest> vta_unit_tests() {
  return {
      {"load and store", elementwise(6, 6, 1, {AluOpcode::kShr}), 619},
      {"padded load", padded_load(), 8579},
      {"GEMM", gemm(1), 648},
      {"GEMM, two virtual threads", gemm(2), 755},
      {"ALU, immediate", elementwise(8, 8, 1, {AluOpcode::kAdd}), 1067},
      {"ALU, tensor", elementwise(8, 8, 2, {AluOpcode::kAdd}), 1654},
      {"ReLU", elementwise(8, 10, 1, {AluOpcode::kMax, AluOpcode::kMin}), 1738},
      {"shift and scale", elementwise(2, 8, 1, {AluOpcode::kAdd, AluOpcode::kShr}), 386},
  };
}

}  // namespace nestrt::evta::test
