// SPDX-License-Identifier: Apache-2.0
// Written in assembly because speed on a Cortex-A53 depends on which instructions are dual-issued: a 128-bit vector
// instruction with an integer one, or two 64-bit vector instructions. Vector loads stall the multiplier, so weights and
// inputs are loaded into integer registers in parallel with multiplications and move to vectors in pairs of halves:
//
//   v0-v23   sums [6 points][4 vectors of outputs]
//   v24-v26  inputs [3 pairs of points]: elements k and k + 1 of each point
//   v27 v28  weights of the first half of the outputs, for k or k + 1
//   v31 v30  of the second half for k          v29 v30  for k + 1
//
// A step processes elements k and k + 1 of each point: 192 products in 59 cycles, 48 of which use the multiplier. It
// has four phases of 12 multiplications each (A: k, first half; B: k, second half; C and D: k + 1). In parallel with
// them, the weights of the next phase and the inputs of the next step are loaded. The last step of a segment computes
// the next input addresses or advances the points by one chunk. If the reduction has many chunks, the inputs of the
// next chunk and the weights are prefetched: dummy loads do not stall, and the data is in cache when needed.
#include "kernels/common/gemm_f32/tile16_neon_six.h"

#include "hwy/base.h"

#if HWY_ARCH_ARM_A64
#include <algorithm>
#include <cstddef>

#include "kernels/common/gemm_f32/weight_prefetch.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kStep = 2;
// For fewer points, the compiled tile is faster.
constexpr int64_t kMinPoints = 3;
// For fewer than six points, the offsets of at most this many segments are copied.
constexpr int64_t kMaxCopiedSegments = 64;

alignas(64) constexpr float kZeros[kTileZeros] = {};
alignas(16) constexpr float kNoBias[kTileBlock] = {};

// Arguments of the assembly, which it advances from one group of six points to the next.
struct SixPointArguments {
  const float* weights;    // weights after the odd element's
  const float* input;      // input after the odd element
  const int64_t* offsets;  // [segments][offsets_stride bytes]
  const int64_t* next;     // offsets of the next group
  int64_t offsets_stride;
  const float* zeros;    // zeros after the odd element
  int64_t segments;      // segments in a chunk
  int64_t all_segments;  // segments in all chunks
  int64_t chunk_stride;  // bytes
  // Bytes from a segment's inputs to the next segment's inputs, and from the last segment's inputs to those of the next
  // group, minus the bytes of a step, which have been read by then. If there is nothing to prefetch, both are minus the
  // bytes of a step.
  int64_t input_prefetch, last_input_prefetch;
  int64_t steps, last_steps;
  int64_t chunk_step;  // bytes from the end of a segment's inputs to those of the next chunk
  // If at most this many segments are left, the next input addresses are looked up; otherwise they advance by
  // chunk_step.
  int64_t lookup_at;
  WeightPrefetch weight_prefetch;
  int64_t odd;         // 1 if the first element is processed separately, outside the steps
  const float* start;  // start values of the sums; those of the next point are start_stride bytes further
  int64_t start_stride;
  int64_t groups;
  int64_t points;  // points of each group to store
  const float* residual;
  float* output;
  int64_t point_stride;  // bytes
  int64_t bounds;        // 0: none, 1: low, 2: both
  float low, high;
};

// Vector instructions, each paired with integer ones.
// clang-format off
#define POINTS(a0, a1, b0, b1, x, y, in, i, j, t0, t1, t2, t3) \
  "fmla v" #a0 ".4s, v" #x ".4s, v" #in ".s[" #i "]\n" t0 "\n" \
  "fmla v" #a1 ".4s, v" #y ".4s, v" #in ".s[" #i "]\n" t1 "\n" \
  "fmla v" #b0 ".4s, v" #x ".4s, v" #in ".s[" #j "]\n" t2 "\n" \
  "fmla v" #b1 ".4s, v" #y ".4s, v" #in ".s[" #j "]\n" t3 "\n"
#define FIRST_01(x, y, i, j, t0, t1, t2, t3)  POINTS(0, 1, 4, 5, x, y, 24, i, j, t0, t1, t2, t3)
#define FIRST_23(x, y, i, j, t0, t1, t2, t3)  POINTS(8, 9, 12, 13, x, y, 25, i, j, t0, t1, t2, t3)
#define FIRST_45(x, y, i, j, t0, t1, t2, t3)  POINTS(16, 17, 20, 21, x, y, 26, i, j, t0, t1, t2, t3)
#define SECOND_01(x, y, i, j, t0, t1, t2, t3) POINTS(2, 3, 6, 7, x, y, 24, i, j, t0, t1, t2, t3)
#define SECOND_23(x, y, i, j, t0, t1, t2, t3) POINTS(10, 11, 14, 15, x, y, 25, i, j, t0, t1, t2, t3)
#define SECOND_45(x, y, i, j, t0, t1, t2, t3) POINTS(18, 19, 22, 23, x, y, 26, i, j, t0, t1, t2, t3)

// Pairs of moves of halves, which are dual-issued.
#define LOW_HALVES(v, x, w, y) "fmov d" #v ", " #x "\n" "fmov d" #w ", " #y "\n"
#define HIGH_HALVES(v, x, w, y) "mov v" #v ".d[1], " #x "\n" "mov v" #w ".d[1], " #y "\n"
#define HIGH_AND_LOW(v, x, w, y) "mov v" #v ".d[1], " #x "\n" "fmov d" #w ", " #y "\n"

#define PHASE_A(t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11)                          \
  FIRST_01(27, 28, 0, 2, "ldp x13, x14, [x7, #64]", t0, t1, t2)                            \
  HIGH_AND_LOW(26, x24, 30, x15)                                                           \
  FIRST_23(27, 28, 0, 2, t3, t4, t5, t6)                                                   \
  HIGH_HALVES(31, x28, 30, x16)                                                            \
  FIRST_45(27, 28, 0, 2, "ldp x15, x16, [x7, #80]", t7 "\n" t8, t9, t10 "\n" t11)
#define FETCH(x) "ldr wzr, [" #x ", x26]"
#define FETCH_WEIGHTS "ldr wzr, [x30]"
#define NEXT_WEIGHTS "add x30, x30, x25"
#define PHASE_B(t0, t1, t2, t3, t4, t5, t6, t7, t8, t9)                                    \
  "fmla v2.4s, v31.4s, v24.s[0]\n" t0 "\n"                                                 \
  LOW_HALVES(27, x13, 28, x15)                                                             \
  "fmla v3.4s, v30.4s, v24.s[0]\n" t1 "\n"                                                 \
  "fmla v6.4s, v31.4s, v24.s[2]\n" t2 "\n"                                                 \
  "fmla v7.4s, v30.4s, v24.s[2]\n" t3 "\n"                                                 \
  "fmla v10.4s, v31.4s, v25.s[0]\n" t4 "\n"                                                \
  "fmla v11.4s, v30.4s, v25.s[0]\n" t5 "\n"                                                \
  HIGH_HALVES(27, x14, 28, x16)                                                            \
  "fmla v14.4s, v31.4s, v25.s[2]\n" "ldp x13, x14, [x7, #96]\n"                            \
  "fmla v15.4s, v30.4s, v25.s[2]\n" t6 "\n"                                                \
  SECOND_45(31, 30, 0, 2, "ldp x15, x16, [x7, #112]", t7, t8, t9)
#define PHASE_C(t0, t1, t2, t3, t4, t5, t6, t7, t8)                                        \
  "fmla v0.4s, v27.4s, v24.s[1]\n" t0 "\n"                                                 \
  LOW_HALVES(29, x13, 30, x15)                                                             \
  "fmla v1.4s, v28.4s, v24.s[1]\n" t1 "\n"                                                 \
  "fmla v4.4s, v27.4s, v24.s[3]\n" t2 "\n"                                                 \
  "fmla v5.4s, v28.4s, v24.s[3]\n" t3 "\n"                                                 \
  "fmla v8.4s, v27.4s, v25.s[1]\n" t4 "\n"                                                 \
  "fmla v9.4s, v28.4s, v25.s[1]\n" t5 "\n"                                                 \
  HIGH_HALVES(29, x14, 30, x16)                                                            \
  "fmla v12.4s, v27.4s, v25.s[3]\n" "ldp x13, x14, [x7, #128]\n"                           \
  "fmla v13.4s, v28.4s, v25.s[3]\n" t6 "\n"                                                \
  FIRST_45(27, 28, 1, 3, "ldp x15, x16, [x7, #144]", t7, "ldp x27, x28, [x7, #160]", t8)
#define PHASE_D(t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10)                               \
  "fmla v2.4s, v29.4s, v24.s[1]\n" t0 "\n"                                                 \
  LOW_HALVES(27, x13, 28, x15)                                                             \
  "fmla v3.4s, v30.4s, v24.s[1]\n" t1 "\n"                                                 \
  "fmla v6.4s, v29.4s, v24.s[3]\n" t2 "\n"                                                 \
  "fmla v7.4s, v30.4s, v24.s[3]\n" t3 "\n"                                                 \
  LOW_HALVES(24, x19, 31, x27)                                                             \
  "fmla v10.4s, v29.4s, v25.s[1]\n" t4 "\n"                                                \
  "fmla v11.4s, v30.4s, v25.s[1]\n" t5 "\n"                                                \
  HIGH_HALVES(27, x14, 28, x16)                                                            \
  "fmla v14.4s, v29.4s, v25.s[3]\n" "ldp x15, x16, [x7, #176]\n"                           \
  "fmla v15.4s, v30.4s, v25.s[3]\n" "add x7, x7, #128\n"                                   \
  HIGH_AND_LOW(24, x20, 25, x21)                                                           \
  SECOND_45(29, 30, 1, 3, t6, t7, t8, t9)                                                  \
  HIGH_AND_LOW(25, x22, 26, x23) t10 "\n"

#define START_POINT(a0, a1, a2, a3)                 \
  "ldp q" #a0 ", q" #a1 ", [x13]\n"                 \
  "ldp q" #a2 ", q" #a3 ", [x13, #32]\n"            \
  "add x13, x13, x14\n"
#define START_LIKE_FIRST(a0, a1, a2, a3)                                                    \
  "mov v" #a0 ".16b, v0.16b\n" "mov v" #a1 ".16b, v1.16b\n"                                 \
  "mov v" #a2 ".16b, v2.16b\n" "mov v" #a3 ".16b, v3.16b\n"
#define ODD_VECTOR(w, a0, a1, a2, a3, a4, a5)                                               \
  "fmla v" #a0 ".4s, v" #w ".4s, v30.s[0]\n" "fmla v" #a1 ".4s, v" #w ".4s, v30.s[1]\n"     \
  "fmla v" #a2 ".4s, v" #w ".4s, v30.s[2]\n" "fmla v" #a3 ".4s, v" #w ".4s, v30.s[3]\n"     \
  "fmla v" #a4 ".4s, v" #w ".4s, v26.s[2]\n" "fmla v" #a5 ".4s, v" #w ".4s, v26.s[3]\n"
#define RESIDUAL_POINT(a0, a1, a2, a3, next)                                                \
  "ldp q29, q30, [x19]\n"                                                                   \
  "subs x20, x20, #1\n"                                                                     \
  "fadd v" #a0 ".4s, v" #a0 ".4s, v29.4s\n"                                                 \
  "fadd v" #a1 ".4s, v" #a1 ".4s, v30.4s\n"                                                 \
  "ldp q29, q30, [x19, #32]\n"                                                              \
  "add x19, x19, x14\n"                                                                     \
  "fadd v" #a2 ".4s, v" #a2 ".4s, v29.4s\n"                                                 \
  "fadd v" #a3 ".4s, v" #a3 ".4s, v30.4s\n" next "\n"
#define BOUND_POINT(bound, by, a0, a1, a2, a3, t0, t1, t2)                                  \
  bound " v" #a0 ".4s, v" #a0 ".4s, v" #by ".4s\n" t0 "\n"                                  \
  bound " v" #a1 ".4s, v" #a1 ".4s, v" #by ".4s\n"                                          \
  bound " v" #a2 ".4s, v" #a2 ".4s, v" #by ".4s\n" t1 "\n"                                  \
  bound " v" #a3 ".4s, v" #a3 ".4s, v" #by ".4s\n" t2 "\n"
#define NO_STORE "", "", ""
#define STORE(a0, a1, a2, a3) "stp q" #a0 ", q" #a1 ", [x13]", "stp q" #a2 ", q" #a3 ", [x13, #32]", "add x13, x13, x14"
#define STORE_POINT(a0, a1, a2, a3, next)                                                   \
  "stp q" #a0 ", q" #a1 ", [x13]\n" "subs x20, x20, #1\n"                                   \
  "stp q" #a2 ", q" #a3 ", [x13, #32]\n" "add x13, x13, x14\n" next "\n"
#define LOW_AND_STORE(a0, a1, a2, a3, store) BOUND_POINT("fmax", 29, a0, a1, a2, a3, store)
#define HIGH_AND_STORE(a0, a1, a2, a3, store) BOUND_POINT("fmin", 30, a0, a1, a2, a3, store)
// clang-format on

#define FIELD(name) [name] "i"(offsetof(SixPointArguments, name))
#define LAST_FETCH [last_fetch] "i"(offsetof(SixPointArguments, weight_prefetch) + offsetof(WeightPrefetch, last))

// x1-x6: inputs of the points; x7: weights; x8: steps left in the segment; x9: segments left; x10: input of the chunk;
// x11: offsets of the next segment; x12: segments left in the chunk; x13-x16, x27, x28: halves of weights; x17: zeros;
// x19-x24: elements of the points, or their offsets; x26: prefetch distance of the inputs; x30: weights to prefetch,
// x25: bytes to the next ones. Between groups v24-v28, v31, x15, x16, x24 and x28 hold the first data of the next
// group.
void run_six(SixPointArguments& tile) {
  register SixPointArguments* args __asm__("x0") = &tile;
  __asm__ volatile(
      "ldr x11, [x0, %[offsets]]\n"
      "ldr x10, [x0, %[input]]\n"
      "ldr x17, [x0, %[zeros]]\n"
      "ldp x19, x20, [x11]\n"
      "ldp x21, x22, [x11, #16]\n"
      "ldp x23, x24, [x11, #32]\n"
      "ldr x14, [x0, %[offsets_stride]]\n"
      "ldp x30, x25, [x0, %[weight_prefetch]]\n"
      "ldr x7, [x0, %[weights]]\n"
      "ldr x12, [x0, %[segments]]\n"
      "add x1, x10, x19, lsl #2\n" "cmp x19, #0\n" "csel x1, x17, x1, lt\n"
      "add x2, x10, x20, lsl #2\n" "cmp x20, #0\n" "csel x2, x17, x2, lt\n"
      "add x3, x10, x21, lsl #2\n" "cmp x21, #0\n" "csel x3, x17, x3, lt\n"
      "add x4, x10, x22, lsl #2\n" "cmp x22, #0\n" "csel x4, x17, x4, lt\n"
      "add x5, x10, x23, lsl #2\n" "cmp x23, #0\n" "csel x5, x17, x5, lt\n"
      "add x6, x10, x24, lsl #2\n" "cmp x24, #0\n" "csel x6, x17, x6, lt\n"
      "add x11, x11, x14\n"
      "ldp x13, x14, [x7]\n"
      "ldp x15, x16, [x7, #16]\n"
      "ldp x27, x28, [x7, #32]\n"
      "ldr x19, [x1], #8\n" "ldr x20, [x2], #8\n" "ldr x21, [x3], #8\n"
      LOW_HALVES(27, x13, 28, x15)
      "ldr x22, [x4], #8\n" "ldr x23, [x5], #8\n" "ldr x24, [x6], #8\n"
      LOW_HALVES(24, x19, 31, x27)
      HIGH_HALVES(27, x14, 28, x16)
      LOW_HALVES(25, x21, 26, x23)
      "ldp x15, x16, [x7, #48]\n"
      HIGH_HALVES(24, x20, 25, x22)

      "0:\n"  // six points
      "ldr x13, [x0, %[start]]\n"
      "ldr x14, [x0, %[start_stride]]\n"
      "ldr x9, [x0, %[all_segments]]\n"
      "ldp x26, x21, [x0, %[input_prefetch]]\n"
      "cmp x9, #1\n"
      START_POINT(0, 1, 2, 3)
      "csel x26, x21, x26, eq\n"
      "cbnz x14, 9f\n"
      START_LIKE_FIRST(4, 5, 6, 7) START_LIKE_FIRST(8, 9, 10, 11) START_LIKE_FIRST(12, 13, 14, 15)
      START_LIKE_FIRST(16, 17, 18, 19) START_LIKE_FIRST(20, 21, 22, 23)
      "10:\n"
      "ldr x19, [x0, %[odd]]\n"
      "ldr x20, [x0, %[segments]]\n"
      "ldp x8, x21, [x0, %[steps]]\n"
      "cmp x9, x20\n"
      "csel x8, x21, x8, le\n"
      "cbz x19, 11f\n"
      "ldur q29, [x7, #-64]\n"
      "ldur q31, [x7, #-48]\n"
      "ldr w13, [x1, #-12]\n" "ldr w14, [x2, #-12]\n" "ldr w20, [x3, #-12]\n"
      "ldr w21, [x4, #-12]\n" "ldr w22, [x5, #-12]\n" "ldr w23, [x6, #-12]\n"
      "fmov s30, w13\n" "mov v26.s[2], w22\n" "mov v30.s[1], w14\n" "mov v26.s[3], w23\n"
      "mov v30.s[2], w20\n" "mov v30.s[3], w21\n"
      ODD_VECTOR(29, 0, 4, 8, 12, 16, 20) "ldur q29, [x7, #-32]\n"
      ODD_VECTOR(31, 1, 5, 9, 13, 17, 21) "ldur q31, [x7, #-16]\n"
      ODD_VECTOR(29, 2, 6, 10, 14, 18, 22) "ldr x27, [x7, #32]\n"
      ODD_VECTOR(31, 3, 7, 11, 15, 19, 23) "fmov d31, x27\n"
      "11:\n"
      "cmp x8, #1\n"
      "b.eq 2f\n"

      "1:\n"  // a step within a segment
      PHASE_A("", FETCH(x1), "", "", "", "", "", "", "", FETCH(x2), "", "")
      PHASE_B("ldr x19, [x1], #8", "ldr x20, [x2], #8", "ldr x21, [x3], #8", "ldr x22, [x4], #8", "ldr x23, [x5], #8",
              "ldr x24, [x6], #8", "", "", FETCH(x3), "")
      PHASE_C(FETCH_WEIGHTS, FETCH(x4), NEXT_WEIGHTS, "", FETCH(x5), "", "", "", "")
      PHASE_D("sub x8, x8, #1", FETCH_WEIGHTS, FETCH(x6), "", NEXT_WEIGHTS, "", "ldr x13, [x0, %[lookup_at]]", "", "",
              "cmp x8, #1", "b.ne 1b")
      "cmp x9, x13\n"
      "b.le 2f\n"

      // The last step of a segment that is followed by an evenly spaced one.
      PHASE_A("ldr x19, [x0, %[chunk_step]]", "sub x9, x9, #1", "ldr x27, [x0, %[steps]]", "", "add x1, x1, x19",
              "add x2, x2, x19", "add x3, x3, x19", "add x4, x4, x19", "", "add x5, x5, x19", "add x6, x6, x19", "")
      PHASE_B("ldr x28, [x0, %[last_steps]]", "ldr x19, [x1], #8", "ldr x20, [x2], #8", "ldr x21, [x3], #8",
              "ldr x22, [x4], #8", "ldr x23, [x5], #8", "ldr x24, [x6], #8", "cmp x9, #1", "csel x8, x28, x27, eq",
              "ldr x28, [x0, %[last_input_prefetch]]")
      PHASE_C(FETCH_WEIGHTS, "ldr x27, [x0, %[last_fetch]]", NEXT_WEIGHTS, "csel x26, x28, x26, eq", FETCH_WEIGHTS,
              NEXT_WEIGHTS, "cmp x30, x27", "csel x25, x25, xzr, ls", "")
      PHASE_D("", "", "", "", "", "", "", "", "", "cmp x8, #1", "b.ne 1b")

      "2:\n"  // the last step of a segment; the next group's first segment follows the last one
      PHASE_A("subs x12, x12, #1", "ldr x19, [x0, %[offsets]]", "ldr x20, [x0, %[segments]]",
              "ldr x27, [x0, %[chunk_stride]]", "csel x11, x19, x11, eq", "csel x12, x20, x12, eq",
              "csel x27, x27, xzr, eq", "ldr x21, [x0, %[next]]", "add x10, x10, x27",
              "ldp x24, x26, [x0, %[input_prefetch]]", "ldr x27, [x0, %[input]]", "subs x9, x9, #1")
      PHASE_B("csel x11, x21, x11, eq", "ldp x19, x20, [x11]", "csel x10, x27, x10, eq", "ldp x21, x22, [x11, #16]",
              "add x1, x10, x19, lsl #2", "cmp x19, #0", "csel x1, x17, x1, lt", "add x2, x10, x20, lsl #2",
              "cmp x20, #0", "csel x2, x17, x2, lt\n" "cmp x9, #1\n" "csel x26, x26, x24, eq")
      PHASE_C("ldp x23, x24, [x11, #32]\n" "add x3, x10, x21, lsl #2", "cmp x21, #0", "csel x3, x17, x3, lt",
              "ldr x19, [x1], #8", "ldr x28, [x0, %[weights]]",
              "ldr x20, [x2], #8\n" "cmp x9, #0\n" "sub x28, x28, #128\n" "csel x7, x28, x7, eq",
              "add x4, x10, x22, lsl #2", "cmp x22, #0", "csel x4, x17, x4, lt")
      PHASE_D("ldr x21, [x3], #8", "add x5, x10, x23, lsl #2", "cmp x23, #0", "csel x5, x17, x5, lt",
              "ldr x22, [x4], #8", "add x6, x10, x24, lsl #2", "cmp x24, #0\n" "ldr x23, [x5], #8",
              "ldp x13, x14, [x0, %[steps]]\n" "csel x6, x17, x6, lt",
              "ldr x19, [x0, %[offsets_stride]]\n" "add x30, x30, x25, lsl #1", "ldr x20, [x0, %[last_fetch]]",
              "ldr x21, [x0, %[segments]]\n" "ldr x24, [x6], #8\n" "add x11, x11, x19\n" "cmp x30, x20\n"
              "csel x25, x25, xzr, ls\n" "cmp x9, x21\n" "csel x8, x14, x13, le\n" "cmp x8, #1")
      "cbz x9, 3f\n"
      "b.ne 1b\n"
      "b 2b\n"

      "3:\n"
      "ldr x19, [x0, %[residual]]\n"
      "ldr x14, [x0, %[point_stride]]\n"
      "ldr x20, [x0, %[points]]\n"
      "ldp w22, w23, [x0, %[low]]\n"
      "ldr x21, [x0, %[bounds]]\n"
      "ldr x13, [x0, %[output]]\n"
      "cbz x19, 4f\n"
      RESIDUAL_POINT(0, 1, 2, 3, "") RESIDUAL_POINT(4, 5, 6, 7, "") RESIDUAL_POINT(8, 9, 10, 11, "b.eq 4f")
      RESIDUAL_POINT(12, 13, 14, 15, "b.eq 4f") RESIDUAL_POINT(16, 17, 18, 19, "b.eq 4f")
      RESIDUAL_POINT(20, 21, 22, 23, "")
      "str x19, [x0, %[residual]]\n"
      "4:\n"
      "ldr x20, [x0, %[points]]\n"
      "dup v29.4s, w22\n"
      "dup v30.4s, w23\n"
      "cmp x20, #6\n"
      "b.ne 8f\n"
      "cmp x21, #1\n"
      "b.lt 5f\n"
      "b.eq 6f\n"
      LOW_AND_STORE(0, 1, 2, 3, NO_STORE)
      LOW_AND_STORE(4, 5, 6, 7, NO_STORE) HIGH_AND_STORE(0, 1, 2, 3, NO_STORE)
      LOW_AND_STORE(8, 9, 10, 11, STORE(0, 1, 2, 3)) HIGH_AND_STORE(4, 5, 6, 7, NO_STORE)
      LOW_AND_STORE(12, 13, 14, 15, STORE(4, 5, 6, 7)) HIGH_AND_STORE(8, 9, 10, 11, NO_STORE)
      LOW_AND_STORE(16, 17, 18, 19, STORE(8, 9, 10, 11)) HIGH_AND_STORE(12, 13, 14, 15, NO_STORE)
      LOW_AND_STORE(20, 21, 22, 23, STORE(12, 13, 14, 15)) HIGH_AND_STORE(16, 17, 18, 19, NO_STORE)
      HIGH_AND_STORE(20, 21, 22, 23, STORE(16, 17, 18, 19))
      STORE_POINT(20, 21, 22, 23, "")
      "b 7f\n"
      "5:\n"
      STORE_POINT(0, 1, 2, 3, "") STORE_POINT(4, 5, 6, 7, "") STORE_POINT(8, 9, 10, 11, "")
      STORE_POINT(12, 13, 14, 15, "") STORE_POINT(16, 17, 18, 19, "") STORE_POINT(20, 21, 22, 23, "")
      "b 7f\n"
      "6:\n"
      LOW_AND_STORE(0, 1, 2, 3, NO_STORE) LOW_AND_STORE(4, 5, 6, 7, NO_STORE)
      LOW_AND_STORE(8, 9, 10, 11, STORE(0, 1, 2, 3)) LOW_AND_STORE(12, 13, 14, 15, STORE(4, 5, 6, 7))
      LOW_AND_STORE(16, 17, 18, 19, STORE(8, 9, 10, 11)) LOW_AND_STORE(20, 21, 22, 23, STORE(12, 13, 14, 15))
      STORE_POINT(16, 17, 18, 19, "") STORE_POINT(20, 21, 22, 23, "")

      "7:\n"
      "ldr x20, [x0, %[groups]]\n"
      "ldr x22, [x0, %[next]]\n"
      "subs x20, x20, #1\n"
      "b.eq 12f\n"
      "str x13, [x0, %[output]]\n"
      "add x23, x22, #48\n"
      "ldr x27, [x0, %[last_input_prefetch]]\n"
      "mov x21, #-8\n"
      "str x20, [x0, %[groups]]\n"
      "cmp x20, #1\n"
      "str x22, [x0, %[offsets]]\n"
      "csel x22, x23, x22, gt\n"
      "csel x27, x27, x21, gt\n"
      "str x22, [x0, %[next]]\n"
      "str x27, [x0, %[last_input_prefetch]]\n"
      "b 0b\n"

      "8:\n"  // fewer points
      LOW_AND_STORE(0, 1, 2, 3, NO_STORE) LOW_AND_STORE(4, 5, 6, 7, NO_STORE) LOW_AND_STORE(8, 9, 10, 11, NO_STORE)
      LOW_AND_STORE(12, 13, 14, 15, NO_STORE) LOW_AND_STORE(16, 17, 18, 19, NO_STORE)
      HIGH_AND_STORE(0, 1, 2, 3, NO_STORE) HIGH_AND_STORE(4, 5, 6, 7, NO_STORE) HIGH_AND_STORE(8, 9, 10, 11, NO_STORE)
      HIGH_AND_STORE(12, 13, 14, 15, NO_STORE) HIGH_AND_STORE(16, 17, 18, 19, NO_STORE)
      STORE_POINT(0, 1, 2, 3, "") STORE_POINT(4, 5, 6, 7, "") STORE_POINT(8, 9, 10, 11, "b.eq 12f")
      STORE_POINT(12, 13, 14, 15, "b.eq 12f") STORE_POINT(16, 17, 18, 19, "b 12f")

      "9:\n"
      START_POINT(4, 5, 6, 7) START_POINT(8, 9, 10, 11) START_POINT(12, 13, 14, 15) START_POINT(16, 17, 18, 19)
      START_POINT(20, 21, 22, 23)
      "str x13, [x0, %[start]]\n"
      "b 10b\n"
      "12:\n"
      :
      : "r"(args), FIELD(weights), FIELD(input), FIELD(offsets), FIELD(next), FIELD(offsets_stride), FIELD(zeros),
        FIELD(segments), FIELD(all_segments), FIELD(chunk_stride), FIELD(input_prefetch), FIELD(last_input_prefetch),
        FIELD(steps), FIELD(last_steps), FIELD(chunk_step), FIELD(lookup_at), FIELD(weight_prefetch), LAST_FETCH,
        FIELD(odd), FIELD(start),
        FIELD(start_stride), FIELD(groups), FIELD(points), FIELD(residual), FIELD(output), FIELD(point_stride),
        FIELD(bounds), FIELD(low)
      : "memory", "cc", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
        "x16", "x17", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0", "v1", "v2",
        "v3",
        "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20",
        "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}

#undef POINTS
#undef FIRST_01
#undef FIRST_23
#undef FIRST_45
#undef SECOND_01
#undef SECOND_23
#undef SECOND_45
#undef LOW_HALVES
#undef HIGH_HALVES
#undef HIGH_AND_LOW
#undef PHASE_A
#undef FETCH
#undef FETCH_WEIGHTS
#undef NEXT_WEIGHTS
#undef PHASE_B
#undef PHASE_C
#undef PHASE_D
#undef START_POINT
#undef START_LIKE_FIRST
#undef ODD_VECTOR
#undef RESIDUAL_POINT
#undef BOUND_POINT
#undef NO_STORE
#undef STORE
#undef STORE_POINT
#undef LOW_AND_STORE
#undef HIGH_AND_STORE
#undef FIELD
#undef LAST_FETCH

// Copies the offsets of six points; missing points repeat the last one.
void copy_offsets(const Tile16& tile, int64_t all_points, int64_t* copy) {
  for (int64_t s = 0; s < tile.segments; ++s)
    for (int64_t p = 0; p < kNeonTilePoints; ++p) *copy++ = tile.offsets[s * all_points + std::min(p, tile.points - 1)];
}

// Sets the fields that describe the reduction. If the length is odd, the first element is processed outside the steps.
void set_reduction(const Tile16& tile, SixPointArguments& six) {
  six.odd = tile.last_length % kStep;
  six.weights = tile.weights + six.odd * kTileBlock;
  six.input = tile.input + six.odd;
  six.zeros = kZeros + six.odd;
  six.segments = tile.segments;
  six.all_segments = tile.segments * tile.chunks;
  six.chunk_stride = tile.chunk_stride * int64_t{sizeof(float)};
  six.steps = tile.length / kStep;
  six.last_steps = tile.last_length / kStep;
  six.chunk_step = six.chunk_stride - six.steps * kStep * int64_t{sizeof(float)};
  six.lookup_at = tile.evenly_spaced && six.steps > 1 ? 1 : six.all_segments;
}

void set_input_prefetch(const Tile16& tile, SixPointArguments& six) {
  constexpr int64_t kRead = int64_t{sizeof(float)} * kStep;
  six.input_prefetch = six.last_input_prefetch = -kRead;
  if (!tile.evenly_spaced) return;
  six.input_prefetch = six.chunk_stride - kRead;
  if (six.groups == 1) return;
  const int64_t group = (tile.offsets[kNeonTilePoints] - tile.offsets[0]) * int64_t{sizeof(float)};
  six.last_input_prefetch = group - (tile.chunks - 1) * six.chunk_stride - kRead;
}

void set_epilogue(const Tile16& tile, float low, float high, SixPointArguments& six) {
  six.residual = tile.residual;
  six.output = tile.output;
  six.point_stride = tile.point_stride * int64_t{sizeof(float)};
  six.bounds = high < __builtin_inff() ? 2 : low > -__builtin_inff() ? 1 : 0;
  six.low = low;
  six.high = high;
}

}  // namespace

int64_t tile16_neon_six_points(const Tile16& tile) {
  const bool even = tile.last_length % kStep == 0 && tile.length % kStep == 0;
  const bool one_segment = tile.chunks * tile.segments == 1;
  if (tile.last_length < kStep || (tile.chunks > 1 && tile.length < kStep) || !(even || one_segment)) return 0;
  if (tile.points >= kNeonTilePoints) return tile.points / kNeonTilePoints * kNeonTilePoints;
  return tile.points >= kMinPoints && tile.segments <= kMaxCopiedSegments ? tile.points : 0;
}

void tile16_neon_six(const Tile16& tile, int64_t all_points, float low, float high) {
  int64_t offsets[kMaxCopiedSegments * kNeonTilePoints];
  float starts[kMaxTilePoints * kTileBlock];
  SixPointArguments six;
  set_reduction(tile, six);
  set_epilogue(tile, low, high, six);
  six.groups = 1;
  six.points = tile.points;
  six.offsets = offsets;
  six.offsets_stride = kNeonTilePoints * int64_t{sizeof(int64_t)};
  if (tile.points < kNeonTilePoints) {
    copy_offsets(tile, all_points, offsets);
  } else {
    six.groups = tile.points / kNeonTilePoints;
    six.points = kNeonTilePoints;
    six.offsets = tile.offsets;
    six.offsets_stride = all_points * int64_t{sizeof(int64_t)};
  }
  set_input_prefetch(tile, six);
  six.weight_prefetch = weight_prefetch_for(tile);
  six.next = six.groups == 1 ? six.offsets : six.offsets + kNeonTilePoints;
  six.start = tile.bias == nullptr ? kNoBias : tile.bias;
  six.start_stride = 0;
  if (tile.point_bias != nullptr) {
    for (int64_t p = 0; p < std::max(tile.points, kNeonTilePoints); ++p)
      std::fill_n(starts + p * kTileBlock, kTileBlock, tile.point_bias[std::min(p, tile.points - 1)]);
    six.start = starts;
    six.start_stride = kTileBlock * int64_t{sizeof(float)};
  }
  run_six(six);
}

}  // namespace nestrt::kernels
#endif
