// SPDX-License-Identifier: Apache-2.0
// Redirects calls of the C library that access the emulated board (uio_board.h). All other calls are passed on.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <string_view>

#include "test/uio/emulation/uio_board.h"

using nestrt::boards::UioBoard;

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  UioBoard* const board = UioBoard::current();
  if (board != nullptr && board->is_node(path)) return board->open(path);
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open(path, flags, mode);
}

int close(int file) {
  if (UioBoard* const board = UioBoard::current()) board->close(file);
  return static_cast<int>(syscall(SYS_close, file));
}

// Does not use dlsym(), which may map pages itself.
void* mmap(void* address, size_t size, int protection, int flags, int file, off_t offset) {
  UioBoard* const board = UioBoard::current();
  if (board != nullptr && file >= 0)
    if (void* const registers = board->map_registers(file, size, static_cast<uint64_t>(offset))) return registers;
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, size, protection, flags, file, offset));
}

void* mmap64(void* address, size_t size, int protection, int flags, int file, off64_t offset) {
  return mmap(address, size, protection, flags, file, offset);
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  UioBoard* const board = UioBoard::current();
  int error = 0;
  if (board == nullptr || !board->write_attribute(file, {static_cast<const char*>(bytes), size}, &error))
    return syscall(SYS_pwrite64, file, bytes, size, offset);
  errno = error;
  return error == 0 ? static_cast<ssize_t>(size) : -1;
}

int mkdir(const char* path, mode_t mode) {
  const int result = static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
  UioBoard* const board = UioBoard::current();
  if (result == 0 && board != nullptr) board->fpga_manager().create_overlay(path);
  return result;
}

int rmdir(const char* path) {
  UioBoard* const board = UioBoard::current();
  if (board != nullptr && board->fpga_manager().remove_overlay(path)) return 0;
  return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR));
}

}  // extern "C"
