// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/apply.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/codec/json_tree.h"
#include "api/conversion/conversion.h"
#include "api/core_v1/config_map.h"
#include "api/core_v1/pod.h"
#include "api/kind.h"
#include "api/managed_fields/documents.h"
#include "api/managed_fields/managers.h"
#include "api/managed_fields/update.h"
#include "api/rbac_v1.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1beta1.h"
#include "api/testing/random_object.h"
#include "base/simulated_world.h"

namespace dray::api::managed_fields {
namespace {

constexpr const KindInfo* kMap = &Reflected<core_v1::ConfigMap>::kKind;
constexpr const KindInfo* kPod = &Reflected<core_v1::Pod>::kKind;
constexpr const KindInfo* kClaim = &Reflected<resource_v1::ResourceClaim>::kKind;
constexpr const KindInfo* kOldClaim = &Reflected<resource_v1beta1::ResourceClaim>::kKind;

const FieldSet& Status() {
  static const FieldSet kSet = *FieldSet::Parse(R"({"f:status":{}})");
  return kSet;
}

/// One object and its writers. Carries out their writes as a server does, but without a server's
/// validation.
class Story {
 public:
  explicit Story(const KindInfo& kind) : live_(Object::Make(kind.storage())), kind_(&kind) {}

  void As(const KindInfo& version) { kind_ = &version; }
  void Through(std::string_view subresource) { subresource_ = subresource; }
  void PassSecond() { ++second_; }

  // The object that `manager` writes in place of the live one.
  void Update(std::string_view manager, std::string_view json) {
    DecodeIssues issues;
    const Result<Object> requested = DecodeJson(*kind_, json, &issues);
    ASSERT_TRUE(requested.has_value()) << requested.error().message;
    Object next = conversion::ToHub(*requested);
    next.mutable_metadata().managed_fields = EntriesAfter(WriteOf(manager), live_, next);
    Store(std::move(next));
  }

  // Applies; the message when that is refused.
  std::string Apply(std::string_view manager, std::string_view config, Force force = Force::kNo) {
    const Result<JsonTree> tree = ParseJsonTree(config, kDocumentDepthMax);
    EXPECT_TRUE(tree.has_value()) << config;
    Result<Applied> applied = managed_fields::Apply(WriteOf(manager), live_, *tree, force);
    if (!applied.has_value()) {
      causes_ = applied.error().causes;
      return applied.error().message;
    }
    applied->object.mutable_metadata().managed_fields = std::move(applied->entries);
    Store(conversion::ToHub(applied->object));
    return "";
  }

  // The object without its metadata except labels and annotations.
  std::string Content() const {
    Object bare = live_.Clone();
    const meta_v1::ObjectMeta meta = live_.metadata();
    bare.mutable_metadata() = {};
    bare.mutable_metadata().labels = meta.labels;
    bare.mutable_metadata().finalizers = meta.finalizers;
    return ToJson(bare);
  }
  const Object& live() const { return live_; }
  const std::vector<ErrorCause>& causes() const { return causes_; }

  // "one:Apply:v1 {…}", a line each, with the seconds of those that have a time.
  std::string Owners() const {
    std::string text;
    for (const meta_v1::ManagedFieldsEntry& entry : live_.metadata().managed_fields) {
      text += entry.manager + ":" + entry.operation + ":" + entry.api_version;
      if (!entry.subresource.empty()) text += "/" + entry.subresource;
      text += entry.time ? "@" + std::to_string(entry.time->unix_seconds()) : "@-";
      text += " " + entry.fields_v1->bytes() + "\n";
    }
    return text;
  }

 private:
  Write WriteOf(std::string_view manager) const {
    return {.manager = std::string(manager),
            .subresource = subresource_,
            .versions = {.kinds = BuiltinKinds(), .kind = kind_},
            .reset = subresource_.empty() ? &Status() : nullptr,
            .now = Time::FromUnixSeconds(second_)};
  }

  void Store(Object next) {
    next.mutable_metadata().uid = "u";
    live_ = std::move(next);
  }

  Object live_;
  const KindInfo* kind_;
  std::string subresource_;
  int64_t second_ = 1;
  std::vector<ErrorCause> causes_;
};

std::string Map(std::string_view rest) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"})" + std::string(rest) +
         "}";
}

// ---------------------------------------------------------------------------------------- updates

TEST(Update, GivesTheCreatorEverything) {
  Story story(*kMap);
  story.Update("me", Map(R"(,"data":{"k":"v"})"));
  EXPECT_EQ(story.Owners(), "me:Update:v1@1 {\"f:data\":{\".\":{},\"f:k\":{}}}\n");
}

TEST(Update, TakesWhatItChangesAndLeavesTheRest) {
  Story story(*kMap);
  story.Update("one", Map(R"(,"data":{"a":"1","b":"1"})"));
  story.PassSecond();
  story.Update("two", Map(R"(,"data":{"a":"2","b":"1","c":"2"})"));
  EXPECT_EQ(story.Owners(),
            "one:Update:v1@1 {\"f:data\":{\".\":{},\"f:b\":{}}}\n"
            "two:Update:v1@2 {\"f:data\":{\"f:a\":{},\"f:c\":{}}}\n");
}

TEST(Update, ThatChangesNothingKeepsTheTime) {
  Story story(*kMap);
  story.Update("one", Map(R"(,"data":{"a":"1"})"));
  const std::string before = story.Owners();
  story.PassSecond();
  story.Update("one", Map(R"(,"data":{"a":"1"})"));
  story.Update("two", Map(R"(,"data":{"a":"1"})"));
  EXPECT_EQ(story.Owners(), before);
}

TEST(Update, ForgetsWhoHasNothingLeft) {
  Story story(*kMap);
  story.Update("one", Map(R"(,"data":{"a":"1"})"));
  story.Update("two", Map(""));
  EXPECT_EQ(story.Owners(), "");
  // Without owners an object is not tracked any more.
  story.Update("two", Map(R"(,"data":{"a":"1"})"));
  EXPECT_EQ(story.Owners(), "");
}

TEST(Update, ResetsOwnersWhenAsked) {
  for (const std::string_view reset : {"[]", "[{}]"}) {
    Story story(*kMap);
    story.Update("one", Map(R"(,"data":{"a":"1"})"));
    story.Update("one",
                 R"({"metadata":{"name":"a","managedFields":)" + std::string(reset) +
                     R"(},"data":{"a":"1"}})");
    EXPECT_EQ(story.Owners(), "") << reset;
  }
}

TEST(Update, TakesReadableEntriesFromTheClientOnly) {
  Story story(*kMap);
  story.Update("one", Map(R"(,"data":{"a":"1"})"));
  story.Update("one",
               R"({"metadata":{"name":"a","managedFields":[{"manager":"x","operation":"Odd"}]},)"
               R"("data":{"a":"1"}})");
  EXPECT_EQ(story.Owners(), "one:Update:v1@1 {\"f:data\":{\".\":{},\"f:a\":{}}}\n");
  story.Update("one",
               R"({"metadata":{"name":"a","managedFields":[{"manager":"x","operation":"Apply",)"
               R"("apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:a":{}}}}]},)"
               R"("data":{"a":"1"}})");
  EXPECT_EQ(story.Owners(), "x:Apply:v1@- {\"f:data\":{\"f:a\":{}}}\n");
}

// A client that sends back the set that it received, indented, changes nothing.
TEST(Update, KeepsTheTextOfSets) {
  Story story(*kMap);
  story.Update("one", Map(R"(,"data":{"a":"1","b":"1"})"));
  const std::string before = story.Owners();
  story.Update("two", PrettyJson(ToJson(story.live())));
  EXPECT_EQ(story.Owners(), before);
}

TEST(Update, MergesTheOldestPastTheLimit) {
  Story story(*kMap);
  std::string data;
  for (size_t i = 0; i <= kUpdateManagersMax; ++i) {
    const std::string key(1, static_cast<char>('a' + i));
    data += (data.empty() ? "\"" : ",\"") + key + R"(":"")";
    story.Update(key, Map(",\"data\":{" + data + "}"));
    story.PassSecond();
    const size_t entries = story.live().metadata().managed_fields.size();
    EXPECT_EQ(entries, std::min(i + 1, kUpdateManagersMax));
  }
  EXPECT_TRUE(story.Owners().starts_with(
      "ancient-changes:Update:v1@2 {\"f:data\":{\".\":{},\"f:a\":{},\"f:b\":{}}}\n"))
      << story.Owners();
}

constexpr const KindInfo* kSlice = &Reflected<resource_v1::ResourceSlice>::kKind;

struct Spelling {
  std::string_view first, second;
  bool is_taken;
};

// As upstream, which compares lists in their form in memory.
TEST(Update, TakesListsOfQuantitiesThatWereSpeltOtherwise) {
  const Spelling cases[] = {{"1Gi", "1Gi", false},
                            {"1024Mi", "1Gi", false},
                            {"1Gi", "1024Mi", true},
                            {"1024Mi", "1024Mi", true},
                            {"8Gi", "8192Mi", false},
                            {"1Gi", "1073741824", true}};
  for (const Spelling& one : cases) {
    const auto slice = [](std::string_view memory) {
      return fmt::format(R"({{"spec":{{"driver":"d","pool":{{"name":"p"}},"devices":[{{"name":"a",
          "capacity":{{"memory":{{"value":"{}"}}}}}}]}}}})",
                         memory);
    };
    Story story(*kSlice);
    story.Update("one", slice(one.first));
    story.Update("two", slice(one.second));
    EXPECT_EQ(story.live().metadata().managed_fields.size(), one.is_taken ? 2U : 1U)
        << one.first << " " << one.second;
  }
}

TEST(Update, TakesQuantitiesThatAreWrittenOtherwise) {
  const auto pod = [](std::string_view cpu) {
    return fmt::format(R"({{"spec":{{"containers":[{{"name":"c","image":"i","resources":{{"limits":
        {{"cpu":"{}"}}}}}}]}}}})",
                       cpu);
  };
  for (const auto& [second, owners] : {std::pair("1000m", 1U), std::pair("+1", 2U)}) {
    Story story(*kPod);
    story.Update("one", pod("1"));
    story.Update("two", pod(second));
    EXPECT_EQ(story.live().metadata().managed_fields.size(), owners) << second;
  }
}

TEST(Update, OwnsAnEmptyListThatIsWritten) {
  Story story(Reflected<rbac_v1::Role>::kKind);
  story.Update("me", R"({"metadata":{"name":"a"},"rules":[]})");
  EXPECT_EQ(story.Owners(), "me:Update:rbac.authorization.k8s.io/v1@1 {\"f:rules\":{}}\n");
}

TEST(Update, OwnsItemsOfListsByKey) {
  Story story(*kPod);
  story.Update("me",
               R"({"spec":{"containers":[{"name":"c","image":"i","resources":{},)"
               R"("ports":[{"containerPort":80}]}],"nodeSelector":{"a":"b"}}})");
  EXPECT_EQ(
      story.Owners(),
      R"(me:Update:v1@1 {"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},)"
      R"("f:name":{},"f:ports":{".":{},"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},)"
      R"("f:containerPort":{}}},"f:resources":{}}},"f:nodeSelector":{}}})"
      "\n");
}

// ------------------------------------------------------------------------------------------ apply

TEST(Apply, OwnsWhatItNamesAndNoMore) {
  Story story(*kMap);
  EXPECT_EQ(story.Apply("one", Map(R"(,"data":{"a":"1"})")), "");
  EXPECT_EQ(story.Owners(), "one:Apply:v1@1 {\"f:data\":{\"f:a\":{}}}\n");
  story.PassSecond();
  EXPECT_EQ(story.Apply("two", Map(R"(,"data":{"b":"2"})")), "");
  EXPECT_EQ(story.Owners(),
            "one:Apply:v1@1 {\"f:data\":{\"f:a\":{}}}\n"
            "two:Apply:v1@2 {\"f:data\":{\"f:b\":{}}}\n");
}

TEST(Apply, RemovesWhatItNamesNoMore) {
  Story story(*kMap);
  story.Apply("one", Map(R"(,"data":{"a":"1","b":"1"})"));
  story.Apply("two", Map(R"(,"data":{"b":"1","c":"2"})"));
  story.Apply("one", Map(""));
  EXPECT_EQ(story.Content(),
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{},)"
            R"("data":{"b":"1","c":"2"}})");
  EXPECT_EQ(story.Owners(), "two:Apply:v1@1 {\"f:data\":{\"f:b\":{},\"f:c\":{}}}\n");
}

TEST(Apply, TellsConflictsByManager) {
  Story story(*kMap);
  story.Update("creator", Map(R"(,"data":{"a":"1","b":"1"})"));
  story.Apply("one", Map(R"(,"data":{"a":"1"})"));
  EXPECT_EQ(story.Apply("two", Map(R"(,"data":{"a":"2"})")),
            "Apply failed with 2 conflicts: conflicts with \"creator\" using v1:\n- .data.a\n"
            "conflicts with \"one\":\n- .data.a");
  ASSERT_EQ(story.causes().size(), 2U);
  EXPECT_EQ(story.causes()[0],
            (ErrorCause{.reason = "FieldManagerConflict",
                        .field = ".data.a",
                        .message = "conflict with \"creator\" using v1"}));
  EXPECT_EQ(story.Apply("two", Map(R"(,"data":{"b":"2"})")),
            "Apply failed with 1 conflict: conflict with \"creator\" using v1: .data.b");
  EXPECT_EQ(story.Apply("two", Map(R"(,"data":{"a":"2"})"), Force::kYes), "");
  EXPECT_EQ(story.Owners(),
            "two:Apply:v1@1 {\"f:data\":{\"f:a\":{}}}\n"
            "creator:Update:v1@1 {\"f:data\":{\".\":{},\"f:b\":{}}}\n");
}

TEST(Apply, SharesEqualValuesAndGivesThemNoTime) {
  Story story(*kMap);
  story.Apply("one", Map(R"(,"data":{"a":"1"})"));
  EXPECT_EQ(story.Apply("two", Map(R"(,"data":{"a":"1"})")), "");
  EXPECT_EQ(story.Owners(),
            "two:Apply:v1@- {\"f:data\":{\"f:a\":{}}}\n"
            "one:Apply:v1@1 {\"f:data\":{\"f:a\":{}}}\n");
}

TEST(Apply, GivesUnownedFieldsToWhoCameBefore) {
  Story story(*kMap);
  story.Update("one", Map(R"(,"data":{"a":"1"})"));
  story.Update("one", R"({"metadata":{"name":"a","managedFields":[{}]},"data":{"a":"1"}})");
  story.PassSecond();
  EXPECT_EQ(story.Apply("late", Map(R"(,"data":{"b":"1"})")), "");
  EXPECT_EQ(story.Owners(),
            "late:Apply:v1@2 {\"f:data\":{\"f:b\":{}}}\n"
            "before-first-apply:Update:v1@2 {\"f:data\":{\".\":{},\"f:a\":{}}}\n");
}

struct RefusedCase {
  std::string_view name, config, message;
};

constexpr RefusedCase kRefused[] = {
    {"OtherKind",
     R"({"apiVersion":"v1","kind":"Secret"})",
     "invalid object type: /v1, Kind=Secret"},
    {"NoKind", R"({})", "invalid object type: /, Kind="},
    {"OtherGroup",
     R"({"apiVersion":"apps/v1","kind":"ConfigMap"})",
     "invalid object type: apps/v1, Kind=ConfigMap"},
    {"Owners",
     R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"managedFields":[]}})",
     "metadata.managedFields must be nil"},
    {"UnknownField",
     R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"more":1})",
     "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .more: field not declared in "
     "schema"},
    {"NumberForText",
     R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"n"},"data":{"a":5}})",
     "failed to create typed patch object (n/; /v1, Kind=ConfigMap): .data.a: expected string, got "
     "&value.valueUnstructured{Value:5}"},
    {"ListForMap",
     R"({"apiVersion":"v1","kind":"ConfigMap","data":[1]})",
     "failed to create typed patch object (/; /v1, Kind=ConfigMap): .data: expected map, got "
     "&{[1]}"},
    {"TextForTruth",
     R"({"apiVersion":"v1","kind":"ConfigMap","immutable":"x"})",
     "failed to create typed patch object (/; /v1, Kind=ConfigMap): .immutable: expected boolean, "
     "got &{x}"},
    {"TextForNumber",
     R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"generation":"x"}})",
     "failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata.generation: expected "
     "numeric (int or float), got string"},
    {"TwiceInASet",
     R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"finalizers":["a","a"]}})",
     "failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata.finalizers: "
     "duplicate "
     "entries for key [=\"a\"]"},
    {"TwoMistakes",
     R"({"apiVersion":"v1","kind":"ConfigMap","data":{"a":1,"b":true}})",
     "failed to create typed patch object (/; /v1, Kind=ConfigMap): errors:\n  .data.a: expected "
     "string, got &value.valueUnstructured{Value:1}\n  .data.b: expected string, got "
     "&value.valueUnstructured{Value:true}"},
};

class Refused : public ::testing::TestWithParam<RefusedCase> {};

TEST_P(Refused, InUpstreamsWords) {
  Story story(*kMap);
  EXPECT_EQ(story.Apply("one", GetParam().config), GetParam().message);
  EXPECT_EQ(story.Owners(), "");
}

INSTANTIATE_TEST_SUITE_P(Cases, Refused, ::testing::ValuesIn(kRefused), [](const auto& info) {
  return std::string(info.param.name);
});

TEST(Apply, TellsNoMoreThanSoManyMistakes) {
  std::string data;
  for (size_t i = 0; i <= kMistakesMax; ++i) {
    data += (i == 0 ? "" : ",") + ("\"k" + std::to_string(i)) + "\":1";
  }
  Story story(*kMap);
  const std::string message = story.Apply("one", Map(",\"data\":{" + data + "}"));
  EXPECT_NE(message.find(".data.k99:"), std::string::npos);
  EXPECT_EQ(message.find(".data.k100:"), std::string::npos);
}

TEST(Apply, NullClaimsAField) {
  Story story(*kMap);
  EXPECT_EQ(story.Apply("one", Map(R"(,"data":{"a":null})")), "");
  EXPECT_EQ(story.Owners(), "one:Apply:v1@1 {\"f:data\":{\"f:a\":{}}}\n");
}

// The elements that are applied keep their order, the others their places.
struct OrderCase {
  std::string_view name, live, applied, want;
};

constexpr OrderCase kOrders[] = {
    {"NewOnesFollow", R"("a","b")", R"("c")", R"("a","b","c")"},
    {"TheAppliedOrderWins", R"("a","b")", R"("b","a")", R"("b","a")"},
    {"OthersKeepTheirPlace", R"("a","x","b")", R"("b","a")", R"("x","b","a")"},
    {"NewBetweenKnown", R"("a","b")", R"("a","n","b")", R"("a","n","b")"},
    {"NewBeforeKnown", R"("a","b")", R"("n","a")", R"("n","a","b")"},
};

class Orders : public ::testing::TestWithParam<OrderCase> {};

TEST_P(Orders, AreUpstreams) {
  const auto with = [](std::string_view finalizers) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"finalizers":[)" +
           std::string(finalizers) + "]}}";
  };
  Story story(*kMap);
  story.Update("one", with(GetParam().live));
  ASSERT_EQ(story.Apply("two", with(GetParam().applied)), "");
  EXPECT_NE(story.Content().find("\"finalizers\":[" + std::string(GetParam().want) + "]"),
            std::string::npos)
      << story.Content();
}

INSTANTIATE_TEST_SUITE_P(Cases, Orders, ::testing::ValuesIn(kOrders), [](const auto& info) {
  return std::string(info.param.name);
});

// ------------------------------------------------------------------------ subresources, versions

std::string Claim(std::string_view version, std::string_view rest) {
  return R"({"apiVersion":"resource.k8s.io/)" + std::string(version) +
         R"(","kind":"ResourceClaim","metadata":{"name":"a"},)" + std::string(rest) + "}";
}

TEST(Apply, ThroughASubresourceIsSomebodyElse) {
  Story story(*kClaim);
  story.Apply("one", Claim("v1", R"("spec":{"devices":{"requests":[]}},"status":{"devices":[]})"));
  story.Through("status");
  story.Apply("one",
              Claim("v1", R"("status":{"devices":[{"driver":"d","pool":"p","device":"x"}]})"));
  EXPECT_EQ(story.Owners(),
            R"(one:Apply:resource.k8s.io/v1@1 {"f:spec":{"f:devices":{"f:requests":{}}}})"
            "\n"
            R"(one:Apply:resource.k8s.io/v1/status@1 {"f:status":{"f:devices":{)"
            R"("k:{\"device\":\"x\",\"driver\":\"d\",\"pool\":\"p\"}":{".":{},"f:device":{},)"
            R"("f:driver":{},"f:pool":{}}}}})"
            "\n");
  EXPECT_EQ(story.Apply("two",
                        Claim("v1",
                              R"("status":{"devices":[{"driver":"d","pool":"p","device":"x",)"
                              R"("data":{"a":1}}]})")),
            "");
  EXPECT_EQ(story.Apply("one",
                        Claim("v1",
                              R"("status":{"devices":[{"driver":"d","pool":"p","device":"x",)"
                              R"("data":{"a":2}}]})")),
            "Apply failed with 1 conflict: conflict with \"two\" with subresource \"status\": "
            R"(.status.devices[device="x",driver="d",pool="p"].data)");
}

TEST(Apply, OwnersKeepTheVersionThatTheyWrote) {
  Story story(*kOldClaim);
  story.Apply("old", Claim("v1beta1", R"("spec":{"devices":{"requests":[{"name":"r"}]}})"));
  story.As(*kClaim);
  EXPECT_EQ(story.Apply("new",
                        Claim("v1",
                              R"("spec":{"devices":{"requests":[{"name":"r",)"
                              R"("exactly":{"deviceClassName":"c"}}]}})")),
            "Apply failed with 1 conflict: conflict with \"old\": .spec.devices.requests");
  EXPECT_EQ(story.Owners(),
            R"(old:Apply:resource.k8s.io/v1beta1@1 {"f:spec":{"f:devices":{"f:requests":{}}}})"
            "\n");
}

TEST(Apply, DropsOwnersOfVersionsThatAreGone) {
  Story story(*kMap);
  story.Update("one",
               R"({"metadata":{"managedFields":[{"manager":"x","operation":"Apply",)"
               R"("apiVersion":"v0","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:a":{}}}}]},)"
               R"("data":{"a":"1"}})");
  EXPECT_EQ(story.Owners(), "one:Update:v1@1 {\"f:data\":{\".\":{},\"f:a\":{}}}\n");
}

TEST(Apply, OwnsTheWholeOfWhatHasBecomeAtomic) {
  Story story(*kPod);
  story.Update("one",
               R"({"metadata":{"managedFields":[{"manager":"x","operation":"Apply",)"
               R"("apiVersion":"v1","fieldsType":"FieldsV1",)"
               R"("fieldsV1":{"f:spec":{"f:nodeSelector":{"f:a":{}}}}}]},)"
               R"("spec":{"containers":[]}})");
  story.Apply("two", R"({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"b"}}})");
  EXPECT_NE(story.Owners().find(R"(x:Apply:v1@- {"f:spec":{"f:nodeSelector":{}}})"),
            std::string::npos)
      << story.Owners();
}

// -------------------------------------------------------------------------------- client-side
// apply

std::string WithLastApplied(std::string_view data, std::string_view last) {
  std::string text = R"({"metadata":{"name":"a","annotations":{)"
                     R"("kubectl.kubernetes.io/last-applied-configuration":)";
  QuoteJson(last, text);
  return text + "}},\"data\":" + std::string(data) + "}";
}

TEST(Apply, OfKubectlTakesOverWhatItAppliedBefore) {
  const std::string last = Map(R"(,"data":{"a":"1"})");
  Story story(*kMap);
  story.Update("kubectl-client-side-apply", WithLastApplied(R"({"a":"1","b":"1"})", last));
  EXPECT_EQ(story.Apply("other", Map(R"(,"data":{"a":"2"})")),
            "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using v1: "
            ".data.a");
  EXPECT_EQ(story.Apply("kubectl", Map(R"(,"data":{"a":"2","b":"2"})")),
            "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using v1: "
            ".data.b");
  EXPECT_EQ(story.Apply("kubectl", Map(R"(,"data":{"a":"2"})")), "");
  EXPECT_EQ(
      story.live().metadata().annotations.at("kubectl.kubernetes.io/last-applied-configuration"),
      R"({"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"a"}})"
      "\n");
}

TEST(Apply, OfKubectlDropsAnAnnotationThatWouldBeTooLarge) {
  Story story(*kMap);
  story.Update("kubectl-client-side-apply", WithLastApplied("{}", "{}"));
  const std::string large(size_t{256} << 10, 'x');
  EXPECT_EQ(story.Apply("kubectl", Map(R"(,"data":{"a":")" + large + "\"}")), "");
  EXPECT_TRUE(story.live().metadata().annotations.empty());
}

// ------------------------------------------------------------------------------------- properties

std::string ConfigOf(const Object& object) {
  Object bare = object.Clone();
  bare.mutable_metadata().managed_fields = {};
  bare.mutable_metadata().uid = "u";  // that of every object in a story
  return ToJson(bare);
}

TEST(ApplyProperty, IsIdempotentAndCanBeTakenBack) {
  SeededRandom random(11);
  for (const KindInfo* kind : BuiltinKinds()) {
    if (!kind->served || kind->create_only || &kind->storage() != kind) continue;
    for (int turn = 0; turn < 3; ++turn) {
      const Object object = testing::RandomObject(*kind, random);
      const std::string config = ConfigOf(object);
      Story story(*kind);
      ASSERT_EQ(story.Apply("one", config), "") << kind->kind << config;
      const std::string content = story.Content();
      const std::string owners = story.Owners();
      story.PassSecond();
      ASSERT_EQ(story.Apply("one", config), "") << kind->kind;
      ASSERT_EQ(story.Content(), content) << kind->kind;
      ASSERT_EQ(story.Owners(), owners) << kind->kind;
      const std::string nothing = R"({"apiVersion":")" + std::string(kind->api_version) +
                                  R"(","kind":")" + std::string(kind->kind) + "\"}";
      ASSERT_EQ(story.Apply("one", nothing), "") << kind->kind;
      ASSERT_EQ(story.Owners(), "") << kind->kind;
    }
  }
}

}  // namespace
}  // namespace dray::api::managed_fields
