// SPDX-License-Identifier: Apache-2.0
// Written in assembly because speed on a Cortex-A53 depends on which instructions are dual-issued: a 128-bit vector
// instruction with an integer one, or two 64-bit vector instructions. Vector loads stall the multiplier, so weights and
// inputs are loaded into integer registers. Half a block of outputs is processed at a time:
//
//   v0-v15   sums [4 points][4 pairs of outputs]: two partial sums of each output
//   v16-v19  weights of the pairs for inputs 0 to 3 of a step    v20-v23  for inputs 4 to 7
//   v24-v27  products; two of them share 16 bits: see s8_has_paired_minima()
//   v28 v29  inputs 0 to 3 and 4 to 7 of one point, repeated
//
// A step processes 8 inputs of each point: 256 products in 56 cycles, 48 of which use the multiplier. In parallel, it
// loads the weights of the next step. The last step of a segment also computes the addresses of the next segment.
#include "kernels/common/gemm_s8/neon/s8_tile_neon_four.h"

#if HWY_ARCH_ARM_A64
#include <cstddef>

#include "hwy/base.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kHalf = kTileBlock / 2;
constexpr int64_t kStep = 8;
constexpr int64_t kFour = 4;

// Arguments of the assembly.
struct FourPoints {
  const int8_t* weights;
  const int8_t* second_weights;  // weights of the second half of the outputs
  const int8_t* input;
  const int64_t* offsets;
  const int8_t* padding;
  int64_t segments;
  int64_t chunk_stride;
  int64_t steps;           // steps per segment
  int64_t all_segments;    // segments in all chunks
  int64_t offsets_stride;  // bytes from a segment to the next
  int64_t last_offset;     // bytes from the offset of the first point to that of the last
  const int32_t* start;
  int32_t* sums;
  int32_t* last_sums;  // sums of the last point
};

// Vector instructions, each paired with integer ones.
// clang-format off
#define MULTIPLY(a, b, c, d)               \
  "smull v24.8h, v16.8b, v28.8b\n" a "\n"  \
  "smull v25.8h, v17.8b, v28.8b\n" b "\n"  \
  "smull v26.8h, v18.8b, v28.8b\n" c "\n"  \
  "smull v27.8h, v19.8b, v28.8b\n" d "\n"
#define MULTIPLY_ADD(a, b, c, d)           \
  "smlal v24.8h, v20.8b, v29.8b\n" a "\n"  \
  "smlal v25.8h, v21.8b, v29.8b\n" b "\n"  \
  "smlal v26.8h, v22.8b, v29.8b\n" c "\n"  \
  "smlal v27.8h, v23.8b, v29.8b\n" d "\n"
#define REPEAT_INPUT "dup v28.2s, w11\n" "dup v29.2s, w12\n"
#define ADD_TO(s0, s1, s2, s3, a, b, c, d) \
  "sadalp " #s0 ".4s, v24.8h\n" a "\n"     \
  "sadalp " #s1 ".4s, v25.8h\n" b "\n"     \
  "sadalp " #s2 ".4s, v26.8h\n" c "\n"     \
  "sadalp " #s3 ".4s, v27.8h\n" d "\n"

// Processes the last point of a step, and loads the weights of the next.
#define LAST_POINT(compare, branch)                                                                     \
  MULTIPLY("ldp w11, w12, [x1], #8", "", "", "")                                                         \
  "fmov d16, x13\n" "fmov d17, x14\n" "fmov d18, x15\n" "fmov d19, x16\n"                               \
  MULTIPLY_ADD("ldp x13, x14, [x5, #64]", "", "ldp x15, x16, [x5, #80]", "add x5, x5, #128")            \
  "fmov d20, x13\n" "fmov d21, x14\n" REPEAT_INPUT "fmov d22, x15\n" "fmov d23, x16\n"                  \
  ADD_TO(v12, v13, v14, v15, "", "", compare, branch)
// clang-format on

#define FIELD(name) [name] "i"(offsetof(FourPoints, name))

// x1-x4: inputs of the points; x5: weights; x6: steps left in the segment; x7: segments left; x8: offsets of the next
// one; x9: segments left in the chunk; x10: input of the chunk; x17: padding; x23: offsets_stride; x24: last_offset;
// x25: steps; x26: byte offset into sums and start, which selects the half.
void run_four(const FourPoints& tile) {
  register const FourPoints* args __asm__("x0") = &tile;
  __asm__ volatile(
      "ldr x8, [x0, %[offsets]]\n"
      "ldr x24, [x0, %[last_offset]]\n"
      "ldr x5, [x0, %[weights]]\n"
      "ldr x10, [x0, %[input]]\n"
      "ldr x17, [x0, %[padding]]\n"
      "ldp x19, x20, [x8]\n"
      "ldr x21, [x8, #16]\n"
      "ldr x22, [x8, x24]\n"
      "ldp x13, x14, [x5]\n"
      "ldp x15, x16, [x5, #16]\n"
      "cmp x19, #0\n" "add x19, x10, x19\n" "csel x1, x17, x19, lt\n"
      "ldp w11, w12, [x1], #8\n"
      "cmp x20, #0\n" "add x20, x10, x20\n" "csel x2, x17, x20, lt\n"
      "fmov d16, x13\n" "fmov d17, x14\n"
      "ldp x13, x14, [x5, #64]\n"
      "cmp x21, #0\n" "add x21, x10, x21\n" "csel x3, x17, x21, lt\n"
      "fmov d18, x15\n" "fmov d19, x16\n"
      "ldp x15, x16, [x5, #80]\n"
      "cmp x22, #0\n" "add x22, x10, x22\n" "csel x4, x17, x22, lt\n"
      REPEAT_INPUT
      "ldr x23, [x0, %[offsets_stride]]\n"
      "ldr x9, [x0, %[segments]]\n"
      "ldr x25, [x0, %[steps]]\n"
      "fmov d20, x13\n" "fmov d21, x14\n"
      "add x5, x5, #128\n"
      "add x8, x8, x23\n"
      "fmov d22, x15\n" "fmov d23, x16\n"
      "mov x6, x25\n"
      "mov x26, #0\n"

      "0:\n"  // each sum starts in one of its two parts
      "ldr x27, [x0, %[start]]\n"
      "ldr x7, [x0, %[all_segments]]\n"
      "add x27, x27, x26\n"
      "ldp q24, q25, [x27]\n"
      "cmp x6, #1\n"
      "ushll v0.2d, v24.2s, #0\n" "ushll2 v1.2d, v24.4s, #0\n"
      "ushll v2.2d, v25.2s, #0\n" "ushll2 v3.2d, v25.4s, #0\n"
      "mov v4.16b, v0.16b\n" "mov v5.16b, v1.16b\n" "mov v6.16b, v2.16b\n" "mov v7.16b, v3.16b\n"
      "mov v8.16b, v0.16b\n" "mov v9.16b, v1.16b\n" "mov v10.16b, v2.16b\n" "mov v11.16b, v3.16b\n"
      "mov v12.16b, v0.16b\n" "mov v13.16b, v1.16b\n" "mov v14.16b, v2.16b\n" "mov v15.16b, v3.16b\n"
      "b.eq 2f\n"

      "1:\n"  // a step within a segment
      MULTIPLY("ldp w11, w12, [x2], #8", "sub x6, x6, #1", "", "")
      MULTIPLY_ADD("", "", "", "")
      REPEAT_INPUT
      ADD_TO(v0, v1, v2, v3, "", "", "", "")
      MULTIPLY("ldp w11, w12, [x3], #8", "", "", "")
      MULTIPLY_ADD("", "", "", "")
      REPEAT_INPUT
      ADD_TO(v4, v5, v6, v7, "", "", "", "")
      MULTIPLY("ldp w11, w12, [x4], #8", "", "", "")
      MULTIPLY_ADD("", "", "", "")
      REPEAT_INPUT
      ADD_TO(v8, v9, v10, v11, "ldp x13, x14, [x5]", "", "ldp x15, x16, [x5, #16]", "")
      LAST_POINT("cmp x6, #1", "b.ne 1b")

      "2:\n"  // the last step of a segment; the second half follows the last segment
      MULTIPLY("ldp w11, w12, [x2], #8", "ldr x21, [x0, %[chunk_stride]]", "ldr x27, [x0, %[offsets]]",
               "ldr x28, [x0, %[segments]]")
      MULTIPLY_ADD("subs x9, x9, #1", "csel x21, x21, xzr, eq", "csel x8, x27, x8, eq", "csel x9, x28, x9, eq")
      REPEAT_INPUT
      ADD_TO(v0, v1, v2, v3, "ldp x19, x20, [x8]", "add x10, x10, x21", "ldr x27, [x0, %[input]]",
             "ldr x28, [x0, %[second_weights]]")
      MULTIPLY("ldp w11, w12, [x3], #8", "subs x7, x7, #1", "csel x10, x27, x10, eq", "csel x5, x28, x5, eq")
      MULTIPLY_ADD("ldr x21, [x8, #16]", "ldr x22, [x8, x24]", "cmp x19, #0", "add x19, x10, x19")
      REPEAT_INPUT
      ADD_TO(v4, v5, v6, v7, "csel x1, x17, x19, lt", "cmp x20, #0", "add x20, x10, x20", "csel x2, x17, x20, lt")
      MULTIPLY("ldp w11, w12, [x4], #8", "cmp x21, #0", "add x21, x10, x21", "csel x3, x17, x21, lt")
      MULTIPLY_ADD("cmp x22, #0", "add x22, x10, x22", "csel x4, x17, x22, lt", "mov x6, x25")
      REPEAT_INPUT
      ADD_TO(v8, v9, v10, v11, "ldp x13, x14, [x5]", "add x8, x8, x23", "ldp x15, x16, [x5, #16]", "")
      LAST_POINT("cmp x6, #1", "cbz x7, 3f")
      "b.ne 1b\n"
      "b 2b\n"

      "3:\n"
      "ldr x27, [x0, %[sums]]\n"
      "ldr x28, [x0, %[last_sums]]\n"
      "addp v12.4s, v12.4s, v13.4s\n" "addp v13.4s, v14.4s, v15.4s\n"
      "add x27, x27, x26\n"
      "addp v0.4s, v0.4s, v1.4s\n"
      "add x28, x28, x26\n"
      "addp v1.4s, v2.4s, v3.4s\n"
      "stp q12, q13, [x28]\n"  // stored first: with three points the fourth repeats the third
      "addp v4.4s, v4.4s, v5.4s\n" "addp v5.4s, v6.4s, v7.4s\n"
      "stp q0, q1, [x27]\n"
      "addp v8.4s, v8.4s, v9.4s\n" "addp v9.4s, v10.4s, v11.4s\n"
      "stp q4, q5, [x27, #64]\n"
      "eor x26, x26, #32\n"
      "stp q8, q9, [x27, #128]\n"
      "cbnz x26, 0b\n"
      :
      : "r"(args), FIELD(weights), FIELD(second_weights), FIELD(input), FIELD(offsets), FIELD(padding),
        FIELD(segments), FIELD(chunk_stride), FIELD(steps), FIELD(all_segments), FIELD(offsets_stride),
        FIELD(last_offset), FIELD(start), FIELD(sums), FIELD(last_sums)
      : "memory", "cc", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
        "x16", "x17", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "v0", "v1", "v2", "v3",
        "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20",
        "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29");
}

#undef MULTIPLY
#undef MULTIPLY_ADD
#undef REPEAT_INPUT
#undef ADD_TO
#undef LAST_POINT
#undef FIELD

}  // namespace

void s8_tile_neon_four(const S8Tile& tile) {
  static_assert(kTileBlock * sizeof(int32_t) == 64);
  FourPoints four;
  four.weights = tile.weights;
  four.second_weights = tile.weights + kHalf * 4;
  four.input = tile.input;
  four.padding = tile.padding;
  four.segments = tile.segments;
  four.chunk_stride = tile.chunk_stride;
  four.steps = tile.length / kStep;
  four.all_segments = tile.segments * tile.chunks;
  four.offsets_stride = tile.points * int64_t{sizeof(int64_t)};
  four.start = tile.start;
  const int64_t count = HWY_MIN(tile.points, kFour);
  four.last_offset = (count - 1) * int64_t{sizeof(int64_t)};
  for (int64_t p = 0; p < tile.points; p += kFour) {
    const int64_t first = HWY_MIN(p, tile.points - count);  // the last group overlaps points already computed
    four.offsets = tile.offsets + first;
    four.sums = tile.sums + first * kTileBlock;
    four.last_sums = four.sums + (count - 1) * kTileBlock;
    run_four(four);
  }
}

}  // namespace nestrt::kernels
#endif
