// SPDX-License-Identifier: Apache-2.0
// Each limit on files, exactly at it and one past it.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/yaml_limits.h"
#include "api/device_names.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1alpha2.h"
#include "base/simulated_world.h"
#include "manifests/convert_classic.h"
#include "manifests/files.h"
#include "manifests/objects.h"

namespace dray::manifests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ManifestLimits, FoldersInsideEachOther) {
  MemoryDisk disk;
  std::string folder = "f";
  for (size_t depth = 1; depth < kFolderDepthMax; ++depth) folder += "/f";
  const std::string deepest = folder + "/a.yaml";
  ASSERT_TRUE(disk.Write(deepest, "", Disk::Privacy::kOwnerOnly).has_value());
  const std::vector<std::string> paths = {"f"};
  EXPECT_THAT(ManifestFiles(disk, paths).value(), ElementsAre(deepest));
  ASSERT_TRUE(disk.Write(folder + "/f/a.yaml", "", Disk::Privacy::kOwnerOnly).has_value());
  const auto deeper = ManifestFiles(disk, paths);
  ASSERT_FALSE(deeper.has_value());
  EXPECT_EQ(deeper.error().message, folder + "/f: folders are nested too deeply");
}

// A dump of a large cluster is longer than a YAML document may be.
TEST(ManifestLimits, JsonMayBeLongerThanYaml) {
  MemoryDisk disk;
  const api::Scheme scheme;
  const std::string long_text(api::kYamlTextMax, 'x');
  ASSERT_TRUE(disk.Write("a.json",
                         R"({"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":)"
                         R"("ConfigMap","metadata":{"name":"c"},"data":{"x":")" +
                             long_text + R"("}},{"kind":"Pod","metadata":{},"apiVersion":"v1"}]})",
                         Disk::Privacy::kOwnerOnly)
                  .has_value());
  const std::vector<std::string> paths = {"a.json"};
  EXPECT_THAT(ReadManifests(disk, scheme, paths)->objects, SizeIs(2));
}

TEST(ManifestLimits, JsonOfManyObjectsKeepsTheirOrder) {
  MemoryDisk disk;
  const api::Scheme scheme;
  std::string items;
  for (int i = 0; i < 1000; ++i) {
    items += fmt::format(R"({}{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p{}"}}}})",
                         i == 0 ? "" : ",",
                         i);
  }
  ASSERT_TRUE(disk.Write("a.json",
                         R"({"kind":"PodList","apiVersion":"v1","items":[)" + items + "]}",
                         Disk::Privacy::kOwnerOnly)
                  .has_value());
  const std::vector<std::string> paths = {"a.json"};
  const auto read = ReadManifests(disk, scheme, paths);
  ASSERT_EQ(read->objects.size(), 1000U);
  for (size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(read->objects[i].object.metadata().name, fmt::format("p{}", i));
    EXPECT_EQ(PlaceOf(read->objects[i]), fmt::format("a.json: Pod p{}", i));
  }
}

TEST(ManifestLimits, ObjectsOfAllFiles) {
  static_assert(kManifestObjectsMax == 1'000'000);
  MemoryDisk disk;
  const api::Scheme scheme;
  const std::string object = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n---\n";
  for (const char* file : {"a.yaml", "b.yaml"}) {
    ASSERT_TRUE(disk.Write(file, object + object, Disk::Privacy::kOwnerOnly).has_value());
  }
  const std::vector<std::string> paths = {"a.yaml", "b.yaml"};
  EXPECT_THAT(ReadManifests(disk, scheme, paths)->objects, SizeIs(4));
  EXPECT_THAT(ReadManifests(disk, scheme, paths, 4)->objects, SizeIs(4));
  const auto more = ReadManifests(disk, scheme, paths, 3);
  ASSERT_FALSE(more.has_value());
  EXPECT_EQ(more.error().message, "more than 3 objects");
}

// The new names of `names`, attributes of v1alpha2, and the remarks.
std::pair<std::vector<std::string>, std::vector<std::string>> Converted(
    const std::vector<std::string>& names) {
  api::resource_v1alpha2::ResourceSlice slice;
  slice.node_name = "n";
  auto& instance = slice.resource_model.named_resources.emplace().instances.emplace_back();
  instance.name = "gpu";
  for (const std::string& name : names) {
    auto& attribute = instance.attributes.emplace_back();
    attribute.name = name;
    attribute.attribute_value.int_ = 1;
  }
  const Proposal proposal = Propose(api::Object::Of(std::move(slice)), {});
  std::vector<std::string> kept;
  const auto& made = proposal.object->As<api::resource_v1::ResourceSlice>();
  for (const auto& [name, attribute] : made.spec.devices.at(0).attributes) {
    EXPECT_EQ(attribute.int_, 1);
    kept.push_back(name);
  }
  std::vector<std::string> remarks = proposal.remarks;
  remarks.erase(remarks.begin());  // the remark on the invented pool
  return {kept, remarks};
}

TEST(ManifestLimits, NamesOfAttributesAreCut) {
  const std::string longest(api::kDeviceIdentifierMax, 'a');
  {
    const auto [kept, remarks] = Converted({longest});
    EXPECT_THAT(kept, ElementsAre(longest));
    EXPECT_THAT(remarks, IsEmpty());
  }
  {
    const auto [kept, remarks] = Converted({longest + "a"});
    EXPECT_THAT(kept, ElementsAre(longest));
    EXPECT_THAT(
        remarks,
        ElementsAre(fmt::format("attribute {0}a is {0}: attributes are C identifiers", longest)));
  }
}

TEST(ManifestLimits, OfTwoNamesThatBecomeOneTheFirstStays) {
  const auto [kept, remarks] = Converted({"a-b", "a.b"});
  EXPECT_THAT(kept, ElementsAre("a_b"));
  EXPECT_THAT(remarks,
              ElementsAre("attribute a-b is a_b: attributes are C identifiers",
                          "attribute a.b is left out: gpu has a_b already"));
}

}  // namespace
}  // namespace dray::manifests
