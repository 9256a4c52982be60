// SPDX-License-Identifier: Apache-2.0
#include "client/http_client.h"

#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "base/world.h"
#include "net/http.h"
#include "net/testing/server_fixture.h"

namespace dray::client {
namespace {

using api::core_v1::Node;

class ClientConnections : public net::testing::ServerTest {
 protected:
  /// Each is answered when all have come: so they have a connection each.
  void AskAtOnce(HttpClient& client, size_t requests) {
    awaited_ = requests;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < requests; ++i) {
      threads.emplace_back([&] {
        EXPECT_TRUE(client.Get({.kind = &api::Reflected<Node>::kKind, .name = "n"}).has_value());
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  size_t awaited_ = 0;
};

TEST_F(ClientConnections, SoManyAreKept) {
  std::vector<std::shared_ptr<net::Responder>> waiting;
  StartServer([&](const net::Request&, const std::shared_ptr<net::Responder>& responder) {
    waiting.push_back(responder);
    if (waiting.size() < awaited_) return;
    for (const auto& each : waiting) {
      each->Respond({}, net::Bytes(R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}})"));
    }
    waiting.clear();
  });
  const auto client = HttpClient::Create(
      RealWorld().clock, {.server = fmt::format("http://127.0.0.1:{}", server_->port())});
  ASSERT_TRUE(client.has_value());
  AskAtOnce(**client, HttpClient::kIdleConnectionsMax);
  EXPECT_EQ(server_->connections(), HttpClient::kIdleConnectionsMax);
  AskAtOnce(**client, HttpClient::kIdleConnectionsMax + 1);
  while (server_->connections() != HttpClient::kIdleConnectionsMax) std::this_thread::yield();
}

// What such a server answers: an object with its metadata, in place of the kind asked for.
TEST_F(ClientConnections, AsksForMetadataAlone) {
  std::string accepted;
  StartServer([&](const net::Request& request, const std::shared_ptr<net::Responder>& responder) {
    accepted = request.headers.Get("Accept");
    responder->Respond(
        {},
        net::Bytes(R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1",)"
                   R"("metadata":{"resourceVersion":"7"},"items":[{"kind":)"
                   R"("PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
                   R"("metadata":{"name":"n","uid":"u"}}]})"));
  });
  const auto client = HttpClient::Create(
      RealWorld().clock, {.server = fmt::format("http://127.0.0.1:{}", server_->port())});
  ASSERT_TRUE(client.has_value());
  const auto list = (*client)->List(api::Reflected<Node>::kKind, {.metadata_of_large = true});
  ASSERT_TRUE(list.has_value()) << list.error().message;
  ASSERT_EQ(list->items.size(), 1U);
  EXPECT_EQ(list->items[0].metadata().uid, "u");
  EXPECT_EQ(accepted,
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json");
}

}  // namespace
}  // namespace dray::client
