// SPDX-License-Identifier: Apache-2.0
#include "server/access/service_account_token.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/base64.h"
#include "net/tls/certificates.h"

namespace dray::server::access {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kNow = 1'800'000'000;

WallTime At(int64_t second) {
  return WallTime(std::chrono::seconds(second));
}

TokenClaims SomeClaims() {
  return {.audiences = {"api"},
          .issued = kNow,
          .not_before = kNow,
          .expires = kNow + 3600,
          .id = "j1",
          .namespace_ = "lab",
          .account = {.name = "bot", .uid = "u1"},
          .node = TokenSubject{.name = "n", .uid = "u2"}};
}

class TokenIssuerTest : public ::testing::Test {
 protected:
  net::tls::TokenKey key_ = *net::tls::TokenKey::FromPem(*net::tls::MakeKey());
  TokenIssuer issuer_{key_};
  std::string token_ = *issuer_.Issue(SomeClaims());

  std::string Why(std::string_view token, int64_t second) {
    const Result<TokenClaims> read = issuer_.Read(token, At(second));
    return read.has_value() ? "good" : read.error().message;
  }
};

TEST_F(TokenIssuerTest, ReadsItsOwn) {
  const Result<TokenClaims> read = issuer_.Read(token_, At(kNow));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->account.uid, "u1");
  const User user = UserOf(*read);
  EXPECT_EQ(user.name, "system:serviceaccount:lab:bot");
  EXPECT_EQ(user.uid, "u1");
  EXPECT_THAT(user.groups, ElementsAre("system:serviceaccounts", "system:serviceaccounts:lab"));
  EXPECT_THAT(user.extra.at(std::string(kNodeName)), ElementsAre("n"));
  EXPECT_THAT(user.extra.at(std::string(kCredentialId)), ElementsAre("JTI=j1"));
}

TEST_F(TokenIssuerTest, IsGoodForItsTimeAndAMinute) {
  EXPECT_EQ(Why(token_, kNow + 3600 + 60), "good");
  EXPECT_EQ(Why(token_, kNow + 3600 + 61), "service account token has expired");
  EXPECT_EQ(Why(token_, kNow - 60), "good");
  EXPECT_EQ(Why(token_, kNow - 61), "service account token is not valid yet");
}

TEST_F(TokenIssuerTest, TakesNothingElse) {
  const TokenIssuer other(*net::tls::TokenKey::FromPem(*net::tls::MakeKey()));
  EXPECT_EQ(Why(*other.Issue(SomeClaims()), kNow), "invalid signature, no keys found");
  const TokenIssuer elsewhere(key_, "https://elsewhere");
  EXPECT_EQ(Why(*elsewhere.Issue(SomeClaims()), kNow), "");
  for (const std::string bad : {"", ".", "..", "a.b.c", "a.b.c.d"}) EXPECT_EQ(Why(bad, kNow), "");
  EXPECT_EQ(Why(token_ + "x", kNow), "");
  EXPECT_EQ(Why(token_ + "=", kNow), "");
  EXPECT_EQ(Why(token_.substr(0, token_.rfind('.') + 1), kNow), "") << "unsigned";
  const std::string none = EncodeBase64Url(R"({"alg":"none"})");
  EXPECT_EQ(Why(none + token_.substr(token_.find('.')), kNow), "") << "by no algorithm";
  EXPECT_EQ(Why(std::string(kTokenBytesMax + 1, 'a') + ".b.c", kNow), "");
}

TEST_F(TokenIssuerTest, TakesNoTokenOfAnotherKeyIdAndOneWithout) {
  const auto with_head = [&](const std::string& head) {
    const std::string payload =
        token_.substr(token_.find('.'), token_.rfind('.') - token_.find('.'));
    const std::string text = EncodeBase64Url(head) + payload;
    return text + "." + EncodeBase64Url(*key_.Sign(text));
  };
  EXPECT_EQ(Why(with_head(R"({"alg":"ES256","kid":"another"})"), kNow),
            "invalid signature, no keys found");
  EXPECT_EQ(Why(with_head(R"({"alg":"ES256"})"), kNow), "good");
}

TEST_F(TokenIssuerTest, AnExpiredTokenCostsNoSignature) {
  const std::string forged = token_.substr(0, token_.rfind('.') + 1) + "AAAA";
  EXPECT_EQ(Why(forged, kNow), "");
  EXPECT_EQ(Why(forged, kNow + 7200), "service account token has expired");
}

TEST_F(TokenIssuerTest, ReadsMoreTokensThanItRemembers) {
  TokenClaims claims = SomeClaims();
  claims.id = "other";
  const std::string other = *issuer_.Issue(claims);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Why(token_, kNow), "good");
    EXPECT_EQ(Why(other, kNow), "good");
  }
}

TEST_F(TokenIssuerTest, TellsItsKeys) {
  EXPECT_THAT(issuer_.KeySet(),
              HasSubstr(R"({"keys":[{"use":"sig","kty":"EC","kid":")" + key_.id()));
  EXPECT_THAT(issuer_.Configuration("https://a/keys"), HasSubstr(R"("jwks_uri":"https://a/keys")"));
}

}  // namespace
}  // namespace dray::server::access
