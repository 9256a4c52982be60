// SPDX-License-Identifier: Apache-2.0
// A kind needs only schema lines: toys.v1.api is everything about kites, and a server serves them
// over HTTP like any other kind. CONTRIBUTING.md walks through the same for a kind that stays.
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/kind.h"
#include "api/toys_v1.h"
#include "base/log.h"
#include "base/task.h"
#include "base/world.h"
#include "net/client/http_client.h"
#include "net/server/http_server.h"
#include "server/http/http_api.h"
#include "server/verbs/resources.h"
#include "store/memory_store.h"

namespace dray {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr milliseconds kPatience{600'000};  // only ever used up by a bug
constexpr std::string_view kKites = "/apis/toys.example.com/v1/namespaces/default/kites";

/// The built-in kinds, and kites, as a program adds a kind of its own.
api::Scheme SchemeWithKites() {
  api::Scheme scheme;
  scheme.Add(api::Reflected<api::toys_v1::Kite>::kKind);
  return scheme;
}

/// A server on loopback, and requests to it. Paths begin at the collection of kites.
class ToyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Wait(resources_.Bootstrap()).has_value());
    auto started = net::server::HttpServer::Start(
        RealWorld().clock, log_, {.body_bytes_max = server::http::kBodyBytesMax}, api_);
    ASSERT_TRUE(started.has_value()) << started.error().message;
    http_ = *std::move(started);
    client_.emplace(RealWorld().clock,
                    net::client::HttpClientOptions{.server = {.scheme = net::Scheme::kHttp,
                                                              .host = "127.0.0.1",
                                                              .port = http_->port(),
                                                              .path = ""},
                                                   .bearer_token = "token"});
  }
  void TearDown() override {
    client_.reset();
    if (http_ != nullptr) http_->Shutdown(milliseconds(0));
    api_.Drain();
  }

  struct Answered {
    int code = 0;
    std::string text;
    boost::json::value json;

    /// The value at a JSON pointer, as JSON; "nothing" when there is none.
    std::string At(std::string_view pointer) const {
      boost::system::error_code error;
      const boost::json::value* found = json.find_pointer(pointer, error);
      return found == nullptr ? "nothing" : boost::json::serialize(*found);
    }
  };

  Answered Ask(std::string method,
               std::string_view target,
               std::string body = {},
               std::string_view content_type = "application/json",
               std::string_view accept = "application/json") {
    net::client::ClientRequest request{
        .method = std::move(method), .target = std::string(target), .body = std::move(body)};
    request.headers.Add("Content-Type", content_type);
    request.headers.Add("Accept", accept);
    const auto answer = client_->Send(request);
    EXPECT_TRUE(answer.has_value()) << answer.error().message;
    if (!answer.has_value()) return {};
    boost::system::error_code error;
    return {answer->status, answer->body, boost::json::parse(answer->body, error)};
  }

  Answered Create(std::string_view name, std::string_view colour) {
    return Ask("POST",
               kKites,
               R"({"metadata":{"name":")" + std::string(name) + R"("},"spec":{"colour":")" +
                   std::string(colour) + R"(","wind":"1500m","tail":[{"name":"a","length":2}]}})");
  }

  const Log log_ = Log::Silent();
  const api::Scheme scheme_ = SchemeWithKites();
  store::MemoryStore store_;
  server::verbs::Resources resources_{scheme_, store_, RealWorld(), log_, {}};
  server::http::HttpApi api_{
      resources_,
      RealWorld(),
      log_,
      {.authenticator = *server::http::Authenticator::FromTokenFile("token,test,1")}};
  std::unique_ptr<net::server::HttpServer> http_;
  std::optional<net::client::HttpClient> client_;
};

std::string Kite(std::string_view name) {
  return std::string(kKites) + "/" + std::string(name);
}

TEST_F(ToyTest, DiscoveryNamesTheKind) {
  EXPECT_THAT(Ask("GET", "/apis").text, HasSubstr(R"("name":"toys.example.com")"));
  const Answered resources = Ask("GET", "/apis/toys.example.com/v1");
  EXPECT_EQ(resources.code, 200);
  EXPECT_EQ(resources.At("/groupVersion"), R"("toys.example.com/v1")");
  EXPECT_EQ(resources.At("/resources/0/name"), R"("kites")");
  EXPECT_EQ(resources.At("/resources/0/singularName"), R"("kite")");
  EXPECT_EQ(resources.At("/resources/0/kind"), R"("Kite")");
  EXPECT_EQ(resources.At("/resources/0/namespaced"), "true");
  EXPECT_EQ(resources.At("/resources/0/shortNames"), R"(["kt"])");
  EXPECT_EQ(resources.At("/resources/0/verbs"),
            R"(["create","delete","deletecollection","get","list","patch","update","watch"])");
  EXPECT_EQ(resources.At("/resources/1/name"), R"("kites/status")");
}

TEST_F(ToyTest, OpenApiDescribesTheKind) {
  const Answered index = Ask("GET", "/openapi/v3");
  EXPECT_THAT(index.text, HasSubstr("apis/toys.example.com/v1"));
  const Answered document = Ask("GET", "/openapi/v3/apis/toys.example.com/v1");
  EXPECT_EQ(document.code, 200);
  EXPECT_THAT(document.text, HasSubstr("Metres of line on the reel."));
}

TEST_F(ToyTest, ObjectsAreCreatedReadAndListed) {
  const Answered created = Create("red-one", "red");
  EXPECT_EQ(created.code, 201) << created.text;
  EXPECT_EQ(created.At("/kind"), R"("Kite")");
  EXPECT_EQ(created.At("/apiVersion"), R"("toys.example.com/v1")");
  EXPECT_EQ(created.At("/metadata/namespace"), R"("default")");
  EXPECT_EQ(created.At("/metadata/generation"), "1");
  EXPECT_EQ(created.At("/spec/wind"), R"("1500m")");
  EXPECT_EQ(Create("red-one", "red").code, 409);
  EXPECT_EQ(Ask("GET", Kite("red-one")).text, created.text);

  ASSERT_EQ(Create("blue-one", "blue").code, 201);
  const Answered list = Ask("GET", kKites);
  EXPECT_EQ(list.At("/kind"), R"("KiteList")");
  EXPECT_EQ(list.At("/items/0/metadata/name"), R"("blue-one")");
  EXPECT_EQ(list.At("/items/1/metadata/name"), R"("red-one")");
  const Answered everywhere = Ask("GET", "/apis/toys.example.com/v1/kites");
  EXPECT_EQ(everywhere.At("/items/1/metadata/name"), R"("red-one")");
  const Answered red = Ask("GET", std::string(kKites) + "?fieldSelector=spec.colour%3Dred");
  EXPECT_EQ(red.At("/items/0/metadata/name"), R"("red-one")");
  EXPECT_EQ(red.At("/items/1"), "nothing");
}

TEST_F(ToyTest, UnknownFieldsAreReportedByPath) {
  const Answered refused =
      Ask("POST",
          std::string(kKites) + "?fieldValidation=Strict",
          R"({"metadata":{"name":"x"},"spec":{"colour":"red","tail":[{"name":"a","size":1}]}})");
  EXPECT_EQ(refused.code, 400);
  EXPECT_THAT(refused.text, HasSubstr(R"(unknown field \"spec.tail[0].size\")"));
  EXPECT_EQ(Ask("GET", Kite("x")).code, 404);
}

TEST_F(ToyTest, EveryTypeOfFieldComesBackAsItWasSent) {
  constexpr std::string_view kSpec =
      R"({"colour":"red","lineMeters":60,"tail":[{"name":"a","length":2}],"wind":"1500m",)"
      R"("notes":{"maker":"Ada"},"stickers":{"star":"AQID"},"retired":false})";
  const Answered created =
      Ask("POST", kKites, R"({"metadata":{"name":"k"},"spec":)" + std::string(kSpec) + "}");
  EXPECT_EQ(created.code, 201);
  EXPECT_EQ(created.At("/spec"), kSpec);
}

struct PatchCase {
  const char* type;
  const char* patch;
  const char* pointer;
  const char* value;
};
// Each is applied to a kite with a tail of one ribbon, a, of length 2.
constexpr PatchCase kPatches[] = {
    {"application/merge-patch+json", R"({"spec":{"tail":null}})", "/spec/tail", "nothing"},
    {"application/merge-patch+json", R"({"spec":{"lineMeters":60}})", "/spec/lineMeters", "60"},
    {"application/json-patch+json",
     R"([{"op":"replace","path":"/spec/tail/0/length","value":7}])",
     "/spec/tail",
     R"([{"name":"a","length":7}])"},
    {"application/strategic-merge-patch+json",
     R"({"spec":{"tail":[{"name":"b","length":3},{"name":"a","length":9}]}})",
     "/spec/tail",
     R"([{"name":"b","length":3},{"name":"a","length":9}])"},
};

TEST_F(ToyTest, PatchesFollowTheSchema) {
  for (const PatchCase& patch : kPatches) {
    ASSERT_EQ(Create("k", "red").code, 201);
    const Answered patched = Ask("PATCH", Kite("k"), patch.patch, patch.type);
    EXPECT_EQ(patched.code, 200) << patched.text;
    EXPECT_EQ(patched.At(patch.pointer), patch.value) << patch.type << " " << patch.patch;
    EXPECT_EQ(patched.At("/metadata/generation"), "2");
    ASSERT_EQ(Ask("DELETE", Kite("k")).code, 200);
  }
}

TEST_F(ToyTest, TheStatusIsASubresource) {
  ASSERT_EQ(Create("k", "red").code, 201);
  constexpr std::string_view kMerge = "application/merge-patch+json";
  Ask("PATCH", Kite("k"), R"({"status":{"altitudeMeters":30}})", kMerge);
  EXPECT_EQ(Ask("GET", Kite("k")).At("/status/altitudeMeters"), "nothing");
  Ask("PATCH",
      Kite("k") + "/status",
      R"({"status":{"altitudeMeters":40},"spec":{"colour":"green"}})",
      kMerge);
  const Answered flying = Ask("GET", Kite("k"));
  EXPECT_EQ(flying.At("/status/altitudeMeters"), "40");
  EXPECT_EQ(flying.At("/spec/colour"), R"("red")");
  EXPECT_EQ(flying.At("/metadata/generation"), "1");
}

TEST_F(ToyTest, ASecondWriterIsRefused) {
  const Answered created = Create("k", "red");
  ASSERT_EQ(Ask("PUT", Kite("k"), boost::json::serialize(created.json)).code, 200);
  boost::json::value changed = created.json;
  changed.at("spec").at("colour") = "green";
  EXPECT_EQ(Ask("PUT", Kite("k"), boost::json::serialize(changed)).code, 200);
  changed.at("spec").at("colour") = "blue";
  const Answered refused = Ask("PUT", Kite("k"), boost::json::serialize(changed));
  EXPECT_EQ(refused.code, 409);
  EXPECT_THAT(refused.text, HasSubstr("the object has been modified"));
}

TEST_F(ToyTest, TablesHaveTheColumnsOfTheSchema) {
  ASSERT_EQ(Create("k", "red").code, 201);
  const Answered table =
      Ask("GET", kKites, {}, "application/json", "application/json;as=Table;v=v1;g=meta.k8s.io");
  EXPECT_EQ(table.At("/kind"), R"("Table")");
  EXPECT_EQ(table.At("/columnDefinitions/0/name"), R"("Name")");
  EXPECT_EQ(table.At("/columnDefinitions/1/name"), R"("Colour")");
  EXPECT_EQ(table.At("/columnDefinitions/2/name"), R"("Altitude")");
  EXPECT_EQ(table.At("/columnDefinitions/2/priority"), "1");
  EXPECT_EQ(table.At("/columnDefinitions/3/name"), R"("Age")");
  EXPECT_EQ(table.At("/rows/0/cells/0"), R"("k")");
  EXPECT_EQ(table.At("/rows/0/cells/1"), R"("red")");
}

TEST_F(ToyTest, AWatchSeesEveryChangeAndTheDeletion) {
  auto stream = client_->Open({.target = std::string(kKites) + "?watch=1"});
  ASSERT_TRUE(stream.has_value()) << stream.error().message;
  ASSERT_EQ((*stream)->status(), 200);
  ASSERT_EQ(Create("k", "red").code, 201);
  Ask("PATCH", Kite("k"), R"({"spec":{"colour":"green"}})", "application/merge-patch+json");
  ASSERT_EQ(Ask("DELETE", Kite("k")).code, 200);
  constexpr std::pair<const char*, const char*> kExpected[] = {
      {R"("type":"ADDED")", R"("colour":"red")"},
      {R"("type":"MODIFIED")", R"("colour":"green")"},
      {R"("type":"DELETED")", R"("colour":"green")"},
  };
  for (const auto& [type, colour] : kExpected) {
    ASSERT_EQ((*stream)->ReadLine(kPatience), net::client::ResponseStream::Outcome::kLine);
    EXPECT_THAT(std::string((*stream)->line()), HasSubstr(type));
    EXPECT_THAT(std::string((*stream)->line()), HasSubstr(colour));
  }
}

TEST_F(ToyTest, CollectionsAreDeletedByLabel) {
  ASSERT_EQ(Create("a", "red").code, 201);
  ASSERT_EQ(Create("b", "red").code, 201);
  Ask("PATCH",
      Kite("a"),
      R"({"metadata":{"labels":{"old":"yes"}}})",
      "application/merge-patch+json");
  const Answered deleted = Ask("DELETE", std::string(kKites) + "?labelSelector=old%3Dyes");
  EXPECT_EQ(deleted.code, 200);
  EXPECT_EQ(deleted.At("/items/0/metadata/name"), R"("a")");
  EXPECT_EQ(Ask("GET", Kite("a")).code, 404);
  EXPECT_EQ(Ask("GET", Kite("b")).code, 200);
}

TEST(BuiltinScheme, KnowsNoKites) {
  EXPECT_EQ(api::Scheme().FindKind("toys.example.com/v1", "Kite"), nullptr);
  EXPECT_NE(SchemeWithKites().FindKind("toys.example.com/v1", "Kite"), nullptr);
}

}  // namespace
}  // namespace dray
