// SPDX-License-Identifier: Apache-2.0
#include "server/http/authentication.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray::server::http {
namespace {

using ::testing::ElementsAre;

constexpr WallTime kNow{std::chrono::hours(1)};

net::Request From(net::Peer peer, std::string_view authorization = {}) {
  net::Request request;
  request.peer = std::make_shared<const net::Peer>(std::move(peer));
  if (!authorization.empty()) request.headers.Add("Authorization", authorization);
  return request;
}

std::string NameOf(const Result<Authenticated>& who) {
  return who ? who->user->name : "401";
}

TEST(TokenFile, IsCsv) {
  const auto known =
      Authenticator::FromTokenFile("t1,alice,u1,\"a,b\"\r\n\nt2,\"bob \"\"b\"\"\",u2\n");
  ASSERT_TRUE(known.has_value());
  const auto alice = known->Authenticate(From({.address = "10.0.0.1:1"}, "Bearer t1"), kNow);
  ASSERT_TRUE(alice.has_value());
  EXPECT_EQ(alice->user->uid, "u1");
  EXPECT_THAT(alice->user->groups, ElementsAre("a", "b", "system:authenticated"));
  EXPECT_EQ(NameOf(known->Authenticate(From({.address = "10.0.0.1:1"}, "bearer t2"), kNow)),
            "bob \"b\"");
}

TEST(TokenFile, RefusesWhatItCannotMean) {
  EXPECT_FALSE(Authenticator::FromTokenFile("t,alice").has_value());
  EXPECT_FALSE(Authenticator::FromTokenFile("t,a,u\nt,b,u").has_value());
}

TEST(TokenFile, HasALimit) {
  std::string csv;
  for (size_t i = 0; i < kTokensMax; ++i) csv += "t" + std::to_string(i) + ",u,u\n";
  EXPECT_TRUE(Authenticator::FromTokenFile(csv).has_value());
  EXPECT_FALSE(Authenticator::FromTokenFile(csv + "one more,u,u").has_value());
  const std::string empty_lines(kTokenFileBytesMax, '\n');
  EXPECT_TRUE(Authenticator::FromTokenFile(empty_lines).has_value());
  EXPECT_FALSE(Authenticator::FromTokenFile(empty_lines + '\n').has_value());
}

TEST(Authentication, ShownButUnknownIsRefused) {
  const auto known = *Authenticator::FromTokenFile("t,alice,u");
  const net::Peer local{.address = "127.0.0.1:1"};
  EXPECT_EQ(NameOf(known.Authenticate(From(local, "Bearer x"), kNow)), "401");
  EXPECT_EQ(NameOf(known.Authenticate(From(local, "Basic x"), kNow)), "system:anonymous");
  EXPECT_EQ(NameOf(known.Authenticate(From(local), kNow)), "system:anonymous");
  EXPECT_EQ(NameOf(known.Authenticate(From({.address = "10.0.0.1:1"}), kNow)), "system:anonymous");
  EXPECT_EQ(NameOf(known.Authenticate(
                From({.address = "127.0.0.1:1", .certificate_error = "unknown authority"}), kNow)),
            "401");
}

TEST(Authentication, AForgedTokenCostsOneLook) {
  Authenticator known = *Authenticator::FromTokenFile("t,alice,u");
  size_t looks = 0;
  known.AlsoAsk([&](std::string_view token) -> Result<verbs::User> {
    ++looks;
    if (token.starts_with("good"))
      return verbs::User{.name = std::string(token), .uid = {}, .groups = {}};
    return Fail(StatusReason::kUnauthorized, token.starts_with("expired") ? "has expired" : "");
  });
  const auto show = [&](std::string_view token, std::string_view address = "10.0.0.1:1") {
    const auto who = known.Authenticate(
        From({.address = std::string(address)}, "Bearer " + std::string(token)), kNow);
    return who.has_value() ? who->user->name : std::string(ReasonName(who.error().reason));
  };
  EXPECT_EQ(show("forged"), "Unauthorized");
  EXPECT_EQ(show("forged"), "Unauthorized");
  EXPECT_EQ(looks, 1U);
  EXPECT_EQ(show("expired"), "Unauthorized");
  EXPECT_EQ(show("expired"), "Unauthorized");
  EXPECT_EQ(looks, 3U) << "it was good once";
  EXPECT_EQ(show("good1"), "good1");
  for (int i = 0; i < 1000; ++i) show("forged" + std::to_string(i));
  EXPECT_LE(looks, 4 + static_cast<size_t>(access::TokenGate::kBurst));
  EXPECT_EQ(show("forged-again"), "TooManyRequests");
  EXPECT_EQ(show("good1"), "good1") << "who is known notices nothing";
  EXPECT_EQ(show("t"), "alice");
  EXPECT_EQ(show("good2", "10.0.0.2:1"), "good2") << "nor do other addresses";
}

TEST(Authentication, WhoShowsNothingMayBeRefused) {
  Authenticator known = *Authenticator::FromTokenFile("t,alice,u");
  known.RefuseAnonymous();
  const net::Peer local{.address = "127.0.0.1:1"};
  EXPECT_EQ(NameOf(known.Authenticate(From(local), kNow)), "401");
  EXPECT_EQ(NameOf(known.Authenticate(From(local, "Basic x"), kNow)), "401");
  EXPECT_EQ(NameOf(known.Authenticate(From(local, "Bearer t"), kNow)), "alice");
}

TEST(Authentication, CertificatesCountUntilTheyExpire) {
  net::Peer peer{.address = "10.0.0.1:1"};
  peer.certificate =
      net::ClientIdentity{.common_name = "carol", .organizations = {"dev"}, .not_after = kNow};
  EXPECT_EQ(NameOf(Authenticator().Authenticate(From(peer), kNow)), "carol");
  EXPECT_EQ(NameOf(Authenticator().Authenticate(From(peer), kNow + std::chrono::seconds(1))),
            "401");
}

TEST(Authentication, LoopbackAddresses) {
  for (const auto* address : {"127.0.0.1:80", "127.1.2.3", "[::1]:80", "::1"}) {
    EXPECT_TRUE(IsLoopback(address)) << address;
  }
  for (const auto* address : {"10.0.0.1:80", "1127.0.0.1", "[::2]:80", "::11"}) {
    EXPECT_FALSE(IsLoopback(address)) << address;
  }
}

TEST(WantedUser, NeedsAName) {
  net::Headers headers;
  headers.Add("Impersonate-Other", "a");
  EXPECT_EQ(*WantedUser(headers), std::nullopt);
  headers.Add("Impersonate-Group", "a");
  EXPECT_EQ(WantedUser(headers).error().message,
            "requested &user.DefaultInfo{Name:\"\", UID:\"\", Groups:[]string{\"a\"}, "
            "Extra:map[string][]string(nil)} without impersonating a user name");
  headers.Add("Impersonate-User", "dora");
  EXPECT_THAT((*WantedUser(headers))->groups, ElementsAre("a"));
}

TEST(WantedUser, IsWhatTheClientSaysAndNoMore) {
  net::Headers headers;
  headers.Add("impersonate-user", "system:serviceaccount:lab:bot");
  headers.Add("Impersonate-Extra-Acme.com%2Fproject", "p");
  headers.Add("Impersonate-Extra-Acme.com%2Fproject", "q");
  headers.Add("Impersonate-Extra-", "r");
  const auto user = WantedUser(headers);
  EXPECT_THAT((*user)->groups, ElementsAre());
  EXPECT_THAT((*user)->extra.at("acme.com/project"), ElementsAre("p", "q"));
  EXPECT_THAT((*user)->extra.at(""), ElementsAre("r"));
}

TEST(Secrets, AreEqualOnlyWhole) {
  const std::string secret = "0123456789abcdef";
  EXPECT_TRUE(EqualSecrets(secret, std::string(secret)));
  EXPECT_TRUE(EqualSecrets("", ""));
  EXPECT_FALSE(EqualSecrets(secret, secret + "x"));
  EXPECT_FALSE(EqualSecrets(secret, ""));
  for (size_t i = 0; i < secret.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = secret;
      other[i] = static_cast<char>(other[i] ^ (1 << bit));
      EXPECT_FALSE(EqualSecrets(secret, other)) << i;
    }
  }
}

TEST(Secrets, AreFoundWhateverTheSeed) {
  std::string csv;
  for (int i = 0; i < 100; ++i) csv += fmt::format("token-{0},user-{0},uid\n", i);
  for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, UINT64_MAX}) {
    const Authenticator authenticator = *Authenticator::FromTokenFile(csv, seed);
    for (int i = 0; i < 100; ++i) {
      const auto who = authenticator.Authenticate(
          From({.address = "127.0.0.1:1"}, fmt::format("Bearer token-{}", i)), WallTime());
      ASSERT_TRUE(who.has_value());
      EXPECT_EQ(who->user->name, fmt::format("user-{}", i));
    }
    EXPECT_FALSE(authenticator.Authenticate(From({.address = "127.0.0.1:1"}, "Bearer token-100"),
                                            WallTime()));
    EXPECT_FALSE(
        authenticator.Authenticate(From({.address = "127.0.0.1:1"}, "Bearer token-"), WallTime()));
  }
}

}  // namespace
}  // namespace dray::server::http
