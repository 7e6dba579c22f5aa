// SPDX-License-Identifier: Apache-2.0
// A plug-in that misbehaves on request (orders.h), and otherwise behaves like the skeleton.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "nestrt/vendor.h"
#include "test/drivers/plugins/orders.h"

extern "C" const nestrt_vendor_functions* nestrt_skeleton(uint32_t abi);

namespace {

using Device = nestrt_vendor_device;
using Program = nestrt_vendor_program;
using Message = nestrt_vendor_message;
using nestrt::vendor::test::Entry;
using nestrt::vendor::test::Fault;
using nestrt::vendor::test::Orders;

const nestrt_vendor_functions& skeleton() { return *nestrt_skeleton(NESTRT_VENDOR_ABI_1); }

Orders* map_orders() {
  const char* const path = std::getenv(nestrt::vendor::test::kOrdersVariable);
  const int file = path != nullptr ? ::open(path, O_RDWR | O_CLOEXEC) : -1;
  void* const mapped = ::mmap(nullptr, sizeof(Orders), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return mapped != MAP_FAILED ? static_cast<Orders*>(mapped) : nullptr;
}

Orders* orders() {
  static Orders* const kOrders = map_orders();
  return kOrders;
}

// The ports of the last bound program, without guard bytes.
std::vector<void*> bound;
uint64_t port_bytes = 0;

void crash() {
  const rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::signal(SIGSEGV, SIG_DFL);  // a sanitizer installs its own handler
  ::raise(SIGSEGV);
}

[[noreturn]] void loop() {
  while (true) ::pause();
}

// Writes bytes that could be mistaken for a reply.
void forge() {
  std::vector<char> noise(1200);
  std::generate(noise.begin(), noise.end(),
                [n = 1U]() mutable { return static_cast<char>((n = n * 69069 + 5) >> 24); });
  for (int descriptor = 3; descriptor < 16; ++descriptor)
    for (const size_t size : {size_t{1}, noise.size()})
      if (::write(descriptor, noise.data(), size) < 0) break;
  ::usleep(1000);
}

// Returns false if this call must behave correctly.
bool do_wrong(Entry entry, nestrt_vendor_status* status) {
  const Fault fault = orders() != nullptr ? orders()->take(entry) : Fault::kNone;
  switch (fault) {
    case Fault::kNone:
    case Fault::kHang:
      return false;
    case Fault::kScribble:
      for (void* port : bound) std::memset(port, 0xee, port_bytes);
      crash();
      break;
    case Fault::kForge:
      forge();
      crash();
      break;
    case Fault::kSegmentationFault:
      crash();
      break;
    case Fault::kAbort:
      ::signal(SIGABRT, SIG_DFL);
      std::abort();
    case Fault::kExit:
      ::_exit(0);
    case Fault::kLoop:
      loop();
    case Fault::kWrongStatus:
      *status = -77;
      return true;
    case Fault::kError:
      *status = NESTRT_VENDOR_FAULT;
      return true;
  }
  return false;
}

// A run that continues until it is cancelled or reset.
class HangingRun {
 public:
  void begin(uint64_t run) {
    const std::lock_guard lock(mutex_);
    run_ = run;
  }
  // Returns whether the run is over; false if no run is active.
  bool wait(int64_t until_ns, nestrt_vendor_completion* completion) {
    std::unique_lock lock(mutex_);
    const std::chrono::steady_clock::time_point until{std::chrono::nanoseconds(until_ns)};
    changed_.wait_until(lock, until, [this] { return run_ == 0 || is_cancelled_; });
    if (run_ == 0 || !is_cancelled_) return false;
    *completion = {run_, NESTRT_VENDOR_CANCELLED, 0};
    end();
    return true;
  }
  void cancel(uint64_t run) {
    const std::lock_guard lock(mutex_);
    is_cancelled_ = run_ == run && run != 0;
    changed_.notify_all();
  }
  void reset() {
    const std::lock_guard lock(mutex_);
    end();
  }
  bool is_under_way() {
    const std::lock_guard lock(mutex_);
    return run_ != 0;
  }

 private:
  void end() {
    run_ = 0;
    is_cancelled_ = false;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t run_ = 0;
  bool is_cancelled_ = false;
};
HangingRun hanging;

nestrt_vendor_status open_device(uint32_t instance, Device** device, Message* why) {
  nestrt_vendor_status status = NESTRT_VENDOR_OK;
  return do_wrong(Entry::kOpen, &status) ? status : skeleton().open(instance, device, why);
}

nestrt_vendor_status describe(Device* device, nestrt_vendor_description* description, Message* why) {
  nestrt_vendor_status status = NESTRT_VENDOR_OK;
  return do_wrong(Entry::kDescribe, &status) ? status : skeleton().describe(device, description, why);
}

nestrt_vendor_status load(Device* device, const void* blob, uint64_t bytes, Program** program,
                          nestrt_vendor_ports* ports, Message* why) {
  nestrt_vendor_status status = NESTRT_VENDOR_OK;
  if (do_wrong(Entry::kLoad, &status)) return status;
  status = skeleton().load(device, blob, bytes, program, ports, why);
  port_bytes = ports->bytes[0];
  return status;
}

void unload(Device* device, Program* program) {
  nestrt_vendor_status status = NESTRT_VENDOR_OK;
  do_wrong(Entry::kUnload, &status);
  skeleton().unload(device, program);
}

nestrt_vendor_status allocate_shared(Device* device, uint64_t bytes, void** address, Message* why) {
  nestrt_vendor_status status = NESTRT_VENDOR_OK;
  return do_wrong(Entry::kAllocateShared, &status) ? status : skeleton().allocate_shared(device, bytes, address, why);
}

void free_shared(Device* device, void* address) {
  nestrt_vendor_status status = NESTRT_VENDOR_OK;
  do_wrong(Entry::kFreeShared, &status);
  skeleton().free_shared(device, address);
}

nestrt_vendor_status bind(Device* device, Program* program, void* const* ports, uint32_t count, Message* why) {
  bound.assign(ports, ports + count);
  nestrt_vendor_status status = NESTRT_VENDOR_OK;
  return do_wrong(Entry::kBind, &status) ? status : skeleton().bind(device, program, ports, count, why);
}

// Submits a run. Handles orders to hang, because they do not affect the call itself.
nestrt_vendor_status submit(Device* device, Program* program, uint64_t run, int64_t deadline_ns, Message* why) {
  nestrt_vendor_status status = NESTRT_VENDOR_OK;
  const Fault fault = orders() != nullptr ? orders()->peek(Entry::kSubmit) : Fault::kNone;
  if (do_wrong(Entry::kSubmit, &status)) return status;
  if (fault != Fault::kHang) return skeleton().submit(device, program, run, deadline_ns, why);
  hanging.begin(run);
  return NESTRT_VENDOR_OK;
}

nestrt_vendor_status wait_for_run(Device* device, int64_t until_ns, nestrt_vendor_completion* completion,
                                  Message* why) {
  nestrt_vendor_status status = NESTRT_VENDOR_OK;
  if (do_wrong(Entry::kWait, &status)) return status;
  if (!hanging.is_under_way()) return skeleton().wait(device, until_ns, completion, why);
  return hanging.wait(until_ns, completion) ? NESTRT_VENDOR_OK : NESTRT_VENDOR_PENDING;
}

void cancel(Device* device, uint64_t run) {
  nestrt_vendor_status status = NESTRT_VENDOR_OK;
  do_wrong(Entry::kCancel, &status);
  hanging.cancel(run);
  skeleton().cancel(device, run);
}

nestrt_vendor_status reset(Device* device, Message* why) {
  nestrt_vendor_status status = NESTRT_VENDOR_OK;
  if (do_wrong(Entry::kReset, &status)) return status;
  hanging.reset();
  return skeleton().reset(device, why);
}

nestrt_vendor_status self_test(Device* device, Message* why) {
  nestrt_vendor_status status = NESTRT_VENDOR_OK;
  return do_wrong(Entry::kSelfTest, &status) ? status : skeleton().self_test(device, why);
}

void close_device(Device* device) {
  nestrt_vendor_status status = NESTRT_VENDOR_OK;
  do_wrong(Entry::kClose, &status);
  skeleton().close(device);
}

}  // namespace

extern "C" const nestrt_vendor_functions* nestrt_vendor_plugin(uint32_t abi) {
  static const nestrt_vendor_functions kFunctions = {NESTRT_VENDOR_ABI_1,
                                                     sizeof(nestrt_vendor_functions),
                                                     open_device,
                                                     describe,
                                                     load,
                                                     unload,
                                                     allocate_shared,
                                                     free_shared,
                                                     bind,
                                                     submit,
                                                     wait_for_run,
                                                     cancel,
                                                     reset,
                                                     self_test,
                                                     close_device,
                                                     nullptr,
                                                     nullptr};
  return abi == NESTRT_VENDOR_ABI_1 ? &kFunctions : nullptr;
}
