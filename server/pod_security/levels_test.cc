// SPDX-License-Identifier: Apache-2.0
#include "server/pod_security/levels.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dray::server::pod_security {
namespace {

using Labels = api::Map<std::string>;

// "enforce audit warn", then each mistake after a semicolon.
std::string Shown(const Labels& labels) {
  std::vector<LabelMistake> mistakes;
  const Demands demands = DemandsOf(labels, &mistakes);
  std::string text =
      fmt::format("{} {} {}", demands.enforce.Text(), demands.audit.Text(), demands.warn.Text());
  for (const LabelMistake& one : mistakes) {
    text += fmt::format("; {}={}: {}", one.Field(), one.value, one.message);
  }
  return text;
}

Labels Of(std::initializer_list<std::pair<std::string_view, std::string>> members) {
  Labels labels;
  for (const auto& [name, value] : members) {
    labels[fmt::format("pod-security.kubernetes.io/{}", name)] = value;
  }
  return labels;
}

TEST(PodSecurityLevels, OfANamespaceWithoutLabelsDemandNothing) {
  EXPECT_EQ(Shown({}), "privileged:latest privileged:latest privileged:latest");
  EXPECT_EQ(Shown({{"team", "a"}}), "privileged:latest privileged:latest privileged:latest");
  EXPECT_TRUE(DemandsOf({}, nullptr).AreNone());
}

TEST(PodSecurityLevels, WhatIsEnforcedIsWarnedOf) {
  EXPECT_EQ(Shown(Of({{"enforce", "baseline"}, {"enforce-version", "v1.24"}})),
            "baseline:v1.24 privileged:latest baseline:v1.24");
  EXPECT_EQ(Shown(Of({{"enforce", "baseline"}, {"warn-version", "v1.30"}})),
            "baseline:latest privileged:latest baseline:v1.30");
  EXPECT_EQ(Shown(Of({{"enforce", "baseline"}, {"warn", "privileged"}})),
            "baseline:latest privileged:latest privileged:latest");
  EXPECT_EQ(Shown(Of({{"enforce", "privileged"}, {"warn", "restricted"}, {"audit", "baseline"}})),
            "privileged:latest baseline:latest restricted:latest");
}

TEST(PodSecurityLevels, WithoutMeaningAreStrictOnlyWhereTheyRefuse) {
  EXPECT_EQ(Shown(Of({{"enforce", "high"}, {"audit", "high"}, {"warn", ""}})),
            "restricted:latest privileged:latest privileged:latest; "
            "metadata.labels[pod-security.kubernetes.io/enforce]=high: must be one of privileged, "
            "baseline, restricted; "
            "metadata.labels[pod-security.kubernetes.io/audit]=high: must be one of privileged, "
            "baseline, restricted; "
            "metadata.labels[pod-security.kubernetes.io/warn]=: must be one of privileged, "
            "baseline, restricted");
  EXPECT_EQ(Shown(Of({{"enforce", "high"}})),
            "restricted:latest privileged:latest privileged:latest; "
            "metadata.labels[pod-security.kubernetes.io/enforce]=high: must be one of privileged, "
            "baseline, restricted");
}

TEST(PodSecurityLevels, VersionsAreMinorOnesOrTheLatest) {
  for (const std::string version : {"v1.0", "v1.9", "v1.37", "v1.4294967295"}) {
    EXPECT_EQ(Shown(Of({{"audit", "baseline"}, {"audit-version", version}})),
              fmt::format("privileged:latest baseline:{} privileged:latest", version));
  }
  EXPECT_EQ(Shown(Of({{"audit-version", "latest"}})),
            "privileged:latest privileged:latest privileged:latest");
  for (const std::string version :
       {"", "v1", "v1.", "v1.01", "v2.3", "1.24", "v1.2.3", "v1.-1", "v1.4294967296", "Latest"}) {
    EXPECT_EQ(Shown(Of({{"audit-version", version}})),
              fmt::format("privileged:latest privileged:latest privileged:latest; "
                          "metadata.labels[pod-security.kubernetes.io/audit-version]={}: "
                          "must be \"latest\" or \"v1.x\"",
                          version));
  }
}

}  // namespace
}  // namespace dray::server::pod_security
