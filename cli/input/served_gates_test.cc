// SPDX-License-Identifier: Apache-2.0
#include "cli/input/served_gates.h"

#include <gtest/gtest.h>

namespace dray::cli::inline input {
namespace {

using api::Gate;
using api::Release;

TEST(ServedGates, AreReadFromMetrics) {
  const ServedGates gates = ServedGatesIn(
      "# TYPE kubernetes_feature_enabled gauge\n"
      "kubernetes_feature_enabled{name=\"DRAAdminAccess\",stage=\"\"} 1\n"
      "kubernetes_feature_enabled{stage=\"BETA\",name=\"DRADeviceTaints\"} 0\n"
      "kubernetes_feature_enabled{stage=\"BETA\"} 1\n"
      "kubernetes_feature_enabled{name=\"Half\n"
      "kubernetes_feature_enabled_total{name=\"Other\"} 1\n"
      "kubernetes_feature_enabled{name=\"Last\",stage=\"ALPHA\"} 1");
  EXPECT_EQ(gates,
            (ServedGates{{"DRAAdminAccess", true}, {"DRADeviceTaints", false}, {"Last", true}}));
  EXPECT_TRUE(ServedGatesIn("").empty());
}

TEST(ServedGates, StandInForTheDefaultsOfTheRelease) {
  const Release release = Release::kNewest;
  EXPECT_EQ(GatesOf({}, release), api::FeatureGates::DefaultsOf(release));
  const api::FeatureGates gates = GatesOf(
      {{"DRAListTypeAttributes", true}, {"DRADeviceTaints", false}, {"NoSuchGate", true}}, release);
  EXPECT_TRUE(gates.Has(Gate::kListTypeAttributes));
  EXPECT_FALSE(gates.Has(Gate::kDeviceTaints));
  EXPECT_FALSE(api::FeatureGates::DefaultsOf(release).Has(Gate::kListTypeAttributes));
}

}  // namespace
}  // namespace dray::cli::inline input
