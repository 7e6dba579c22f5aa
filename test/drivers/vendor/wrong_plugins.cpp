// SPDX-License-Identifier: Apache-2.0
#include "test/drivers/vendor/wrong_plugins.h"

#include <cstring>
#include <map>
#include <vector>

#include "test/drivers/vendor/skeleton_programs.h"

namespace nestrt::vendor::test {
namespace {

using Device = nestrt_vendor_device;
using Program = nestrt_vendor_program;
using Message = nestrt_vendor_message;
using Completion = nestrt_vendor_completion;

// --- State of the incorrect plug-ins. Only one device is open at a time.

// The last bound ports of each program, and the program of the active run.
std::map<const Program*, std::vector<void*>> bound_ports;
const Program* running = nullptr;
bool is_under_way = false;
uint64_t port_bytes = 0;
uint64_t last_run = 0;
int runs = 0;
void* first_block = nullptr;

nestrt_vendor_status load(Device* device, const void* blob, uint64_t bytes, Program** program,
                          nestrt_vendor_ports* ports, Message* why) {
  const auto status = skeleton().load(device, blob, bytes, program, ports, why);
  port_bytes = ports->bytes[0];
  return status;
}

nestrt_vendor_status bind(Device* device, Program* program, void* const* ports, uint32_t count, Message* why) {
  bound_ports[program].assign(ports, ports + count);
  return skeleton().bind(device, program, ports, count, why);
}

nestrt_vendor_status submit(Device* device, Program* program, uint64_t run, int64_t deadline_ns, Message* why) {
  running = program;
  is_under_way = true;
  last_run = run;
  return skeleton().submit(device, program, run, deadline_ns, why);
}

char* input() { return static_cast<char*>(bound_ports[running].front()); }
char* output() { return static_cast<char*>(bound_ports[running].back()); }

// Applies `change` to a run that is over.
template <typename Change>
nestrt_vendor_status wait_and(Device* device, int64_t until_ns, Completion* completion, Message* why, Change change) {
  const auto status = skeleton().wait(device, until_ns, completion, why);
  if (status != NESTRT_VENDOR_OK) return status;
  change();
  is_under_way = false;
  return status;
}

nestrt_vendor_functions recording_functions() {
  nestrt_vendor_functions functions = skeleton();
  functions.load = load;
  functions.bind = bind;
  functions.submit = submit;
  return functions;
}

template <typename Member>
nestrt_vendor_functions with(Member nestrt_vendor_functions::*member, Member function) {
  nestrt_vendor_functions functions = recording_functions();
  functions.*member = function;
  return functions;
}

// --- Devices and memory.

nestrt_vendor_status describe_alignment(Device* device, nestrt_vendor_description* description, Message* why) {
  const auto status = skeleton().describe(device, description, why);
  description->alignment = 48;
  return status;
}

nestrt_vendor_status describe_too_much(Device* device, nestrt_vendor_description* description, Message* why) {
  const auto status = skeleton().describe(device, description, why);
  reinterpret_cast<char*>(description)[description->struct_bytes] = 1;
  return status;
}

// Returns misaligned memory, which is never used.
nestrt_vendor_status allocate_misaligned(Device*, uint64_t, void** address, Message*) {
  alignas(64) static char block[64];
  *address = block + 16;
  return NESTRT_VENDOR_OK;
}

nestrt_vendor_status allocate_same(Device* device, uint64_t bytes, void** address, Message* why) {
  if (first_block == nullptr) {
    const auto status = skeleton().allocate_shared(device, 1 << 20, &first_block, why);
    if (status != NESTRT_VENDOR_OK) return status;
  }
  (void)bytes;
  *address = first_block;
  return NESTRT_VENDOR_OK;
}

void keep(Device*, void*) {}

nestrt_vendor_status fail_self_test(Device*, Message*) { return NESTRT_VENDOR_FAULT; }

// --- Programs.

nestrt_vendor_status load_other_ports(Device* device, const void* blob, uint64_t bytes, Program** program,
                                      nestrt_vendor_ports* ports, Message* why) {
  const auto status = skeleton().load(device, blob, bytes, program, ports, why);
  ports->bytes[1] -= 1;
  return status;
}

nestrt_vendor_status load_anything(Device* device, const void* blob, uint64_t bytes, Program** program,
                                   nestrt_vendor_ports* ports, Message* why) {
  static const std::vector<uint32_t> kBlob = skeleton_blob(1, 1, 100);
  const bool is_whole = bytes == kBlob.size() * sizeof kBlob[0];
  return skeleton().load(device, is_whole ? blob : kBlob.data(), kBlob.size() * sizeof kBlob[0], program, ports, why);
}

nestrt_vendor_status load_nothing(Device* device, const void* blob, uint64_t bytes, Program** program,
                                  nestrt_vendor_ports* ports, Message* why) {
  const auto status = skeleton().load(device, blob, bytes, program, ports, why);
  if (status == NESTRT_VENDOR_OK) skeleton().unload(device, *program);
  *program = nullptr;
  return status;
}

// --- Results.

nestrt_vendor_status write_less(Device* device, int64_t until_ns, Completion* completion, Message* why) {
  const uint64_t last = port_bytes - 1;
  const char before = is_under_way ? output()[last] : '\0';
  return wait_and(device, until_ns, completion, why, [&] { output()[last] = before; });
}

nestrt_vendor_status write_more(Device* device, int64_t until_ns, Completion* completion, Message* why) {
  return wait_and(device, until_ns, completion, why, [] { output()[port_bytes] = 1; });
}

nestrt_vendor_status write_input(Device* device, int64_t until_ns, Completion* completion, Message* why) {
  return wait_and(device, until_ns, completion, why, [] { input()[0] ^= 1; });
}

nestrt_vendor_status compute_otherwise(Device* device, int64_t until_ns, Completion* completion, Message* why) {
  return wait_and(device, until_ns, completion, why, [] { output()[0] = static_cast<char>(++runs); });
}

// Mixes the first byte of the previous run into the output.
nestrt_vendor_status mix_runs(Device* device, int64_t until_ns, Completion* completion, Message* why) {
  static char before = 0;
  return wait_and(device, until_ns, completion, why, [] {
    const char own = input()[0];
    output()[0] = static_cast<char>(own ^ (own == before ? 0 : before));
    before = own;
  });
}

// --- Start and end of runs.

nestrt_vendor_status report_other_run(Device* device, int64_t until_ns, Completion* completion, Message* why) {
  return wait_and(device, until_ns, completion, why, [&] { completion->run += 41; });
}

nestrt_vendor_status report_twice(Device* device, int64_t until_ns, Completion* completion, Message* why) {
  const auto status = skeleton().wait(device, until_ns, completion, why);
  if (status == NESTRT_VENDOR_OK || last_run == 0) return status;
  *completion = {last_run, NESTRT_VENDOR_OK, 0};
  return NESTRT_VENDOR_OK;
}

nestrt_vendor_status report_undefined_status(Device* device, int64_t until_ns, Completion* completion, Message* why) {
  return wait_and(device, until_ns, completion, why, [&] { completion->status = 77; });
}

nestrt_vendor_status return_undefined_status(Device*, int64_t, Completion*, Message*) { return -5; }

void cancel_whatever_runs(Device* device, uint64_t) { skeleton().cancel(device, last_run); }

nestrt_vendor_status reset_nothing(Device*, Message*) { return NESTRT_VENDOR_OK; }

nestrt_vendor_status ignore_deadline(Device* device, Program* program, uint64_t run, int64_t deadline_ns,
                                     Message* why) {
  const auto status = submit(device, program, run, INT64_MAX, why);
  if (deadline_ns != INT64_MAX) skeleton().cancel(device, run);  // and reports every run as over
  return status;
}

}  // namespace

std::span<const WrongPlugin> wrong_plugins() {
  using F = nestrt_vendor_functions;
  static const nestrt_vendor_functions kAllocatesSame = [] {
    F functions = with(&F::allocate_shared, allocate_same);
    functions.free_shared = keep;
    return functions;
  }();
  static const std::vector<WrongPlugin> kPlugins = {
      {"requires an invalid alignment", with(&F::describe, describe_alignment),
       "a device always reports the same valid description", "describe() returns the alignment 48"},
      {"writes more than its description", with(&F::describe, describe_too_much),
       "a device always reports the same valid description", "describe() writes past the end of the description"},
      {"allocates misaligned shared memory", with(&F::allocate_shared, allocate_misaligned),
       "shared memory is aligned and its blocks are disjoint", "which is not aligned to 64"},
      {"allocates the same shared memory twice", kAllocatesSame, "shared memory is aligned and its blocks are disjoint",
       "allocate_shared() returns memory that is already allocated"},
      {"fails its self-test", with(&F::self_test, fail_self_test), "the self-test succeeds, and programs run after it",
       "self_test(): the device has failed"},
      {"finds other ports in a program than it was compiled with", with(&F::load, load_other_ports),
       "a program has the inputs and outputs that it was compiled for", "99 bytes for port 1"},
      {"accepts a truncated program", with(&F::load, load_anything), "a truncated program is rejected",
       "load() accepts the first 0 of a program's 16 bytes"},
      {"returns no program", with(&F::load, load_nothing),
       "a program has the inputs and outputs that it was compiled for", "load() returns OK without a program"},
      {"omits the last byte of a result", with(&F::wait, write_less), "every byte of every output is written",
       "byte 99 of the outputs is not written"},
      {"writes one byte too many", with(&F::wait, write_more), "nothing but outputs is written",
       "a byte was changed 0 bytes after the end of port 1"},
      {"writes to an input", with(&F::wait, write_input), "nothing but outputs is written",
       "byte 0 of input 0 was changed"},
      {"computes a different result each time", with(&F::wait, compute_otherwise),
       "the same inputs produce the same results", "the same inputs produce different results in a later run"},
      {"mixes the previous run into a result", with(&F::wait, mix_runs), "results do not depend on earlier runs",
       "the same inputs produce different results in a later run"},
      {"reports the end of a run that was never submitted", with(&F::wait, report_other_run),
       "the end of a run is reported once, with its number",
       "reports the end of run 1000041, but run 1000000 is active"},
      {"reports the end of a run twice", with(&F::wait, report_twice),
       "the end of a run is reported once, with its number", "which was already reported"},
      {"returns an undefined status for a run", with(&F::wait, report_undefined_status),
       "the same inputs produce the same results", "returns status 77 for run"},
      {"returns an undefined status", with(&F::wait, return_undefined_status),
       "the same inputs produce the same results", "wait() returns the invalid status -5"},
      {"cancels another run than requested", with(&F::cancel, cancel_whatever_runs),
       "a cancellation of another run has no effect", "ends with status 7 instead of OK"},
      {"ignores a reset", with(&F::reset, reset_nothing), "a reset ends a run and the next one is correct",
       "which a reset has ended"},
      {"treats every deadline as passed", with(&F::submit, ignore_deadline), "the same inputs produce the same results",
       "reports that run 1 was cancelled, but it was not cancelled and its deadline had not passed"},
  };
  return kPlugins;
}

}  // namespace nestrt::vendor::test
