// SPDX-License-Identifier: Apache-2.0
#include "api/compare/diff.h"

#include <string>

#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1beta1.h"
#include "api/testing/random_object.h"
#include "base/simulated_world.h"

namespace dray::api {
namespace {

namespace v1 = resource_v1;

template <class T>
Object Read(std::string_view json) {
  DecodeIssues issues;
  Result<Object> object = DecodeJson(Reflected<T>::kKind, json, &issues);
  EXPECT_TRUE(object.has_value()) << json;
  EXPECT_TRUE(issues.empty());
  return *object;
}

template <class T>
std::string Changes(std::string_view before, std::string_view after) {
  return PrintChanges(Diff(Read<T>(before), Read<T>(after)));
}

TEST(Diff, IsByMeaning) {
  EXPECT_EQ(
      Changes<v1::ResourceSlice>(
          R"({"spec":{"driver":"d","devices":[{"name":"x","capacity":{"m":{"value":"1Gi"}}}]}})",
          R"({"spec":{"driver":"d","devices":[{"name":"x","capacity":{"m":{"value":"1024Mi"}},"taints":[]}]}})"),
      "");
  EXPECT_EQ(
      Changes<v1::ResourceClaim>(
          R"({"status":{"devices":[{"driver":"d","pool":"p","device":"x","data":{"a":1,"b":2}}]}})",
          R"({"status":{"devices":[{"driver":"d","pool":"p","device":"x","data":{"b":2,"a":1}}]}})"),
      "");
}

TEST(Diff, NamesElementsByWhatIdentifiesThem) {
  EXPECT_EQ(
      Changes<v1::ResourceClaim>(
          R"({"metadata":{"labels":{"team":"a"}},"spec":{"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"c","count":1}}]}},
              "status":{"reservedFor":[{"resource":"pods","name":"p","uid":"u-1"}]}})",
          R"({"metadata":{"labels":{"app":"b"}},"spec":{"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"c","count":2}}]}}})"),
      "- metadata.labels[team]: \"a\"\n"
      "+ metadata.labels[app]: \"b\"\n"
      "~ spec.devices.requests[name=gpu].exactly.count: 1 → 2\n"
      "- status.reservedFor[uid=u-1]: {\"resource\":\"pods\",\"name\":\"p\",\"uid\":\"u-1\"}\n");
}

TEST(Diff, OrderCountsWhereItHasMeaning) {
  EXPECT_EQ(
      Changes<v1::ResourceClaim>(
          R"({"spec":{"devices":{"requests":[{"name":"r","firstAvailable":[{"name":"a","deviceClassName":"c"},{"name":"b","deviceClassName":"c"}]}]}}})",
          R"({"spec":{"devices":{"requests":[{"name":"r","firstAvailable":[{"name":"b","deviceClassName":"c"},{"name":"a","deviceClassName":"c"}]}]}}})"),
      "~ spec.devices.requests[name=r].firstAvailable: [name=a] [name=b] → [name=b] [name=a]\n");
  EXPECT_EQ(
      Changes<v1::ResourceClaim>(
          R"({"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"1"},{"resource":"pods","name":"q","uid":"2"}]}})",
          R"({"status":{"reservedFor":[{"resource":"pods","name":"q","uid":"2"},{"resource":"pods","name":"p","uid":"1"}]}})"),
      "");
}

TEST(Diff, ElementsWithoutIdentityGoByIndex) {
  EXPECT_EQ(Changes<v1::DeviceClass>(
                R"({"spec":{"selectors":[{"cel":{"expression":"a"}},{"cel":{"expression":"b"}}]}})",
                R"({"spec":{"selectors":[{"cel":{"expression":"c"}}]}})"),
            "~ spec.selectors[0].cel.expression: \"a\" → \"c\"\n"
            "- spec.selectors[1]: {\"cel\":{\"expression\":\"b\"}}\n");
}

TEST(Diff, VersionsOfAKindAreComparedAsTheirHub) {
  const Object old = Read<resource_v1beta1::ResourceClaim>(
      R"({"spec":{"devices":{"requests":[{"name":"r","deviceClassName":"c","count":1}]}}})");
  const Object same = Read<v1::ResourceClaim>(
      R"({"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c","count":1}}]}}})");
  EXPECT_TRUE(Diff(old, same).empty());
  const Object other = Read<v1::ResourceClaim>(
      R"({"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"d","count":1}}]}}})");
  EXPECT_EQ(PrintChanges(Diff(old, other)),
            "~ spec.devices.requests[name=r].exactly.deviceClassName: \"c\" → \"d\"\n");
}

// Nothing differs from itself, and from another object something does.
TEST(DiffProperty, FindsADifferenceIffThereIsOne) {
  SeededRandom random(11);
  for (const KindInfo* kind : BuiltinKinds()) {
    for (int turn = 0; turn < 3; ++turn) {
      const Object object = testing::RandomObject(*kind, random);
      const Object other = testing::RandomObject(*kind, random);
      EXPECT_TRUE(Diff(object, object.Clone()).empty());
      EXPECT_EQ(Diff(object, other).empty(), object == other) << kind->kind;
    }
  }
}

}  // namespace
}  // namespace dray::api
