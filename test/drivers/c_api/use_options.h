/* SPDX-License-Identifier: Apache-2.0 */
/* The C side of the tests of options, deadlines and pipelines. */
#ifndef NESTRT_TEST_DRIVERS_C_API_USE_OPTIONS_H_
#define NESTRT_TEST_DRIVERS_C_API_USE_OPTIONS_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A session with every option set, and runs of it with a time that is long and with none at all. The plan has one f32
 * input and one f32 output of six elements. Costs are kept in `cost_file`. 0, or the number of the step that failed. */
int use_session_options(const char* path, const char* cost_file, const float* x, float* y);

/* A session on the units "skeleton,cpu" of that plug-in, isolated and not, and a run of it; the plan has one input and
 * one output of so many bytes. 0, or the number of the step that failed. */
int use_plugin(const char* path, const char* plugin, const void* x, void* y, size_t bytes);

/* Gives every option values that it does not take. 0, or the number of the step that did not answer as nestrt.h says.
 */
int misuse_options(void);

/* Runs `x` so often through a pipeline, each into its own six elements of `y`. 0, or the number of the step that
 * failed. */
int use_pipeline(const char* path, int runs, const float* x, float* y);

/* Misuses every function of pipelines. 0, or the number of the step that did not answer as nestrt.h says. */
int misuse_pipeline(const char* path);

/* What a plan says of its tensors is what its session says. 0, or the number of the step that failed. */
int describe_plan(const char* path);

#ifdef __cplusplus
}
#endif

#endif
