// SPDX-License-Identifier: Apache-2.0
// Rules of metadata whose words differ between releases; measured cases test the others.
#include "server/registry/metadata_rules.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1alpha2.h"
#include "api/text/names.h"

namespace dray::server::registry {
namespace {

using api::Release;

const api::KindInfo& ClaimKind() {
  return api::Reflected<api::resource_v1::ResourceClaim>::kKind;
}

api::meta_v1::ObjectMeta Named() {
  api::meta_v1::ObjectMeta meta;
  meta.name = "a";
  meta.namespace_ = "default";
  return meta;
}

std::string MessageAbout(const std::vector<ErrorCause>& causes, std::string_view field) {
  for (const ErrorCause& cause : causes) {
    if (cause.field == field) return cause.message;
  }
  return {};
}

TEST(MetadataRules, OwnersAreNamedAsInTheRelease) {
  api::meta_v1::ObjectMeta meta = Named();
  meta.owner_references.emplace_back().api_version = "v1";
  const std::pair<Release, std::string> cases[] = {
      {Release::k1_31, "Invalid value: \"\": uid must not be empty"},
      {Release::k1_34, "Invalid value: \"\": must not be empty"},
  };
  for (const auto& [release, message] : cases) {
    const auto causes = CheckNewMetadata(ClaimKind(), meta, api::Profile::Of(release));
    EXPECT_EQ(MessageAbout(causes, "metadata.ownerReferences.uid"), message);
  }
  const auto newest = CheckNewMetadata(ClaimKind(), meta, api::Profile::Of(Release::kNewest));
  EXPECT_EQ(MessageAbout(newest, "metadata.ownerReferences[0].uid"),
            "Required value: must not be empty");
}

TEST(MetadataRules, AKindMayCheckNamesOfNewObjects) {
  api::meta_v1::ObjectMeta meta = Named();
  meta.generate_name = "other-";
  const NameCheck check = [&](std::string_view name) {
    return name == meta.name ? api::NameErrors() : api::NameErrors{"must be another"};
  };
  const auto causes = CheckNewMetadata(ClaimKind(), meta, {}, check);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(MessageAbout(causes, "metadata.generateName"),
            "Invalid value: \"other-\": must be another");
}

struct Looks {
  const api::KindInfo& kind;
  Release release;
  size_t times;
};

TEST(MetadataRules, ChangesAreLookedAtAsOftenAsInTheRelease) {
  namespace alpha2 = api::resource_v1alpha2;
  const Looks cases[] = {
      {api::Reflected<alpha2::ResourceClaim>::kKind, Release::k1_30, 5},
      {api::Reflected<alpha2::ResourceClass>::kKind, Release::k1_30, 5},
      {api::Reflected<alpha2::PodSchedulingContext>::kKind, Release::k1_31, 5},
      {api::Reflected<alpha2::ResourceClaimParameters>::kKind, Release::k1_30, 4},
      {api::Reflected<alpha2::ResourceSlice>::kKind, Release::k1_30, 4},
      {ClaimKind(), Release::k1_31, 4},
      {api::Reflected<api::resource_v1::ResourceSlice>::kKind, Release::k1_31, 3},
      {ClaimKind(), Release::kNewest, 1},
  };
  for (const Looks& one : cases) {
    api::meta_v1::ObjectMeta old = Named();
    if (!one.kind.namespaced) old.namespace_.clear();
    api::meta_v1::ObjectMeta meta = old;
    meta.annotations.emplace("d~e", "");
    const auto causes = CheckChangedMetadata(one.kind, meta, old, api::Profile::Of(one.release));
    EXPECT_EQ(causes.size(), one.times) << one.kind.version << one.kind.kind;
  }
}

TEST(MetadataRules, AnnotationsHaveALimitOfBytes) {
  api::meta_v1::ObjectMeta meta = Named();
  std::string& value = meta.annotations["k"];
  value.assign(api::kAnnotationBytesMax - 1, 'x');
  const std::pair<Release, std::string> cases[] = {
      {Release::k1_31, "Too long: must have at most 262144 bytes"},
      {Release::kNewest, "Too long: may not be more than 262144 bytes"},
  };
  for (const auto& [release, message] : cases) {
    const api::Profile profile = api::Profile::Of(release);
    EXPECT_TRUE(CheckNewMetadata(ClaimKind(), meta, profile).empty());
    api::meta_v1::ObjectMeta longer = meta;
    longer.annotations["k"] += 'x';
    EXPECT_EQ(MessageAbout(CheckNewMetadata(ClaimKind(), longer, profile), "metadata.annotations"),
              message);
  }
}

TEST(MetadataRules, TimesAreShownAsInTheRelease) {
  const api::meta_v1::ObjectMeta old = Named();
  api::meta_v1::ObjectMeta meta = old;
  meta.deletion_timestamp = api::Time::FromUnixSeconds(1'577'836'800);
  const std::pair<Release, std::string> cases[] = {
      {Release::k1_31, "Invalid value: 2020-01-01 00:00:00 +0000 UTC: field is immutable"},
      {Release::k1_34, "Invalid value: \"2020-01-01T00:00:00Z\": field is immutable"},
  };
  for (const auto& [release, message] : cases) {
    const auto causes = CheckChangedMetadata(ClaimKind(), meta, old, api::Profile::Of(release));
    EXPECT_EQ(MessageAbout(causes, "metadata.deletionTimestamp"), message);
  }
}

}  // namespace
}  // namespace dray::server::registry
