// SPDX-License-Identifier: Apache-2.0
#include "api/selectors/node_selector_match.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace dray::api {
namespace {

// Like the generated structs.
struct Requirement {
  std::string key, operator_;
  std::vector<std::string> values;
};
struct Term {
  std::vector<Requirement> match_expressions, match_fields;
};
struct Selector {
  std::vector<Term> node_selector_terms;
};

Selector OneTerm(std::vector<Requirement> labels, std::vector<Requirement> fields = {}) {
  return {{{std::move(labels), std::move(fields)}}};
}

const Labels kLabels = {{"zone", "a"}, {"n", "5"}, {"word", "x"}};

TEST(NodeSelector, Operators) {
  struct {
    Requirement requirement;
    bool matches;
  } const cases[] = {
      {{"zone", "In", {"b", "a"}}, true},
      {{"zone", "In", {"b"}}, false},
      {{"other", "In", {"a"}}, false},
      {{"zone", "NotIn", {"a"}}, false},
      {{"zone", "NotIn", {"b"}}, true},
      {{"other", "NotIn", {"a"}}, true},
      {{"zone", "Exists", {}}, true},
      {{"other", "Exists", {}}, false},
      {{"zone", "DoesNotExist", {}}, false},
      {{"other", "DoesNotExist", {}}, true},
      {{"n", "Gt", {"4"}}, true},
      {{"n", "Gt", {"5"}}, false},
      {{"n", "Lt", {"6"}}, true},
      {{"n", "Lt", {"5"}}, false},
      {{"word", "Gt", {"0"}}, false},
      {{"word", "Lt", {"0"}}, false},
      {{"other", "Lt", {"9"}}, false},
  };
  for (const auto& c : cases) {
    const Selector selector = OneTerm({c.requirement});
    EXPECT_EQ(NodeSelector::Parse(NodeTerms(selector))->Matches(kLabels, "n1"), c.matches)
        << c.requirement.key << c.requirement.operator_;
  }
}

TEST(NodeSelector, FieldsAreTheNameOnly) {
  struct {
    Requirement requirement;
    bool matches;
  } const cases[] = {
      {{"metadata.name", "In", {"n1"}}, true},
      {{"metadata.name", "In", {"n2"}}, false},
      {{"metadata.name", "NotIn", {"n1"}}, false},
      {{"metadata.name", "NotIn", {"n2"}}, true},
      {{"other", "In", {""}}, true},
      {{"other", "In", {"n1"}}, false},
      {{"other", "NotIn", {"x"}}, true},
  };
  for (const auto& c : cases) {
    const Selector selector = OneTerm({}, {c.requirement});
    const Result<NodeSelector> parsed = NodeSelector::Parse(NodeTerms(selector));
    EXPECT_EQ(parsed->Matches(kLabels, "n1"), c.matches)
        << c.requirement.key << c.requirement.operator_;
    EXPECT_TRUE(parsed->Matches(kLabels, "")) << "fields do not count without a name";
  }
}

TEST(NodeSelector, TermsAreOrsOfAnds) {
  const Requirement yes = {"zone", "Exists", {}};
  const Requirement no = {"other", "Exists", {}};
  const Requirement name = {"metadata.name", "In", {"n1"}};
  const auto matches = [](const Selector& selector) {
    return NodeSelector::Parse(NodeTerms(selector))->Matches(kLabels, "n1");
  };
  EXPECT_TRUE(matches(OneTerm({yes}, {name})));
  EXPECT_FALSE(matches(OneTerm({yes, no}, {name})));
  EXPECT_TRUE(matches({{{{no}, {}}, {{yes}, {}}}}));
  EXPECT_FALSE(matches({}));
  EXPECT_FALSE(matches(OneTerm({})));
  EXPECT_TRUE(matches({{{}, {{yes}, {}}}}));
}

TEST(NodeSelector, MistakesAreNamedInUpstreamsWords) {
  const auto error = [](const Selector& selector) {
    const Result<NodeSelector> parsed = NodeSelector::Parse(NodeTerms(selector));
    return parsed ? "" : parsed.error().message;
  };
  const std::string bad_value =
      ": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
      "'.', and "
      "must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
      "'12345', regex "
      "used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  EXPECT_EQ(
      error(OneTerm({{"a", "Foo", {}}})),
      R"(nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: "Foo": supported values: )"
      R"("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")");
  EXPECT_EQ(
      error(OneTerm({}, {{"metadata.name", "Exists", {}}})),
      R"(nodeSelectorTerms[0].matchFields[0].operator: Unsupported value: "Exists": supported values: )"
      R"("In", "NotIn")");
  EXPECT_EQ(
      error(OneTerm({}, {{"metadata.name", "In", {"a", "b"}}})),
      R"(nodeSelectorTerms[0].matchFields[0].values: Invalid value: ["a","b"]: must have one element)");
  EXPECT_EQ(
      error(OneTerm({{"a", "In", {}}})),
      "nodeSelectorTerms[0].matchExpressions[0].values: Invalid value: null: for 'in', 'notin' "
      "operators, values set can't be empty");
  EXPECT_EQ(
      error(OneTerm({{"a", "Gt", {"-5"}}})),
      "nodeSelectorTerms[0].matchExpressions[0].values[0][a]: Invalid value: \"-5\"" + bad_value);
  // All errors are reported, with their places in the selector; an empty term counts as a place.
  EXPECT_EQ(
      error({{{{{"a", "Exists", {"x"}}}, {}}, {}, {{{"b", "Lt", {}}}, {{"c", "In", {}}}}}}),
      "[nodeSelectorTerms[0].matchExpressions[0].values: Invalid value: [\"x\"]: values set must "
      "be empty "
      "for exists and does not exist, nodeSelectorTerms[2].matchExpressions[0].values: Invalid "
      "value: "
      "null: for 'Gt', 'Lt' operators, exactly one value is required, "
      "nodeSelectorTerms[2].matchFields[0].values: Invalid value: null: must have one element]");
}

TEST(NodeSelector, LazyOnesFailOnlyWhenNothingMatches) {
  const Requirement yes = {"zone", "Exists", {}};
  const Requirement no = {"other", "Exists", {}};
  const Requirement bad = {"a", "Foo", {}};
  const auto match = [](const Selector& selector) {
    return NodeSelector::ParseLazily(NodeTerms(selector)).Match(kLabels, "n1");
  };
  EXPECT_TRUE(match({{{{bad}, {}}, {{yes}, {}}}}).value());
  EXPECT_FALSE(match({{{{no}, {}}}}).value());
  EXPECT_FALSE(match({{{{bad}, {}}, {{no}, {}}}}).has_value());
}

TEST(NodeMatches, NameGoesBeforeAllNodesBeforeSelector) {
  const Selector zone_a = OneTerm({{"zone", "In", {"a"}}});
  const Selector zone_b = OneTerm({{"zone", "In", {"b"}}});
  const Selector wrong = {{{{{"zone", "Exists", {}}}, {}}, {{{"a", "Foo", {}}}, {}}}};
  const std::vector<NodeTermView> a = NodeTerms(zone_a);
  const std::vector<NodeTermView> b = NodeTerms(zone_b);
  const std::vector<NodeTermView> bad = NodeTerms(wrong);
  EXPECT_TRUE(*NodeMatches({.node_name = "n1", .node_selector = &bad}, kLabels, "n1"));
  EXPECT_FALSE(*NodeMatches({.node_name = "n2", .all_nodes = true}, kLabels, "n1"));
  EXPECT_TRUE(*NodeMatches({.all_nodes = true, .node_selector = &b}, kLabels, "n1"));
  EXPECT_TRUE(*NodeMatches({.node_selector = &a}, kLabels, "n1"));
  EXPECT_FALSE(*NodeMatches({.node_selector = &b}, kLabels, "n1"));
  EXPECT_FALSE(*NodeMatches({}, kLabels, "n1"));
  EXPECT_FALSE(NodeMatches({.node_selector = &bad}, kLabels, "n1").has_value())
      << "all terms are read first";
}

}  // namespace
}  // namespace dray::api
