/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between nestrt and a vendor's plug-in: a shared library that runs programs which the vendor's own
 * compiler has made, and which nestrt cannot read. C11, no more than this header; docs/how-to/plugins.md is
 * the guide, examples/vendor/skeleton a plug-in to start from, `nestrt conformance --plugin FILE` the test of one.
 *
 * A plug-in is loaded from the file that the user names (--plugin, UnitOptions::plugin), and from nowhere else. It runs
 * in the application's process or, where the user isolates it, in one of its own that may be ended at any time and
 * started again; with all rights of the application either way. All that it answers is checked: sizes, alignments,
 * statuses, which run it says is over. What does not fit is a fault of the plug-in: the unit is given up until a
 * self-test succeeds.
 *
 * Ownership. What nestrt passes in stays nestrt's; how long it stays valid is said at each call. What a plug-in gives
 * out (devices, programs, lent memory) stays the plug-in's until the call that takes it back; nestrt takes back
 * everything before close().
 *
 * Threads. nestrt keeps to this for each device:
 *   - open, describe, close: nothing else is under way;
 *   - bind, submit, wait, reset, self_test: one of them at a time;
 *   - load, unload, allocate_shared, free_shared: one of them at a time, at the same time as one of those above;
 *   - cancel: at any time between open and close.
 * Different devices are used at once. The calls may come from different threads.
 *
 * Errors. A function that can fail returns one of the statuses below, and may write a text for people to `why`, which
 * is never null. Nothing throws, ends the process, or waits for longer than it was told to.
 *
 * Times are nanoseconds of CLOCK_MONOTONIC; INT64_MAX: none. */
#ifndef NESTRT_VENDOR_H
#define NESTRT_VENDOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming): names of C */

/* Of this header. Another number is another interface. */
#define NESTRT_VENDOR_ABI 1u
/* Inputs and outputs of a program together. */
#define NESTRT_VENDOR_MAX_PORTS 64u
/* The largest alignment that may be asked for. */
#define NESTRT_VENDOR_MAX_ALIGNMENT 4096u

/* One of the values below. */
typedef int32_t nestrt_vendor_status;
enum {
  NESTRT_VENDOR_OK = 0,
  NESTRT_VENDOR_PENDING = 1,       /* wait(): no run is over yet */
  NESTRT_VENDOR_INVALID_BLOB = 2,  /* load(): no program, or a damaged one */
  NESTRT_VENDOR_INCOMPATIBLE = 3,  /* load(): a program for another device or version */
  NESTRT_VENDOR_OUT_OF_MEMORY = 4, /* the device's, or the machine's */
  NESTRT_VENDOR_UNAVAILABLE = 5,   /* open(): no such device, or somebody else has it */
  NESTRT_VENDOR_DEADLINE = 6,      /* of a run: its deadline passed before it was over */
  NESTRT_VENDOR_CANCELLED = 7,     /* of a run: by cancel() or reset() */
  NESTRT_VENDOR_FAULT = 8          /* the device has failed */
};

/* The plug-in's own; nestrt holds pointers to them only. */
typedef struct nestrt_vendor_device nestrt_vendor_device;
typedef struct nestrt_vendor_program nestrt_vendor_program;

/* Why something failed: text with a 0 at its end, all 0 when the plug-in gets it. nestrt's, valid for the call. */
typedef struct nestrt_vendor_message {
  char text[256];
} nestrt_vendor_message;

/* What a device is. All 0 but struct_bytes when the plug-in gets it. */
typedef struct nestrt_vendor_description {
  uint32_t struct_bytes; /* as nestrt knows the struct; the plug-in writes no byte behind them */
  uint32_t alignment;    /* of every port, in bytes: a power of two, 1 to NESTRT_VENDOR_MAX_ALIGNMENT */
  uint32_t is_steady;    /* 1: a program takes about as long each time; 0: not */
  uint32_t reserved;     /* 0 */
  /* As plans and lists of units name it: a-z, 0-9, '_' and '-', beginning with a letter; neither "cpu" nor "evta". */
  char kind[32];
  /* Another text wherever measured times of the other are no good: printable ASCII without spaces, ',' and ':'. */
  char configuration[64];
} nestrt_vendor_description;

/* What a program reads and writes. All 0 but struct_bytes when the plug-in gets it. */
typedef struct nestrt_vendor_ports {
  uint32_t struct_bytes;
  uint32_t num_inputs;
  uint32_t num_outputs; /* at least one; with the inputs no more than NESTRT_VENDOR_MAX_PORTS */
  uint32_t reserved;
  uint64_t bytes[NESTRT_VENDOR_MAX_PORTS]; /* inputs first: as the operands of the part that was compiled, in order */
} nestrt_vendor_ports;

/* The end of a run. */
typedef struct nestrt_vendor_completion {
  uint64_t run;                /* as submit() was told */
  nestrt_vendor_status status; /* OK, DEADLINE, CANCELLED or FAULT */
  uint32_t reserved;
} nestrt_vendor_completion;

/* The functions of a plug-in. */
typedef struct nestrt_vendor_functions {
  uint32_t abi;          /* NESTRT_VENDOR_ABI */
  uint32_t struct_bytes; /* sizeof(nestrt_vendor_functions) as the plug-in knows it */

  /* The device number `instance` of the plug-in, from 0 on. On failure *device is not used. */
  nestrt_vendor_status (*open)(uint32_t instance, nestrt_vendor_device** device, nestrt_vendor_message* why);
  nestrt_vendor_status (*describe)(nestrt_vendor_device* device, nestrt_vendor_description* description,
                                   nestrt_vendor_message* why);

  /* Checks a program completely and makes it ready: the blob may be anybody's. It is aligned to 64 bytes, and stays
   * valid and the same until unload(). */
  nestrt_vendor_status (*load)(nestrt_vendor_device* device, const void* blob, uint64_t blob_bytes,
                               nestrt_vendor_program** program, nestrt_vendor_ports* ports, nestrt_vendor_message* why);
  /* No run of it is under way. */
  void (*unload)(nestrt_vendor_device* device, nestrt_vendor_program* program);

  /* Memory that both reach, of at least so many bytes, aligned to 64 and to the device's alignment. What the host has
   * written there the device sees from submit() on, what the device has written the host sees once wait() has said that
   * the run is over. Both functions or neither: a plug-in that has them gets ports in such memory only; one that has
   * not gets ports anywhere in the process. */
  nestrt_vendor_status (*allocate_shared)(nestrt_vendor_device* device, uint64_t bytes, void** address,
                                          nestrt_vendor_message* why);
  void (*free_shared)(nestrt_vendor_device* device, void* address);

  /* Where the ports of the runs to come are, in the order of nestrt_vendor_ports. Valid from submit() until the run is
   * over; the array itself for the call. The device reads inputs and writes outputs, all of each output and nothing
   * else. */
  nestrt_vendor_status (*bind)(nestrt_vendor_device* device, nestrt_vendor_program* program, void* const* ports,
                               uint32_t num_ports, nestrt_vendor_message* why);
  /* Starts a run and returns. nestrt gives no number twice, and has one run under way at a time. After a failure none
   * is. */
  nestrt_vendor_status (*submit)(nestrt_vendor_device* device, nestrt_vendor_program* program, uint64_t run,
                                 int64_t deadline_ns, nestrt_vendor_message* why);
  /* Until the run is over, which it tells once: OK, with *completion; or until `until_ns`: PENDING. A run that is over
   * touches no memory any more, however it ended. */
  nestrt_vendor_status (*wait)(nestrt_vendor_device* device, int64_t until_ns, nestrt_vendor_completion* completion,
                               nestrt_vendor_message* why);
  /* Ends that run soon, which wait() tells as CANCELLED, or as what it was where it was over. A number that is not
   * under way: nothing happens. */
  void (*cancel)(nestrt_vendor_device* device, uint64_t run);

  /* Stops whatever runs, which wait() does not tell any more. After success the device touches no memory until the next
   * submit(); programs stay loaded. */
  nestrt_vendor_status (*reset)(nestrt_vendor_device* device, nestrt_vendor_message* why);
  /* Computes something whose result the plug-in knows, and compares. No run is under way. */
  nestrt_vendor_status (*self_test)(nestrt_vendor_device* device, nestrt_vendor_message* why);
  /* No run is under way, nothing is loaded or lent. */
  void (*close)(nestrt_vendor_device* device);
} nestrt_vendor_functions;

/* The one symbol that a plug-in exports. `abi`: nestrt's. Null where the plug-in does not have that interface. The
 * table is the plug-in's, and stays as it is. */
#ifdef __GNUC__
__attribute__((visibility("default")))
#endif
const nestrt_vendor_functions*
nestrt_vendor_plugin(uint32_t abi);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif
