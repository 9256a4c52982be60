// SPDX-License-Identifier: Apache-2.0
#include "server/patch/patch.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/status.h"
#include "server/patch/json_patch.h"
#include "server/patch/json_tree.h"
#include "server/patch/strategic_merge.h"

namespace dray::server::patch {
namespace {

// Says the error as "<HTTP code> <message>".
std::string Outcome(const Result<std::string>& result) {
  if (result) return *result;
  return std::to_string(api::HttpCode(result.error().reason)) + " " + result.error().message;
}

std::string Pod(PatchType type, std::string_view current, std::string_view patch) {
  const api::KindInfo& kind = api::Reflected<api::core_v1::Pod>::kKind;
  return Outcome(ApplyPatch(type, kind, current, patch));
}

TEST(Patch, BrokenTextsAreNamedAsInTheRelease) {
  const auto message = [](PatchType type, std::string_view patch, api::Release release) {
    const api::KindInfo& kind = api::Reflected<api::core_v1::Pod>::kKind;
    return Outcome(ApplyPatch(type, kind, "{}", patch, release));
  };
  for (const PatchType type : {PatchType::kJson, PatchType::kMerge, PatchType::kStrategicMerge}) {
    EXPECT_EQ(message(type, "{", api::Release::kNewest), "400 invalid JSON patch");
  }
  EXPECT_EQ(message(PatchType::kJson, "[{", api::Release::k1_36),
            "400 error decoding patch: unexpected end of JSON input");
  EXPECT_EQ(message(PatchType::kMerge, "{", api::Release::k1_30),
            "400 error decoding patch: unexpected end of JSON input");
  EXPECT_EQ(message(PatchType::kStrategicMerge, "{", api::Release::k1_30),
            "400 unexpected end of JSON input");
}

TEST(Patch, WhatIsMadeHasALimit) {
  const auto made = [](size_t bytes) {
    const std::string value(bytes - std::string_view(R"({"a":"","b":1})").size(), 'x');
    return Pod(PatchType::kMerge, fmt::format(R"({{"a":"{}"}})", value), R"({"b":1})");
  };
  EXPECT_EQ(made(kPatchedBytesMax).size(), kPatchedBytesMax);
  EXPECT_EQ(made(kPatchedBytesMax + 1), "413 Request entity too large: limit is 8388608");
}

struct Case {
  const char* name;
  std::string_view current, patch, expected;
};

constexpr std::string_view kRejected =
    "422 the server rejected our request due to an error in our request";

constexpr Case kJsonCases[] = {
    {"AddMember", R"({"a":1})", R"([{"op":"add","path":"/b","value":[1]}])", R"({"a":1,"b":[1]})"},
    {"AddReplaces", R"({"a":1})", R"([{"op":"add","path":"/a","value":2}])", R"({"a":2})"},
    {"AddAtIndex",
     R"({"a":[1,3]})",
     R"([{"op":"add","path":"/a/1","value":2}])",
     R"({"a":[1,2,3]})"},
    {"AddAtEnd", R"({"a":[1]})", R"([{"op":"add","path":"/a/1","value":2}])", R"({"a":[1,2]})"},
    {"AddDash", R"({"a":[1]})", R"([{"op":"add","path":"/a/-","value":2}])", R"({"a":[1,2]})"},
    {"AddBeyondEnd", R"({"a":[1]})", R"([{"op":"add","path":"/a/2","value":2}])", kRejected},
    {"AddNoParent", R"({})", R"([{"op":"add","path":"/a/b","value":2}])", kRejected},
    {"RemoveMember", R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])", R"({"b":2})"},
    {"RemoveElement", R"({"a":[1,2]})", R"([{"op":"remove","path":"/a/0"}])", R"({"a":[2]})"},
    {"RemoveFromTheEnd", R"({"a":[1,2]})", R"([{"op":"remove","path":"/a/-1"}])", R"({"a":[1]})"},
    {"RemoveMissing", R"({"a":1})", R"([{"op":"remove","path":"/b"}])", kRejected},
    {"RemoveOutOfRange", R"({"a":[1]})", R"([{"op":"remove","path":"/a/7"}])", kRejected},
    {"ReplaceMissing", R"({})", R"([{"op":"replace","path":"/a","value":1}])", R"({"a":1})"},
    {"ReplaceMissingBelow", R"({})", R"([{"op":"replace","path":"/a/b","value":1}])", kRejected},
    {"ReplaceMissingElement",
     R"({"a":[1]})",
     R"([{"op":"replace","path":"/a/1","value":1}])",
     kRejected},
    {"ReplaceAll", R"({"a":1})", R"([{"op":"replace","path":"","value":{"b":2}}])", R"({"b":2})"},
    {"Escapes",
     R"({"a/b":{"c~d":1}})",
     R"([{"op":"replace","path":"/a~1b/c~0d","value":2}])",
     R"({"a/b":{"c~d":2}})"},
    {"Move", R"({"a":1})", R"([{"op":"move","from":"/a","path":"/b"}])", R"({"b":1})"},
    {"Copy",
     R"({"a":{"x":1}})",
     R"([{"op":"copy","from":"/a","path":"/b"}])",
     R"({"a":{"x":1},"b":{"x":1}})"},
    // As upstream's library.
    {"CopyMissing", R"({})", R"([{"op":"copy","from":"/a","path":"/b"}])", R"({"b":null})"},
    {"TestMissingIsNull", R"({})", R"([{"op":"test","path":"/a","value":null}])", R"({})"},
    {"TestEqual", R"({"a":1.0})", R"([{"op":"test","path":"/a","value":1}])", R"({"a":1.0})"},
    {"TestDiffers", R"({"a":1})", R"([{"op":"test","path":"/a","value":2}])", kRejected},
    {"TestMembersInAnyOrder",
     R"({"a":{"x":1,"y":2}})",
     R"([{"op":"test","path":"/a","value":{"y":2,"x":1}}])",
     R"({"a":{"x":1,"y":2}})"},
    {"UnknownOperation", R"({})", R"([{"op":"explode","path":"/x"}])", kRejected},
    {"LargeIntegersStay",
     R"({"a":9007199254740993})",
     R"([{"op":"copy","from":"/a","path":"/b"}])",
     R"({"a":9007199254740993,"b":9007199254740993})"},
    {"NotAnArray",
     R"({})",
     R"({"op":"add"})",
     "400 error decoding patch: json: cannot unmarshal object into Go value of type "
     "[]handlers.jsonPatchOp"},
    {"NotJson", R"({})", R"([{)", "400 invalid JSON patch"},
    {"Empty", R"({"a":1})", R"([])", R"({"a":1})"},
};

TEST(JsonPatch, FollowsRfc6902) {
  for (const Case& c : kJsonCases) {
    EXPECT_EQ(Pod(PatchType::kJson, c.current, c.patch), c.expected) << c.name;
  }
}

// The errors name the operation of a webhook's or policy's patch that failed.
TEST(JsonPatch, NamesWhatCannotBeCarriedOut) {
  struct Wrong {
    std::string_view current, operation, expected;
  };
  constexpr Wrong kWrong[] = {
      {"{}",
       R"({"op":"add","path":"/a/b","value":1})",
       R"(add operation does not apply: doc is missing path: "/a/b": missing value)"},
      {R"({"a":[]})",
       R"({"op":"add","path":"/a/x","value":1})",
       R"(error in add for path: '/a/x': strconv.Atoi: parsing "x": invalid syntax)"},
      {R"({"a":[1]})",
       R"({"op":"add","path":"/a/3","value":1})",
       "error in add for path: '/a/3': Unable to access invalid index: 3: invalid index "
       "referenced"},
      {"{}",
       R"({"op":"remove","path":"/a"})",
       "error in remove for path: '/a': Unable to remove nonexistent key: a: missing value"},
      {"{}",
       R"({"op":"remove","path":"/a/b"})",
       R"(remove operation does not apply: doc is missing path: "/a/b": missing value)"},
      {R"({"a":[]})",
       R"({"op":"replace","path":"/a/0","value":1})",
       "replace operation does not apply: doc is missing key: /a/0: missing value"},
      {R"({"a":1})",
       R"({"op":"test","path":"/a","value":2})",
       "testing value /a failed: test failed"},
      {"{}", R"({"op":"test","path":"/a","value":2})", "testing value /a failed: test failed"},
      {"{}",
       R"({"op":"move","from":"/a","path":"/b"})",
       "error in move for path: 'a': Unable to remove nonexistent key: a: missing value"},
      {R"({"a":[]})",
       R"({"op":"copy","from":"/a/0","path":"/b"})",
       "error in copy for from: '/a/0': Unable to access invalid index: 0: invalid index "
       "referenced"},
      {"{}", R"({"op":"explode","path":"/a"})", "Unexpected kind: explode"},
  };
  for (const Wrong& wrong : kWrong) {
    JsonTree document = ParseJsonTree(wrong.current, kDepthMax).value();
    JsonTree patch = ParseJsonTree(fmt::format("[{}]", wrong.operation), kDepthMax).value();
    const Result<> applied = ApplyJsonPatch(std::move(patch), document);
    ASSERT_FALSE(applied.has_value()) << wrong.operation;
    EXPECT_EQ(applied.error().message, wrong.expected);
  }
}

TEST(JsonPatch, RefusesMoreOperationsThanTheLimit) {
  std::string patch = "[";
  for (size_t i = 0; i < kOperationsMax; ++i) {
    patch += R"({"op":"test","path":"/a","value":1},)";
  }
  patch.back() = ']';
  EXPECT_EQ(Pod(PatchType::kJson, R"({"a":1})", patch), R"({"a":1})");
  patch.back() = ',';
  patch += R"({"op":"test","path":"/a","value":1}])";
  EXPECT_EQ(
      Pod(PatchType::kJson, R"({"a":1})", patch),
      "413 Request entity too large: The allowed maximum operations in a JSON patch is 10000, "
      "got 10001");
}

TEST(JsonPatch, RefusesToCopyMoreThanTheLimit) {
  const std::string text(kCopiedBytesMax - 2, 'x');  // with its quotes exactly the limit
  const std::string current = R"({"a":")" + text + R"("})";
  EXPECT_TRUE(Pod(PatchType::kJson, current, R"([{"op":"copy","from":"/a","path":"/b"}])")
                  .starts_with(R"({"a")"));
  const std::string longer = R"({"a":"x)" + text + R"("})";
  EXPECT_EQ(Pod(PatchType::kJson, longer, R"([{"op":"copy","from":"/a","path":"/b"}])"), kRejected);
}

std::string Nested(size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(JsonPatch, RefusesDocumentsDeeperThanTheLimit) {
  const auto add = [](size_t depth) {
    return R"([{"op":"add","path":"/a","value":)" + Nested(depth) + "}]";
  };
  // Inside the patch the value stands two levels deep, in the document one.
  EXPECT_EQ(Pod(PatchType::kJson, "{}", add(kDepthMax - 2)),
            R"({"a":)" + Nested(kDepthMax - 2) + "}");
  EXPECT_EQ(Pod(PatchType::kJson, "{}", add(kDepthMax - 1)), "400 invalid JSON patch");
  // Two allowed values put into each other.
  const std::string deep = R"({"a":[],"b":)" + Nested(kDepthMax - 1) + "}";
  EXPECT_EQ(Pod(PatchType::kJson, deep, R"([{"op":"move","from":"/b","path":"/a/0"}])"), kRejected);
}

constexpr Case kMergeCases[] = {
    {"Merges", R"({"a":{"x":1},"b":2})", R"({"a":{"y":2}})", R"({"a":{"x":1,"y":2},"b":2})"},
    {"NullRemoves", R"({"a":1,"b":2})", R"({"a":null,"c":null})", R"({"b":2})"},
    {"ArraysReplace", R"({"a":[1,2]})", R"({"a":[3]})", R"({"a":[3]})"},
    {"ObjectForScalar", R"({"a":1})", R"({"a":{"b":null,"c":1}})", R"({"a":{"c":1}})"},
    {"LastDuplicateWins", R"({})", R"({"a":1,"a":2})", R"({"a":2})"},
    {"Array",
     R"({})",
     R"([])",
     "400 error decoding patch: json: cannot unmarshal array into Go value of type "
     "map[string]interface {}"},
    {"Null", R"({})", R"(null)", "400 Invalid JSON Patch"},
    {"Broken", R"({})", R"({)", "400 invalid JSON patch"},
};

TEST(MergePatch, FollowsRfc7386) {
  for (const Case& c : kMergeCases) {
    EXPECT_EQ(Pod(PatchType::kMerge, c.current, c.patch), c.expected) << c.name;
  }
}

constexpr Case kStrategicCases[] = {
    {"ListsMergeByKey",
     R"({"spec":{"containers":[{"name":"one","image":"a"},{"name":"two","image":"b"}]}})",
     R"({"spec":{"containers":[{"name":"two","image":"c"}]}})",
     R"({"spec":{"containers":[{"name":"one","image":"a"},{"name":"two","image":"c"}]}})"},
    {"AddedElementsStandWithTheirNeighbours",
     R"({"spec":{"containers":[{"name":"one"},{"name":"two"}]}})",
     R"({"spec":{"containers":[{"name":"one"},{"name":"three"}]}})",
     R"({"spec":{"containers":[{"name":"one"},{"name":"three"},{"name":"two"}]}})"},
    {"DeleteByKey",
     R"({"spec":{"containers":[{"name":"one"},{"name":"two"}]}})",
     R"({"spec":{"containers":[{"$patch":"delete","name":"one"}]}})",
     R"({"spec":{"containers":[{"name":"two"}]}})"},
    {"ReplaceTheList",
     R"({"spec":{"containers":[{"name":"one"}]}})",
     R"({"spec":{"containers":[{"$patch":"replace"},{"name":"only"}]}})",
     R"({"spec":{"containers":[{"name":"only"}]}})"},
    {"NoKey",
     R"({"spec":{"containers":[{"name":"one"}]}})",
     R"({"spec":{"containers":[{"image":"x"}]}})",
     "500 map: map[image:x] does not contain declared merge key: name"},
    {"SetElementOrder",
     R"({"spec":{"containers":[{"name":"one"},{"name":"three"},{"name":"two"}]}})",
     R"({"spec":{"$setElementOrder/containers":[{"name":"three"},{"name":"one"},{"name":"two"}],)"
     R"("containers":[{"name":"two","image":"i"}]}})",
     R"({"spec":{"containers":[{"name":"three"},{"name":"one"},{"name":"two","image":"i"}]}})"},
    {"SetElementOrderAlone",
     R"({"spec":{"containers":[{"name":"one"},{"name":"two"}]}})",
     R"({"spec":{"$setElementOrder/containers":[{"name":"two"},{"name":"one"}]}})",
     R"({"spec":{"containers":[{"name":"two"},{"name":"one"}]}})"},
    {"SetElementOrderMisses",
     R"({"spec":{"containers":[{"name":"one"},{"name":"two"}]}})",
     R"({"spec":{"$setElementOrder/containers":[{"name":"two"}],)"
     R"("containers":[{"name":"one","image":"x"}]}})",
     "500 The order in patch list:\n[map[image:x name:one]]\n doesn't match $setElementOrder "
     "list:\n[map[name:two]]\n"},
    {"ScalarsUnite",
     R"({"metadata":{"finalizers":["a","b"]}})",
     R"({"metadata":{"finalizers":["d","a"],"$setElementOrder/finalizers":["d","a","b"]}})",
     R"({"metadata":{"finalizers":["d","a","b"]}})"},
    {"ScalarsAreDeleted",
     R"({"metadata":{"finalizers":["a","b"]}})",
     R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a","z"]}})",
     R"({"metadata":{"finalizers":["b"]}})"},
    {"PlainListsReplace",
     R"({"spec":{"tolerations":[{"key":"a"}]}})",
     R"({"spec":{"tolerations":[{"key":"b"}]}})",
     R"({"spec":{"tolerations":[{"key":"b"}]}})"},
    {"RetainKeys",
     R"({"spec":{"resourceClaims":[{"name":"g","resourceClaimName":"c"}]}})",
     R"({"spec":{"resourceClaims":[{"$retainKeys":["name","resourceClaimTemplateName"],)"
     R"("name":"g","resourceClaimTemplateName":"t"}]}})",
     R"({"spec":{"resourceClaims":[{"name":"g","resourceClaimTemplateName":"t"}]}})"},
    {"RetainKeysMisses",
     R"({"metadata":{"name":"a"}})",
     R"({"metadata":{"$retainKeys":["name"],"labels":{"x":"y"}}})",
     "400 invalid patch format of retainKeys"},
    {"MapReplace",
     R"({"metadata":{"labels":{"a":"1"}}})",
     R"({"metadata":{"labels":{"$patch":"replace","b":"2"}}})",
     R"({"metadata":{"labels":{"b":"2"}}})"},
    {"MapDelete",
     R"({"metadata":{"labels":{"a":"1"}}})",
     R"({"metadata":{"labels":{"$patch":"delete"}}})",
     R"({"metadata":{"labels":{}}})"},
    {"UnknownDirectiveOnNothing",
     R"({"metadata":{}})",
     R"({"metadata":{"labels":{"$patch":"explode"}}})",
     R"({"metadata":{"labels":{}}})"},
    {"UnknownDirective",
     R"({"metadata":{"labels":{"a":"1"}}})",
     R"({"metadata":{"labels":{"$patch":"explode"}}})",
     "500 unknown patch type: explode in map: map[]"},
    {"NullRemoves",
     R"({"spec":{"nodeSelector":{"a":"b"}}})",
     R"({"spec":{"nodeSelector":null}})",
     R"({"spec":{}})"},
    {"UnknownListField",
     R"({"spec":{"nope":[1]}})",
     R"({"spec":{"nope":[2]}})",
     "500 unable to find api field in struct PodSpec for the json field \"nope\""},
};

TEST(StrategicMerge, FollowsTheFieldsFacets) {
  for (const Case& c : kStrategicCases) {
    EXPECT_EQ(Pod(PatchType::kStrategicMerge, c.current, c.patch), c.expected) << c.name;
  }
}

// Each element of the patch has the list of the one container walked over again.
TEST(StrategicMerge, WalksOverListsUpToItsLimit) {
  constexpr size_t kLive = 5'000;
  std::string live = R"({"spec":{"containers":[{"name":"a","env":[{"name":"e0"})";
  for (size_t i = 1; i < kLive; ++i) live += fmt::format(R"(,{{"name":"e{}"}})", i);
  live += "]}]}}";
  const auto patch = [](size_t elements) {
    std::string text = R"({"spec":{"containers":[{"name":"a","env":[{"name":"e1"}]})";
    for (size_t i = 1; i < elements; ++i) text += R"(,{"name":"a","env":[{"name":"e1"}]})";
    return text + "]}}";
  };
  // Each element makes the walk over the list and itself, and once the containers are walked over.
  const auto fits = [&](size_t elements) {
    const size_t bytes = live.size() + patch(elements).size();
    return (kLive + 1) * elements + 1 + elements <= kMergeWorkMin + bytes / kBytesPerMergeWork;
  };
  size_t most = 1;
  while (fits(most + 1)) ++most;
  EXPECT_EQ(Pod(PatchType::kStrategicMerge, live, patch(most)).substr(0, 8), R"({"spec":)");
  EXPECT_EQ(Pod(PatchType::kStrategicMerge, live, patch(most + 1)),
            "413 Request entity too large: the patch walks over lists again and again");
}

TEST(StrategicMerge, ShowsTheBeginningOfWhatIsWrong) {
  const std::string value(2 * kGoTextMax, 'x');
  const std::string shown = Pod(PatchType::kStrategicMerge,
                                R"({"spec":{"containers":[{"name":"a"}]}})",
                                R"({"spec":{"containers":[{"image":")" + value + R"("}]}})");
  EXPECT_EQ(shown,
            "500 map: map[image:" + value.substr(0, kGoTextMax - std::string("map[image:").size()) +
                "… does not contain declared merge key: name");
}

TEST(JsonPatch, ShiftsElementsUpToItsLimit) {
  // Inserts at the front of a list of n shift 0, 1, 2 … elements more than it had.
  const auto insert = [](size_t times, size_t before) {
    std::string patch = R"([{"op":"add","path":"/x","value":[0)";
    for (size_t i = 1; i < before; ++i) patch += ",0";
    patch += "]}";
    for (size_t i = 0; i < times; ++i) patch += R"(,{"op":"add","path":"/x/0","value":0})";
    return Pod(PatchType::kJson, "{}", patch + "]").substr(0, 4);
  };
  // The list itself is walked over once, each value inserted is one more.
  constexpr size_t kTimes = 1'000;
  constexpr size_t kBefore =
      (kPatchWorkMax - kTimes * (kTimes - 1) / 2 - kTimes - 1) / (kTimes + 1);
  EXPECT_EQ(insert(kTimes, kBefore), R"({"x")");
  EXPECT_EQ(insert(kTimes, kBefore + 1), "422 ");
}

TEST(Patch, LargeObjectsKeepTheirMembersThroughChanges) {
  std::string patch = "[";
  std::string expected = R"({"keep":0)";
  for (int i = 0; i < 100; ++i) {
    patch += fmt::format(R"({{"op":"add","path":"/m{}","value":{}}},)", i, i);
    if (i % 3 != 0) patch += fmt::format(R"({{"op":"remove","path":"/m{}"}},)", i);
    if (i % 3 == 0) expected += fmt::format(R"(,"m{}":{})", i, i);
  }
  patch.back() = ']';
  EXPECT_EQ(Pod(PatchType::kJson, R"({"keep":0})", patch), expected + "}");
}

// Clients that compute patches leave out everything that did not change.
TEST(Patch, ElementsGoByTheirKeyAloneAndOrdersStandAlone) {
  const std::string two = R"({"spec":{"containers":[{"name":"a","image":"i"},{"name":"b"}]}})";
  EXPECT_EQ(Pod(PatchType::kStrategicMerge,
                two,
                R"({"spec":{"containers":[{"$patch":"delete","name":"a"}]}})"),
            R"({"spec":{"containers":[{"name":"b"}]}})");
  EXPECT_EQ(Pod(PatchType::kStrategicMerge,
                two,
                R"({"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]}})"),
            R"({"spec":{"containers":[{"name":"b"},{"name":"a","image":"i"}]}})");
}

}  // namespace
}  // namespace dray::server::patch
