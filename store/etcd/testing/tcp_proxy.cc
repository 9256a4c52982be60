// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/testing/tcp_proxy.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mutex.h"
#include "store/etcd/testing/etcd_process.h"

namespace dray::store::etcd::testing {
namespace {

constexpr size_t kHeldBytesMax = size_t{256} << 10U;
constexpr short kReadable = POLLIN | POLLHUP | POLLERR;

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int NewSocket() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  DRAY_CHECK(socket >= 0);
  return socket;
}

void Prepare(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  DRAY_CHECK(::fcntl(socket, F_SETFL, O_NONBLOCK) == 0);
}

/// Resets the connection, so that the peer sees an error, not an orderly end.
void Reset(int socket) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  ::close(socket);
}

/// Moves bytes as far as possible without waiting. Returns false when a socket is broken.
bool Move(int from, int to, std::string& held, bool& ended) {
  std::array<char, 16384> buffer{};
  while (!ended && held.size() < kHeldBytesMax) {
    // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection): Prepare made it not block
    const ssize_t n = ::recv(from, buffer.data(), buffer.size(), 0);
    if (n < 0 && errno != EAGAIN) return false;
    if (n < 0) break;
    ended = n == 0;
    held.append(buffer.data(), static_cast<size_t>(n));
  }
  while (!held.empty()) {
    const ssize_t n = ::send(to, held.data(), held.size(), MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN) return false;
    if (n < 0) break;
    held.erase(0, static_cast<size_t>(n));
  }
  return !(ended && held.empty());
}

}  // namespace

TcpProxy::TcpProxy(uint16_t target) : nudge_(::eventfd(0, EFD_CLOEXEC)), target_(target) {
  DRAY_CHECK(nudge_ >= 0);
  {
    const MutexLock lock(mutex_);
    while (!Bind()) {
    }
    Listen();
  }
  thread_ = std::jthread([this] { Run(); });
}

TcpProxy::~TcpProxy() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  Nudge();
  thread_.join();
  const MutexLock lock(mutex_);
  CutAll();
  ::close(listener_);
  ::close(nudge_);
}

bool TcpProxy::Bind() {
  port_ = FreePort();
  const int socket = NewSocket();
  const int on = 1;  // allows listening again while old connections are closing
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const sockaddr_in address = Loopback(port_);
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    ::close(socket);
    return false;
  }
  Prepare(socket);
  listener_ = socket;
  return true;
}

void TcpProxy::Listen() {
  DRAY_CHECK(::listen(listener_, 64) == 0);
  is_listening_ = true;
}

void TcpProxy::CutAll() {
  for (const Connection& connection : connections_) {
    Reset(connection.client);
    Reset(connection.target);
  }
  connections_.clear();
}

void TcpProxy::Cut() {
  {
    const MutexLock lock(mutex_);
    CutAll();
  }
  Nudge();
}

void TcpProxy::Redirect(uint16_t target) {
  const MutexLock lock(mutex_);
  target_ = target;
}

void TcpProxy::Refuse() {
  {
    const MutexLock lock(mutex_);
    // Keeps its port, because it was bound by number (Linux), and can listen() again.
    if (std::exchange(is_listening_, false)) ::shutdown(listener_, SHUT_RDWR);
    CutAll();
  }
  Nudge();
}

void TcpProxy::Allow() {
  {
    const MutexLock lock(mutex_);
    if (!is_listening_) Listen();
  }
  Nudge();
}

void TcpProxy::Hold() {
  SetFlow(Flow::kHold);
}

void TcpProxy::HoldAnswers() {
  SetFlow(Flow::kHoldAnswers);
}

void TcpProxy::HoldConnection(size_t number) {
  {
    const MutexLock lock(mutex_);
    held_.insert(number);
  }
  Nudge();
}

void TcpProxy::Release() {
  SetFlow(Flow::kForward);
}

void TcpProxy::LoseAnswers(std::string text, size_t every) {
  const MutexLock lock(mutex_);
  lost_text_ = std::move(text);
  lost_every_ = every;
}

void TcpProxy::SetFlow(Flow flow) {
  {
    const MutexLock lock(mutex_);
    flow_ = flow;
    if (flow == Flow::kForward) held_.clear();
  }
  Nudge();
}

size_t TcpProxy::lost_answers() const {
  const MutexLock lock(mutex_);
  return lost_answers_;
}

size_t TcpProxy::connections() const {
  const MutexLock lock(mutex_);
  return taken_;
}

void TcpProxy::Nudge() const {
  const uint64_t one = 1;
  DRAY_CHECK(::write(nudge_, &one, sizeof(one)) == sizeof(one));
}

void TcpProxy::Accept() {
  if (!is_listening_) return;
  const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  const size_t number = taken_++;
  const int target = NewSocket();
  const sockaddr_in address = Loopback(target_);
  if (::connect(target, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    Reset(client);
    ::close(target);
    return;
  }
  Prepare(client);
  Prepare(target);
  connections_.push_back(
      {.number = number, .client = client, .target = target, .up = {}, .down = {}});
}

void TcpProxy::NoteRequest(Connection& connection) {
  if (lost_every_ == 0) return;
  std::array<char, 16384> buffer{};
  // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection): Prepare made it not block
  const ssize_t n = ::recv(connection.client, buffer.data(), buffer.size(), MSG_PEEK);
  if (n <= 0) return;
  const std::string_view bytes(buffer.data(), static_cast<size_t>(n));
  if (!bytes.contains(lost_text_) || ++seen_requests_ % lost_every_ != 0) return;
  connection.loses_answer = true;
}

bool TcpProxy::Pump(Connection& connection) {
  if (IsHeld(connection)) return true;
  NoteRequest(connection);
  if (!Move(connection.client, connection.target, connection.up.held, connection.up.ended)) {
    return false;
  }
  if (flow_ == Flow::kHoldAnswers) return true;
  char first = 0;
  // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection): Prepare made it not block
  if (connection.loses_answer && ::recv(connection.target, &first, 1, MSG_PEEK) > 0) {
    ++lost_answers_;
    return false;
  }
  return Move(connection.target, connection.client, connection.down.held, connection.down.ended);
}

void TcpProxy::PumpAll() {
  for (auto each = connections_.begin(); each != connections_.end();) {
    if (Pump(*each)) {
      ++each;
      continue;
    }
    Reset(each->client);
    Reset(each->target);
    each = connections_.erase(each);
  }
}

void TcpProxy::AddWaits(std::vector<pollfd>& waits) const {
  const auto writable = [](const Direction& direction) {
    return direction.held.empty() ? 0 : POLLOUT;
  };
  const auto readable = [](const Direction& direction) {
    return direction.held.size() < kHeldBytesMax ? kReadable : 0;
  };
  const auto wait = [&](int socket, int events) {
    waits.push_back({.fd = socket, .events = static_cast<short>(events), .revents = 0});
  };
  if (is_listening_) wait(listener_, POLLIN);
  const bool answers = flow_ == Flow::kForward;
  for (const Connection& each : connections_) {
    if (IsHeld(each)) continue;
    wait(each.client, readable(each.up) | (answers ? writable(each.down) : 0));
    wait(each.target, writable(each.up) | (answers ? readable(each.down) : 0));
  }
}

void TcpProxy::Run() {
  std::vector<pollfd> waits;
  while (true) {
    waits.assign(1, {.fd = nudge_, .events = POLLIN, .revents = 0});
    {
      const MutexLock lock(mutex_);
      if (stopping_) return;
      Accept();
      PumpAll();
      AddWaits(waits);
    }
    ::poll(waits.data(), waits.size(), -1);
    if ((waits.front().revents & POLLIN) != 0) {
      uint64_t nudges = 0;
      DRAY_CHECK(::read(nudge_, &nudges, sizeof(nudges)) == sizeof(nudges));
    }
  }
}

}  // namespace dray::store::etcd::testing
