/* SPDX-License-Identifier: Apache-2.0 */
/* Runs models from C. Each function returns 0, or the number of the step that failed. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#include <stdint.h>

/* The plan at `path` has one f32 input and one f32 output, both of 6 elements. */
int use_model(const char* path, const float* x, float* y);
/* The plan at `path` has an image of 2 x 2 pixels as its input and one output of 12 elements. */
int use_image_model(const char* path, const uint8_t* pixels, float* y);
/* The plan at `path` has an image of 2 x 2 pixels as its input and one output of 12 elements. */
int use_frame_model(const char* path, float* y);
/* As use_frame_model(), with a pipeline. */
int use_frame_pipeline(const char* path, float* y);

#ifdef __cplusplus
}
#endif
