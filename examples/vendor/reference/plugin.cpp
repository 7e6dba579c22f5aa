// SPDX-License-Identifier: Apache-2.0
// The reference vendor's plug-in. Its device is a thread that runs programs (engine.h).
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "engine.h"
#include "nestrt/vendor.h"

namespace {

using Clock = std::chrono::steady_clock;

nestrt_vendor_status fail(nestrt_vendor_status status, nestrt_vendor_message* why, const char* text) {
  std::snprintf(why->text, sizeof why->text, "%s", text);
  return status;
}

Clock::time_point time_of(int64_t ns) {
  return ns == INT64_MAX ? Clock::time_point::max() : Clock::time_point(std::chrono::nanoseconds(ns));
}

// Converts all exceptions to a status.
template <typename Work>
nestrt_vendor_status guarded(nestrt_vendor_message* why, Work work) {
  try {
    return work();
  } catch (const reference::BadProgram& error) {
    return fail(NESTRT_VENDOR_INVALID_BLOB, why, error.what());
  } catch (const std::bad_alloc&) {
    return fail(NESTRT_VENDOR_OUT_OF_MEMORY, why, "out of memory");
  } catch (const std::exception& error) {
    return fail(NESTRT_VENDOR_FAULT, why, error.what());
  }
}

}  // namespace

struct nestrt_vendor_program {  // NOLINT(readability-identifier-naming): of nestrt/vendor.h
  explicit nestrt_vendor_program(reference::Program program) : engine(std::move(program)) {}

  reference::Engine engine;
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
};

// A device with at most one run. Its state is kIdle, kRunning, or kOver until wait() has reported the run.
class nestrt_vendor_device {  // NOLINT(readability-identifier-naming): of nestrt/vendor.h
 public:
  nestrt_vendor_device() : thread_([this] { serve(); }) {}
  ~nestrt_vendor_device() {
    {
      const std::lock_guard lock(mutex_);
      stops_ = true;
      shuts_down_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  bool submit(nestrt_vendor_program* program, uint64_t run, Clock::time_point deadline) {
    const std::lock_guard lock(mutex_);
    if (state_ != State::kIdle) return false;
    program_ = program;
    run_ = run;
    deadline_ = deadline;
    stops_ = false;
    state_ = State::kRunning;
    changed_.notify_all();
    return true;
  }

  bool wait(Clock::time_point until, nestrt_vendor_completion* completion) {
    std::unique_lock lock(mutex_);
    const auto is_over = [this] { return state_ == State::kOver; };
    if (until == Clock::time_point::max()) changed_.wait(lock, is_over);
    if (!changed_.wait_until(lock, until, is_over)) return false;
    completion->run = run_;
    completion->status = result_;
    state_ = State::kIdle;
    return true;
  }

  void cancel(uint64_t run) {
    const std::lock_guard lock(mutex_);
    if (state_ == State::kRunning && run_ == run) stops_ = true;
  }

  void reset() {
    std::unique_lock lock(mutex_);
    stops_ = true;
    changed_.wait(lock, [this] { return state_ != State::kRunning; });
    state_ = State::kIdle;
  }

 private:
  enum class State { kIdle, kRunning, kOver };

  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return state_ == State::kRunning || shuts_down_; });
      if (shuts_down_) return;
      lock.unlock();
      const nestrt_vendor_status result = run_program();
      lock.lock();
      result_ = result;
      state_ = State::kOver;
      changed_.notify_all();
    }
  }

  // Runs the program. The program and the deadline do not change during the run.
  nestrt_vendor_status run_program() {
    nestrt_vendor_message unused = {};
    return guarded(&unused, [this]() -> nestrt_vendor_status {
      const auto goes_on = [this] { return !stops_ && Clock::now() < deadline_; };
      if (program_->engine.run(program_->inputs, program_->outputs, goes_on)) return NESTRT_VENDOR_OK;
      return stops_ ? NESTRT_VENDOR_CANCELLED : NESTRT_VENDOR_DEADLINE;
    });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::kIdle;
  nestrt_vendor_program* program_ = nullptr;
  uint64_t run_ = 0;
  Clock::time_point deadline_;
  nestrt_vendor_status result_ = NESTRT_VENDOR_OK;
  std::atomic<bool> stops_{false};
  bool shuts_down_ = false;
  std::thread thread_;  // after all members that it uses
};

namespace {

nestrt_vendor_status open_with(uint32_t instance, const nestrt_vendor_option*, uint32_t num_options,
                               nestrt_vendor_device** device, nestrt_vendor_message* why) {
  if (num_options > 0) return fail(NESTRT_VENDOR_INVALID_OPTION, why, "the device has no options");
  if (instance > 0) return fail(NESTRT_VENDOR_UNAVAILABLE, why, "there is only one device");
  return guarded(why, [&]() -> nestrt_vendor_status {
    *device = new nestrt_vendor_device;
    return NESTRT_VENDOR_OK;
  });
}

nestrt_vendor_status describe(nestrt_vendor_device*, nestrt_vendor_description* description, nestrt_vendor_message*) {
  description->alignment = alignof(float);
  description->is_steady = 1;
  std::strcpy(description->kind, "reference");
  std::strcpy(description->configuration, "int8-2");
  return NESTRT_VENDOR_OK;
}

nestrt_vendor_status load_part(nestrt_vendor_device*, const nestrt_vendor_part* part, nestrt_vendor_program** program,
                               nestrt_vendor_program_ports* ports, nestrt_vendor_message* why) {
  return guarded(why, [&]() -> nestrt_vendor_status {
    auto loaded = std::make_unique<nestrt_vendor_program>(reference::read_program(part->blob, part->blob_bytes));
    const reference::Program& read = loaded->engine.program();
    if (read.inputs.size() > NESTRT_VENDOR_MAX_PORTS ||
        read.outputs.size() > NESTRT_VENDOR_MAX_PORTS - read.inputs.size())
      throw reference::BadProgram("it has too many inputs and outputs");
    ports->num_inputs = static_cast<uint32_t>(read.inputs.size());
    ports->num_outputs = static_cast<uint32_t>(read.outputs.size());
    nestrt_vendor_port* port = ports->ports;
    for (const auto* tensors : {&read.inputs, &read.outputs})
      for (const uint32_t tensor : *tensors) port++->bytes = read.tensors[tensor].bytes();
    *program = loaded.release();
    return NESTRT_VENDOR_OK;
  });
}

void unload(nestrt_vendor_device*, nestrt_vendor_program* program) { delete program; }

nestrt_vendor_status bind(nestrt_vendor_device*, nestrt_vendor_program* program, void* const* ports, uint32_t num_ports,
                          nestrt_vendor_message* why) {
  const reference::Program& bound = program->engine.program();
  if (num_ports != bound.inputs.size() + bound.outputs.size())
    return fail(NESTRT_VENDOR_FAULT, why, "the number of ports differs from the program's");
  return guarded(why, [&]() -> nestrt_vendor_status {
    program->inputs.clear();
    program->outputs.clear();
    for (uint32_t i = 0; i < num_ports; ++i) {
      if (i < bound.inputs.size())
        program->inputs.push_back(ports[i]);
      else
        program->outputs.push_back(ports[i]);
    }
    return NESTRT_VENDOR_OK;
  });
}

nestrt_vendor_status submit(nestrt_vendor_device* device, nestrt_vendor_program* program, uint64_t run,
                            int64_t deadline_ns, nestrt_vendor_message* why) {
  if (program->outputs.empty()) return fail(NESTRT_VENDOR_FAULT, why, "nothing is bound");
  if (device->submit(program, run, time_of(deadline_ns))) return NESTRT_VENDOR_OK;
  return fail(NESTRT_VENDOR_FAULT, why, "a run is active");
}

nestrt_vendor_status wait_for_run(nestrt_vendor_device* device, int64_t until_ns, nestrt_vendor_completion* completion,
                                  nestrt_vendor_message*) {
  return device->wait(time_of(until_ns), completion) ? NESTRT_VENDOR_OK : NESTRT_VENDOR_PENDING;
}

void cancel(nestrt_vendor_device* device, uint64_t run) { device->cancel(run); }

nestrt_vendor_status reset(nestrt_vendor_device* device, nestrt_vendor_message*) {
  device->reset();
  return NESTRT_VENDOR_OK;
}

// Runs a product of two channels: [2, 3] is quantized to 127 and 85, with scale 3 / 127 and 2 / 127.
nestrt_vendor_status self_test(nestrt_vendor_device* device, nestrt_vendor_message* why) {
  return guarded(why, [&]() -> nestrt_vendor_status {
    reference::Program program;
    program.tensors = {{{1, 2, 1, 1}, 0}, {{1, 1, 1, 1}, 0}};
    program.inputs = {0};
    program.outputs = {1};
    reference::Operator product;
    product.kind = reference::Kind::kProduct;
    product.inputs = {0};
    product.output = 1;
    product.weights = {10, -20};
    product.scales = {0.5f};
    product.bias = {1};
    program.operators = {product};
    nestrt_vendor_program loaded(program);
    const float x[2] = {2, 3};
    float y = 0;
    loaded.inputs = {x};
    loaded.outputs = {&y};
    nestrt_vendor_completion completion = {};
    if (!device->submit(&loaded, 0, Clock::time_point::max()) || !device->wait(Clock::time_point::max(), &completion))
      return fail(NESTRT_VENDOR_FAULT, why, "the device does not load a program");
    const float expected = static_cast<float>(10 * 85 - 20 * 127) * (3.0f / 127 * 0.5f) + 1;
    if (completion.status == NESTRT_VENDOR_OK && std::fabs(y - expected) < 1e-3f) return NESTRT_VENDOR_OK;
    return fail(NESTRT_VENDOR_FAULT, why, "the device computes wrong results");
  });
}

void close_device(nestrt_vendor_device* device) { delete device; }

}  // namespace

const nestrt_vendor_functions* nestrt_vendor_plugin(uint32_t abi) {
  static constexpr nestrt_vendor_functions kFunctions = {
      .abi = NESTRT_VENDOR_ABI,
      .struct_bytes = sizeof(nestrt_vendor_functions),
      .open = nullptr,  // of version 1
      .describe = describe,
      .load = nullptr,
      .unload = unload,
      .allocate_shared = nullptr,  // it can access all of the process's memory
      .free_shared = nullptr,
      .bind = bind,
      .submit = submit,
      .wait = wait_for_run,
      .cancel = cancel,
      .reset = reset,
      .self_test = self_test,
      .close = close_device,
      .open_with = open_with,
      .load_part = load_part,
  };
  return abi == NESTRT_VENDOR_ABI ? &kFunctions : nullptr;
}
