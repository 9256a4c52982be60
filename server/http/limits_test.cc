// SPDX-License-Identifier: Apache-2.0
#include "server/http/limits.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "base/simulated_world.h"
#include "net/client/http_client.h"
#include "net/server/http_server.h"
#include "server/http/http_api.h"
#include "server/http/in_flight.h"
#include "server/verbs/resources.h"
#include "store/memory_store.h"

namespace dray::server::http {
namespace {

TEST(InFlight, HasSoManyPlaces) {
  const HttpApiOptions usual;
  EXPECT_EQ(usual.reads_max, kReadsInFlightMax);
  EXPECT_EQ(usual.writes_max, kWritesInFlightMax);
  for (const size_t max : {size_t{1}, kReadsInFlightMax, kWritesInFlightMax}) {
    SCOPED_TRACE(max);
    const auto in_flight = std::make_shared<InFlight>(max);
    std::vector<InFlight::Place> places;
    const auto take = [&](InFlight::Rank rank) {
      InFlight::Place place = InFlight::Take(in_flight, rank);
      const bool has_place = static_cast<bool>(place);
      if (has_place) places.push_back(std::move(place));
      return has_place;
    };
    for (size_t i = 0; i < max; ++i) EXPECT_TRUE(take(InFlight::Rank::kUsual)) << i;
    EXPECT_FALSE(take(InFlight::Rank::kUsual));
    EXPECT_EQ(in_flight->count(), max) << "who is refused takes no place";
    EXPECT_TRUE(take(InFlight::Rank::kAlways));
    places.erase(places.begin());
    EXPECT_FALSE(take(InFlight::Rank::kUsual)) << "one too many were let in";
    places.erase(places.begin());
    EXPECT_TRUE(take(InFlight::Rank::kUsual));
  }
}

TEST(InFlight, ZeroIsNoLimit) {
  const auto in_flight = std::make_shared<InFlight>(0);
  std::vector<InFlight::Place> places;
  for (size_t i = 0; i <= kReadsInFlightMax; ++i) {
    places.push_back(InFlight::Take(in_flight, InFlight::Rank::kUsual));
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
