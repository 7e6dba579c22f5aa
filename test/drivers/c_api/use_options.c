/* SPDX-License-Identifier: Apache-2.0 */
#include "test/drivers/c_api/use_options.h"

#include <math.h>
#include <string.h>

#include "nestrt/nestrt.h"

static int set_all(nestrt_session_options* options, const char* cost_file) {
  if (nestrt_session_options_set_schedule_method(options, NESTRT_SCHEDULE_SEQUENTIAL) != NESTRT_OK) return 20;
  if (nestrt_session_options_set_split_channels(options, 0) != NESTRT_OK) return 21;
  if (nestrt_session_options_set_share_cores(options, 0) != NESTRT_OK) return 22;
  if (nestrt_session_options_set_schedule_budget(options, 1000) != NESTRT_OK) return 23;
  if (nestrt_session_options_set_measure(options, NESTRT_MEASURE_BEFORE) != NESTRT_OK) return 24;
  if (nestrt_session_options_set_cost_file(options, cost_file) != NESTRT_OK) return 25;
  if (nestrt_session_options_set_drift(options, 0) != NESTRT_OK) return 26;
  if (nestrt_session_options_set_unit_timeout(options, 1000) != NESTRT_OK) return 27;
  if (nestrt_session_options_set_unit_timeout_factor(options, 4, 30) != NESTRT_OK) return 28;
  if (nestrt_session_options_set_probe_interval(options, 100) != NESTRT_OK) return 29;
  if (nestrt_session_options_set_check_every(options, 2) != NESTRT_OK) return 30;
  return nestrt_session_options_set_urgent(options, 1) == NESTRT_OK ? 0 : 31;
}

static int run_with_times(nestrt_session* session, nestrt_run_options* options, const float* x, float* y) {
  const void* inputs[1] = {x};
  void* outputs[1] = {y};
  const size_t bytes[1] = {6 * sizeof(float)};
  if (nestrt_run_options_set_timeout(options, 0) != NESTRT_OK) return 10;
  if (nestrt_session_run_with(session, inputs, bytes, outputs, bytes, options) != NESTRT_DEADLINE_EXCEEDED) return 11;
  if (nestrt_run_options_set_timeout(options, 3600000000) != NESTRT_OK) return 12;
  if (nestrt_session_run_with(session, inputs, bytes, outputs, bytes, options) != NESTRT_OK) return 13;
  if (nestrt_run_options_set_timeout(options, INT64_MAX) != NESTRT_OK) return 14;
  if (nestrt_session_run_with(session, inputs, bytes, outputs, bytes, options) != NESTRT_OK) return 15;
  if (nestrt_session_run_with(session, inputs, bytes, outputs, bytes, NULL) != NESTRT_INVALID_ARGUMENT) return 16;
  if (nestrt_session_cancel(session) != NESTRT_OK) return 17; /* no effect after the run */
  return nestrt_session_num_host_fallbacks(session) == 0 && nestrt_session_num_reschedules(session) == 0 ? 0 : 18;
}

int use_session_options(const char* path, const char* cost_file, const float* x, float* y) {
  nestrt_plan* plan = NULL;
  nestrt_session* session = NULL;
  nestrt_session_options* options = NULL;
  nestrt_run_options* run_options = NULL;
  int step = 0;
  if (nestrt_session_options_create(&options) != NESTRT_OK || nestrt_run_options_create(&run_options) != NESTRT_OK)
    step = 1;
  if (step == 0) step = set_all(options, cost_file);
  if (step == 0 && nestrt_plan_load(path, &plan) != NESTRT_OK) step = 2;
  if (step == 0 && nestrt_session_create_with(plan, "cpu", 1, options, &session) != NESTRT_OK) step = 3;
  nestrt_session_options_free(options);
  if (step == 0) step = run_with_times(session, run_options, x, y);
  nestrt_run_options_free(run_options);
  nestrt_session_free(session);
  nestrt_plan_free(plan);
  return step;
}

static int run_on_plugin(const nestrt_plan* plan, const nestrt_session_options* options, const void* x, void* y,
                         size_t bytes) {
  nestrt_session* session = NULL;
  if (nestrt_session_create_with(plan, "skeleton,cpu", 1, options, &session) != NESTRT_OK) return 1;
  const int is_run = nestrt_session_run(session, &x, &bytes, &y, &bytes) == NESTRT_OK &&
                     nestrt_session_num_host_fallbacks(session) == 0;
  nestrt_session_free(session);
  return is_run ? 0 : 2;
}

int use_plugin(const char* path, const char* plugin, const void* x, void* y, size_t bytes) {
  nestrt_plan* plan = NULL;
  nestrt_session_options* options = NULL;
  int step = 0;
  if (nestrt_plan_load(path, &plan) != NESTRT_OK || nestrt_session_options_create(&options) != NESTRT_OK) step = 10;
  if (step == 0 && run_on_plugin(plan, options, x, y, bytes) != 1) step = 20; /* no plug-in is set yet */
  if (step == 0 && nestrt_session_options_set_plugin(options, plugin) != NESTRT_OK) step = 30;
  if (step == 0) step = run_on_plugin(plan, options, x, y, bytes);
  memset(y, 0, bytes);
  if (step == 0 && nestrt_session_options_set_isolate(options, 1) != NESTRT_OK) step = 40;
  if (step == 0) step = run_on_plugin(plan, options, x, y, bytes);
  if (step == 0 && nestrt_session_options_set_plugin(options, NULL) != NESTRT_OK) step = 50;
  if (step == 0 && run_on_plugin(plan, options, x, y, bytes) != 1) step = 60;
  nestrt_session_options_free(options);
  nestrt_plan_free(plan);
  return step;
}

/* Returns whether the call was rejected with a message that names the option. */
static int is_refused(nestrt_code code, const char* name) {
  return code == NESTRT_INVALID_ARGUMENT && strstr(nestrt_last_error(), name) != NULL;
}

static int misuse_session_options(nestrt_session_options* options) {
  if (!is_refused(nestrt_session_options_set_measure(options, 3), "measure")) return 48;
  if (!is_refused(nestrt_session_options_set_schedule_method(options, -1), "schedule_method")) return 10;
  if (!is_refused(nestrt_session_options_set_schedule_method(options, 5), "schedule_method")) return 11;
  if (!is_refused(nestrt_session_options_set_schedule_budget(options, -1), "schedule_budget")) return 12;
  if (!is_refused(nestrt_session_options_set_drift(options, -0.5), "drift")) return 13;
  if (!is_refused(nestrt_session_options_set_drift(options, NAN), "drift")) return 14;
  if (!is_refused(nestrt_session_options_set_unit_timeout(options, 0), "unit_timeout")) return 15;
  if (!is_refused(nestrt_session_options_set_unit_timeout(options, INT64_MAX), "unit_timeout")) return 16;
  if (!is_refused(nestrt_session_options_set_unit_timeout_factor(options, 0.5, 20), "unit_timeout_factor")) return 17;
  if (!is_refused(nestrt_session_options_set_unit_timeout_factor(options, NAN, 20), "unit_timeout_factor")) return 18;
  if (!is_refused(nestrt_session_options_set_unit_timeout_factor(options, 8, -1), "unit_timeout_factor")) return 19;
  if (!is_refused(nestrt_session_options_set_probe_interval(options, 0), "probe_interval")) return 20;
  if (!is_refused(nestrt_session_options_set_probe_interval(options, 86400001), "probe_interval")) return 21;
  return 0;
}

static int misuse_null_options(void) {
  if (!is_refused(nestrt_session_options_set_schedule_method(NULL, 0), "options")) return 30;
  if (!is_refused(nestrt_session_options_set_split_channels(NULL, 0), "options")) return 31;
  if (!is_refused(nestrt_session_options_set_share_cores(NULL, 0), "options")) return 32;
  if (!is_refused(nestrt_session_options_set_schedule_budget(NULL, 0), "options")) return 33;
  if (!is_refused(nestrt_session_options_set_measure(NULL, 0), "options")) return 34;
  if (!is_refused(nestrt_session_options_set_cost_file(NULL, ""), "options")) return 35;
  if (!is_refused(nestrt_session_options_set_drift(NULL, 0), "options")) return 36;
  if (!is_refused(nestrt_session_options_set_unit_timeout(NULL, 1), "options")) return 37;
  if (!is_refused(nestrt_session_options_set_unit_timeout_factor(NULL, 1, 0), "options")) return 38;
  if (!is_refused(nestrt_session_options_set_probe_interval(NULL, 1), "options")) return 39;
  if (!is_refused(nestrt_session_options_set_check_every(NULL, 0), "options")) return 40;
  if (!is_refused(nestrt_session_options_set_keep_costs(NULL, 0), "options")) return 47;
  if (!is_refused(nestrt_session_options_set_urgent(NULL, 0), "options")) return 41;
  if (!is_refused(nestrt_run_options_create(NULL), "options")) return 42;
  if (!is_refused(nestrt_run_options_set_timeout(NULL, 0), "options")) return 43;
  if (!is_refused(nestrt_session_run_with(NULL, NULL, NULL, NULL, NULL, NULL), "session")) return 44;
  if (!is_refused(nestrt_session_cancel(NULL), "session")) return 45;
  if (nestrt_session_num_host_fallbacks(NULL) != 0 || nestrt_session_num_reschedules(NULL) != 0) return 46;
  nestrt_run_options_free(NULL);
  return 0;
}

int misuse_options(void) {
  nestrt_session_options* options = NULL;
  nestrt_run_options* run_options = NULL;
  int step = 0;
  if (nestrt_session_options_create(&options) != NESTRT_OK || nestrt_run_options_create(&run_options) != NESTRT_OK)
    step = 1;
  if (step == 0) step = misuse_session_options(options);
  if (step == 0) step = misuse_null_options();
  if (step == 0 && !is_refused(nestrt_run_options_set_timeout(run_options, -1), "timeout")) step = 2;
  nestrt_session_options_free(options);
  nestrt_run_options_free(run_options);
  return step;
}

static nestrt_code create_pipeline(const nestrt_plan* plan, nestrt_pipeline** pipeline) {
  nestrt_session_options* session = NULL;
  nestrt_pipeline_options* options = NULL;
  nestrt_code code = nestrt_session_options_create(&session);
  if (code == NESTRT_OK) code = nestrt_pipeline_options_create(&options);
  if (code == NESTRT_OK) code = nestrt_pipeline_options_set_in_flight(options, 2);
  if (code == NESTRT_OK) code = nestrt_pipeline_options_set_waiting(options, 1);
  if (code == NESTRT_OK) code = nestrt_pipeline_create(plan, "cpu", 1, session, options, pipeline);
  nestrt_session_options_free(session);
  nestrt_pipeline_options_free(options);
  return code;
}

/* At most two inferences are in flight, so results must be fetched while others are submitted. */
static int run_pipeline(nestrt_pipeline* pipeline, int runs, const float* x, float* y) {
  const size_t bytes[1] = {6 * sizeof(float)};
  int submitted, returned = 0;
  for (submitted = 0; submitted < runs; ++submitted) {
    const void* inputs[1] = {x};
    void* outputs[1];
    outputs[0] = y + 6 * submitted;
    if (nestrt_pipeline_submit(pipeline, inputs, bytes, outputs, bytes) != NESTRT_OK) return 10;
    if (submitted >= 2 && ++returned && nestrt_pipeline_next(pipeline) != NESTRT_OK) return 11;
  }
  for (; returned < runs; ++returned)
    if (nestrt_pipeline_next(pipeline) != NESTRT_OK) return 12;
  return nestrt_pipeline_next(pipeline) == NESTRT_INVALID_ARGUMENT ? 0 : 13;
}

int use_pipeline(const char* path, int runs, const float* x, float* y) {
  nestrt_plan* plan = NULL;
  nestrt_pipeline* pipeline = NULL;
  int step = 0;
  if (nestrt_plan_load(path, &plan) != NESTRT_OK) return 1;
  if (create_pipeline(plan, &pipeline) != NESTRT_OK) step = 2;
  nestrt_plan_free(plan); /* the pipeline keeps a reference to the plan */
  if (step == 0) step = run_pipeline(pipeline, runs, x, y);
  nestrt_pipeline_free(pipeline);
  return step;
}

static int misuse_pipeline_options(const nestrt_plan* plan, nestrt_session_options* session,
                                   nestrt_pipeline_options* options) {
  nestrt_pipeline* none = NULL;
  if (!is_refused(nestrt_pipeline_options_set_in_flight(options, -1), "in_flight")) return 10;
  if (!is_refused(nestrt_pipeline_options_set_in_flight(options, 1025), "in_flight")) return 11;
  if (!is_refused(nestrt_pipeline_options_set_waiting(options, -1), "waiting")) return 12;
  if (!is_refused(nestrt_pipeline_options_set_waiting(NULL, 1), "options")) return 13;
  if (!is_refused(nestrt_pipeline_create(NULL, "cpu", 1, session, options, &none), "plan")) return 14;
  if (!is_refused(nestrt_pipeline_create(plan, "cpu", 1, NULL, options, &none), "session_options")) return 15;
  if (!is_refused(nestrt_pipeline_create(plan, "cpu", 1, session, NULL, &none), "options")) return 16;
  if (!is_refused(nestrt_pipeline_create(plan, "cpu", 1, session, options, NULL), "pipeline")) return 17;
  if (!is_refused(nestrt_pipeline_create(plan, "tpu", 1, session, options, &none), "tpu")) return 18;
  return none == NULL ? 0 : 19;
}

static int misuse_submissions(nestrt_pipeline* pipeline) {
  float memory[12] = {0};
  const void* inputs[1] = {memory};
  void* outputs[1] = {memory + 6};
  const size_t good[1] = {24}, bad[1] = {23};
  if (!is_refused(nestrt_pipeline_submit(NULL, inputs, good, outputs, good), "pipeline")) return 30;
  if (!is_refused(nestrt_pipeline_submit(pipeline, NULL, good, outputs, good), "inputs")) return 31;
  if (!is_refused(nestrt_pipeline_submit(pipeline, inputs, bad, outputs, good), "input 0 'x'")) return 32;
  if (!is_refused(nestrt_pipeline_submit(pipeline, inputs, good, outputs, bad), "output 0 'y'")) return 33;
  if (!is_refused(nestrt_pipeline_next(pipeline), "no inference")) return 34; /* rejected inferences are not queued */
  return is_refused(nestrt_pipeline_next(NULL), "pipeline") ? 0 : 35;
}

int misuse_pipeline(const char* path) {
  nestrt_plan* plan = NULL;
  nestrt_pipeline* pipeline = NULL;
  nestrt_session_options* session = NULL;
  nestrt_pipeline_options* options = NULL;
  int step = 0;
  if (nestrt_plan_load(path, &plan) != NESTRT_OK) step = 1;
  if (step == 0 && nestrt_session_options_create(&session) != NESTRT_OK) step = 2;
  if (step == 0 && nestrt_pipeline_options_create(&options) != NESTRT_OK) step = 3;
  if (step == 0 && !is_refused(nestrt_pipeline_options_create(NULL), "options")) step = 4;
  if (step == 0) step = misuse_pipeline_options(plan, session, options);
  if (step == 0 && create_pipeline(plan, &pipeline) != NESTRT_OK) step = 5;
  if (step == 0) step = misuse_submissions(pipeline);
  nestrt_pipeline_free(pipeline);
  nestrt_pipeline_free(NULL);
  nestrt_pipeline_options_free(options);
  nestrt_pipeline_options_free(NULL);
  nestrt_session_options_free(session);
  nestrt_plan_free(plan);
  return step;
}

static int compare(const nestrt_plan* plan, const nestrt_session* session) {
  int64_t of_plan[2] = {0, 0}, of_session[2] = {1, 1};
  if (nestrt_plan_num_inputs(plan) != 1 || nestrt_plan_num_outputs(plan) != 1) return 10;
  if (strcmp(nestrt_plan_input_name(plan, 0), nestrt_session_input_name(session, 0)) != 0) return 11;
  if (strcmp(nestrt_plan_output_name(plan, 0), nestrt_session_output_name(session, 0)) != 0) return 12;
  if (nestrt_plan_input_type(plan, 0) != NESTRT_F32 || nestrt_plan_output_type(plan, 0) != NESTRT_F32) return 13;
  if (nestrt_plan_input_bytes(plan, 0) != nestrt_session_input_bytes(session, 0)) return 14;
  if (nestrt_plan_output_bytes(plan, 0) != nestrt_session_output_bytes(session, 0)) return 15;
  if (nestrt_plan_input_shape(plan, 0, of_plan, 2) != nestrt_session_input_shape(session, 0, of_session, 2)) return 16;
  if (memcmp(of_plan, of_session, sizeof of_plan) != 0) return 17;
  if (nestrt_plan_output_shape(plan, 0, NULL, 0) != 2) return 18;
  if (nestrt_plan_find_input(plan, "x") != 0 || nestrt_plan_find_output(plan, "x") != -1) return 19;
  if (nestrt_plan_input_name(plan, 1) != NULL || nestrt_plan_output_type(plan, 1) != -1) return 20;
  return nestrt_plan_num_inputs(NULL) == 0 && nestrt_plan_output_name(NULL, 0) == NULL ? 0 : 21;
}

int describe_plan(const char* path) {
  nestrt_plan* plan = NULL;
  nestrt_session* session = NULL;
  int step = 0;
  if (nestrt_plan_load(path, &plan) != NESTRT_OK) step = 1;
  if (step == 0 && nestrt_session_create(plan, "cpu", 1, &session) != NESTRT_OK) step = 2;
  if (step == 0) step = compare(plan, session);
  nestrt_session_free(session);
  nestrt_plan_free(plan);
  return step;
}
