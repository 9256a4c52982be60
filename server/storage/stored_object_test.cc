// SPDX-License-Identifier: Apache-2.0
// The durable form of an object, and the object decoded from it.
#include "server/storage/stored_object.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1alpha2.h"
#include "api/resource_v1beta1.h"
#include "api/testing/random_object.h"
#include "base/frozen.h"
#include "base/result.h"
#include "base/simulated_world.h"
#include "base/strong.h"
#include "server/storage/decoded_cache.h"
#include "store/record.h"

namespace dray::server::storage {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kEnvelope("k8s\0", 4);

Frozen<store::Record> RecordOf(Frozen<store::Value> value) {
  return store::MakeRecord({.key = "/registry/things/a",
                            .value = std::move(value),
                            .created = Revision{5},
                            .modified = Revision{7}});
}

/// The record as another process reads it.
Frozen<store::Record> Recovered(std::string_view bytes) {
  return RecordOf(ReadStored("/registry/things/a", bytes));
}

std::string StoredJson(const Result<std::optional<Item>>& item) {
  if (!item.has_value()) return item.error().message;
  const std::optional<Item>& shown = *item;
  if (!shown.has_value()) return "of the other generation";
  return api::ToJson(shown->object, {.stored = true});
}

std::string JsonAs(const api::KindInfo& kind, const Frozen<store::Record>& record) {
  return StoredJson(ItemOf({.kind = &kind}, *record));
}

/// Protobuf does not distinguish an empty list from an absent one; neither does upstream's storage.
std::string EmptyAsNull(std::string json) {
  RE2::GlobalReplace(&json, R"(:\[\])", ":null");
  return json;
}

TEST(StoredObject, SurvivesItsDurableFormWhateverItsKind) {
  SeededRandom random(20);
  for (const api::KindInfo* kind : api::BuiltinKinds()) {
    if (&kind->storage() != kind || !kind->served || kind->create_only) continue;
    for (int i = 0; i < 20; ++i) {
      SCOPED_TRACE(fmt::format("{} {}", kind->api_version, kind->kind));
      api::Object object = api::testing::RandomObject(*kind, random, {.wire = {.stored = true}});
      object.mutable_metadata().resource_version.clear();
      object.mutable_metadata().uid = "u";
      const auto stored = StoredObject::Of(std::move(object));
      const std::string bytes(ValueOf(stored)->bytes());
      EXPECT_THAT(bytes, StartsWith(kEnvelope));
      const Frozen<store::Record> written = RecordOf(ValueOf(stored));
      const Frozen<store::Record> recovered = Recovered(bytes);
      ASSERT_EQ(EmptyAsNull(JsonAs(*kind, recovered)), EmptyAsNull(JsonAs(*kind, written)));
      EXPECT_THAT(JsonAs(*kind, recovered), HasSubstr("\"resourceVersion\":\"7\""));
      EXPECT_EQ(StoredVersion(*recovered), kind->api_version);
      EXPECT_EQ(ValueOf(stored)->bytes(), bytes) << "reading it first changes nothing";
    }
  }
}

TEST(StoredObject, HasTheSameDurableFormAfterItWasRead) {
  api::resource_v1::DeviceClass device_class;
  device_class.metadata.name = "gpu";
  device_class.metadata.uid = "u";
  const api::Object object = api::Object::Of(device_class);
  const auto untouched = StoredObject::Of(object.Clone());
  const auto read = StoredObject::Of(object.Clone());
  EXPECT_THAT(JsonAs(object.kind(), RecordOf(ValueOf(read))),
              HasSubstr("\"resourceVersion\":\"7\""));
  EXPECT_EQ(ValueOf(read)->bytes(), ValueOf(untouched)->bytes());
}

api::Object Claim(std::string name) {
  api::resource_v1::ResourceClaim claim;
  claim.metadata.name = std::move(name);
  claim.metadata.uid = "u";
  return api::Object::Of(std::move(claim));
}

// What keeps records, such as the history, keeps bytes alone; the cache of decoded objects has
// the last ones.
TEST(StoredObject, IsDecodedWhileTheCacheOrAReaderHoldsIt) {
  const api::KindInfo& kind = api::Reflected<api::resource_v1::ResourceClaim>::kKind;
  auto stored = StoredObject::Of(Claim("a"));
  const std::weak_ptr<const StoredObject> decoded = stored;
  const Frozen<store::Record> record = RecordOf(ValueOf(std::move(stored)));
  ItemRef first = *FindItem(View::OfStorage(kind), *record);
  EXPECT_EQ(first.owner, decoded.lock()) << "what was written is what is read";
  const auto push_out = [] {
    DecodedOfProcess().Keep(std::make_shared<const int>(0), DecodedCache::kBytesMax);
  };
  push_out();
  EXPECT_EQ(FindItem(View::OfStorage(kind), *record)->owner, first.owner) << "held by a reader";
  EXPECT_TRUE(IsKnownAs(kind, *record));
  const std::string before = api::ToJson(first.item->object);
  first = {};
  EXPECT_TRUE(decoded.expired()) << "no reference is left";
  const ItemRef second = *FindItem(View::OfStorage(kind), *record);
  EXPECT_EQ(api::ToJson(second.item->object), before);
  EXPECT_TRUE(IsKnownAs(kind, *record));
}

// Informers of the same process hold the structs of live objects: there is one copy for all.
TEST(StoredObject, IsNotDecodedAgainWhileOthersHoldItsStruct) {
  const api::KindInfo& kind = api::Reflected<api::resource_v1::ResourceClaim>::kKind;
  const Frozen<store::Value> value = ValueOf(StoredObject::Of(Claim("a")));
  const Frozen<store::Record> record = Recovered(value->bytes());
  const api::Object held = FindItem(View::OfStorage(kind), *record)->item->object;
  DecodedOfProcess().Keep(std::make_shared<const int>(0), DecodedCache::kBytesMax);
  const ItemRef again = *FindItem(View::OfStorage(kind), *record);
  EXPECT_EQ(again.item->object.value(), held.value());
  EXPECT_EQ(again.item->object.metadata().resource_version, "7");
  EXPECT_EQ(ValueOf(again.owner)->bytes(), value->bytes());
}

TEST(StoredObject, OfAnotherProcessIsKnownOnceItWasDecoded) {
  const api::KindInfo& kind = api::Reflected<api::resource_v1::ResourceClaim>::kKind;
  const api::KindInfo& classic = api::Reflected<api::resource_v1alpha2::ResourceClaim>::kKind;
  const Frozen<store::Value> value = ValueOf(StoredObject::Of(Claim("a")));
  const Frozen<store::Record> record = Recovered(value->bytes());
  EXPECT_FALSE(IsKnownAs(kind, *record));
  EXPECT_EQ(FindItem(View::OfStorage(classic), *record)->item, nullptr);
  EXPECT_FALSE(IsKnownAs(kind, *record));
  EXPECT_NE(FindItem(View::OfStorage(kind), *record)->item, nullptr);
  EXPECT_TRUE(IsKnownAs(kind, *record));
  EXPECT_FALSE(IsKnownAs(classic, *record));
}

// An answer holds only so many objects that take much more memory than their bytes.
TEST(StoredObject, IsCountedWhereItTakesMuchMoreMemoryThanItsBytes) {
  const api::KindInfo* policy = nullptr;
  for (const api::KindInfo* kind : api::BuiltinKinds()) {
    if (kind->kind == "NetworkPolicy" && &kind->storage() == kind) policy = kind;
  }
  ASSERT_NE(policy, nullptr);
  const auto made = [&](size_t peers) {
    std::string json =
        R"({"metadata":{"name":"n","namespace":"default","uid":"u"},"spec":{"ingress":[{"from":[)";
    for (size_t i = 0; i < peers; ++i) json += i == 0 ? "{}" : ",{}";
    api::Object object = api::DecodeJson(*policy, json + "]}]}}", nullptr).value();
    return StoredObject::Of(std::move(object));
  };
  const auto usual = made(10);
  (void)ValueOf(usual);
  EXPECT_EQ(usual->transient_bytes(), 0U);
  const auto bulky = made(10'000);
  const Frozen<store::Value> value = ValueOf(bulky);
  EXPECT_GT(bulky->decoded_bytes(), 8 * value->size());
  EXPECT_GT(bulky->transient_bytes(), 8 * value->size());
  EXPECT_TRUE(value->CheckDurable().has_value());
  const Frozen<store::Record> record = Recovered(value->bytes());
  const ItemRef found = *FindItem(View::OfStorage(*policy), *record);
  ASSERT_NE(found.item, nullptr);
  EXPECT_GT(found.owner->transient_bytes(), 8 * value->size());
  EXPECT_EQ(FindItem(View::OfStorage(*policy), *record)->item, found.item) << "decoded once";
  EXPECT_THAT(JsonAs(*policy, record), HasSubstr(R"({},{},{})"));
}

// The metadata is read alone where that is quicker, and is the same in every case.
TEST(StoredObject, ShowsTheMetadataOfALargeOneAlone) {
  using api::resource_v1::DeviceClass;
  const api::KindInfo& kind = api::Reflected<DeviceClass>::kKind;
  const auto of = [](size_t selectors) {
    DeviceClass device_class;
    device_class.metadata.name = "gpu";
    device_class.metadata.uid = "u";
    device_class.metadata.managed_fields.emplace_back().manager = "m";
    device_class.metadata.owner_references = {{.kind = "Node", .name = "n", .uid = "o"}};
    for (size_t i = 0; i < selectors; ++i) {
      device_class.spec.selectors.emplace_back().cel = {.expression = std::string(100, 'x')};
    }
    return api::Object::Of(std::move(device_class));
  };
  const auto shown = [&](const Frozen<store::Record>& record) {
    return FindMetadata(View::OfStorage(kind), *record)->item->object;
  };
  const Frozen<store::Value> small = ValueOf(StoredObject::Of(of(1)));
  EXPECT_FALSE(IsLarge(*Recovered(small->bytes())));
  EXPECT_EQ(shown(Recovered(small->bytes())).As<DeviceClass>().spec.selectors.size(), 1U);

  const Frozen<store::Value> large = ValueOf(StoredObject::Of(of(30)));
  ASSERT_TRUE(IsLarge(*RecordOf(large)));
  const std::string json =
      R"({"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1",)" + api::ToJson(of(30)).substr(1);
  DeviceClass bare;
  bare.metadata = of(0).metadata();
  bare.metadata.managed_fields.clear();
  bare.metadata.resource_version = "7";
  const api::Object expected = api::Object::Of(bare);
  EXPECT_EQ(shown(RecordOf(large)), expected) << "decoded";
  EXPECT_EQ(shown(Recovered(large->bytes())), expected) << "not decoded";
  EXPECT_FALSE(IsKnownAs(kind, *Recovered(large->bytes())));
  EXPECT_EQ(shown(Recovered(json)), expected) << "JSON is decoded as a whole";

  const api::KindInfo& other = api::Reflected<api::resource_v1::ResourceClaim>::kKind;
  std::string broken(large->bytes());
  broken.resize(20);
  const auto failed = FindMetadata(View::OfStorage(other), *Recovered(broken + json));
  ASSERT_FALSE(failed.has_value());
  EXPECT_THAT(failed.error().message, HasSubstr("/registry/things/a cannot be decoded"));
}

TEST(StoredObject, IsRecoveredFromJsonToo) {
  const api::KindInfo& kind = api::Reflected<api::resource_v1::DeviceClass>::kKind;
  const auto record = Recovered(
      R"({"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1","metadata":{"name":"gpu","uid":"u"}})");
  EXPECT_THAT(JsonAs(kind, record), HasSubstr(R"("name":"gpu","uid":"u","resourceVersion":"7")"));
}

// A cluster that kube-apiserver of an older release wrote holds older versions.
TEST(StoredObject, IsRecoveredFromAnyVersionOfItsHub) {
  using api::resource_v1beta1::ResourceClaim;
  ResourceClaim claim;
  claim.metadata.name = "c";
  claim.metadata.namespace_ = "default";
  claim.metadata.uid = "u";
  claim.spec.devices.requests.emplace_back();
  claim.spec.devices.requests.back().name = "r";
  claim.spec.devices.requests.back().device_class_name = "gpu";
  std::string bytes;
  api::EncodeProtobuf(api::Object::Of(claim), bytes);
  const auto record = Recovered(bytes);
  const api::KindInfo& hub = api::Reflected<api::resource_v1::ResourceClaim>::kKind;
  EXPECT_THAT(
      JsonAs(hub, record),
      HasSubstr(R"("exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":1})"));
  EXPECT_EQ(StoredVersion(*record), "resource.k8s.io/v1beta1");
  const api::KindInfo& classic = api::Reflected<api::resource_v1alpha2::ResourceClaim>::kKind;
  EXPECT_EQ(JsonAs(classic, record), "of the other generation");
}

TEST(StoredObject, SaysWhichKeyCannotBeDecodedAndWhy) {
  const api::KindInfo& kind = api::Reflected<api::resource_v1::DeviceClass>::kKind;
  const std::string envelope(kEnvelope);
  const std::string start =
      "Internal error occurred: the stored DeviceClass at /registry/things/a "
      "cannot be decoded: ";
  EXPECT_EQ(JsonAs(kind, Recovered("k8s:enc:aescbc:v1:key:123")),
            start + "it is encrypted, and there is no key for it");
  EXPECT_THAT(JsonAs(kind, Recovered(envelope + "\x0a\xff")),
              StartsWith(start + "protobuf: byte 5: envelope"));
  EXPECT_THAT(JsonAs(kind, Recovered("{")), StartsWith(start));
  EXPECT_EQ(
      JsonAs(
          kind,
          Recovered(
              R"({"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1","metadata":{"name":"a"}})")),
      start + "it has no uid");
}

}  // namespace
}  // namespace dray::server::storage
