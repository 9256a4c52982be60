// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include <sys/types.h>

namespace dray::net {

/// A stream socket that does not block; reading and writing as recv(2) and send(2) do it.
///
/// It can leave what it has read in the socket until more comes, and take it out then. For Linux
/// acknowledges what came in two small pieces, as a request with a body does, as soon as a read
/// empties the socket: a packet of its own, which costs twice what reading does. An answer
/// acknowledges as well, and is under way by then.
class SocketStream {
 public:
  /// The descriptor stays the caller's and outlives the stream.
  explicit SocketStream(int descriptor) : descriptor_(descriptor) {}

  /// Whether the next reads leave what they give in the socket. Only for those who are told of
  /// changes of the descriptor (EPOLLET of epoll(7)): others would be told of that again.
  void set_leaves(bool leaves) { leaves_ = leaves; }

  /// The bytes read, 0 at the end, or -1 with errno.
  ssize_t Read(std::span<char> into);
  /// The bytes written, or -1 with errno; EPIPE without a signal.
  ssize_t Write(std::string_view bytes);
  /// Tells the peer that nothing more comes.
  void EndWriting();

  /// The last Read gave everything that had come.
  bool drained() const { return drained_; }
  /// Takes out of the socket what was read. A socket that is closed with anything in it resets the
  /// connection, and with it what the peer has not read yet.
  void TakeOut();

 private:
  /// More than that does not stay in the socket.
  static constexpr size_t kLeftMax = size_t{1} << 10;

  ssize_t ReadPlain(std::span<char> into);
  ssize_t ReadAndLeave(std::span<char> into);

  const int descriptor_;
  bool leaves_ = false;
  bool drained_ = false;
  bool in_bulk_ = false;  // so much comes that leaving it would only cost
  size_t left_ = 0;       // read, and still in the socket
  bool is_lost_ = false;  // that could not be taken out: reading goes wrong from here on
};

}  // namespace dray::net
