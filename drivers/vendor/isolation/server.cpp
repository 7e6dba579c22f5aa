// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/isolation/server.h"

#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "drivers/vendor/isolation/part_codec.h"
#include "drivers/vendor/isolation/socket.h"
#include "runtime/platform/guard.h"

namespace nestrt::vendor {
namespace {

template <size_t size>
void write_text(std::string_view from, char (&to)[size]) {
  std::copy_n(from.begin(), std::min(from.size(), size - 1), to);  // `to` is zeroed
}

void describe(const Description& from, nestrt_vendor_description* to) {
  to->alignment = static_cast<uint32_t>(from.alignment);
  to->is_steady = from.is_steady ? 1 : 0;
  write_text(from.kind, to->kind);
  write_text(from.configuration, to->configuration);
}

Deadline time_of(int64_t ns) {
  return ns == INT64_MAX ? kNoDeadline
                         : Deadline(std::chrono::duration_cast<SteadyClock::duration>(std::chrono::nanoseconds(ns)));
}

}  // namespace

void Server::serve(const std::string& plugin, uint32_t instance, const std::vector<PluginOption>& options) {
  const Status opened = guarded([&]() -> Status {
    NESTRT_ASSIGN_OR_RETURN(auto loaded, load_plugin(plugin, options));
    NESTRT_ASSIGN_OR_RETURN(device_, PluginDevice::open(std::move(loaded), instance));
    return {};
  });
  reply(Lane::kLoad, 0, opened);
  if (!opened.ok()) return;
  std::thread([this] { serve_runs(); }).detach();
  std::thread([this] { serve_cancels(); }).detach();
  serve_loads();
}

void Server::serve_loads() {
  while (true) {
    FileDescriptor descriptor;
    const Request request = next(Lane::kLoad, &descriptor);
    const Status status = guarded([&] { return load_something(request, descriptor); });
    reply(Lane::kLoad, request.number, status);
    if (request.call == Call::kClose) return;
  }
}

Status Server::load_something(const Request& request, const FileDescriptor& descriptor) {
  switch (request.call) {
    case Call::kShare:
      return share(request, descriptor);
    case Call::kLoad:
      return load(request, descriptor);
    case Call::kForget: {
      const MutexLock lock(mutex_);
      memory_.erase(request.id);
      return {};
    }
    case Call::kUnload: {
      auto program = [&] {
        const MutexLock lock(mutex_);
        return programs_.extract(request.id);
      }();
      return {};
    }
    case Call::kClose: {
      const MutexLock lock(mutex_);
      programs_.clear();
      device_.reset();
      return {};
    }
    default:
      return Status(Code::kInternal, "received a request that does not belong on the load lane");
  }
}

Status Server::share(const Request& request, const FileDescriptor& memory) {
  NESTRT_ASSIGN_OR_RETURN(Mapping mapping, Mapping::create(memory.value(), request.bytes, true));
  const MutexLock lock(mutex_);
  memory_[request.id] = std::move(mapping);
  return {};
}

// The requester converts layouts of the plan, so that all ports are in row-major order.
Status Server::load(const Request& request, const FileDescriptor& part) {
  Program program;
  NESTRT_ASSIGN_OR_RETURN(program.part,
                          Mapping::create(part.value(), request.bytes + request.description_bytes, false));
  const std::span<const std::byte> all = program.part.bytes();
  PortedProgram source;
  NESTRT_ASSIGN_OR_RETURN(source.part, decode_part(all.subspan(request.bytes), all.first(request.bytes)));
  program.num_ports = source.part.num_ports();
  for (size_t i = 0; i < program.num_ports; ++i) source.ports.emplace_back().bytes = source.part.port(i).bytes;
  NESTRT_ASSIGN_OR_RETURN(program.staged, StagedProgram::load(*device_, std::move(source)));
  const MutexLock lock(mutex_);
  programs_[request.id] = std::move(program);
  return {};
}

void Server::serve_runs() {
  while (true) {
    const Request request = next(Lane::kRun);
    const Status status =
        guarded([&] { return request.call == Call::kSelfTest ? device_->self_test() : run(request); });
    reply(Lane::kRun, request.number, status);
  }
}

// The requester ensures that nothing in use is released during the run.
Status Server::run(const Request& request) {
  Program* program = nullptr;
  std::array<std::byte*, NESTRT_VENDOR_MAX_PORTS> ports{};
  {
    const MutexLock lock(mutex_);
    const auto found = programs_.find(request.id);
    if (found == programs_.end()) return Status(Code::kInternal, "unknown program");
    program = &found->second;
    for (size_t i = 0; i < program->num_ports; ++i) {
      const auto memory = memory_.find(request.ports[i].memory);
      if (memory == memory_.end()) return Status(Code::kInternal, "unknown memory");
      ports[i] = memory->second.bytes().data() + request.ports[i].offset;
    }
  }
  set_running(request.number);
  Status status = program->staged->run({ports.data(), program->num_ports}, time_of(request.deadline_ns), stop_);
  set_running(0);
  return status;
}

void Server::set_running(uint64_t run) {
  const MutexLock lock(mutex_);
  running_ = run;
  stop_.store(run != 0 && cancelled_ == run);
}

void Server::serve_cancels() {
  while (true) {
    const Request request = next(Lane::kCancel);
    const MutexLock lock(mutex_);
    cancelled_ = request.number;
    if (running_ != request.number) continue;
    stop_.store(true);
    device_->interrupt();
  }
}

Request Server::next(Lane lane, FileDescriptor* descriptor) {
  Request request;
  const int socket = lanes_[static_cast<size_t>(lane)];
  const auto bytes = std::as_writable_bytes(std::span(&request, 1));
  while (true) {
    switch (receive_from(socket, kForever, bytes, descriptor)) {
      case Received::kMessage:
        return request;
      case Received::kNothing:
        continue;
      case Received::kOther:
      case Received::kEnd:
        ::_exit(1);
    }
  }
}

void Server::reply(Lane lane, uint64_t number, const Status& status) {
  Reply reply = {};
  reply.number = number;
  reply.code = static_cast<int32_t>(status.code());
  write_text(status.message(), reply.text);
  if (number == 0 && device_ != nullptr) describe(device_->description(), &reply.description);
  send_to(lanes_[static_cast<size_t>(lane)], std::as_bytes(std::span(&reply, 1)));
}

}  // namespace nestrt::vendor
