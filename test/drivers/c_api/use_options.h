/* SPDX-License-Identifier: Apache-2.0 */
/* Tests options, deadlines and pipelines from C. Functions return 0, or the number of the failed step. */
#ifndef NESTRT_TEST_DRIVERS_C_API_USE_OPTIONS_H_
#define NESTRT_TEST_DRIVERS_C_API_USE_OPTIONS_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Creates a session with every option set and runs it with a timeout of 0, a long one and none. The plan has one f32
 * input and one f32 output of six elements. Costs are stored in `cost_file`. */
int use_session_options(const char* path, const char* cost_file, const float* x, float* y);

/* Runs a session on the units "skeleton,cpu" of the plug-in, both isolated and in-process. The plan has one input and
 * one output of `bytes` each. */
int use_plugin(const char* path, const char* plugin, const void* x, void* y, size_t bytes);

/* Sets every option to invalid values and checks the errors that nestrt.h documents. */
int misuse_options(void);

/* Runs `x` `runs` times through a pipeline. Each run writes its own six elements of `y`. */
int use_pipeline(const char* path, int runs, const float* x, float* y);

/* Misuses every function of pipelines and checks the errors that nestrt.h documents. */
int misuse_pipeline(const char* path);

/* Checks that a plan and its session describe the tensors identically. */
int describe_plan(const char* path);

#ifdef __cplusplus
}
#endif

#endif
