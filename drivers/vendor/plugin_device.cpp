// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/plugin_device.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "drivers/vendor/answers.h"
#include "drivers/vendor/ports.h"
#include "runtime/text/escaped.h"

namespace nestrt::vendor {
namespace {

using std::chrono::milliseconds;

// Time that a cancelled run has to end before the device is reset.
constexpr milliseconds kGrace{1000};
// Interval at which a wait checks whether it is cancelled.
constexpr milliseconds kPause{20};
constexpr size_t kHostVisibleAlignment = 64;

int64_t nanoseconds(Deadline time) {
  if (time == kNoDeadline) return INT64_MAX;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

// Returns the code for a failed call; kInternal for undefined values.
Code code_of(nestrt_vendor_status status) {
  switch (status) {
    case NESTRT_VENDOR_INVALID_BLOB:
      return Code::kInvalidPlan;
    case NESTRT_VENDOR_INCOMPATIBLE:
      return Code::kIncompatible;
    case NESTRT_VENDOR_OUT_OF_MEMORY:
      return Code::kOutOfMemory;
    case NESTRT_VENDOR_UNAVAILABLE:
      return Code::kUnavailable;
    case NESTRT_VENDOR_FAULT:
      return Code::kDeviceFault;
    case NESTRT_VENDOR_INVALID_OPTION:
      return Code::kInvalidArgument;
    default:
      return Code::kInternal;
  }
}

// Returns the default text if the plug-in provides none.
std::string_view words(nestrt_vendor_status status) {
  switch (status) {
    case NESTRT_VENDOR_INVALID_BLOB:
      return "the program is invalid or damaged";
    case NESTRT_VENDOR_INCOMPATIBLE:
      return "the program is for another device or version; recompile the model";
    case NESTRT_VENDOR_OUT_OF_MEMORY:
      return "out of memory";
    case NESTRT_VENDOR_UNAVAILABLE:
      return "the device does not exist or is in use";
    case NESTRT_VENDOR_INVALID_OPTION:
      return "an option is unknown or its value is invalid";
    default:
      return "the device has failed";
  }
}

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  const std::less<const std::byte*> before;
  return before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

}  // namespace

PluginProgram::~PluginProgram() {
  const MutexLock lock(device_->loading_);
  device_->call().unload(device_->device_, program_);
}

Status PluginProgram::run(std::span<void* const> ports, Deadline deadline, const std::atomic<bool>& stop) {
  return device_->run(*this, ports, deadline, stop);
}

// --- Opening ---------------------------------------------------------------------------------------------------------

Result<std::shared_ptr<PluginDevice>> PluginDevice::open(std::shared_ptr<const Plugin> plugin, uint32_t instance) {
  std::shared_ptr<PluginDevice> device(new PluginDevice(std::move(plugin)));
  NESTRT_RETURN_IF_ERROR(device->open_device(instance));
  NESTRT_ASSIGN_OR_RETURN(device->description_, device->describe_again());
  return device;
}

PluginDevice::~PluginDevice() {
  if (device_ != nullptr) call().close(device_);
}

Status PluginDevice::open_device(uint32_t instance) {
  const std::vector<PluginOption>& options = plugin_->options;
  if (has_first_version() && !options.empty())
    return Status(Code::kInvalidArgument,
                  fmt::format("plug-in '{}' accepts no options such as '{}': it uses version {} of the interface",
                              file(), escaped(options[0].name), NESTRT_VENDOR_ABI_1));
  nestrt_vendor_message why = {};
  nestrt_vendor_device* opened = nullptr;
  if (has_first_version()) {
    NESTRT_RETURN_IF_ERROR(status_of("open", call().open(instance, &opened, &why), why));
  } else {
    const std::vector<nestrt_vendor_option> given = to_c(options);
    const auto count = static_cast<uint32_t>(given.size());
    NESTRT_RETURN_IF_ERROR(status_of("open_with", call().open_with(instance, given.data(), count, &opened, &why), why));
  }
  device_ = opened;
  return device_ != nullptr ? Status() : failure("open", "returns OK without a device");
}

Result<Description> PluginDevice::describe_again() const {
  nestrt_vendor_message why = {};
  Answer<nestrt_vendor_description> given;
  NESTRT_RETURN_IF_ERROR(status_of("describe", call().describe(device_, given.get(), &why), why));
  if (!given.is_intact()) return failure("describe", "writes past the end of the description");
  return read_description(*given.get(), file());
}

// --- Programs and memory ---------------------------------------------------------------------------------------------

Result<std::unique_ptr<LoadedProgram>> PluginDevice::load(const Part& part) {
  NESTRT_ASSIGN_OR_RETURN(auto program, load_program(part));
  return std::unique_ptr<LoadedProgram>(std::move(program));
}

Result<std::unique_ptr<PluginProgram>> PluginDevice::load_program(const Part& part) {
  return has_first_version() ? load_blob(part) : load_described(part);
}

Result<std::unique_ptr<PluginProgram>> PluginDevice::own(std::string_view function, nestrt_vendor_program* program) {
  if (program == nullptr) return failure(function, "returns OK without a program");
  return std::make_unique<PluginProgram>(this, program, ++loaded_);
}

Result<std::unique_ptr<PluginProgram>> PluginDevice::load_blob(const Part& part) {
  nestrt_vendor_message why = {};
  Answer<nestrt_vendor_ports> ports;
  nestrt_vendor_program* program = nullptr;
  {
    const MutexLock lock(loading_);
    const auto status = call().load(device_, part.blob.data(), part.blob.size(), &program, ports.get(), &why);
    NESTRT_RETURN_IF_ERROR(status_of("load", status, why));
  }
  NESTRT_ASSIGN_OR_RETURN(auto loaded, own("load", program));
  if (!ports.is_intact()) return failure("load", "writes past the end of the ports");
  NESTRT_RETURN_IF_ERROR(check_num_ports(ports.get()->num_inputs, ports.get()->num_outputs, part, file()));
  for (size_t i = 0; i < part.num_ports(); ++i)
    NESTRT_RETURN_IF_ERROR(check_port_bytes(ports.get()->bytes[i], part, i, file()));
  return loaded;
}

Result<std::unique_ptr<PluginProgram>> PluginDevice::load_described(const Part& part) {
  nestrt_vendor_message why = {};
  const PartForPlugin given(part);
  const auto ports = std::make_unique<Answer<nestrt_vendor_program_ports>>();
  nestrt_vendor_program* program = nullptr;
  {
    const MutexLock lock(loading_);
    const auto status = call().load_part(device_, given.get(), &program, ports->get(), &why);
    NESTRT_RETURN_IF_ERROR(status_of("load_part", status, why));
  }
  NESTRT_ASSIGN_OR_RETURN(auto loaded, own("load_part", program));
  if (!ports->is_intact()) return failure("load_part", "writes past the end of the ports");
  NESTRT_ASSIGN_OR_RETURN(loaded->channels_last_, check_stated_ports(*ports->get(), part, file()));
  return loaded;
}

class PluginDevice::Block final : public HostVisibleMemory {
 public:
  Block(std::shared_ptr<PluginDevice> device, std::span<std::byte> bytes) : device_(std::move(device)), bytes_(bytes) {}
  // Does not release memory that a device may still write to because it could not be stopped.
  ~Block() override {
    {
      const MutexLock lock(device_->host_visible_mutex_);
      std::erase_if(device_->host_visible_, [this](const auto& block) { return block.data() == bytes_.data(); });
    }
    if (!is_safe()) return;
    const MutexLock lock(device_->loading_);
    device_->call().free_shared(device_->device_, bytes_.data());
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  std::span<std::byte> bytes() const override { return bytes_; }
  bool is_safe() const override { return device_->is_safe_.load(); }

 private:
  const std::shared_ptr<PluginDevice> device_;
  const std::span<std::byte> bytes_;
};

Result<std::shared_ptr<HostVisibleMemory>> PluginDevice::allocate_shared(uint64_t bytes) {
  nestrt_vendor_message why = {};
  void* address = nullptr;
  {
    const MutexLock lock(loading_);
    NESTRT_RETURN_IF_ERROR(status_of("allocate_shared", call().allocate_shared(device_, bytes, &address, &why), why));
  }
  NESTRT_RETURN_IF_ERROR(check_host_visible(address, bytes));
  const std::span<std::byte> block(static_cast<std::byte*>(address), bytes);
  {
    const MutexLock lock(host_visible_mutex_);
    host_visible_.push_back(block);
  }
  return std::shared_ptr<HostVisibleMemory>(std::make_shared<Block>(shared_from_this(), block));
}

// Invalid memory is not passed to free_shared(), because its owner is unknown.
Status PluginDevice::check_host_visible(const void* address, uint64_t bytes) {
  if (address == nullptr) return failure("allocate_shared", "returns OK without memory");
  const size_t alignment = std::max(kHostVisibleAlignment, description_.alignment);
  if (reinterpret_cast<uintptr_t>(address) % alignment != 0)
    return failure("allocate_shared",
                   fmt::format("returns memory at {}, which is not aligned to {}", address, alignment));
  const std::span<const std::byte> given(static_cast<const std::byte*>(address), bytes);
  const MutexLock lock(host_visible_mutex_);
  if (std::ranges::any_of(host_visible_, [&](const auto& other) { return overlap(given, other); }))
    return failure("allocate_shared", "returns memory that is already allocated");
  return {};
}

bool PluginDevice::reaches(const std::byte* bytes, uint64_t size) const {
  if (!is_aligned(bytes)) return false;
  if (!needs_shared_memory()) return true;
  const std::less<const std::byte*> before;
  const MutexLock lock(host_visible_mutex_);
  return std::ranges::any_of(host_visible_, [&](const auto& block) {
    return !before(bytes, block.data()) && !before(block.data() + block.size(), bytes + size);
  });
}

// --- Runs ------------------------------------------------------------------------------------------------------------

Status PluginDevice::run(const PluginProgram& program, std::span<void* const> ports, Deadline deadline,
                         const std::atomic<bool>& stop) {
  nestrt_vendor_message why = {};
  if (bound_program_ != program.id() || !std::ranges::equal(bound_, ports)) {
    bound_program_ = 0;
    const auto count = static_cast<uint32_t>(ports.size());
    NESTRT_RETURN_IF_ERROR(status_of("bind", call().bind(device_, program.get(), ports.data(), count, &why), why));
    bound_.assign(ports.begin(), ports.end());
    bound_program_ = program.id();
  }
  const uint64_t run = ++last_run_;
  Status submitted = status_of("submit", call().submit(device_, program.get(), run, nanoseconds(deadline), &why), why);
  if (!submitted.ok()) return submitted;
  under_way_.store(run);
  if (stop.load()) call().cancel(device_, run);  // interrupt() may have been called earlier
  Status status = await(run, deadline, stop);
  under_way_.store(0);
  return status;
}

void PluginDevice::interrupt() {
  if (const uint64_t run = under_way_.load(); run != 0) call().cancel(device_, run);
}

// Resets the device if a run does not end in time.
Status PluginDevice::await(uint64_t run, Deadline deadline, const std::atomic<bool>& stop) {
  Deadline grace_end = kNoDeadline;
  while (true) {
    const SteadyClock::time_point now = SteadyClock::now();
    if (grace_end == kNoDeadline && (stop.load() || now >= deadline)) {
      call().cancel(device_, run);
      grace_end = now + kGrace;
    }
    if (now >= grace_end) break;
    const Deadline next = grace_end == kNoDeadline ? deadline : grace_end;
    const auto outcome = await_until(run, std::min(now + kPause, next));
    if (outcome && *outcome) return status_of(**outcome, deadline, stop.load());
    if (outcome) continue;
    const Status stopped = reset();  // the state of the device is unknown
    return stopped.ok() ? outcome.error() : stopped;
  }
  NESTRT_RETURN_IF_ERROR(reset());
  if (stop.load()) return Status(Code::kCancelled, "the run was stopped");
  return Status(Code::kDeadlineExceeded,
                fmt::format("plug-in '{}': its program did not complete before the deadline", file()));
}

// Returns nullopt if the run has not ended.
Result<std::optional<PluginDevice::Outcome>> PluginDevice::await_until(uint64_t run, Deadline until) const {
  nestrt_vendor_message why = {};
  Answer<nestrt_vendor_completion> answer;
  const nestrt_vendor_status status = call().wait(device_, nanoseconds(until), answer.get(), &why);
  if (status == NESTRT_VENDOR_PENDING) return std::optional<Outcome>();
  NESTRT_RETURN_IF_ERROR(status_of("wait", status, why));
  if (!answer.is_intact()) return failure("wait", "writes past the end of the completion");
  const nestrt_vendor_completion& completion = *answer.get();
  if (completion.run == run) return std::optional(Outcome{completion, status_of("wait", completion.status, why)});
  return failure("wait",
                 fmt::format("reports the end of run {}, which was {}; run {} is active", completion.run,
                             completion.run != 0 && completion.run < run ? "over before" : "never submitted", run));
}

Status PluginDevice::status_of(const Outcome& outcome, Deadline deadline, bool is_stopped) const {
  const nestrt_vendor_completion& completion = outcome.completion;
  const bool is_late = SteadyClock::now() >= deadline;
  switch (completion.status) {
    case NESTRT_VENDOR_OK:
      return {};
    case NESTRT_VENDOR_FAULT:
      return outcome.said.with_context(fmt::format("run {} has failed on the device", completion.run));
    case NESTRT_VENDOR_DEADLINE:
    case NESTRT_VENDOR_CANCELLED:
      if (is_stopped) return Status(Code::kCancelled, "the run was stopped");
      if (is_late)
        return Status(Code::kDeadlineExceeded,
                      fmt::format("plug-in '{}': its program did not complete before the deadline", file()));
      return failure(
          "wait", fmt::format("reports that run {} was {}, but it was not cancelled and its deadline had not passed",
                              completion.run, completion.status == NESTRT_VENDOR_CANCELLED ? "cancelled" : "too late"));
    default:
      return failure("wait", fmt::format("returns status {1} for run {0}, which is not valid for a run", completion.run,
                                         completion.status));
  }
}

Status PluginDevice::reset() {
  nestrt_vendor_message why = {};
  Status status = status_of("reset", call().reset(device_, &why), why);
  is_safe_.store(status.ok());
  return status;
}

Status PluginDevice::self_test() {
  NESTRT_RETURN_IF_ERROR(reset());
  nestrt_vendor_message why = {};
  return status_of("self_test", call().self_test(device_, &why), why);
}

// --- Failures --------------------------------------------------------------------------------------------------------

Status PluginDevice::status_of(std::string_view function, nestrt_vendor_status status,
                               const nestrt_vendor_message& why) const {
  if (status == NESTRT_VENDOR_OK) return {};
  const Code code = code_of(status);
  if (code == Code::kInternal) return failure(function, fmt::format("returns the invalid status {}", status));
  const std::string text = escaped(text_of(why.text));
  return Status(code, fmt::format("plug-in '{}': {}(): {}", file(), function, text.empty() ? words(status) : text));
}

}  // namespace nestrt::vendor
