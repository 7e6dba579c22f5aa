// SPDX-License-Identifier: Apache-2.0
// Assembly for in-order cores, as explained in kernels/common/gemm_f32/tile16_neon_six.cpp: weights and inputs are
// loaded into integer registers and move to vectors in pairs of halves.
//
//   v0-v2   inputs: four channels of each tile, two tiles per vector
//   v4 v5   weights of 16 outputs for channels 0 and 2    v6 v7  for channels 1 and 3
//   v8-v31  sums [tiles][4 vectors of outputs]
//
// A step processes four channels in four phases: 384 products of six tiles in 107 cycles, 96 of which use the
// multiplier. In parallel with the products of a phase, the weights of the next phase move to vectors, and those of the
// following phase are loaded. In the last phase, the inputs of the next step also move. The last step reloads the
// inputs of the first step. Dummy loads prefetch weights twice per step: they do not stall, and the data is in cache
// when needed.
#include "hwy/detect_targets.h"

#if HWY_ARCH_ARM_A64
#include "hwy/base.h"
#include "kernels/conv/winograd/winograd_s8.h"

namespace nestrt::kernels {
namespace {

// clang-format off
#define TILE(s0, s1, s2, s3, x, y, in, t0, t1, t2, t3) \
  "smlal v" #s0 ".4s, v" #x ".4h, v" #in "\n" t0 "\n"  \
  "smlal2 v" #s1 ".4s, v" #x ".8h, v" #in "\n" t1 "\n" \
  "smlal v" #s2 ".4s, v" #y ".4h, v" #in "\n" t2 "\n"  \
  "smlal2 v" #s3 ".4s, v" #y ".8h, v" #in "\n" t3 "\n"
// In a vector of two tiles, channel i of the first tile is element i, that of the second is element 4 + i.
#define TILE_0(x, y, i, t0, t1) TILE(8, 9, 10, 11, x, y, 0.h[i], t0, t1, "", "")
#define TILE_1(x, y, i, t0, t1) TILE(12, 13, 14, 15, x, y, 0.h[4 + i], t0, t1, "", "")
#define TILE_2(x, y, i, t0, t1) TILE(16, 17, 18, 19, x, y, 1.h[i], t0, t1, "", "")
#define TILE_3(x, y, i, t0, t1) TILE(20, 21, 22, 23, x, y, 1.h[4 + i], t0, t1, "", "")
#define TILE_4(x, y, i) TILE(24, 25, 26, 27, x, y, 2.h[i], "", "", "", "")
#define TILE_5(x, y, i) TILE(28, 29, 30, 31, x, y, 2.h[4 + i], "", "", "", "")
#define NO_TILES(x, y, i) ""
#define LAST_TILES(x, y, i) TILE_4(x, y, i) TILE_5(x, y, i)

// Moves the next weights to vectors a and b.
#define LOW_HALVES(a, b) "fmov d" #a ", x13\n" "fmov d" #b ", x15\n"
#define HIGH_HALVES(a, b) "mov v" #a ".d[1], x14\n" "mov v" #b ".d[1], x16\n"
#define LOAD_LOW "ldp x13, x14, [%[weights]], #16"
#define LOAD_HIGH "ldp x15, x16, [%[weights]], #16"
#define FETCH "ldr wzr, [%[weights], %[prefetch_bytes]]"

#define PHASE(i, x, y, a, b, LAST, t0, t1, t2, t3) \
  TILE_0(x, y, i, t0, t1)                          \
  LOW_HALVES(a, b)                                 \
  TILE_1(x, y, i, t2, t3)                          \
  TILE_2(x, y, i, "", "")                          \
  HIGH_HALVES(a, b)                                \
  TILE_3(x, y, i, LOAD_LOW, LOAD_HIGH)             \
  LAST(x, y, i)

// The last phase. Once its tiles are computed, the vector of an input is free for the next step. The high halves of the
// last one or two vectors follow in that step, in MOVE_FOUR or MOVE_SIX.
#define INPUTS_PHASE                  \
  TILE_0(6, 7, 3, FETCH, "")          \
  LOW_HALVES(4, 5)                    \
  TILE_1(6, 7, 3, "", "")             \
  "fmov d0, x19\n"                    \
  "mov v4.d[1], x14\n"                \
  TILE_2(6, 7, 3, "", "")             \
  "mov v0.d[1], x20\n"                \
  "mov v5.d[1], x16\n"                \
  TILE_3(6, 7, 3, LOAD_LOW, LOAD_HIGH)
#define INPUTS_PHASE_FOUR INPUTS_PHASE "fmov d1, x21\n"
#define INPUTS_PHASE_SIX INPUTS_PHASE LAST_TILES(6, 7, 3) "fmov d1, x21\n" "fmov d2, x23\n"
#define MOVE_FOUR "mov v1.d[1], x22\n"
#define MOVE_SIX "mov v1.d[1], x22\n" "mov v2.d[1], x24\n"

// LAST: the tiles after the fourth. t0 to t2 load the inputs of the next step.
#define STEPS(MOVE, LAST, LAST_PHASE, t0, t1, t2)                                             \
  "ldp q4, q5, [%[weights]], #32\n"                                                           \
  LOAD_LOW "\n" LOAD_HIGH "\n"                                                                \
  "0:\n"                                                                                      \
  TILE_0(4, 5, 0, "subs %[steps], %[steps], #1", "")                                          \
  LOW_HALVES(6, 7)                                                                            \
  MOVE                                                                                        \
  TILE_1(4, 5, 0, "", "")                                                                     \
  TILE_2(4, 5, 0, "", "")                                                                     \
  HIGH_HALVES(6, 7)                                                                           \
  TILE_3(4, 5, 0, LOAD_LOW, LOAD_HIGH)                                                        \
  LAST(4, 5, 0)                                                                               \
  PHASE(1, 6, 7, 4, 5, LAST, "csel %[inputs], %[first_inputs], %[inputs], eq", FETCH, "", "") \
  PHASE(2, 4, 5, 6, 7, LAST, "csel %[weights], %[first_weights], %[weights], eq", t0, t1, t2) \
  LAST_PHASE                                                                                  \
  "b.ne 0b\n"

#define ZEROS(a, b, c, d) "movi d" #a ", #0\nmovi d" #b ", #0\nmovi d" #c ", #0\nmovi d" #d ", #0\n"
#define STORE(a, b, c, d, at) \
  "stp q" #a ", q" #b ", [%[sums], #" at "]\n" "stp q" #c ", q" #d ", [%[sums], #" at " + 32]\n"

#define OPERANDS                                                                                                  \
  [weights] "+&r"(weights), [inputs] "+&r"(inputs), [steps] "+&r"(steps)                                          \
      : [first_weights] "r"(product.weights), [first_inputs] "r"(product.inputs), [sums] "r"(product.sums),       \
        [prefetch_bytes] "r"(product.prefetch_bytes)                                                              \
      : "memory", "cc", "x13", "x14", "x15", "x16", "x19", "x20", "x21", "x22", "x23", "x24", "v0", "v1", "v2",   \
        "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", \
        "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"

// Computes one group.
HWY_INLINE void multiply_six(const WinogradS8Product& product) {
  const int16_t *weights = product.weights, *inputs = product.inputs;
  int64_t steps = product.steps;
  __asm__ volatile(
      "ldp q0, q1, [%[inputs]]\n"
      ZEROS(8, 9, 10, 11) ZEROS(12, 13, 14, 15) ZEROS(16, 17, 18, 19)
      "ldr q2, [%[inputs], #32]\n"
      "ldr x22, [%[inputs], #24]\n"
      "ldr x24, [%[inputs], #40]\n"
      "add %[inputs], %[inputs], #48\n"
      ZEROS(20, 21, 22, 23) ZEROS(24, 25, 26, 27) ZEROS(28, 29, 30, 31)
      STEPS(MOVE_SIX, LAST_TILES, INPUTS_PHASE_SIX, "ldp x19, x20, [%[inputs]], #16",
            "ldp x21, x22, [%[inputs]], #16", "ldp x23, x24, [%[inputs]], #16")
      STORE(8, 9, 10, 11, "0") STORE(12, 13, 14, 15, "64") STORE(16, 17, 18, 19, "128")
      STORE(20, 21, 22, 23, "192") STORE(24, 25, 26, 27, "256") STORE(28, 29, 30, 31, "320")
      : OPERANDS);
}

HWY_INLINE void multiply_four(const WinogradS8Product& product) {
  const int16_t *weights = product.weights, *inputs = product.inputs;
  int64_t steps = product.steps;
  __asm__ volatile(
      "ldp q0, q1, [%[inputs]]\n"
      "ldr x22, [%[inputs], #24]\n"
      "add %[inputs], %[inputs], #32\n"
      ZEROS(8, 9, 10, 11) ZEROS(12, 13, 14, 15) ZEROS(16, 17, 18, 19) ZEROS(20, 21, 22, 23)
      STEPS(MOVE_FOUR, NO_TILES, INPUTS_PHASE_FOUR, "ldp x19, x20, [%[inputs]], #16",
            "ldp x21, x22, [%[inputs]], #16", "")
      STORE(8, 9, 10, 11, "0") STORE(12, 13, 14, 15, "64") STORE(16, 17, 18, 19, "128")
      STORE(20, 21, 22, 23, "192")
      : OPERANDS);
}
// clang-format on

void next_group(WinogradS8Product& product, int64_t tiles) {
  product.inputs += product.steps * tiles * kWinogradS8Step;
  product.sums += tiles * kTileBlock;
}

}  // namespace

void winograd_s8_multiply_six(const WinogradS8Product& product) {
  WinogradS8Product group = product;
  for (int64_t i = 0; i < product.groups; ++i, next_group(group, kWinogradS8Group)) multiply_six(group);
}

void winograd_s8_multiply_four(const WinogradS8Product& product) {
  WinogradS8Product group = product;
  for (int64_t i = 0; i < product.groups; ++i, next_group(group, kWinogradS8SmallGroup)) multiply_four(group);
}

#undef TILE
#undef TILE_0
#undef TILE_1
#undef TILE_2
#undef TILE_3
#undef TILE_4
#undef TILE_5
#undef NO_TILES
#undef LAST_TILES
#undef LOW_HALVES
#undef HIGH_HALVES
#undef LOAD_LOW
#undef LOAD_HIGH
#undef FETCH
#undef PHASE
#undef INPUTS_PHASE
#undef INPUTS_PHASE_FOUR
#undef INPUTS_PHASE_SIX
#undef MOVE_FOUR
#undef MOVE_SIX
#undef STEPS
#undef ZEROS
#undef STORE
#undef OPERANDS

}  // namespace nestrt::kernels
#endif
