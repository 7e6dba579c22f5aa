/* nestrt for C: load a plan, run it. Stable ABI: functions are never removed or changed, structs are never passed by
 * value, new functions go last.
 *
 * Ownership: every *_create/_load gives an object that the caller frees with the matching *_free (NULL is fine). A
 * session keeps its plan alive. Strings returned live as long as the object they came from.
 * Threads: as the C++ classes: one run at a time per session, everything else const. The error message is per thread.
 * Errors: functions return a nestrt_code, 0 on success; nestrt_last_error() says what was wrong and what to do. Lack of
 * memory is NESTRT_OUT_OF_MEMORY, wherever it shows; nothing is thrown through a call.
 * Text: messages can be printed as they are: what they quote from files is escaped, so that all of them is printable
 * ASCII. Names of inputs and outputs are as the file has them: print them by nestrt_escape().
 * fork(), while no other thread is inside a call: in the child nestrt_run() answers NESTRT_UNAVAILABLE for sessions
 * that the parent made; plans can be used, sessions freed and made anew.
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
/* The message is escaped and lives as long as the call; `context` is handed through. NULL restores the default. */
typedef void (*nestrt_log_hook)(void* context, nestrt_log_level level, const char* message);
NESTRT_API nestrt_code nestrt_set_log_hook(nestrt_log_hook hook, void* context);

/* Text of a file as it can be printed: printable ASCII as it is, a line's end as \n, every other byte as \xNN. Writes
 * up to `capacity` bytes, the last a NUL, and returns how long the whole is without it, as snprintf does. "" for NULL.
 */
NESTRT_API size_t nestrt_escape(const char* text, char* buffer, size_t capacity);

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

NESTRT_API nestrt_code nestrt_session_options_create(nestrt_session_options** options);
NESTRT_API void nestrt_session_options_free(nestrt_session_options* options);
/* From the first key on, the session refuses plans that were not loaded as signed with one of the keys. */
NESTRT_API nestrt_code nestrt_session_options_add_trusted_key(nestrt_session_options* options,
                                                              const uint8_t key[NESTRT_PUBLIC_KEY_BYTES]);
/* nestrt_session_create() with options; NULL is refused. */
NESTRT_API nestrt_code nestrt_session_create_with(const nestrt_plan* plan, const char* units, int32_t num_threads,
                                                  const nestrt_session_options* options, nestrt_session** session);

#ifdef __cplusplus
}
#endif

#endif /* NESTRT_NESTRT_H_ */
