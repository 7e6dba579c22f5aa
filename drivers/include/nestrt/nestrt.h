/* nestrt for C: load a plan, run it. Stable ABI: functions are never removed or changed, structs are never passed by
 * value, new functions go last.
 *
 * Ownership: every *_create/_load gives an object that the caller frees with the matching *_free (NULL is fine). A
 * session keeps its plan alive. Strings returned live as long as the object they came from.
 * Threads: as the C++ classes: one run at a time per session, everything else const. The error message is per thread.
 * Errors: functions return a nestrt_code, 0 on success; nestrt_last_error() says what was wrong and what to do. Lack of
 * memory is NESTRT_OUT_OF_MEMORY, wherever it shows; nothing is thrown through a call.
 * Text: messages can be printed as they are: what they quote from files is escaped, so that all of them is printable
 * ASCII. Names of inputs and outputs are as the file has them: print them by nestrt_text_escape().
 * fork(), while no other thread is inside a call: in the child nestrt_session_run() and the like answer
 * NESTRT_UNAVAILABLE for sessions and pipelines that the parent made; plans can be used, sessions freed and made anew.
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

/* One of the values below; the tens digit names who has to act (nestrt/status.h). */
typedef int32_t nestrt_code;
enum {
  NESTRT_OK = 0,
  NESTRT_INVALID_ARGUMENT = 10, /* the caller's */
  NESTRT_NOT_FOUND = 11,
  NESTRT_INVALID_MODEL = 20, /* the file's */
  NESTRT_UNSUPPORTED = 21,
  NESTRT_INVALID_PLAN = 22,
  NESTRT_INCOMPATIBLE = 23,
  NESTRT_OUT_OF_MEMORY = 30, /* the machine's */
  NESTRT_IO = 31,
  NESTRT_UNAVAILABLE = 40, /* a unit's */
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

/* A verified plan, and a session of one. */
typedef struct nestrt_plan nestrt_plan;
typedef struct nestrt_session nestrt_session;

/* "0.1.0" */
NESTRT_API const char* nestrt_version(void);
NESTRT_API int32_t nestrt_abi_version(void);
/* The message of this thread's last failure; "" before the first. Valid until this thread's next failure. */
NESTRT_API const char* nestrt_last_error(void);

/* Maps and verifies a .nest file. */
NESTRT_API nestrt_code nestrt_plan_load(const char* path, nestrt_plan** plan);
NESTRT_API void nestrt_plan_free(nestrt_plan* plan);

/* units: "cpu" or NULL for the default. num_threads: of the CPU pool, 0 for the cores this process may use. Sessions
 * created with the same two, and the same plug-in if any, share the units, and so one pool of threads, as long as any
 * of them lives. */
NESTRT_API nestrt_code nestrt_session_create(const nestrt_plan* plan, const char* units, int32_t num_threads,
                                             nestrt_session** session);
NESTRT_API void nestrt_session_free(nestrt_session* session);

/* Number of inputs and outputs. */
NESTRT_API size_t nestrt_session_num_inputs(const nestrt_session* session);
NESTRT_API size_t nestrt_session_num_outputs(const nestrt_session* session);
/* NULL, 0 or -1 where the index is out of range. */
NESTRT_API const char* nestrt_session_input_name(const nestrt_session* session, size_t index);
NESTRT_API const char* nestrt_session_output_name(const nestrt_session* session, size_t index);
NESTRT_API int32_t nestrt_session_input_type(const nestrt_session* session, size_t index);
NESTRT_API int32_t nestrt_session_output_type(const nestrt_session* session, size_t index);
NESTRT_API size_t nestrt_session_input_bytes(const nestrt_session* session, size_t index);
NESTRT_API size_t nestrt_session_output_bytes(const nestrt_session* session, size_t index);
/* Writes up to `capacity` dimensions and returns the rank. */
NESTRT_API size_t nestrt_session_input_shape(const nestrt_session* session, size_t index, int64_t* dims,
                                             size_t capacity);
NESTRT_API size_t nestrt_session_output_shape(const nestrt_session* session, size_t index, int64_t* dims,
                                              size_t capacity);
/* Position of a name, or -1. */
NESTRT_API int64_t nestrt_session_find_input(const nestrt_session* session, const char* name);
NESTRT_API int64_t nestrt_session_find_output(const nestrt_session* session, const char* name);

/* inputs[i] points to input_bytes[i] bytes, dense and row-major; each size must be exactly
 * nestrt_session_input_bytes(i). The arrays have nestrt_session_num_inputs and nestrt_session_num_outputs entries. */
NESTRT_API nestrt_code nestrt_session_run(nestrt_session* session, const void* const* inputs, const size_t* input_bytes,
                                          void* const* outputs, const size_t* output_bytes);

/* What is logged, and when, is said in nestrt/log.h. Messages of NESTRT_LOG_WARNING and above go to standard error
 * unless these say otherwise. */
NESTRT_API nestrt_code nestrt_log_set_level(nestrt_log_level level);
/* The message is escaped and lives as long as the call; `context` is handed through. NULL restores the default. */
typedef void (*nestrt_log_hook)(void* context, nestrt_log_level level, const char* message);
NESTRT_API nestrt_code nestrt_log_set_hook(nestrt_log_hook hook, void* context);

/* Text of a file as it can be printed: printable ASCII as it is, a line's end as \n, every other byte as \xNN. Writes
 * up to `capacity` bytes, the last a NUL, and returns how long the whole is without it, as snprintf does. "" for NULL.
 */
NESTRT_API size_t nestrt_text_escape(const char* text, char* buffer, size_t capacity);

/* Whose plans are trusted (nestrt/public_key.h). */
#define NESTRT_PUBLIC_KEY_BYTES 32
/* From 64 hexadecimal digits, or from a file as `nestc keygen` writes it. Where they fail, `key` is a key that no
 * signature fits. */
NESTRT_API nestrt_code nestrt_public_key_parse(const char* text, uint8_t key[NESTRT_PUBLIC_KEY_BYTES]);
NESTRT_API nestrt_code nestrt_public_key_read(const char* path, uint8_t key[NESTRT_PUBLIC_KEY_BYTES]);

/* How a plan is loaded. More options come as more functions, with defaults that change nothing. One thread at a time;
 * may be freed as soon as the plan is loaded. */
typedef struct nestrt_load_options nestrt_load_options;
/* One of the values below, those of nestrt::Verification. */
typedef int32_t nestrt_verification;
enum {
  NESTRT_VERIFY_TABLES = 0,  /* all tables, and what they refer to: linear in the tables. The default. */
  NESTRT_VERIFY_COMPLETE = 1 /* and the digest of everything: linear in the file */
};

/* Creates options with the defaults; frees them; sets how much is verified. */
NESTRT_API nestrt_code nestrt_load_options_create(nestrt_load_options** options);
NESTRT_API void nestrt_load_options_free(nestrt_load_options* options);
NESTRT_API nestrt_code nestrt_load_options_set_verification(nestrt_load_options* options,
                                                            nestrt_verification verification);
/* Not 0: the file is read into memory of the plan's own, so that nobody changes or shortens it under the plan. */
NESTRT_API nestrt_code nestrt_load_options_set_copy(nestrt_load_options* options, int32_t copy);
/* From the first key on, the plan must be signed with one of the keys; NESTRT_INVALID_PLAN where it is not. Files are
 * copied then. */
NESTRT_API nestrt_code nestrt_load_options_add_trusted_key(nestrt_load_options* options,
                                                           const uint8_t key[NESTRT_PUBLIC_KEY_BYTES]);

/* nestrt_plan_load() with options. NULL is refused and not taken for the defaults: so options that could not be made
 * load no plan that they should have refused. */
NESTRT_API nestrt_code nestrt_plan_load_with(const char* path, const nestrt_load_options* options, nestrt_plan** plan);
/* The same for an open file, which stays the caller's and may be closed afterwards. */
NESTRT_API nestrt_code nestrt_plan_load_descriptor(int descriptor, const nestrt_load_options* options,
                                                   nestrt_plan** plan);
/* The same over memory, aligned to 64 bytes, which is never copied: it stays alive and unchanged until the plan and all
 * of its sessions are freed. */
NESTRT_API nestrt_code nestrt_plan_load_memory(const void* bytes, size_t size, const nestrt_load_options* options,
                                               nestrt_plan** plan);
/* 1, and the trusted key that the plan was found to be signed with; 0 where none was asked for. */
NESTRT_API int32_t nestrt_plan_signer(const nestrt_plan* plan, uint8_t key[NESTRT_PUBLIC_KEY_BYTES]);

/* How a session is made; as nestrt_load_options. */
typedef struct nestrt_session_options nestrt_session_options;

/* Creates options with the defaults; frees them. */
NESTRT_API nestrt_code nestrt_session_options_create(nestrt_session_options** options);
NESTRT_API void nestrt_session_options_free(nestrt_session_options* options);
/* From the first key on, the session refuses plans that were not loaded as signed with one of the keys. */
NESTRT_API nestrt_code nestrt_session_options_add_trusted_key(nestrt_session_options* options,
                                                              const uint8_t key[NESTRT_PUBLIC_KEY_BYTES]);
/* nestrt_session_create() with options; NULL is refused. */
NESTRT_API nestrt_code nestrt_session_create_with(const nestrt_plan* plan, const char* units, int32_t num_threads,
                                                  const nestrt_session_options* options, nestrt_session** session);

/* Which unit computes what, and in which order: values of nestrt::ScheduleMethod (nestrt/driver/schedule.h). */
typedef int32_t nestrt_schedule_method;
enum {
  NESTRT_SCHEDULE_FILE_ORDER = 0, /* one branch after the other, on the first unit that has a program; needs no costs */
  NESTRT_SCHEDULE_SEQUENTIAL = 1, /* the best placement of branches that run one after the other */
  NESTRT_SCHEDULE_GROUP_ENUMERATION = 2, /* parallel groups as in the paper (docs/concepts/scheduling.md) */
  NESTRT_SCHEDULE_OPTIMUM = 3,           /* the shortest that the search finds: the default */
  NESTRT_SCHEDULE_THROUGHPUT = 4         /* for several inferences in flight; pipelines have it whatever is set */
};

/* What a session goes by; said at length, with the defaults, at nestrt::SessionOptions (nestrt/session.h). A value that
 * is out of range is NESTRT_INVALID_ARGUMENT, names the option, and changes nothing. */
NESTRT_API nestrt_code nestrt_session_options_set_schedule_method(nestrt_session_options* options,
                                                                  nestrt_schedule_method method);
/* 0: no operator is divided among units. Else the default. */
NESTRT_API nestrt_code nestrt_session_options_set_split_channels(nestrt_session_options* options, int32_t split);
/* 0: branches do not share the CPU's threads out. Else the default. */
NESTRT_API nestrt_code nestrt_session_options_set_share_cores(nestrt_session_options* options, int32_t share);
/* Of the search for a schedule: up to a day. 20,000 by default. */
NESTRT_API nestrt_code nestrt_session_options_set_schedule_budget(nestrt_session_options* options,
                                                                  int64_t microseconds);
/* Where there is a choice between units and costs are missing: never measured; learned in the runs, the default; all of
 * them measured when the session is created, as with a cost file that lacks costs. */
enum { NESTRT_MEASURE_NEVER = 0, NESTRT_MEASURE_IN_RUNS = 1, NESTRT_MEASURE_BEFORE = 2 };
NESTRT_API nestrt_code nestrt_session_options_set_measure(nestrt_session_options* options, int32_t measure);
/* Costs are read from it, where it exists, and those that are measured before the runs are kept there. NULL or "":
 * none, the default. */
NESTRT_API nestrt_code nestrt_session_options_set_cost_file(nestrt_session_options* options, const char* path);
/* 0: what runs have shown is not kept for the next process. Else the default: as docs/concepts/adaptation.md says. */
NESTRT_API nestrt_code nestrt_session_options_set_keep_costs(nestrt_session_options* options, int32_t keep);
/* Another schedule is looked for at once where a unit's work takes longer or shorter by more than this part, and for
 * less where many runs agree. 0: never; 0.1 by default. */
NESTRT_API nestrt_code nestrt_session_options_set_drift(nestrt_session_options* options, double drift);
/* A branch on a unit beside the CPU that takes longer has failed: a millisecond to a day, 10,000 by default. */
NESTRT_API nestrt_code nestrt_session_options_set_unit_timeout(nestrt_session_options* options, int64_t milliseconds);
/* Likewise one that takes longer than `factor` (1 to a million) times what it took before, and the slack (up to a day):
 * 8 and 50 by default. 0: the timeout alone holds. */
NESTRT_API nestrt_code nestrt_session_options_set_unit_timeout_factor(nestrt_session_options* options, double factor,
                                                                      int64_t slack_milliseconds);
/* Units that have failed are tried again, at last as often as this: a millisecond to a day, 1000 by default. */
NESTRT_API nestrt_code nestrt_session_options_set_probe_interval(nestrt_session_options* options, int64_t milliseconds);
/* In every so many runs the CPU checks what other units compute. 0: never, the default. */
NESTRT_API nestrt_code nestrt_session_options_set_check_every(nestrt_session_options* options, uint32_t runs);
/* Among which kernels a session may choose, where its plan names several for an operator: none but the compiler's
 * choice; those with the same bits, the default; all, so that results in f32 may differ from run to run. */
enum { NESTRT_KERNELS_COMPILER = 0, NESTRT_KERNELS_SAME_BITS = 1, NESTRT_KERNELS_ANY_BITS = 2 };
NESTRT_API nestrt_code nestrt_session_options_set_kernels(nestrt_session_options* options, int32_t kernels);
/* Not 0: threads and units that sessions share take this session's work before that of others. */
NESTRT_API nestrt_code nestrt_session_options_set_urgent(nestrt_session_options* options, int32_t urgent);
/* The file of a vendor's library (nestrt/vendor.h): names in `units` that nestrt does not know are its units. NULL or
 * "": none, the default. It runs with all rights of the process. */
NESTRT_API nestrt_code nestrt_session_options_set_plugin(nestrt_session_options* options, const char* path);
/* Not 0: that library runs in a process of its own (docs/how-to/vendor-compilers.md). */
NESTRT_API nestrt_code nestrt_session_options_set_isolate(nestrt_session_options* options, int32_t isolate);

/* How a run goes; as nestrt_load_options. It may serve any number of runs, at the same time as well. */
typedef struct nestrt_run_options nestrt_run_options;

/* Creates options with the defaults; frees them. */
NESTRT_API nestrt_code nestrt_run_options_create(nestrt_run_options** options);
NESTRT_API void nestrt_run_options_free(nestrt_run_options* options);
/* The run ends so long after the call of nestrt_session_run_with(), with NESTRT_DEADLINE_EXCEEDED if it is not
 * complete; the time that it waits for another run of the session counts. Looked at between operators. 0 or more;
 * INT64_MAX: none, the default. */
NESTRT_API nestrt_code nestrt_run_options_set_timeout(nestrt_run_options* options, int64_t microseconds);

/* nestrt_session_run() with options; NULL is refused. */
NESTRT_API nestrt_code nestrt_session_run_with(nestrt_session* session, const void* const* inputs,
                                               const size_t* input_bytes, void* const* outputs,
                                               const size_t* output_bytes, const nestrt_run_options* options);
/* The run in progress, if there is one, ends with NESTRT_CANCELLED, after the operators that it is at. From any thread.
 */
NESTRT_API nestrt_code nestrt_session_cancel(nestrt_session* session);
/* Since the session was created: steps that the CPU computed because another unit had failed, and how often a new
 * schedule took the place of another. 0 for NULL. From any thread. */
NESTRT_API uint64_t nestrt_session_num_host_fallbacks(const nestrt_session* session);
NESTRT_API uint64_t nestrt_session_num_reschedules(const nestrt_session* session);

/* As those of sessions, of the plan. */
NESTRT_API size_t nestrt_plan_num_inputs(const nestrt_plan* plan);
NESTRT_API size_t nestrt_plan_num_outputs(const nestrt_plan* plan);
NESTRT_API const char* nestrt_plan_input_name(const nestrt_plan* plan, size_t index);
NESTRT_API const char* nestrt_plan_output_name(const nestrt_plan* plan, size_t index);
NESTRT_API int32_t nestrt_plan_input_type(const nestrt_plan* plan, size_t index);
NESTRT_API int32_t nestrt_plan_output_type(const nestrt_plan* plan, size_t index);
NESTRT_API size_t nestrt_plan_input_bytes(const nestrt_plan* plan, size_t index);
NESTRT_API size_t nestrt_plan_output_bytes(const nestrt_plan* plan, size_t index);
NESTRT_API size_t nestrt_plan_input_shape(const nestrt_plan* plan, size_t index, int64_t* dims, size_t capacity);
NESTRT_API size_t nestrt_plan_output_shape(const nestrt_plan* plan, size_t index, int64_t* dims, size_t capacity);
NESTRT_API int64_t nestrt_plan_find_input(const nestrt_plan* plan, const char* name);
NESTRT_API int64_t nestrt_plan_find_output(const nestrt_plan* plan, const char* name);

/* A plan for inputs of several shapes: 1 where there is one only, 0 for NULL. A session of such a plan, and a pipeline,
 * takes for each run the first shape whose inputs have the sizes in bytes that it is given. */
NESTRT_API size_t nestrt_plan_num_shapes(const nestrt_plan* plan);
/* One of them, as a plan by itself: to ask what its inputs and outputs are, or for a session of it alone. It keeps what
 * it needs of the other alive, and is to be freed. */
NESTRT_API nestrt_code nestrt_plan_shape(const nestrt_plan* plan, size_t index, nestrt_plan** shape);

/* Several inferences of one plan in flight, so that every unit has work (nestrt/pipeline.h). */
typedef struct nestrt_pipeline nestrt_pipeline;
/* As nestrt_load_options. */
typedef struct nestrt_pipeline_options nestrt_pipeline_options;

/* Creates options with the defaults; frees them. */
NESTRT_API nestrt_code nestrt_pipeline_options_create(nestrt_pipeline_options** options);
NESTRT_API void nestrt_pipeline_options_free(nestrt_pipeline_options* options);
/* At most 1024; 0: three for each unit, the default. */
NESTRT_API nestrt_code nestrt_pipeline_options_set_in_flight(nestrt_pipeline_options* options, int32_t inferences);
/* That nestrt_pipeline_submit() takes beyond those: at most 1024, 4 by default. */
NESTRT_API nestrt_code nestrt_pipeline_options_set_waiting(nestrt_pipeline_options* options, int32_t inferences);

/* `units` and `num_threads` as of nestrt_session_create(); the options of the sessions that it has; neither may be
 * NULL. The pipeline keeps its plan alive. */
NESTRT_API nestrt_code nestrt_pipeline_create(const nestrt_plan* plan, const char* units, int32_t num_threads,
                                              const nestrt_session_options* session_options,
                                              const nestrt_pipeline_options* options, nestrt_pipeline** pipeline);
/* Waits for the inferences that have begun; those that wait are not computed. */
NESTRT_API void nestrt_pipeline_free(nestrt_pipeline* pipeline);
/* Hands in an inference, as nestrt_session_run() takes it; waits while as many as possible are in the pipeline. The
 * arrays are read before it returns; what they point to stays valid until nestrt_pipeline_next() has answered for it.
 * What is refused is not in the pipeline. From one thread at a time. */
NESTRT_API nestrt_code nestrt_pipeline_submit(nestrt_pipeline* pipeline, const void* const* inputs,
                                              const size_t* input_bytes, void* const* outputs,
                                              const size_t* output_bytes);
/* Waits for the oldest inference that was handed in and not been asked for, and says how it went;
 * NESTRT_INVALID_ARGUMENT where there is none. From one thread at a time, which may be another than that of
 * nestrt_pipeline_submit(). */
NESTRT_API nestrt_code nestrt_pipeline_next(nestrt_pipeline* pipeline);

#ifdef __cplusplus
}
#endif

#endif /* NESTRT_NESTRT_H_ */
