#include "test/support/random_program.h"

#include <algorithm>
#include <array>

namespace nestrt::test {
namespace {

using namespace evta;

// Elements [begin, begin + size) of an on-chip memory.
struct Region {
  uint32_t begin;
  uint32_t size;
};

// How one index of a loop moves.
struct Affine {
  uint32_t factor_out;
  uint32_t factor_in;
};

class Generator {
 public:
  Generator(const std::string& configuration, uint64_t seed) : program_(configuration), random_(seed) {}

  TestProgram generate() {
    threads_ = between(1, 2);
    rounds_ = between(1, 5);
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

  // Somewhere in the half of a memory that is this virtual thread's.
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

  // Fills a region by one transfer, with pads where the memory has them.
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

  // Factors under which a loop stays within `size` elements; the room that they leave goes to `room`.
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

  // Steps over regions of dst, src and weights that write nothing twice within three steps.
  LoopAndMicroOps random_loop(const Region& dst, const Region& src, const Region& wgt) {
    LoopAndMicroOps result;
    do {
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
    } while (has_write_hazard(result.loop, result.micro_ops));
    return result;
  }

  void load_micro_ops(LoopAndMicroOps* loop, Dependencies flags = {}) {
    const auto count = static_cast<uint32_t>(loop->micro_ops.size());
    loop->loop.uop_begin = between(0, program_.configuration().uop_depth() - count);
    loop->loop.uop_end = loop->loop.uop_begin + count;
    program_.load_micro_ops(loop->micro_ops, loop->loop.uop_begin, flags);
  }

  // Every element of a region once.
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

  void add_alu(LoopAndMicroOps loop, Dependencies flags = {}) {
    load_micro_ops(&loop);
    Alu alu{.loop = loop.loop, .opcode = static_cast<AluOpcode>(between(0, 3)), .use_immediate = chance(60)};
    if (alu.use_immediate) {
      const bool is_shift = alu.opcode == AluOpcode::kShr;
      alu.immediate = static_cast<int16_t>(is_shift ? static_cast<int>(between(0, 31)) - 16
                                                    : static_cast<int>(between(0, 0xffff)) - 0x8000);
    }
    program_.alu(alu, flags);
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

  void add_round(uint32_t round) {
    const uint32_t thread = round % threads_;
    const bool again = round >= threads_, more = round + threads_ < rounds_;
    const Region inp = place(Memory::kInp, thread, 1, 60), wgt = place(Memory::kWgt, thread, 1, 8);
    const Region acc = place(Memory::kAcc, thread, 8, 80);
    load_region(Memory::kInp, inp, {.pop_next = again});
    load_region(Memory::kWgt, wgt, {.push_next = true});
    const Dependencies first{.pop_prev = true, .pop_next = again};
    chance(50) ? load_region(Memory::kAcc, acc, first) : add_reset(acc, first);
    const uint32_t gemms = between(1, 3);
    for (uint32_t i = 0; i < gemms; ++i) {
      LoopAndMicroOps loop = random_loop(acc, inp, wgt);
      load_micro_ops(&loop);
      program_.gemm({.loop = loop.loop, .wgt_factor_out = loop.wgt.factor_out, .wgt_factor_in = loop.wgt.factor_in},
                    {.push_prev = more && i + 1 == gemms});
    }
    for (uint32_t i = between(0, 3); i > 0; --i) add_alu(random_loop(acc, acc, {0, 1}));
    add_alu(all_of(acc), {.push_next = true});
    const bool two_stores = chance(30);
    add_store(acc, {.pop_prev = true, .push_prev = !two_stores});
    if (two_stores) add_store(acc, {.push_prev = true});
  }

  TestProgram program_;
  std::mt19937_64 random_;
  uint32_t threads_ = 1;
  uint32_t rounds_ = 1;
};

}  // namespace

TestProgram random_program(const std::string& configuration, uint64_t seed) {
  return Generator(configuration, seed).generate();
}

bool has_write_hazard(const Loop& loop, const std::vector<MicroOp>& micro_ops) {
  std::array<uint64_t, 2> last = {UINT64_MAX, UINT64_MAX};
  for (uint64_t o = 0; o < loop.iter_out; ++o) {
    for (uint64_t i = 0; i < loop.iter_in; ++i) {
      for (const MicroOp& micro_op : micro_ops) {
        const uint64_t dst = micro_op.dst + o * loop.dst_factor_out + i * loop.dst_factor_in;
        if (dst == last[0] || dst == last[1]) return true;
        last = {dst, last[0]};
      }
    }
  }
  return false;
}

}  // namespace nestrt::test
