/* SPDX-License-Identifier: Apache-2.0 */
/* Template for a vendor's plug-in: the smallest that satisfies nestrt/vendor.h. Its device is this processor, and its
 * programs copy inputs to outputs.
 *
 *   cc -std=gnu11 -shared -fPIC -fvisibility=hidden -I PREFIX/include -o libskeleton.so skeleton.c -lpthread
 *   nestrt conformance --plugin ./libskeleton.so --blob copy.blob --input-bytes 64 --output-bytes 64
 *
 * A program consists of "SKL1", the number of inputs, the number of outputs and the size of the ports in bytes, 32 bits
 * each, little-endian. Output i is a copy of input i modulo the number of inputs. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nestrt/vendor.h"

#define MAGIC 0x314c4b53u /* "SKL1" */
#define ALIGNMENT 64u

struct blob {
  uint32_t magic, num_inputs, num_outputs, port_bytes;
};

struct nestrt_vendor_program {
  struct blob blob;
  void* ports[NESTRT_VENDOR_MAX_PORTS];
  int is_bound;
};

/* The mutex guards the other members, because cancel() and wait() may run concurrently. */
struct nestrt_vendor_device {
  pthread_mutex_t mutex;
  nestrt_vendor_program* program; /* of the active run; null if idle */
  uint64_t run;
  int64_t deadline_ns;
  int is_cancelled;
};

static nestrt_vendor_status fail(nestrt_vendor_status status, nestrt_vendor_message* why, const char* text) {
  snprintf(why->text, sizeof why->text, "%s", text);
  return status;
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static nestrt_vendor_status open_one_of(long num_devices, uint32_t instance, nestrt_vendor_device** device,
                                        nestrt_vendor_message* why) {
  if (instance >= num_devices)
    return fail(NESTRT_VENDOR_UNAVAILABLE, why, num_devices == 1 ? "there is only one device" : "too few devices");
  nestrt_vendor_device* const opened = calloc(1, sizeof *opened);
  if (opened == NULL) return fail(NESTRT_VENDOR_OUT_OF_MEMORY, why, "out of memory for a device");
  pthread_mutex_init(&opened->mutex, NULL);
  *device = opened;
  return NESTRT_VENDOR_OK;
}

/* Accepts the option "devices": the number of devices to provide, 1 to 8. A real device would have options such as a
 * core or a firmware file. */
static nestrt_vendor_status open_with(uint32_t instance, const nestrt_vendor_option* options, uint32_t num_options,
                                      nestrt_vendor_device** device, nestrt_vendor_message* why) {
  long num_devices = 1;
  for (uint32_t i = 0; i < num_options; ++i) {
    if (strcmp(options[i].name, "devices") != 0) {
      snprintf(why->text, sizeof why->text, "unknown option '%.40s'; available: devices", options[i].name);
      return NESTRT_VENDOR_INVALID_OPTION;
    }
    char* end = NULL;
    num_devices = strtol(options[i].value, &end, 10);
    if (end == options[i].value || *end != '\0' || num_devices < 1 || num_devices > 8)
      return fail(NESTRT_VENDOR_INVALID_OPTION, why, "option 'devices' must be a number from 1 to 8");
  }
  return open_one_of(num_devices, instance, device, why);
}

static nestrt_vendor_status open_device(uint32_t instance, nestrt_vendor_device** device, nestrt_vendor_message* why) {
  return open_one_of(1, instance, device, why);
}

static nestrt_vendor_status describe(nestrt_vendor_device* device, nestrt_vendor_description* description,
                                     nestrt_vendor_message* why) {
  (void)device, (void)why;
  description->alignment = ALIGNMENT;
  description->is_steady = 1;
  strcpy(description->kind, "skeleton");
  strcpy(description->configuration, "copies-1");
  return NESTRT_VENDOR_OK;
}

/* Loads a program. The blob is untrusted, so every number is checked before use. */
static nestrt_vendor_status load(nestrt_vendor_device* device, const void* blob, uint64_t blob_bytes,
                                 nestrt_vendor_program** program, nestrt_vendor_ports* ports,
                                 nestrt_vendor_message* why) {
  (void)device;
  struct blob header;
  if (blob_bytes != sizeof header) return fail(NESTRT_VENDOR_INVALID_BLOB, why, "a program must have 16 bytes");
  memcpy(&header, blob, sizeof header);
  if (header.magic != MAGIC) return fail(NESTRT_VENDOR_INCOMPATIBLE, why, "the program has an unknown format");
  if (header.num_inputs == 0 || header.num_outputs == 0 || header.num_inputs > NESTRT_VENDOR_MAX_PORTS ||
      header.num_outputs > NESTRT_VENDOR_MAX_PORTS - header.num_inputs || header.port_bytes == 0)
    return fail(NESTRT_VENDOR_INVALID_BLOB, why, "the program has no ports, or too many");
  nestrt_vendor_program* const loaded = calloc(1, sizeof *loaded);
  if (loaded == NULL) return fail(NESTRT_VENDOR_OUT_OF_MEMORY, why, "out of memory for a program");
  loaded->blob = header;
  ports->num_inputs = header.num_inputs;
  ports->num_outputs = header.num_outputs;
  for (uint32_t i = 0; i < header.num_inputs + header.num_outputs; ++i) ports->bytes[i] = header.port_bytes;
  *program = loaded;
  return NESTRT_VENDOR_OK;
}

/* A real program would also state the names, types, shapes and scales that its compiler recorded; nestrt compares them
 * with the plan. */
static nestrt_vendor_status load_part(nestrt_vendor_device* device, const nestrt_vendor_part* part,
                                      nestrt_vendor_program** program, nestrt_vendor_program_ports* stated,
                                      nestrt_vendor_message* why) {
  nestrt_vendor_ports ports = {.struct_bytes = sizeof ports};
  const nestrt_vendor_status status = load(device, part->blob, part->blob_bytes, program, &ports, why);
  if (status != NESTRT_VENDOR_OK) return status;
  stated->num_inputs = ports.num_inputs;
  stated->num_outputs = ports.num_outputs;
  for (uint32_t i = 0; i < ports.num_inputs + ports.num_outputs; ++i) stated->ports[i].bytes = ports.bytes[i];
  return NESTRT_VENDOR_OK;
}

static void unload(nestrt_vendor_device* device, nestrt_vendor_program* program) {
  (void)device;
  free(program);
}

static nestrt_vendor_status allocate_shared(nestrt_vendor_device* device, uint64_t bytes, void** address,
                                            nestrt_vendor_message* why) {
  (void)device;
  if (bytes > SIZE_MAX - ALIGNMENT) return fail(NESTRT_VENDOR_OUT_OF_MEMORY, why, "out of shared memory");
  void* const memory = aligned_alloc(ALIGNMENT, (size_t)((bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT));
  if (memory == NULL) return fail(NESTRT_VENDOR_OUT_OF_MEMORY, why, "out of shared memory");
  *address = memory;
  return NESTRT_VENDOR_OK;
}

static void free_shared(nestrt_vendor_device* device, void* address) {
  (void)device;
  free(address);
}

static nestrt_vendor_status bind(nestrt_vendor_device* device, nestrt_vendor_program* program, void* const* ports,
                                 uint32_t num_ports, nestrt_vendor_message* why) {
  (void)device;
  if (num_ports != program->blob.num_inputs + program->blob.num_outputs)
    return fail(NESTRT_VENDOR_FAULT, why, "the number of ports differs from the program's");
  memcpy(program->ports, ports, num_ports * sizeof *ports);
  program->is_bound = 1;
  return NESTRT_VENDOR_OK;
}

/* Starts a run. A real device would start to work here and notify wait() at the end. */
static nestrt_vendor_status submit(nestrt_vendor_device* device, nestrt_vendor_program* program, uint64_t run,
                                   int64_t deadline_ns, nestrt_vendor_message* why) {
  pthread_mutex_lock(&device->mutex);
  const int is_free = device->program == NULL && program->is_bound;
  if (is_free) {
    device->program = program;
    device->run = run;
    device->deadline_ns = deadline_ns;
    device->is_cancelled = 0;
  }
  pthread_mutex_unlock(&device->mutex);
  return is_free ? NESTRT_VENDOR_OK : fail(NESTRT_VENDOR_FAULT, why, "a run is active or nothing is bound");
}

static void copy_ports(const nestrt_vendor_program* program) {
  const struct blob* const blob = &program->blob;
  for (uint32_t i = 0; i < blob->num_outputs; ++i)
    memcpy(program->ports[blob->num_inputs + i], program->ports[i % blob->num_inputs], blob->port_bytes);
}

static nestrt_vendor_status wait_for_run(nestrt_vendor_device* device, int64_t until_ns,
                                         nestrt_vendor_completion* completion, nestrt_vendor_message* why) {
  (void)why;
  pthread_mutex_lock(&device->mutex);
  const int is_over = device->program != NULL;
  if (is_over) {
    completion->run = device->run;
    completion->status = NESTRT_VENDOR_OK;
    if (device->is_cancelled)
      completion->status = NESTRT_VENDOR_CANCELLED;
    else if (now_ns() >= device->deadline_ns)
      completion->status = NESTRT_VENDOR_DEADLINE;
    else
      copy_ports(device->program);
    device->program = NULL;
  }
  pthread_mutex_unlock(&device->mutex);
  const int64_t left = until_ns - now_ns();
  if (!is_over && left > 0) nanosleep(&(struct timespec){left / 1000000000, left % 1000000000}, NULL);
  return is_over ? NESTRT_VENDOR_OK : NESTRT_VENDOR_PENDING;
}

static void cancel(nestrt_vendor_device* device, uint64_t run) {
  pthread_mutex_lock(&device->mutex);
  if (device->program != NULL && device->run == run) device->is_cancelled = 1;
  pthread_mutex_unlock(&device->mutex);
}

static nestrt_vendor_status reset(nestrt_vendor_device* device, nestrt_vendor_message* why) {
  (void)why;
  pthread_mutex_lock(&device->mutex);
  device->program = NULL;
  pthread_mutex_unlock(&device->mutex);
  return NESTRT_VENDOR_OK;
}

/* Runs a known program with the same code as every run. */
static nestrt_vendor_status self_test(nestrt_vendor_device* device, nestrt_vendor_message* why) {
  char from[4] = "abc", to[4] = "";
  nestrt_vendor_program program = {{MAGIC, 1, 1, sizeof from}, {from, to}, 1};
  nestrt_vendor_completion completion = {0, NESTRT_VENDOR_FAULT, 0};
  if (submit(device, &program, 0, INT64_MAX, why) != NESTRT_VENDOR_OK) return NESTRT_VENDOR_FAULT;
  if (wait_for_run(device, now_ns(), &completion, why) != NESTRT_VENDOR_OK) return NESTRT_VENDOR_FAULT;
  if (completion.status == NESTRT_VENDOR_OK && memcmp(from, to, sizeof from) == 0) return NESTRT_VENDOR_OK;
  return fail(NESTRT_VENDOR_FAULT, why, "the device computes wrong results");
}

static void close_device(nestrt_vendor_device* device) {
  pthread_mutex_destroy(&device->mutex);
  free(device);
}

/* Supports version 1 too, for earlier releases of nestrt. */
#define COMMON_FUNCTIONS                                                                          \
  .struct_bytes = sizeof(nestrt_vendor_functions), .describe = describe, .unload = unload,        \
  .allocate_shared = allocate_shared, .free_shared = free_shared, .bind = bind, .submit = submit, \
  .wait = wait_for_run, .cancel = cancel, .reset = reset, .self_test = self_test, .close = close_device

const nestrt_vendor_functions* nestrt_vendor_plugin(uint32_t abi) {
  static const nestrt_vendor_functions kFirst = {
      .abi = NESTRT_VENDOR_ABI_1, .open = open_device, .load = load, COMMON_FUNCTIONS};
  static const nestrt_vendor_functions kSecond = {
      .abi = NESTRT_VENDOR_ABI, .open_with = open_with, .load_part = load_part, COMMON_FUNCTIONS};
  if (abi == NESTRT_VENDOR_ABI) return &kSecond;
  return abi == NESTRT_VENDOR_ABI_1 ? &kFirst : NULL;
}
