// SPDX-License-Identifier: Apache-2.0
#include "allocator/rules/constraints.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "allocator/testing/lab.h"
#include "api/resource_v1/device_request.h"
#include "api/resource_v1/slice.h"

namespace dray::allocator::rules {
namespace {

namespace v1 = api::resource_v1;
using testing::FeaturesWith;

/// The attributes that steps name by their letter.
const std::map<char, std::string> kAttributes = {{'1', R"({"int":1})"},
                                                 {'2', R"({"int":2})"},
                                                 {'s', R"({"string":"1"})"},
                                                 {'v', R"({"version":"1.0.0"})"},
                                                 {'w', R"({"version":"1.0.0+x"})"},
                                                 {'t', R"({"bool":true})"},
                                                 {'?', "{}"},
                                                 {'a', R"({"ints":[1]})"},
                                                 {'b', R"({"ints":[2]})"},
                                                 {'c', R"({"ints":[1,2]})"},
                                                 {'e', R"({"ints":[]})"},
                                                 {'x', R"({"strings":["1","2"]})"}};

/// Runs steps such as "1 1 - 2": adds attributes for request "r", "r:1" for another one; "-" takes
/// back what was accepted last. The answer has a letter per attribute: y for accepted, n for not.
std::string Accepted(std::string_view kind, const Features& features, std::string_view steps) {
  v1::DeviceConstraint wanted;
  (kind == "match" ? wanted.match_attribute : wanted.distinct_attribute) = "d.io/n";
  Constraint constraint(wanted, features);
  std::vector<v1::DeviceAttribute> attributes;
  attributes.reserve(steps.size());  // they stay where they are
  std::vector<RequestName> accepted;
  std::string answers;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] == ' ') continue;
    if (steps[i] == '-') {
      constraint.RemoveLast(accepted.back());
      accepted.pop_back();
      continue;
    }
    const bool is_other = steps.substr(i).starts_with("o:");
    if (is_other) i += 2;
    const RequestName request{.base = is_other ? "o" : "r", .alternative = {}};
    attributes.push_back(testing::FromJson<v1::DeviceAttribute>(kAttributes.at(steps[i])));
    const bool is_accepted = constraint.Add(request, &attributes.back());
    if (is_accepted) accepted.push_back(request);
    answers += is_accepted ? 'y' : 'n';
  }
  return answers;
}

struct ConstraintCase {
  std::string_view kind, profile, steps, answers;
};

TEST(Constraint, SingleValues) {
  constexpr ConstraintCase kCases[] = {
      {"match", "v0.37.2", "1 1 2 s ?", "yynnn"},
      {"match", "v0.37.2", "1 - 2 2 1", "yyyn"},
      {"match", "v0.37.2", "v w v t", "ynyn"},
      {"match", "v0.37.2", "? 1 ?", "ynn"},  // the first may be anything
      {"match", "v0.31.8", "1 1 2 s", "yynn"},
      {"distinct", "v0.37.2/incubating", "1 2 1 s v 2", "yynyyn"},
      {"distinct", "v0.37.2/incubating", "1 2 - 2 2", "yyyn"},
      {"distinct", "v0.37.2/incubating", "? ? 1", "yny"},
      // One device of each request is remembered, and forgotten with any of them.
      {"distinct", "v0.36.6/incubating", "1 2 1 2", "yyyy"},
      {"distinct", "v0.36.6/incubating", "1 o:2 2 o:1", "yynn"},
      {"distinct", "v0.36.6/incubating", "1 2 - o:1", "yyy"},
  };
  for (const ConstraintCase& c : kCases) {
    EXPECT_EQ(Accepted(c.kind, FeaturesWith(c.profile, ""), c.steps), c.answers)
        << c.kind << " " << c.profile << " " << c.steps;
  }
}

TEST(Constraint, SetsOfValues) {
  constexpr ConstraintCase kCases[] = {
      {"match", "v0.37.2", "c a b", "yyn"},
      {"match", "v0.37.2", "c a - b 2", "yyyy"},
      {"match", "v0.37.2", "e ? x s", "nnyy"},
      {"match", "v0.37.2", "c x", "yn"},
      {"match", "v0.36.6", "c a - b", "yyn"},  // never widens
      {"match", "v0.36.6", "c a - - b", "yyy"},
      {"distinct", "v0.37.2", "c a b x s ?", "ynnynn"},
      {"distinct", "v0.37.2", "a b c", "yyn"},
      {"distinct", "v0.36.6", "e ? a", "yny"},  // the first may be anything
      {"distinct", "v0.36.6", "a b a", "yyy"},
  };
  for (const ConstraintCase& c : kCases) {
    EXPECT_EQ(Accepted(c.kind, FeaturesWith(c.profile, "ListTypeAttributes"), c.steps), c.answers)
        << c.kind << " " << c.profile << " " << c.steps;
  }
}

TEST(Constraint, CoversRequestsAndAlternatives) {
  v1::DeviceConstraint wanted;
  wanted.match_attribute = "d.io/n";
  const Features features = FeaturesWith("v0.37.2", "");
  EXPECT_TRUE(Constraint(wanted, features).Covers({.base = "r", .alternative = {}}));
  wanted.requests = {"r", "q/one"};
  const Constraint constraint(wanted, features);
  EXPECT_TRUE(constraint.Covers({.base = "r", .alternative = "any"}));
  EXPECT_TRUE(constraint.Covers({.base = "q", .alternative = "one"}));
  EXPECT_FALSE(constraint.Covers({.base = "q", .alternative = "two"}));
  EXPECT_FALSE(constraint.Covers({.base = "q", .alternative = {}}));
}

TEST(Constraint, FindsAttributesByFullAndByShortName) {
  const auto slice = testing::FromJson<v1::ResourceSlice>(
      R"({"spec":{"driver":"d.io","devices":[{"name":"a","attributes":{
          "n":{"int":1},"e.io/n":{"int":2},"d.io/m":{"int":3},"m":{"int":4}}}]}})");
  const DeviceEntry entry{.slice = &slice, .device = &slice.spec.devices.front()};
  const auto value = [&](std::string_view name) {
    const v1::DeviceAttribute* const found = FindAttribute(entry, name);
    return found == nullptr ? 0 : found->int_.value_or(-1);
  };
  EXPECT_EQ(value("d.io/n"), 1);
  EXPECT_EQ(value("e.io/n"), 2);
  EXPECT_EQ(value("d.io/m"), 3);
  EXPECT_EQ(value("n"), 1);
  EXPECT_EQ(value("f.io/n"), 0);
  EXPECT_EQ(value("d.io/gone"), 0);
}

}  // namespace
}  // namespace dray::allocator::rules
