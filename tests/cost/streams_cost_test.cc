// SPDX-License-Identifier: Apache-2.0
// Cost in proportion to input, as requests_cost_test.cc has it, of watches, selectors, tokens,
// protobuf and server-side apply.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/codec/protobuf.h"
#include "tests/cost/forms.h"
#include "tests/cost/request_case.h"
#include "tests/fuzz/direct_api.h"

namespace dray::cost {
namespace {

constexpr std::string_view kApply = "application/apply-patch+yaml";
constexpr std::string_view kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
constexpr size_t kHeadBytes = size_t{1} << 20;  // of a request's head: the limit of a target

constexpr size_t kQuick = kBodyBytes / 8;

std::string Nothing(size_t /*n*/) {
  return {};
}

/// Eight maps of n bytes together.
void CreateMaps(fuzz::DirectApi& api, size_t n) {
  for (int i = 0; i < 8; ++i) {
    const std::string head = fmt::format(R"({{"metadata":{{"name":"m{}"}},"data":{{)", i);
    Create(api, kMaps, Filled(n / 8, head, R"("k#":"v")", "}}"));
  }
}

/// Creates as many maps as have n bytes together, each with a label.
void CreateSmallMaps(fuzz::DirectApi& api, size_t n) {
  for (size_t i = 0; i < n / 1024; ++i) {
    Create(
        api, kMaps, fmt::format(R"({{"metadata":{{"name":"m{}","labels":{{"l":"{}"}}}}}})", i, i));
  }
}

void CreateLabelled(fuzz::DirectApi& api, size_t n) {
  Create(api, kMaps, Filled(n / 4, R"({"metadata":{"name":"m","labels":{)", R"("k#":"v")", "}}}"));
}

/// `name=` and as many of `unit` as fit; percent signs as in a URL.
std::string Query(size_t n, std::string_view name, std::string_view unit) {
  return Filled(std::min(n, kHeadBytes), std::string(name) + "=", unit, "");
}

/// A field of a protobuf message.
std::string Field(uint32_t number, std::string_view bytes) {
  std::string text;
  const auto varint = [&text](size_t value) {
    for (; value >= 0x80; value >>= 7U) text += static_cast<char>(value | 0x80U);
    text += static_cast<char>(value);
  };
  varint(number << 3U | 2U);
  varint(bytes.size());
  return text.append(bytes);
}

/// `unit` as often as it fits into n bytes, each with its number in place of "######".
std::string Repeated(size_t n, std::string_view unit) {
  std::string text;
  for (size_t i = 0; text.size() + unit.size() <= n; ++i) {
    const size_t begin = text.size();
    text += unit;
    if (const size_t at = text.find("######", begin); at != std::string::npos) {
      text.replace(at, 6, fmt::format("{:06}", i));
    }
  }
  return text;
}

std::string Message(std::string_view version, std::string_view kind, std::string_view raw) {
  std::string text;
  api::EncodeProtobufEnvelope(
      {.meta = {.api_version = std::string(version), .kind = std::string(kind)}, .raw = raw}, text);
  return text;
}

/// A ConfigMap: its name, then `unit` repeated.
std::string MapMessage(size_t n, std::string_view unit) {
  return Message("v1", "ConfigMap", Field(1, Field(1, "a")) + Repeated(n - 100, unit));
}

std::string DataEntry(std::string_view key) {
  return Field(2, Field(1, key) + Field(2, ""));
}

std::string SliceMessage(size_t n,
                         std::string_view device,
                         std::string_view version = "resource.k8s.io/v1") {
  const std::string spec = Field(1, "d.example.com") + Field(2, Field(1, "n")) + Field(3, "n") +
                           Repeated(n - 300, Field(6, device));
  return Message(version, "ResourceSlice", Field(1, Field(1, "a")) + Field(2, spec));
}

void ApplyFirst(fuzz::DirectApi& api,
                std::string_view target,
                std::string_view manager,
                std::string body) {
  const auto answer =
      api.Ask("PATCH", fmt::format("{}?fieldManager={}", target, manager), std::move(body), kApply);
  EXPECT_EQ(answer.status, 201) << answer.body.substr(0, 300);
}

constexpr std::string_view kMap = "/api/v1/namespaces/default/configmaps/a";
constexpr std::string_view kPod = "/api/v1/namespaces/default/pods/p";

std::string AppliedMap(size_t n, std::string_view unit) {
  return Filled(
      n, R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{)", unit, "}}");
}

std::string AppliedPod(size_t n, std::string_view unit) {
  return Filled(n,
                R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[)"
                R"({"name":"a","image":"i","env":[)",
                unit,
                "]}]}}");
}

void ApplyMapByAnother(fuzz::DirectApi& api, size_t n) {
  ApplyFirst(api, kMap, "b", AppliedMap(n / 2, R"("k#":"old")"));
}

const Case kWatches[] = {
    {"WatchInitialEvents",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateMaps,
     "",
     [](size_t) { return std::string("?watch=1"); }},
    {"WatchSendsInitialEvents",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateMaps,
     "",
     [](size_t) {
       return std::string(
           "?watch=1&sendInitialEvents=true&allowWatchBookmarks=true"
           "&resourceVersionMatch=NotOlderThan");
     }},
    {"WatchManySmall",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateSmallMaps,
     "",
     [](size_t) { return std::string("?watch=1"); }},
    {"WatchAsTable",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateSmallMaps,
     kTable,
     [](size_t) { return std::string("?watch=1"); }},
    {"WatchAsProtobuf",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateMaps,
     "application/vnd.kubernetes.protobuf;stream=watch",
     [](size_t) { return std::string("?watch=1"); }},
    {"WatchEventsSince",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateMaps,
     "",
     [](size_t) { return std::string("?watch=1&resourceVersion=1"); }},
    {"WatchSelected",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateSmallMaps,
     "",
     [](size_t) { return std::string("?watch=1&labelSelector=l%3D7"); }},
};

const Case kSelectors[] = {
    {"LabelSet",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateLabelled,
     "",
     [](size_t n) { return Query(n, "?labelSelector=z+notin+(x", "v#") + ")"; }},
    {"LabelRequirements",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateLabelled,
     "",
     [](size_t n) { return Query(n, "?labelSelector", "k#"); }},
    {"LabelInequalities",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateLabelled,
     "",
     [](size_t n) { return Query(n, "?labelSelector", "k#!%3Dw"); }},
    {"LabelSameKey",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateLabelled,
     "",
     [](size_t n) { return Query(n, "?labelSelector", "k000001"); }},
    {"LabelSyntax",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateLabelled,
     "",
     [](size_t n) { return Query(n, "?labelSelector", "(((((("); }},
    {"LabelLongValue",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateLabelled,
     "",
     [](size_t n) { return "?labelSelector=a%3D" + std::string(std::min(n, kHeadBytes), 'v'); }},
    {"FieldTerms",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateLabelled,
     "",
     [](size_t n) { return Query(n, "?fieldSelector", "metadata.name%3Dm"); }},
    {"FieldUnknown",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateLabelled,
     "",
     [](size_t n) { return Query(n, "?fieldSelector", "x#%3Dm"); }},
    {"FieldEscapes",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateLabelled,
     "",
     [](size_t n) {
       return "?fieldSelector=metadata.name%3D" + Times("%5C%2C", std::min(n, kHeadBytes) / 6);
     }},
    {"WatchLabelRequirements",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateLabelled,
     "",
     [](size_t n) { return Query(n, "?watch=1&labelSelector", "k#"); }},
    {"ContinueToken",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateLabelled,
     "",
     [](size_t n) { return "?limit=1&continue=" + Times("eyJ2", std::min(n, kHeadBytes) / 4); }},
    {"ContinueDepth",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateLabelled,
     "",
     [](size_t n) {
       return "?limit=1&continue=eyJ2Ijp" + Times("bW1tb", std::min(n, kHeadBytes) / 5);
     }},
    {"QueryNames",
     "GET",
     kMaps,
     kJson,
     Nothing,
     CreateLabelled,
     "",
     [](size_t n) { return "?" + Times("a&", std::min(n, kHeadBytes) / 2); }},
    {"DryRuns",
     "POST",
     kMaps,
     kJson,
     [](size_t) { return std::string(R"({"metadata":{"name":"a"}})"); },
     {},
     "",
     [](size_t n) { return "?" + Times("dryRun=All&", std::min(n, kHeadBytes) / 11); }},
};

const Case kProtobuf[] = {
    {"Data",
     "POST",
     kMaps,
     api::kProtobufMediaType,
     [](size_t n) { return MapMessage(n, DataEntry("k######")); }},
    {"SameKey",
     "POST",
     kMaps,
     api::kProtobufMediaType,
     [](size_t n) { return MapMessage(n, DataEntry("k")); }},
    {"DescendingKeys",
     "POST",
     kMaps,
     api::kProtobufMediaType,
     [](size_t n) { return MapMessage(n, DataEntry("z") + DataEntry("a######")); }},
    {"Unknown",
     "POST",
     kMaps,
     api::kProtobufMediaType,
     [](size_t n) { return MapMessage(n, Field(100, "")); }},
    {"MetadataAgain",
     "POST",
     kMaps,
     api::kProtobufMediaType,
     [](size_t n) { return MapMessage(n, Field(1, Field(1, "a"))); }},
    {"MetadataGrows",
     "POST",
     kMaps,
     api::kProtobufMediaType,
     [](size_t n) { return MapMessage(n, Field(1, Field(14, "a.b/f######"))); }},
    {"BadLabels",
     "POST",
     kMaps,
     api::kProtobufMediaType,
     [](size_t n) {
       return MapMessage(n, Field(1, Field(11, Field(1, "!######") + Field(2, ""))));
     }},
    {"Devices",
     "POST",
     kSlices,
     api::kProtobufMediaType,
     [](size_t n) { return SliceMessage(n, Field(1, "d######")); }},
    {"EmptyDevices",
     "POST",
     kSlices,
     api::kProtobufMediaType,
     [](size_t n) { return SliceMessage(n / 8, ""); }},
    {"OtherVersion",
     "POST",
     "/apis/resource.k8s.io/v1beta1/resourceslices",
     api::kProtobufMediaType,
     [](size_t n) { return SliceMessage(n, Field(1, "d######"), "resource.k8s.io/v1beta1"); }},
    {"Envelopes",
     "POST",
     kMaps,
     api::kProtobufMediaType,
     [](size_t n) {
       return std::string("k8s\0", 4) + Times(Field(1, Field(1, "v1")), n / 6 - 10);
     }},
    {"DeleteOptions",
     "DELETE",
     "/api/v1/namespaces/default/configmaps/m1",
     api::kProtobufMediaType,
     [](size_t n) { return Message("v1", "DeleteOptions", Repeated(n - 100, Field(5, "All"))); },
     CreateMaps},
    {"DeleteOptionsAgain",
     "DELETE",
     "/api/v1/namespaces/default/configmaps/m1",
     api::kProtobufMediaType,
     [](size_t n) {
       return Message("v1", "DeleteOptions", Repeated(n - 100, Field(2, Field(1, "u######"))));
     },
     CreateMaps},
    {"List", "GET", kMaps, kJson, Nothing, CreateMaps, api::kProtobufMediaType},
};

const Case kDeletions[] = {
    {"DeleteOptionsJson",
     "DELETE",
     "/api/v1/namespaces/default/configmaps/m1",
     kJson,
     [](size_t n) { return Filled(n, R"({"dryRun":[)", R"("All")", "]}"); },
     CreateMaps},
    {"DeleteOptionsUnknown",
     "DELETE",
     "/api/v1/namespaces/default/configmaps/m1",
     kJson,
     [](size_t n) { return Filled(n, "{", R"("x#":1)", "}"); },
     CreateMaps},
    {"DeleteOptionsYaml",
     "DELETE",
     "/api/v1/namespaces/default/configmaps/m1",
     kYaml,
     [](size_t n) { return Filled(n, "{", "x#: 1", "}"); },
     CreateMaps},
};

const Case kApplies[] = {
    {"Data",
     "PATCH",
     kMap,
     kApply,
     [](size_t n) { return AppliedMap(n, R"("k#":"v")"); },
     {},
     "",
     [](size_t) { return std::string("?fieldManager=a"); }},
    {"Again",
     "PATCH",
     kMap,
     kApply,
     [](size_t n) { return AppliedMap(n, R"("k#":"v")"); },
     ApplyMapByAnother,
     "",
     [](size_t) { return std::string("?fieldManager=b"); }},
    {"Conflicts",
     "PATCH",
     kMap,
     kApply,
     [](size_t n) { return AppliedMap(n, R"("k#":"v")"); },
     ApplyMapByAnother,
     "",
     [](size_t) { return std::string("?fieldManager=a"); }},
    {"Force",
     "PATCH",
     kMap,
     kApply,
     [](size_t n) { return AppliedMap(n, R"("k#":"v")"); },
     ApplyMapByAnother,
     "",
     [](size_t) { return std::string("?fieldManager=a&force=true"); }},
    {"TakesAllAway",
     "PATCH",
     kMap,
     kApply,
     [](size_t) { return AppliedMap(100, R"("k":"v")"); },
     ApplyMapByAnother,
     "",
     [](size_t) { return std::string("?fieldManager=b"); }},
    {"ListByName",
     "PATCH",
     kPod,
     kApply,
     [](size_t n) { return AppliedPod(n, R"({"name":"e#","value":"v"})"); },
     {},
     "",
     [](size_t) { return std::string("?fieldManager=a"); }},
    {"ListByNameAgain",
     "PATCH",
     kPod,
     kApply,
     [](size_t n) { return AppliedPod(n, R"({"name":"f#","value":"v"})"); },
     [](fuzz::DirectApi& api, size_t n) {
       ApplyFirst(api, kPod, "b", AppliedPod(n / 2, R"({"name":"e#","value":"v"})"));
     },
     "",
     [](size_t) { return std::string("?fieldManager=a&force=true"); }},
    {"SameName",
     "PATCH",
     kPod,
     kApply,
     [](size_t n) { return AppliedPod(n, R"({"name":"e","value":"v"})"); },
     {},
     "",
     [](size_t) { return std::string("?fieldManager=a"); }},
    {"Finalizers",
     "PATCH",
     kMap,
     kApply,
     [](size_t n) {
       return Filled(
           n,
           R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","finalizers":[)",
           R"("a.b/f#")",
           "]}}");
     },
     {},
     "",
     [](size_t) { return std::string("?fieldManager=a"); }},
    {"Unknown",
     "PATCH",
     kMap,
     kApply,
     [](size_t n) {
       return Filled(n,
                     R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},)",
                     R"("x#":1)",
                     "}");
     },
     {},
     "",
     [](size_t) { return std::string("?fieldManager=a"); }},
    {"Yaml",
     "PATCH",
     kMap,
     kApply,
     [](size_t n) {
       return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: |\n" +
              Times("    line\n", (n - 200) / 9);
     },
     {},
     "",
     [](size_t) { return std::string("?fieldManager=a"); }},
    {"YamlAliases",
     "PATCH",
     kMap,
     kApply,
     [](size_t n) {
       return Filled(n,
                     "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nx: &a " +
                         std::string(n / 2, 'k') + "\ndata: {",
                     "k#: *a ",
                     "}\n");
     },
     {},
     "",
     [](size_t) { return std::string("?fieldManager=a"); }},
    {"UpdateOfAll",
     "PUT",
     kMap,
     kJson,
     [](size_t n) { return AppliedMap(n, R"("k#":"v")"); },
     ApplyMapByAnother},
};

class Cost : public ::testing::TestWithParam<Case> {};

TEST_P(Cost, IsInProportionToTheInput) {
  EXPECT_EQ(ComplaintAbout(GetParam(), kQuick), "");
}

class ApplyCost : public ::testing::TestWithParam<Case> {};

TEST_P(ApplyCost, IsInProportionToTheInput) {
  Case apply = GetParam();
  apply.instructions_per_byte = kApplyInstructionsPerByte;
  if (apply.before) apply.input = 1.5;
  EXPECT_EQ(ComplaintAbout(apply, kQuick), "");
}

constexpr auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

INSTANTIATE_TEST_SUITE_P(Watches, Cost, ::testing::ValuesIn(kWatches), kNameOf);
INSTANTIATE_TEST_SUITE_P(Selectors, Cost, ::testing::ValuesIn(kSelectors), kNameOf);
INSTANTIATE_TEST_SUITE_P(Protobuf, Cost, ::testing::ValuesIn(kProtobuf), kNameOf);
INSTANTIATE_TEST_SUITE_P(Deletions, Cost, ::testing::ValuesIn(kDeletions), kNameOf);
INSTANTIATE_TEST_SUITE_P(, ApplyCost, ::testing::ValuesIn(kApplies), kNameOf);

}  // namespace
}  // namespace dray::cost
