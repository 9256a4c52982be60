// SPDX-License-Identifier: Apache-2.0
// The API over loopback: real sockets, the store in memory, a clock that stands still.
#include "server/http/http_api.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/codec/json_reader.h"
#include "api/codec/protobuf.h"
#include "api/meta_v1/options.h"
#include "api/meta_v1/partial_object_metadata.h"
#include "api/meta_v1/status.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1beta1.h"
#include "base/log.h"
#include "base/simulated_world.h"
#include "base/task.h"
#include "net/client/http_client.h"
#include "net/server/http_server.h"
#include "net/testing/server_fixture.h"
#include "server/verbs/resources.h"
#include "store/memory_store.h"

namespace dray::server::http {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using std::string_literals::operator""s;

constexpr std::string_view kClaims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
constexpr std::chrono::minutes kPatience{10};  // only a bug uses it up

class HttpApiTest : public ::testing::Test {
 protected:
  HttpApiTest()
      : resources_(scheme_, store_, world_.world(), Log::Silent(), {}),
        api_(resources_,
             world_.world(),
             Log::Silent(),
             {.authenticator =
                  *Authenticator::FromTokenFile("secret,admin,u1,\"system:masters\"")}) {
    EXPECT_TRUE(Wait(resources_.Bootstrap()).has_value());
    auto server = net::server::HttpServer::Start(RealWorld().clock, log_, {.reactors = 2}, api_);
    EXPECT_TRUE(server.has_value());
    server_ = *std::move(server);
    client_ = std::make_unique<net::client::HttpClient>(RealWorld().clock, Options("secret"));
  }
  ~HttpApiTest() override {
    server_->Shutdown(std::chrono::milliseconds(0));
    api_.Drain();
    server_.reset();
  }

  net::client::HttpClientOptions Options(std::string token) const {
    return {.server = {.scheme = net::Scheme::kHttp, .host = "127.0.0.1", .port = server_->port()},
            .bearer_token = std::move(token),
            .user_agent = "tester/1"};
  }

  static net::client::ClientRequest Request(std::string_view method,
                                            std::string_view target,
                                            std::string body = {},
                                            std::string_view type = "application/json",
                                            std::string_view accept = {}) {
    net::client::ClientRequest request{.method = std::string(method),
                                       .target = std::string(target)};
    if (!body.empty()) request.headers.Add("Content-Type", type);
    if (!accept.empty()) request.headers.Add("Accept", accept);
    request.body = std::move(body);
    return request;
  }

  net::client::ClientResponse Send(const net::client::ClientRequest& request) {
    auto response = client_->Send(request);
    EXPECT_TRUE(response.has_value()) << response.error().message;
    return response ? *std::move(response) : net::client::ClientResponse();
  }
  // The code and body of an answer: "200 {…}".
  std::string Do(std::string_view method,
                 std::string_view target,
                 std::string body = {},
                 std::string_view type = "application/json",
                 std::string_view accept = {}) {
    const net::client::ClientResponse response =
        Send(Request(method, target, std::move(body), type, accept));
    return std::to_string(response.status) + " " + response.body;
  }

  std::string Item(std::string_view name) const {
    return std::string(kClaims) + "/" + std::string(name);
  }

  SimulatedWorld world_{7};
  api::Scheme scheme_;
  store::MemoryStore store_;
  Log log_ = Log::Silent();
  verbs::Resources resources_;
  HttpApi api_;
  std::unique_ptr<net::server::HttpServer> server_;
  std::unique_ptr<net::client::HttpClient> client_;
};

constexpr const char* kClaim = R"({"metadata":{"name":"a"},"spec":{"devices":{}}})";

TEST_F(HttpApiTest, ObjectsComeAndGo) {
  EXPECT_THAT(Send(Request("GET", kClaims)).body, HasSubstr(R"("items":[])"));  // not null
  EXPECT_THAT(Do("POST", kClaims, kClaim),
              StartsWith(R"(201 {"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1")"));
  EXPECT_THAT(Do("GET", Item("a")), StartsWith("200 "));
  EXPECT_THAT(
      Do("GET", kClaims),
      AllOf(StartsWith(R"(200 {"kind":"ResourceClaimList","apiVersion":"resource.k8s.io/v1")"),
            HasSubstr(R"("items":[{"metadata":{"name":"a")")));
  EXPECT_THAT(Do("PATCH",
                 Item("a"),
                 R"({"metadata":{"labels":{"x":"y"}}})",
                 "application/strategic-merge-patch+json"),
              AllOf(StartsWith("200 "), HasSubstr(R"("labels":{"x":"y"})")));
  EXPECT_THAT(Do("DELETE", Item("a")), StartsWith("200 "));
  EXPECT_EQ(
      Do("GET", Item("a")),
      R"(404 {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"resourceclaims.resource.k8s.io \"a\" not found","reason":"NotFound","details":{"name":"a","group":"resource.k8s.io","kind":"resourceclaims"},"code":404})"
      "\n");
}

TEST_F(HttpApiTest, BodiesAndAnswersMayBeYaml) {
  EXPECT_THAT(Do("POST",
                 kClaims,
                 "metadata:\n  name: yam\nspec: {devices: {}}\n",
                 "application/yaml",
                 "application/yaml"),
              AllOf(StartsWith("201 "), HasSubstr("kind: ResourceClaim\n")));
  EXPECT_THAT(
      Do("POST", kClaims, "metadata: {name: z}\nmetadata: {}\nspec: {}\n", "application/yaml"),
      ::testing::Not(StartsWith("500")));
  EXPECT_THAT(Do("POST",
                 std::string(kClaims) + "?fieldValidation=Strict",
                 "metadata: {name: z}\nmetadata: {name: z}\nspec: {}\n",
                 "application/yaml"),
              AllOf(StartsWith("400 "), HasSubstr("already set in map")));
  EXPECT_THAT(Do("POST", kClaims, "a: b: c", "application/yaml"), StartsWith("400 "));
}

TEST_F(HttpApiTest, AnswersTakeTheNegotiatedForm) {
  Do("POST", kClaims, kClaim);
  constexpr std::string_view kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
  EXPECT_THAT(Do("GET", kClaims, "", "", kTable),
              AllOf(StartsWith(R"(200 {"kind":"Table","apiVersion":"meta.k8s.io/v1")"),
                    HasSubstr(R"("cells":["a","pending",)")));
  EXPECT_THAT(
      Do("GET", Item("a"), "", "", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"),
      StartsWith(R"(200 {"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1")"));
  EXPECT_THAT(Do("GET", std::string(kClaims) + "?includeObject=x", "", "", kTable),
              StartsWith("400 "));
  EXPECT_THAT(Do("GET", Item("a"), "", "", "application/xml"),
              AllOf(StartsWith("406 {\n"), HasSubstr(R"("details": {})")));
  EXPECT_THAT(Do("GET", Item("a") + "?pretty=1"), StartsWith("200 {\n  \"kind\""));
  EXPECT_THAT(Do("PATCH", Item("a"), "{}", "application/json"),
              AllOf(StartsWith("415 "), HasSubstr("415: Unsupported Media Type")));
  EXPECT_THAT(Do("POST", kClaims, kClaim, "text/plain"), StartsWith("415 "));
}

constexpr std::string_view kProtobuf = api::kProtobufMediaType;

// The protobuf of an object that is written as JSON.
template <class T>
std::string Protobuf(std::string_view json) {
  const auto object = api::DecodeJson(api::Reflected<T>::kKind, json, nullptr);
  EXPECT_TRUE(object.has_value());
  std::string out;
  api::EncodeProtobuf(*object, out);
  return out;
}

// An answer in protobuf as "ADDRESS KIND {JSON}".
template <class T>
std::string Shown(std::string_view answer) {
  const auto envelope = api::ReadProtobufEnvelope(answer);
  if (!envelope) return envelope.error().message;
  const auto object = api::DecodeProtobuf(api::Reflected<T>::kKind, envelope->raw);
  if (!object) return object.error().message;
  return envelope->meta.api_version + " " + envelope->meta.kind + " " + api::ToJson(*object);
}

// Typed clients send protobuf and cannot fall back to JSON.
TEST_F(HttpApiTest, BodiesAndAnswersMayBeProtobuf) {
  using api::meta_v1::Status;
  using api::resource_v1::ResourceClaim;
  const std::string body = Protobuf<ResourceClaim>(kClaim);
  const auto created = Send(Request("POST", kClaims, body, kProtobuf, kProtobuf));
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(created.headers.Get("Content-Type"), kProtobuf);
  const std::string json = Send(Request("GET", Item("a"))).body;
  EXPECT_EQ(Shown<ResourceClaim>(created.body) + "\n", "resource.k8s.io/v1 ResourceClaim " + json);
  EXPECT_EQ(Send(Request("GET", Item("a"), "", "", kProtobuf)).body, created.body);
  // Clients accept both forms, and read the one that comes.
  const auto again = Send(Request(
      "POST", kClaims, body, kProtobuf, "application/vnd.kubernetes.protobuf,application/json"));
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.headers.Get("Content-Type"), kProtobuf);
  EXPECT_THAT(Shown<Status>(again.body),
              AllOf(StartsWith(R"(v1 Status {"kind":"Status","apiVersion":"v1",)"),
                    HasSubstr(R"("reason":"AlreadyExists","details":{"name":"a",)")));
  EXPECT_THAT(Do("PUT", Item("a"), created.body, kProtobuf), AllOf(StartsWith("200 {")));
  EXPECT_THAT(Do("PATCH", Item("a"), created.body, kProtobuf), StartsWith("415 "));
}

TEST_F(HttpApiTest, ListsAndMetadataMayBeProtobuf) {
  using api::meta_v1::PartialObjectMetadata;
  using api::resource_v1::ResourceClaim;
  EXPECT_EQ(Shown<PartialObjectMetadata>(Send(Request("GET", kClaims, "", "", kProtobuf)).body)
                .substr(0, 37),
            "resource.k8s.io/v1 ResourceClaimList ");
  for (const char* name : {"a", "b"}) {
    Do("POST", kClaims, std::string(R"({"metadata":{"name":")") + name + R"("},"spec":{}})");
  }
  const std::string whole = Send(Request("GET", kClaims, "", "", kProtobuf)).body;
  const auto list = api::DecodeProtobufList(api::Reflected<ResourceClaim>::kKind,
                                            api::ReadProtobufEnvelope(whole)->raw);
  ASSERT_TRUE(list.has_value());
  ASSERT_EQ(list->items.size(), 2U);
  EXPECT_EQ(list->metadata.resource_version, list->items[1].metadata().resource_version);
  EXPECT_EQ(api::ToJson(list->items[1]) + "\n", Send(Request("GET", Item("b"))).body);
  const std::string as = std::string(kProtobuf) + ";g=meta.k8s.io;v=v1;as=PartialObjectMetadata";
  const std::string one = Send(Request("GET", Item("b"), "", "", as)).body;
  EXPECT_THAT(Shown<PartialObjectMetadata>(one),
              AllOf(StartsWith("meta.k8s.io/v1 PartialObjectMetadata "),
                    HasSubstr(R"("metadata":{"name":"b")")));
  const std::string all = Send(Request("GET", kClaims, "", "", as + "List")).body;
  const auto envelope = api::ReadProtobufEnvelope(all);
  EXPECT_EQ(envelope->meta.kind, "PartialObjectMetadataList");
  const auto partial =
      api::DecodeProtobufList(api::Reflected<PartialObjectMetadata>::kKind, envelope->raw);
  ASSERT_TRUE(partial.has_value());
  EXPECT_EQ(partial->items[1].metadata(), list->items[1].metadata());
  EXPECT_THAT(Do("GET", kClaims, "", "", as),
              AllOf(StartsWith("406 {\n"), HasSubstr("you requested PartialObjectMetadata")));
}

TEST_F(HttpApiTest, ProtobufThatIsNoneIsRefusedInUpstreamsWords) {
  using api::resource_v1::ResourceClaim;
  const std::string claim = Protobuf<ResourceClaim>(kClaim);
  const struct {
    std::string body;
    std::string_view type, message;
  } cases[] = {
      {"k8s\0\xff\xff"s,
       kProtobuf,
       "the object provided is unrecognized (must be of type ResourceClaim): unexpected EOF "
       "(6b387300ffff)"},
      {"xxxx",
       kProtobuf,
       "the object provided is unrecognized (must be of type ResourceClaim): provided data does "
       "not appear to be a protobuf message, expected prefix [107 56 115 0] (78787878)"},
      {"k8s\0"s,
       kProtobuf,
       "the object provided is unrecognized (must be of type ResourceClaim): empty body "
       "(6b387300)"},
      {claim,
       "application/json",
       "the object provided is unrecognized (must be of type ResourceClaim): couldn't get "
       "version/kind; json parse error: "},
      {Protobuf<api::resource_v1beta1::ResourceClaim>(kClaim),
       kProtobuf,
       "the API version in the data (resource.k8s.io/v1beta1) does not match the expected API "
       "version (resource.k8s.io/v1)"},
      {claim.substr(0, claim.size() - 4) + "\x0a\x7f",
       kProtobuf,
       "the object provided is unrecognized (must be of type ResourceClaim): unexpected EOF "},
      {"k8s\0\x12\x02\x0a\x7f"s,
       kProtobuf,
       "ResourceClaim in version \"v1\" cannot be handled as a ResourceClaim: protobuf: byte 1"},
  };
  const std::string before = Do("GET", kClaims);
  for (const auto& c : cases) {
    const net::client::ClientResponse answer = Send(Request("POST", kClaims, c.body, c.type));
    EXPECT_EQ(answer.status, 400);
    const auto status =
        api::DecodeJson(api::Reflected<api::meta_v1::Status>::kKind, answer.body, nullptr);
    ASSERT_TRUE(status.has_value());
    EXPECT_THAT(status->As<api::meta_v1::Status>().message, StartsWith(std::string(c.message)));
  }
  EXPECT_EQ(Do("GET", kClaims), before);
  EXPECT_THAT(Do("POST", kClaims, claim, "application/cbor"),
              AllOf(StartsWith("415 "),
                    HasSubstr("accepted media types include: application/json, application/yaml, "
                              "application/vnd.kubernetes.protobuf")));
}

// Protobuf has no names of fields, so strict validation does not apply, as upstream.
TEST_F(HttpApiTest, StrictnessIsNotForProtobuf) {
  std::string message;
  const auto claim =
      api::DecodeJson(api::Reflected<api::resource_v1::ResourceClaim>::kKind, kClaim, nullptr);
  api::EncodeProtobuf(claim->type(), claim->value(), message);
  message += "\x98\x06\x01\x1a\x00"s;  // number 99, and the status a second time
  std::string body;
  api::EncodeProtobufEnvelope({.meta = {}, .raw = message}, body);
  const auto response = Send(Request(
      "POST", std::string(kClaims) + "?fieldValidation=Strict", body, kProtobuf, kProtobuf));
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.headers.Get("Warning"), "");
}

TEST_F(HttpApiTest, DeletionsReadProtobufOptionsOfEveryGroup) {
  const auto options = [](std::string_view version, std::string_view uid) {
    api::meta_v1::DeleteOptions wanted;
    wanted.preconditions.emplace().uid = uid;
    std::string body;
    api::EncodeProtobuf({.api_version = std::string(version), .kind = "DeleteOptions"},
                        api::TypeOf<api::meta_v1::DeleteOptions>(),
                        &wanted,
                        body);
    return body;
  };
  for (const std::string_view version : {"v1", "meta.k8s.io/v1", "resource.k8s.io/v1beta1"}) {
    Do("POST", kClaims, kClaim);
    EXPECT_THAT(Do("DELETE", Item("a"), options(version, "other"), kProtobuf),
                AllOf(StartsWith("409 "), HasSubstr("the UID in the precondition (other)")));
    const auto read = api::DecodeJson(api::Reflected<api::resource_v1::ResourceClaim>::kKind,
                                      Send(Request("GET", Item("a"))).body,
                                      nullptr);
    EXPECT_THAT(Do("DELETE", Item("a"), options(version, read->metadata().uid), kProtobuf),
                StartsWith("200 "));
  }
  Do("POST", kClaims, kClaim);
  EXPECT_THAT(Do("DELETE", Item("a"), options("v9", "x"), kProtobuf),
              AllOf(StartsWith("400 "), HasSubstr("no kind")));
  EXPECT_THAT(Do("DELETE", Item("a"), "k8s", kProtobuf),
              AllOf(StartsWith("400 "), HasSubstr("does not appear to be a protobuf message")));
  EXPECT_THAT(Do("GET", Item("a")), StartsWith("200 "));
}

// A stream is never compressed or indented, and its head is sent before any event.
TEST_F(HttpApiTest, AWatchOfProtobufBeginsAtOnceAndIsNotCompressed) {
  net::client::ClientRequest request =
      Request("GET",
              std::string(kClaims) + "?watch=1&pretty=1",
              "",
              "",
              "application/vnd.kubernetes.protobuf;stream=watch,application/json");
  request.headers.Add("Accept-Encoding", "gzip");
  auto stream = client_->Open(request);
  ASSERT_TRUE(stream.has_value());
  EXPECT_EQ((*stream)->status(), 200);
  EXPECT_EQ((*stream)->headers().Get("Content-Type"),
            "application/vnd.kubernetes.protobuf;stream=watch");
  EXPECT_EQ((*stream)->headers().Get("Content-Encoding"), "");
}

TEST_F(HttpApiTest, WhoAsksComesFirst) {
  net::client::HttpClient stranger(RealWorld().clock, Options("unknown"));
  EXPECT_EQ(stranger.Send(Request("GET", "/version"))->status, 401);
  net::client::HttpClient nobody(RealWorld().clock, Options(""));
  EXPECT_EQ(nobody.Send(Request("GET", "/version"))->status, 200);
  EXPECT_EQ(nobody.Send(Request("GET", "/healthz"))->body, "ok");
  EXPECT_THAT(nobody.Send(Request("GET", "/"))->body,
              HasSubstr(R"(forbidden: User \"system:anonymous\" cannot get path \"/\")"));
  const auto refused = nobody.Send(Request("GET", "/apis/resource.k8s.io/v9/x"));
  EXPECT_EQ(refused->status, 403);
  EXPECT_THAT(
      refused->body,
      HasSubstr(
          R"(x.resource.k8s.io is forbidden: User \"system:anonymous\" cannot list resource \"x\" in API group \"resource.k8s.io\" at the cluster scope)"));
}

// URLs and headers may have any bytes, JSON only UTF-8: others are replaced, as upstream does.
TEST_F(HttpApiTest, WhatIsNoUtf8NeverReachesAnAnswer) {
  const std::string claims(kClaims);
  const std::string targets[] = {
      claims + "/%ff",
      claims + "/a%c3",
      claims + "/%ed%a0%80",
      claims + "/%f4%90%80%80",
      claims + "/%c0%af",
      claims + "?labelSelector=a%ff%3D%3D%3Db%fe",
      claims + "?fieldSelector=%ff%3D1",
      claims + "?limit=%ff",
      claims + "?continue=%ff",
      claims + "?resourceVersion=%ff",
      claims + "?resourceVersionMatch=%ff&resourceVersion=1",
      claims + "?timeout=%ff",
      claims + "?watch=1&resourceVersion=%ff",
      claims + "/a/%ff",
      "/api/v1/namespaces/%ff/configmaps/%fe",
      "/api/v1/%ff",
      "/apis/%ff/v1/x",
      "/apis/resource.k8s.io/%ff",
      "/apis/resource.k8s.io/\xff",
      "/%ff",
      "/healthz/%ff",
      "/openapi/v3/%ff",
  };
  for (const std::string& target : targets) {
    for (const std::string_view method : {"GET", "PUT", "DELETE", "PATCH"}) {
      const net::client::ClientRequest request =
          Request(method, target, "{}", "application/merge-patch+json");
      const net::client::ClientResponse response = Send(request);
      EXPECT_TRUE(api::IsUtf8(response.body)) << method << " " << target << ": " << response.body;
    }
  }
  EXPECT_THAT(Do("GET", claims + "/x%ffy"),
              AllOf(HasSubstr(R"(resourceclaims.resource.k8s.io \"x\\xffy\" not found)"),
                    HasSubstr(R"("details":{"name":"x\ufffdy")")));
  net::client::ClientRequest versions = Request("GET", "/api");
  versions.headers.Add("X-Other", "\xff");
  EXPECT_EQ(Send(versions).status, 200);
  const net::testing::RawSocket socket(server_->port());
  socket.Send("GET /api HTTP/1.1\r\nHost: h\xff\r\nAuthorization: Bearer secret\r\n\r\n");
  EXPECT_THAT(socket.ReadUntil("}]}"), HasSubstr(R"("serverAddress":"h\ufffd")"));
}

// The head alone authenticates the sender: the server neither invites a stranger's body nor waits
// for it.
TEST_F(HttpApiTest, WhoAsksComesBeforeTheBody) {
  const auto answer = [&](std::string_view path, std::string_view fields) {
    const net::testing::RawSocket socket(server_->port());
    socket.Send(
        fmt::format("POST {} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
                    "Content-Length: 2\r\nExpect: 100-continue\r\n{}\r\n",
                    path,
                    fields));
    return socket.ReadUntil("\r\n\r\n");
  };
  EXPECT_THAT(answer(kClaims, ""), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(answer(kClaims, "Authorization: Bearer unknown\r\n"), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(answer("/healthz", ""), StartsWith("HTTP/1.1 200 ")) << "public, and reads no body";
  EXPECT_THAT(answer(kClaims, "Authorization: Bearer secret\r\n"),
              StartsWith("HTTP/1.1 100 Continue\r\n"));
}

TEST_F(HttpApiTest, BodiesHaveALimit) {
  const std::string head = R"({"metadata":{"name":"big","annotations":{"a":")";
  const std::string tail = R"("}},"spec":{"devices":{}}})";
  const std::string fits(kBodyBytesMax - head.size() - tail.size(), 'x');
  // A body at the limit is accepted by the transport; too long annotations are another error.
  EXPECT_THAT(Do("POST", kClaims, head + fits + tail), StartsWith("422 "));
  EXPECT_THAT(Do("POST", kClaims, head + fits + "x" + tail),
              AllOf(StartsWith("413 "), HasSubstr("Request entity too large: limit is 3145728")));
}

TEST_F(HttpApiTest, EveryAnswerHasItsHeaders) {
  net::client::ClientRequest request = Request("GET", "/version");
  request.headers.Add("Audit-Id", "mine");
  EXPECT_EQ(Send(request).headers.Get("Audit-Id"), "mine");
  const net::client::ClientResponse response = Send(
      Request("POST", kClaims, R"({"metadata":{"name":"w"},"spec":{"devices":{}},"unknown":1})"));
  EXPECT_EQ(response.headers.Get("Cache-Control"), "no-cache, private");
  EXPECT_EQ(response.headers.Get("Audit-Id").size(), 36U);
  EXPECT_EQ(response.headers.Get("Warning"), R"(299 - "unknown field \"unknown\"")");
  const net::client::ClientResponse text = Send(Request("GET", "/nothing"));
  EXPECT_EQ(text.body, "404 page not found\n");
  EXPECT_EQ(text.headers.Get("X-Content-Type-Options"), "nosniff");
}

// Both documents or neither have the form, with its exact type and a listed preferred version.
TEST_F(HttpApiTest, DiscoveryInBothForms) {
  EXPECT_THAT(Do("GET", "/api"), HasSubstr(R"("versions":["v1"])"));
  EXPECT_THAT(
      Do("GET", "/apis"),
      HasSubstr(R"("preferredVersion":{"groupVersion":"resource.k8s.io/v1","version":"v1"})"));
  EXPECT_THAT(
      Do("GET", "/apis/resource.k8s.io/v1"),
      HasSubstr(
          R"("kind":"ResourceClaim","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"storageVersionHash":"wgAZaHcZxUg=")"));
  constexpr std::string_view kAggregated =
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  for (const std::string_view path : {"/api", "/apis"}) {
    net::client::ClientRequest request = Request("GET", path, "", "", kAggregated);
    const net::client::ClientResponse response = Send(request);
    EXPECT_EQ(response.headers.Get("Content-Type"), kAggregated);
    EXPECT_THAT(response.body, StartsWith(R"({"kind":"APIGroupDiscoveryList")"));
    request.headers.Add("If-None-Match", response.headers.Get("ETag"));
    EXPECT_EQ(Send(request).status, 304);
    EXPECT_THAT(Do("GET", path, "", "", kProtobuf), StartsWith("200 k8s"));
  }
}

TEST_F(HttpApiTest, OpenApiSaysHowToPatch) {
  const net::client::ClientResponse index = Send(Request("GET", "/openapi/v3"));
  EXPECT_THAT(index.body, HasSubstr(R"("apis/resource.k8s.io/v1":{"serverRelativeURL")"));
  const net::client::ClientResponse document =
      Send(Request("GET", "/openapi/v3/apis/resource.k8s.io/v1"));
  EXPECT_THAT(document.body,
              AllOf(HasSubstr(R"("operationId":"patchResourceV1NamespacedResourceClaim")"),
                    HasSubstr(R"("name":"fieldValidation")"),
                    HasSubstr(R"("x-kubernetes-patch-merge-key":"uid")")));
  EXPECT_EQ(Send(Request("GET", "/openapi/v3/apis/resource.k8s.io/v1?hash=0")).status, 301);
}

// kubectl up to 1.26 reads version 2 before it writes; client-go since 1.27 version 3.
TEST_F(HttpApiTest, OpenApiIsProtobufToo) {
  for (const std::string_view form : {"v2@v1.0", "v2.v1.0", "v3@v1.0", "v3.v1.0"}) {
    const auto path = fmt::format("/openapi/{}", form[1] == '3' ? "v3/api/v1" : "v2");
    const auto asked = fmt::format("application/com.github.proto-openapi.spec.{}+protobuf", form);
    const net::client::ClientResponse answer = Send(Request("GET", path, "", "", asked));
    EXPECT_EQ(answer.status, 200);
    EXPECT_THAT(answer.headers.Get("Content-Type"), HasSubstr(form[1] == '3' ? "v3.v1" : "v2.v1"));
    EXPECT_EQ(answer.headers.Get("ETag"), Send(Request("GET", path)).headers.Get("ETag"));
    EXPECT_THAT(answer.body, HasSubstr("io.k8s.api.core.v1.ConfigMap"));
    EXPECT_EQ(Send(Request("GET", path, "", "", "text/plain")).status, 406);
  }
}

TEST_F(HttpApiTest, LargeAnswersAreCompressedForThoseWhoAsk) {
  const std::string note(100'000, 'x');
  for (const char* name : {"a", "b"}) {
    ASSERT_THAT(Do("POST",
                   kClaims,
                   std::string(R"({"metadata":{"name":")") + name + R"(","annotations":{"n":")" +
                       note + R"("}},"spec":{"devices":{}}})"),
                StartsWith("201 "));
  }
  net::client::ClientRequest request = Request("GET", kClaims);
  EXPECT_EQ(Send(request).headers.Get("Content-Encoding"), "");
  request.headers.Add("Accept-Encoding", "gzip");
  const net::client::ClientResponse response = Send(request);
  EXPECT_EQ(response.headers.Get("Content-Encoding"), "gzip");
  EXPECT_LT(response.body.size(), 10'000U);
}

// Reads one line or fails.
std::string Line(net::client::ResponseStream& stream) {
  EXPECT_EQ(stream.ReadLine(kPatience), net::client::ResponseStream::Outcome::kLine);
  return std::string(stream.line());
}

TEST_F(HttpApiTest, AWatchTellsOfChangesAsTheyHappen) {
  Do("POST", kClaims, kClaim);
  auto stream = client_->Open(Request("GET", std::string(kClaims) + "?watch=1"));
  ASSERT_TRUE(stream.has_value());
  EXPECT_EQ((*stream)->status(), 200);
  EXPECT_THAT(Line(**stream), StartsWith(R"({"type":"ADDED","object":{"kind":"ResourceClaim")"));
  Do("PATCH", Item("a"), R"({"metadata":{"labels":{"x":"y"}}})", "application/merge-patch+json");
  EXPECT_THAT(Line(**stream), StartsWith(R"({"type":"MODIFIED")"));
  Do("DELETE", Item("a"));
  EXPECT_THAT(Line(**stream), StartsWith(R"({"type":"DELETED")"));
}

TEST_F(HttpApiTest, AWatchEndsInTime) {
  auto stream = client_->Open(Request("GET", std::string(kClaims) + "?watch=1&timeoutSeconds=1"));
  ASSERT_TRUE(stream.has_value());
  EXPECT_EQ((*stream)->ReadLine(kPatience), net::client::ResponseStream::Outcome::kEnd);
}

TEST_F(HttpApiTest, AWatchMayAnnounceTheEndOfTheState) {
  Do("POST", kClaims, kClaim);
  auto stream = client_->Open(Request("GET",
                                      std::string(kClaims) +
                                          "?watch=1&sendInitialEvents=true&allowWatchBookmarks=1" +
                                          "&resourceVersionMatch=NotOlderThan"));
  ASSERT_TRUE(stream.has_value());
  EXPECT_THAT(Line(**stream), StartsWith(R"({"type":"ADDED")"));
  EXPECT_THAT(Line(**stream),
              AllOf(StartsWith(R"({"type":"BOOKMARK")"),
                    HasSubstr(R"("k8s.io/initial-events-end":"true")")));
}

TEST_F(HttpApiTest, AWatchOfTablesNamesItsColumnsOnce) {
  auto stream = client_->Open(Request("GET",
                                      std::string(kClaims) + "?watch=1",
                                      "",
                                      "",
                                      "application/json;as=Table;v=v1;g=meta.k8s.io"));
  ASSERT_TRUE(stream.has_value());
  Do("POST", kClaims, kClaim);
  EXPECT_THAT(Line(**stream), HasSubstr(R"("columnDefinitions":[{)"));
  Do("DELETE", Item("a"));
  EXPECT_THAT(Line(**stream), HasSubstr(R"("columnDefinitions":null)"));
}

TEST_F(HttpApiTest, AWatchSurvivesManyChangesAtOnce) {
  auto stream = client_->Open(Request("GET", std::string(kClaims) + "?watch=1"));
  ASSERT_TRUE(stream.has_value());
  Do("POST", kClaims, kClaim);
  constexpr int kChanges = 400;  // several batches
  for (int i = 0; i < kChanges; ++i) {
    Do("PATCH",
       Item("a"),
       R"({"metadata":{"labels":{"n":")" + std::to_string(i) + R"("}}})",
       "application/merge-patch+json");
  }
  EXPECT_THAT(Line(**stream), StartsWith(R"({"type":"ADDED")"));
  for (int i = 0; i < kChanges; ++i) {
    ASSERT_THAT(Line(**stream), HasSubstr(R"("labels":{"n":")" + std::to_string(i) + R"("})"));
  }
}

}  // namespace
}  // namespace dray::server::http
