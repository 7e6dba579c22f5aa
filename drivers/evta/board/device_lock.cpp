// SPDX-License-Identifier: Apache-2.0
#include "drivers/evta/board/device_lock.h"

#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <system_error>
#include <thread>

#include "nestrt/driver/event.h"

namespace nestrt::evta {
namespace {

constexpr std::chrono::milliseconds kRetryInterval{10}, kMinLimit{20};
constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

// The choice must not depend on the user, because all users must use the same folder.
std::string_view folder_of_locks(const SystemFiles& system) {
  constexpr std::string_view kPreferred = "/run/lock";
  struct stat folder;
  const bool is_for_everyone = ::stat(system.path(kPreferred).c_str(), &folder) == 0 && (folder.st_mode & S_IWOTH) != 0;
  return is_for_everyone ? kPreferred : "/tmp";
}

constexpr std::string_view kFilePrefix = "nestrt-", kFileSuffix = ".lock";

// Returns a name that is also a part of a file's name.
std::string simple_name(std::string_view name) {
  std::string simple(name);
  std::ranges::replace_if(
      simple, [](char c) { return !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')); },
      '-');
  return simple;
}

std::string file_of(const SystemFiles& system, std::string_view name) {
  return system.path(fmt::format("{}/{}{}{}", folder_of_locks(system), kFilePrefix, simple_name(name), kFileSuffix));
}

// Returns the simple names of the lock files.
std::vector<std::string> existing_locks(const SystemFiles& system) {
  std::vector<std::string> names;
  for (const std::string& file : system.list(folder_of_locks(system)))
    if (file.starts_with(kFilePrefix) && file.ends_with(kFileSuffix))
      names.push_back(file.substr(kFilePrefix.size(), file.size() - kFilePrefix.size() - kFileSuffix.size()));
  return names;
}

// Kernels with fs.protected_regular reject O_CREAT for existing files of other users in such folders.
FileDescriptor open_or_create(const std::string& path) {
  constexpr mode_t kForEveryone = 0666;
  FileDescriptor file(::open(path.c_str(), kFlags));
  if (file.is_open() || errno != ENOENT) return file;
  file = FileDescriptor(::open(path.c_str(), kFlags | O_CREAT | O_EXCL, kForEveryone));
  if (file.is_open()) static_cast<void>(::fchmod(file.value(), kForEveryone));  // despite the umask
  if (!file.is_open() && errno == EEXIST) file = FileDescriptor(::open(path.c_str(), kFlags));
  return file;
}

Status cannot_lock(const std::string& path, int error) {
  return Status(Code::kUnavailable, fmt::format("the lock {} cannot be used: {}; remove it, or allow its use", path,
                                                std::generic_category().message(error)));
}

// The holder may have created the file but not yet written it, or may have been forked by the process that it names.
std::string describe_holder(const FileDescriptor& file) {
  std::array<char, 16> text{};
  const ssize_t size = ::pread(file.value(), text.data(), text.size() - 1, 0);
  const long holder = size > 0 ? std::strtol(text.data(), nullptr, 10) : 0;
  if (holder <= 0) return "another process";
  if (holder == ::getpid()) return fmt::format("this process ({})", holder);
  const std::optional<std::string> command =
      SystemFiles("").read_text(fmt::format("/proc/{}/comm", holder));  // of the real system
  if (!command) return fmt::format("a child of process {}, which has ended", holder);
  return fmt::format("process {} ({})", holder, *command);
}

void write_holder(const FileDescriptor& file) {
  const std::string text = fmt::format("{}\n", ::getpid());
  static_cast<void>(::ftruncate(file.value(), 0));
  static_cast<void>(::pwrite(file.value(), text.data(), text.size(), 0));  // for messages only
}

}  // namespace

Result<DeviceLock> DeviceLock::acquire(const SystemFiles& system, std::string_view name,
                                       std::chrono::milliseconds limit) {
  const std::string path = file_of(system, name);
  FileDescriptor file = open_or_create(path);
  if (!file.is_open()) return cannot_lock(path, errno);
  struct stat properties;
  if (::fstat(file.value(), &properties) != 0 || !S_ISREG(properties.st_mode)) return cannot_lock(path, EINVAL);
  const Deadline end = SteadyClock::now() + std::max(limit, kMinLimit);
  while (::flock(file.value(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return cannot_lock(path, errno);
    if (SteadyClock::now() >= end)
      return Status(Code::kUnavailable,
                    fmt::format("{} is in use by {}; stop it, or wait for its end", name, describe_holder(file)));
    std::this_thread::sleep_for(std::min<SteadyClock::duration>(kRetryInterval, end - SteadyClock::now()));
  }
  write_holder(file);
  return DeviceLock(std::move(file));
}

Result<std::vector<DeviceLock>> DeviceLock::acquire_all(const SystemFiles& system, std::string_view prefix,
                                                        const std::vector<std::string>& names,
                                                        std::chrono::milliseconds limit) {
  std::map<std::string, std::string> wanted;  // a process cannot acquire a lock twice
  for (const std::string& name : existing_locks(system))
    if (name.starts_with(simple_name(prefix))) wanted.emplace(name, name);
  for (const std::string& name : names) wanted.insert_or_assign(simple_name(name), name);
  std::vector<DeviceLock> locks;
  const Deadline end = SteadyClock::now() + limit;
  for (const auto& [simple, name] : wanted) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - SteadyClock::now());
    NESTRT_ASSIGN_OR_RETURN(DeviceLock lock, acquire(system, name, left));
    locks.push_back(std::move(lock));
  }
  return locks;
}

}  // namespace nestrt::evta
