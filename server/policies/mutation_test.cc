// SPDX-License-Identifier: Apache-2.0
#include "server/policies/mutation.h"

#include <string>

#include <gtest/gtest.h>

#include "api/core_v1/pod.h"
#include "server/policies/cel_values.h"
#include "server/policies/compiled_policy.h"
#include "server/policies/evaluation.h"

namespace dray::server::policies {
namespace {

namespace v1 = api::admissionregistration_v1;

constexpr const char* kPod =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","labels":{"a":"b"}},)"
    R"("spec":{"containers":[{"name":"c","image":"i"}],"nodeSelector":{"x":"y"}}})";

// The object after a mutation; or why there is none.
std::string After(const std::string& patch_type, const std::string& expression) {
  v1::MutatingAdmissionPolicy policy;
  v1::Mutation& mutation = policy.spec.mutations.emplace_back();
  mutation.patch_type = patch_type;
  if (patch_type == "JSONPatch") {
    mutation.json_patch.emplace().expression = expression;
  } else {
    mutation.apply_configuration.emplace().expression = expression;
  }
  const CompiledMutatingPolicy compiled = CompilePolicy(policy, api::Release::kNewest);
  cel::Arena arena;
  Variables values;
  values.object = ValueOfJson(kPod, arena);
  const auto made = EvaluateMutation(compiled.mutations.front(), {}, values, arena);
  if (!made.has_value()) return made.error();
  if (patch_type == "JSONPatch") {
    const auto patched = ApplyJsonPatchTo(kPod, *made, arena);
    return patched.has_value() ? patched->value_or("unchanged") : patched.error();
  }
  const auto merged = ApplyConfigurationTo(
      api::Reflected<api::core_v1::Pod>::kKind, kPod, *made, api::Release::kNewest);
  return merged.has_value() ? *merged : merged.error();
}

struct MutationCase {
  const char* name;
  const char* patch_type;
  const char* expression;
  const char* want;
};

constexpr const char* kApply = "ApplyConfiguration";
constexpr const char* kPatch = "JSONPatch";

class MutationTest : public ::testing::TestWithParam<MutationCase> {};

TEST_P(MutationTest, MakesOfThePod) {
  EXPECT_EQ(After(GetParam().patch_type, GetParam().expression), GetParam().want);
}

constexpr MutationCase kMutationCases[] = {
    {"Nothing", kApply, "Object{}", kPod},
    {"MapsMerge",
     kApply,
     "Object{metadata: Object.metadata{labels: {'c': 'd'}}}",
     R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","labels":{"a":"b","c":"d"}},)"
     R"("spec":{"containers":[{"name":"c","image":"i"}],"nodeSelector":{"x":"y"}}})"},
    {"KeyedListsMerge",
     kApply,
     "Object{spec: Object.spec{containers: object.spec.containers.map(c, "
     "Object.spec.containers{name: c.name, image: 'j'})}}",
     R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","labels":{"a":"b"}},)"
     R"("spec":{"containers":[{"name":"c","image":"j"}],"nodeSelector":{"x":"y"}}})"},
    {"AtomicMap",
     kApply,
     "Object{spec: Object.spec{nodeSelector: {'a': 'b'}}}",
     "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or "
     "structs: .spec.nodeSelector"},
    {"AtomicLists",
     kApply,
     "Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: 'k'}], "
     "containers: [Object.spec.containers{name: 'c', args: ['x']}]}}",
     "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or "
     "structs: .spec.containers[0].args, .spec.tolerations"},
    {"UnknownField",
     kApply,
     "Object{spec: Object.spec{bogus: 1}}",
     "error applying patch: failed to convert patch object to typed object: .spec.bogus: field not "
     "declared in schema"},
    {"WrongType",
     kApply,
     "Object{spec: Object.spec{priority: 'five'}}",
     "error applying patch: failed to convert patch object to typed object: .spec.priority: "
     "expected numeric (int or float), got string"},
    {"NullUnsetsNothing",
     kApply,
     "Object{spec: Object.spec{nodeSelector: null}}",
     "error applying patch: failed to convert patch object to typed object: .spec.nodeSelector: "
     "expected map, got &{NULL_VALUE}"},
    {"LiteralInsideALiteral",
     kApply,
     "Object{metadata: Object.metadata{labels: {'x': {'y': 'z'}}}}",
     "error applying patch: failed to convert patch object to typed object: .metadata.labels.x: "
     "expected string, got &value.valueUnstructured{Value:map[y:z]}"},
    {"WrongTypeNames",
     kApply,
     "Object{spec: Object.spec{containers: [Object.spec.containers.item{name: 'c'}]}}",
     "type mismatch: unexpected type name \"Object.spec.containers.item\", expected "
     "\"Object.spec.containers\", which matches field name path from root Object type"},
    {"Add",
     kPatch,
     "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('x/y'), value: 'z'}]",
     R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","labels":{"a":"b","x/y":"z"}},)"
     R"("spec":{"containers":[{"name":"c","image":"i"}],"nodeSelector":{"x":"y"}}})"},
    {"TypedValue",
     kPatch,
     "[JSONPatch{op: 'replace', path: '/spec', value: Object.spec{priority: 5}}]",
     R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","labels":{"a":"b"}},)"
     R"("spec":{"priority":5}})"},
    {"TypedValueOfTheWrongType",
     kPatch,
     "[JSONPatch{op: 'replace', path: '/spec', value: Object.spec{os: Object.spec.o{}}}]",
     "type mismatch: unexpected type name \"Object.spec.o\", expected \"Object.spec.os\", which "
     "matches field name path from root Object type"},
    {"PartOfTheObject",
     kPatch,
     "[JSONPatch{op: 'replace', path: '/spec', value: object.metadata}]",
     R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","labels":{"a":"b"}},)"
     R"("spec":{"labels":{"a":"b"},"name":"p"}})"},
    {"TestFails", kPatch, "[JSONPatch{op: 'test', path: '/kind', value: 'x'}]", "unchanged"},
    {"NotThere",
     kPatch,
     "[JSONPatch{op: 'remove', path: '/data'}]",
     "JSON Patch: error in remove for path: '/data': Unable to remove nonexistent key: data: "
     "missing value"},
    {"UnknownOperation",
     kPatch,
     "[JSONPatch{op: 'fly', path: '/data'}]",
     "JSON Patch: Unexpected kind: fly"},
    {"NoText",
     kPatch,
     "[JSONPatch{op: 'add', path: object.spec, value: 1}]",
     "expression '[JSONPatch{op: 'add', path: object.spec, value: 1}]' resulted in error: "
     "unexpected type map[ref.Val]ref.Val for JSONPatchType 'path' field"},
};

INSTANTIATE_TEST_SUITE_P(Table,
                         MutationTest,
                         ::testing::ValuesIn(kMutationCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace dray::server::policies
