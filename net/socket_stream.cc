// SPDX-License-Identifier: Apache-2.0
#include "net/socket_stream.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <span>
#include <string_view>

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

namespace dray::net {

ssize_t SocketStream::Read(std::span<char> into) {
  if (left_ >= kLeftMax || !leaves_) TakeOut();
  if (is_lost_) {
    errno = EIO;
    return -1;
  }
  const bool leaves = leaves_ && !in_bulk_;
  const ssize_t size = leaves ? ReadAndLeave(into) : ReadPlain(into);
  drained_ = size >= 0 && static_cast<size_t>(size) < into.size();
  in_bulk_ = size > static_cast<ssize_t>(kLeftMax);
  if (in_bulk_) TakeOut();
  return size;
}

ssize_t SocketStream::ReadPlain(std::span<char> into) {
  return recv(descriptor_, into.data(), into.size(), 0);
}

ssize_t SocketStream::ReadAndLeave(std::span<char> into) {
  if (left_ == 0) {
    const ssize_t size = recv(descriptor_, into.data(), into.size(), MSG_PEEK);
    if (size > 0) left_ = static_cast<size_t>(size);
    return size;
  }
  std::array<char, kLeftMax> known;  // NOLINT(cppcoreguidelines-pro-type-member-init): written only
  std::array<iovec, 2> pieces{{{.iov_base = known.data(), .iov_len = left_},
                               {.iov_base = into.data(), .iov_len = into.size()}}};
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = pieces.size();
  const ssize_t size = recvmsg(descriptor_, &message, MSG_PEEK);
  if (size > static_cast<ssize_t>(left_)) {
    const size_t fresh = static_cast<size_t>(size) - left_;
    left_ += fresh;
    return static_cast<ssize_t>(fresh);
  }
  // Nothing, an end or an error: only a socket that is empty tells.
  TakeOut();
  if (is_lost_) return -1;
  return ReadPlain(into);
}

void SocketStream::TakeOut() {
  while (left_ > 0 && !is_lost_) {
    const ssize_t taken = recv(descriptor_, nullptr, left_, MSG_TRUNC);
    if (taken > 0) {
      left_ -= static_cast<size_t>(taken);
    } else {
      is_lost_ = taken == 0 || errno != EINTR;
    }
  }
}

ssize_t SocketStream::Write(std::string_view bytes) {
  return send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

void SocketStream::EndWriting() {
  TakeOut();
  shutdown(descriptor_, SHUT_WR);
}

}  // namespace dray::net
