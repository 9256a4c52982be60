// SPDX-License-Identifier: Apache-2.0
#include "api/feature_gates.h"

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/measured_release.h"
#include "api/other_gates.h"

namespace dray::api {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string After(Release release, std::string_view flags) {
  FeatureGates gates = FeatureGates::AllOf(release);
  const Result<> applied = gates.Apply(flags, release);
  if (!applied) return applied.error().message;
  std::string off;
  for (const GateInfo& gate : Gates()) {
    if (gate.in.Has(release) && !gates.Has(gate.gate)) off += std::string(gate.name) + " ";
  }
  return off;
}

TEST(FeatureGates, StandInTheOrderOfTheirNumbers) {
  ASSERT_EQ(Gates().size(), kGateCount);
  for (size_t i = 0; i < kGateCount; ++i) {
    EXPECT_EQ(static_cast<size_t>(Gates()[i].gate), i) << Gates()[i].name;
  }
}

TEST(FeatureGates, AreThoseOfTheRelease) {
  EXPECT_TRUE(FeatureGates::AllOf(Release::k1_31).Has(Gate::kControlPlaneController));
  EXPECT_FALSE(FeatureGates::AllOf(Release::k1_32).Has(Gate::kControlPlaneController));
  EXPECT_FALSE(FeatureGates::AllOf(Release::k1_36).Has(Gate::kDerivedAttributes));
  EXPECT_TRUE(FeatureGates::AllOf(Release::kNewest).Has(Gate::kDerivedAttributes));
  EXPECT_FALSE(FeatureGates::DefaultsOf(Release::kNewest).Has(Gate::kDerivedAttributes));
  EXPECT_TRUE(FeatureGates::DefaultsOf(Release::kNewest).Has(Gate::kDeviceTaintRules));
  EXPECT_FALSE(FeatureGates::DefaultsOf(Release::k1_36).Has(Gate::kDeviceTaintRules));
}

TEST(FeatureGates, GoOffWithWhatTheyNeed) {
  EXPECT_EQ(After(Release::kNewest, "DRADeviceTaints=false"),
            "DRADeviceTaints DRADeviceTaintRules ");
  EXPECT_EQ(After(Release::kNewest, "DRAPartitionableDevices=false"),
            "DRAPartitionableDevices DRAPartitionableDevicesType DRADeviceCompatibilityGroups ");
  EXPECT_EQ(After(Release::k1_36, "DRAResourceClaimDeviceStatus=false"),
            "DRAResourceClaimDeviceStatus DRADeviceBindingConditions "
            "DRAResourceClaimGranularStatusAuthorization ");
  EXPECT_EQ(After(Release::kNewest, "DRADeviceTaints=false,DRADeviceTaints=T"), "");
}

TEST(FeatureGates, OfAStageAreSwitchedTogetherAndThoseNamedCountMore) {
  struct Row {
    Release release;
    std::string_view flags, off;
  };
  for (const Row& row :
       {Row{Release::kNewest,
            "AllAlpha=false",
            "DRAListTypeAttributes DRANodeAllocatableResources DRAResourcePoolStatus "
            "DRAOptionalNodeOperations DRAPartitionableDevicesType DRADeviceCompatibilityGroups "
            "DRADerivedAttributes TopologyAwareWorkloadScheduling "},
        Row{Release::k1_34,
            "DRAAdminAccess=true,AllBeta=false",
            "DRAResourceClaimDeviceStatus DRAPrioritizedList DRADeviceBindingConditions "},
        Row{Release::k1_34, "AllAlpha=false,AllAlpha=true", ""},
        Row{Release::k1_36,
            "AllBeta=false,AllAlpha=true,DRADeviceTaints=true",
            "DRAResourceClaimDeviceStatus DRAPartitionableDevices DRADeviceTaintRules "
            "DRADeviceBindingConditions DRAConsumableCapacity DRAExtendedResource "
            "DRAResourceClaimGranularStatusAuthorization NodeDeclaredFeatures "}}) {
    EXPECT_EQ(After(row.release, row.flags), row.off) << row.flags;
  }
}

TEST(FeatureGates, RefuseWhatTheReleaseDoesNotAllow) {
  EXPECT_THAT(After(Release::kNewest, "DRAFoo=true"),
              HasSubstr("unrecognized feature gate: DRAFoo; 1.37 has AllAlpha, AllBeta, "
                        "DynamicResourceAllocation, "));
  EXPECT_THAT(After(Release::k1_34, "DRADerivedAttributes=false"),
              HasSubstr("unrecognized feature gate: DRADerivedAttributes; 1.34 has "));
  EXPECT_EQ(After(Release::kNewest, "DRADeviceTaints=perhaps"),
            "invalid value of DRADeviceTaints: expected DRADeviceTaints=true or "
            "DRADeviceTaints=false");
  EXPECT_EQ(After(Release::kNewest, "DRADeviceTaints"),
            "invalid value of DRADeviceTaints: expected DRADeviceTaints=true or "
            "DRADeviceTaints=false");
  EXPECT_EQ(After(Release::kNewest, "DRAAdminAccess=false"),
            "cannot set feature gate DRAAdminAccess to false, feature is locked to true in 1.37");
  EXPECT_EQ(After(Release::k1_34, "DRAAdminAccess=false"), "DRAAdminAccess ");
}

TEST(FeatureGates, OfUpstreamThatSwitchNothingHereAreTaken) {
  EXPECT_EQ(After(Release::kNewest, "InPlacePodVerticalScaling=true,ImageVolumeWithDigest=true"),
            "");
  EXPECT_THAT(After(Release::k1_35, "ImageVolumeWithDigest=true"), Not(HasSubstr("unrecognized")));
  EXPECT_THAT(After(Release::k1_34, "ImageVolumeWithDigest=true"),
              HasSubstr("unrecognized feature gate: ImageVolumeWithDigest; 1.34 has "));
  EXPECT_EQ(After(Release::kNewest, "MultiCIDRServiceAllocator=false"),
            "cannot set feature gate MultiCIDRServiceAllocator to false, feature is locked to true "
            "in 1.37");
  EXPECT_EQ(After(Release::kNewest, "DeclarativeValidationTakeover=true"),
            "cannot set feature gate DeclarativeValidationTakeover to true, feature is locked to "
            "false in 1.37");
  EXPECT_EQ(After(Release::k1_30, "DeclarativeValidationTakeover=true").find("unrecognized"), 0);
  EXPECT_THAT(OtherGatesIn("DRAAdminAccess=true,,JobManagedBy=true,Foo=true", Release::kNewest),
              ElementsAre("JobManagedBy=true"));
}

TEST(FeatureGates, ANearNameIsProposed) {
  struct Row {
    Release release;
    std::string_view flags, end;
  };
  for (const Row& row :
       {Row{Release::kNewest, "DRADeviceTaint=true", "; did you mean DRADeviceTaints?"},
        Row{Release::kNewest, "dradevicetaintrule=true", "; did you mean DRADeviceTaintRules?"},
        Row{Release::kNewest, "AllBet=true", "; did you mean AllBeta?"},
        Row{Release::kNewest, "Xyz=true", ", TopologyAwareWorkloadScheduling"},
        Row{Release::k1_34, "DRADeviceTaintRules=true", ", AllowUnsafeMalformedObjectDeletion"}}) {
    EXPECT_THAT(After(row.release, row.flags), EndsWith(row.end)) << row.flags;
  }
}

TEST(FeatureGates, StayAsTheyWereWhenOneOfSeveralFlagsIsWrong) {
  FeatureGates gates = FeatureGates::AllOf(Release::kNewest);
  const FeatureGates before = gates;
  EXPECT_FALSE(gates.Apply("DRADeviceTaints=false,DRAFoo=true", Release::kNewest).has_value());
  EXPECT_EQ(gates, before);
}

TEST(Releases, AreReadWithAndWithoutPatchVersion) {
  for (const std::string_view text : {"1.34", "v1.34", "1.34.4", "v1.34.0"}) {
    EXPECT_EQ(ParseRelease(text).value_or(Release::kAny), Release::k1_34) << text;
  }
  const std::string nearest = "; did you mean ";
  const std::pair<std::string, std::string> unknown[] = {{"", ""},
                                                         {"1", ""},
                                                         {"1.", ""},
                                                         {"34", ""},
                                                         {"1.x", ""},
                                                         {"1.3", nearest + "1.26?"},
                                                         {"1.38", nearest + "1.37?"},
                                                         {"1.340", nearest + "1.37?"}};
  for (const auto& [text, hint] : unknown) {
    EXPECT_EQ(
        ParseRelease(text).error().message,
        fmt::format("unknown release {:?}: expected one of 1.26, 1.27, 1.28, 1.29, 1.30, 1.31, "
                    "1.32, 1.33, 1.34, 1.35, 1.36, 1.37{}",
                    text,
                    hint));
  }
  EXPECT_FALSE(IsMeasured(*ParseRelease("1.29")));
  EXPECT_TRUE(IsMeasured(*ParseRelease("1.30")));
  EXPECT_EQ(ReleaseName(Release::kAny), "1.37");
}

TEST(Releases, OfAnyReleaseMeanTheUnionForFieldsAndTheNewestForRules) {
  constexpr Releases kOld = {.first = 31, .last = 33};
  EXPECT_TRUE(kOld.Has(Release::kAny));
  EXPECT_FALSE(kOld.Rules(Release::kAny));
  EXPECT_TRUE(kOld.Rules(Release::k1_33));
  EXPECT_FALSE(kOld.Has(Release::k1_34));
  EXPECT_FALSE(Releases::None().Has(Release::kAny));
}

}  // namespace
}  // namespace dray::api
