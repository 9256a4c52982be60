// SPDX-License-Identifier: Apache-2.0
// What upstream says about expressions that are wrong, and what those cost that are odd. Each row
// is a rule that a straightforward implementation would get differently.
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cel/compile.h"
#include "cel/eval/evaluator.h"
#include "cel/eval/meter.h"
#include "cel/language/time_zones.h"
#include "cel/value/arena.h"

namespace dray::cel {
namespace {

Environment EnvironmentOf(api::Release release) {
  return {.release = release, .purpose = Purpose::kFree};
}

struct LanguageCase {
  const char* name;
  const char* expression;
  const char* want;
  api::Release release = api::Release::kNewest;
};

std::string NameOf(const ::testing::TestParamInfo<LanguageCase>& info) {
  return info.param.name;
}

// Column and message of each error, or the whole message if it has no place.
std::string Problems(const LanguageCase& c) {
  const auto program = CompileProgram(c.expression, EnvironmentOf(c.release));
  if (program.has_value()) return "none";
  std::string out;
  for (const syntax::SourceError& problem : program.error().problems) {
    out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", problem.offset + 1, problem.message);
  }
  return out.empty() ? program.error().message : out;
}

class ProblemTest : public ::testing::TestWithParam<LanguageCase> {};

TEST_P(ProblemTest, IsReported) {
  EXPECT_EQ(Problems(GetParam()), GetParam().want);
}

constexpr LanguageCase kProblems[] = {
    {"NamesAndMacrosAreReportedEach",
     "[1].map(as, if)",
     "9: reserved identifier: as; 13: reserved identifier: if; 9: argument is not an identifier"},
    {"ArgumentsOfReservedCallsAreNotLookedAt", "loop(as)", "1: reserved identifier: loop"},
    {"HasOfHasIsHas", "has(has({'a': 1}.b))", "none"},
    {"TargetOfOptMapIsThereTwice",
     "optional.of(y).optMap(x, x)",
     "13: undeclared reference to 'y' (in container ''); 13: undeclared reference to 'y' (in "
     "container '')"},
    {"CallOfWhatIsWrongIsWrong",
     "y.size(1)",
     "1: undeclared reference to 'y' (in container ''); 7: found no matching overload for 'size' "
     "applied to '!error!.(int)'"},
    {"FreeTypesAreNumbered", "[] || true", "1: expected type 'bool' but found 'list(_var0)'"},
    {"KubernetesTypesHaveNoDescription",
     "quantity('1').value",
     "14: unexpected failed resolution of 'kubernetes.Quantity'"},
    {"MapsReportEachValue",
     "{1: 'a', 2: 3, 4: 5}",
     "13: expected type 'string' but found 'int'; 19: expected type 'string' but found 'int'"},
    {"DurationLiteral", "false && duration('x') > duration('1s')", "19: invalid duration argument"},
    {"TimestampLiteral", "timestamp(253402300800)", "11: invalid timestamp argument"},
    {"FormatOfTooMuch",
     "'%s'.format(['a', 'b'])",
     "12: too many arguments supplied to string.format (expected 1, got 2)"},
    {"UnknownMessage", "Color{r: 1}", "6: undeclared reference to 'Color' (in container '')"},
    {"FieldOfWrongType",
     "google.protobuf.Int64Value{value: 1u}",
     "33: expected type of field 'value' is 'int' but provided type is 'uint'"},
    {"TypesAreNotVariables",
     "cel.bind(t, int, t == int)",
     "program instantiation failed: reference to undefined type: t"},
    {"VariableWithoutTypeIn32",
     "dyn([3]).all(i, x, x == 3)",
     "22: found no matching overload for '_==_' applied to '(, int)'",
     api::Release::k1_32},
    {"AccumulatorIsHiddenSince33",
     "[3].filter(__result__, true)",
     "12: iteration variable overwrites accumulator variable",
     api::Release::k1_33},
    {"BytesHaveNoCodePoints", R"(b'\u0041')", "1: unable to unescape string"},
    {"BytesHaveNoLongCodePoints", R"(b'\U00110000')", "1: unable to unescape string"},
    {"NoCodePoint", R"('\U00110000')", "1: invalid unicode code point"},
    {"NoCodePointIn32", R"('\U00110000')", "1: unable to unescape string", api::Release::k1_32},
    {"SurrogatesSince33", R"('\ud800')", "1: invalid unicode code point", api::Release::k1_33},
    {"SurrogatesIn32", R"('\ud800')", "none", api::Release::k1_32},
    // One token too many is left out, and parsing continues.
    {"KeywordAsField",
     "[1].in == [1]",
     "5: Syntax error: no viable alternative at input '.in'; 8: Syntax error: extraneous input "
     "'==' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, "
     "NUM_UINT, STRING, BYTES, IDENTIFIER}"},
    {"LiteralAsField", "[1].true", "5: Syntax error: mismatched input 'true' expecting IDENTIFIER"},
    {"TokenAtTheEnd", "1 2", "3: Syntax error: extraneous input '2' expecting <EOF>"},
    {"TokensAtTheEnd", "1 2 3", "3: Syntax error: mismatched input '2' expecting <EOF>"},
    {"NothingBehindThePoint", "[1]. ]", "6: Syntax error: no viable alternative at input '. ]'"},
    {"OperatorTooMany",
     "1 == * 1 && x",
     "6: Syntax error: extraneous input '*' expecting {'[', '{', '(', '.', '-', '!', 'true', "
     "'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"},
    {"BackticksIn32",
     "{'x': 1}.`x`",
     "10: Syntax error: token recognition error at: '`'",
     api::Release::k1_32},
    {"BackticksSince33", "{'x': 1}.`x`", "10: unsupported syntax: '`'", api::Release::k1_33},
    {"BackticksIn37", "{'x': 1}.`x`", "none"},
};

INSTANTIATE_TEST_SUITE_P(Table, ProblemTest, ::testing::ValuesIn(kProblems), NameOf);

// The value, as far as a line can show it, and the cost.
std::string Outcome(const LanguageCase& c) {
  const auto program = CompileProgram(c.expression, EnvironmentOf(c.release));
  if (!program.has_value()) return program.error().message;
  Arena arena;
  eval::Meter meter(kSelectorCostMax);
  const Value value = eval::Evaluate(**program, {}, arena, meter);
  std::string shown(TypeName(value));
  if (value.is(ValueKind::kBool)) shown = value.boolean() ? "true" : "false";
  if (value.is(ValueKind::kInt)) shown = fmt::format("{}", value.integer());
  if (value.is(ValueKind::kDouble)) shown = fmt::format("{}", value.number());
  if (value.is_error()) shown = value.text();
  return fmt::format("{} at {}", shown, meter.spent());
}

class OutcomeTest : public ::testing::TestWithParam<LanguageCase> {};

TEST_P(OutcomeTest, IsUpstreams) {
  EXPECT_EQ(Outcome(GetParam()), GetParam().want);
}

constexpr LanguageCase kOutcomes[] = {
    {"CostFollowsTheOverload", "string('eleven char')", "string at 0"},
    {"MessageIsItsValue", "google.protobuf.Int32Value{value: 7} == 7", "true at 41"},
    {"MessageTooBig",
     "google.protobuf.Int32Value{value: 5000000000}",
     "field type conversion error for google.protobuf.Int32Value.value value type: integer "
     "overflow at 40"},
    {"JsonHasDoubles", "google.protobuf.Struct{fields: {'a': 2}}['a'] == dyn(2.0)", "true at 43"},
    {"NullValueIsZero", "google.protobuf.NullValue.NULL_VALUE", "0 at 0"},
    {"CrashIsNotAbsorbed",
     "dyn(2).distinct() == [] || true",
     "internal error: interface conversion: types.Int is not traits.Lister: missing method "
     "Contains at 0"},
    {"VersionIsNoMember",
     "dyn(semver('1.2.3')) in ['1.2.3'] || true",
     "internal error: runtime error: hash of unhashable type cel.Semver at 2"},
    {"SumOnTheRightDiffers", "quantity('3') == quantity('1').add(2)", "no such overload at 4"},
    {"SumOnTheLeftDoesNot", "quantity('1').add(2) == quantity('3')", "true at 4"},
    {"BoundTwiceIsOnce", "cel.bind(x, cel.bind(z, 1, 5), x + x)", "10 at 3"},
    {"BoundInALoopLeavesItsVariable",
     "cel.bind(x, [[7]].map(a, a.map(b, b))[0][0], [1, 2].map(y, x + y)) == [8, 9]",
     "true at 63"},
    {"AbsentPartIsFree", "optional.of({'a': 1})['b'].hasValue()", "false at 3"},
    {"NoneTakesAKeyAway", "{'a': 0, ?'a': optional.none()} == {}", "true at 31"},
    {"NoneTakesNoLaterKeyAway", "{?'a': optional.none(), 'a': 5}['a']", "5 at 33"},
    {"NoneTakesOnlyItsTypeAway", "{dyn(1): 5, ?dyn(1u): optional.none()}[dyn(1)]", "5 at 33"},
    {"NoneOfAKeyThatIsNone",
     "{?dyn(b'x'): optional.none()} == {}",
     "internal error: hash of unhashable type: types.Bytes at 1"},
    {"FirstOverloadBindsFreeTypes",
     "dyn(['b']).reverse().max()",
     "no such overload: max(list) at 12"},
};

INSTANTIATE_TEST_SUITE_P(Table, OutcomeTest, ::testing::ValuesIn(kOutcomes), NameOf);

// Upstream's planner knows some functions as code of one or two values, and refuses calls with
// another number of them; what tells overloads apart refuses when it is called.
constexpr LanguageCase kUncheckedCalls[] = {
    {"BinaryOfOne", "a.namespace() || true", "program: namespace(arg)"},
    {"BinaryOfThree", "a.namespace(1, 2) || true", "program: namespace(...)"},
    {"BinaryOfNone", "contains() || true", "program: contains()"},
    {"UnaryOfTwo", "a.lowerAscii(1) || true", "program: lowerAscii(lhs, rhs)"},
    {"UnaryOfThree", "quantity(1, 2, 3) || true", "program: quantity(...)"},
    {"OneCodeForManyOverloads", "size(1, 2) || true", "program: size(lhs, rhs)"},
    {"OneCodeForTwoOverloads", "matches('a') || true", "program: matches(arg)"},
    {"InnerCallsFirst", "a.namespace(size()) || true", "program: size()"},
    {"OverloadsAreToldApartWhenCalled", "string(1, 2)", "string(int, int)"},
    {"OverloadsOfNoneToo", "string()", "string()"},
    {"MoreThanAnyFunctionHas",
     "'a'.replace('b', 'c', 1, 2, 3)",
     "replace(string, string, string, int, int, int)"},
    {"AbsorbedWhenCalled", "string(1, 2) || true", "none"},
    {"FormatIsCalled", "'a'.format()", "format(string)"},
    {"NoneIsCalled", "optional.none(1)", "optional.none(int)"},
    {"UnknownFunction", "f(1)", "f"},
    {"UnknownFunctionOfNone", "f() || true", "program: f()"},
    {"UnknownMethodOfText", "'a'.f()", ""},
    {"OrOfOne", "optional.of(1).or()", "or"},
    {"VersionsOfTwo", "semver('1.0.0', true, 1) || true", "none"},
    {"VersionsOfTwoIn32",
     "semver('1.0.0', true) || true",
     "program: semver(lhs, rhs)",
     api::Release::k1_32},
};

// What comes behind "no such overload".
std::string UncheckedOutcome(const LanguageCase& c) {
  const auto shown = [](std::string_view prefix, std::string_view message) {
    constexpr std::string_view kFailure = "no such overload";
    const size_t at = message.find(kFailure);
    if (at == std::string_view::npos) return std::string(message);
    message.remove_prefix(at + kFailure.size());
    if (message.starts_with(": ")) message.remove_prefix(2);
    return fmt::format("{}{}", prefix, message);
  };
  check::Scope scope;
  scope.checked = false;
  const auto program = CompileProgram(c.expression, EnvironmentOf(c.release), scope);
  if (!program.has_value()) return shown("program: ", program.error().message);
  Arena arena;
  eval::Meter meter(kSelectorCostMax);
  const Value value = eval::Evaluate(**program, {}, arena, meter);
  return value.is_error() ? shown("", value.text()) : "none";
}

class UncheckedCallTest : public ::testing::TestWithParam<LanguageCase> {};

TEST_P(UncheckedCallTest, IsRefusedAsUpstreamDoes) {
  EXPECT_EQ(UncheckedOutcome(GetParam()), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(Table, UncheckedCallTest, ::testing::ValuesIn(kUncheckedCalls), NameOf);

std::string HourIn(const TimeZones* zones, std::string_view zone) {
  Environment environment = EnvironmentOf(api::Release::kNewest);
  environment.time_zones = zones;
  const auto program = CompileProgram(
      fmt::format("timestamp('1970-01-01T00:30:00Z').getHours('{}')", zone), environment);
  if (!program.has_value()) return program.error().message;
  Arena arena;
  eval::Meter meter(kSelectorCostMax);
  const Value value = eval::Evaluate(**program, {}, arena, meter);
  return value.is_error() ? std::string(value.text()) : fmt::format("{}", value.integer());
}

TEST(TimeZonesOfAnEnvironment, AreThoseThatExpressionsMayName) {
  const TimeZones zones([](std::string_view name) -> Result<std::string> {
    return Fail(StatusReason::kInvalid, fmt::format("nothing about {}", name));
  });
  EXPECT_EQ(HourIn(&zones, "UTC"), "0");
  EXPECT_EQ(HourIn(&zones, "+02:00"), "2");
  EXPECT_EQ(HourIn(&zones, "Europe/Berlin"), "nothing about Europe/Berlin");
  EXPECT_EQ(HourIn(nullptr, "Europe/Berlin"), "unknown time zone Europe/Berlin");
}

}  // namespace
}  // namespace dray::cel
