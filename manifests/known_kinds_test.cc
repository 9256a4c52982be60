// SPDX-License-Identifier: Apache-2.0
#include "manifests/known_kinds.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/simulated_world.h"
#include "manifests/defined_versions.h"

namespace dray::manifests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A definition of example.com in one line, with versions v1 and v2; v2 is not served.
std::string DefinitionOf(std::string_view plural,
                         std::string_view kind,
                         std::string_view schema = "{type: object}") {
  return fmt::format(
      "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition,"
      " metadata: {{name: {0}.example.com}}, spec: {{group: example.com, scope: Namespaced,"
      " names: {{plural: {0}, kind: {1}}}, versions: ["
      "{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {2}}}}},"
      "{{name: v2, served: false, storage: false, schema: {{openAPIV3Schema: {2}}}}}]}}}}\n",
      plural,
      kind,
      schema);
}

class KnownKindsTest : public ::testing::Test {
 protected:
  void Learn(const std::string& file, const std::string& text) {
    kinds_.Learn(file, DocumentsIn(text, WithLines::kYes));
    kinds_.Publish();
  }
  const CustomDefinition& Found(std::string_view kind) {
    const CustomDefinition* found = kinds_.Find("example.com", kind);
    EXPECT_NE(found, nullptr) << kind;
    static const CustomDefinition kNone;
    return found == nullptr ? kNone : *found;
  }

  SimulatedClock clock_;
  SeededRandom random_{1};
  MemoryDisk disk_;
  World world_{.clock = clock_, .random = random_, .disk = disk_};
  KnownKinds kinds_{world_, {}};
};

TEST_F(KnownKindsTest, AKindHasAllVersionsOfItsDefinitionAndTheServedOnesAreNamed) {
  Learn("a.yaml", "---\n" + DefinitionOf("widgets", "Widget"));
  const CustomDefinition& widget = Found("Widget");
  EXPECT_EQ(widget.place, "a.yaml:2");
  EXPECT_EQ(widget.problem, "");
  EXPECT_THAT(widget.served, ElementsAre("example.com/v1"));
  ASSERT_NE(kinds_.scheme().FindKind("example.com/v1", "Widget"), nullptr);
  ASSERT_NE(kinds_.scheme().FindKind("example.com/v2", "Widget"), nullptr);
  EXPECT_FALSE(kinds_.scheme().FindKind("example.com/v2", "Widget")->served);
  EXPECT_EQ(kinds_.scheme().FindKind("example.com/v3", "Widget"), nullptr);
  EXPECT_EQ(kinds_.Find("example.com", "Gadget"), nullptr);
}

TEST_F(KnownKindsTest, AnInvalidDefinitionHasNoEffectAndIsFoundByItsKind) {
  Learn("a.yaml", DefinitionOf("widgets", "Widget", "{type: nonsense}"));
  EXPECT_EQ(Found("Widget").problem, "is invalid");
  EXPECT_EQ(kinds_.scheme().FindKind("example.com/v1", "Widget"), nullptr);
  Learn("b.yaml", DefinitionOf("widgets", "Widget"));
  EXPECT_EQ(Found("Widget").problem, "");
  EXPECT_EQ(Found("Widget").place, "b.yaml:1");
}

TEST_F(KnownKindsTest, AVersionOfDefinitionsThatNoReleaseServesIsRefused) {
  Learn("a.yaml",
        "{apiVersion: apiextensions.k8s.io/v1beta1, kind: CustomResourceDefinition,"
        " spec: {group: example.com, names: {kind: Widget}}}");
  EXPECT_EQ(Found("Widget").problem, "is refused");
}

TEST_F(KnownKindsTest, TheSecondDefinitionOfANameCountsOnlyIfItSaysTheSame) {
  Learn("a.yaml", DefinitionOf("widgets", "Widget"));
  Learn("b.yaml", DefinitionOf("widgets", "Widget"));
  Learn("c.yaml", DefinitionOf("widgets", "Widget", "{type: object, description: another}"));
  EXPECT_EQ(Found("Widget").place, "a.yaml:1");
  EXPECT_EQ(kinds_.At("b.yaml", 0, "")->warning, "");
  EXPECT_EQ(kinds_.At("c.yaml", 0, "")->warning,
            "a.yaml:1 defines widgets.example.com otherwise; objects are judged by the definition "
            "there");
}

TEST_F(KnownKindsTest, AKindWhoseNamesAreInUseIsNotServed) {
  Learn("a.yaml", DefinitionOf("widgets", "Widget") + "---\n" + DefinitionOf("gadgets", "Widget"));
  EXPECT_EQ(Found("Widget").place, "a.yaml:1");
  EXPECT_EQ(kinds_.At("a.yaml", 1, "")->problem,
            "is not served (\"WidgetList\" is already in use)");
}

TEST_F(KnownKindsTest, AFileThatIsNamedTwiceDefinesOnce) {
  Learn("a.yaml", DefinitionOf("widgets", "Widget"));
  Learn("a.yaml", DefinitionOf("widgets", "Widget"));
  EXPECT_EQ(kinds_.At("a.yaml", 0, "")->warning, "");
}

/// The notes of `text`, of which definitions correct those about unknown kinds.
std::vector<std::string> NotesOf(MemoryDisk& disk, const std::string& text) {
  EXPECT_TRUE(disk.Write("a.yaml", text, Disk::Privacy::kOwnerOnly).has_value());
  const std::vector<std::string> paths = {"a.yaml"};
  const api::Scheme scheme;
  auto read = ReadManifests(disk, scheme, paths, kManifestObjectsMax, UnknownKinds::kPodTemplates);
  EXPECT_TRUE(read.has_value());
  DefinedVersions defined;
  defined.AddDefinitions(*read);
  CorrectNotes(defined, *read);
  return read->notes;
}

TEST_F(KnownKindsTest, ADefinedKindIsNoUnknownKind) {
  const std::string v1 = "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}\n---\n";
  const std::string v2 = "{apiVersion: example.com/v2, kind: Widget, metadata: {name: w}}\n---\n";
  const std::string pods =
      "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {template: "
      "{spec: {containers: [{name: c, image: i}]}}}}\n---\n";
  const std::string definition = DefinitionOf("widgets", "Widget");
  EXPECT_THAT(NotesOf(disk_, v1),
              ElementsAre("a.yaml:1: skipped example.com/v1 Widget: not a kind Dray knows"));
  EXPECT_THAT(NotesOf(disk_, v1 + definition), IsEmpty());
  EXPECT_THAT(NotesOf(disk_, v2 + definition),
              ElementsAre("a.yaml:1: skipped example.com/v2 Widget: its definition serves "
                          "example.com/v1"));
  EXPECT_THAT(NotesOf(disk_, pods + definition),
              ElementsAre("a.yaml:1: took the pod template of example.com/v1 Widget"));
}

}  // namespace
}  // namespace dray::manifests
