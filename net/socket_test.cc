// SPDX-License-Identifier: Apache-2.0
#include "net/socket.h"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "base/check.h"
#include "net/poller.h"
#include "net/testing/socket_ends.h"
#include "net/watched_socket.h"

namespace dray::net {
namespace {

using testing::SocketEnds;

TEST(KernelSocket, ReadsPeeksAndTellsEmptinessFromTheEnd) {
  SocketEnds ends;
  ends.Send("abc");
  ends.Await(3);
  const std::unique_ptr<Socket> socket = MakeKernelSocket(std::move(ends.near));
  std::array<char, 8> into{};
  EXPECT_EQ(socket->Peek(into).size, 3U);
  const IoResult read = socket->Read(into);
  EXPECT_EQ(read.status, IoStatus::kDone);
  EXPECT_EQ(std::string_view(into.data(), read.size), "abc");
  EXPECT_EQ(socket->Read(into).status, IoStatus::kWantRead);
  EXPECT_EQ(socket->Peek(into).status, IoStatus::kWantRead);
  shutdown(ends.far.get(), SHUT_WR);
  IoResult end = socket->Read(into);
  while (end.status == IoStatus::kWantRead) end = socket->Read(into);
  EXPECT_EQ(end.status, IoStatus::kEnd);
}

TEST(KernelSocket, WritesUntilItIsFullAndNamesTheErrorOfABrokenConnection) {
  SocketEnds ends;
  const std::unique_ptr<Socket> socket = MakeKernelSocket(std::move(ends.near));
  const std::string piece(size_t{1} << 20, 'x');
  IoResult written = socket->Write(piece);
  while (written.status == IoStatus::kDone) written = socket->Write(piece);
  EXPECT_EQ(written.status, IoStatus::kWantWrite);
  ends.far.Close();  // with unread bytes: a reset
  while (written.status == IoStatus::kWantWrite) written = socket->Write("x");
  EXPECT_EQ(written.status, IoStatus::kBroken);
  EXPECT_TRUE(written.error == ECONNRESET || written.error == EPIPE) << written.error;
}

/// Gives the results that a test has put in, in their order.
class ScriptedSocket final : public Socket {
 public:
  IoResult next = {};
  IoResult Read(std::span<char>) override { return next; }
  IoResult Peek(std::span<char>) override { return next; }
  IoResult Write(std::string_view) override { return next; }
  void EndWriting() override {}
  void Close() override {}
  int descriptor() const override { return 7; }
};

TEST(WatchedSocket, OnlyASocketThatBlocksEndsItsReadiness) {
  auto scripted = std::make_unique<ScriptedSocket>();
  IoResult& next = scripted->next;
  WatchedSocket socket(std::move(scripted));
  std::array<char, 8> into{};
  EXPECT_TRUE(socket.may_read() && socket.may_write());
  for (const IoStatus status : {IoStatus::kDone, IoStatus::kEnd, IoStatus::kBroken}) {
    next = {.status = status, .size = 1};  // less than there was room for
    socket.Read(into);
    socket.Peek(into);
    socket.Write("xyz");
    EXPECT_TRUE(socket.may_read() && socket.may_write());
  }
  next = {.status = IoStatus::kWantRead};
  socket.Read(into);
  EXPECT_FALSE(socket.may_read());
  EXPECT_TRUE(socket.may_write());
  next = {.status = IoStatus::kWantWrite};
  socket.Write("x");
  EXPECT_FALSE(socket.may_write());
  socket.OnEdge({.to_read = false, .to_write = true});
  EXPECT_FALSE(socket.may_read());
  EXPECT_TRUE(socket.may_write());
  socket.OnEdge({.to_read = true, .to_write = false});
  EXPECT_TRUE(socket.may_read() && socket.may_write());
}

}  // namespace
}  // namespace dray::net
