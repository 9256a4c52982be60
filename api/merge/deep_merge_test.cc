// SPDX-License-Identifier: Apache-2.0
#include "api/merge/deep_merge.h"

#include <string>

#include <gtest/gtest.h>

#include "api/apps_v1/deployment.h"
#include "api/codec/json.h"
#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1alpha1.h"
#include "api/testing/random_object.h"
#include "base/simulated_world.h"

namespace dray::api {
namespace {

namespace v1 = resource_v1;

struct MergeCase {
  std::string_view name;
  const KindInfo* kind;
  std::string_view into, other, want;
};

constexpr const KindInfo* kClaim = &Reflected<v1::ResourceClaim>::kKind;
constexpr const KindInfo* kOldClaim = &Reflected<resource_v1alpha1::ResourceClaim>::kKind;
constexpr const KindInfo* kRule = &Reflected<v1::DeviceTaintRule>::kKind;
constexpr const KindInfo* kSlice = &Reflected<v1::ResourceSlice>::kKind;
constexpr const KindInfo* kPod = &Reflected<core_v1::Pod>::kKind;

const MergeCase kMergeCases[] = {
    {"LeftOutStays",
     kClaim,
     R"({"metadata":{"name":"a","labels":{"x":"1"}}})",
     R"({})",
     R"({"metadata":{"name":"a","labels":{"x":"1"}}})"},
    {"GivenScalarsWin",
     kClaim,
     R"({"metadata":{"name":"a"}})",
     R"({"metadata":{"name":"b"}})",
     R"({"metadata":{"name":"b"}})"},
    {"MapsMergeByEntry",
     kClaim,
     R"({"metadata":{"labels":{"x":"1","y":"2"}}})",
     R"({"metadata":{"labels":{"y":"3","z":"4"}}})",
     R"({"metadata":{"labels":{"x":"1","y":"3","z":"4"}}})"},
    {"AtomicListsAreReplaced",
     kClaim,
     R"({"spec":{"devices":{"requests":[{"name":"a"},{"name":"b"}]}}})",
     R"({"spec":{"devices":{"requests":[{"name":"b","exactly":{"deviceClassName":"c"}}]}}})",
     R"({"spec":{"devices":{"requests":[{"name":"b","exactly":{"deviceClassName":"c"}}]}}})"},
    {"EmptyListsAreGiven",
     kClaim,
     R"({"spec":{"devices":{"requests":[{"name":"a"}]}}})",
     R"({"spec":{"devices":{"requests":[]}}})",
     R"({"spec":{"devices":{"requests":[]}}})"},
    {"ConsumersMergeByUid",
     kClaim,
     R"({"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"1"},{"resource":"pods","name":"q","uid":"2"}]}})",
     R"({"status":{"reservedFor":[{"resource":"pods","name":"r","uid":"3"},{"resource":"pods","name":"new","uid":"1"}]}})",
     R"({"status":{"reservedFor":[{"resource":"pods","name":"new","uid":"1"},{"resource":"pods","name":"q","uid":"2"},{"resource":"pods","name":"r","uid":"3"}]}})"},
    {"DevicesMergeByDriverPoolDeviceAndShare",
     kClaim,
     R"({"status":{"devices":[{"driver":"d","pool":"p","device":"x","data":{"a":1}},{"driver":"d","pool":"p","device":"x","shareID":"s"}]}})",
     R"({"status":{"devices":[{"driver":"d","pool":"p","device":"x","shareID":"s","data":{"s":1}},{"driver":"d","pool":"p","device":"x","networkData":{"interfaceName":"eth0"}}]}})",
     R"({"status":{"devices":[{"driver":"d","pool":"p","device":"x","data":{"a":1},"networkData":{"interfaceName":"eth0"}},{"driver":"d","pool":"p","device":"x","shareID":"s","data":{"s":1}}]}})"},
    {"ConditionsOfDevicesMergeByType",
     kClaim,
     R"({"status":{"devices":[{"driver":"d","pool":"p","device":"x","conditions":[{"type":"A","status":"True","lastTransitionTime":null,"reason":"r","message":""},{"type":"B","status":"True","lastTransitionTime":null,"reason":"r","message":""}]}]}})",
     R"({"status":{"devices":[{"driver":"d","pool":"p","device":"x","conditions":[{"type":"B","status":"False","lastTransitionTime":null,"reason":"s","message":""}]}]}})",
     R"({"status":{"devices":[{"driver":"d","pool":"p","device":"x","conditions":[{"type":"A","status":"True","lastTransitionTime":null,"reason":"r","message":""},{"type":"B","status":"False","lastTransitionTime":null,"reason":"s","message":""}]}]}})"},
    {"RequiredScalarsAlwaysCount",
     kRule,
     R"({"spec":{"taint":{"key":"k","value":"v","effect":"NoSchedule"}}})",
     R"({"spec":{"taint":{"key":"l"}}})",
     R"({"spec":{"taint":{"key":"l","value":"v","effect":""}}})"},
    {"SetsAreUnited",
     kOldClaim,
     R"({"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"1"}]}})",
     R"({"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"1"},{"resource":"pods","name":"q","uid":"1"}]}})",
     R"({"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"1"},{"resource":"pods","name":"q","uid":"1"}]}})"},
    {"RawJsonMergesAsAPatch",
     kClaim,
     R"({"status":{"devices":[{"driver":"d","pool":"p","device":"x","data":{"a":1,"b":{"c":2,"d":3}}}]}})",
     R"({"status":{"devices":[{"driver":"d","pool":"p","device":"x","data":{"a":null,"b":{"c":[4]}}}]}})",
     R"({"status":{"devices":[{"driver":"d","pool":"p","device":"x","data":{"b":{"c":[4],"d":3}}}]}})"},
    {"PointersToZeroAreGiven",
     kSlice,
     R"({"spec":{"driver":"d","allNodes":true}})",
     R"({"spec":{"driver":"d","allNodes":false}})",
     R"({"spec":{"driver":"d","allNodes":false}})"},
    {"ContainersMergeByName",
     kPod,
     R"({"spec":{"containers":[{"name":"a","image":"i"},{"name":"b"}]}})",
     R"({"spec":{"containers":[{"name":"b","image":"j"},{"name":"c"}]}})",
     R"({"spec":{"containers":[{"name":"a","image":"i"},{"name":"b","image":"j"},{"name":"c"}]}})"},
};

Object Read(const KindInfo& kind, std::string_view json) {
  DecodeIssues issues;
  Result<Object> object = DecodeJson(kind, json, &issues);
  EXPECT_TRUE(object.has_value()) << json;
  return *object;
}

class DeepMergeRules : public ::testing::TestWithParam<MergeCase> {};

TEST_P(DeepMergeRules, AreThoseOfTheCrate) {
  const MergeCase& test = GetParam();
  Object into = Read(*test.kind, test.into);
  DeepMerge(into, Read(*test.kind, test.other));
  EXPECT_EQ(ToJson(into), ToJson(Read(*test.kind, test.want)));
}

INSTANTIATE_TEST_SUITE_P(Cases,
                         DeepMergeRules,
                         ::testing::ValuesIn(kMergeCases),
                         [](const auto& info) { return std::string(info.param.name); });

// Over nothing, an object is itself; over itself, it stays.
TEST(DeepMergeProperty, IsIdempotent) {
  SeededRandom random(3);
  for (const KindInfo* kind : BuiltinKinds()) {
    for (int turn = 0; turn < 3; ++turn) {
      const Object object = testing::RandomObject(*kind, random);
      Object empty = Object::Make(*kind);
      DeepMerge(empty, object);
      ASSERT_EQ(ToJson(empty), ToJson(object)) << kind->kind;
      DeepMerge(empty, object);
      ASSERT_EQ(ToJson(empty), ToJson(object)) << kind->kind;
    }
  }
}

}  // namespace
}  // namespace dray::api
