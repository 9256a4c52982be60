// SPDX-License-Identifier: Apache-2.0
// Single rules, by small definitions of our own; recordings are played by
// tests/rest/definition_vectors_test.cc.
#include "custom/definitions/definitions.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "custom/definitions/conditions.h"
#include "custom/definitions/lifecycle.h"
#include "custom/definitions/patterns.h"
#include "custom/definitions/warnings.h"
#include "custom/testing/written_definition.h"

namespace dray::custom::definitions {
namespace {

using testing::TextsOf;
using testing::WidgetsWith;
using testing::WidgetsWithFields;
using testing::WidgetsWithParts;

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Result<> RefuseEveryBundle(std::string_view /*pem*/) {
  return Fail(StatusReason::kInvalid, "no good");
}

std::vector<std::string> Problems(Definition definition, const Environment& environment = {}) {
  PrepareNew(definition);
  return TextsOf(ValidateDefinition(definition, environment));
}

std::vector<std::string> ProblemsOfChange(Definition next, const Definition& old) {
  next.status = old.status;
  PrepareChange(next);
  return TextsOf(ValidateDefinitionChange(next, old, {}));
}

Definition Stored(Definition definition) {
  PrepareNew(definition);
  return definition;
}

Definition Served(Definition definition) {
  definition = Stored(std::move(definition));
  SetCondition({.type = "Established", .status = "True"}, WallTime(), definition);
  return definition;
}

// --------------------------------------------------------------------------------------- schemas

struct FieldCase {
  std::string_view members;  // of spec
  std::string_view problem;  // the only one; empty: none
};

constexpr std::string_view kSpecPath = "spec.validation.openAPIV3Schema.properties[spec]";

TEST(DefinitionSchemas, FieldsAreJudged) {
  constexpr FieldCase kCases[] = {
      {R"("a":{"type":"string"})", ""},
      {R"("a":{})",
       ".properties[a].type: Required value: must not be empty for specified object fields"},
      {R"("a":{"type":"array"})", ".properties[a].items: Required value: must be specified"},
      {R"("a":{"type":"array","items":{}})",
       ".properties[a].items.type: Required value: must not be empty for specified array items"},
      {R"("a":{"x-kubernetes-int-or-string":true})", ""},
      {R"("a":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]})",
       ""},
      {R"("a":{"x-kubernetes-int-or-string":true,"allOf":[{"anyOf":[{"type":"integer"},)"
       R"({"type":"string"}]},{"pattern":"a"}]})",
       ""},
      {R"("a":{"x-kubernetes-int-or-string":true,"x-kubernetes-preserve-unknown-fields":true})",
       ".properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if "
       "x-kubernetes-int-or-string is true"},
      {R"("a":{"type":"string","pattern":"["})",
       ".properties[a].pattern: Invalid value: \"[\": must be a valid regular expression, but "
       "isn't: error parsing regexp: missing closing ]: `[`"},
      {R"("a":{"type":"string","anyOf":[{"title":"t"}]})",
       ".properties[a].anyOf[0].title: Forbidden: must be empty to be structural"},
      {R"("a":{"type":"object","not":{"additionalProperties":{"pattern":"a"}}})",
       ".properties[a].not.additionalProperties: Forbidden: must be undefined to be structural"},
      {R"("a":{"type":"object","anyOf":[{"properties":{"metadata":{}}}]})",
       ".properties[a].anyOf[0].properties[metadata]: Forbidden: must not be specified in a nested "
       "context"},
      // Members that only logic knows are found at the root alone.
      {R"("a":{"type":"object","anyOf":[{"properties":{"b":{"pattern":"c"}}}]})", ""},
      {R"("a":{"type":"object","x-kubernetes-embedded-resource":true,)"
       R"("x-kubernetes-preserve-unknown-fields":true,"properties":{"metadata":{"type":"object",)"
       R"("properties":{"labels":{"type":"object","additionalProperties":{"type":"string",)"
       R"("default":"x"}}}}}})",
       ".properties[a].properties[metadata].properties[labels].additionalProperties.default: "
       "Forbidden: must not be set inside additionalProperties applying to object metadata"},
      {R"("a":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"array",)"
       R"("x-kubernetes-list-type":"set","items":{"type":"string"}}})",
       ".properties[a].items.x-kubernetes-list-type: Invalid value: \"set\": must be atomic as "
       "item of a list with x-kubernetes-list-type=set"},
      {R"("a":{"type":"string","x-kubernetes-map-type":"atomic"})",
       ".properties[a].type: Invalid value: \"string\": must be object if x-kubernetes-map-type is "
       "specified"},
      {R"("a":{"type":"string","x-kubernetes-validations":[{"rule":" "}]})",
       ".properties[a].x-kubernetes-validations[0].rule: Required value: rule is not specified"},
      {R"("a":{"type":"string","x-kubernetes-validations":[{"rule":"true","reason":"No"}]})",
       ".properties[a].x-kubernetes-validations[0].reason: Unsupported value: \"No\": supported "
       "values: \"FieldValueDuplicate\", \"FieldValueForbidden\", \"FieldValueInvalid\", "
       "\"FieldValueRequired\""},
      {R"("a":{"type":"object","x-kubernetes-validations":[{"rule":"true","fieldPath":".b"}]})",
       ".properties[a].x-kubernetes-validations[0].fieldPath: Invalid value: \".b\": must be a "
       "valid path"},
      {R"("a":{"type":"string","x-kubernetes-validations":[{"rule":"true\n&& true"}]})",
       ".properties[a].x-kubernetes-validations[0].message: Required value: message must be "
       "specified if rule contains line breaks"},
  };
  for (const FieldCase& c : kCases) {
    const std::vector<std::string> problems = Problems(WidgetsWithFields(c.members));
    if (c.problem.empty()) {
      EXPECT_THAT(problems, IsEmpty()) << c.members;
    } else {
      EXPECT_THAT(problems, ElementsAre(fmt::format("{}{}", kSpecPath, c.problem))) << c.members;
    }
  }
}

TEST(DefinitionSchemas, RootsAreJudged) {
  struct Case {
    std::string_view schema;
    std::string_view problem;
  };
  constexpr Case kCases[] = {
      {R"({"type":"object","nullable":true})",
       ".nullable: Forbidden: nullable cannot be true at the root"},
      {R"({"type":"object","additionalProperties":{"type":"string"}})",
       ".additionalProperties: Forbidden: must not be used at the root"},
      {R"({"type":"object","$schema":"x"})",
       ": Invalid value: \"\": OpenAPIV3Schema 'schema' is not supported"},
      {R"({"type":"object","$schema":"x","id":"y"})", ".id: Forbidden: id is not supported"},
      {R"({"type":"object","anyOf":[{"properties":{"a":{"pattern":"b"}}}]})",
       ".properties[a]: Required value: because it is defined in "
       "spec.validation.openAPIV3Schema.anyOf[0].properties[a]"},
      {R"({"type":"object","properties":{"metadata":{"type":"object","properties":{"name":)"
       R"({"type":"string","maxLength":3}}}}})",
       ""},
      {R"({"type":"object","properties":{"metadata":{"type":"object","title":"x"}}})",
       ".properties[metadata]: Forbidden: must not specify anything other than name and "
       "generateName, but metadata is implicitly specified"},
      {R"({"type":"object","properties":{"kind":{"type":"integer"}}})",
       ".properties[kind].type: Invalid value: \"integer\": must be string"},
  };
  for (const Case& c : kCases) {
    const std::vector<std::string> problems = Problems(WidgetsWith(c.schema));
    if (c.problem.empty()) {
      EXPECT_THAT(problems, IsEmpty()) << c.schema;
    } else {
      EXPECT_THAT(problems,
                  ElementsAre(fmt::format("spec.validation.openAPIV3Schema{}", c.problem)))
          << c.schema;
    }
  }
}

TEST(DefinitionSchemas, ErrorsOfTheFormComeByPath) {
  EXPECT_THAT(Problems(WidgetsWithFields(R"("b":{},"a":{"type":"array"},"c":{"type":"null"})")),
              ElementsAre(HasSubstr("[a].items: Required"),
                          HasSubstr("[b].type: Required"),
                          HasSubstr("[c].type: Unsupported value: \"null\""),
                          HasSubstr("[c].type: Forbidden: type cannot be set to null")));
}

TEST(DefinitionSchemas, StatusAllowsLittleAtTheRoot) {
  Definition widgets = WidgetsWith(R"({"type":"object","minProperties":1})");
  EXPECT_THAT(Problems(widgets), IsEmpty());
  widgets.spec.versions[0].subresources.emplace().status.emplace();
  EXPECT_THAT(Problems(widgets),
              ElementsAre(::testing::AllOf(
                  StartsWith("spec.validation.openAPIV3Schema: Invalid value: {\"ID\":\"\","),
                  HasSubstr("only [Description Type Format"),
                  EndsWith("if the status subresource is enabled"))));
}

// ---------------------------------------------------------------------------------- other parts

TEST(DefinitionParts, PartsOfVersionsAreJudged) {
  struct Case {
    std::string_view parts;
    std::vector<std::string> problems;
  };
  const Case cases[] = {
      {R"("subresources":{"scale":{"specReplicasPath":".status.n","statusReplicasPath":"x"}})",
       {"spec.subresources.scale.specReplicasPath: Invalid value: \".status.n\": should be a json "
        "path under .spec",
        "spec.subresources.scale.statusReplicasPath: Invalid value: \"x\": must be a simple json "
        "path starting with ."}},
      {R"("additionalPrinterColumns":[{"name":"A","type":"text","jsonPath":"."}])",
       {"spec.additionalPrinterColumns[0].type: Invalid value: \"text\": must be one of "
        "boolean,date,integer,number,string"}},
      {R"("selectableFields":[{"jsonPath":".spec.color"},{"jsonPath":".spec.sizes.l"}])", {}},
      {R"("selectableFields":[{"jsonPath":".spec.any.a"}])",
       {"spec.selectableFields[0].jsonPath: Invalid value: \".spec.any.a\": must point to a field "
        "of type string, boolean or integer. Enum string fields and strings with formats are "
        "allowed."}},
      {R"("selectableFields":[{"jsonPath":".spec.any.a.b"}])",
       {"spec.selectableFields[0].jsonPath: Invalid value: \".spec.any.a.b\": is an invalid path: "
        "does not refer to a valid field"}},
      {R"("deprecated":true,"deprecationWarning":"caf\u00e9\u2028")",
       {"spec.versions[0].deprecationWarning: Invalid value: \"café\\u2028\": must only contain "
        "printable UTF-8 characters; non-printable character found at index 5"}},
  };
  for (const Case& c : cases) EXPECT_EQ(Problems(WidgetsWithParts(c.parts)), c.problems) << c.parts;
}

TEST(DefinitionParts, PathsNameTheVersionWhereVersionsDiffer) {
  Definition widgets = WidgetsWithParts(R"("additionalPrinterColumns":[{"name":"A"}])");
  widgets.spec.versions.push_back(widgets.spec.versions[0]);
  widgets.spec.versions[1].name = "v2";
  widgets.spec.versions[1].storage = false;
  EXPECT_THAT(Problems(widgets), Contains(StartsWith("spec.additionalPrinterColumns[0].type")));
  widgets.spec.versions[1].additional_printer_columns[0].name = "B";
  EXPECT_THAT(Problems(widgets),
              Contains(StartsWith("spec.versions[1].additionalPrinterColumns[0].type")));
}

TEST(DefinitionParts, NamesAreRequiredAndHaveAForm) {
  Definition widgets = WidgetsWithParts(R"("deprecated":false)");
  widgets.spec.names.kind = "Wid get";
  widgets.spec.names.list_kind = "";
  widgets.spec.names.short_names = {"W"};
  EXPECT_THAT(Problems(widgets),
              ElementsAre(StartsWith("spec.names.listKind: Required value"),
                          StartsWith("spec.names.kind: Invalid value: \"Wid get\": may have mixed "
                                     "case, but should otherwise match: a DNS-1035 label"),
                          StartsWith("spec.names.shortNames[0]: Invalid value: \"W\"")));
}

TEST(DefinitionParts, ProtectedGroupsNeedAnApproval) {
  Definition widgets = WidgetsWithParts(R"("deprecated":false)");
  const auto problem = [&](std::string_view group, std::string_view annotation) {
    widgets.spec.group = group;
    widgets.metadata.annotations.clear();
    if (!annotation.empty()) {
      widgets.metadata.annotations.emplace("api-approved.kubernetes.io", annotation);
    }
    const std::vector<std::string> problems = Problems(widgets);
    return problems.empty() ? "" : problems[0].substr(0, problems[0].find(": ", 60));
  };
  EXPECT_EQ(problem("myk8s.io", ""), "");
  EXPECT_EQ(problem("a.k8s.io", "unapproved, a test"), "");
  EXPECT_EQ(problem("a.kubernetes.io", "https://example.com/1"), "");
  EXPECT_THAT(problem("a.k8s.io", ""), HasSubstr("Required value"));
  EXPECT_THAT(problem("k8s.io", "example.com/1"), HasSubstr("Invalid value"));
}

TEST(DefinitionParts, ValuesAreWrittenAsGoDoes) {
  Definition widgets = WidgetsWithFields(
      R"("a":{"type":"object","default":{ "b": 1.0, "a": "<" },"enum":[ null, 1e2 ]})");
  PrepareNew(widgets);
  const auto& fields = widgets.spec.versions[0].schema->open_apiv3_schema->properties.at("spec");
  const auto& field = fields.properties.at("a");
  EXPECT_EQ(field.default_->bytes(), R"({"a":"\u003c","b":1})");
  EXPECT_EQ(field.enum_[1].bytes(), "100");
  EXPECT_EQ(widgets.status.stored_versions, std::vector<std::string>({"v1"}));
}

// --------------------------------------------------------------------------------------- changes

TEST(DefinitionChanges, WhatDecidesAboutStorageStays) {
  const Definition old = WidgetsWithParts(R"("deprecated":false)");
  Definition next = old;
  next.spec.scope = "Cluster";
  next.spec.names.kind = "Gadget";
  next.spec.names.list_kind = "GadgetList";
  EXPECT_THAT(ProblemsOfChange(next, Stored(old)), IsEmpty());
  EXPECT_THAT(ProblemsOfChange(next, Served(old)),
              ElementsAre("spec.scope: Invalid value: \"Cluster\": field is immutable",
                          "spec.names.kind: Invalid value: \"Gadget\": field is immutable"));
  next = old;
  next.spec.names.plural = "gadgets";
  EXPECT_THAT(ProblemsOfChange(next, Stored(old)),
              ElementsAre("spec.names.plural: Invalid value: \"gadgets\": field is immutable"));
}

TEST(DefinitionChanges, StoredVersionsStay) {
  const Definition old = Stored(WidgetsWithParts(R"("deprecated":false)"));
  Definition next = old;
  next.spec.versions[0].name = "v2";
  EXPECT_THAT(
      ProblemsOfChange(next, old),
      ElementsAre(StartsWith("status.storedVersions[0]: Invalid value: \"v1\": missing from "
                             "spec.versions; v1 was previously a storage version")));
  next.status.stored_versions = {"v2"};
  EXPECT_THAT(TextsOf(ValidateDefinitionChange(next, old, {})), IsEmpty());
}

TEST(DefinitionChanges, WhatWasBrokenMayStayBroken) {
  const Definition old =
      Stored(WidgetsWithFields(R"("a":{"type":"array","x-kubernetes-list-type":"map",)"
                               R"("x-kubernetes-list-map-keys":["k"],"items":{"type":"object",)"
                               R"("properties":{"k":{"type":"string"}}}})"));
  EXPECT_THAT(Problems(old), Contains(HasSubstr("must have a default or be a required property")));
  EXPECT_THAT(ProblemsOfChange(old, old), IsEmpty());
}

TEST(DefinitionChanges, CertificatesAreJudgedOnceServed) {
  const Environment environment = {.check_ca_bundle = RefuseEveryBundle};
  Definition widgets = WidgetsWithParts(R"("deprecated":false)");
  widgets.spec.conversion->strategy = "Webhook";
  auto& webhook = widgets.spec.conversion->webhook.emplace();
  webhook.conversion_review_versions = {"v1"};
  webhook.client_config.emplace().url = "https://example.com";
  const Definition without = Served(widgets);
  webhook.client_config->ca_bundle.bytes = "x";
  EXPECT_THAT(Problems(widgets, environment), IsEmpty());
  widgets.status = without.status;
  EXPECT_THAT(TextsOf(ValidateDefinitionChange(widgets, without, environment)),
              ElementsAre("spec.conversion.webhookClientConfig.caBundle: Invalid value: \"eA==\": "
                          "no good"));
  EXPECT_THAT(TextsOf(ValidateDefinitionChange(widgets, Served(widgets), environment)), IsEmpty());
}

// ---------------------------------------------------------------------------------------- limits

TEST(DefinitionLimits, ErrorsOfManyNodesEnd) {
  std::string members;
  for (int i = 0; i < 5000; ++i) members += fmt::format(R"({}"f{:04}":{{}})", i == 0 ? "" : ",", i);
  const std::vector<std::string> problems = Problems(WidgetsWithFields(members));
  EXPECT_GT(problems.size(), 100U);
  EXPECT_LT(problems.size(), 110U);
}

TEST(DefinitionLimits, PatternsShareABudget) {
  std::string members;
  for (int i = 0; i < 50; ++i) {
    members += fmt::format(
        R"({}"f{}":{{"type":"string","pattern":"\\pL{{{}}}"}})", i == 0 ? "" : ",", i, 80 + i);
  }
  EXPECT_THAT(Problems(WidgetsWithFields(members)),
              Contains(HasSubstr("error parsing regexp: expression too large")));
  members.clear();
  for (int i = 0; i < 200; ++i) {
    members +=
        fmt::format(R"({}"f{}":{{"type":"string","pattern":"\\pL{{50}}"}})", i == 0 ? "" : ",", i);
  }
  EXPECT_THAT(Problems(WidgetsWithFields(members)), IsEmpty());
}

// -------------------------------------------------------------------------------------- warnings

TEST(DefinitionWarnings, FormatsAndSetsAreToldOnce) {
  const Definition widgets = WidgetsWithFields(
      R"("a":{"type":"string","format":"post-code"},"b":{"type":"string","format":"post-code"},)"
      R"("c":{"type":"string","format":"date-time"},"d":{"type":"boolean","format":"int32"},)"
      R"("e":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"object",)"
      R"("x-kubernetes-map-type":"atomic"}})");
  EXPECT_THAT(WarningsOf(widgets, nullptr),
              ElementsAre("unrecognized format \"post-code\"",
                          "unrecognized format \"int32\"",
                          StartsWith("x-kubernetes-list-type: set for items of type \"object\"")));
  EXPECT_THAT(WarningsOf(widgets, &widgets), IsEmpty());
}

}  // namespace
}  // namespace dray::custom::definitions
