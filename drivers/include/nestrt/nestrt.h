/* nestrt for C: load a plan, run it. Stable ABI: functions are never removed or changed, structs are never passed by
 * value, new functions go last.
 *
 * Ownership: every *_create/_load gives an object that the caller frees with the matching *_free (NULL is fine). A
 * session keeps its plan alive. Strings returned live as long as the object they came from.
 * Threads: as the C++ classes: one run at a time per session, everything else const. The error message is per thread.
 * Errors: functions return a nestrt_code, 0 on success; nestrt_last_error() says what was wrong and what to do.
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
 * created with the same two share the units, and so one pool of threads, as long as any of them lives. */
NESTRT_API nestrt_code nestrt_session_create(const nestrt_plan* plan, const char* units, int32_t num_threads,
                                             nestrt_session** session);
NESTRT_API void nestrt_session_free(nestrt_session* session);

NESTRT_API size_t nestrt_num_inputs(const nestrt_session* session);
NESTRT_API size_t nestrt_num_outputs(const nestrt_session* session);
/* NULL, 0 or -1 where the index is out of range. */
NESTRT_API const char* nestrt_input_name(const nestrt_session* session, size_t index);
NESTRT_API const char* nestrt_output_name(const nestrt_session* session, size_t index);
NESTRT_API int32_t nestrt_input_type(const nestrt_session* session, size_t index);
NESTRT_API int32_t nestrt_output_type(const nestrt_session* session, size_t index);
NESTRT_API size_t nestrt_input_bytes(const nestrt_session* session, size_t index);
NESTRT_API size_t nestrt_output_bytes(const nestrt_session* session, size_t index);
/* Writes up to `capacity` dimensions and returns the rank. */
NESTRT_API size_t nestrt_input_shape(const nestrt_session* session, size_t index, int64_t* dims, size_t capacity);
NESTRT_API size_t nestrt_output_shape(const nestrt_session* session, size_t index, int64_t* dims, size_t capacity);
/* Position of a name, or -1. */
NESTRT_API int64_t nestrt_find_input(const nestrt_session* session, const char* name);
NESTRT_API int64_t nestrt_find_output(const nestrt_session* session, const char* name);

/* inputs[i] points to input_bytes[i] bytes, dense and row-major; each size must be exactly nestrt_input_bytes(i).
 * The arrays have nestrt_num_inputs and nestrt_num_outputs entries. */
NESTRT_API nestrt_code nestrt_run(nestrt_session* session, const void* const* inputs, const size_t* input_bytes,
                                  void* const* outputs, const size_t* output_bytes);

/* What is logged, and when, is said in nestrt/log.h. Messages of NESTRT_LOG_WARNING and above go to standard error
 * unless these say otherwise. */
NESTRT_API nestrt_code nestrt_set_log_level(nestrt_log_level level);
/* The message lives as long as the call; `context` is handed through. NULL restores the default. */
typedef void (*nestrt_log_hook)(void* context, nestrt_log_level level, const char* message);
NESTRT_API nestrt_code nestrt_set_log_hook(nestrt_log_hook hook, void* context);

#ifdef __cplusplus
}
#endif

#endif /* NESTRT_NESTRT_H_ */
