/* SPDX-License-Identifier: Apache-2.0 */
/* Tests nestrt.h from C: a C compiler must accept the header. */
#ifndef NESTRT_TEST_RUNTIME_C_API_USE_C_API_H_
#define NESTRT_TEST_RUNTIME_C_API_USE_C_API_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Loads a plan with one f32 input and one f32 output of six elements, runs it on `x`, and writes `y`. Returns 0, or the
 * number of the failed step. */
int use_c_api(const char* path, const float* x, float* y);

/* Misuses every function. Returns 0, or the number of the first step whose result differs from nestrt.h. */
int misuse_c_api(const char* path);

/* Logs through a custom hook, with a plan whose weights are repacked. Returns 0, or the number of the failed step. */
int log_c_api(const char* path);

#ifdef __cplusplus
}
#endif

#endif
