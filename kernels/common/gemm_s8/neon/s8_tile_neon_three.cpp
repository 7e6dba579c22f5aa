// SPDX-License-Identifier: Apache-2.0
// Written in assembly, as explained in kernels/common/gemm_s8/neon/s8_tile_neon_four.cpp. Products of four or more
// inputs share a 16-bit sum if the weights are small enough (kernels/common/gemm_s8/s8_chains.h): one addition to
// 32-bit sums per four or eight products, instead of two. Half a block of outputs is processed at a time:
//
//   v0-v11   sums [3 points][4 pairs of outputs]: two partial sums of each output
//   v12-v23  their 16-bit sums
//   v24-v27  weights of the pairs for four inputs    v28-v30  these inputs of each point, repeated
//
// A step processes 16 inputs of each point in halves: 384 products in 62 cycles, plus 12 for each flush of the 16-bit
// sums. The first half also computes the addresses of the next step, the second half those of the following one.
#include "kernels/common/gemm_s8/neon/s8_tile_neon_three.h"

#if HWY_ARCH_ARM_A64
#include <algorithm>
#include <cstddef>

#include "hwy/base.h"
#include "kernels/common/gemm_s8/s8_chains.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kStep = kS8ChainStep;
constexpr int64_t kThree = kMinChainPoints;
constexpr int64_t kHalfStepWeights = kStep / 2 * kTileBlock;

// Arguments of the assembly.
struct ThreePoints {
  const int64_t* offsets;
  int64_t segments;
  const int8_t* input;
  int64_t steps;
  const int8_t* weights;
  const int8_t* second_weights;  // weights of the second half of the outputs, minus half a step
  const int8_t* padding;
  const uint8_t* chains;
  int64_t chunk_stride;
  int64_t offsets_stride;  // bytes from a segment to the next
  // The fields of the second step.
  const int64_t* next_offsets;
  int64_t next_segments;  // segments left in its chunk
  const int8_t* next_input;
  int64_t next_steps;  // steps left
  const int32_t* start;
  int32_t* sums = nullptr;
  int8_t* output = nullptr;  // null: store sums
  const int32_t* shift;
  int8_t low[8], high[8];
};

// clang-format off
// Vector instructions, each paired with integer ones. The order leaves four cycles between a move to a vector and its
// use. Inputs x11 and x12 are loaded during the first products of half a step, x13 during the others.
#define SIX_PRODUCTS(op, t0, t1, t2, t3, t4, t5) \
  op " v12.8h, v24.8b, v28.8b\n" t0 "\n"         \
  op " v13.8h, v25.8b, v28.8b\n" t1 "\n"         \
  op " v16.8h, v24.8b, v29.8b\n" t2 "\n"         \
  op " v17.8h, v25.8b, v29.8b\n" t3 "\n"         \
  op " v14.8h, v26.8b, v28.8b\n" t4 "\n"         \
  op " v15.8h, v27.8b, v28.8b\n" t5 "\n"
#define TWO_PRODUCTS(op, t0, t1)         \
  op " v18.8h, v26.8b, v29.8b\n" t0 "\n" \
  op " v19.8h, v27.8b, v29.8b\n" t1 "\n"
#define LAST_PRODUCTS(op, t0, t1, t2, t3)                                              \
  op " v20.8h, v24.8b, v30.8b\n" t0 "\n" op " v21.8h, v25.8b, v30.8b\n" t1 "\n"        \
  "fmov d24, x14\n" "fmov d25, x15\n"                                                  \
  op " v22.8h, v26.8b, v30.8b\n" t2 "\n" op " v23.8h, v27.8b, v30.8b\n" t3 "\n"        \
  "fmov d26, x16\n" "fmov d27, x17\n"
#define FOUR_INPUTS(op, t4, t6, t7, t8, t9, t10, t11)                                                              \
  SIX_PRODUCTS(op, "ldp x14, x15, [x5, #64]", "lsr x11, x11, #32", "ldp x16, x17, [x5, #80]", "lsr x12, x12, #32", \
               t4, "lsr x13, x13, #32")                                                                            \
  TWO_PRODUCTS(op, t6, t7)                                                                                         \
  "dup v28.2s, w11\n" "dup v29.2s, w12\n"                                                                          \
  LAST_PRODUCTS(op, t8, t9, t10, t11)
#define NEXT_INPUTS(t1, t3, t4, t5, t6, t7, t8, t9, t11)                                                  \
  SIX_PRODUCTS("smlal", "ldp x14, x15, [x5, #128]", t1, "ldp x16, x17, [x5, #144]", t3, t4, t5)           \
  "dup v30.2s, w13\n" "dup v28.2s, w11\n"                                                                 \
  TWO_PRODUCTS("smlal", t6, t7)                                                                           \
  LAST_PRODUCTS("smlal", t8, t9, "add x5, x5, #128", t11)                                                 \
  "dup v29.2s, w12\n" "dup v30.2s, w13\n"

// For points that may be in the padding. x22-x24: inputs. The next step's x8: offsets; x9: segments left in the chunk;
// x10: input of the chunk; x7: steps left. x19: padding; x4: offsets_stride; x6: chunk_stride; x3: input; x2: steps.
#define FIRST_HALF(op)                                                                                    \
  FOUR_INPUTS(op, "ldp x26, x27, [x8]", "ldr x28, [x8, #16]", "ldrb w20, [x25], #1", "ldr x11, [x22]",    \
              "ldr x12, [x23]", "cmp x26, #0", "add x22, x10, x26")                                       \
  NEXT_INPUTS("csel x22, x19, x22, lt", "cmp x27, #0", "add x23, x10, x27", "csel x23, x19, x23, lt",     \
              "ldr x13, [x24]", "cmp x28, #0", "add x24, x10, x28", "csel x24, x19, x24, lt", "")
#define SECOND_HALF(op)                                                                                   \
  FOUR_INPUTS(op, "ldp x26, x27, [x0]", "add x8, x8, x4", "tst w20, #4", "ldr x11, [x22], #8",            \
              "ldr x12, [x23], #8", "csel x5, x1, x5, ne", "subs x9, x9, #1")                             \
  NEXT_INPUTS("csel x8, x26, x8, eq", "csel x9, x27, x9, eq", "csel x21, x6, xzr, eq", "add x10, x10, x21", \
              "ldr x13, [x24], #8", "subs x7, x7, #1", "csel x10, x3, x10, eq", "csel x7, x2, x7, eq", "")

// For one segment in each chunk and non-negative inputs. Subtracts 64, computed as x + 64 with the sign bit flipped.
// x6: bytes from half a step to the next chunk; x3: bytes back to the first chunk; x4: 64 in every byte.
#define CENTRE(x) "add " x ", " x ", x4\n" "eor " x ", " x ", #0x8080808080808080\n"
#define FIRST_CENTRED(op)                                                                                     \
  FOUR_INPUTS(op, "ldrb w20, [x25], #1", "", "tst w20, #4", "ldr x11, [x22]", "ldr x12, [x23]",               \
              "csel x21, x3, x6, ne", "add x11, x11, x4")                                                     \
  NEXT_INPUTS("eor x11, x11, #0x8080808080808080", "add x12, x12, x4", "eor x12, x12, #0x8080808080808080",   \
              "add x22, x22, x21", "ldr x13, [x24]", "add x23, x23, x21", "add x24, x24, x21",                \
              "add x13, x13, x4", "eor x13, x13, #0x8080808080808080")
#define SECOND_CENTRED(op)                                                                                    \
  FOUR_INPUTS(op, "tst w20, #4", "csel x5, x1, x5, ne", "", "ldr x11, [x22], #8", "ldr x12, [x23], #8", "",    \
              "add x11, x11, x4")                                                                             \
  NEXT_INPUTS("eor x11, x11, #0x8080808080808080", "add x12, x12, x4", "eor x12, x12, #0x8080808080808080",   \
              "", "ldr x13, [x24], #8", "", "", "add x13, x13, x4", "eor x13, x13, #0x8080808080808080")

#define ADD_UP                                                                                          \
  "sadalp v0.4s, v12.8h\n" "sadalp v1.4s, v13.8h\n" "sadalp v2.4s, v14.8h\n" "sadalp v3.4s, v15.8h\n"   \
  "sadalp v4.4s, v16.8h\n" "sadalp v5.4s, v17.8h\n" "sadalp v6.4s, v18.8h\n" "sadalp v7.4s, v19.8h\n"   \
  "sadalp v8.4s, v20.8h\n" "sadalp v9.4s, v21.8h\n" "sadalp v10.4s, v22.8h\n" "sadalp v11.4s, v23.8h\n"

// Shifts two vectors of sums of a point to the right.
#define SHIFT(a, b) "sshl v" #a ".4s, v" #a ".4s, v14.4s\n" "sshl v" #b ".4s, v" #b ".4s, v15.4s\n"

#define FIELD(name) [name] "i"(offsetof(ThreePoints, name))

// x5: weights; x1: second_weights; x11-x13, x14-x17: next inputs and weights; x25 w20: chains; x30: byte offset into
// sums and start, which selects the half.
#define STEPS(FIRST, SECOND, ...)                                                                         \
  __asm__ volatile(                                                                                       \
      "ldp x3, x2, [x0, %[input]]\n"                                                                      \
      "ldp x5, x1, [x0, %[weights]]\n"                                                                    \
      "ldp x19, x25, [x0, %[padding]]\n"                                                                  \
      "ldp x6, x4, [x0, %[chunk_stride]]\n"                                                               \
      "ldr x8, [x0]\n"                                                                                    \
      "ldp x14, x15, [x5]\n"                                                                              \
      "ldp x16, x17, [x5, #16]\n"                                                                         \
      "ldp x26, x27, [x8]\n"                                                                              \
      "ldr x28, [x8, #16]\n"                                                                              \
      "fmov d24, x14\n" "fmov d25, x15\n"                                                                 \
      "fmov d26, x16\n" "fmov d27, x17\n"                                                                 \
      __VA_ARGS__                                                                                         \
      "mov x30, #0\n"                                                                                     \
                                                                                                          \
      "0:\n"                                                                                              \
      "movi d0, #0\n" "movi d1, #0\n" "movi d2, #0\n" "movi d3, #0\n" "movi d4, #0\n" "movi d5, #0\n"     \
      "movi d6, #0\n" "movi d7, #0\n" "movi d8, #0\n" "movi d9, #0\n" "movi d10, #0\n" "movi d11, #0\n"   \
      "dup v28.2s, w11\n" "dup v29.2s, w12\n" "dup v30.2s, w13\n"                                         \
      "b 3f\n"                                                                                            \
                                                                                                          \
      "1:\n"                                                                                              \
      FIRST("smlal")                                                                                      \
      "tbnz w20, #0, 4f\n"                                                                                \
      "2:\n"                                                                                              \
      SECOND("smlal")                                                                                     \
      "tbnz w20, #2, 5f\n"                                                                                \
      "tbz w20, #1, 1b\n"                                                                                 \
      ADD_UP                                                                                              \
      "3:\n"                                                                                              \
      FIRST("smull")                                                                                      \
      "tbz w20, #0, 2b\n"                                                                                 \
      "4:\n"                                                                                              \
      ADD_UP                                                                                              \
      SECOND("smull")                                                                                     \
      "tbnz w20, #2, 5f\n"                                                                                \
      "tbz w20, #1, 1b\n"                                                                                 \
      ADD_UP                                                                                              \
      "b 3b\n"                                                                                            \
                                                                                                          \
      "5:\n"                                                                                              \
      "ldr x26, [x0, %[output]]\n"                                                                        \
      "sadalp v0.4s, v12.8h\n" "ldr x27, [x0, %[start]]\n"                                                \
      "sadalp v1.4s, v13.8h\n" "ldr x28, [x0, %[shift]]\n"                                                \
      "sadalp v2.4s, v14.8h\n" "add x27, x27, x30\n"                                                      \
      "sadalp v3.4s, v15.8h\n" "add x28, x28, x30\n"                                                      \
      "sadalp v4.4s, v16.8h\n" "sadalp v5.4s, v17.8h\n"                                                   \
      "ldp q12, q13, [x27]\n"                                                                             \
      "sadalp v6.4s, v18.8h\n" "sadalp v7.4s, v19.8h\n" "sadalp v8.4s, v20.8h\n"                          \
      "ldp q14, q15, [x28]\n"                                                                             \
      "sadalp v9.4s, v21.8h\n" "sadalp v10.4s, v22.8h\n" "sadalp v11.4s, v23.8h\n"                        \
      "addp v0.4s, v0.4s, v1.4s\n" "addp v1.4s, v2.4s, v3.4s\n"                                           \
      "addp v4.4s, v4.4s, v5.4s\n" "addp v5.4s, v6.4s, v7.4s\n"                                           \
      "addp v8.4s, v8.4s, v9.4s\n" "addp v9.4s, v10.4s, v11.4s\n"                                         \
      "add v0.4s, v0.4s, v12.4s\n" "add v1.4s, v1.4s, v13.4s\n"                                           \
      "add v4.4s, v4.4s, v12.4s\n" "add v5.4s, v5.4s, v13.4s\n"                                           \
      "add v8.4s, v8.4s, v12.4s\n" "add v9.4s, v9.4s, v13.4s\n"                                           \
      "cbz x26, 6f\n"                                                                                     \
      "neg v14.4s, v14.4s\n" "neg v15.4s, v15.4s\n"                                                       \
      "ldr d16, [x0, %[low]]\n" "ldr d17, [x0, %[high]]\n"                                                \
      SHIFT(0, 1) SHIFT(4, 5) SHIFT(8, 9)                                                                 \
      "sqxtn v0.4h, v0.4s\n" "sqxtn v4.4h, v4.4s\n" "sqxtn v8.4h, v8.4s\n"                                \
      "sqxtn2 v0.8h, v1.4s\n" "sqxtn2 v4.8h, v5.4s\n" "sqxtn2 v8.8h, v9.4s\n"                             \
      "add x26, x26, x30, lsr #2\n"                                                                       \
      "sqxtn v0.8b, v0.8h\n" "sqxtn v4.8b, v4.8h\n" "sqxtn v8.8b, v8.8h\n"                                \
      "smax v0.8b, v0.8b, v16.8b\n" "smax v4.8b, v4.8b, v16.8b\n" "smax v8.8b, v8.8b, v16.8b\n"           \
      "smin v0.8b, v0.8b, v17.8b\n" "smin v4.8b, v4.8b, v17.8b\n" "smin v8.8b, v8.8b, v17.8b\n"           \
      "str d0, [x26]\n" "str d4, [x26, #16]\n" "str d8, [x26, #32]\n"                                     \
      "b 7f\n"                                                                                            \
      "6:\n"                                                                                              \
      "ldr x27, [x0, %[sums]]\n"                                                                          \
      "add x27, x27, x30\n"                                                                               \
      "stp q0, q1, [x27]\n"                                                                               \
      "stp q4, q5, [x27, #64]\n"                                                                          \
      "stp q8, q9, [x27, #128]\n"                                                                         \
      "7:\n"                                                                                              \
      "eor x30, x30, #32\n"                                                                               \
      "cbnz x30, 0b\n"                                                                                    \
      :                                                                                                   \
      : "r"(args), FIELD(input), FIELD(weights), FIELD(padding), FIELD(chunk_stride), FIELD(next_offsets),  \
        FIELD(next_input), FIELD(start), FIELD(sums), FIELD(output), FIELD(shift), FIELD(low), FIELD(high) \
      : "memory", "cc", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", \
        "x15", "x16", "x17", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0",  \
        "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16",   \
        "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30")

void run_three(const ThreePoints& tile) {
  static_assert(offsetof(ThreePoints, offsets) == 0 && offsetof(ThreePoints, segments) == 8);
  register const ThreePoints* args __asm__("x0") = &tile;
  STEPS(FIRST_HALF, SECOND_HALF,
        "cmp x26, #0\n" "add x22, x3, x26\n" "csel x22, x19, x22, lt\n"
        "cmp x27, #0\n" "add x23, x3, x27\n" "csel x23, x19, x23, lt\n"
        "ldr x11, [x22], #8\n"
        "cmp x28, #0\n" "add x24, x3, x28\n" "csel x24, x19, x24, lt\n"
        "ldr x12, [x23], #8\n"
        "ldp x8, x9, [x0, %[next_offsets]]\n"
        "ldr x13, [x24], #8\n"
        "ldp x10, x7, [x0, %[next_input]]\n");
}

void run_three_centred(const ThreePoints& tile) {
  register const ThreePoints* args __asm__("x0") = &tile;
  STEPS(FIRST_CENTRED, SECOND_CENTRED,
        "add x22, x3, x26\n"
        "ldr x11, [x22], #8\n"
        "add x23, x3, x27\n"
        "ldr x12, [x23], #8\n"
        "add x24, x3, x28\n"
        "ldr x13, [x24], #8\n"
        "mul x3, x2, x6\n"
        "mov x4, #0x4040404040404040\n"
        "sub x3, x6, x3\n"
        "sub x6, x6, #8\n" "sub x3, x3, #8\n"
        CENTRE("x11") CENTRE("x12") CENTRE("x13"));
}
// clang-format on

#undef SIX_PRODUCTS
#undef TWO_PRODUCTS
#undef LAST_PRODUCTS
#undef FOUR_INPUTS
#undef NEXT_INPUTS
#undef FIRST_HALF
#undef SECOND_HALF
#undef CENTRE
#undef FIRST_CENTRED
#undef SECOND_CENTRED
#undef ADD_UP
#undef STEPS
#undef FIELD
#undef SHIFT

// Returns the arguments for the first step and the next one. If there is only one step, the next one repeats it.
ThreePoints first_steps(const S8Tile& tile) {
  ThreePoints three;
  const bool whole = tile.length == kStep;  // otherwise one segment consists of several chunks
  three.segments = tile.segments;
  three.steps = whole ? tile.segments * tile.chunks : tile.length / kStep;
  three.chunk_stride = whole ? tile.chunk_stride : kStep;
  three.input = tile.input;
  three.weights = tile.weights;
  three.second_weights = tile.weights + kTileBlock / 2 * 4 - kHalfStepWeights;
  three.padding = tile.padding;
  three.chains = tile.chains;
  three.offsets_stride = tile.points * int64_t{sizeof(int64_t)};
  three.next_segments = three.segments > 1 ? three.segments - 1 : three.segments;
  three.next_input = three.segments > 1 || three.steps == 1 ? three.input : three.input + three.chunk_stride;
  three.next_steps = three.steps > 1 ? three.steps - 1 : three.steps;
  three.shift = tile.finish == nullptr ? tile.start : tile.finish->shift;
  if (tile.finish != nullptr) {
    std::fill_n(three.low, sizeof three.low, static_cast<int8_t>(tile.finish->bounds.low));
    std::fill_n(three.high, sizeof three.high, static_cast<int8_t>(tile.finish->bounds.high));
  }
  three.start = tile.centred_start != nullptr ? tile.centred_start : tile.start;
  return three;
}

}  // namespace

void s8_tile_neon_three(const S8Tile& tile) {
  ThreePoints three = first_steps(tile);
  for (int64_t p = 0; p < tile.points; p += kThree) {
    const int64_t first = HWY_MIN(p, tile.points - kThree);  // the last group overlaps points already computed
    three.offsets = tile.offsets + first;
    three.next_offsets = three.segments > 1 ? three.offsets + tile.points : three.offsets;
    if (tile.finish == nullptr)
      three.sums = tile.sums + first * kTileBlock;
    else
      three.output = tile.finish->output + first * kTileBlock;
    if (tile.centred_start != nullptr)
      run_three_centred(three);
    else
      run_three(three);
  }
}

}  // namespace nestrt::kernels
#endif
