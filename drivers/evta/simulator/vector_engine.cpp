// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/simulator/vector_engine.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "drivers/evta/simulator/vector_engine.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/common/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace nestrt::evta::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Vectors of at most one block of outputs.
template <size_t kBlock>
using D32 = hn::CappedTag<int32_t, kBlock == 8 ? 8 : 16>;
template <size_t kBlock>
using V32 = hn::Vec<D32<kBlock>>;
template <size_t kBlock>
using D16 = hn::RepartitionToNarrow<D32<kBlock>>;
template <size_t kBlock>
constexpr size_t kLanes = hn::MaxLanes(D32<kBlock>());

// Steps of one micro-op along one loop.
struct Run {
  size_t count;
  const int16_t* inp;
  size_t inp_step;
  int32_t* acc;
  int8_t* out;
  size_t acc_step;
};

template <size_t kBlock>
HWY_INLINE void store_low_bytes(V32<kBlock> values, int8_t* out) {
  const hn::Rebind<uint8_t, D32<kBlock>> d8;
  hn::StoreU(hn::TruncateTo(d8, hn::BitCast(hn::RebindToUnsigned<D32<kBlock>>(), values)), d8,
             reinterpret_cast<uint8_t*>(out));
}

// The sums of kLanes outputs over kBlock inputs.
#if HWY_TARGET == HWY_SCALAR
template <size_t kBlock>
struct Weights {
  HWY_INLINE explicit Weights(const int16_t* from) : at(from) {}
  HWY_INLINE V32<kBlock> times(const int16_t* inp) const {
    int32_t sum = 0;
    for (size_t k = 0; k < kBlock; ++k) sum += inp[k] * at[k / 2 * 2 * kBlock + k % 2];
    return hn::Set(D32<kBlock>(), sum);
  }
  const int16_t* at;
};
#else
template <size_t kBlock>
struct Weights {
  HWY_INLINE explicit Weights(const int16_t* from) {
    HWY_UNROLL(16) for (size_t k = 0; k < kBlock / 2; ++k) at[k] = hn::LoadU(D16<kBlock>(), from + k * 2 * kBlock);
  }
  HWY_INLINE V32<kBlock> times(const int16_t* inp) const {
    const D32<kBlock> d32;
    V32<kBlock> even = hn::Zero(d32), odd = hn::Zero(d32), even_rest = hn::Zero(d32), odd_rest = hn::Zero(d32);
    HWY_UNROLL(8) for (size_t k = 0; k < kBlock / 2; k += 2) {
      even = hn::ReorderWidenMulAccumulate(d32, pair(inp + 2 * k), at[k], even, odd);
      even_rest = hn::ReorderWidenMulAccumulate(d32, pair(inp + 2 * k + 2), at[k + 1], even_rest, odd_rest);
    }
    return hn::Add(hn::RearrangeToOddPlusEven(even, odd), hn::RearrangeToOddPlusEven(even_rest, odd_rest));
  }
  // Broadcasts two adjacent inputs to all lanes.
  static HWY_INLINE hn::Vec<D16<kBlock>> pair(const int16_t* inp) {
    int32_t both;
    hwy::CopyBytes<sizeof(both)>(inp, &both);
    return hn::BitCast(D16<kBlock>(), hn::Set(D32<kBlock>(), both));
  }
  hn::Vec<D16<kBlock>> at[kBlock / 2];
};
#endif

template <size_t kBlock, bool kReset>
HWY_INLINE void multiply(const int16_t* wgt, const Run& run) {
  const D32<kBlock> d;
  for (size_t lane = 0; lane < kBlock; lane += kLanes<kBlock>) {
    const Weights<kBlock> weights(wgt + 2 * lane);
    const int16_t* inp = run.inp;
    int32_t* acc = run.acc + lane;
    int8_t* out = run.out + lane;
    for (size_t i = 0; i < run.count; ++i) {
      const V32<kBlock> sum = hn::Add(hn::Load(d, acc), weights.times(inp));
      hn::Store(kReset ? hn::Zero(d) : sum, d, acc);
      store_low_bytes<kBlock>(sum, out);
      inp += run.inp_step;
      acc += run.acc_step;
      out += run.acc_step;
    }
  }
}

// Runs `count` steps of micro-op `uop` along the inner loop, starting at step (o, i).
template <size_t kBlock, bool kReset>
HWY_INLINE void gemm_steps(const EngineMemories& memories, const Gemm& gemm, const MicroOp& uop, size_t o, size_t i,
                           size_t count) {
  const Loop& loop = gemm.loop;
  const size_t dst = uop.dst + o * loop.dst_factor_out + i * loop.dst_factor_in;
  const size_t src = uop.src + o * loop.src_factor_out + i * loop.src_factor_in;
  const size_t wgt = uop.wgt + o * gemm.wgt_factor_out + i * gemm.wgt_factor_in;
  multiply<kBlock, kReset>(memories.wgt + wgt * kBlock * kBlock,
                           {count, memories.inp + src * kBlock, loop.src_factor_in * kBlock,
                            memories.acc + dst * kBlock, memories.out + dst * kBlock, loop.dst_factor_in * kBlock});
}

template <size_t kBlock>
void gemm_in_order(const EngineMemories& memories, const Gemm& gemm) {
  for (size_t o = 0; o < gemm.loop.iter_out; ++o) {
    for (size_t i = 0; i < gemm.loop.iter_in; ++i) {
      for (size_t u = gemm.loop.uop_begin; u < gemm.loop.uop_end; ++u)
        gemm_steps<kBlock, true>(memories, gemm, memories.uop[u], o, i, 1);
    }
  }
}

HWY_INLINE Gemm with_loops_exchanged(const Gemm& gemm) {
  const Loop& loop = gemm.loop;
  return {{loop.uop_begin, loop.uop_end, loop.iter_in, loop.iter_out, loop.dst_factor_in, loop.dst_factor_out,
           loop.src_factor_in, loop.src_factor_out},
          gemm.reset,
          gemm.wgt_factor_in,
          gemm.wgt_factor_out};
}

// Weights stay in registers along a loop that does not change them. That loop, or the longer of two, becomes the inner
// loop.
HWY_INLINE Gemm with_longest_run_inside(const Gemm& gemm) {
  const bool out_keeps = gemm.wgt_factor_out == 0, in_keeps = gemm.wgt_factor_in == 0;
  const bool exchange = out_keeps != in_keeps ? out_keeps : gemm.loop.iter_out > gemm.loop.iter_in;
  return exchange ? with_loops_exchanged(gemm) : gemm;
}

// Runs micro-ops [begin, end), which share weights, at step (o, i).
template <size_t kBlock>
HWY_INLINE void gemm_micro_ops(const EngineMemories& memories, const Gemm& gemm, size_t begin, size_t end, size_t o,
                               size_t i) {
  const D32<kBlock> d;
  const Loop& loop = gemm.loop;
  const size_t wgt = memories.uop[begin].wgt + o * gemm.wgt_factor_out + i * gemm.wgt_factor_in;
  const int16_t* inp = memories.inp + (o * loop.src_factor_out + i * loop.src_factor_in) * kBlock;
  const size_t dst = (o * loop.dst_factor_out + i * loop.dst_factor_in) * kBlock;
  for (size_t lane = 0; lane < kBlock; lane += kLanes<kBlock>) {
    const Weights<kBlock> weights(memories.wgt + wgt * kBlock * kBlock + 2 * lane);
    for (size_t u = begin; u < end; ++u) {
      const size_t at = dst + memories.uop[u].dst * kBlock + lane;
      const V32<kBlock> sum =
          hn::Add(hn::Load(d, memories.acc + at), weights.times(inp + memories.uop[u].src * kBlock));
      hn::Store(sum, d, memories.acc + at);
      store_low_bytes<kBlock>(sum, memories.out + at);
    }
  }
}

// Returns the end of the group of micro-ops starting at `begin` that share weights.
HWY_INLINE size_t end_of_group(const MicroOp* uop, size_t begin, size_t end) {
  size_t u = begin + 1;
  while (u < end && uop[u].wgt == uop[begin].wgt) ++u;
  return u;
}

template <size_t kBlock>
void gemm_block(const EngineMemories& memories, const Gemm& given) {
  if (given.reset) return gemm_in_order<kBlock>(memories, given);
  const Gemm gemm = with_longest_run_inside(given);
  const Loop& loop = gemm.loop;
  const size_t run = gemm.wgt_factor_in == 0 ? loop.iter_in : 1;
  for (size_t u = loop.uop_begin, end = u; u < loop.uop_end; u = end) {
    end = end_of_group(memories.uop, u, loop.uop_end);
    const bool along_micro_ops = end - u > run;
    for (size_t o = 0; o < loop.iter_out; ++o) {
      if (along_micro_ops) {
        for (size_t i = 0; i < loop.iter_in; ++i) gemm_micro_ops<kBlock>(memories, gemm, u, end, o, i);
        continue;
      }
      for (size_t k = u; k < end; ++k) {
        for (size_t i = 0; i < loop.iter_in; i += run)
          gemm_steps<kBlock, false>(memories, gemm, memories.uop[k], o, i, run);
      }
    }
  }
}

struct Min {
  template <class V>
  static HWY_INLINE V apply(V a, V b) {
    return hn::Min(a, b);
  }
};
struct Max {
  template <class V>
  static HWY_INLINE V apply(V a, V b) {
    return hn::Max(a, b);
  }
};
struct Sum {
  template <class V>
  static HWY_INLINE V apply(V a, V b) {
    return hn::Add(a, b);
  }
};
// Shifts by the low 5 bits of the amount, signed: right if positive, left if negative.
struct Shift {
  template <class V>
  static HWY_INLINE V apply(V a, V amount) {
    const hn::DFromV<V> d;
    const V zero = hn::Zero(d);
    const V right = hn::ShiftRight<27>(hn::ShiftLeft<27>(amount));
    const V left = hn::Sub(zero, right);
    return hn::IfThenElse(hn::Lt(right, zero), hn::Shl(a, hn::Max(left, zero)), hn::Shr(a, hn::Max(right, zero)));
  }
};

template <size_t kBlock, class Operation>
void alu_loops(const EngineMemories& memories, const Alu& alu) {
  const D32<kBlock> d;
  const V32<kBlock> immediate = hn::Set(d, alu.immediate);
  const Loop& loop = alu.loop;
  for (size_t o = 0; o < loop.iter_out; ++o) {
    for (size_t i = 0; i < loop.iter_in; ++i) {
      for (size_t u = loop.uop_begin; u < loop.uop_end; ++u) {
        const MicroOp& uop = memories.uop[u];
        const size_t dst = (uop.dst + o * loop.dst_factor_out + i * loop.dst_factor_in) * kBlock;
        const size_t src = (uop.src + o * loop.src_factor_out + i * loop.src_factor_in) * kBlock;
        for (size_t lane = 0; lane < kBlock; lane += kLanes<kBlock>) {
          const V32<kBlock> b = alu.use_immediate ? immediate : hn::Load(d, memories.acc + src + lane);
          const V32<kBlock> result = Operation::apply(hn::Load(d, memories.acc + dst + lane), b);
          hn::Store(result, d, memories.acc + dst + lane);
          store_low_bytes<kBlock>(result, memories.out + dst + lane);
        }
      }
    }
  }
}

template <size_t kBlock>
void alu_block(const EngineMemories& memories, const Alu& alu) {
  switch (alu.opcode) {
    case AluOpcode::kMin:
      return alu_loops<kBlock, Min>(memories, alu);
    case AluOpcode::kMax:
      return alu_loops<kBlock, Max>(memories, alu);
    case AluOpcode::kAdd:
      return alu_loops<kBlock, Sum>(memories, alu);
    case AluOpcode::kShr:
      return alu_loops<kBlock, Shift>(memories, alu);
    case AluOpcode::kMul:
      return;
  }
}

}  // namespace

Engine engine(int block) {
  if (block == 8) return {&gemm_block<8>, &alu_block<8>};
  if (block == 16) return {&gemm_block<16>, &alu_block<16>};
  return {&gemm_block<32>, &alu_block<32>};
}

}  // namespace nestrt::evta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nestrt::evta {

NESTRT_SIMD_EXPORT(engine)

Engine select_engine(int block) { return kernels::simd_pick(engine_table)(block); }

}  // namespace nestrt::evta
#endif  // HWY_ONCE
