// SPDX-License-Identifier: Apache-2.0
#include "control_plane/server_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/simulated_world.h"
#include "control_plane/credentials.h"

namespace dray::control_plane {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

const net::server::OwnNames kOwn{.host = "lab-3", .addresses = {"10.1.2.3", "fd00::3"}};

TEST(ServerAddress, OfOneAddressIsThatAddress) {
  const ServerAddress address = AddressOf("10.9.9.9", {"api.lab"}, kOwn);
  EXPECT_EQ(address.local, "10.9.9.9");
  EXPECT_EQ(address.advertised, "10.9.9.9");
  EXPECT_THAT(address.names, ElementsAre("10.9.9.9", "api.lab"));
}

TEST(ServerAddress, OfEveryAddressIsAllOfThem) {
  const ServerAddress four = AddressOf("0.0.0.0", {"api.lab"}, kOwn);
  EXPECT_EQ(four.local, "127.0.0.1");
  EXPECT_EQ(four.advertised, "10.1.2.3");
  EXPECT_THAT(four.names, ElementsAre("lab-3", "10.1.2.3", "fd00::3", "api.lab"));
  const ServerAddress six = AddressOf("::", {}, kOwn);
  EXPECT_EQ(six.local, "::1");
  EXPECT_EQ(AddressOf("::0", {}, {}).advertised, "::1");
}

TEST(ServerAddress, ACertificateIsMadeAnewForAFurtherName) {
  SimulatedWorld simulated(1);
  World& world = simulated.world();
  const auto names = [](const ServerCredentials& credentials) {
    return net::tls::ReadCertificate(credentials.serving.certificate_pem)->names;
  };
  const auto first = LoadOrMakeCredentials(world, "data", {"127.0.0.1"});
  const auto again = LoadOrMakeCredentials(world, "data", {"127.0.0.1"});
  EXPECT_EQ(first->serving.certificate_pem, again->serving.certificate_pem);
  const auto more = LoadOrMakeCredentials(world, "data", {"127.0.0.1", "api.lab", "10.1.2.3"});
  EXPECT_THAT(names(*more), IsSupersetOf({"127.0.0.1", "api.lab", "10.1.2.3", "localhost"}));
  EXPECT_EQ(first->ca.certificate_pem, more->ca.certificate_pem);
  const auto fewer = LoadOrMakeCredentials(world, "data", {"api.lab"});
  EXPECT_EQ(more->serving.certificate_pem, fewer->serving.certificate_pem);
  EXPECT_EQ(LoadOrMakeCredentials(world, "data", {"no name"}).error().reason,
            StatusReason::kBadRequest);
}

}  // namespace
}  // namespace dray::control_plane
