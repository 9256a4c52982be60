// SPDX-License-Identifier: Apache-2.0
#include "dray/profile.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "allocator/feature_switches.h"
#include "allocator/rules/selector_environment.h"

namespace dray::allocator {
namespace {

using api::Release;
using ::testing::HasSubstr;

Features NoFeatures() {
  Features features;
  for (const FeatureSwitch& feature : FeatureSwitches()) features.*feature.on = false;
  return features;
}

TEST(Profile, LabelsComeBackAsTheyWere) {
  for (const std::string_view label : ProfileNames()) {
    const Result<Profile> profile = ParseProfile(label);
    ASSERT_TRUE(profile) << label;
    const std::string_view without_public = label.substr(0, label.find("/public"));
    EXPECT_EQ(ToString(*profile), without_public);
  }
}

TEST(Profile, LabelNamesReleaseAndImplementation) {
  EXPECT_EQ(*ParseProfile("v0.31.8"), (Profile{.release = Release::k1_31}));
  EXPECT_EQ(*ParseProfile("v0.36.6/stable"),
            (Profile{.release = Release::k1_36, .implementation = Implementation::kStable}));
  EXPECT_EQ(*ParseProfile("v0.37.2/public"), Profile());
}

TEST(Profile, UnknownLabelsAreRefusedWithTheKnownOnes) {
  for (const char* label :
       {"", "v0.37", "0.37.2", "v0.37.2/", "v0.37.2/beta", "v0.31.8/stable", "v0.37.2/stable "}) {
    const Result<Profile> profile = ParseProfile(label);
    ASSERT_FALSE(profile) << label;
    EXPECT_EQ(profile.error().reason, StatusReason::kInvalid);
    EXPECT_THAT(profile.error().message, HasSubstr("v0.31.8, v0.36.6, v0.36.6/stable"));
  }
}

struct PickCase {
  bool Features::* on;
  Implementation picked;
};

TEST(Profile, TheLeastExperimentalImplementationIsPicked) {
  EXPECT_EQ(Complete({}, NoFeatures())->Picked(), Implementation::kStable);
  constexpr PickCase kCases[] = {
      {&Features::admin_access, Implementation::kStable},
      {&Features::prioritized_list, Implementation::kStable},
      {&Features::partitionable_devices, Implementation::kStable},
      {&Features::device_taints, Implementation::kStable},
      {&Features::device_binding_and_status, Implementation::kIncubating},
      {&Features::consumable_capacity, Implementation::kIncubating},
      {&Features::fractional_capacity_range, Implementation::kIncubating},
      {&Features::list_type_attributes, Implementation::kExperimental},
      {&Features::compatibility_groups, Implementation::kExperimental},
      {&Features::derived_attributes, Implementation::kExperimental},
      {&Features::optional_node_operations, Implementation::kExperimental},
  };
  for (const PickCase& c : kCases) {
    Features features = NoFeatures();
    features.*c.on = true;
    EXPECT_EQ(features.Picked(), c.picked);
    EXPECT_EQ(Complete({}, features)->Picked(), c.picked);
  }
}

TEST(Profile, AnImplementationThatLacksASwitchSaysWhich) {
  Features features = NoFeatures();
  features.consumable_capacity = true;
  const Result<Features> stable = Complete(*ParseProfile("v0.37.2/stable"), features);
  ASSERT_FALSE(stable);
  EXPECT_EQ(stable.error().reason, StatusReason::kInternalError);
  EXPECT_EQ(stable.error().message,
            "internal error: no allocator available for feature set {AdminAccess:false "
            "CompatibilityGroups:false ConsumableCapacity:true DerivedAttributes:false "
            "DeviceBindingAndStatus:false DeviceTaints:false FractionalCapacityRange:false "
            "ListTypeAttributes:false OptionalNodeOperations:false PartitionableDevices:false "
            "PrioritizedList:false}, enabled allocators: stable");
}

TEST(Profile, OlderReleasesLackNewSwitchesAltogether) {
  Features features = NoFeatures();
  features.derived_attributes = true;
  const Result<Features> result = Complete(*ParseProfile("v0.36.6"), features);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("DerivedAttributes:true"));
  EXPECT_THAT(result.error().message, HasSubstr("enabled allocators: stable, incubating, exper"));
}

TEST(Profile, DefaultsAreThoseOfACluster) {
  const Result<Features> newest = FeaturesOf(Profile(), "");
  ASSERT_TRUE(newest) << newest.error().message;
  const Features built_in;
  for (const FeatureSwitch& feature : FeatureSwitches())
    EXPECT_EQ((*newest).*feature.on, built_in.*feature.on) << feature.name;
  EXPECT_EQ(newest->Picked(), Implementation::kIncubating);

  const Result<Features> older = FeaturesOf(*ParseProfile("v0.36.6"), "");
  ASSERT_TRUE(older) << older.error().message;
  EXPECT_TRUE(older->consumable_capacity);
  EXPECT_FALSE(older->fractional_capacity_range);
  EXPECT_EQ(older->Picked(), Implementation::kIncubating);
}

TEST(Profile, BindingConditionsNeedTwoGates) {
  EXPECT_FALSE(FeaturesOf(*ParseProfile("v0.36.6"), "DRADeviceBindingConditions=false")
                   ->device_binding_and_status);
  EXPECT_FALSE(FeaturesOf(*ParseProfile("v0.36.6"), "DRAResourceClaimDeviceStatus=false")
                   ->device_binding_and_status);
  EXPECT_TRUE(FeaturesOf(*ParseProfile("v0.36.6"), "DRADeviceBindingConditions=true")
                  ->device_binding_and_status);
}

TEST(Profile, UnknownGatesAreRefused) {
  for (const char* gates :
       {"DRANoSuchThing=true", "DRAPartitionableDevices", "PrioritizedList=1"}) {
    const Result<Features> features = FeaturesOf(Profile(), gates);
    ASSERT_FALSE(features) << gates;
    EXPECT_EQ(features.error().reason, StatusReason::kInvalid);
  }
  const Result<Features> too_new =
      FeaturesOf(*ParseProfile("v0.36.6"), "DRADerivedAttributes=true");
  ASSERT_FALSE(too_new);
  EXPECT_THAT(too_new.error().message,
              HasSubstr("unrecognized feature gate: DRADerivedAttributes"));
}

TEST(Profile, TheFirstReleaseHasNoSwitches) {
  const Result<Features> features = FeaturesOf(*ParseProfile("v0.31.8"), "");
  ASSERT_TRUE(features) << features.error().message;
  EXPECT_TRUE(features->admin_access);
  EXPECT_FALSE(features->partitionable_devices);
  EXPECT_EQ(features->release, Release::k1_31);
}

TEST(Profile, OfAReleaseIsItsOwnOrTheNearest) {
  const auto profile = [](int minor) { return ToString(ProfileFor(static_cast<Release>(minor))); };
  EXPECT_EQ(ToString(ProfileFor(Release::kAny)), "v0.37.2");
  EXPECT_EQ(profile(37), "v0.37.2");
  for (const int minor : {33, 34, 35, 36}) EXPECT_EQ(profile(minor), "v0.36.6") << minor;
  for (const int minor : {26, 30, 31, 32}) EXPECT_EQ(profile(minor), "v0.31.8") << minor;
  for (int minor = 26; minor <= 37; ++minor) {
    const bool is_own = minor == 31 || minor == 36 || minor == 37;
    EXPECT_EQ(HasOwnProfile(static_cast<Release>(minor)), is_own) << minor;
    // Every gate of the release may be on.
    const auto release = static_cast<Release>(minor);
    EXPECT_TRUE(FeaturesOf(ProfileFor(release), api::FeatureGates::AllOf(release))) << minor;
  }
}

TEST(Profile, ExpressionsFollowTheRelease) {
  const Features features = *FeaturesOf(*ParseProfile("v0.36.6"), "DRAListTypeAttributes=true");
  const cel::Environment environment = rules::EnvironmentOf(features);
  EXPECT_EQ(environment.release, Release::k1_36);
  EXPECT_TRUE(environment.list_type_attributes);
  EXPECT_TRUE(environment.consumable_capacity);
}

}  // namespace
}  // namespace dray::allocator
