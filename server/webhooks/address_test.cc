// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/address.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/core_v1/service.h"
#include "api/discovery_v1.h"
#include "api/object.h"
#include "server/webhooks/service_numbers.h"

namespace dray::server::webhooks {
namespace {

/// Some objects, and an authorizer that refuses everything.
class Objects final : public policies::Surroundings {
 public:
  void Add(const api::KindInfo& kind, std::string_view json) {
    objects_.push_back(api::DecodeJson(kind, json, nullptr).value());
  }

  const api::Scheme& scheme() const override { return scheme_; }
  std::optional<api::Object> Find(const api::KindInfo& kind,
                                  std::string_view namespace_name,
                                  std::string_view name) const override {
    for (const api::Object& one : objects_) {
      const auto& meta = one.metadata();
      if (&one.kind() == &kind && meta.namespace_ == namespace_name && meta.name == name) {
        return one;
      }
    }
    return std::nullopt;
  }
  void Each(const api::KindInfo& kind,
            std::string_view namespace_name,
            const std::function<bool(const api::Object& object)>& take) const override {
    for (const api::Object& one : objects_) {
      if (&one.kind() != &kind || one.metadata().namespace_ != namespace_name) continue;
      if (!take(one)) return;
    }
  }
  access::Verdict Decide(const access::User& /*user*/,
                         const access::Attributes& /*asked*/) const override {
    return {};
  }

 private:
  api::Scheme scheme_;
  std::vector<api::Object> objects_;
};

class AddressTest : public ::testing::Test {
 protected:
  void Service(std::string_view spec) {
    objects_.Add(
        api::Reflected<api::core_v1::Service>::kKind,
        fmt::format(R"({{"metadata":{{"name":"hook","namespace":"ns"}},"spec":{}}})", spec));
  }
  void Slice(std::string_view rest) {
    objects_.Add(
        api::Reflected<api::discovery_v1::EndpointSlice>::kKind,
        fmt::format(R"({{"metadata":{{"name":"s","namespace":"ns","labels":)"
                    R"({{"kubernetes.io/service-name":"hook"}}}},"addressType":"IPv4",{}}})",
                    rest));
  }

  /// "url at host:port/path", or why not.
  std::string Of(const api::admissionregistration_v1::WebhookClientConfig& client,
                 uint64_t choice = 0) const {
    const auto address = AddressOf(client, objects_, choice);
    if (!address.has_value()) return address.error().url + " " + address.error().why;
    const net::Endpoint& at = address->address.host.empty() ? address->server : address->address;
    return fmt::format("{} at {}{}", address->url, net::HostPort(at), address->path);
  }
  std::string OfService(std::optional<std::string> path = std::nullopt,
                        std::optional<int32_t> port = std::nullopt,
                        uint64_t choice = 0) const {
    api::admissionregistration_v1::WebhookClientConfig client;
    client.service.emplace();
    client.service->name = "hook";
    client.service->namespace_ = "ns";
    client.service->path = std::move(path);
    client.service->port = port;
    return Of(client, choice);
  }
  std::string OfUrl(std::string url) const {
    api::admissionregistration_v1::WebhookClientConfig client;
    client.url = std::move(url);
    return Of(client);
  }

  Objects objects_;
};

TEST_F(AddressTest, UrlsAreTakenAsTheyAre) {
  EXPECT_EQ(OfUrl("https://a.test/v"), "https://a.test/v at a.test:443/v");
  EXPECT_EQ(OfUrl("https://a.test:8443"), "https://a.test:8443/ at a.test:8443/");
  EXPECT_EQ(OfUrl("https://[::1]:1/a//b/"), "https://[::1]:1/a/b at [::1]:1/a/b");
  EXPECT_EQ(OfUrl("https://"),
            " Unparsable URL: server URL \"https://\": the host is empty or "
            "holds a bad character");
}

TEST_F(AddressTest, AMissingServiceHasNoAddress) {
  EXPECT_EQ(OfService(), R"(https://hook.ns.svc:443/ service "hook" not found)");
}

TEST_F(AddressTest, AnExternalNameStandsForTheService) {
  Service(R"({"type":"ExternalName","externalName":"a.test"})");
  EXPECT_EQ(OfService("/v", 8443), "https://hook.ns.svc:8443/v at a.test:8443/v");
}

TEST_F(AddressTest, ReadyEndpointsAreChosenFrom) {
  Service(R"({"clusterIP":"10.0.0.1","ports":[{"name":"https","port":443}]})");
  EXPECT_EQ(OfService(), "https://hook.ns.svc:443/ at 10.0.0.1:443/");
  Slice(R"("ports":[{"name":"other","port":1},{"name":"https","port":8443}],"endpoints":[)"
        R"({"addresses":["127.0.0.2"]},{"addresses":["127.0.0.3"],"conditions":{"ready":false}},)"
        R"({"addresses":["127.0.0.4"],"conditions":{"ready":true}}])");
  EXPECT_EQ(OfService(), "https://hook.ns.svc:443/ at 127.0.0.2:8443/");
  EXPECT_EQ(OfService({}, {}, 1), "https://hook.ns.svc:443/ at 127.0.0.4:8443/");
  EXPECT_EQ(OfService({}, {}, 2), "https://hook.ns.svc:443/ at 127.0.0.2:8443/");
}

TEST_F(AddressTest, AtTheServersOwnAddressesNothingListens) {
  objects_.Add(api::Reflected<api::core_v1::Service>::kKind,
               fmt::format(R"({{"metadata":{{"name":"hook","namespace":"ns","uid":"u"}},)"
                           R"("spec":{{"clusterIP":"{}","ports":[{{"port":443}}]}}}})",
                           MadeClusterIp("u")));
  EXPECT_EQ(OfService(),
            fmt::format("https://hook.ns.svc:443/ dial tcp {}:443: connect: connection refused",
                        MadeClusterIp("u")));
}

TEST_F(AddressTest, AServiceWithoutThatPortOrAnAddressIsNoAddress) {
  Service(R"({"clusterIP":"None","ports":[{"port":443}]})");
  EXPECT_EQ(OfService({}, 8443),
            R"(https://hook.ns.svc:8443/ no service port 8443 found for service "hook")");
  EXPECT_EQ(OfService(), R"(https://hook.ns.svc:443/ no endpoints available for service "hook")");
}

}  // namespace
}  // namespace dray::server::webhooks
