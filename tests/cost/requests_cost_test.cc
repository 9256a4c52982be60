// SPDX-License-Identifier: Apache-2.0
// Cost in proportion to input: requests of n, 2n and 4n bytes, in forms designed to be expensive.
// The counts grow no faster than the input, and the largest stays below the bounds of
// docs/design/cost.md. The largest input is a quarter of the body limit, and the whole limit in
// `make soak`.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/cost/forms.h"
#include "tests/cost/request_case.h"
#include "tests/fuzz/direct_api.h"

namespace dray::cost {
namespace {

constexpr std::string_view kMeta = R"({"metadata":{"name":"a",)";

const Case kCases[] = {
    {"Data",
     "POST",
     kMaps,
     kJson,
     [](size_t n) {
       return Filled(n, R"({"metadata":{"name":"a"},"data":{)", R"("k#":"")", "}}");
     }},
    {"OneText",
     "POST",
     kMaps,
     kJson,
     [](size_t n) {
       return Filled(n, R"({"metadata":{"name":"a"},"data":{"a":")", "xyz xyz", "\"}}");
     }},
    {"Escapes",
     "POST",
     kMaps,
     kJson,
     [](size_t n) {
       return Filled(n, R"({"metadata":{"name":"a"},"data":{"a":")", R"(\u0001\n\")", "\"}}");
     }},
    {"UnknownFields",
     "POST",
     kMaps,
     kJson,
     [](size_t n) { return Filled(n, R"({"metadata":{"name":"a"},)", R"("x#":0)", "}"); }},
    {"UnknownBelowLongKey",
     "POST",
     kSlices,
     kJson,
     [](size_t n) {
       return BelowLongKey(n,
                           R"({"metadata":{"name":"a"},"spec":{"devices":[{"attributes":{)",
                           R"("x":0)",
                           "}}]}}");
     }},
    {"UnknownBelowLongKeyStrict",
     "POST",
     "/apis/resource.k8s.io/v1/resourceslices?fieldValidation=Strict",
     kJson,
     [](size_t n) {
       return BelowLongKey(n,
                           R"({"metadata":{"name":"a"},"spec":{"devices":[{"attributes":{)",
                           R"("x#":0)",
                           "}}]}}");
     }},
    {"DuplicateFields",
     "POST",
     kMaps,
     kJson,
     [](size_t n) { return Filled(n, R"({"metadata":{"name":"a"},"data":{)", R"("k":"")", "}}"); }},
    {"KeysFromLastToFirst",
     "POST",
     kMaps,
     kJson,
     [](size_t n) {
       return Filled(n, R"({"metadata":{"name":"a"},"data":{"z":"",)", R"("a#":"","a":"")", "}}");
     }},
    {"BadLabels",
     "POST",
     kMaps,
     kJson,
     [](size_t n) { return Filled(n, std::string(kMeta) + R"("labels":{)", R"("!#":"")", "}}}"); }},
    {"BadAnnotations",
     "POST",
     kMaps,
     kJson,
     [](size_t n) {
       return Filled(n, std::string(kMeta) + R"("annotations":{)", R"("!#":"")", "}}}");
     }},
    {"BadFinalizers",
     "POST",
     kMaps,
     kJson,
     [](size_t n) {
       return Filled(n, std::string(kMeta) + R"("finalizers":[)", R"("!#")", "]}}");
     }},
    {"ManyControllers",
     "POST",
     kMaps,
     kJson,
     [](size_t n) {
       return Filled(n,
                     std::string(kMeta) + R"("ownerReferences":[)",
                     R"({"controller":true,"uid":"#"})",
                     "]}}");
     }},
    {"ManyOwners",
     "POST",
     "/api/v1/namespaces/default/configmaps?dryRun=All",
     kJson,
     [](size_t n) {
       return Filled(n,
                     std::string(kMeta) + R"("ownerReferences":[)",
                     R"({"apiVersion":"v1","kind":"A","name":"a","uid":"#"})",
                     "]}}");
     }},
    {"OwnersTwice",
     "POST",
     "/api/v1/namespaces/default/configmaps?dryRun=All",
     kJson,
     [](size_t n) {
       return Filled(
           n,
           std::string(kMeta) + R"("ownerReferences":[)",
           R"({"apiVersion":"v1","kind":"A","name":"a","uid":"#"},{"apiVersion":"v1","kind":"A","name":"a","uid":"#"})",
           "]}}");
     }},
    {"NewFinalizers",
     "PUT",
     "/api/v1/namespaces/default/configmaps/a",
     kJson,
     [](size_t n) {
       return Filled(n, std::string(kMeta) + R"("finalizers":[)", R"("a.b/o#","a.b/n#")", "]}}");
     },
     [](fuzz::DirectApi& api, size_t n) {
       Create(api,
              kMaps,
              Filled(n / 3, std::string(kMeta) + R"("finalizers":[)", R"("a.b/o#")", "]}}"));
       api.Ask("DELETE", "/api/v1/namespaces/default/configmaps/a");
     }},
    {"Devices",
     "POST",
     kSlices,
     kJson,
     [](size_t n) {
       return Filled(
           n,
           R"({"metadata":{"name":"a"},"spec":{"driver":"d.example.com","nodeName":"n","pool":{"name":"n","resourceSliceCount":1},"devices":[)",
           R"({"name":"d#"})",
           "]}}");
     }},
    {"EmptyDevices",
     "POST",
     kSlices,
     kJson,
     [](size_t n) {
       return Filled(
           n,
           R"({"metadata":{"name":"a"},"spec":{"driver":"d.example.com","nodeName":"n","pool":{"name":"n","resourceSliceCount":1},"devices":[)",
           "{}",
           "]}}");
     }},
    {"BadAttributes",
     "POST",
     kSlices,
     kJson,
     [](size_t n) {
       return Filled(
           n,
           R"({"metadata":{"name":"a"},"spec":{"driver":"d.example.com","nodeName":"n","pool":{"name":"n","resourceSliceCount":1},"devices":[{"name":"a","attributes":{)",
           R"("!#":{"string":"","int":1})",
           "}}]}}");
     }},
    {"BadTaints",
     "POST",
     kSlices,
     kJson,
     [](size_t n) {
       return Filled(
           n,
           R"({"metadata":{"name":"a"},"spec":{"driver":"d.example.com","nodeName":"n","pool":{"name":"n","resourceSliceCount":1},"devices":[{"name":"a","taints":[)",
           R"({"key":"!#","effect":"x"})",
           "]}]}}");
     }},
    {"Counters",
     "POST",
     kSlices,
     kJson,
     [](size_t n) {
       return Filled(
           n,
           R"({"metadata":{"name":"a"},"spec":{"driver":"d.example.com","nodeName":"n","pool":{"name":"n","resourceSliceCount":1},"sharedCounters":[)",
           R"({"name":"c#","counters":{"a":{"value":"1"}}})",
           "]}}");
     }},
    {"Requests",
     "POST",
     kClaims,
     kJson,
     [](size_t n) {
       return Filled(n,
                     R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[)",
                     R"({"name":"r#","exactly":{"deviceClassName":"x"}})",
                     "]}}}");
     }},
    {"BadRequests",
     "POST",
     kClaims,
     kJson,
     [](size_t n) {
       return Filled(
           n, R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[)", "{}", "]}}}");
     }},
    {"BadConstraints",
     "POST",
     kClaims,
     kJson,
     [](size_t n) {
       return Filled(
           n,
           R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"x"}}],"constraints":[)",
           R"({"requests":["q#"],"matchAttribute":"a"})",
           "]}}}");
     }},
    {"Tolerations",
     "POST",
     kClaims,
     kJson,
     [](size_t n) {
       return Filled(
           n,
           R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"x","tolerations":[)",
           R"({"key":"!#"})",
           "]}}]}}}");
     }},
    {"DeepParameters",
     "POST",
     kClaims,
     kJson,
     [](size_t n) {
       return ClaimWith("{\"a\":" + Times("[", n / 2 - 200) + Times("]", n / 2 - 200) + "}");
     }},
    {"SelectorsWithPatterns",
     "POST",
     kClasses,
     kJson,
     [](size_t n) {
       return Filled(
           n,
           R"({"metadata":{"name":"c"},"spec":{"selectors":[)",
           R"x({"cel":{"expression":"'#'.matches('\\\\pL{90}') || 'a'.matches('\\\\pL{90}')"}})x",
           "]}}");
     }},
    {"Environment",
     "POST",
     kPods,
     kJson,
     [](size_t n) {
       return Filled(
           n,
           R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"i","env":[)",
           R"({"name":"e#"})",
           "]}]}}");
     }},
    {"Containers",
     "POST",
     kPods,
     kJson,
     [](size_t n) {
       return Filled(n,
                     R"({"metadata":{"name":"p"},"spec":{"containers":[)",
                     R"({"name":"a","image":"i"})",
                     "]}}");
     }},
    {"ClaimsThatAreNone",
     "POST",
     kPods,
     kJson,
     [](size_t n) {
       return Filled(n,
                     Filled(n / 2,
                            R"({"metadata":{"name":"p"},"spec":{"resourceClaims":[)",
                            R"({"name":"q#","resourceClaimName":"x"})",
                            "]") +
                         R"(,"containers":[{"name":"a","image":"i","resources":{"claims":[)",
                     R"({"name":"r#"})",
                     "]}}]}}");
     }},
    {"ClaimsThatOverlap",
     "POST",
     kPods,
     kJson,
     [](size_t n) {
       return Filled(
           n,
           Filled(
               n / 2,
               R"({"metadata":{"name":"p"},"spec":{"resourceClaims":[{"name":"q","resourceClaimName":"x"}],"containers":[{"name":"a","image":"i","resources":{"claims":[)",
               R"({"name":"q","request":"r#"})",
               ","),
           R"({"name":"q"})",
           "]}}]}}");
     }},
    {"SchedulingGates",
     "PUT",
     "/api/v1/namespaces/default/pods/p",
     kJson,
     [](size_t n) {
       return Filled(
           n,
           R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"i"}],"schedulingGates":[)",
           R"({"name":"h#"},{"name":"g#"})",
           "]}}");
     },
     [](fuzz::DirectApi& api, size_t n) {
       Create(
           api,
           kPods,
           Filled(
               n / 3,
               R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"i"}],"schedulingGates":[)",
               R"({"name":"g#"})",
               "]}}"));
     }},
    {"PodTolerations",
     "PUT",
     "/api/v1/namespaces/default/pods/p",
     kJson,
     [](size_t n) {
       return Filled(
           n,
           R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"i"}],"tolerations":[)",
           R"({"key":"k#","operator":"Exists"})",
           "]}}");
     },
     [](fuzz::DirectApi& api, size_t n) {
       Create(
           api,
           kPods,
           Filled(
               n / 3,
               R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"i"}],"tolerations":[)",
               R"({"key":"k#","operator":"Exists"})",
               "]}}"));
     }},
    {"PatchDuplicates",
     "PATCH",
     "/api/v1/namespaces/default/configmaps/none",
     kMerge,
     [](size_t n) { return BelowLongKey(n, "{", R"("x":0)", "}"); }},
    {"MergePatchNumbers",
     "PATCH",
     "/api/v1/namespaces/default/configmaps/a",
     kMerge,
     [](size_t n) { return Filled(n, R"({"a":[)", "0", "]}"); },
     [](fuzz::DirectApi& api, size_t /*n*/) {
       Create(api, kMaps, R"({"metadata":{"name":"a"}})");
     }},
    {"MergePatchMembers",
     "PATCH",
     "/api/v1/namespaces/default/configmaps/a",
     kMerge,
     [](size_t n) { return Filled(n, R"({"data":{)", R"("k#":"")", "}}"); },
     [](fuzz::DirectApi& api, size_t n) {
       Create(
           api, kMaps, Filled(n / 3, R"({"metadata":{"name":"a"},"data":{)", R"("k#":"x")", "}}"));
     }},
    {"MergePatchDepth",
     "PATCH",
     "/api/v1/namespaces/default/configmaps/a",
     kMerge,
     [](size_t n) { return Filled(n, R"({"a":[)", Times("[", 900) + Times("]", 900), "]}"); },
     [](fuzz::DirectApi& api, size_t /*n*/) {
       Create(api, kMaps, R"({"metadata":{"name":"a"}})");
     }},
    {"MergePatchThatIsNone",
     "PATCH",
     "/api/v1/namespaces/default/configmaps/a",
     kMerge,
     [](size_t n) { return Filled(n, R"({"kind":"B","a":[)", R"("\u0001")", "]}"); },
     [](fuzz::DirectApi& api, size_t /*n*/) {
       Create(api, kMaps, R"({"metadata":{"name":"a"}})");
     }},
    {"StrategicAgainAndAgain",
     "PATCH",
     "/api/v1/namespaces/default/pods/p",
     kStrategic,
     [](size_t n) {
       return Filled(
           n, R"({"spec":{"containers":[)", R"({"name":"a","env":[{"name":"e1"}]})", "]}}");
     },
     [](fuzz::DirectApi& api, size_t n) {
       Create(api, kPods, PodWith(Filled(n / 4, R"(,"env":[)", R"({"name":"e#"})", "]")));
     }},
    {"StrategicList",
     "PATCH",
     "/api/v1/namespaces/default/pods/p",
     kStrategic,
     [](size_t n) {
       return Filled(n,
                     R"({"spec":{"containers":[{"name":"a","env":[)",
                     R"({"name":"e#","value":"x"})",
                     "]}]}}");
     },
     [](fuzz::DirectApi& api, size_t n) {
       Create(api, kPods, PodWith(Filled(n / 3, R"(,"env":[)", R"({"name":"e#"})", "]")));
     }},
    {"StrategicWithoutKey",
     "PATCH",
     "/api/v1/namespaces/default/pods/p",
     kStrategic,
     [](size_t n) {
       return Filled(n,
                     R"({"spec":{"containers":[{"name":"a","env":[{"value":[)",
                     Times("[", 400) + Times("]", 400),
                     "]}]}]}}");
     },
     [](fuzz::DirectApi& api, size_t /*n*/) {
       Create(api, kPods, PodWith(R"(,"env":[{"name":"e"}])"));
     }},
    {"StrategicOrder",
     "PATCH",
     "/api/v1/namespaces/default/pods/p",
     kStrategic,
     [](size_t n) {
       return Filled(n,
                     R"({"spec":{"containers":[{"name":"a","$setElementOrder/env":[)",
                     R"({"name":"e#"})",
                     "]}]}}");
     },
     [](fuzz::DirectApi& api, size_t n) {
       Create(api, kPods, PodWith(Filled(n / 3, R"(,"env":[)", R"({"name":"e#"})", "]")));
     }},
    {"JsonPatchInserts",
     "PATCH",
     "/api/v1/namespaces/default/configmaps/a",
     kJsonPatch,
     [](size_t n) {
       return Filled(std::min<size_t>(n, 400'000),
                     R"([{"op":"add","path":"/x","value":[]})" + Times(",", 1),
                     R"({"op":"add","path":"/x/0","value":0})",
                     "]");
     },
     [](fuzz::DirectApi& api, size_t /*n*/) {
       Create(api, kMaps, R"({"metadata":{"name":"a"}})");
     }},
    {"JsonPatchValue",
     "PATCH",
     "/api/v1/namespaces/default/configmaps/a",
     kJsonPatch,
     [](size_t n) { return Filled(n, R"([{"op":"add","path":"/x","value":[)", "0", "]}]"); },
     [](fuzz::DirectApi& api, size_t /*n*/) {
       Create(api, kMaps, R"({"metadata":{"name":"a"}})");
     }},
    {"YamlAliasAsKey",
     "POST",
     kMaps,
     kYaml,
     [](size_t n) {
       return Filled(n, "a: &a " + std::string(n / 2, 'k') + "\nb: [", "{*a : 1}", "]\n");
     }},
    {"YamlAliasAsValue",
     "POST",
     kMaps,
     kYaml,
     [](size_t n) {
       return Filled(n, "a: &a " + std::string(n / 2, 'k') + "\nb: [", "*a", "]\n");
     }},
    {"YamlDuplicateKeys",
     "POST",
     "/api/v1/namespaces/default/configmaps?fieldValidation=Strict",
     kYaml,
     [](size_t n) {
       return Filled(n,
                     "a: &a " + std::string(std::min<size_t>(n / 2, 3000), 'k') + "\ndata: {",
                     "*a : 1",
                     "}\n");
     }},
    {"YamlNumbers",
     "POST",
     kMaps,
     kYaml,
     [](size_t n) { return Filled(std::min<size_t>(n, 1'900'000), "a: [", "1", "]\n"); }},
    {"YamlDepth",
     "POST",
     kMaps,
     kYaml,
     [](size_t n) {
       return Filled(n, "a: " + Times("[", 490), "11111111", Times("]", 490) + "\n");
     }},
    {"YamlMerges",
     "POST",
     kMaps,
     kYaml,
     [](size_t n) { return Filled(n, "a: &a {b: 1, c: 2}\nb: [", "{<<: *a}", "]\n"); }},
    {"YamlText",
     "POST",
     kMaps,
     kYaml,
     [](size_t n) { return "data:\n  a: |\n" + Times("    line\n", n / 9 - 4); }},
    {"ClaimOfPatterns", "POST", kClaims, kJson, [](size_t n) { return ClaimOfPatterns(n / 6); }},
    {"PodStatuses",
     "GET",
     "/api/v1/namespaces/default/pods",
     kJson,
     [](size_t /*n*/) { return std::string(); },
     [](fuzz::DirectApi& api, size_t n) {
       Create(api,
              kPods,
              Filled(n / 16,
                     R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"i"}],)"
                     R"("initContainers":[)",
                     R"({"name":"c#","image":"i"})",
                     "]}}"));
       api.Ask("PATCH",
               "/api/v1/namespaces/default/pods/p/status",
               Filled(n / 16,
                      R"({"status":{"initContainerStatuses":[)",
                      R"({"name":"d#","state":{"terminated":{"exitCode":0}}})",
                      "]}}"),
               kMerge);
     },
     "application/json;as=Table;v=v1;g=meta.k8s.io"},
    {"PrettyAnswer",
     "GET",
     "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/c?pretty=true",
     kJson,
     [](size_t /*n*/) { return std::string(); },
     [](fuzz::DirectApi& api, size_t n) { Create(api, kClaims, DeepClaims(n / 10)); }},
};

class RequestsCost : public ::testing::TestWithParam<Case> {};

TEST_P(RequestsCost, IsInProportionToTheInput) {
  EXPECT_EQ(ComplaintAbout(GetParam()), "");
}

INSTANTIATE_TEST_SUITE_P(, RequestsCost, ::testing::ValuesIn(kCases), [](const auto& info) {
  return info.param.name;
});

}  // namespace
}  // namespace dray::cost
