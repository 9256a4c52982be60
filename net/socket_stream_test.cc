// SPDX-License-Identifier: Apache-2.0
#include "net/socket_stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/descriptor.h"
#include "net/testing/socket_ends.h"

namespace dray::net {
namespace {

using testing::SocketEnds;

constexpr size_t kLeftMax = size_t{1} << 10;
// What a socket has room for, whatever it came in.
constexpr size_t kUnreadMax = size_t{4} << 10;

void AwaitEvent(const Descriptor& socket, short event) {
  pollfd one{.fd = socket.get(), .events = event, .revents = 0};
  EXPECT_EQ(poll(&one, 1, -1), 1);
}

std::string ReadSome(SocketStream& stream, size_t size) {
  std::string into(size, '\0');
  const ssize_t read = stream.Read(into);
  EXPECT_GE(read, 0);
  into.resize(static_cast<size_t>(std::max<ssize_t>(read, 0)));
  return into;
}

TEST(SocketStream, GivesEachByteOnceHoweverItComes) {
  for (const int leaves : {0, 1, 2}) {  // 2: now and then
    for (unsigned seed = 0; seed < 30; ++seed) {
      std::minstd_rand random(seed);
      const SocketEnds ends;
      SocketStream stream(ends.near.get());
      std::string sent;
      std::string read;
      for (int i = 0; i < 60; ++i) {
        const bool is_large = random() % 8 == 0;
        std::string piece(1 + random() % (is_large ? 20000 : 400), '\0');
        for (char& byte : piece) byte = static_cast<char>(random());
        const size_t left = ends.waiting() - (sent.size() - read.size());
        ends.Send(piece);
        sent += piece;
        ends.Await(left + sent.size() - read.size());
        if (random() % 4 == 0) stream.TakeOut();
        stream.set_leaves(leaves == 2 ? random() % 2 == 0 : leaves == 1);
        const size_t room = 1 + random() % (is_large ? 30000 : 500);
        if (random() % 3 != 0) read += ReadSome(stream, room);
        while (sent.size() - read.size() > kUnreadMax) read += ReadSome(stream, room);
        ASSERT_TRUE(sent.starts_with(read));
      }
      while (read.size() < sent.size()) read += ReadSome(stream, 4096);
      EXPECT_EQ(read, sent);
      EXPECT_TRUE(stream.drained());
      std::string none(8, '\0');
      EXPECT_EQ(stream.Read(none), -1);
      EXPECT_TRUE(errno == EAGAIN || errno == EWOULDBLOCK);
    }
  }
}

TEST(SocketStream, LeavesLittleInTheSocketAndOnlyWhenAsked) {
  const SocketEnds ends;
  SocketStream stream(ends.near.get());
  ends.Send("abc");
  ends.Await(3);
  EXPECT_EQ(ReadSome(stream, 100), "abc");
  EXPECT_EQ(ends.waiting(), 0U);

  stream.set_leaves(true);
  const std::string piece(kLeftMax - 1, 'x');
  ends.Send(piece);
  ends.Await(piece.size());
  EXPECT_EQ(ReadSome(stream, 2 * kLeftMax), piece);
  EXPECT_EQ(ends.waiting(), kLeftMax - 1);
  ends.Send("y");
  ends.Await(kLeftMax);
  EXPECT_EQ(ReadSome(stream, 100), "y");
  EXPECT_EQ(ends.waiting(), kLeftMax);
  ends.Send("z");  // one more than may stay: what was read before goes
  ends.Await(kLeftMax + 1);
  EXPECT_EQ(ReadSome(stream, 100), "z");
  EXPECT_EQ(ends.waiting(), 1U);
  const std::string large(kLeftMax + 1, 'x');
  ends.Send(large);
  ends.Await(1 + large.size());
  EXPECT_EQ(ReadSome(stream, 2 * kLeftMax), large);
  EXPECT_EQ(ends.waiting(), 0U);
  ends.Send("small again");
  ends.Await(11);
  EXPECT_EQ(ReadSome(stream, 100), "small again");
  stream.TakeOut();
  EXPECT_EQ(ends.waiting(), 0U);
  ends.Send("left");
  ends.Await(4);
  EXPECT_EQ(ReadSome(stream, 100), "left");
  EXPECT_EQ(ends.waiting(), 4U);
  stream.set_leaves(false);
  ends.Send("not left");
  ends.Await(12);
  EXPECT_EQ(ReadSome(stream, 100), "not left");
  EXPECT_EQ(ends.waiting(), 0U);
}

TEST(SocketStream, TellsTheEndAfterWhatIsLeftInTheSocket) {
  SocketEnds ends;
  SocketStream stream(ends.near.get());
  stream.set_leaves(true);
  ends.Send("abc");
  ends.Await(3);
  EXPECT_EQ(ReadSome(stream, 100), "abc");
  ends.far.Close();
  AwaitEvent(ends.near, POLLRDHUP);
  std::string into(8, '\0');
  EXPECT_EQ(stream.Read(into), 0);
  EXPECT_EQ(stream.Read(into), 0);
}

TEST(SocketStream, TellsAResetAfterWhatIsLeftInTheSocket) {
  SocketEnds ends;
  SocketStream stream(ends.near.get());
  stream.set_leaves(true);
  ends.Send("abc");
  ends.Await(3);
  EXPECT_EQ(ReadSome(stream, 100), "abc");
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  setsockopt(ends.far.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ends.far.Close();
  AwaitEvent(ends.near, POLLRDHUP);
  std::string into(8, '\0');
  EXPECT_EQ(stream.Read(into), -1);
  EXPECT_EQ(errno, ECONNRESET);
}

// A reset that arrives before the peer has read the answer takes it away, on some systems.
TEST(SocketStream, ClosesWithoutAResetOnceTakenOut) {
  for (const bool takes_out : {true, false}) {
    SocketEnds ends;
    SocketStream stream(ends.near.get());
    stream.set_leaves(true);
    ends.Send("question");
    ends.Await(8);
    EXPECT_EQ(ReadSome(stream, 100), "question");
    EXPECT_EQ(stream.Write("answer"), 6);
    if (takes_out) stream.TakeOut();
    ends.near.Close();
    AwaitEvent(ends.far, POLLRDHUP);
    std::string answer(100, '\0');
    EXPECT_EQ(recv(ends.far.get(), answer.data(), answer.size(), 0), 6);
    EXPECT_EQ(recv(ends.far.get(), answer.data(), answer.size(), 0), takes_out ? 0 : -1);
  }
}

TEST(SocketStream, FailsWhereNothingCanBeTakenOut) {
  // Sockets of a machine's own take MSG_TRUNC for something else.
  std::array<int, 2> both{-1, -1};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, both.data()), 0);
  const Descriptor near(both[0]);
  const Descriptor far(both[1]);
  SocketStream stream(near.get());
  stream.set_leaves(true);
  EXPECT_EQ(send(far.get(), "abc", 3, 0), 3);
  EXPECT_EQ(ReadSome(stream, 100), "abc");
  stream.TakeOut();
  std::string into(8, '\0');
  EXPECT_EQ(stream.Read(into), -1);
  EXPECT_EQ(errno, EIO);
}

}  // namespace
}  // namespace dray::net
