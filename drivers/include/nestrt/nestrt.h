/* SPDX-License-Identifier: Apache-2.0 */
/* nestrt for C: opens a plan and runs it.
 *
 *   nestrt_model* model = NULL;
 *   if (nestrt_model_open("model.nest", "cpu", 0, &model) != NESTRT_OK) ...
 *   if (nestrt_model_run(model, inputs, input_bytes) != NESTRT_OK) ...
 *   const float* scores = nestrt_model_output(model, 0, NULL);
 *
 * Models own their outputs. Sessions run on memory of the caller, pipelines run several inferences concurrently.
 *
 * Names: nestrt_<noun>_<verb>, for example nestrt_session_run.
 * Stability: released functions are not removed or changed, and structs are never passed by value
 * (docs/reference/stability.md).
 * Ownership: every *_create, *_load and *_open returns an object that the caller frees with the matching *_free, which
 * accepts NULL. Sessions, pipelines and models keep their plan alive. Returned strings and pointers live as long as the
 * object that returned them.
 * Threading: as for the C++ classes. One run at a time per session; const functions may be called at any time. The
 * error message is per thread.
 * Errors: functions return a nestrt_code, 0 on success. nestrt_last_error() returns what is wrong and the remedy. If
 * memory is exhausted, functions return NESTRT_OUT_OF_MEMORY. Functions do not throw.
 * Text: messages are printable ASCII; text that they quote from files is escaped. Names of inputs and outputs are as in
 * the file: print them with nestrt_text_escape().
 * fork(): only while no other thread is inside a call. In the child, functions that run the parent's sessions,
 * pipelines and models return NESTRT_UNAVAILABLE. Plans can be used; sessions can be freed and created again.
 */
#ifndef NESTRT_NESTRT_H_
#define NESTRT_NESTRT_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NESTRT_API __attribute__((visibility("default")))
#else
#define NESTRT_API
#endif

#define NESTRT_ABI_VERSION 1

/* --- Codes, types, errors --------------------------------------------------------------------------------------- */

/* One of the values below; the tens digit identifies who has to act (nestrt/status.h). */
typedef int32_t nestrt_code;
enum {
  NESTRT_OK = 0,
  NESTRT_INVALID_ARGUMENT = 10, /* the caller */
  NESTRT_NOT_FOUND = 11,
  NESTRT_INVALID_MODEL = 20, /* the author of the file */
  NESTRT_UNSUPPORTED = 21,
  NESTRT_INVALID_PLAN = 22,
  NESTRT_INCOMPATIBLE = 23,
  NESTRT_OUT_OF_MEMORY = 30, /* the operator of the machine */
  NESTRT_IO = 31,
  NESTRT_UNAVAILABLE = 40, /* the operator of the unit */
  NESTRT_DEADLINE_EXCEEDED = 41,
  NESTRT_CANCELLED = 42,
  NESTRT_DEVICE_FAULT = 43,
  NESTRT_INTERNAL = 50 /* a defect of nestrt: please report it */
};

/* Values of nestrt::DataType. */
typedef enum {
  NESTRT_F32 = 0,
  NESTRT_S8 = 1,
  NESTRT_U8 = 2,
  NESTRT_S32 = 3,
  NESTRT_S64 = 4,
  NESTRT_BOOL = 5
} nestrt_data_type;

/* Values of nestrt::LogLevel. */
typedef enum {
  NESTRT_LOG_DEBUG = 0,
  NESTRT_LOG_INFO = 1,
  NESTRT_LOG_WARNING = 2,
  NESTRT_LOG_ERROR = 3,
  NESTRT_LOG_OFF = 4
} nestrt_log_level;

/* Returns the version of the library, such as "0.1.0". */
NESTRT_API const char* nestrt_version(void);
/* Returns the NESTRT_ABI_VERSION that the library implements. */
NESTRT_API int32_t nestrt_abi_version(void);
/* Returns the message of this thread's last failure, "" before the first. Valid until this thread's next failure. */
NESTRT_API const char* nestrt_last_error(void);

/* Writes `text` as printable ASCII: a line break as \n, every other unprintable byte as \xNN. Writes up to `capacity`
 * bytes including the terminating NUL, and returns the length of the whole result without it, like snprintf. NULL is
 * treated as "". */
NESTRT_API size_t nestrt_text_escape(const char* text, char* buffer, size_t capacity);

/* Sets the level from which messages are logged; NESTRT_LOG_WARNING by default (nestrt/log.h). */
NESTRT_API nestrt_code nestrt_log_set_level(nestrt_log_level level);
/* Receives escaped messages, valid during the call; `context` is the pointer that was set with the hook. */
typedef void (*nestrt_log_hook)(void* context, nestrt_log_level level, const char* message);
/* Replaces the output to standard error; NULL restores it. */
NESTRT_API nestrt_code nestrt_log_set_hook(nestrt_log_hook hook, void* context);

/* --- Plans ------------------------------------------------------------------------------------------------------ */

/* A verified plan. */
typedef struct nestrt_plan nestrt_plan;

/* Maps and verifies a .nest file. */
NESTRT_API nestrt_code nestrt_plan_load(const char* path, nestrt_plan** plan);
NESTRT_API void nestrt_plan_free(nestrt_plan* plan);

/* Inputs and outputs in the plan's order. Return NULL, 0 or -1 if the index is out of range or the plan is NULL. */
NESTRT_API size_t nestrt_plan_num_inputs(const nestrt_plan* plan);
NESTRT_API size_t nestrt_plan_num_outputs(const nestrt_plan* plan);
NESTRT_API const char* nestrt_plan_input_name(const nestrt_plan* plan, size_t index);
NESTRT_API const char* nestrt_plan_output_name(const nestrt_plan* plan, size_t index);
NESTRT_API int32_t nestrt_plan_input_type(const nestrt_plan* plan, size_t index);
NESTRT_API int32_t nestrt_plan_output_type(const nestrt_plan* plan, size_t index);
NESTRT_API size_t nestrt_plan_input_bytes(const nestrt_plan* plan, size_t index);
NESTRT_API size_t nestrt_plan_output_bytes(const nestrt_plan* plan, size_t index);
/* Write up to `capacity` dimensions and return the rank. */
NESTRT_API size_t nestrt_plan_input_shape(const nestrt_plan* plan, size_t index, int64_t* dims, size_t capacity);
NESTRT_API size_t nestrt_plan_output_shape(const nestrt_plan* plan, size_t index, int64_t* dims, size_t capacity);
/* Return the index of the input or output named `name`, or -1. */
NESTRT_API int64_t nestrt_plan_find_input(const nestrt_plan* plan, const char* name);
NESTRT_API int64_t nestrt_plan_find_output(const nestrt_plan* plan, const char* name);

/* Returns the number of input shapes that the plan supports, at least 1; 0 for NULL. Sessions, pipelines and models of
 * a plan with several use for each run the first shape whose inputs have the passed sizes in bytes. */
NESTRT_API size_t nestrt_plan_num_shapes(const nestrt_plan* plan);
/* Returns one shape as a separate plan, to query its inputs and outputs or to create a session of that shape only. Free
 * it with nestrt_plan_free(); it keeps the original plan's data alive. */
NESTRT_API nestrt_code nestrt_plan_shape(const nestrt_plan* plan, size_t index, nestrt_plan** shape);

#define NESTRT_PUBLIC_KEY_BYTES 32
/* Parse 64 hexadecimal digits, or read a key file of `nestc keygen` (nestrt/public_key.h). On failure `key` is a key
 * that no signature matches. */
NESTRT_API nestrt_code nestrt_public_key_parse(const char* text, uint8_t key[NESTRT_PUBLIC_KEY_BYTES]);
NESTRT_API nestrt_code nestrt_public_key_read(const char* path, uint8_t key[NESTRT_PUBLIC_KEY_BYTES]);

/* How a plan is loaded. All options have defaults. One thread at a time; may be freed once the plan is loaded. */
typedef struct nestrt_load_options nestrt_load_options;
/* One of the values below, which match nestrt::Verification. */
typedef int32_t nestrt_verification;
enum {
  NESTRT_VERIFY_TABLES = 0,  /* all tables and their references, linear in the tables; the default */
  NESTRT_VERIFY_COMPLETE = 1 /* also the digest of the whole file, linear in the file */
};

/* Creates options with the defaults; frees them; sets how much is verified. */
NESTRT_API nestrt_code nestrt_load_options_create(nestrt_load_options** options);
NESTRT_API void nestrt_load_options_free(nestrt_load_options* options);
NESTRT_API nestrt_code nestrt_load_options_set_verification(nestrt_load_options* options,
                                                            nestrt_verification verification);
/* A value other than 0 reads the file into memory owned by the plan, so that later changes to the file cannot affect
 * the plan. Default: 0. */
NESTRT_API nestrt_code nestrt_load_options_set_copy(nestrt_load_options* options, int32_t copy);
/* Adds a trusted key. With at least one, loading fails with NESTRT_INVALID_PLAN unless one of them signed the plan, and
 * files are copied. */
NESTRT_API nestrt_code nestrt_load_options_add_trusted_key(nestrt_load_options* options,
                                                           const uint8_t key[NESTRT_PUBLIC_KEY_BYTES]);

/* nestrt_plan_load() with options. NULL is rejected instead of meaning defaults, so that a failed creation of options
 * cannot load a plan that they would have rejected. */
NESTRT_API nestrt_code nestrt_plan_load_with(const char* path, const nestrt_load_options* options, nestrt_plan** plan);
/* Loads an open file. The caller keeps the descriptor and may close it afterwards. */
NESTRT_API nestrt_code nestrt_plan_load_descriptor(int descriptor, const nestrt_load_options* options,
                                                   nestrt_plan** plan);
/* Uses a plan in memory aligned to 64 bytes, without a copy. The memory must outlive the plan and its sessions,
 * unchanged. */
NESTRT_API nestrt_code nestrt_plan_load_memory(const void* bytes, size_t size, const nestrt_load_options* options,
                                               nestrt_plan** plan);
/* Returns 1 and the trusted key that signed the plan; 0 if no trusted keys were given. */
NESTRT_API int32_t nestrt_plan_signer(const nestrt_plan* plan, uint8_t key[NESTRT_PUBLIC_KEY_BYTES]);

/* --- Models ----------------------------------------------------------------------------------------------------- */

/* A plan, its units, a session and the memory of its outputs (nestrt/model.h). One thread at a time. */
typedef struct nestrt_model nestrt_model;

/* The order of the bytes of an image. */
enum { NESTRT_PIXELS_NHWC = 0, NESTRT_PIXELS_NCHW = 1 };

/* One of the values below, which match nestrt::PixelFormat (nestrt/frame.h). */
typedef int32_t nestrt_frame_format;
enum {
  NESTRT_FRAME_RGB = 0,
  NESTRT_FRAME_BGR = 1,
  NESTRT_FRAME_RGBA = 2,
  NESTRT_FRAME_BGRA = 3,
  NESTRT_FRAME_GREY = 4,
  NESTRT_FRAME_RGB_PLANES = 5, /* three planes */
  NESTRT_FRAME_BGR_PLANES = 6, /* three planes */
  NESTRT_FRAME_NV12 = 7,       /* two planes */
  NESTRT_FRAME_YUYV = 8
};

/* Loads a plan and prepares it on units. `units` and `num_threads` are as in nestrt_session_create(). */
NESTRT_API nestrt_code nestrt_model_open(const char* path, const char* units, int32_t num_threads,
                                         nestrt_model** model);
NESTRT_API void nestrt_model_free(nestrt_model* model);
/* Returns the plan, which belongs to the model: for names, types and shapes. NULL for NULL. */
NESTRT_API const nestrt_plan* nestrt_model_plan(const nestrt_model* model);
/* Runs one inference. inputs[i] points to input_bytes[i] bytes, dense and row-major. Both arrays have one entry per
 * input of the plan; sizes must match exactly. */
NESTRT_API nestrt_code nestrt_model_run(nestrt_model* model, const void* const* inputs, const size_t* input_bytes);
/* Runs one inference on an image of bytes, RGB or grayscale, for a plan with one f32 input that states its
 * preprocessing. `order` is NESTRT_PIXELS_NHWC or NESTRT_PIXELS_NCHW. The size must match the input: the image is
 * converted but not resized. */
NESTRT_API nestrt_code nestrt_model_run_image(nestrt_model* model, const uint8_t* pixels, int64_t height, int64_t width,
                                              int64_t channels, int32_t order);
/* Runs one inference on a camera frame of any size, for a plan with one image input: converted, cropped, resized and
 * normalised as the plan states. `planes` and `row_bytes` have one entry per plane of the format, as in nestrt/frame.h;
 * entries of `planes` other than the first may be NULL, and `row_bytes` may be NULL for dense rows. `crop` is the part
 * to use: left, top, width, height; NULL uses all. */
NESTRT_API nestrt_code nestrt_model_run_frame(nestrt_model* model, nestrt_frame_format format, int64_t width,
                                              int64_t height, const uint8_t* const* planes, const int64_t* row_bytes,
                                              const int64_t* crop);
/* Returns output `index` of the last successful run and its size in *bytes, which may be NULL. Valid until the next run
 * or nestrt_model_free(). Returns NULL if the index is out of range or no run has succeeded. */
NESTRT_API const void* nestrt_model_output(const nestrt_model* model, size_t index, size_t* bytes);

/* --- Sessions --------------------------------------------------------------------------------------------------- */

/* A plan on units, ready to run. */
typedef struct nestrt_session nestrt_session;

/* Prepares a plan on units. `units` is a list as in nestrt/open_units.h; NULL means "cpu". `num_threads` is the size of
 * the CPU's thread pool; 0 means all cores that this process may use. Sessions created with equal values, and with the
 * same plug-in, if any, share the units and thereby the thread pool. */
NESTRT_API nestrt_code nestrt_session_create(const nestrt_plan* plan, const char* units, int32_t num_threads,
                                             nestrt_session** session);
NESTRT_API void nestrt_session_free(nestrt_session* session);

/* Equivalent to the nestrt_plan functions of the same names. */
NESTRT_API size_t nestrt_session_num_inputs(const nestrt_session* session);
NESTRT_API size_t nestrt_session_num_outputs(const nestrt_session* session);
NESTRT_API const char* nestrt_session_input_name(const nestrt_session* session, size_t index);
NESTRT_API const char* nestrt_session_output_name(const nestrt_session* session, size_t index);
NESTRT_API int32_t nestrt_session_input_type(const nestrt_session* session, size_t index);
NESTRT_API int32_t nestrt_session_output_type(const nestrt_session* session, size_t index);
NESTRT_API size_t nestrt_session_input_bytes(const nestrt_session* session, size_t index);
NESTRT_API size_t nestrt_session_output_bytes(const nestrt_session* session, size_t index);
NESTRT_API size_t nestrt_session_input_shape(const nestrt_session* session, size_t index, int64_t* dims,
                                             size_t capacity);
NESTRT_API size_t nestrt_session_output_shape(const nestrt_session* session, size_t index, int64_t* dims,
                                              size_t capacity);
NESTRT_API int64_t nestrt_session_find_input(const nestrt_session* session, const char* name);
NESTRT_API int64_t nestrt_session_find_output(const nestrt_session* session, const char* name);

/* Runs one inference on memory of the caller. inputs[i] points to input_bytes[i] bytes, dense and row-major; sizes must
 * match exactly. The arrays have one entry per input and per output. */
NESTRT_API nestrt_code nestrt_session_run(nestrt_session* session, const void* const* inputs, const size_t* input_bytes,
                                          void* const* outputs, const size_t* output_bytes);

/* How a session is created. All options have defaults, documented in nestrt/session_options.h. A setter rejects a value
 * out of range with NESTRT_INVALID_ARGUMENT, names the option, and changes nothing. */
typedef struct nestrt_session_options nestrt_session_options;

/* Creates options with the defaults; frees them. */
NESTRT_API nestrt_code nestrt_session_options_create(nestrt_session_options** options);
NESTRT_API void nestrt_session_options_free(nestrt_session_options* options);
/* Adds a trusted key. With at least one, the session rejects plans that were not loaded as signed with one of them. */
NESTRT_API nestrt_code nestrt_session_options_add_trusted_key(nestrt_session_options* options,
                                                              const uint8_t key[NESTRT_PUBLIC_KEY_BYTES]);
/* nestrt_session_create() with options; NULL is rejected. */
NESTRT_API nestrt_code nestrt_session_create_with(const nestrt_plan* plan, const char* units, int32_t num_threads,
                                                  const nestrt_session_options* options, nestrt_session** session);

/* Values of nestrt::ScheduleMethod. */
typedef int32_t nestrt_schedule_method;
enum {
  NESTRT_SCHEDULE_FILE_ORDER = 0,        /* one branch after another, on the first unit with a program */
  NESTRT_SCHEDULE_SEQUENTIAL = 1,        /* the best placement of branches that run one after another */
  NESTRT_SCHEDULE_GROUP_ENUMERATION = 2, /* groups of parallel branches (docs/concepts/scheduling.md) */
  NESTRT_SCHEDULE_OPTIMUM = 3,           /* the shortest schedule that the search finds; the default */
  NESTRT_SCHEDULE_THROUGHPUT = 4         /* for several inferences in flight; pipelines always use it */
};
NESTRT_API nestrt_code nestrt_session_options_set_schedule_method(nestrt_session_options* options,
                                                                  nestrt_schedule_method method);
/* 0 disables splitting of operators across units. Default: 1. */
NESTRT_API nestrt_code nestrt_session_options_set_split_channels(nestrt_session_options* options, int32_t split);
/* 0 disables concurrent branches on the CPU's threads. Default: 1. */
NESTRT_API nestrt_code nestrt_session_options_set_share_cores(nestrt_session_options* options, int32_t share);
/* Time limit of the schedule search: 0 to one day. Default: 20,000. */
NESTRT_API nestrt_code nestrt_session_options_set_schedule_budget(nestrt_session_options* options,
                                                                  int64_t microseconds);

/* Values of nestrt::Measuring: never measures costs; learns them in the runs, the default; measures all missing ones
 * when the session is created, as with a cost file. */
enum { NESTRT_MEASURE_NEVER = 0, NESTRT_MEASURE_IN_RUNS = 1, NESTRT_MEASURE_BEFORE = 2 };
NESTRT_API nestrt_code nestrt_session_options_set_measure(nestrt_session_options* options, int32_t measure);
/* Cost file: read if it exists; costs measured when the session is created are stored in it. NULL or "": no file, the
 * default. */
NESTRT_API nestrt_code nestrt_session_options_set_cost_file(nestrt_session_options* options, const char* path);
/* 0 disables storing learned costs for the next process (docs/concepts/adaptation.md). Default: 1. */
NESTRT_API nestrt_code nestrt_session_options_set_keep_costs(nestrt_session_options* options, int32_t keep);

/* Relative change of a unit's times that triggers rescheduling immediately. 0 disables adaptation. Default: 0.1. */
NESTRT_API nestrt_code nestrt_session_options_set_drift(nestrt_session_options* options, double drift);
/* Values of nestrt::KernelChoice: the compiler's kernels only; bit-identical ones, the default; all kernels, so that
 * f32 results may vary between runs. */
enum { NESTRT_KERNELS_COMPILER = 0, NESTRT_KERNELS_SAME_BITS = 1, NESTRT_KERNELS_ANY_BITS = 2 };
NESTRT_API nestrt_code nestrt_session_options_set_kernels(nestrt_session_options* options, int32_t kernels);

/* Time limit for a branch on an accelerator: 1 ms to one day. Default: 10,000. */
NESTRT_API nestrt_code nestrt_session_options_set_unit_timeout(nestrt_session_options* options, int64_t milliseconds);
/* Additional time limit if the CPU can take over: `factor` (1 to 1,000,000) times the expected time plus the slack (up
 * to one day). A factor of 0 disables it. Default: 8 and 50. */
NESTRT_API nestrt_code nestrt_session_options_set_unit_timeout_factor(nestrt_session_options* options, double factor,
                                                                      int64_t slack_milliseconds);
/* Maximum interval between probes of a failed unit: 1 ms to one day. Default: 1000. */
NESTRT_API nestrt_code nestrt_session_options_set_probe_interval(nestrt_session_options* options, int64_t milliseconds);
/* Every `runs` runs, the CPU verifies the results of accelerators. 0 disables the check, the default. */
NESTRT_API nestrt_code nestrt_session_options_set_check_every(nestrt_session_options* options, uint32_t runs);
/* With a value other than 0, shared threads and units run this session's work before the work of other sessions.
 * Default: 0. */
NESTRT_API nestrt_code nestrt_session_options_set_urgent(nestrt_session_options* options, int32_t urgent);
/* Path of a vendor's plug-in (nestrt/vendor.h), which provides the units that nestrt does not know. It runs with all
 * rights of the process. NULL or "": none, the default. */
NESTRT_API nestrt_code nestrt_session_options_set_plugin(nestrt_session_options* options, const char* path);
/* A value other than 0 runs the plug-in in a separate process (docs/how-to/plugins.md). Default: 0. */
NESTRT_API nestrt_code nestrt_session_options_set_isolate(nestrt_session_options* options, int32_t isolate);

/* Options of a run. May be used for any number of runs, also concurrently. */
typedef struct nestrt_run_options nestrt_run_options;

/* Creates options with the defaults; frees them. */
NESTRT_API nestrt_code nestrt_run_options_create(nestrt_run_options** options);
NESTRT_API void nestrt_run_options_free(nestrt_run_options* options);
/* The run fails with NESTRT_DEADLINE_EXCEEDED if it is not complete this long after the call, including the time that
 * it waits for another run of the session. Checked between operators. 0 or more; INT64_MAX: none, the default. */
NESTRT_API nestrt_code nestrt_run_options_set_timeout(nestrt_run_options* options, int64_t microseconds);

/* nestrt_session_run() with options; NULL is rejected. */
NESTRT_API nestrt_code nestrt_session_run_with(nestrt_session* session, const void* const* inputs,
                                               const size_t* input_bytes, void* const* outputs,
                                               const size_t* output_bytes, const nestrt_run_options* options);
/* Runs one inference on internal inputs, so that the first run takes about as long as later ones. Takes as long as a
 * first run. */
NESTRT_API nestrt_code nestrt_session_warm_up(nestrt_session* session);
/* Ends the current run, if any, with NESTRT_CANCELLED after the operators in progress. May be called from any thread.
 */
NESTRT_API nestrt_code nestrt_session_cancel(nestrt_session* session);
/* Return, since the session was created, the number of steps that the CPU computed because another unit failed, and the
 * number of times that a new schedule replaced the previous one. 0 for NULL. May be called from any thread. */
NESTRT_API uint64_t nestrt_session_num_host_fallbacks(const nestrt_session* session);
NESTRT_API uint64_t nestrt_session_num_reschedules(const nestrt_session* session);

/* --- Pipelines -------------------------------------------------------------------------------------------------- */

/* Runs several inferences of one plan concurrently, so that every unit has work (nestrt/pipeline.h). */
typedef struct nestrt_pipeline nestrt_pipeline;
typedef struct nestrt_pipeline_options nestrt_pipeline_options;

/* Creates options with the defaults; frees them. */
NESTRT_API nestrt_code nestrt_pipeline_options_create(nestrt_pipeline_options** options);
NESTRT_API void nestrt_pipeline_options_free(nestrt_pipeline_options* options);
/* Inferences computed concurrently: at most 1024; 0 means three per unit, the default. */
NESTRT_API nestrt_code nestrt_pipeline_options_set_in_flight(nestrt_pipeline_options* options, int32_t inferences);
/* Inferences queued in addition: at most 1024. Default: 4. */
NESTRT_API nestrt_code nestrt_pipeline_options_set_waiting(nestrt_pipeline_options* options, int32_t inferences);

/* `units` and `num_threads` are as in nestrt_session_create(). Neither options object may be NULL. */
NESTRT_API nestrt_code nestrt_pipeline_create(const nestrt_plan* plan, const char* units, int32_t num_threads,
                                              const nestrt_session_options* session_options,
                                              const nestrt_pipeline_options* options, nestrt_pipeline** pipeline);
/* Waits for the inferences in progress and drops the queued ones. */
NESTRT_API void nestrt_pipeline_free(nestrt_pipeline* pipeline);
/* Submits an inference with arguments as in nestrt_session_run(); blocks while the pipeline is full. The arrays are
 * read before the function returns; their tensors must stay valid until nestrt_pipeline_next() has returned the result.
 * A rejected inference is not in the pipeline. From one thread at a time. */
NESTRT_API nestrt_code nestrt_pipeline_submit(nestrt_pipeline* pipeline, const void* const* inputs,
                                              const size_t* input_bytes, void* const* outputs,
                                              const size_t* output_bytes);
/* Submits an inference of a camera frame, with the frame as in nestrt_model_run_frame() and outputs as in
 * nestrt_session_run(). The frame is converted before the function returns; its pixels are not read afterwards. */
NESTRT_API nestrt_code nestrt_pipeline_submit_frame(nestrt_pipeline* pipeline, nestrt_frame_format format,
                                                    int64_t width, int64_t height, const uint8_t* const* planes,
                                                    const int64_t* row_bytes, const int64_t* crop, void* const* outputs,
                                                    const size_t* output_bytes);
/* Waits for the oldest inference whose result has not been returned, and returns its result. NESTRT_INVALID_ARGUMENT if
 * none is pending. From one thread at a time, which may differ from the submitting thread. */
NESTRT_API nestrt_code nestrt_pipeline_next(nestrt_pipeline* pipeline);

#ifdef __cplusplus
}
#endif

#endif /* NESTRT_NESTRT_H_ */
