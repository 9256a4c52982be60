// SPDX-License-Identifier: Apache-2.0
// Tokens of service accounts: issued, recognized, and invalid once the object they are bound to is
// gone.
#include "server/verbs/tokens/tokens.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/tls/certificates.h"
#include "server/access/service_account_token.h"
#include "server/testing/fixture.h"

namespace dray::server::verbs::inline tokens {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Options WithIssuer(int64_t seconds_max) {
  return {.tokens = std::make_shared<access::TokenIssuer>(
              *net::tls::TokenKey::FromPem(*net::tls::MakeKey())),
          .token_seconds_max = seconds_max};
}

class TokensTest : public testing::ServerTest {
 protected:
  explicit TokensTest(int64_t seconds_max = 0) : ServerTest(WithIssuer(seconds_max)) {
    Post("namespaces", "", R"({"metadata":{"name":"lab"}})");
    Post("serviceaccounts", "lab", R"({"metadata":{"name":"bot"}})");
  }
  std::string Post(std::string_view plural, std::string_view namespace_, std::string body) {
    ResourceRequest request = Request(Verb::kCreate, plural, namespace_, "");
    request.body = std::move(body);
    return Do(std::move(request));
  }
  std::string Ask(std::string spec, std::string_view account = "bot") {
    ResourceRequest request = Request(Verb::kCreate, "serviceaccounts", "lab", account);
    request.subresource = "token";
    request.body = R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":)" +
                   std::move(spec) + "}";
    return Do(std::move(request));
  }
  void Delete(std::string_view plural, std::string_view namespace_, std::string_view name) {
    Do(Request(Verb::kDelete, plural, namespace_, name));
  }
  static std::string TokenIn(const std::string& answer) {
    constexpr std::string_view kBefore = R"("token":")";
    const size_t begin = answer.find(kBefore);
    if (begin == std::string::npos) return {};
    const size_t from = begin + kBefore.size();
    return answer.substr(from, answer.find('"', from) - from);
  }
  /// The user's name, or the reason why there is none.
  std::string Owner(std::string_view token) {
    const Result<User> user = resources_.UserOfToken(token);
    return user.has_value() ? user->name : "refused: " + user.error().message;
  }
};

TEST_F(TokensTest, AnAccountIsKnownByItsToken) {
  const std::string answer = Ask("{}");
  EXPECT_THAT(answer,
              AllOf(StartsWith("201 "),
                    HasSubstr(R"("name":"bot","namespace":"lab")"),
                    HasSubstr(R"("audiences":["https://kubernetes.default.svc"])"),
                    HasSubstr(R"("expirationSeconds":3600)")));
  EXPECT_EQ(Owner(TokenIn(answer)), "system:serviceaccount:lab:bot");
  EXPECT_EQ(Owner("other"), "refused: ");
}

TEST_F(TokensTest, TimesHaveBounds) {
  EXPECT_THAT(Ask(R"({"expirationSeconds":600})"), StartsWith("201 "));
  EXPECT_THAT(Ask(R"({"expirationSeconds":599})"),
              AllOf(StartsWith("422 "),
                    HasSubstr("spec.expirationSeconds: Invalid value: 599: may not specify a "
                              "duration less than 10 minutes")));
  EXPECT_THAT(Ask(R"({"expirationSeconds":4294967296})"), StartsWith("201 "));
  EXPECT_THAT(Ask(R"({"expirationSeconds":4294967297})"),
              HasSubstr("may not specify a duration larger than 2^32 seconds"));
}

// A request such as kubelets send for the token volume of each pod.
TEST_F(TokensTest, ATokenOfAVolumeIsGoodForLonger) {
  Post("pods",
       "lab",
       R"({"metadata":{"name":"p"},"spec":{"serviceAccountName":"bot",)"
       R"("containers":[{"name":"c","image":"i"}]}})");
  const auto ask = [&](std::string_view seconds, std::string_view more = "") {
    return TokenIn(Ask(R"({"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p"},)"
                       R"("expirationSeconds":)" +
                       std::string(seconds) + std::string(more) + "}"));
  };
  const std::string extended = ask("3607");
  const std::string usual = ask("3608");
  const std::string elsewhere = ask("3607", R"(,"audiences":["vault"])");
  world_.clock().Advance(std::chrono::hours(24));
  EXPECT_EQ(Owner(extended), "system:serviceaccount:lab:bot");
  EXPECT_THAT(Owner(usual), HasSubstr("expired"));
  EXPECT_THAT(Owner(elsewhere), HasSubstr("expired"));
}

TEST(TokenCap, ShortensWhatIsAskedFor) {
  class Capped : public TokensTest {
   public:
    Capped() : TokensTest(7200) {}
    void TestBody() override {}
    using TokensTest::Ask;
    const std::vector<std::string>& warnings() const { return warnings_; }
  } server;
  EXPECT_THAT(server.Ask(R"({"expirationSeconds":7200})"), StartsWith("201 "));
  EXPECT_TRUE(server.warnings().empty());
  EXPECT_THAT(server.Ask(R"({"expirationSeconds":7201})"),
              AllOf(StartsWith("201 "), HasSubstr(R"("expirationSeconds":7200)")));
  EXPECT_EQ(server.warnings().front(),
            "requested expiration of 7201 seconds shortened to 7200 seconds");
}

TEST_F(TokensTest, WhatIsNotThereHasNoToken) {
  EXPECT_THAT(Ask("{}", "stranger"),
              AllOf(StartsWith("404 "), HasSubstr(R"(serviceaccounts "stranger" not found)")));
  EXPECT_THAT(Ask(R"({"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p"}})"),
              StartsWith("404 "));
  EXPECT_THAT(Ask(R"({"boundObjectRef":{"kind":"Role","apiVersion":"a/v1","name":"p"}})"),
              HasSubstr("cannot bind token to object of type a/v1, Kind=Role"));
}

TEST_F(TokensTest, ATokenIsForItsAudiences) {
  const std::string token = TokenIn(Ask(R"({"audiences":["else"]})"));
  EXPECT_EQ(Owner(token),
            R"(refused: token audiences ["else"] is invalid for the target audiences )"
            R"(["https://kubernetes.default.svc"])");
}

TEST_F(TokensTest, ATokenGoesWithItsAccount) {
  const std::string token = TokenIn(Ask("{}"));
  Delete("serviceaccounts", "lab", "bot");
  EXPECT_EQ(Owner(token), R"(refused: serviceaccounts "bot" not found)");
  Post("serviceaccounts", "lab", R"({"metadata":{"name":"bot"}})");
  EXPECT_THAT(Owner(token), HasSubstr("does not match claim"));
}

TEST_F(TokensTest, ATokenGoesWithWhatItIsBoundTo) {
  Post("secrets", "lab", R"({"metadata":{"name":"s"}})");
  const std::string token =
      TokenIn(Ask(R"({"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"s"}})"));
  EXPECT_EQ(Owner(token), "system:serviceaccount:lab:bot");
  Delete("secrets", "lab", "s");
  EXPECT_EQ(Owner(token), "refused: service account token has been invalidated");
}

TEST_F(TokensTest, ReviewsSayWhoseATokenIs) {
  const auto review = [&](const std::string& token) {
    return Post("tokenreviews", "", R"({"spec":{"token":")" + token + R"("}})");
  };
  EXPECT_THAT(review(TokenIn(Ask("{}"))),
              AllOf(HasSubstr(R"("authenticated":true)"),
                    HasSubstr(R"("username":"system:serviceaccount:lab:bot")"),
                    HasSubstr(R"("system:authenticated")")));
  EXPECT_THAT(review("other"),
              AllOf(Not(HasSubstr(R"("authenticated":true)")),
                    HasSubstr(R"("error":"invalid bearer token")")));
}

TEST_F(TokensTest, ReviewsOfForgedTokensAreLimited) {
  const auto owner =
      std::make_shared<const ShareOwner>(ShareOwner{.name = "eve", .rank = ShareRank::kUsual});
  const auto review = [&](const std::string& token, Frozen<ShareOwner> asker) {
    ResourceRequest request = Request(Verb::kCreate, "tokenreviews", "", "");
    request.body = R"({"spec":{"token":")" + token + R"("}})";
    request.owner = std::move(asker);
    return Do(std::move(request));
  };
  const std::string known = TokenIn(Ask("{}"));
  EXPECT_THAT(review(known, owner), HasSubstr(R"("authenticated":true)"));
  for (int i = 0; i < 100; ++i) review("forged" + std::to_string(i), owner);
  EXPECT_THAT(review("one more", owner), StartsWith("429 "));
  EXPECT_THAT(review(known, owner), HasSubstr(R"("authenticated":true)"));
  EXPECT_THAT(review("one more", nullptr), StartsWith("201 ")) << "who is exempt is not limited";
}

}  // namespace
}  // namespace dray::server::verbs::inline tokens
