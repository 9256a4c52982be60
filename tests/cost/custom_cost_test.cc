// SPDX-License-Identifier: Apache-2.0
// Cost in proportion to input: definitions of custom kinds, and objects of one, in forms designed
// to be expensive. Whatever the answer is, the server has what it had if it refuses.
#include <cstddef>
#include <string>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/cost/forms.h"
#include "tests/cost/request_case.h"
#include "tests/fuzz/direct_api.h"

namespace dray::cost {
namespace {

constexpr std::string_view kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr std::string_view kWidgets = "/apis/example.com/v1/namespaces/default/widgets";

constexpr std::string_view kHead =
    R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","names":{)"
    R"("plural":"widgets","kind":"Widget"},"scope":"Namespaced","versions":[)";
constexpr std::string_view kVersion =
    R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",)"
    R"("properties":{"spec":{"type":"object",)";
constexpr std::string_view kVersionTail = "}}}}}";
constexpr std::string_view kTail = "]}}";

std::string Concat(std::string_view a, std::string_view b, std::string_view c = {}) {
  return std::string(a).append(b).append(c);
}

/// A definition whose spec has as many of these members as fit.
std::string Members(size_t bytes, std::string_view member) {
  return Filled(bytes,
                Concat(kHead, kVersion, R"("properties":{)"),
                member,
                Concat("}", kVersionTail, kTail));
}

/// The same with a list in the place of the members.
std::string List(size_t bytes, std::string_view head, std::string_view element) {
  return Filled(bytes, Concat(kHead, kVersion, head), element, Concat("]", kVersionTail, kTail));
}

const Case kDefinitionCases[] = {
    {"Nodes",
     "POST",
     kDefinitions,
     kJson,
     [](size_t n) { return Members(n, R"("f#":{"type":"string"})"); }},
    {"NodesWithoutTypes",
     "POST",
     kDefinitions,
     kJson,
     [](size_t n) { return Members(n, R"("f#":{})"); }},
    {"References",
     "POST",
     kDefinitions,
     kJson,
     [](size_t n) { return Members(n, R"("f#":{"$ref":"#/properties/f#"})"); }},
    {"UnknownKeywords",
     "POST",
     kDefinitions,
     kJson,
     [](size_t n) { return Members(n, R"("f#":{"type":"string","x#":{}})"); }},
    {"Patterns",
     "POST",
     kDefinitions,
     kJson,
     [](size_t n) { return Members(n, R"("f#":{"type":"string","pattern":"(a|b#)*c{1,9}"})"); }},
    {"PatternsThatExplode",
     "POST",
     kDefinitions,
     kJson,
     [](size_t n) {
       return Members(n, R"("f#":{"type":"string","pattern":"((x#{1,30}){1,30}){1,30}"})");
     }},
    {"DefaultsThatAreWrong",
     "POST",
     kDefinitions,
     kJson,
     [](size_t n) { return Members(n, R"("f#":{"type":"string","default":{"a":[#]}})"); }},
    {"OneDefault",
     "POST",
     kDefinitions,
     kJson,
     [](size_t n) {
       return Filled(n,
                     Concat(kHead,
                            kVersion,
                            R"("properties":{"l":{"type":"array","items":{"type":"integer"},)"
                            R"("default":[)"),
                     "1#",
                     Concat("]}}", kVersionTail, kTail));
     }},
    {"Values",
     "POST",
     kDefinitions,
     kJson,
     [](size_t n) {
       return Filled(n,
                     Concat(kHead, kVersion, R"("properties":{"l":{"type":"string","enum":[)"),
                     R"("#")",
                     Concat("]}}", kVersionTail, kTail));
     }},
    {"Required",
     "POST",
     kDefinitions,
     kJson,
     [](size_t n) { return List(n, R"("required":[)", R"("f#")"); }},
    {"Alternatives",
     "POST",
     kDefinitions,
     kJson,
     [](size_t n) { return List(n, R"("anyOf":[)", R"({"properties":{"f#":{"minimum":1}}})"); }},
    {"ListKeys",
     "POST",
     kDefinitions,
     kJson,
     [](size_t n) {
       return Filled(n,
                     Concat(kHead,
                            kVersion,
                            R"("properties":{"l":{"type":"array","x-kubernetes-list-type":"map",)"
                            R"("items":{"type":"object"},"x-kubernetes-list-map-keys":[)"),
                     R"("k#")",
                     Concat("]}}", kVersionTail, kTail));
     }},
    {"ShortNames",
     "POST",
     kDefinitions,
     kJson,
     [](size_t n) {
       return Filled(n,
                     R"({"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com",)"
                     R"("scope":"Namespaced","names":{"plural":"widgets","kind":"Widget",)"
                     R"("shortNames":[)",
                     R"("s#")",
                     Concat(R"(]},"versions":[)", kVersion, Concat(kVersionTail, kTail)));
     }},
    {"Versions",
     "POST",
     kDefinitions,
     kJson,
     [](size_t n) {
       return Filled(n,
                     kHead,
                     R"({"name":"v#","served":true,"storage":false,"schema":{"openAPIV3Schema":)"
                     R"({"type":"object"}}})",
                     kTail);
     }},
    {"Columns",
     "POST",
     kDefinitions,
     kJson,
     [](size_t n) {
       return Filled(n,
                     Concat(kHead,
                            R"({"name":"v1","served":true,"storage":true,"schema":{)"
                            R"("openAPIV3Schema":{"type":"object"}},"additionalPrinterColumns":[)"),
                     R"({"name":"c#","type":"string","jsonPath":".spec.x#"})",
                     Concat("]}", kTail));
     }},
};

// A kind whose objects hold anything in some places and nothing unknown in others.
void Define(fuzz::DirectApi& api, size_t /*n*/) {
  Create(api,
         kDefinitions,
         Concat(kHead,
                kVersion,
                Concat(R"("properties":{"a":{"type":"string"},"n":{"type":"array","items":{)"
                       R"("type":"integer"}},"free":{"type":"object",)"
                       R"("x-kubernetes-preserve-unknown-fields":true}})",
                       kVersionTail,
                       kTail)));
  // The controller of definitions works on a thread of its own.
  while (api.Ask("GET", kWidgets).status == 404) std::this_thread::yield();
}

std::string Widget(size_t bytes,
                   std::string_view head,
                   std::string_view unit,
                   std::string_view tail) {
  return Filled(
      bytes,
      Concat(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},)", head),
      unit,
      Concat(tail, "}"));
}

const Case kObjectCases[] = {
    {"UnknownFields",
     "POST",
     kWidgets,
     kJson,
     [](size_t n) { return Widget(n, R"("spec":{)", R"("x#":0)", "}"); },
     Define},
    {"UnknownFieldsStrict",
     "POST",
     "/apis/example.com/v1/namespaces/default/widgets?fieldValidation=Strict",
     kJson,
     [](size_t n) { return Widget(n, R"("spec":{)", R"("x#":0)", "}"); },
     Define},
    {"FreeFields",
     "POST",
     kWidgets,
     kJson,
     [](size_t n) { return Widget(n, R"("spec":{"free":{)", R"("x#":0)", "}}"); },
     Define},
    {"WrongElements",
     "POST",
     kWidgets,
     kJson,
     [](size_t n) { return Widget(n, R"("spec":{"n":[)", R"("#")", "]}"); },
     Define},
    {"Labels",
     "POST",
     kWidgets,
     kJson,
     [](size_t n) {
       return Filled(n,
                     R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a",)"
                     R"("labels":{)",
                     R"("x#":5)",
                     "}}}");
     },
     Define},
};

class CustomCost : public ::testing::TestWithParam<Case> {};

TEST_P(CustomCost, IsInProportionToTheInput) {
  EXPECT_EQ(ComplaintAbout(GetParam()), "");
}

INSTANTIATE_TEST_SUITE_P(Definitions,
                         CustomCost,
                         ::testing::ValuesIn(kDefinitionCases),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Objects,
                         CustomCost,
                         ::testing::ValuesIn(kObjectCases),
                         [](const auto& info) { return info.param.name; });

// What is refused leaves nothing behind.
TEST(CustomInput, ThatIsRefusedChangesNothing) {
  fuzz::DirectApi api;
  for (const Case& one : kDefinitionCases) {
    const std::string_view name = one.name;
    const fuzz::DirectAnswer answer =
        api.Ask("POST", kDefinitions, one.body(kBodyBytes / 64), kJson);
    if (answer.status == 201) {
      EXPECT_EQ(api.Ask("DELETE", Concat(kDefinitions, "/widgets.example.com")).status, 200);
      while (api.Ask("GET", Concat(kDefinitions, "/widgets.example.com")).status == 200) {
        std::this_thread::yield();
      }
      continue;
    }
    EXPECT_GE(answer.status, 400) << name;
    EXPECT_LT(answer.status, 500) << name << answer.body.substr(0, 300);
    EXPECT_TRUE(answer.body.contains(R"("status":"Failure")")) << name;
    EXPECT_EQ(api.Ask("GET", Concat(kDefinitions, "/widgets.example.com")).status, 404) << name;
  }
}

}  // namespace
}  // namespace dray::cost
