// SPDX-License-Identifier: Apache-2.0
#include "test/support/evta/random_program.h"

#include <algorithm>
#include <array>

#include "test/support/evta/hazard_finder.h"

namespace nestrt::test {
namespace {

using namespace evta;

// Elements [begin, begin + size) of an on-chip memory.
struct Region {
  uint32_t begin;
  uint32_t size;
};

// Steps of one index of a loop.
struct Affine {
  uint32_t factor_out;
  uint32_t factor_in;
};

class Generator {
 public:
  Generator(const std::string& configuration, uint64_t seed, Hazards hazards)
      : program_(configuration), random_(seed), hazards_(hazards) {}

  TestProgram generate() {
    threads_ = between(1, 2);
    rounds_ = hazards_ == Hazards::kFrequent ? 1 : between(1, 5);
    for (uint32_t round = 0; round < rounds_; ++round) add_round(round);
    const uint32_t pending = std::min(threads_, rounds_);
    for (uint32_t i = 1; i < pending; ++i) program_.load({.memory = Memory::kUop}, {.pop_next = true});
    program_.finish({.pop_next = true});
    return std::move(program_);
  }

 private:
  uint32_t between(uint32_t least, uint32_t most) {
    return least + static_cast<uint32_t>(random_() % (uint64_t{most} - least + 1));
  }
  bool chance(uint32_t percent) { return between(1, 100) <= percent; }

  // Returns a random region in the half of a memory that belongs to this virtual thread.
  Region place(Memory memory, uint32_t thread, uint32_t least, uint32_t most) {
    const uint32_t half = program_.configuration().depth(memory) / 2;
    const uint32_t size = between(least, most);
    return {thread * half + between(0, half - size), size};
  }

  std::vector<std::byte> random_bytes(size_t count) {
    std::vector<std::byte> bytes(count);
    for (size_t i = 0; i < count; i += 8) {
      const uint64_t value = random_();
      for (size_t k = i; k < std::min(count, i + 8); ++k) bytes[k] = static_cast<std::byte>(value >> (8 * (k - i)));
    }
    return bytes;
  }

  // Fills a region with one transfer, with pads if the memory supports them.
  void load_region(Memory memory, const Region& region, Dependencies flags) {
    Transfer transfer{.memory = memory, .sram_base = region.begin};
    uint32_t columns = between(1, std::min(region.size, 12u));
    while (region.size % columns != 0) --columns;
    const uint32_t rows = region.size / columns;
    const bool pads = memory != Memory::kWgt && chance(50);
    transfer.x_pad_begin = pads ? static_cast<uint8_t>(between(0, std::min(columns - 1, 3u))) : 0;
    transfer.x_pad_end = pads ? static_cast<uint8_t>(between(0, std::min(columns - 1 - transfer.x_pad_begin, 3u))) : 0;
    transfer.y_pad_begin = pads ? static_cast<uint8_t>(between(0, std::min(rows - 1, 3u))) : 0;
    transfer.y_pad_end = pads ? static_cast<uint8_t>(between(0, std::min(rows - 1 - transfer.y_pad_begin, 3u))) : 0;
    transfer.x_size = static_cast<uint16_t>(columns - transfer.x_pad_begin - transfer.x_pad_end);
    transfer.y_size = static_cast<uint16_t>(rows - transfer.y_pad_begin - transfer.y_pad_end);
    transfer.x_stride = static_cast<uint16_t>(transfer.x_size + between(0, 3));
    const size_t elements = size_t{transfer.x_stride} * (transfer.y_size - 1u) + transfer.x_size;
    const auto size = static_cast<size_t>(program_.configuration().element_bytes(memory));
    transfer.dram_base = program_.element(program_.add_constant(random_bytes(elements * size)), memory);
    program_.load(transfer, flags);
  }

  // Returns factors that keep a loop within `size` elements. Sets `room` to the remaining elements.
  Affine random_factors(const Loop& loop, uint32_t size, uint32_t* room) {
    Affine affine{between(0, 9), between(0, 9)};
    const auto span = [&] { return (loop.iter_out - 1) * affine.factor_out + (loop.iter_in - 1) * affine.factor_in; };
    while (span() >= size) {
      affine.factor_out /= 2;
      affine.factor_in = affine.factor_in > 0 ? affine.factor_in - 1 : 0;
    }
    *room = size - span();
    return affine;
  }

  struct LoopAndMicroOps {
    Loop loop;
    Affine wgt;
    std::vector<MicroOp> micro_ops;
  };

  // Returns random steps over regions of dst, src and weights.
  LoopAndMicroOps random_steps(const Region& dst, const Region& src, const Region& wgt) {
    LoopAndMicroOps result;
    Loop& loop = result.loop;
    loop.iter_out = between(1, 5);
    loop.iter_in = between(1, 7);
    std::array<uint32_t, 3> room;
    const Affine to = random_factors(loop, dst.size, &room[0]), from = random_factors(loop, src.size, &room[1]);
    result.wgt = random_factors(loop, wgt.size, &room[2]);
    loop.dst_factor_out = to.factor_out, loop.dst_factor_in = to.factor_in;
    loop.src_factor_out = from.factor_out, loop.src_factor_in = from.factor_in;
    result.micro_ops.resize(between(1, 8));
    for (MicroOp& micro_op : result.micro_ops)
      micro_op = {dst.begin + between(0, room[0] - 1), src.begin + between(0, room[1] - 1),
                  wgt.begin + between(0, room[2] - 1)};
    loop.uop_end = static_cast<uint32_t>(result.micro_ops.size());
    return result;
  }

  // Draws until the hardware computes the loop as `operation` specifies; any loop if hazards are allowed.
  template <typename Operation, typename Draw>
  LoopAndMicroOps without_hazard(Operation operation, const Draw& draw) {
    for (;;) {
      LoopAndMicroOps result = draw();
      operation.loop = result.loop;
      if (hazards_ == Hazards::kFrequent) return result;
      if (find_hazard(program_.configuration().design, operation, result.micro_ops).empty()) return result;
    }
  }

  void load_micro_ops(LoopAndMicroOps* loop, Dependencies flags = {}) {
    const auto count = static_cast<uint32_t>(loop->micro_ops.size());
    loop->loop.uop_begin = between(0, program_.configuration().uop_depth() - count);
    loop->loop.uop_end = loop->loop.uop_begin + count;
    program_.load_micro_ops(loop->micro_ops, loop->loop.uop_begin, flags);
  }

  // Returns steps that visit every element of a region once.
  LoopAndMicroOps all_of(const Region& region) {
    return {{.iter_in = region.size, .dst_factor_in = 1, .src_factor_in = 1}, {}, {{region.begin, region.begin, 0}}};
  }

  void add_reset(const Region& acc, Dependencies flags) {
    LoopAndMicroOps every = all_of(acc);
    every.loop.src_factor_in = 0;
    every.micro_ops[0].src = 0;
    load_micro_ops(&every, flags);
    program_.gemm({.loop = every.loop, .reset = true});
  }

  Alu random_alu() {
    Alu alu{.opcode = static_cast<AluOpcode>(between(0, 3)), .use_immediate = chance(60)};
    if (alu.use_immediate) {
      const bool is_shift = alu.opcode == AluOpcode::kShr;
      alu.immediate = static_cast<int16_t>(is_shift ? static_cast<int>(between(0, 31)) - 16
                                                    : static_cast<int>(between(0, 0xffff)) - 0x8000);
    }
    return alu;
  }

  void add_alu(Alu alu, LoopAndMicroOps loop, Dependencies flags = {}) {
    load_micro_ops(&loop);
    alu.loop = loop.loop;
    program_.alu(alu, flags);
  }

  // Returns the region, or often only a few neighbouring elements, so that steps soon access them again.
  Region narrowed(const Region& region) {
    if (region.size < 4 || !chance(hazards_ == Hazards::kFrequent ? 70 : 30)) return region;
    const uint32_t size = between(3, std::min(region.size, 14u));
    return {region.begin + between(0, region.size - size), size};
  }

  // Returns a separate source, or the elements that the operation changes.
  Region source_for(const Region& dst, const Region& acc) {
    return chance(30) && dst.begin - acc.begin >= 3 ? Region{acc.begin, dst.begin - acc.begin} : dst;
  }

  // Sets src to dst if the design requires it for immediates.
  void set_source(const Alu& alu, LoopAndMicroOps& steps) const {
    if (!alu.use_immediate || program_.configuration().design != Design::kChisel) return;
    steps.loop.src_factor_out = steps.loop.dst_factor_out;
    steps.loop.src_factor_in = steps.loop.dst_factor_in;
    for (MicroOp& micro_op : steps.micro_ops) micro_op.src = micro_op.dst;
  }

  void add_random_alu(const Region& acc) {
    const Alu alu = random_alu();
    add_alu(alu, without_hazard(alu, [&] {
              const Region dst = narrowed(acc);
              LoopAndMicroOps steps = random_steps(dst, source_for(dst, acc), {0, 1});
              set_source(alu, steps);
              return steps;
            }));
  }

  void add_store(const Region& acc, Dependencies flags) {
    const uint32_t columns = between(1, std::min(acc.size, 9u)), rows = between(1, acc.size / columns);
    const uint32_t stride = columns + between(0, 4);
    const auto size = static_cast<size_t>(program_.configuration().out_bytes());
    const uint64_t address = program_.add_output((size_t{rows - 1} * stride + columns) * size);
    program_.store({.memory = Memory::kOut,
                    .sram_base = acc.begin + between(0, acc.size - rows * columns),
                    .dram_base = program_.element(address, Memory::kOut),
                    .y_size = static_cast<uint16_t>(rows),
                    .x_size = static_cast<uint16_t>(columns),
                    .x_stride = static_cast<uint16_t>(stride)},
                   flags);
  }

  // Adds transfers that have no effect on the hardware, and sometimes a store of empty rows, which has one.
  void add_empty_transfers() {
    program_.load({.memory = Memory::kInp, .y_size = static_cast<uint16_t>(between(0, 3))});
    const bool rows = hazards_ == Hazards::kFrequent && chance(20);
    program_.store({.memory = Memory::kOut, .y_size = static_cast<uint16_t>(rows ? between(1, 3) : 0)});
  }

  void add_round(uint32_t round) {
    const uint32_t thread = round % threads_;
    if (chance(10)) add_empty_transfers();
    const bool again = round >= threads_, more = round + threads_ < rounds_;
    const Region inp = place(Memory::kInp, thread, 1, 60), wgt = place(Memory::kWgt, thread, 1, 8);
    const Region acc = place(Memory::kAcc, thread, 8, 80);
    load_region(Memory::kInp, inp, {.pop_next = again});
    load_region(Memory::kWgt, wgt, {.push_next = true});
    const Dependencies first{.pop_prev = true, .pop_next = again};
    chance(50) ? load_region(Memory::kAcc, acc, first) : add_reset(acc, first);
    const uint32_t gemms = between(1, hazards_ == Hazards::kFrequent ? 2 : 3);
    for (uint32_t i = 0; i < gemms; ++i) {
      LoopAndMicroOps loop = without_hazard(Gemm{}, [&] { return random_steps(narrowed(acc), inp, wgt); });
      load_micro_ops(&loop);
      program_.gemm({.loop = loop.loop, .wgt_factor_out = loop.wgt.factor_out, .wgt_factor_in = loop.wgt.factor_in},
                    {.push_prev = more && i + 1 == gemms});
    }
    for (uint32_t i = between(0, hazards_ == Hazards::kFrequent ? 1 : 3); i > 0; --i) add_random_alu(acc);
    add_alu(random_alu(), all_of(acc), {.push_next = true});
    const bool two_stores = chance(30);
    add_store(acc, {.pop_prev = true, .push_prev = !two_stores});
    if (two_stores) add_store(acc, {.push_prev = true});
  }

  TestProgram program_;
  std::mt19937_64 random_;
  Hazards hazards_;
  uint32_t threads_ = 1;
  uint32_t rounds_ = 1;
};

}  // namespace

TestProgram random_program(const std::string& configuration, uint64_t seed, Hazards hazards) {
  return Generator(configuration, seed, hazards).generate();
}

}  // namespace nestrt::test
