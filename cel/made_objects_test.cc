// SPDX-License-Identifier: Apache-2.0
// Objects that literals of declared types make: what is refused, and what the others are.
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cel/compile.h"
#include "cel/eval/evaluator.h"
#include "cel/eval/meter.h"
#include "cel/value/arena.h"
#include "cel/value/made_object.h"

namespace dray::cel {
namespace {

check::Scope DeclaredTypes() {
  check::Scope scope;
  scope.variables = {{"any", "dyn"}};
  scope.objects = {
      {.name = "Tree", .fields = {}, .literals = check::Literals::kOfAny},
      {.name = "Step",
       .fields = {{"op", "string"}, {"value", "dyn"}},
       .literals = check::Literals::kOfFields},
      {.name = "Seen", .fields = {{"name", "string"}}},
  };
  scope.functions = {
      {.name = "jsonpatch.escapeKey",
       .overloads = {{.is_member = false, .parameters = {"string"}, .result = "string"}}}};
  return scope;
}

// The first problem without its place; or the type, and the value where a line can show it.
std::string OutcomeOfMade(std::string_view expression) {
  const check::Scope scope = DeclaredTypes();
  const auto program = CompileProgram(expression, {.purpose = Purpose::kAdmission}, scope);
  if (!program.has_value()) {
    const auto& problems = program.error().problems;
    return problems.empty() ? program.error().message : problems.front().message;
  }
  std::string shown = check::DeclaredName((*program)->result_type());
  Arena arena;
  eval::Meter meter(kSelectorCostMax);
  const Value any[] = {Value::Int(7)};
  const Value value = eval::Evaluate(**program, any, arena, meter);
  if (const MadeObject* const made = MadeObjectOf(value)) {
    shown += fmt::format(" of {}", made->size());
  } else if (value.is(ValueKind::kString) || value.is_error()) {
    shown += fmt::format(" {}", value.text());
  } else if (value.is(ValueKind::kBool)) {
    shown += value.boolean() ? " true" : " false";
  } else if (value.is(ValueKind::kNull)) {
    shown += " null";
  }
  return shown;
}

struct MadeCase {
  const char* name;
  const char* expression;
  const char* want;
};

std::string NameOfMade(const ::testing::TestParamInfo<MadeCase>& info) {
  return info.param.name;
}

class MadeObjectTest : public ::testing::TestWithParam<MadeCase> {};

TEST_P(MadeObjectTest, IsAsDeclared) {
  EXPECT_EQ(OutcomeOfMade(GetParam().expression), GetParam().want);
}

constexpr MadeCase kMadeCases[] = {
    {"AnyFields", "Tree{a: 1, b: 'x'}", "Tree of 2"},
    {"NamesBelow", "Tree{a: Tree.a{}}.a", "dyn of 0"},
    {"OtherNames", "Trees{}", "undeclared reference to 'Trees' (in container '')"},
    {"NotByLiterals", "Seen{name: 'x'}", "undeclared reference to 'Seen' (in container '')"},
    {"NoNamesBelow", "Step.op{}", "undeclared reference to 'Step.op' (in container '')"},
    {"TypedField",
     "Step{op: 1}",
     "expected type of field 'op' is 'string' but provided type is 'int'"},
    {"UnknownField", "Step{no: 1}", "expected type of field 'no' is '' but provided type is 'int'"},
    {"TypedFieldAtRunTime", "Step{op: any}", "Step unexpected type int64 for StepType 'op' field"},
    {"ReadsAField", "Step{op: 'add'}.op", "string add"},
    {"ReadsATextThatIsNotSet", "Step{}.op", "string "},
    {"ReadsAFieldThatIsNotSet", "Tree{}.a", "dyn null"},
    {"HasAField", "has(Tree{a: 1}.a)", "bool true"},
    {"HasNoField", "has(Step{}.op)", "bool false"},
    {"OptionalField", "Tree{?a: optional.none(), ?b: optional.of(1)}", "Tree of 1"},
    {"NoOptionalField", "Tree{?a: 1}", "expected type 'optional_type(int)' but found 'int'"},
    {"Equal", "Tree{a: 1, b: 2} == Tree{b: 2, a: 1}", "bool true"},
    {"DifferentFields", "Tree{a: 1} == Tree{a: 2}", "bool false"},
    {"DifferentTypes", "dyn(Tree{}) == dyn(Tree.a{})", "bool false"},
    {"OtherTypeStatically",
     "Tree{} == Step{}",
     "found no matching overload for '_==_' applied to '(Tree, Step)'"},
    {"BranchesOfOneType", "any == 1 ? Tree{} : Tree{a: 1}", "Tree of 1"},
    {"BranchesOfTwoTypes",
     "any == 1 ? Tree{} : Tree.a{}",
     "found no matching overload for '_?_:_' applied to '(bool, Tree, Tree.a)'"},
    {"ListOfOneType", "[Step{}, Tree{}]", "expected type 'Step' but found 'Tree'"},
    {"IsZero", "optional.ofNonZeroValue(Tree{}).hasValue()", "bool false"},
    {"ErrorInside", "Tree{a: 1 / 0}", "Tree division by zero"},
    {"ScopeFunction", "jsonpatch.escapeKey('a/b~c')", "string a~1b~0c"},
};

INSTANTIATE_TEST_SUITE_P(Table, MadeObjectTest, ::testing::ValuesIn(kMadeCases), NameOfMade);

}  // namespace
}  // namespace dray::cel
