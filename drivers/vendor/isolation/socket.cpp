// SPDX-License-Identifier: Apache-2.0
#include "drivers/vendor/isolation/socket.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace nestrt::vendor {
namespace {

// Room for one descriptor attached to a message.
struct Attachment {
  alignas(cmsghdr) char bytes[CMSG_SPACE(sizeof(int))] = {};
};

void attach(msghdr* header, Attachment* attachment, int descriptor) {
  header->msg_control = attachment->bytes;
  header->msg_controllen = sizeof attachment->bytes;
  cmsghdr* const control = CMSG_FIRSTHDR(header);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(control), &descriptor, sizeof descriptor);
}

// Returns the file descriptor attached to the message, or -1.
int attached(msghdr* header) {
  const cmsghdr* const control = CMSG_FIRSTHDR(header);
  if (control == nullptr || control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) return -1;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(control), sizeof descriptor);
  return descriptor;
}

}  // namespace

Result<std::pair<FileDescriptor, FileDescriptor>> make_lane() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return Status(Code::kUnavailable, fmt::format("cannot create a socket: {}", std::strerror(errno)));
  return std::pair(FileDescriptor(ends[0]), FileDescriptor(ends[1]));
}

bool send_to(int socket, std::span<const std::byte> message, int descriptor) {
  iovec bytes = {const_cast<std::byte*>(message.data()), message.size()};
  msghdr header = {};
  header.msg_iov = &bytes;
  header.msg_iovlen = 1;
  Attachment attachment;
  if (descriptor >= 0) attach(&header, &attachment, descriptor);
  while (true) {
    const ssize_t sent = ::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0 || errno != EINTR) return sent == static_cast<ssize_t>(message.size());
  }
}

Received receive_from(int socket, std::chrono::milliseconds time, std::span<std::byte> message,
                      FileDescriptor* descriptor) {
  pollfd ready = {socket, POLLIN, 0};
  const int found = ::poll(&ready, 1, static_cast<int>(time.count()));
  if (found <= 0) return Received::kNothing;  // also after a signal: the caller checks the time
  iovec bytes = {message.data(), message.size()};
  msghdr header = {};
  header.msg_iov = &bytes;
  header.msg_iovlen = 1;
  Attachment attachment;
  if (descriptor != nullptr) {
    header.msg_control = attachment.bytes;
    header.msg_controllen = sizeof attachment.bytes;
  }
  const ssize_t size = ::recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (size < 0) return errno == EINTR || errno == EAGAIN ? Received::kNothing : Received::kEnd;
  if (descriptor != nullptr) *descriptor = FileDescriptor(attached(&header));
  if (size == 0) return Received::kEnd;
  const bool is_whole = size == static_cast<ssize_t>(message.size()) && (header.msg_flags & MSG_TRUNC) == 0;
  return is_whole ? Received::kMessage : Received::kOther;
}

}  // namespace nestrt::vendor
