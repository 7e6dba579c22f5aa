// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/isolation/isolated_device.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

#include "drivers/component.h"
#include "drivers/vendor/answers.h"
#include "drivers/vendor/isolation/part_codec.h"
#include "runtime/text/escaped.h"

namespace nestrt::vendor {
namespace {

using std::chrono::milliseconds;

// Interval at which a wait checks whether it is cancelled.
constexpr milliseconds kSlice{20};

int64_t nanoseconds(Deadline time) {
  if (time == kNoDeadline) return INT64_MAX;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

std::string absolute(const std::string& file) {
  std::error_code error;
  const std::string path = std::filesystem::absolute(file, error).string();
  return error ? file : path;
}

std::string_view name_of(Call call) {
  switch (call) {
    case Call::kShare:
    case Call::kForget:
      return "sharing memory";
    case Call::kLoad:
      return "load()";
    case Call::kUnload:
      return "unload()";
    case Call::kClose:
      return "close()";
    case Call::kSelfTest:
      return "self_test()";
    case Call::kRun:
    case Call::kCancel:
      return "a run";
  }
  return "?";
}

// Returns whether a failure in the process may have this code.
bool is_failure(int32_t code) {
  switch (static_cast<Code>(code)) {
    case Code::kInvalidArgument:
    case Code::kNotFound:
    case Code::kInvalidPlan:
    case Code::kIncompatible:
    case Code::kOutOfMemory:
    case Code::kUnavailable:
    case Code::kDeadlineExceeded:
    case Code::kCancelled:
    case Code::kDeviceFault:
    case Code::kInternal:
      return true;
    default:
      return false;
  }
}

}  // namespace

// --- Memory and programs ---------------------------------------------------------------------------------------------

// The memory is always safe, because a process that has ended cannot access it.
class IsolatedDevice::Block final : public HostVisibleMemory {
 public:
  Block(std::shared_ptr<IsolatedDevice> device, uint64_t id, std::span<std::byte> bytes)
      : device_(std::move(device)), id_(id), bytes_(bytes) {}
  ~Block() override {
    const MutexLock lock(device_->loading_);
    device_->forget(Call::kForget, id_);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  std::span<std::byte> bytes() const override { return bytes_; }
  bool is_safe() const override { return true; }

 private:
  const std::shared_ptr<IsolatedDevice> device_;
  const uint64_t id_;
  const std::span<std::byte> bytes_;
};

class IsolatedDevice::Program final : public LoadedProgram {
 public:
  Program(IsolatedDevice* device, uint64_t id) : device_(device), id_(id) {}
  ~Program() override {
    const MutexLock lock(device_->loading_);
    device_->forget(Call::kUnload, id_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Status run(std::span<void* const> ports, Deadline deadline, const std::atomic<bool>& stop) override {
    return device_->run(id_, ports, deadline, stop);
  }

 private:
  IsolatedDevice* const device_;
  const uint64_t id_;
};

Result<std::unique_ptr<LoadedProgram>> IsolatedDevice::load(const Part& part) {
  Source source = {};
  const std::vector<std::byte> description = encode_part(part);
  NESTRT_ASSIGN_OR_RETURN(source.part, share_copy(part.blob, description));
  source.request.bytes = part.blob.size();
  source.request.description_bytes = description.size();
  const MutexLock lock(loading_);
  NESTRT_RETURN_IF_ERROR(start_if_needed());
  const uint64_t id = ++last_id_;
  NESTRT_RETURN_IF_ERROR(load(*child(), id, source));
  programs_.emplace(id, std::move(source));
  return std::unique_ptr<LoadedProgram>(std::make_unique<Program>(this, id));
}

Status IsolatedDevice::load(Child& child, uint64_t id, const Source& source) {
  Request request = source.request;
  request.call = Call::kLoad;
  request.id = id;
  return ask(child, Lane::kLoad, &request, source.part.value());
}

Result<std::shared_ptr<HostVisibleMemory>> IsolatedDevice::allocate_shared(uint64_t bytes) {
  auto shared = std::make_shared<Shared>();
  NESTRT_ASSIGN_OR_RETURN(shared->descriptor, make_shared_memory(bytes));
  NESTRT_ASSIGN_OR_RETURN(shared->mapping, Mapping::create(shared->descriptor.value(), bytes, true));
  const MutexLock lock(loading_);
  NESTRT_RETURN_IF_ERROR(start_if_needed());
  const uint64_t id = ++last_id_;
  NESTRT_RETURN_IF_ERROR(share(*child(), id, *shared));
  {
    const MutexLock lock_shared(mutex_);
    shared_.emplace(id, shared);
  }
  return std::shared_ptr<HostVisibleMemory>(std::make_shared<Block>(shared_from_this(), id, shared->mapping.bytes()));
}

Status IsolatedDevice::share(Child& child, uint64_t id, const Shared& shared) {
  Request request = {};
  request.call = Call::kShare;
  request.id = id;
  request.bytes = shared.mapping.bytes().size();
  return ask(child, Lane::kLoad, &request, shared.descriptor.value());
}

// Releases an object in the process. A process that has ended has no state. A failure here is detected on the next use.
void IsolatedDevice::forget(Call call, uint64_t id) {
  programs_.erase(id);
  Request request = {};
  request.call = call;
  request.id = id;
  if (const auto current = child(); !current->has_ended()) static_cast<void>(ask(*current, Lane::kLoad, &request));
  const MutexLock lock(mutex_);
  shared_.erase(id);
}

bool IsolatedDevice::locate(const void* address, Request::Port* place) const {
  const auto* const bytes = static_cast<const std::byte*>(address);
  const std::less<const std::byte*> before;
  const MutexLock lock(mutex_);
  for (const auto& [id, shared] : shared_) {
    const std::span<const std::byte> all = shared->mapping.bytes();
    if (before(bytes, all.data()) || !before(bytes, all.data() + all.size())) continue;
    *place = {all.size() - static_cast<size_t>(bytes - all.data()), id, static_cast<uint64_t>(bytes - all.data())};
    return true;
  }
  return false;
}

bool IsolatedDevice::reaches(const std::byte* bytes, uint64_t size) const {
  Request::Port place;
  return is_aligned(bytes) && locate(bytes, &place) && size <= place.bytes;
}

// --- The process -----------------------------------------------------------------------------------------------------

Result<std::shared_ptr<IsolatedDevice>> IsolatedDevice::open(const std::string& plugin, uint32_t instance,
                                                             Isolation isolation,
                                                             const std::vector<PluginOption>& options) {
  if (isolation.program.empty()) {
    NESTRT_ASSIGN_OR_RETURN(isolation.program, drivers::find_component_file("nestrt-plugin"));
  }
  std::shared_ptr<IsolatedDevice> device(new IsolatedDevice(absolute(plugin), instance, std::move(isolation), options));
  const MutexLock lock(device->loading_);
  NESTRT_RETURN_IF_ERROR(device->start());
  return device;
}

IsolatedDevice::IsolatedDevice(const std::string& plugin, uint32_t instance, Isolation isolation,
                               const std::vector<PluginOption>& options)
    : Device(plugin), isolation_(std::move(isolation)), command_([&] {
        std::vector<std::string> command{isolation_.program, NESTRT_VERSION, plugin, std::to_string(instance)};
        for (const PluginOption& option : options) command.push_back(option.name + "=" + option.value);
        return command;
      }()) {}

IsolatedDevice::~IsolatedDevice() {
  if (const auto last = child(); last != nullptr) last->close(isolation_.stop_limit);
}

std::shared_ptr<Child> IsolatedDevice::child() const {
  const MutexLock lock(mutex_);
  return child_;
}

Status IsolatedDevice::start_if_needed() { return child()->has_ended() ? start() : Status(); }

// Ends the process if its device differs from the previous one.
Status IsolatedDevice::start() {
  if (starts_.load() >= isolation_.max_starts)
    return Status(Code::kUnavailable, fmt::format("plug-in '{}': its process was started {} times without a successful "
                                                  "run and is not restarted: open the unit again",
                                                  file(), starts_.load()));
  if (hangs_.load() >= isolation_.max_hangs)
    return Status(Code::kUnavailable,
                  fmt::format("plug-in '{}': it did not return from {} calls without a successful run in between "
                              "and is not restarted: open the unit again",
                              file(), hangs_.load()));
  starts_.fetch_add(1);
  NESTRT_ASSIGN_OR_RETURN(const std::shared_ptr<Child> started, Child::start(command_));
  NESTRT_ASSIGN_OR_RETURN(Description description, open_child(*started));
  if (description_.kind.empty())
    description_ = std::move(description);
  else if (description != description_)
    return wrong_answer(file(), "describe", "returns a different description after its process was restarted");
  NESTRT_RETURN_IF_ERROR(bring_all(*started));
  const MutexLock lock(mutex_);
  child_ = started;
  return {};
}

Result<Description> IsolatedDevice::open_child(Child& child) {
  NESTRT_ASSIGN_OR_RETURN(const Reply reply, await_reply(child, Lane::kLoad, "open()"));
  NESTRT_RETURN_IF_ERROR(status_of(reply));
  return read_description(reply.description, file());
}

Status IsolatedDevice::bring_all(Child& child) {
  const auto shared = [&] {
    const MutexLock lock(mutex_);
    return shared_;
  }();
  for (const auto& [id, memory] : shared) NESTRT_RETURN_IF_ERROR(share(child, id, *memory));
  for (const auto& [id, source] : programs_) NESTRT_RETURN_IF_ERROR(load(child, id, source));
  return {};
}

Status IsolatedDevice::ask(Child& child, Lane lane, Request* request, int descriptor) {
  const std::string_view what = name_of(request->call);
  if (const Status sent = child.send(lane, request, descriptor); !sent.ok())
    return failure(fmt::format("{}, before {}", sent.message(), what));
  NESTRT_ASSIGN_OR_RETURN(const Reply reply, await_reply(child, lane, what));
  return status_of(reply);
}

Result<Reply> IsolatedDevice::await_reply(Child& child, Lane lane, std::string_view what) {
  const auto reply = child.receive(lane, SteadyClock::now() + isolation_.call_limit);
  if (!reply) return failure(fmt::format("{}, in {}", reply.error().message(), what));
  if (*reply) return **reply;
  child.end();
  hangs_.fetch_add(1);
  return failure(
      fmt::format("{} does not return within {} ms: its process was killed", what, isolation_.call_limit.count()));
}

Status IsolatedDevice::status_of(const Reply& reply) const {
  if (reply.code == static_cast<int32_t>(Code::kOk)) return {};
  if (!is_failure(reply.code)) return failure(fmt::format("its process replies with code {}", reply.code));
  return Status(static_cast<Code>(reply.code), escaped(text_of(reply.text)));
}

Status IsolatedDevice::failure(std::string_view what) const {
  return Status(Code::kDeviceFault, fmt::format("plug-in '{}': {}", file(), what));
}

Status IsolatedDevice::self_test() {
  std::shared_ptr<Child> current;
  {
    const MutexLock lock(loading_);
    NESTRT_RETURN_IF_ERROR(start_if_needed());
    current = child();
  }
  Request request = {};
  request.call = Call::kSelfTest;
  return ask(*current, Lane::kRun, &request);
}

// --- Runs ------------------------------------------------------------------------------------------------------------

Status IsolatedDevice::run(uint64_t program, std::span<void* const> ports, Deadline deadline,
                           const std::atomic<bool>& stop) {
  const std::shared_ptr<Child> current = child();
  Request request = {};
  request.call = Call::kRun;
  request.id = program;
  request.deadline_ns = nanoseconds(deadline);
  for (size_t i = 0; i < ports.size(); ++i)
    if (!locate(ports[i], &request.ports[i])) return Status(Code::kInternal, "a port is not in shared memory");
  if (const Status sent = current->send(Lane::kRun, &request); !sent.ok())
    return failure(fmt::format("{}, before a run", sent.message()));
  under_way_.store(request.number);
  if (stop.load()) current->cancel(request.number);  // interrupt() may have been called earlier
  Status status = await_run(*current, request.number, deadline, stop);
  under_way_.store(0);
  if (status.ok()) starts_.store(0), hangs_.store(0);
  return status;
}

void IsolatedDevice::interrupt() {
  if (const uint64_t run = under_way_.load(); run != 0) child()->cancel(run);
}

// The process handles the plug-in's deadline and cancellation. This function ensures that the wait ends.
Status IsolatedDevice::await_run(Child& child, uint64_t run, Deadline deadline, const std::atomic<bool>& stop) {
  Deadline end = kNoDeadline;
  while (true) {
    const SteadyClock::time_point now = SteadyClock::now();
    if (end == kNoDeadline && (stop.load() || now >= deadline)) end = now + isolation_.stop_limit;
    if (now >= end) break;
    const auto answer = child.receive(Lane::kRun, std::min(now + kSlice, end != kNoDeadline ? end : deadline));
    if (!answer) return failure(fmt::format("{}, in a run", answer.error().message()));
    if (*answer) return outcome(**answer, deadline, stop.load());
  }
  child.end();
  return failure(fmt::format("run {} does not stop: its process was killed", run));
}

// Returns the status of a run. A run may report cancellation only if it was cancelled, and an exceeded deadline only if
// the deadline has passed.
Status IsolatedDevice::outcome(const Reply& reply, Deadline deadline, bool is_stopped) const {
  Status status = status_of(reply);
  const bool is_wrong = (status.code() == Code::kCancelled && !is_stopped) ||
                        (status.code() == Code::kDeadlineExceeded && SteadyClock::now() < deadline);
  if (!is_wrong) return status;
  return failure(fmt::format("its process returns a status that does not apply to the run: '{}'", status.message()));
}

}  // namespace nestrt::vendor
