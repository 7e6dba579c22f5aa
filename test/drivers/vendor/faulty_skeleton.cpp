// SPDX-License-Identifier: Apache-2.0
#include "test/drivers/vendor/faulty_skeleton.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "test/drivers/vendor/skeleton_programs.h"

namespace nestrt::vendor::test {
namespace {

std::shared_ptr<Faults> faults_of_device;

nestrt_vendor_status submit(nestrt_vendor_device* device, nestrt_vendor_program* program, uint64_t run,
                            int64_t deadline_ns, nestrt_vendor_message* why) {
  if (faults_of_device->begin(run) != Faults::Kind::kNone) return NESTRT_VENDOR_OK;
  return skeleton().submit(device, program, run, deadline_ns, why);
}

nestrt_vendor_status wait(nestrt_vendor_device* device, int64_t until_ns, nestrt_vendor_completion* completion,
                          nestrt_vendor_message* why) {
  completion->run = 0;
  if (faults_of_device->wait(until_ns, completion)) return NESTRT_VENDOR_OK;
  return skeleton().wait(device, until_ns, completion, why);
}

void cancel(nestrt_vendor_device* device, uint64_t run) {
  faults_of_device->cancel(run);
  skeleton().cancel(device, run);
}

nestrt_vendor_status reset(nestrt_vendor_device* device, nestrt_vendor_message* why) {
  faults_of_device->reset();
  return skeleton().reset(device, why);
}

nestrt_vendor_status self_test(nestrt_vendor_device* device, nestrt_vendor_message* why) {
  if (faults_of_device->self_test() != Faults::Kind::kNone) return NESTRT_VENDOR_FAULT;
  return skeleton().self_test(device, why);
}

}  // namespace

void Faults::next_run(Kind kind) {
  const std::lock_guard lock(mutex_);
  wanted_.push_back(kind);
}

void Faults::forget() {
  const std::lock_guard lock(mutex_);
  wanted_.clear();
}

bool Faults::all_begun() {
  const std::lock_guard lock(mutex_);
  return wanted_.empty();
}

Faults::Kind Faults::take() {
  if (wanted_.empty()) return Kind::kNone;
  const Kind kind = wanted_.front();
  wanted_.pop_front();
  return kind;
}

Faults::Kind Faults::begin(uint64_t run) {
  const std::lock_guard lock(mutex_);
  running_ = take();
  run_ = run;
  is_cancelled_ = false;
  return running_;
}

Faults::Kind Faults::self_test() {
  const std::lock_guard lock(mutex_);
  return take();
}

bool Faults::wait(int64_t until_ns, nestrt_vendor_completion* completion) {
  std::unique_lock lock(mutex_);
  if (running_ == Kind::kHang) {
    const std::chrono::steady_clock::time_point until{std::chrono::nanoseconds(until_ns)};
    changed_.wait_until(lock, until, [this] { return is_cancelled_ || running_ != Kind::kHang; });
    if (!is_cancelled_) return false;
  }
  if (running_ == Kind::kNone) return false;
  completion->run = run_;
  completion->status = is_cancelled_ ? NESTRT_VENDOR_CANCELLED : NESTRT_VENDOR_FAULT;
  running_ = Kind::kNone;
  return true;
}

void Faults::cancel(uint64_t run) {
  const std::lock_guard lock(mutex_);
  if (running_ == Kind::kHang && run == run_) is_cancelled_ = true;
  changed_.notify_all();
}

void Faults::reset() {
  const std::lock_guard lock(mutex_);
  running_ = Kind::kNone;
  changed_.notify_all();
}

std::shared_ptr<const Plugin> faulty_skeleton(std::shared_ptr<Faults> faults) {
  static const nestrt_vendor_functions kFunctions = [] {
    nestrt_vendor_functions functions = skeleton();
    functions.submit = submit;
    functions.wait = wait;
    functions.cancel = cancel;
    functions.reset = reset;
    functions.self_test = self_test;
    return functions;
  }();
  faults_of_device = std::move(faults);
  auto plugin = make_plugin("faulty_skeleton", &kFunctions);
  if (!plugin) FAIL(plugin.error().to_string());
  return *plugin;
}

}  // namespace nestrt::vendor::test
