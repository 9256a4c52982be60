// SPDX-License-Identifier: Apache-2.0
#include "server/http/limits.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/frozen.h"
#include "base/log.h"
#include "base/share_budget.h"
#include "base/simulated_world.h"
#include "net/client/http_client.h"
#include "net/server/http_server.h"
#include "server/http/http_api.h"
#include "server/http/in_flight.h"
#include "server/verbs/resources.h"
#include "store/memory_store.h"

namespace dray::server::http {
namespace {

Frozen<ShareOwner> Sender(std::string name, ShareRank rank) {
  return std::make_shared<const ShareOwner>(ShareOwner{.name = std::move(name), .rank = rank});
}

TEST(InFlight, HasSoManyPlaces) {
  const HttpApiOptions usual;
  EXPECT_EQ(usual.reads_max, kReadsInFlightMax);
  EXPECT_EQ(usual.writes_max, kWritesInFlightMax);
  for (const size_t max : {size_t{1}, kReadsInFlightMax, kWritesInFlightMax}) {
    SCOPED_TRACE(max);
    const auto in_flight = std::make_shared<InFlight>(max);
    std::vector<InFlight::Place> places;
    const auto take = [&](const std::string& name, ShareRank rank = ShareRank::kUsual) {
      InFlight::Place place = InFlight::Take(in_flight, Sender(name, rank));
      const bool has_place = static_cast<bool>(place);
      if (has_place) places.push_back(std::move(place));
      return has_place;
    };
    for (size_t i = 0; i < std::max<size_t>(max / 4, 1); ++i) EXPECT_TRUE(take("greedy")) << i;
    EXPECT_FALSE(take("greedy")) << "he has his share";
    const size_t usual = max - max / 8;
    for (size_t i = places.size(); i < usual; ++i) EXPECT_TRUE(take(std::to_string(i))) << i;
    EXPECT_FALSE(take("other"));
    EXPECT_EQ(in_flight->count(), usual) << "who is refused takes no place";
    EXPECT_EQ(take("node", ShareRank::kSystem), max > 1) << "some are in reserve";
    EXPECT_TRUE(take("admin", ShareRank::kExempt));
    EXPECT_TRUE(static_cast<bool>(InFlight::Take(in_flight, nullptr)));
    places.clear();
    EXPECT_EQ(in_flight->count(), 0U);
    EXPECT_TRUE(take("other"));
  }
}

TEST(InFlight, ZeroIsNoLimit) {
  const auto in_flight = std::make_shared<InFlight>(0);
  std::vector<InFlight::Place> places;
  for (size_t i = 0; i <= kReadsInFlightMax; ++i) {
    places.push_back(InFlight::Take(in_flight, Sender("one", ShareRank::kUsual)));
    EXPECT_TRUE(static_cast<bool>(places.back()));
  }
}

TEST(AuditId, OfAClientHasALimit) {
  SimulatedWorld world(7);
  const Log log = Log::Silent();
  const api::Scheme scheme;
  store::MemoryStore store;
  verbs::Resources resources(scheme, store, world.world(), log, {});
  HttpApi api(resources, world.world(), log, {});
  const auto server = net::server::HttpServer::Start(RealWorld().clock, log, {}, api).value();
  net::client::HttpClient client(
      RealWorld().clock,
      {.server = {.scheme = net::Scheme::kHttp, .host = "127.0.0.1", .port = server->port()}});
  const auto answered = [&](const std::string& asked) {
    net::client::ClientRequest request{.method = "GET", .target = "/version"};
    request.headers.Add("Audit-Id", asked);
    const auto answer = client.Send(request);
    return answer.has_value() ? std::string(answer->headers.Get("Audit-Id")) : "no answer";
  };
  const std::string longest(kAuditIdMax, 'a');
  EXPECT_EQ(answered(longest), longest);
  EXPECT_THAT(answered(longest + 'a'), ::testing::SizeIs(36)) << "a new one";
  server->Shutdown(std::chrono::milliseconds(0));
  api.Drain();
}

}  // namespace
}  // namespace dray::server::http
