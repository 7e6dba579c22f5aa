// SPDX-License-Identifier: Apache-2.0
// Written in assembly, as explained in kernels/common/gemm_s8/neon/s8_tile_neon_four.cpp. With 16 or 32 products, the
// three-point tile spends as much on setup and epilogue as on the products. Here the weights of half a block of outputs
// are loaded once for all points, and the epilogue of a point runs in parallel with the products of the next one.
// 16-bit sums are flushed every eight inputs, which avoids overflow for all supported weights (see
// s8_has_paired_minima()).
//
//   16 inputs, two points at a time:                 32 inputs, one point at a time:
//     v0-v7    weights of four inputs by two vectors   v0-v15
//     v16-v19  16-bit sums: of two outputs each        v16-v19
//     v20-v23  sums of the first point                 v20-v23  sums
//     v8-v11   sums of the second point
//     v12-v15  outputs of the previous points          v24      outputs of the previous point
//     v25 v26  four inputs, repeated                   v25 v26
//     v27-v30  start and shift of the outputs          v27-v30
//     v24 v31  their bounds                            v31      the bounds, alternating
//
// Vector instructions: 76 for two points of 16 inputs, 69 for one point of 32, and 55 if the last 8 of its weights are
// zeros.
#include "kernels/common/gemm_s8/neon/s8_tile_neon_short.h"

#if HWY_ARCH_ARM_A64
#include <algorithm>
#include <cstddef>

#include "hwy/base.h"
#include "kernels/common/gemm_s8/s8_chains.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kHalf = kTileBlock / 2;   // outputs
constexpr int64_t kEight = 8 * kTileBlock;  // weights of eight inputs

// Arguments of the assembly.
struct ShortSums {
  const int64_t* offsets;
  const int64_t* last_offsets;  // offsets of the last pair of points, or of the last point
  const int8_t* input;
  int64_t step_stride;  // bytes from 16 inputs to the next 16
  int8_t* output;
  int8_t* last_output;
  // Inputs are the bytes read plus `add`, XORed with `flip`.
  uint64_t add, flip;
  const int8_t* weights;
  int64_t iterations;  // pairs of points, or points
  const int32_t* start;
  const int32_t* shift;
  int8_t low[16], high[16];
};

#define FIELD(name) [name] "i"(offsetof(ShortSums, name))

// clang-format off
// Vector instructions, each paired with integer instructions or the epilogue of the previous points.
#define FOUR_INPUTS(op, w0, w1, x, t0, t1, t2, t3)             \
  op "2 v19.8h, v" #w1 ".16b, v" #x ".16b\n" t0 "\n"           \
  op " v18.8h, v" #w1 ".8b, v" #x ".8b\n" t1 "\n"              \
  op "2 v17.8h, v" #w0 ".16b, v" #x ".16b\n" t2 "\n"           \
  op " v16.8h, v" #w0 ".8b, v" #x ".8b\n" t3 "\n"
#define ADD_UP(op, s0, s1, s2, s3, t0, t1, t2, t3)             \
  op " v" #s3 ".4s, v19.8h\n" t0 "\n"                          \
  op " v" #s2 ".4s, v18.8h\n" t1 "\n"                          \
  op " v" #s1 ".4s, v17.8h\n" t2 "\n"                          \
  op " v" #s0 ".4s, v16.8h\n" t3 "\n"
#define REPEAT(v, w) "dup v" #v ".4s, " #w "\n"
#define UPPER(to, from) "lsr " #to ", " #from ", #32"
#define CENTRE(x) "add " #x ", " #x ", x6\n"
#define FLIP(x) "eor " #x ", " #x ", x7\n"
#define ADD_PAIRS(to, a, b) "addp v" #to ".4s, v" #a ".4s, v" #b ".4s\n"
#define START(v, with) "add v" #v ".4s, v" #v ".4s, v" #with ".4s\n"
#define SHIFT(v, by) "sshl v" #v ".4s, v" #v ".4s, v" #by ".4s\n"
#define NARROW(to, from) "sqxtn v" #to ".4h, v" #from ".4s\n"
#define NARROW_UPPER(to, from) "sqxtn2 v" #to ".8h, v" #from ".4s\n"

#define LOAD_ARGUMENTS                                         \
  "ldp x1, x2, [x0]\n"                                         \
  "ldp x3, x4, [x0, %[input]]\n"                               \
  "ldp x5, x8, [x0, %[output]]\n"                              \
  "ldp x6, x7, [x0, %[add]]\n"                                 \
  "ldp x9, x17, [x0, %[weights]]\n"                            \
  "ldp x10, x11, [x0, %[start]]\n"                             \
  "ldp q27, q28, [x10]\n"                                      \
  "ldp q29, q30, [x11]\n"                                      \
  "neg v29.4s, v29.4s\n" "neg v30.4s, v30.4s\n"                \
  "ldp q0, q1, [x9]\n" "ldp q2, q3, [x9, #64]\n"               \
  "ldp q4, q5, [x9, #128]\n" "ldp q6, q7, [x9, #192]\n"        \
  "mov x16, x5\n"

#define ARGUMENTS                                                                                              \
  : "r"(args), FIELD(input), FIELD(output), FIELD(add), FIELD(weights), FIELD(start), FIELD(low), FIELD(high)  \
  : "memory", "cc", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",   \
    "x16", "x17", "x19", "x20", "x21", "x22", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8",     \
    "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",    \
    "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"

// x9-x10, x11-x12: inputs of the first and the second point; x13, x14: their offsets, then addresses; x16: outputs of
// the previous pair; x5: outputs of the current pair.
void run_pairs_of_16(const ShortSums& sums) {
  register const ShortSums* args __asm__("x0") = &sums;
  __asm__ volatile(
      LOAD_ARGUMENTS
      "ldr q24, [x0, %[low]]\n" "ldr q31, [x0, %[high]]\n"
      "ldp x13, x14, [x1]\n"
      "add x13, x3, x13\n" "add x14, x3, x14\n"
      "ldp x9, x10, [x13]\n" "ldp x11, x12, [x14]\n"
      CENTRE(x9) CENTRE(x10) FLIP(x9) FLIP(x10)
      REPEAT(25, w9)

      "1:\n"
      FOUR_INPUTS("smull", 0, 1, 25, UPPER(x19, x9), REPEAT(26, w19) "add x1, x1, #16",
                  ADD_PAIRS(14, 8, 9) "cmp x1, x2", "csel x1, x1, x2, lo")
      FOUR_INPUTS("smlal", 2, 3, 26, ADD_PAIRS(15, 10, 11) UPPER(x19, x10), REPEAT(25, w10) "ldp x13, x14, [x1]",
                  START(12, 27) CENTRE(x11), CENTRE(x12))
      ADD_UP("saddlp", 20, 21, 22, 23, START(13, 28) FLIP(x11), FLIP(x12), START(14, 27) "add x13, x3, x13",
             "add x14, x3, x14")
      FOUR_INPUTS("smull", 4, 5, 25, START(15, 28) "add x21, x5, #32", REPEAT(26, w19) "cmp x21, x8",
                  SHIFT(12, 29) "csel x21, x21, x8, lo", UPPER(x19, x11))
      FOUR_INPUTS("smlal", 6, 7, 26, SHIFT(13, 30) "add x22, x16, #16", REPEAT(25, w11),
                  SHIFT(14, 29) "ldp x9, x10, [x13]", "")
      ADD_UP("sadalp", 20, 21, 22, 23, SHIFT(15, 30), NARROW(12, 12), CENTRE(x9), NARROW(14, 14) CENTRE(x10))
      FOUR_INPUTS("smull", 0, 1, 25, FLIP(x9), REPEAT(26, w19) FLIP(x10), NARROW_UPPER(12, 13) UPPER(x19, x12), "")
      FOUR_INPUTS("smlal", 2, 3, 26, NARROW_UPPER(14, 15), REPEAT(25, w12), "", "sqxtn v12.8b, v12.8h\n")
      ADD_UP("saddlp", 8, 9, 10, 11, "", "", "", "sqxtn2 v12.16b, v14.8h\n" "ldp x11, x12, [x14]")
      FOUR_INPUTS("smull", 4, 5, 25, "", REPEAT(26, w19), "", "smax v12.16b, v12.16b, v24.16b\n")
      FOUR_INPUTS("smlal", 6, 7, 26, "", REPEAT(25, w9), "smin v12.16b, v12.16b, v31.16b\n" "subs x17, x17, #1", "")
      ADD_UP("sadalp", 8, 9, 10, 11, "", "", "str d12, [x16]", "st1 {v12.d}[1], [x22]\n" "mov x16, x5")
      ADD_PAIRS(12, 20, 21) "mov x5, x21\n"
      ADD_PAIRS(13, 22, 23)
      "b.ne 1b\n"

      ADD_PAIRS(14, 8, 9) ADD_PAIRS(15, 10, 11)
      START(12, 27) START(13, 28) START(14, 27) START(15, 28)
      SHIFT(12, 29) SHIFT(13, 30) SHIFT(14, 29) SHIFT(15, 30)
      NARROW(12, 12) NARROW(14, 14) NARROW_UPPER(12, 13) NARROW_UPPER(14, 15)
      "sqxtn v12.8b, v12.8h\n" "sqxtn2 v12.16b, v14.8h\n"
      "smax v12.16b, v12.16b, v24.16b\n" "smin v12.16b, v12.16b, v31.16b\n"
      "add x22, x16, #16\n"
      "str d12, [x16]\n" "st1 {v12.d}[1], [x22]\n"
      : ARGUMENTS);
}

// The common code for points with more than 16 inputs. x9-x12: inputs; x13, x14: addresses of the next ones; x16:
// outputs of the previous point; x5: outputs of the current point.
#define POINTS(NEXT_16, LAST_16)                                                                                       \
  __asm__ volatile(                                                                                                    \
      LOAD_ARGUMENTS                                                                                                   \
      "add x9, x9, #256\n"                                                                                             \
      "ldp q8, q9, [x9]\n" "ldp q10, q11, [x9, #64]\n"                                                                 \
      "ldp q12, q13, [x9, #128]\n" "ldp q14, q15, [x9, #192]\n"                                                        \
      "ldr x13, [x1]\n"                                                                                                \
      "add x13, x3, x13\n" "add x14, x13, x4\n"                                                                        \
      "ldp x9, x10, [x13]\n" NEXT_16                                                                                   \
      CENTRE(x9) CENTRE(x10) FLIP(x9) FLIP(x10)                                                                        \
      REPEAT(25, w9)                                                                                                   \
                                                                                                                       \
      "1:\n"                                                                                                           \
      FOUR_INPUTS("smull", 0, 1, 25, ADD_PAIRS(20, 21, 20) UPPER(x19, x9), REPEAT(26, w19) "add x1, x1, #8",           \
                  ADD_PAIRS(21, 22, 23) "cmp x1, x2", "csel x1, x1, x2, lo")                                           \
      FOUR_INPUTS("smlal", 2, 3, 26, START(20, 27) UPPER(x19, x10), REPEAT(25, w10) CENTRE(x11),                       \
                  START(21, 28) CENTRE(x12), SHIFT(20, 29) FLIP(x11))                                                  \
      ADD_UP("saddlp", 21, 20, 22, 23, SHIFT(21, 30) "ldr x13, [x1]", NARROW(24, 20) FLIP(x12),                        \
             NARROW_UPPER(24, 21), "ldr d31, [x0, %[low]]")                                                            \
      FOUR_INPUTS("smull", 4, 5, 25, "add x21, x5, #16", REPEAT(26, w19) "cmp x21, x8",                                \
                  "sqxtn v24.8b, v24.8h\n" "add x13, x3, x13", UPPER(x19, x11))                                        \
      FOUR_INPUTS("smlal", 6, 7, 26, "csel x21, x21, x8, lo", REPEAT(25, w11) "ldp x9, x10, [x13]",                    \
                  "smax v24.8b, v24.8b, v31.8b\n" "add x14, x13, x4", "")                                              \
      ADD_UP("sadalp", 21, 20, 22, 23, "", CENTRE(x9), CENTRE(x10), "ldr d31, [x0, %[high]]\n" FLIP(x9))               \
      LAST_16                                                                                                          \
      "b.ne 1b\n"                                                                                                      \
                                                                                                                       \
      ADD_PAIRS(20, 21, 20) ADD_PAIRS(21, 22, 23)                                                                      \
      START(20, 27) START(21, 28) SHIFT(20, 29) SHIFT(21, 30) NARROW(24, 20) NARROW_UPPER(24, 21)                      \
      "sqxtn v24.8b, v24.8h\n"                                                                                         \
      "ldr d31, [x0, %[low]]\n" "smax v24.8b, v24.8b, v31.8b\n"                                                        \
      "ldr d31, [x0, %[high]]\n" "smin v24.8b, v24.8b, v31.8b\n"                                                       \
      "str d24, [x16]\n"                                                                                               \
      : ARGUMENTS)

void run_points_of_24(const ShortSums& sums) {
  register const ShortSums* args __asm__("x0") = &sums;
  POINTS("ldr x11, [x14]\n",
         FOUR_INPUTS("smull", 8, 9, 25, FLIP(x10), REPEAT(26, w19), "mov x20, x16", "mov x16, x5")
         FOUR_INPUTS("smlal", 10, 11, 26, "mov x5, x21", REPEAT(25, w9) "ldr x11, [x14]",
                     "smin v24.8b, v24.8b, v31.8b", "subs x17, x17, #1")
         ADD_UP("sadalp", 21, 20, 22, 23, "", "", "", "str d24, [x20]"));
}

void run_points_of_32(const ShortSums& sums) {
  register const ShortSums* args __asm__("x0") = &sums;
  POINTS("ldp x11, x12, [x14]\n",
         FOUR_INPUTS("smull", 8, 9, 25, FLIP(x10), REPEAT(26, w19), UPPER(x19, x12), "")
         FOUR_INPUTS("smlal", 10, 11, 26, "", REPEAT(25, w12), "smin v24.8b, v24.8b, v31.8b\n", "")
         ADD_UP("sadalp", 21, 20, 22, 23, "", "ldp x11, x12, [x14]", "", "str d24, [x16]")
         FOUR_INPUTS("smull", 12, 13, 25, "mov x16, x5", REPEAT(26, w19) "mov x5, x21", "", "")
         FOUR_INPUTS("smlal", 14, 15, 26, "", REPEAT(25, w9), "", "subs x17, x17, #1")
         ADD_UP("sadalp", 21, 20, 22, 23, "", "", "", ""));
}
// clang-format on

#undef FIELD
#undef FOUR_INPUTS
#undef ADD_UP
#undef REPEAT
#undef UPPER
#undef CENTRE
#undef FLIP
#undef ADD_PAIRS
#undef START
#undef SHIFT
#undef NARROW
#undef NARROW_UPPER
#undef LOAD_ARGUMENTS
#undef POINTS
#undef ARGUMENTS

// Returns whether the weights of the last 8 of 32 inputs are all zero.
bool has_24(const S8Tile& tile) {
  const int8_t* const last = tile.weights + 3 * kEight;
  return std::all_of(last, last + kEight, [](int8_t weight) { return weight == 0; });
}

int64_t steps_of(const S8Tile& tile) { return tile.length == kS8ChainStep ? tile.chunks : tile.length / kS8ChainStep; }

ShortSums sums_of(const S8Tile& tile, int64_t points_per_group) {
  ShortSums sums;
  const int64_t last = tile.points - points_per_group;  // the last group overlaps points already computed
  const bool centred = tile.centred_start != nullptr;
  sums.offsets = tile.offsets;
  sums.last_offsets = tile.offsets + last;
  sums.input = tile.input;
  sums.step_stride = tile.length == kS8ChainStep ? tile.chunk_stride : kS8ChainStep;
  sums.output = tile.finish->output;
  sums.last_output = sums.output + last * kTileBlock;
  sums.add = centred ? 0x4040404040404040 : 0;
  sums.flip = centred ? 0x8080808080808080 : 0;
  sums.weights = tile.weights;
  sums.iterations = (tile.points + points_per_group - 1) / points_per_group;
  sums.start = centred ? tile.centred_start : tile.start;
  sums.shift = tile.finish->shift;
  std::fill_n(sums.low, sizeof sums.low, static_cast<int8_t>(tile.finish->bounds.low));
  std::fill_n(sums.high, sizeof sums.high, static_cast<int8_t>(tile.finish->bounds.high));
  return sums;
}

}  // namespace

bool is_short(const S8Tile& tile) {
  return tile.chains != nullptr && tile.finish != nullptr && tile.segments == 1 && !tile.padded && steps_of(tile) <= 2;
}

void s8_tile_neon_short(const S8Tile& tile) {
  const bool one_step = steps_of(tile) == 1;
  const auto run = one_step ? run_pairs_of_16 : has_24(tile) ? run_points_of_24 : run_points_of_32;
  ShortSums sums = sums_of(tile, one_step ? 2 : 1);
  for (int64_t half = 0; half < 2; ++half) {
    run(sums);
    sums.weights += kHalf * 4;
    sums.start += kHalf;
    sums.shift += kHalf;
    sums.output += kHalf;
    sums.last_output += kHalf;
  }
}

}  // namespace nestrt::kernels
#endif
