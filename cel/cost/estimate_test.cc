// SPDX-License-Identifier: Apache-2.0
#include "cel/cost/estimate.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "cel/compile.h"

namespace dray::cel::cost {
namespace {

using api::Release;

CostRange EstimateOf(std::string_view expression, Release release = Release::kNewest) {
  const Environment environment = {.release = release,
                                   .purpose = Purpose::kFree,
                                   .consumable_capacity = true,
                                   .list_type_attributes = true};
  const auto program = CompileProgram(expression, environment);
  EXPECT_TRUE(program.has_value()) << program.error().message;
  return program.has_value() ? EstimateCost((*program)->checked(), environment) : CostRange();
}

// A tenth of an unknown size, as doubles have it.
constexpr uint64_t kTenthOfUnknown = 1'844'674'407'370'955'264;

struct Case {
  const char* name;
  const char* expression;
  CostRange want;
};

class EstimateTest : public ::testing::TestWithParam<Case> {};

TEST_P(EstimateTest, IsUpstreams) {
  EXPECT_EQ(EstimateOf(GetParam().expression), GetParam().want)
      << EstimateOf(GetParam().expression).min << " to " << EstimateOf(GetParam().expression).max;
}

std::string Name(const ::testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

constexpr Case kNodes[] = {
    {"LiteralsAreFree", "true", {0, 0}},
    {"VariablesAndSelections", "device.driver", {2, 2}},
    {"SelectionsOnDynAreFree", "device.attributes['d'].x.y", {4, 4}},
    {"PresenceIsFree", "has(device.attributes['d'].x)", {3, 3}},
    {"OptionalSelection", "device.attributes['d'].?x", {4, 4}},
    {"ListAndMapLiterals", "[{1: 2}, {}]", {70, 70}},
    {"TypeNames", "int", {1, 1}},
    {"LogicEvaluatesTheFirst", "1 == 1 && 2 == 2 || 3 == 3", {1, 3}},
    {"LargerArm", "true ? 1 == 1 : [1] == [1]", {1, 21}},
    {"DynUnwraps", "dyn('abc') == 'abcdefghijklmnop'", {2, 2}},
    {"CodePoints", "'größe' == 'größe-größe'", {1, 1}},
    {"BytesCountBytes", "b'ääääää' == b'ääääää'", {1, 2}},
};
INSTANTIATE_TEST_SUITE_P(Nodes, EstimateTest, ::testing::ValuesIn(kNodes), Name);

constexpr Case kLoops[] = {
    {"All", "[1, 2, 3].all(x, x > 1)", {20, 26}},
    {"Exists", "[1, 2, 3].exists(x, x > 1)", {23, 29}},
    {"ExistsOne", "[1, 2, 3].exists_one(x, x > 1)", {21, 24}},
    {"Map", "[1, 2, 3].map(x, x * 2)", {63, 63}},
    {"MapSome", "[1, 2, 3].map(x, x > 1, x * 2)", {30, 69}},
    {"Filter", "[1, 2, 3].filter(x, x > 1)", {30, 66}},
    {"TransformList", "[3, 1, 2].transformList(i, v, i + v)", {66, 66}},
    {"TransformMap", "{1: 2, 3: 4}.transformMap(k, v, v + 1)", {71, 71}},
    {"TransformMapEntry", "{1: 2, 3: 4}.transformMapEntry(k, v, {v: k})", {129, 129}},
    {"EmptyRange", "[].all(x, x)", {11, 11}},
    {"ElementsHaveSizes", "['a', 'bcdefghijklm'].all(x, x == x)", {17, 25}},
    {"NestedElementsHaveSizes", "[[1, 2, 3]][0].all(x, x > 0)", {31, 37}},
    {"ResultsAreAsLongAsRanges", "[1, 2, 3].map(x, x).all(y, y > 0)", {70, 76}},
    {"Bind", "cel.bind(x, 'abc', x == x)", {13, 13}},
    {"BoundSizeIsForgottenOutside", "cel.bind(x, 'abc', x) == 'abcd'", {12, 12}},
    {"BoundInitialIsCountedOnce", "cel.bind(x, 1 + 1, true)", {11, 11}},
    {"OptMap", "optional.of(1).optMap(x, x + 1)", {3, 17}},
    {"OptFlatMap", "optional.of(1).optFlatMap(x, optional.of(x))", {3, 16}},
};
INSTANTIATE_TEST_SUITE_P(Loops, EstimateTest, ::testing::ValuesIn(kLoops), Name);

constexpr Case kDeviceSizes[] = {
    {"Driver", "device.driver == device.driver", {5, 11}},
    {"Attribute", "device.attributes['d'].x == device.attributes['d'].y", {9, 15}},
    {"AttributeByIndex", "device.attributes['d']['x'] == device.attributes['d']['y']", {9, 15}},
    {"Domains", "device.attributes.all(d, d == d)", {3, 387}},
    {"Ids", "device.capacity['d'].all(n, n == n)", {4, 292}},
    // Both variables' paths share memory upstream, so the name is taken for a value.
    {"IdsBesideValues", "device.attributes['d'].all(n, v, n == n)", {4, 388}},
    {"KeysThatHideTheirMap", "cel.bind(m, device.attributes['d'], m.all(m, v, m == v))", {15, 303}},
    {"IdsAfterAnotherLoop",
     "cel.bind(m, device.attributes['d'], m.all(n, v, m.all(k, k == n)))",
     {15, 9391}},
    {"Quantities", "device.capacity['d'].m == device.capacity['d'].n", {9, 9}},
    {"QuantitiesDiffer",
     "device.capacity['d'].m != device.capacity['d'].n",
     {9, kTenthOfUnknown + 8}},
    {"FieldOfNothing", "{'device': ''}.device == 'a'", {31, 31}},
};
INSTANTIATE_TEST_SUITE_P(DeviceSizes, EstimateTest, ::testing::ValuesIn(kDeviceSizes), Name);

constexpr Case kCalls[] = {
    {"Membership", "1 in [1, 2, 3]", {13, 13}},
    {"Concatenation", "[1] + [2, 3] == [1, 2, 3]", {32, 32}},
    {"UnknownSizes", "type(1) == int", {3, kTenthOfUnknown + 2}},
    {"Affixes", "device.driver.endsWith('.example.com')", {4, 4}},
    {"Contains", "device.driver.contains('.example.com')", {2, 16}},
    {"Matches", "'aaaaaaaaaaaaaaaaaaaa'.matches('b+c+d')", {6, 6}},
    {"MatchesAsFunction", "matches('aaaaaaaaaaaaaaaaaaaa', 'b+c+d')", {6, 6}},
    {"Replace", "device.driver.replace('a', 'bcd').size()", {3, 16}},
    {"ReplaceGrows",
     "device.driver.replace('a', 'bcd') == device.driver.replace('', 'x')",
     {5, 43}},
    {"Split", "'a,b'.split(',', 7).all(x, true)", {2, 23}},
    {"Join", "['a', 'b'].join(',')", {11, kTenthOfUnknown + 10}},
    {"QuotingTheUnknownWrapsAround", "strings.quote(string(1)) == 'a'", {1, kTenthOfUnknown + 1}},
    {"Sets", "sets.contains([1, 2, 3], [1, 2])", {27, 27}},
    {"SetsEquivalent", "sets.equivalent([1, 2, 3], [1, 2])", {33, 33}},
    {"Distinct", "[1, 2, 3].distinct()", {39, 39}},
    {"SortTexts", "['a', 'b', 'c'].sort()", {40, 40}},
    {"SortByAnything", "[1, 2, 3].sortBy(x, dyn(x))", {104, 105}},
    {"Slice", "[1, 2, 3].slice(1, 2)", {22, 22}},
    {"SliceBackwardsWrapsAround", "[1, 2, 3].slice(2, 1)", {UINT64_MAX, UINT64_MAX}},
    {"Flatten", "[[1], [2]].flatten()", {43, 43}},
    {"Range", "lists.range(10)", {21, 21}},
    {"ContainsIp", "cidr('10.0.0.0/8').containsIP('10.0.0.1')", {3, 6}},
    {"ContainsCidr", "cidr('10.0.0.0/8').containsCIDR('10.0.0.0/9')", {5, 9}},
    {"Validate", "format.dns1123Label().validate('abc')", {33, 33}},
    {"Urls", "url('https://a.b') == url('https://a.b')", {5, 6}},
    {"Semvers", "semver('1.2.3') == semver('1.2.3')", {3, 3}},
    {"AuthorizationCheck", "dyn(1).check('get')", {350'001, 350'001}},
    {"WidestOverload", "device.attributes['d'].x + device.attributes['d'].y", {8, 21}},
};
INSTANTIATE_TEST_SUITE_P(Calls, EstimateTest, ::testing::ValuesIn(kCalls), Name);

struct ReleaseCase {
  const char* name;
  const char* expression;
  Release before;  // the last release of the old number
  uint64_t old_max;
  uint64_t new_max;
};

class ReleaseTest : public ::testing::TestWithParam<ReleaseCase> {};

TEST_P(ReleaseTest, ChangesTheEstimate) {
  const ReleaseCase& test = GetParam();
  const auto after = static_cast<Release>(static_cast<int>(test.before) + 1);
  EXPECT_EQ(EstimateOf(test.expression, test.before).max, test.old_max);
  EXPECT_EQ(EstimateOf(test.expression, after).max, test.new_max);
}

INSTANTIATE_TEST_SUITE_P(
    Releases,
    ReleaseTest,
    ::testing::Values(
        ReleaseCase{"SizesOfVariables",
                    "cel.bind(x, 'abc', x == x)",
                    Release::k1_32,
                    kTenthOfUnknown + 12,
                    13},
        ReleaseCase{"BindHasNoSize", "cel.bind(x, 'a', x) == 'b'", Release::k1_32, 11, 12},
        ReleaseCase{"DynForgets", "dyn('a') == 'abcdefghijklmnop'", Release::k1_32, 3, 2},
        ReleaseCase{
            "SecondVariable", "device.attributes['d'].all(n, v, n == n)", Release::k1_32, 292, 388},
        ReleaseCase{"NestedLists", "[[1, 2, 3]][0].all(x, x > 0)", Release::k1_32, UINT64_MAX, 37},
        ReleaseCase{"Semver", "semver('1.2.3-aaaaaaaa')", Release::k1_32, 1, 2},
        ReleaseCase{"MatchesAsFunction", "matches('aaaaaaaaaa', 'b+')", Release::k1_36, 1, 2},
        ReleaseCase{"Includes", "[1, 2].includes(3)", Release::k1_36, 58, 12},
        ReleaseCase{
            "IncludesInAttribute", "device.attributes['d'].x.includes(1)", Release::k1_36, 52, 68}),
    [](const auto& info) { return info.param.name; });

TEST(EstimateLimits, SumsAndProductsStop) {
  EXPECT_EQ(EstimateOf("lists.range(9223372036854775807).map(x, x).map(x, x)").max, UINT64_MAX);
  EXPECT_EQ(EstimateOf("lists.range(9223372036854775807).map(x, x).map(x, x)").min, UINT64_MAX);
}

TEST(EstimateLimits, AttributesOfADomainFitTheLimitTwiceNested) {
  const std::string domain = "device.attributes['d']";
  EXPECT_LE(EstimateOf(domain + ".all(a, " + domain + ".all(b, a != b))").max, kSelectorCostMax);
  EXPECT_GT(EstimateOf(domain + ".all(a, " + domain + ".all(b, " + domain + ".all(c, " + domain +
                       ".all(d, a != b))))")
                .max,
            kSelectorCostMax);
}

// Upstream copies the target of optMap, which doubles it each time; the number doubles, the work
// here does not.
TEST(EstimateLimits, ChainsOfOptMapAreLinear) {
  std::string chain = "optional.of(1)";
  for (int i = 0; i < 70; ++i) chain += ".optMap(x, x)";
  EXPECT_EQ(EstimateOf(chain).max, UINT64_MAX);
}

TEST(EstimateLimits, LongChainsOfLogic) {
  std::string chain = "1 == 1";
  for (int i = 1; i < 1000; ++i) chain += " && 1 == 1";
  EXPECT_EQ(EstimateOf(chain), (CostRange{1, 1000}));
}

}  // namespace
}  // namespace dray::cel::cost
