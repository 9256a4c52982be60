// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/written_set.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "api/core_v1/pod.h"
#include "api/managed_fields/field_set.h"
#include "api/managed_fields/managers.h"
#include "api/managed_fields/update.h"
#include "api/object.h"
#include "base/simulated_world.h"

namespace dray::api::managed_fields {
namespace {

const Type& PodType() {
  return Reflected<core_v1::Pod>::kType;
}

FieldSet ParsedSet(std::string_view json) {
  const Result<FieldSet> set = FieldSet::Parse(json);
  EXPECT_TRUE(set.has_value()) << json;
  return set.value_or(FieldSet());
}

bool Keeps(std::string_view text, const Changes& changes) {
  return KeepsAll(text, ShapeOf(PodType()), {}, changes);
}

struct KeptCase {
  std::string_view name, text, gained, removed;
  bool is_kept;
};

constexpr std::string_view kContainer =
    R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:image":{}}}}})";

constexpr KeptCase kCases[] = {
    {"NothingChanges", kContainer, "{}", "{}", true},
    {"SomethingElse", kContainer, R"({"f:status":{"f:phase":{}}})", "{}", true},
    {"AnotherElement",
     kContainer,
     R"({"f:spec":{"f:containers":{"k:{\"name\":\"b\"}":{"f:image":{}}}}})",
     "{}",
     true},
    {"AnotherMember",
     kContainer,
     R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{"f:command":{}}}}})",
     "{}",
     true},
    {"WhatItLiesIn", kContainer, R"({"f:spec":{}})", R"({"f:spec":{"f:containers":{}}})", true},
    {"Gained",
     kContainer,
     R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{"f:image":{}}}}})",
     "{}",
     false},
    {"Removed", kContainer, "{}", kContainer, false},
    {"TheElementItself",
     kContainer,
     "{}",
     R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{}}}})",
     false},
    {"KeysInAnotherForm",
     R"({"f:spec":{"f:containers":{"k:{ \"name\": \"a\" }":{}}}})",
     R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{}}}})",
     "{}",
     false},
    {"InsideOfWhatIsAtomic", R"({"f:spec":{"f:tolerations":{"i:0":{}}}})", "{}", "{}", false},
    {"AtomicAsAWhole", R"({"f:spec":{"f:tolerations":{}}})", "{}", "{}", true},
    {"AtomicWithADot", R"({"f:spec":{"f:tolerations":{".":{}}}})", "{}", "{}", true},
    {"UnknownToTheSchema", R"({"f:other":{"f:thing":{}}})", "{}", "{}", true},
    {"UnknownAndChanged", R"({"f:other":{"f:a":{}}})", "{}", R"({"f:other":{"f:a":{}}})", false},
    {"Empty", "{}", "{}", "{}", false},
    {"EmptyButForItself", R"({".":{}})", "{}", "{}", false},
    {"UnknownSteps", R"({"f:spec":{"x:y":{}}})", "{}", "{}", false},
    {"NoSet", "[]", "{}", "{}", false},
    {"CutOff", R"({"f:spec":{"f:nodeName":{})", "{}", "{}", false},
    {"SomethingBehind", R"({"f:spec":{}}x)", "{}", "{}", false},
    {"NoStep", R"({"spec":{}})", "{}", "{}", false},
    {"Null", R"({"f:spec":null})", "{}", "{}", false},
};

class Kept : public ::testing::TestWithParam<KeptCase> {};

TEST_P(Kept, IsToldFromTheText) {
  const KeptCase& kept = GetParam();
  const Changes changes{.gained = ParsedSet(kept.gained), .removed = ParsedSet(kept.removed)};
  EXPECT_EQ(Keeps(kept.text, changes), kept.is_kept);
}

INSTANTIATE_TEST_SUITE_P(Cases, Kept, ::testing::ValuesIn(kCases), [](const auto& info) {
  return std::string(info.param.name);
});

TEST(KeptText, HasTheLimitOfSets) {
  const auto nested = [](size_t depth) {
    std::string json;
    for (size_t i = 0; i < depth; ++i) json += R"({"f:other":)";
    return json.append("{}").append(depth, '}');
  };
  const std::string deepest = nested(FieldSet::kDepthMax);
  const std::string deeper = nested(FieldSet::kDepthMax + 1);
  EXPECT_TRUE(Keeps(deepest, {.gained = ParsedSet(R"({"f:x":{}})"), .removed = {}}));
  EXPECT_FALSE(Keeps(deepest, {.gained = ParsedSet(deepest), .removed = {}}));
  EXPECT_FALSE(FieldSet::Parse(deeper).has_value());
}

// Steps that occur in pods, and some that do not fit.
constexpr std::array<std::string_view, 10> kSteps = {"f:spec",
                                                     "f:metadata",
                                                     "f:labels",
                                                     "f:containers",
                                                     "f:tolerations",
                                                     "f:image",
                                                     R"(k:{"name":"a"})",
                                                     R"(k:{"name":"b"})",
                                                     R"(v:"a.b/c")",
                                                     "i:0"};

FieldSet RandomSet(Random& random) {
  FieldSet set;
  const uint64_t count = 1 + random.Next() % 4;
  for (uint64_t i = 0; i < count; ++i) {
    Path path;
    const uint64_t depth = 1 + random.Next() % 4;
    for (uint64_t j = 0; j < depth; ++j) {
      path.push_back(**PathElement::Parse(kSteps[random.Next() % kSteps.size()]));
    }
    set.Insert(path);
  }
  return set;
}

TEST(KeptTextProperty, IsWhatReadingItGives) {
  SeededRandom random(11);
  int kept = 0;
  for (int turn = 0; turn < 2'000; ++turn) {
    const std::string text = RandomSet(random).ToJson();
    const Changes changes{.gained = RandomSet(random), .removed = RandomSet(random)};
    Manager manager{.fields = ParsedSet(text), .written = RawJson(text)};
    // Reconcile() and TakeFrom() forget the text when they change anything.
    managed_fields::Reconcile(Reflected<core_v1::Pod>::kKind, {}, manager);
    TakeFrom(changes.gained, manager);
    TakeFrom(changes.removed, manager);
    ASSERT_EQ(Keeps(text, changes), !manager.written.IsEmpty())
        << text << " " << changes.gained.ToJson() << " " << changes.removed.ToJson();
    kept += manager.written.IsEmpty() ? 0 : 1;
  }
  EXPECT_GT(kept, 200);
}

}  // namespace
}  // namespace dray::api::managed_fields
