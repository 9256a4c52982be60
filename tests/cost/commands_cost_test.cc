// SPDX-License-Identifier: Apache-2.0
// Cost in proportion to input, of the commands that read files: validate, convert, allocate.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/kind.h"
#include "base/simulated_world.h"
#include "base/world.h"
#include "manifests/convert.h"
#include "manifests/convert_item.h"
#include "manifests/objects.h"
#include "manifests/validate.h"
#include "planning/cluster/offline_cluster.h"
#include "planning/objects/offline_objects.h"
#include "tests/cost/bounds.h"
#include "tests/cost/forms.h"
#include "tests/cost/usage.h"
#include "tests/soak.h"

namespace dray::cost {
namespace {

constexpr std::string_view kFile = "/in.yaml";

/// Runs a command on the file; returns the bytes of its output.
using Run = std::function<size_t(SimulatedWorld&)>;

size_t Validate(SimulatedWorld& world) {
  World files = world.world();
  auto validator = manifests::ManifestValidator::Make(files, {});
  EXPECT_TRUE(validator.has_value());
  const auto verdicts = validator->ValidateFile(std::string(kFile));
  EXPECT_TRUE(verdicts.has_value()) << verdicts.error().message;
  size_t said = 0;
  for (const manifests::ObjectVerdict& verdict : *verdicts) {
    said += verdict.file.size() + verdict.name.size();
    for (const manifests::Notice& notice : verdict.notices) {
      said += notice.field.size() + notice.text.size() + notice.hint.size();
    }
  }
  return said;
}

size_t Convert(SimulatedWorld& world) {
  size_t said = 0;
  const auto done = manifests::ConvertFiles(world.disk(),
                                            {std::string(kFile)},
                                            manifests::ItemConverter("v1", api::Release::kAny),
                                            manifests::Losing::kAllowed,
                                            [&](std::string_view line) { said += line.size(); });
  if (!done.has_value()) return said + done.error().message.size();
  return said + manifests::ToYaml(done->documents).size();
}

size_t Allocate(SimulatedWorld& world) {
  World files = world.world();
  const api::Scheme scheme;
  const std::string paths[] = {std::string(kFile)};
  auto read = manifests::ReadManifests(files.disk, scheme, paths);
  if (!read.has_value()) return read.error().message.size();
  planning::OfflineCluster cluster(files,
                                   planning::SortManifests(files, *std::move(read), "default"),
                                   {.budget = {.steps_max = 100'000}});
  return cluster.AllocateAll().size();
}

struct CommandCase {
  const char* name;
  Run run;
  std::function<std::string(size_t)> text;
};

std::string Documents(size_t bytes, const std::function<std::string(size_t)>& document) {
  std::string text;
  for (size_t i = 0; text.size() < bytes; ++i) text += "---\n" + document(i);
  return text;
}

std::string SmallMap(size_t i) {
  return fmt::format("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m{}}}\n", i);
}

std::string Claims(size_t bytes) {
  return Documents(bytes, [](size_t i) {
    return fmt::format(
        "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {{name: "
        "c{}, namespace: default}}\nspec: {{devices: {{requests: [{{name: r, "
        "deviceClassName: x}}]}}}}\n",
        i);
  });
}

std::string ListOf(size_t bytes) {
  return Filled(bytes,
                R"({"apiVersion":"v1","kind":"List","items":[)",
                R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m#"}})",
                "]}");
}

/// A slice for each node, and a claim.
std::string Cluster(size_t bytes) {
  return Documents(bytes,
                   [](size_t i) {
                     return fmt::format(
                         "apiVersion: v1\nkind: Node\nmetadata: {{name: n{0}}}\n---\n"
                         "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: "
                         "s{0}}}\nspec: {{driver: d.example.com, nodeName: n{0}, pool: {{name: "
                         "n{0}, resourceSliceCount: 1}}, devices: [{{name: a}}, {{name: b}}]}}\n",
                         i);
                   }) +
         "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: x}\nspec: {}\n"
         "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c, namespace: "
         "default}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: x}}]}}\n";
}

std::string WithHead(size_t bytes, std::string_view unit) {
  return Filled(
      bytes, R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},)", unit, "}\n");
}

const CommandCase kCommandCases[] = {
    {"ValidateDocuments", Validate, [](size_t n) { return Documents(n / 4, SmallMap); }},
    {"ValidateList", Validate, ListOf},
    {"ValidateUnknownFields", Validate, [](size_t n) { return WithHead(n, R"("x#":0)"); }},
    {"ValidateDuplicateFields", Validate, [](size_t n) { return WithHead(n, R"("x":0)"); }},
    {"ValidateClaims", Validate, [](size_t n) { return Claims(n / 4); }},
    {"ValidateBadLabels",
     Validate,
     [](size_t n) {
       return Filled(n,
                     R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{)",
                     R"("!#":"")",
                     "}}}\n");
     }},
    {"ValidateNoYaml", Validate, [](size_t n) { return Times("{", n); }},
    {"ValidateEmptyDocuments", Validate, [](size_t n) { return Times("---\n", n / 4); }},
    {"ValidateNamespaces",
     Validate,
     [](size_t n) {
       return Documents(n / 8, [](size_t i) {
         return fmt::format(
             "apiVersion: v1\nkind: Namespace\nmetadata: {{name: n{0}}}\n---\n"
             "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a, namespace: "
             "n{0}}}\n",
             i);
       });
     }},
    {"ValidateDepth", Validate, [](size_t n) { return "a: " + Times("[", n / 2) + "\n"; }},
    {"ValidateFarLines",
     Validate,
     [](size_t n) {
       return Filled(n, "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: \"", "\n\n\n\n\n\n", "\"\n") +
              Times("  b: [1]\n", n / 20);
     }},
    {"ConvertClaims", Convert, [](size_t n) { return Claims(n / 4); }},
    {"ConvertOthers", Convert, [](size_t n) { return Documents(n / 4, SmallMap); }},
    {"ConvertComments",
     Convert,
     [](size_t n) { return Times("# comment\n", n / 20) + Claims(n / 8); }},
    {"ConvertUnknownFields",
     Convert,
     [](size_t n) {
       return Filled(n,
                     R"({"apiVersion":"resource.k8s.io/v1beta1","kind":"ResourceClaim",)"
                     R"("metadata":{"name":"a"},)",
                     R"("x#":0)",
                     "}\n");
     }},
    {"AllocateNodes", Allocate, [](size_t n) { return Cluster(n / 4); }},
    {"AllocateClaims", Allocate, [](size_t n) { return Claims(n / 8); }},
    {"AllocateUnknownKinds",
     Allocate,
     [](size_t n) {
       return Documents(n / 4, [](size_t i) {
         return fmt::format("apiVersion: x.example.com/v1\nkind: X\nmetadata: {{name: n{}}}\n", i);
       });
     }},
};

class CommandsCost : public ::testing::TestWithParam<CommandCase> {};

TEST_P(CommandsCost, IsInProportionToTheInput) {
  const CommandCase& command = GetParam();
  Growth growth(command.name);
  const size_t largest = std::min<size_t>(kBodyBytes, Instances(kBodyBytes / 8));
  for (const size_t size : {largest / 4, largest / 2, largest}) {
    SimulatedWorld world(1);
    const std::string text = command.text(size);
    ASSERT_TRUE(
        world.disk().Write(std::string(kFile), text, Disk::Privacy::kEverybody).has_value());
    size_t said = 0;
    const Usage usage = Measure([&] { said = command.run(world); });
    growth.Add(size, usage, said);
  }
  EXPECT_EQ(growth.Complaint(), "");
}

INSTANTIATE_TEST_SUITE_P(, CommandsCost, ::testing::ValuesIn(kCommandCases), [](const auto& info) {
  return info.param.name;
});

}  // namespace
}  // namespace dray::cost
