// SPDX-License-Identifier: Apache-2.0
#include "cli/dashboard/ui_gate.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "base/world.h"
#include "net/server/http_server.h"
#include "net/testing/server_fixture.h"

namespace dray::cli::inline dashboard {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class OnePage final : public server::http::Pages {
 public:
  server::http::PageAnswer File(std::string_view path,
                                const net::Headers& /*headers*/) const override {
    return {.body = fmt::format("file {}", path)};
  }
  Result<std::string> Answer(const server::http::PageQuestion& /*question*/) const override {
    return std::string("{}");
  }
};

class UiGateTest : public ::testing::Test {
 protected:
  UiGateTest() {
    auto server = net::server::HttpServer::Start(
        RealWorld().clock, log_, {.reactors = 1, .plain_http2 = false}, gate_);
    EXPECT_TRUE(server.has_value());
    server_ = *std::move(server);
    gate_.ListenOn(server_->port());
  }
  ~UiGateTest() override { server_->Shutdown(std::chrono::milliseconds(0)); }

  std::string here() const { return fmt::format("127.0.0.1:{}", server_->port()); }

  /// The answer to a request with these lines behind its first; "403 …" and the body.
  std::string Do(std::string_view first, std::string_view more = {}, std::string_view body = {}) {
    const net::testing::RawSocket socket(server_->port());
    socket.Send(fmt::format("{} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n{}\r\n{}",
                            first,
                            body.size(),
                            more,
                            body));
    const std::string all = socket.ReadAll();
    const size_t head = all.find("\r\n\r\n");
    if (!all.starts_with("HTTP/1.1 ") || head == std::string::npos) return all;
    return fmt::format("{} {}", all.substr(9, 3), all.substr(head + 4));
  }
  std::string FromHere(std::string_view first, std::string_view more = {}) {
    return Do(first, fmt::format("Host: {}\r\n{}", here(), more));
  }
  std::string LogIn(std::string_view once, std::string_view type = "application/json") {
    return Do("POST /ui/login",
              fmt::format("Host: {}\r\nContent-Type: {}\r\n", here(), type),
              fmt::format(R"({{"once":"{}"}})", once));
  }
  std::string Token() const { return fmt::format("Authorization: Bearer {}\r\n", secrets_.token); }

  Log log_ = Log::Silent();
  const UiGate::Secrets secrets_ = UiGate::MakeSecrets(RealWorld().random);
  net::testing::FunctionHandler inner_{
      [](const net::Request& request, const std::shared_ptr<net::Responder>& responder) {
        responder->Respond({}, net::Bytes(fmt::format("inner {}", request.target)));
      }};
  UiGate gate_{std::make_shared<OnePage>(), secrets_, inner_};
  std::unique_ptr<net::server::HttpServer> server_;
};

TEST_F(UiGateTest, SecretsAreLongAndDifferent) {
  EXPECT_EQ(secrets_.once.size(), 43U);  // 256 bits, six in a character
  EXPECT_EQ(secrets_.token.size(), 43U);
  EXPECT_NE(secrets_.once, secrets_.token);
}

TEST_F(UiGateTest, TheLinkWorksOnce) {
  EXPECT_THAT(LogIn("wrong"), StartsWith("401 "));
  EXPECT_THAT(LogIn(secrets_.token), StartsWith("401 "));
  EXPECT_EQ(LogIn(secrets_.once), fmt::format(R"(200 {{"token":"{}"}})", secrets_.token));
  EXPECT_THAT(LogIn(secrets_.once),
              AllOf(StartsWith("401 "), HasSubstr("the link is wrong or was used")));
}

TEST_F(UiGateTest, ALogInIsPostedAsJson) {
  EXPECT_THAT(FromHere("GET /ui/login"), StartsWith("405 "));
  EXPECT_THAT(LogIn(secrets_.once, "text/plain"), StartsWith("415 "));
  EXPECT_THAT(Do("POST /ui/login",
                 fmt::format("Host: {}\r\nContent-Type: application/json\r\n", here()),
                 "{"),
              StartsWith("400 "));
  const auto long_login = [&](size_t bytes) {
    return Do("POST /ui/login",
              fmt::format("Host: {}\r\nContent-Type: application/json\r\n", here()),
              "{}" + std::string(bytes - 2, ' '));
  };
  EXPECT_THAT(long_login(kLoginBytesMax), StartsWith("401 "));
  EXPECT_THAT(long_login(kLoginBytesMax + 1), StartsWith("413 "));
  EXPECT_THAT(LogIn(secrets_.once), StartsWith("200 ")) << "none of these has used the link";
}

TEST_F(UiGateTest, NobodyReadsWithoutTheToken) {
  EXPECT_EQ(FromHere("GET /ui/app.js"), "200 file /ui/app.js");
  for (const std::string_view path : {"/api/v1/pods", "/ui/api/capacity", "/version", "/x"}) {
    EXPECT_THAT(FromHere(fmt::format("GET {}", path)), StartsWith("401 ")) << path;
    EXPECT_THAT(FromHere(fmt::format("GET {}", path), "Authorization: Bearer x\r\n"),
                StartsWith("401 "));
    EXPECT_THAT(FromHere(fmt::format("GET {}", path),
                         fmt::format("Authorization: Bearer {}\r\n", secrets_.once)),
                StartsWith("401 "));
  }
  EXPECT_EQ(FromHere("GET /api/v1/pods?watch=1", Token()), "200 inner /api/v1/pods?watch=1");
  EXPECT_THAT(FromHere("GET /api/v1/pods", "Cookie: token=x\r\n"), Not(HasSubstr("Set-Cookie")));
}

TEST_F(UiGateTest, WritesAreRefused) {
  for (const std::string_view method : {"POST", "PUT", "PATCH", "DELETE"}) {
    EXPECT_THAT(FromHere(fmt::format("{} /api/v1/namespaces/default/pods/a", method), Token()),
                AllOf(StartsWith("405 "), HasSubstr("dray ui only reads")));
  }
}

// DNS can give any name to 127.0.0.1, and a page of others can send requests here.
TEST_F(UiGateTest, OtherNamesAndPagesOfOthersAreRefused) {
  const uint16_t port = server_->port();
  const auto as = [&](std::string_view host) {
    return Do("GET /ui/", fmt::format("Host: {}\r\n", host)).substr(0, 3);
  };
  EXPECT_EQ(as(here()), "200");
  EXPECT_EQ(as(fmt::format("localhost:{}", port)), "200");
  EXPECT_EQ(as(fmt::format("[::1]:{}", port)), "200");
  EXPECT_EQ(as("127.0.0.1"), "403");
  EXPECT_EQ(as(fmt::format("127.0.0.1:{}", port + 1)), "403");
  EXPECT_EQ(as(fmt::format("evil.example:{}", port)), "403");
  EXPECT_EQ(as(fmt::format("127.0.0.1.evil.example:{}", port)), "403");
  EXPECT_THAT(FromHere("GET /ui/", "Origin: http://evil.example\r\n"), StartsWith("403 "));
  EXPECT_THAT(FromHere("GET /api/v1/pods", Token() + "Origin: null\r\n"), StartsWith("403 "));
  EXPECT_THAT(FromHere("GET /api/v1/pods", Token() + fmt::format("Origin: http://{}\r\n", here())),
              EndsWith("inner /api/v1/pods"));
}

TEST(IsOwnHost, NeedsThePortUnlessItIsThatOfHttp) {
  EXPECT_TRUE(IsOwnHost("127.0.0.1:8080", 8080));
  EXPECT_TRUE(IsOwnHost("LocalHost:8080", 8080));
  EXPECT_FALSE(IsOwnHost("localhost", 8080));
  EXPECT_FALSE(IsOwnHost("localhost:80", 8080));
  EXPECT_TRUE(IsOwnHost("localhost", 80));
  EXPECT_TRUE(IsOwnHost("[::1]:80", 80));
  EXPECT_FALSE(IsOwnHost("evil.example", 80));
  EXPECT_FALSE(IsOwnHost("localhost.evil.example:80", 80));
  EXPECT_FALSE(IsOwnHost("", 80));
}

TEST(CheckOnlyReads, HandsOnWhatReadsAlone) {
  struct Case {
    std::string_view method, target;
    StatusReason refusal = StatusReason::kUnknown;  // none
  };
  constexpr StatusReason kForbidden = StatusReason::kForbidden;
  constexpr StatusReason kNotAllowed = StatusReason::kMethodNotAllowed;
  constexpr StatusReason kNotFound = StatusReason::kNotFound;
  constexpr Case kCases[] = {
      {"GET", "/api"},
      {"GET", "/apis"},
      {"HEAD", "/version"},
      {"GET", "/api/v1/pods?watch=true&resourceVersion=5"},
      {"GET", "/api/v1/namespaces/a"},
      {"GET", "/api/v1/namespaces/a/pods/b"},
      {"GET", "/apis/resource.k8s.io/v1/resourceslices"},
      {"GET", "/apis/resource.k8s.io/v1/namespaces/a/resourceclaims/b"},
      {"GET", "/ui/api/explain?for=pod/a"},
      {"POST", "/ui/api/whatif"},
      {"POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews"},
      {"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?dryRun=All"},
      {"POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", kNotAllowed},
      {"POST", "/ui/api/explain", kNotAllowed},
      {"CONNECT", "/api", kNotAllowed},
      // Subresources of pods and nodes act, although they are read.
      {"GET", "/api/v1/namespaces/a/pods/b/exec?command=rm", kForbidden},
      {"GET", "/api/v1/namespaces/a/pods/b/log", kForbidden},
      {"GET", "/api/v1/namespaces/a/services/b/proxy/x/y", kForbidden},
      {"GET", "/api/v1/nodes/a/proxy/run", kForbidden},
      {"GET", "/api/v1/watch/namespaces/a/secrets", kForbidden},
      {"GET", "/api/v1/secrets", kForbidden},
      {"GET", "/api/v1/namespaces/a/secrets/b", kForbidden},
      {"GET", "/api/v1/namespaces/a/%73ecrets/b", kForbidden},
      {"GET", "/api/v1//namespaces/a/secrets", kNotFound},
      {"GET", "/api/v1/namespaces/a/pods/", kNotFound},
      {"GET", "/api/v1/pods/../secrets", kNotFound},
      {"GET", "/api/./v1/secrets", kNotFound},
      {"GET", "/apiz", kNotFound},
      {"GET", "/metrics", kNotFound},
      {"GET", "/openapi/v3", kNotFound},
      {"GET", "/debug/pprof/profile", kNotFound},
      {"GET", "/", kNotFound},
  };
  for (const Case& one : kCases) {
    net::Request request;
    request.method = one.method;
    request.target = one.target;
    const Result<> checked = CheckOnlyReads(request);
    EXPECT_EQ(checked ? StatusReason::kUnknown : checked.error().reason, one.refusal)
        << one.method << ' ' << one.target;
  }
}

}  // namespace
}  // namespace dray::cli::inline dashboard
