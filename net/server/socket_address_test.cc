// SPDX-License-Identifier: Apache-2.0
#include "net/server/socket_address.h"

#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace dray::net::server {
namespace {

TEST(SocketAddress, ReadsDigitsAndWritesThemAgain) {
  struct Case {
    std::string given, text;
    bool is_loopback;
  };
  for (const Case& one : {Case{"192.0.2.1", "192.0.2.1:80", false},
                          Case{"127.8.9.1", "127.8.9.1:80", true},
                          Case{"2001:DB8:0::1", "[2001:db8::1]:80", false},
                          Case{"::1", "[::1]:80", true},
                          Case{"::ffff:127.0.0.1", "[::ffff:127.0.0.1]:80", true},
                          Case{"::ffff:192.0.2.1", "[::ffff:192.0.2.1]:80", false},
                          Case{"fe80::1%lo", "[fe80::1%lo]:80", false}}) {
    const std::optional<SocketAddress> address = SocketAddress::Parse(one.given, 80);
    ASSERT_TRUE(address) << one.given;
    EXPECT_EQ(address->text(), one.text);
    EXPECT_EQ(address->is_loopback(), one.is_loopback) << one.given;
    EXPECT_EQ(address->family(), one.given.contains(':') ? AF_INET6 : AF_INET);
  }
}

TEST(SocketAddress, NamesTheNetworkThatSharesIt) {
  for (const auto& [given, network] : {std::pair("192.0.2.1", "192.0.2.1"),
                                       {"::ffff:192.0.2.1", "::ffff:192.0.2.1"},
                                       {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
                                       {"fe80::1%lo", "fe80::/64"}}) {
    EXPECT_EQ(SocketAddress::Parse(given, 80)->network(), network);
  }
}

TEST(SocketAddress, RefusesEverythingElse) {
  for (const char* const text : {"",
                                 "nowhere",
                                 "127.1",
                                 "192.0.2.256",
                                 "192.0.2.1:80",
                                 "[::1]",
                                 "::1%",
                                 "::1%no-such-link",
                                 "192.0.2.1%lo"}) {
    EXPECT_FALSE(SocketAddress::Parse(text, 80)) << text;
  }
}

TEST(SocketAddress, IsNobodysForOtherFamilies) {
  sockaddr_storage storage{};
  storage.ss_family = AF_UNIX;
  EXPECT_EQ(SocketAddress::Of(storage).text(), "0.0.0.0:0");
  EXPECT_EQ(SocketAddress::OfSocket(-1).text(), "0.0.0.0:0");
}

}  // namespace
}  // namespace dray::net::server
