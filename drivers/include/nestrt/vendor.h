/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between nestrt and a vendor's plug-in: a shared library that runs programs which the vendor's compiler
 * generated and nestrt cannot read. A plug-in needs C11 and this header only. docs/how-to/plugins.md is the guide,
 * examples/vendor/skeleton is a template, and `nestrt conformance --plugin FILE` tests a plug-in.
 *
 * Loading. A plug-in is loaded only from the file that the user names (--plugin, UnitOptions::plugin). It runs in the
 * application's process or, if the user isolates it, in a separate process that may be killed and restarted at any
 * time. In both cases it has all rights of the application. nestrt checks every answer: sizes, alignments, statuses,
 * and the number of the completed run. An invalid answer is a fault of the plug-in: nestrt stops using the unit until a
 * self-test succeeds.
 *
 * Ownership. nestrt owns everything that it passes in; each function states how long it stays valid. The plug-in owns
 * its devices, programs and shared memory until nestrt calls the function that releases them. nestrt releases
 * everything before close().
 *
 * Threading. nestrt guarantees for each device:
 *   - open, open_with, describe, close: no other call is in progress;
 *   - bind, submit, wait, reset, self_test: one of them at a time;
 *   - load, load_part, unload, allocate_shared, free_shared: one of them at a time, possibly concurrent with one of the
 * above;
 *   - cancel: at any time between open and close.
 * Different devices are used concurrently. Calls may come from different threads.
 *
 * Errors. A function that can fail returns one of the statuses below and may write an explanation to `why`, which is
 * never null. No function may throw, end the process, or block beyond the time limit it receives.
 *
 * Times are nanoseconds of CLOCK_MONOTONIC; INT64_MAX means no limit. */
#ifndef NESTRT_VENDOR_H
#define NESTRT_VENDOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming): names of C */

/* Versions of this interface. nestrt uses the newest that a plug-in supports. Version 2 appends open_with() and
 * load_part() to the function table; they replace open() and load(). */
#define NESTRT_VENDOR_ABI 2u
#define NESTRT_VENDOR_ABI_1 1u
/* Maximum number of inputs and outputs of a program together. */
#define NESTRT_VENDOR_MAX_PORTS 64u
/* Maximum number of dimensions of a port. */
#define NESTRT_VENDOR_MAX_RANK 8u
/* The largest alignment that a device may require, in bytes. */
#define NESTRT_VENDOR_MAX_ALIGNMENT 4096u

/* One of the values below. */
typedef int32_t nestrt_vendor_status;
enum {
  NESTRT_VENDOR_OK = 0,
  NESTRT_VENDOR_PENDING = 1,       /* wait(): no run has completed yet */
  NESTRT_VENDOR_INVALID_BLOB = 2,  /* load(): not a program, or a damaged one */
  NESTRT_VENDOR_INCOMPATIBLE = 3,  /* load(): a program for another device or version */
  NESTRT_VENDOR_OUT_OF_MEMORY = 4, /* of the device or the host */
  NESTRT_VENDOR_UNAVAILABLE = 5,   /* open(): the device does not exist or is in use */
  NESTRT_VENDOR_DEADLINE = 6,      /* of a run: its deadline passed before it completed */
  NESTRT_VENDOR_CANCELLED = 7,     /* of a run: by cancel() or reset() */
  NESTRT_VENDOR_FAULT = 8,         /* the device has failed */
  NESTRT_VENDOR_INVALID_OPTION = 9 /* open_with(): an unknown option or an invalid value */
};

/* Types of elements. */
enum {
  NESTRT_VENDOR_TYPE_UNKNOWN = 0,
  NESTRT_VENDOR_TYPE_F32 = 1,
  NESTRT_VENDOR_TYPE_S8 = 2,
  NESTRT_VENDOR_TYPE_U8 = 3,
  NESTRT_VENDOR_TYPE_S32 = 4,
  NESTRT_VENDOR_TYPE_S64 = 5,
  NESTRT_VENDOR_TYPE_BOOL = 6
};

/* Orders of elements in memory. */
enum {
  NESTRT_VENDOR_LAYOUT_ROW_MAJOR = 0,    /* in the order of the shape: NCHW for images */
  NESTRT_VENDOR_LAYOUT_CHANNELS_LAST = 1 /* axis 1 of the shape is the innermost: NHWC for a shape NCHW */
};

/* Opaque types of the plug-in; nestrt only holds pointers to them. */
typedef struct nestrt_vendor_device nestrt_vendor_device;
typedef struct nestrt_vendor_program nestrt_vendor_program;

/* Explanation of a failure: zero-terminated text, zeroed by nestrt. Valid during the call. */
typedef struct nestrt_vendor_message {
  char text[256];
} nestrt_vendor_message;

/* Description of a device. nestrt zeroes all members except struct_bytes. */
typedef struct nestrt_vendor_description {
  uint32_t struct_bytes; /* size of the struct in nestrt's version; the plug-in must not write beyond it */
  uint32_t alignment;    /* of every port, in bytes: a power of two, 1 to NESTRT_VENDOR_MAX_ALIGNMENT */
  uint32_t is_steady;    /* 1 if a program takes about the same time on each run, else 0 */
  uint32_t reserved;     /* 0 */
  /* Name in plans and unit lists: a-z, 0-9, '_' and '-', starting with a letter; neither "cpu" nor "evta". */
  char kind[32];
  /* Identifies devices with the same timing; measured times are reused only for an identical string. Printable ASCII
   * without spaces, ',' and ':'. */
  char configuration[64];
} nestrt_vendor_description;

/* Inputs and outputs of a program. nestrt zeroes all members except struct_bytes. */
typedef struct nestrt_vendor_ports {
  uint32_t struct_bytes;
  uint32_t num_inputs;
  uint32_t num_outputs; /* at least 1; together with the inputs at most NESTRT_VENDOR_MAX_PORTS */
  uint32_t reserved;
  uint64_t bytes[NESTRT_VENDOR_MAX_PORTS]; /* inputs, then outputs, in the order of the compiled part's operands */
} nestrt_vendor_ports;

/* An option for a device, such as "core" = "1". Zero-terminated texts, valid during the call. */
typedef struct nestrt_vendor_option {
  const char* name;
  const char* value;
} nestrt_vendor_option;

/* An input or output of a part of a model, since version 2. nestrt and plug-ins describe ports in the same way. */
typedef struct nestrt_vendor_port {
  const char* name; /* in the model that the compiler received; null if unknown */
  uint64_t bytes;
  uint32_t type;   /* of elements; NESTRT_VENDOR_TYPE_UNKNOWN: type and shape are unknown */
  uint32_t layout; /* always row-major as nestrt's request; the plug-in's answer may be another one */
  uint32_t rank;
  int32_t axis;                          /* if there are several scales: their axis of the shape */
  int64_t shape[NESTRT_VENDOR_MAX_RANK]; /* independent of the layout */
  /* Quantized integers: real = (q - zero_point) * scale. Both lists have num_scales elements. */
  uint32_t num_scales;
  uint32_t reserved;
  const float* scales;
  const int32_t* zero_points;
} nestrt_vendor_port;

/* A file that the vendor's compiler wrote, since version 2. */
typedef struct nestrt_vendor_file {
  const char* name; /* relative to the compiler's folder {outputs}, with '/' */
  const void* data;
  uint64_t bytes;
} nestrt_vendor_file;

/* A compiled part of a model, since version 2. The blob and the data of the files stay valid and unchanged until
 * unload(); all else is valid during the call. */
typedef struct nestrt_vendor_part {
  uint32_t struct_bytes;
  uint32_t num_inputs, num_outputs;
  uint32_t num_files;              /* 0 if the compiler wrote one file, which is the blob */
  const nestrt_vendor_port* ports; /* inputs, then outputs, in the order of the compiled part's operands */
  const nestrt_vendor_file* files; /* within the blob, in the order of their names */
  const void* blob;                /* aligned to 64 bytes; an uncompressed zip archive if there are files */
  uint64_t blob_bytes;
} nestrt_vendor_part;

/* The ports of a loaded program, since version 2. nestrt zeroes all members except struct_bytes. Everything that the
 * plug-in states must agree with the part: nestrt rejects, for example, two ports of equal size that are exchanged.
 * Names and scales stay valid until unload(). */
typedef struct nestrt_vendor_program_ports {
  uint32_t struct_bytes;
  uint32_t num_inputs;
  uint32_t num_outputs; /* at least 1; together with the inputs at most NESTRT_VENDOR_MAX_PORTS */
  uint32_t reserved;
  nestrt_vendor_port ports[NESTRT_VENDOR_MAX_PORTS]; /* `bytes` is required; null and 0 elsewhere: not stated */
} nestrt_vendor_program_ports;

/* The completion of a run. */
typedef struct nestrt_vendor_completion {
  uint64_t run;                /* the number passed to submit() */
  nestrt_vendor_status status; /* OK, DEADLINE, CANCELLED or FAULT */
  uint32_t reserved;
} nestrt_vendor_completion;

/* The function table of a plug-in. */
typedef struct nestrt_vendor_functions {
  uint32_t abi;          /* the version of this table: NESTRT_VENDOR_ABI or NESTRT_VENDOR_ABI_1 */
  uint32_t struct_bytes; /* sizeof(nestrt_vendor_functions) in the plug-in's version */

  /* Opens device `instance` (from 0) of the plug-in. *device is ignored on failure. Version 1 only, else null. */
  nestrt_vendor_status (*open)(uint32_t instance, nestrt_vendor_device** device, nestrt_vendor_message* why);
  nestrt_vendor_status (*describe)(nestrt_vendor_device* device, nestrt_vendor_description* description,
                                   nestrt_vendor_message* why);

  /* Verifies a program completely, because the blob is untrusted, and prepares it. The blob is aligned to 64 bytes and
   * stays valid and unchanged until unload(). Version 1 only, else null. */
  nestrt_vendor_status (*load)(nestrt_vendor_device* device, const void* blob, uint64_t blob_bytes,
                               nestrt_vendor_program** program, nestrt_vendor_ports* ports, nestrt_vendor_message* why);
  /* Releases a program. None of its runs is in progress. */
  void (*unload)(nestrt_vendor_device* device, nestrt_vendor_program* program);

  /* Allocates at least `bytes` of memory that host and device can access, aligned to 64 and to the device's alignment.
   * The device sees the host's writes from submit() on; the host sees the device's writes after wait() reports the end
   * of the run. A plug-in sets both functions or neither. If it sets them, all ports are in such memory; otherwise they
   * may be anywhere in the process. */
  nestrt_vendor_status (*allocate_shared)(nestrt_vendor_device* device, uint64_t bytes, void** address,
                                          nestrt_vendor_message* why);
  void (*free_shared)(nestrt_vendor_device* device, void* address);

  /* Sets the addresses of the ports for the next runs, in the order of nestrt_vendor_ports. The memory is valid from
   * submit() until the run completes, the array only during the call. The device reads the inputs, writes every output
   * completely, and writes nothing else. */
  nestrt_vendor_status (*bind)(nestrt_vendor_device* device, nestrt_vendor_program* program, void* const* ports,
                               uint32_t num_ports, nestrt_vendor_message* why);
  /* Starts a run and returns. nestrt never reuses a number and has at most one run in progress. On failure no run is
   * started. */
  nestrt_vendor_status (*submit)(nestrt_vendor_device* device, nestrt_vendor_program* program, uint64_t run,
                                 int64_t deadline_ns, nestrt_vendor_message* why);
  /* Waits for the end of the run and reports it once, as OK with *completion. Returns PENDING if `until_ns` is reached
   * first. A completed run accesses no memory, whatever its status. */
  nestrt_vendor_status (*wait)(nestrt_vendor_device* device, int64_t until_ns, nestrt_vendor_completion* completion,
                               nestrt_vendor_message* why);
  /* Cancels the run; wait() reports CANCELLED, or the actual status if the run completed first. Has no effect if the
   * run is not in progress. */
  void (*cancel)(nestrt_vendor_device* device, uint64_t run);

  /* Aborts the run in progress; wait() does not report it. After success the device accesses no memory until the next
   * submit(). Programs stay loaded. */
  nestrt_vendor_status (*reset)(nestrt_vendor_device* device, nestrt_vendor_message* why);
  /* Runs a computation with a known result and checks it. No run is in progress. */
  nestrt_vendor_status (*self_test)(nestrt_vendor_device* device, nestrt_vendor_message* why);
  /* Closes the device. No run is in progress, no program is loaded, and no shared memory is allocated. */
  void (*close)(nestrt_vendor_device* device);

  /* Since version 2. As open(), with the options that the user gives for this device; a plug-in must reject those that
   * it does not know with NESTRT_VENDOR_INVALID_OPTION. */
  nestrt_vendor_status (*open_with)(uint32_t instance, const nestrt_vendor_option* options, uint32_t num_options,
                                    nestrt_vendor_device** device, nestrt_vendor_message* why);
  /* Since version 2. As load(), with the description of the part. The plug-in may ask for another layout of a port of
   * at least three dimensions; nestrt converts the values. */
  nestrt_vendor_status (*load_part)(nestrt_vendor_device* device, const nestrt_vendor_part* part,
                                    nestrt_vendor_program** program, nestrt_vendor_program_ports* ports,
                                    nestrt_vendor_message* why);
} nestrt_vendor_functions;

/* The only symbol that a plug-in exports. Returns the function table for version `abi` of the interface, or null if the
 * plug-in does not support it. The plug-in owns the table and must not change it. */
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
