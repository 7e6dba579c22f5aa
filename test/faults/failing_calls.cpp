// SPDX-License-Identifier: Apache-2.0
#include "test/faults/failing_calls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

namespace nestrt::test {
namespace {

// Properties that determine which faults a call can have.
enum Kind : unsigned { kPlain = 0, kWrites = 1, kWaits = 2, kMoves = 4 };

thread_local bool t_armed = false;
thread_local int64_t t_number = 0, t_count = 0;
thread_local CallFault t_fault = CallFault::kIo;

bool may_happen(CallFault fault, unsigned kind) {
  switch (fault) {
    case CallFault::kIo:
    case CallFault::kNoMemory:
      return true;
    case CallFault::kDiskFull:
      return (kind & kWrites) != 0;
    case CallFault::kInterrupted:
      return (kind & kWaits) != 0;
    case CallFault::kShort:
      return (kind & kMoves) != 0;
  }
  return false;
}

int error_of(CallFault fault) {
  switch (fault) {
    case CallFault::kNoMemory:
      return ENOMEM;
    case CallFault::kDiskFull:
      return ENOSPC;
    case CallFault::kInterrupted:
      return EINTR;
    default:
      return EIO;
  }
}

// Returns whether the fault applies to this call.
bool has_fault(unsigned kind) { return t_armed && may_happen(t_fault, kind) && t_count++ == t_number; }

// Returns whether the call fails. A short call transfers one byte.
bool fails_to_move(unsigned kind, size_t& count) {
  if (!has_fault(kind | kMoves)) return false;
  if (t_fault != CallFault::kShort) {
    errno = error_of(t_fault);
    return true;
  }
  count = std::min<size_t>(count, 1);
  return false;
}

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// Calls the C library, or returns the fault's error.
template <typename Function, typename Result, typename... Arguments>
Result forward(const char* name, unsigned kind, Result failure, Arguments... arguments) {
  if (!has_fault(kind)) return real<Function>(name)(arguments...);
  errno = error_of(t_fault);
  return failure;
}

}  // namespace

FailingCalls::FailingCalls(int64_t number, CallFault fault) {
  t_number = number;
  t_fault = fault;
  t_count = 0;
  t_armed = true;
}

FailingCalls::~FailingCalls() { t_armed = false; }

int64_t FailingCalls::count() const { return t_count; }

}  // namespace nestrt::test

using namespace nestrt::test;  // NOLINT: the functions below have the C library's names

extern "C" {

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t rights = (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(list, int)) : 0;
  va_end(list);
  const unsigned kind = kWaits | ((flags & O_CREAT) != 0 ? kWrites : kPlain);
  return forward<int(const char*, int, ...)>("open", kind, -1, path, flags, rights);
}
ssize_t read(int descriptor, void* to, size_t count) {
  return fails_to_move(kWaits, count) ? -1 : real<ssize_t(int, void*, size_t)>("read")(descriptor, to, count);
}
ssize_t pread(int descriptor, void* to, size_t count, off_t offset) {
  return fails_to_move(kWaits, count)
             ? -1
             : real<ssize_t(int, void*, size_t, off_t)>("pread")(descriptor, to, count, offset);
}
ssize_t write(int descriptor, const void* from, size_t count) {
  return fails_to_move(kWrites | kWaits, count)
             ? -1
             : real<ssize_t(int, const void*, size_t)>("write")(descriptor, from, count);
}
int fsync(int descriptor) { return forward<int(int)>("fsync", kWrites | kWaits, -1, descriptor); }
// Closes the descriptor even if it fails, as Linux does.
int close(int descriptor) {
  const bool fails = has_fault(kWrites | kWaits);
  const int result = real<int(int)>("close")(descriptor);
  if (!fails) return result;
  errno = error_of(t_fault);
  return -1;
}
int fstat(int descriptor, struct stat* info) noexcept {
  return forward<int(int, struct stat*)>("fstat", kPlain, -1, descriptor, info);
}
int stat(const char* path, struct stat* info) noexcept {
  return forward<int(const char*, struct stat*)>("stat", kPlain, -1, path, info);
}
void* mmap(void* address, size_t length, int protection, int flags, int descriptor, off_t offset) noexcept {
  return forward<void*(void*, size_t, int, int, int, off_t)>("mmap", kPlain, MAP_FAILED, address, length, protection,
                                                             flags, descriptor, offset);
}
int rename(const char* from, const char* to) noexcept {
  return forward<int(const char*, const char*)>("rename", kWrites, -1, from, to);
}
int mkdir(const char* path, mode_t rights) noexcept {
  return forward<int(const char*, mode_t)>("mkdir", kWrites, -1, path, rights);
}

}  // extern "C"
