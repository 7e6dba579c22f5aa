// SPDX-License-Identifier: Apache-2.0
// Redirects calls of the C library that are meant for the board. All other calls are passed on.
//
// XRT's libraries bind to these functions because the program exports them (-rdynamic). They behave like the C library
// for other files, and before the board is created, which happens before main().
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "test/boards/emulation/board.h"

namespace nestrt::boards {
namespace {

std::atomic<bool> is_ready = false;

constexpr std::string_view kRenderNode = "/dev/dri/renderD128";

// Returns the C library's function with that name.
template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// Returns the location of a device file; returns other paths unchanged.
std::string place_of(const char* path) {
  constexpr std::array<std::string_view, 3> kOfDevice = {"/sys/bus/pci/", "/sys/class/drm/", "/dev/dri"};
  if (is_ready)
    for (const std::string_view prefix : kOfDevice)
      if (std::string_view(path).starts_with(prefix)) return Board::instance().root().string() + path;
  return path;
}

template <typename Open>
int open_file(const char* path, Open&& open) {
  if (!is_ready || path != kRenderNode) return open(place_of(path).c_str());
  const int file = Board::instance().open();
  if (file >= 0) return file;
  errno = -file;
  return -1;
}

// Does not use dlsym(), which may map pages itself.
void* map_pages(void* address, size_t size, int protection, int flags, int file, off_t offset) {
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, size, protection, flags, file, offset));
}

int syscall_result(int result) {
  if (result >= 0) return result;
  errno = -result;
  return -1;
}

// Runs before main(), because XRT looks for its libraries and settings on first use.
struct Installation {
  Installation() {
    const std::filesystem::path root = Board::instance().root() / "xrt";
    std::filesystem::create_directories(root / "lib");
    std::filesystem::create_symlink(NESTRT_XRT_CORE, root / "lib/libxrt_core.so.2");
    std::ofstream(root / "xrt.ini") << "[Runtime]\nruntime_log = null\n";
    std::filesystem::create_directories(Board::instance().root() / "tmp");  // for locks
    setenv("NESTRT_SYSTEM_ROOT", Board::instance().root().c_str(), 1);
    setenv("XILINX_XRT", root.c_str(), 1);
    setenv("XRT_INI_PATH", (root / "xrt.ini").c_str(), 1);
    is_ready = true;
  }
  // Stops the redirection, because XRT's destructors run later.
  ~Installation() { is_ready = false; }
} installation;

}  // namespace
}  // namespace nestrt::boards

using nestrt::boards::Board;
using nestrt::boards::is_ready;
using nestrt::boards::map_pages;
using nestrt::boards::next;
using nestrt::boards::open_file;
using nestrt::boards::place_of;
using nestrt::boards::syscall_result;

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_file(path,
                   [&](const char* place) { return next<int(const char*, int, ...)>("open")(place, flags, mode); });
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_file(path,
                   [&](const char* place) { return next<int(const char*, int, ...)>("open64")(place, flags, mode); });
}

int __open_2(const char* path, int flags) {
  return open_file(path, [&](const char* place) { return next<int(const char*, int, ...)>("open")(place, flags); });
}

int __open64_2(const char* path, int flags) {
  return open_file(path, [&](const char* place) { return next<int(const char*, int, ...)>("open64")(place, flags); });
}

FILE* fopen(const char* path, const char* mode) {
  return next<FILE*(const char*, const char*)>("fopen")(place_of(path).c_str(), mode);
}

FILE* fopen64(const char* path, const char* mode) {
  return next<FILE*(const char*, const char*)>("fopen64")(place_of(path).c_str(), mode);
}

DIR* opendir(const char* path) { return next<DIR*(const char*)>("opendir")(place_of(path).c_str()); }

int stat(const char* path, struct stat* result) {
  return next<int(const char*, struct stat*)>("stat")(place_of(path).c_str(), result);
}

int stat64(const char* path, struct stat64* result) {
  return next<int(const char*, struct stat64*)>("stat64")(place_of(path).c_str(), result);
}

int lstat(const char* path, struct stat* result) {
  return next<int(const char*, struct stat*)>("lstat")(place_of(path).c_str(), result);
}

int statx(int folder, const char* path, int flags, unsigned mask, struct statx* result) {
  using Statx = int(int, const char*, int, unsigned, struct statx*);
  return next<Statx>("statx")(folder, place_of(path).c_str(), flags, mask, result);
}

ssize_t readlink(const char* path, char* target, size_t size) {
  return next<ssize_t(const char*, char*, size_t)>("readlink")(place_of(path).c_str(), target, size);
}

int ioctl(int file, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  if (!is_ready || !Board::instance().is_open(file))
    return next<int(int, unsigned long, ...)>("ioctl")(file, request, argument);
  return syscall_result(Board::instance().control(file, request, argument));
}

int poll(pollfd* files, nfds_t count, int timeout) {
  if (!is_ready || count != 1 || !Board::instance().is_open(files->fd))
    return next<int(pollfd*, nfds_t, int)>("poll")(files, count, timeout);
  const int result = syscall_result(Board::instance().poll(files->fd, timeout));
  files->revents = result > 0 ? POLLIN : 0;
  return result;
}

void* mmap(void* address, size_t size, int protection, int flags, int file, off_t offset) {
  if (is_ready && file >= 0 && static_cast<uint64_t>(offset) < Board::kFirstBuffer)
    if (void* const registers = Board::instance().map_registers(file, size, static_cast<uint64_t>(offset)))
      return registers;
  return map_pages(address, size, protection, flags, file, offset);
}

void* mmap64(void* address, size_t size, int protection, int flags, int file, off64_t offset) {
  return mmap(address, size, protection, flags, file, offset);
}

int close(int file) {
  if (is_ready && Board::instance().is_open(file)) Board::instance().close(file);
  return next<int(int)>("close")(file);
}

}  // extern "C"
