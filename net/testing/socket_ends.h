// SPDX-License-Identifier: Apache-2.0
// For tests: the two ends of a connection over loopback.
#pragma once

#include <cstddef>
#include <string_view>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/check.h"
#include "base/descriptor.h"

namespace dray::net::testing {

/// Neither end blocks when it is read.
struct SocketEnds {
  SocketEnds() {
    const Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    DRAY_CHECK(listener.get() >= 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener.get(), any, size), 0);
    EXPECT_EQ(listen(listener.get(), 1), 0);
    EXPECT_EQ(getsockname(listener.get(), any, &size), 0);
    far = Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(connect(far.get(), any, size), 0);
    const int on = 1;
    ioctl(far.get(), FIONBIO, &on);
    setsockopt(far.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    near = Descriptor(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  }

  void Send(std::string_view bytes) const {
    EXPECT_EQ(send(far.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }
  /// The bytes in the near socket.
  size_t waiting() const {
    int bytes = 0;
    EXPECT_EQ(ioctl(near.get(), FIONREAD, &bytes), 0);
    return static_cast<size_t>(bytes);
  }
  /// Until there are `size` of them.
  void Await(size_t size) const {
    while (waiting() < size) sched_yield();
  }

  Descriptor near, far;
};

}  // namespace dray::net::testing
