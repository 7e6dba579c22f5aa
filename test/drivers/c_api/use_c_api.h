/* SPDX-License-Identifier: Apache-2.0 */
/* The C side of the test of nestrt.h: a C compiler must accept the header. */
#ifndef NESTRT_TEST_RUNTIME_C_API_USE_C_API_H_
#define NESTRT_TEST_RUNTIME_C_API_USE_C_API_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Loads a plan with one f32 input and one f32 output of six elements, runs it on `x`, writes `y`. 0, or the number of
 * the step that failed. */
int use_c_api(const char* path, const float* x, float* y);

/* Misuses every function. 0, or the number of the step that did not answer as nestrt.h says. */
int misuse_c_api(const char* path);

/* Logs by a hook of its own, with a plan whose weights are packed anew. 0, or the number of the step that failed. */
int log_c_api(const char* path);

#ifdef __cplusplus
}
#endif

#endif
