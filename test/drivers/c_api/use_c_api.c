/* SPDX-License-Identifier: Apache-2.0 */
#include "test/drivers/c_api/use_c_api.h"

#include <string.h>

#include "nestrt/nestrt.h"

static int run_session(nestrt_session* session, const float* x, float* y) {
  const void* inputs[1] = {x};
  void* outputs[1] = {y};
  size_t input_bytes[1], output_bytes[1];
  int64_t dims[2] = {0, 0};
  if (nestrt_session_num_inputs(session) != 1 || nestrt_session_num_outputs(session) != 1) return 10;
  if (strcmp(nestrt_session_input_name(session, 0), "x") != 0 ||
      strcmp(nestrt_session_output_name(session, 0), "y") != 0)
    return 11;
  if (nestrt_session_find_input(session, "x") != 0 || nestrt_session_find_output(session, "x") != -1) return 12;
  if (nestrt_session_input_type(session, 0) != NESTRT_F32 || nestrt_session_output_type(session, 0) != NESTRT_F32)
    return 13;
  if (nestrt_session_input_shape(session, 0, dims, 2) != 2 || dims[0] != 2 || dims[1] != 3) return 14;
  if (nestrt_session_output_shape(session, 0, dims, 1) != 2) return 15;
  input_bytes[0] = nestrt_session_input_bytes(session, 0);
  output_bytes[0] = nestrt_session_output_bytes(session, 0);
  if (input_bytes[0] != 6 * sizeof(float) || output_bytes[0] != 6 * sizeof(float)) return 16;
  return nestrt_session_run(session, inputs, input_bytes, outputs, output_bytes) == 0 ? 0 : 17;
}

int use_c_api(const char* path, const float* x, float* y) {
  nestrt_plan* plan = NULL;
  nestrt_session* session = NULL;
  int step = 0;
  if (nestrt_abi_version() != NESTRT_ABI_VERSION || strlen(nestrt_version()) < 5) return 1;
  if (nestrt_plan_load(path, &plan) != 0) return 2;
  if (nestrt_session_create(plan, "cpu", 2, &session) != 0) step = 3;
  if (step == 0 && nestrt_session_warm_up(session) != NESTRT_OK) step = 4;
  nestrt_plan_free(plan); /* the session keeps what it needs */
  if (step == 0) step = run_session(session, x, y);
  nestrt_session_free(session);
  return step;
}

int misuse_c_api(const char* path) {
  nestrt_plan* plan = NULL;
  nestrt_session* session = NULL;
  float memory[12] = {0};
  const void* inputs[1] = {memory};
  void* outputs[1] = {memory + 6};
  size_t good[1] = {24}, bad[1] = {23};
  int step = 0;
  if (nestrt_plan_load("/nonexistent.nest", &plan) != NESTRT_NOT_FOUND || plan != NULL) return 1;
  if (strstr(nestrt_last_error(), "/nonexistent.nest") == NULL) return 2;
  if (nestrt_plan_load(NULL, &plan) != NESTRT_INVALID_ARGUMENT) return 3;
  if (nestrt_plan_load(path, NULL) != NESTRT_INVALID_ARGUMENT) return 3;
  if (nestrt_session_create(NULL, NULL, 0, &session) != NESTRT_INVALID_ARGUMENT) return 4;
  if (nestrt_session_run(NULL, inputs, good, outputs, good) != NESTRT_INVALID_ARGUMENT) return 5;
  if (nestrt_session_warm_up(NULL) != NESTRT_INVALID_ARGUMENT) return 5;
  if (nestrt_session_num_inputs(NULL) != 0 || nestrt_session_input_name(NULL, 0) != NULL ||
      nestrt_session_input_type(NULL, 0) != -1)
    return 6;
  nestrt_plan_free(NULL);
  nestrt_session_free(NULL);

  if (nestrt_plan_load(path, &plan) != 0) return 7;
  if (nestrt_session_create(plan, "tpu", 0, &session) != NESTRT_INVALID_ARGUMENT || session != NULL) step = 8;
  if (step == 0 && strstr(nestrt_last_error(), "available: cpu, evta") == NULL) step = 9;
  if (step == 0 && nestrt_session_create(plan, NULL, 1, &session) != 0) step = 10;
  if (step == 0 && nestrt_session_run(session, inputs, bad, outputs, good) != NESTRT_INVALID_ARGUMENT) step = 11;
  if (step == 0 && strcmp(nestrt_last_error(), "input 0 'x': expected 24 bytes, got 23") != 0) step = 12;
  if (step == 0 && nestrt_session_run(session, inputs, NULL, outputs, good) != NESTRT_INVALID_ARGUMENT) step = 13;
  if (step == 0 && (nestrt_session_output_name(session, 1) != NULL || nestrt_session_output_bytes(session, 1) != 0))
    step = 14;
  nestrt_session_free(session);
  nestrt_plan_free(plan);
  return step;
}

static void count_messages(void* context, nestrt_log_level level, const char* message) {
  if (level == NESTRT_LOG_INFO && strstr(message, "packed for another CPU") != NULL) ++*(int*)context;
}

int log_c_api(const char* path) {
  nestrt_plan* plan = NULL;
  nestrt_session* session = NULL;
  int messages = 0, step = 0;
  if (nestrt_log_set_level((nestrt_log_level)7) != NESTRT_INVALID_ARGUMENT) return 1;
  if (nestrt_log_set_hook(count_messages, &messages) != NESTRT_OK) return 2;
  if (nestrt_plan_load(path, &plan) != NESTRT_OK) step = 3;
  if (step == 0 && nestrt_session_create(plan, "cpu", 1, &session) != NESTRT_OK) step = 4;
  if (step == 0 && messages != 0) step = 5; /* information is not logged by default */
  nestrt_session_free(session);
  session = NULL;
  if (step == 0 && nestrt_log_set_level(NESTRT_LOG_INFO) != NESTRT_OK) step = 6;
  if (step == 0 && nestrt_session_create(plan, "cpu", 1, &session) != NESTRT_OK) step = 7;
  if (step == 0 && messages != 1) step = 8;
  nestrt_session_free(session);
  nestrt_plan_free(plan);
  if (nestrt_log_set_level(NESTRT_LOG_WARNING) != NESTRT_OK || nestrt_log_set_hook(NULL, NULL) != NESTRT_OK) return 9;
  return step;
}
