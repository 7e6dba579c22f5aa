/* SPDX-License-Identifier: Apache-2.0 */
#include "test/drivers/model/use_model.h"

#include <string.h>

#include "nestrt/nestrt.h"

int use_model(const char* path, const float* x, float* y) {
  nestrt_model* model = NULL;
  const void* inputs[1] = {x};
  size_t bytes = 6 * sizeof *x;
  int step = 0;
  if (nestrt_model_open(path, NULL, 1, &model) != NESTRT_OK) return 1;
  if (nestrt_model_output(model, 0, NULL) != NULL) step = 2;
  if (nestrt_model_run(model, inputs, &bytes) != NESTRT_OK) step = 3;
  if (step == 0) memcpy(y, nestrt_model_output(model, 0, &bytes), 6 * sizeof *y);
  if (bytes != 6 * sizeof *y || nestrt_plan_num_inputs(nestrt_model_plan(model)) != 1) step = 4;
  bytes = 7;
  if (nestrt_model_run(model, inputs, &bytes) != NESTRT_INVALID_ARGUMENT) step = 5;
  if (strstr(nestrt_last_error(), "expects 24 bytes, got 7") == NULL) step = 6;
  if (nestrt_model_output(model, 1, &bytes) != NULL || bytes != 0) step = 7;
  nestrt_model_free(model);
  return step;
}

int use_image_model(const char* path, const uint8_t* pixels, float* y) {
  nestrt_model* model = NULL;
  int step = 0;
  if (nestrt_model_open(path, "cpu", 1, &model) != NESTRT_OK) return 1;
  if (nestrt_model_run_image(model, pixels, 3, 2, 3, NESTRT_PIXELS_NHWC) != NESTRT_INVALID_ARGUMENT) step = 2;
  if (nestrt_model_run_image(model, pixels, 2, 2, 3, 2) != NESTRT_INVALID_ARGUMENT) step = 3;
  if (nestrt_model_run_image(model, pixels, 2, 2, 3, NESTRT_PIXELS_NHWC) != NESTRT_OK) step = 4;
  if (step == 0) memcpy(y, nestrt_model_output(model, 0, NULL), 12 * sizeof *y);
  nestrt_model_free(model);
  nestrt_model_free(NULL);
  return step;
}

int use_frame_model(const char* path, float* y) {
  /* A frame of 3 x 2 BGR pixels with rows of 12 bytes; the plan's image is the left part of 2 x 2. */
  const uint8_t bgr[24] = {3, 2, 1, 4, 3, 2, 9, 9, 9, 0, 0, 0, 5, 4, 3, 6, 5, 4, 9, 9, 9, 0, 0, 0};
  const uint8_t* const planes[3] = {bgr, NULL, NULL};
  const int64_t row_bytes[3] = {12, 0, 0}, crop[4] = {0, 0, 2, 2}, outside[4] = {2, 0, 2, 2};
  nestrt_model* model = NULL;
  int step = 0;
  if (nestrt_model_open(path, "cpu", 1, &model) != NESTRT_OK) return 1;
  if (nestrt_model_run_frame(model, NESTRT_FRAME_BGR, 3, 2, planes, row_bytes, outside) != NESTRT_INVALID_ARGUMENT)
    step = 2;
  if (nestrt_model_run_frame(model, 9, 3, 2, planes, row_bytes, crop) != NESTRT_INVALID_ARGUMENT) step = 3;
  if (nestrt_model_run_frame(model, NESTRT_FRAME_BGR, (int64_t)1 << 32, 2, planes, row_bytes, crop) !=
      NESTRT_INVALID_ARGUMENT)
    step = 4;
  if (nestrt_model_run_frame(model, NESTRT_FRAME_BGR, 3, 2, planes, NULL, NULL) != NESTRT_OK) step = 5;
  if (nestrt_model_run_frame(model, NESTRT_FRAME_BGR, 3, 2, planes, row_bytes, crop) != NESTRT_OK) step = 6;
  if (step == 0) memcpy(y, nestrt_model_output(model, 0, NULL), 12 * sizeof *y);
  nestrt_model_free(model);
  return step;
}

static nestrt_pipeline* open_pipeline(const char* path) {
  nestrt_plan* plan = NULL;
  nestrt_session_options* session = NULL;
  nestrt_pipeline_options* options = NULL;
  nestrt_pipeline* pipeline = NULL;
  if (nestrt_plan_load(path, &plan) == NESTRT_OK && nestrt_session_options_create(&session) == NESTRT_OK &&
      nestrt_pipeline_options_create(&options) == NESTRT_OK)
    nestrt_pipeline_create(plan, "cpu", 1, session, options, &pipeline);
  nestrt_session_options_free(session);
  nestrt_pipeline_options_free(options);
  nestrt_plan_free(plan);
  return pipeline;
}

int use_frame_pipeline(const char* path, float* y) {
  uint8_t bgr[24] = {3, 2, 1, 4, 3, 2, 9, 9, 9, 0, 0, 0, 5, 4, 3, 6, 5, 4, 9, 9, 9, 0, 0, 0};
  const uint8_t* const planes[1] = {bgr};
  const int64_t row_bytes[1] = {12}, crop[4] = {0, 0, 2, 2}, outside[4] = {2, 0, 2, 2};
  const size_t bytes[1] = {12 * sizeof *y}, wrong[1] = {12};
  void* const outputs[1] = {y};
  nestrt_pipeline* const pipeline = open_pipeline(path);
  int step = 0;
  if (pipeline == NULL) return 1;
  if (nestrt_pipeline_submit_frame(pipeline, NESTRT_FRAME_BGR, 3, 2, planes, row_bytes, outside, outputs, bytes) !=
      NESTRT_INVALID_ARGUMENT)
    step = 2;
  if (nestrt_pipeline_submit_frame(pipeline, NESTRT_FRAME_BGR, 3, 2, planes, row_bytes, crop, outputs, wrong) !=
      NESTRT_INVALID_ARGUMENT)
    step = 3;
  if (nestrt_pipeline_submit_frame(NULL, NESTRT_FRAME_BGR, 3, 2, planes, row_bytes, crop, outputs, bytes) !=
      NESTRT_INVALID_ARGUMENT)
    step = 4;
  if (nestrt_pipeline_next(pipeline) != NESTRT_INVALID_ARGUMENT) step = 5;
  if (nestrt_pipeline_submit_frame(pipeline, NESTRT_FRAME_BGR, 3, 2, planes, row_bytes, crop, outputs, bytes) !=
      NESTRT_OK)
    step = 6;
  memset(bgr, 0, sizeof bgr); /* the pixels are not read after the function has returned */
  if (step == 0 && nestrt_pipeline_next(pipeline) != NESTRT_OK) step = 7;
  nestrt_pipeline_free(pipeline);
  return step;
}
