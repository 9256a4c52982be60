// SPDX-License-Identifier: Apache-2.0
#include "server/storage/unreadable.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/core_v1/service_account.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "base/simulated_world.h"

namespace dray::server::storage {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string Checked(std::string_view key, std::string_view bytes) {
  const std::optional<UnreadableRecord> found = RecordReader().Check(key, bytes);
  return found.has_value() ? TextOf(*found) : "fine";
}

TEST(RecordReader, NamesWhatCannotBeReadAndWhy) {
  EXPECT_THAT(Checked("/registry/deviceclasses/gpu", "{"),
              ::testing::StartsWith("DeviceClass \"gpu\" cannot be read: "));
  EXPECT_EQ(Checked("/registry/resourceclaims/default/c", "k8s:enc:aescbc:v1:key:123"),
            "ResourceClaim \"c\" in namespace \"default\" cannot be read: it is encrypted, and "
            "there is no key for it");
  EXPECT_EQ(Checked("/registry/minions/n",
                    R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}})"),
            "Node \"n\" cannot be read: it has no uid");
  EXPECT_EQ(Checked("/registry/resourceslices/s",
                    R"({"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v7"})"),
            "ResourceSlice \"s\" cannot be read: no version of the kind is "
            "\"resource.k8s.io/v7\"");
}

TEST(RecordReader, ReadsWhatAllCustomObjectsHave) {
  EXPECT_EQ(Checked("/registry/lights.test/lamps/home/a",
                    R"({"apiVersion":"lights.test/v1","kind":"Lamp","metadata":{"name":"a"}})"),
            "fine");
  EXPECT_THAT(
      Checked("/registry/lights.test/lamps/home/a", "{"),
      ::testing::StartsWith("lamps.lights.test \"a\" in namespace \"home\" cannot be read: "));
  EXPECT_EQ(Checked("/registry/lights.test/lamps/a", R"({"metadata":{"name":"a"}})"),
            "lamps.lights.test \"a\" cannot be read: it does not say its kind and version");
  EXPECT_EQ(Checked("/registry/lights.test/lamps/a",
                    R"({"apiVersion":"lights.test/v1","kind":"Lamp","metadata":{"name":"b"}})"),
            "lamps.lights.test \"a\" cannot be read: it says its name is \"b\"");
}

TEST(RecordReader, KnowsWhatIsNotForIt) {
  EXPECT_EQ(Checked("/registry/widgets/a", "anything"), "fine");
  EXPECT_EQ(Checked("compact_rev_key", "7"), "fine");
  EXPECT_EQ(Checked("/registry/resourceclaims/default/c",
                    R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1alpha2",)"
                    R"("metadata":{"name":"c","uid":"u"}})"),
            "fine")
      << "the other generation lies at the same keys";
}

Frozen<store::Record> RecordAt(int64_t revision, std::string_view name = "a") {
  return store::MakeRecord({.key = "/registry/deviceclasses/" + std::string(name),
                            .value = store::MakeBytes("{"),
                            .created = Revision{1},
                            .modified = Revision{revision}});
}

TEST(LenientReader, TellsTheLogOnceForEachRevision) {
  SimulatedWorld world(1);
  std::vector<std::string> lines;
  LenientReader reader(
      Log(world.world().clock, [&](std::string_view line) { lines.emplace_back(line); }, {}));
  const View view = View::OfStorage(api::Reflected<api::resource_v1::DeviceClass>::kKind);
  std::vector<std::string> left_out;
  EXPECT_EQ(reader.Find(view, *RecordAt(5), &left_out).item, nullptr);
  EXPECT_EQ(reader.Find(view, *RecordAt(5), &left_out).item, nullptr);
  EXPECT_THAT(left_out, SizeIs(2));
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_THAT(lines[0], HasSubstr("/registry/deviceclasses/a"));
  EXPECT_EQ(reader.Find(view, *RecordAt(6), nullptr).item, nullptr);
  EXPECT_THAT(lines, SizeIs(2));
}

TEST(LenientReader, RemembersSoManyRecordsAndThenTellsAllAgain) {
  SimulatedWorld world(1);
  size_t lines = 0;
  LenientReader reader(Log(world.world().clock, [&](std::string_view) { ++lines; }, {}));
  const View view = View::OfStorage(api::Reflected<api::resource_v1::DeviceClass>::kKind);
  const auto read = [&](size_t records) {
    for (size_t i = 0; i < records; ++i)
      reader.Find(view, *RecordAt(5, std::to_string(i)), nullptr);
    return std::exchange(lines, 0);
  };
  EXPECT_EQ(read(LenientReader::kToldMax), LenientReader::kToldMax);
  EXPECT_EQ(read(LenientReader::kToldMax), 0U);
  EXPECT_EQ(read(LenientReader::kToldMax + 1), 1U);
  EXPECT_EQ(read(LenientReader::kToldMax), LenientReader::kToldMax);
}

// 200 000 empty elements are 600 kB of JSON, 400 kB of protobuf and 45 MB of memory.
TEST(StoredObject, WithManyEmptyElementsIsReadBack) {
  const api::KindInfo& kind = api::Reflected<api::core_v1::ServiceAccount>::kKind;
  std::string json = R"({"metadata":{"name":"sa","uid":"u"},"secrets":[{})";
  for (int i = 1; i < 200'000; ++i) json += ",{}";
  json += "]}";
  Result<api::Object> object = api::DecodeJson(kind, json, nullptr);
  ASSERT_TRUE(object.has_value()) << object.error().message;
  const Frozen<store::Value> value = ValueOf(StoredObject::Of(*std::move(object)));
  EXPECT_TRUE(value->CheckDurable().has_value()) << value->CheckDurable().error().message;
}

// Objects made by the server's own parts have not passed a decoder.
TEST(StoredObject, ThatCouldNotBeReadBackIsFoundOut) {
  api::resource_v1::ResourceClaim claim;
  claim.metadata.name = "c";
  claim.metadata.uid = "u";
  claim.metadata.annotations.emplace("k", "cut off: \xE2\x82");
  const Result<> checked = ValueOf(StoredObject::Of(api::Object::Of(claim)))->CheckDurable();
  ASSERT_FALSE(checked.has_value());
  EXPECT_THAT(
      checked.error().message,
      ::testing::StartsWith("Internal error occurred: the ResourceClaim would not be readable "
                            "once it was stored: protobuf: byte "));
}

}  // namespace
}  // namespace dray::server::storage
