// SPDX-License-Identifier: Apache-2.0
// Assembly for in-order cores, as explained in kernels/common/gemm_f32/tile16_neon_six.cpp: weights and inputs are
// loaded into integer registers in parallel with multiplications and move to vectors in pairs of halves.
//
//   v0-v15   sums [4 points][4 vectors of outputs]
//   v16-v19  weights of the 16 outputs for element k    v20-v23  for k + 1
//   v24 v25  inputs of two points each: elements k and k + 1 of each
//
// A step processes elements k and k + 1 of each point: 128 products in 42 cycles, 32 of which use the multiplier. A
// step of the six-point code would take 59. Points 2 and 3 precede 0 and 1, so that v25 is free in the middle of a
// step.
#include "kernels/common/gemm_f32/tile16_neon_four.h"

#include "hwy/base.h"

#if HWY_ARCH_ARM_A64
#include <algorithm>
#include <cstddef>

#include "kernels/common/gemm_f32/weight_prefetch.h"

namespace nestrt::kernels {
namespace {

constexpr int64_t kStep = 2;
constexpr int64_t kFloat = sizeof(float);

// Arguments of the assembly.
struct FourPoints {
  const float* inputs[4];
  const float* weights;
  int64_t chunks;
  int64_t steps, last_steps;  // steps per chunk, and in the last chunk
  // Bytes from the end of a chunk's inputs to the inputs of the next chunk, and from the end of the last chunk's inputs
  // to the first chunk.
  int64_t chunk_step, first_step;
  int64_t weights_back;  // bytes from the weights of the last step to those of the first
  WeightPrefetch weight_prefetch;
  int64_t input_prefetch;  // bytes from the inputs after a step to those of the next chunk, which are prefetched
  float* output;
  int64_t point_stride;  // bytes
  int64_t points;
};

// clang-format off
#define HALVES(a, b) a "\n" b "\n"
#define LOW(v, x) "fmov d" #v ", " #x
#define HIGH(v, x) "mov v" #v ".d[1], " #x
#define PRODUCT(sum, weight, in, t) "fmla v" #sum ".4s, v" #weight ".4s, v" in "\n" t "\n"

// 16 products, each paired with integer instructions. Moves are interleaved.
#define ELEMENT_K(t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15)                           \
  PRODUCT(8, 16, "25.s[0]", t0) PRODUCT(9, 17, "25.s[0]", t1) PRODUCT(10, 18, "25.s[0]", t2)                      \
  HALVES(HIGH(24, x24), LOW(21, x15))                                                                             \
  PRODUCT(11, 19, "25.s[0]", t3) PRODUCT(12, 16, "25.s[2]", t4)                                                   \
  HALVES(HIGH(20, x14), LOW(22, x19))                                                                             \
  PRODUCT(13, 17, "25.s[2]", t5) PRODUCT(14, 18, "25.s[2]", t6)                                                   \
  HALVES(HIGH(21, x16), LOW(23, x21))                                                                             \
  PRODUCT(15, 19, "25.s[2]", t7) PRODUCT(0, 16, "24.s[0]", t8) PRODUCT(1, 17, "24.s[0]", t9)                      \
  PRODUCT(2, 18, "24.s[0]", t10)                                                                                  \
  HALVES(HIGH(22, x20), HIGH(23, x22))                                                                            \
  PRODUCT(3, 19, "24.s[0]", t11) PRODUCT(4, 16, "24.s[2]", t12) PRODUCT(5, 17, "24.s[2]", t13)                    \
  PRODUCT(6, 18, "24.s[2]", t14) PRODUCT(7, 19, "24.s[2]", t15)
#define ELEMENT_K_1(t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15)                         \
  PRODUCT(8, 20, "25.s[1]", t0) PRODUCT(9, 21, "25.s[1]", t1)                                                     \
  HALVES(LOW(16, x13), LOW(17, x15))                                                                              \
  PRODUCT(10, 22, "25.s[1]", t2) PRODUCT(11, 23, "25.s[1]", t3) PRODUCT(12, 20, "25.s[3]", t4)                    \
  PRODUCT(13, 21, "25.s[3]", t5)                                                                                  \
  HALVES(LOW(18, x19), LOW(19, x21))                                                                              \
  PRODUCT(14, 22, "25.s[3]", t6) PRODUCT(15, 23, "25.s[3]", t7)                                                   \
  HALVES(LOW(25, x27), HIGH(16, x14))                                                                             \
  PRODUCT(0, 20, "24.s[1]", t8) PRODUCT(1, 21, "24.s[1]", t9)                                                     \
  HALVES(HIGH(17, x16), HIGH(18, x20))                                                                            \
  PRODUCT(2, 22, "24.s[1]", t10) PRODUCT(3, 23, "24.s[1]", t11) PRODUCT(4, 20, "24.s[3]", t12)                    \
  HALVES(HIGH(25, x28), HIGH(19, x22))                                                                            \
  PRODUCT(5, 21, "24.s[3]", t13) PRODUCT(6, 22, "24.s[3]", t14) PRODUCT(7, 23, "24.s[3]", t15)                    \
  HALVES(LOW(24, x23), LOW(20, x13))

#define FETCH(x) "ldr wzr, [" #x ", x26]"
#define FETCH_WEIGHTS "ldr wzr, [x30]"
#define NEXT_WEIGHTS "add x30, x30, x25"
// Load weights of the next element after the previous halves have moved to vectors.
#define WEIGHTS_0(at) "ldp x13, x14, [x7, #" #at "]"
#define WEIGHTS_1(at) "ldp x15, x16, [x7, #" #at " + 16]"
#define WEIGHTS_2(at) "ldp x19, x20, [x7, #" #at " + 32]"
#define WEIGHTS_3(at) "ldp x21, x22, [x7, #" #at " + 48]"

#define ZEROS(a, b, c, d) "movi d" #a ", #0\nmovi d" #b ", #0\nmovi d" #c ", #0\nmovi d" #d ", #0\n"
#define STORE(a, b, c, d) \
  "stp q" #a ", q" #b ", [x13]\n" "stp q" #c ", q" #d ", [x13, #32]\n" "add x13, x13, x14\n"
// clang-format on

#define FIELD(name) [name] "i"(offsetof(FourPoints, name))

// x1-x4: inputs of the points; x7: weights; x8: steps left in the chunk; x9: chunks left; x13-x16, x19-x22: halves of
// the next element's weights; x23 x24, x27 x28: elements of points 0 to 3; x26: prefetch distance of the inputs; x30:
// weights to prefetch, x25: bytes to the next ones.
void run_four(const FourPoints& tile) {
  register const FourPoints* args __asm__("x0") = &tile;
  __asm__ volatile(
      "ldp x1, x2, [x0]\n"
      "ldp x3, x4, [x0, #16]\n"
      "ldp x7, x9, [x0, %[weights]]\n"
      "ldp x30, x25, [x0, %[weight_prefetch]]\n"
      "ldr x26, [x0, %[input_prefetch]]\n"
      "ldr x23, [x1], #8\n"
      "ldr x24, [x2], #8\n"
      "ldp q16, q17, [x7]\n"
      "ldr x27, [x3], #8\n"
      "ldr x28, [x4], #8\n"
      "ldp q18, q19, [x7, #32]\n"
      WEIGHTS_0(64) "\n" WEIGHTS_1(64) "\n" WEIGHTS_2(64) "\n" WEIGHTS_3(64) "\n"
      ZEROS(0, 1, 2, 3) ZEROS(4, 5, 6, 7) ZEROS(8, 9, 10, 11) ZEROS(12, 13, 14, 15)
      HALVES(LOW(24, x23), LOW(25, x27))
      "mov v25.d[1], x28\n"
      "fmov d20, x13\n"

      "0:\n"  // a chunk
      "cmp x9, #1\n"
      "ldp x8, x5, [x0, %[steps]]\n"
      "mov x6, #-8\n"
      "csel x8, x5, x8, eq\n"
      "csel x26, x6, x26, eq\n"
      "cmp x8, #1\n"
      "b.eq 2f\n"

      "1:\n"  // a step within a chunk
      ELEMENT_K("ldr x27, [x3], #8", "ldr x28, [x4], #8", "", FETCH_WEIGHTS, "", WEIGHTS_0(128), NEXT_WEIGHTS,
                WEIGHTS_1(128), FETCH(x1), "", FETCH(x2), WEIGHTS_2(128), WEIGHTS_3(128), "", FETCH(x3), "")
      ELEMENT_K_1("ldr x23, [x1], #8", "ldr x24, [x2], #8", FETCH(x4), "", FETCH_WEIGHTS, "", NEXT_WEIGHTS, "",
                  WEIGHTS_0(192), "", WEIGHTS_1(192), WEIGHTS_2(192), "sub x8, x8, #1", WEIGHTS_3(192),
                  "add x7, x7, #128", "cmp x8, #1")
      "b.ne 1b\n"

      // The last step of a chunk. The inputs advance to the next chunk; after the last chunk, inputs and weights return
      // to the first.
      "2:\n"
      ELEMENT_K("subs x9, x9, #1", "ldp x5, x6, [x0, %[chunk_step]]", "ldr x8, [x0, %[weights_back]]",
                "ldr x10, [x0, %[last_fetch]]", "csel x5, x6, x5, eq", "csel x8, x8, xzr, eq", "add x3, x3, x5",
                "add x4, x4, x5", "ldr x27, [x3], #8", "ldr x28, [x4], #8", "add x7, x7, x8", WEIGHTS_0(128),
                WEIGHTS_1(128), WEIGHTS_2(128), WEIGHTS_3(128), "add x1, x1, x5")
      ELEMENT_K_1("add x2, x2, x5", "ldr x23, [x1], #8", "ldr x24, [x2], #8", FETCH_WEIGHTS, NEXT_WEIGHTS, "",
                  FETCH_WEIGHTS, NEXT_WEIGHTS, WEIGHTS_0(192), "cmp x30, x10", WEIGHTS_1(192), WEIGHTS_2(192),
                  "csel x25, x25, xzr, ls", WEIGHTS_3(192), "add x7, x7, #128", "")
      "cbnz x9, 0b\n"

      "ldp x13, x14, [x0, %[output]]\n"
      "ldr x15, [x0, %[points]]\n"
      STORE(0, 1, 2, 3) STORE(4, 5, 6, 7) STORE(8, 9, 10, 11)
      "cmp x15, #3\n"
      "b.eq 3f\n"
      STORE(12, 13, 14, 15)
      "3:\n"
      :
      : "r"(args), FIELD(weights), FIELD(steps), FIELD(chunk_step), FIELD(weights_back), FIELD(weight_prefetch),
        [last_fetch] "i"(offsetof(FourPoints, weight_prefetch) + offsetof(WeightPrefetch, last)),
        FIELD(input_prefetch), FIELD(output), FIELD(points)
      : "memory", "cc", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x13", "x14", "x15", "x16", "x19",
        "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6",
        "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22",
        "v23", "v24", "v25");
}

#undef HALVES
#undef LOW
#undef HIGH
#undef PRODUCT
#undef ELEMENT_K
#undef ELEMENT_K_1
#undef FETCH
#undef FETCH_WEIGHTS
#undef NEXT_WEIGHTS
#undef WEIGHTS_0
#undef WEIGHTS_1
#undef WEIGHTS_2
#undef WEIGHTS_3
#undef ZEROS
#undef STORE
#undef FIELD

}  // namespace

bool supports_tile16_neon_four(const Tile16& tile) {
  const bool has_no_epilogue = tile.bias == nullptr && tile.point_bias == nullptr && tile.residual == nullptr &&
                               tile.activation.kind == ops::ActivationKind::kNone && tile.last_lanes == kTileBlock;
  return tile.evenly_spaced && (tile.points == 3 || tile.points == 4) && has_no_epilogue && tile.last_length > 0 &&
         tile.length % kStep == 0 && tile.last_length % kStep == 0;
}

void tile16_neon_four(const Tile16& tile) {
  const int64_t chunk_stride = tile.chunk_stride * kFloat;
  const int64_t elements = (tile.chunks - 1) * tile.length + tile.last_length;
  FourPoints four;
  for (int64_t p = 0; p < 4; ++p) four.inputs[p] = tile.input + tile.offsets[std::min(p, tile.points - 1)];
  four.weights = tile.weights;
  four.chunks = tile.chunks;
  four.steps = tile.length / kStep;
  four.last_steps = tile.last_length / kStep;
  four.chunk_step = chunk_stride - tile.length * kFloat;
  four.first_step = -((tile.chunks - 1) * chunk_stride + tile.last_length * kFloat);
  four.weights_back = -elements * kTileBlock * kFloat;
  four.weight_prefetch = weight_prefetch_for(tile);
  four.input_prefetch = chunk_stride - kStep * kFloat;
  four.output = tile.output;
  four.point_stride = tile.point_stride * kFloat;
  four.points = tile.points;
  run_four(four);
}

}  // namespace nestrt::kernels
#endif
