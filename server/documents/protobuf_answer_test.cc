// SPDX-License-Identifier: Apache-2.0
#include "server/documents/protobuf_answer.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/meta_v1/partial_object_metadata.h"
#include "api/meta_v1/status.h"
#include "api/resource_v1/device_class.h"
#include "server/documents/render.h"

namespace dray::server::documents {
namespace {

using api::resource_v1::DeviceClass;

constexpr std::string_view kClass =
    R"({"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1","metadata":{"name":"a","uid":"u",)"
    R"("resourceVersion":"7","creationTimestamp":"2026-01-02T03:04:05Z","labels":{"x":"y"}},)"
    R"("spec":{"selectors":[{"cel":{"expression":"true"}}]}})";

storage::Item Item(api::Release release = api::Release::kAny) {
  const auto object = api::DecodeJson(api::Reflected<DeviceClass>::kKind, kClass, nullptr);
  return storage::MakeItem(*object, release);
}

// The contents of an envelope as "VERSION KIND {JSON}".
std::string Shown(std::string_view envelope_bytes) {
  const auto envelope = api::ReadProtobufEnvelope(envelope_bytes);
  if (!envelope) return envelope.error().message;
  const auto decode = [&](const api::KindInfo& kind) {
    return api::ToJson(*api::DecodeProtobuf(kind, envelope->raw));
  };
  const std::string_view said = envelope->meta.kind;
  std::string json;
  if (said == "DeviceClass") json = decode(api::Reflected<DeviceClass>::kKind);
  if (said == "Status") json = decode(api::Reflected<api::meta_v1::Status>::kKind);
  if (said == "PartialObjectMetadata") {
    json = decode(api::Reflected<api::meta_v1::PartialObjectMetadata>::kKind);
  }
  return envelope->meta.api_version + " " + envelope->meta.kind + " " + json;
}

// The only frame of a stream as "TYPE VERSION KIND {JSON}".
std::string ShownFrame(std::string_view frame) {
  size_t length = 0;
  for (size_t i = 0; i < 4; ++i) length = length << 8U | static_cast<unsigned char>(frame[i]);
  EXPECT_EQ(length, frame.size() - 4);
  const auto event = api::ReadProtobufWatchEvent(frame.substr(4));
  if (!event) return event.error().message;
  return std::string(event->type) + " " + Shown(event->object);
}

TEST(ProtobufAnswer, ObjectsAreWholeOrTheirMetadata) {
  const storage::Item item = Item();
  EXPECT_EQ(Shown(ItemProtobuf(item, {.transform = Transform::kNone})),
            "resource.k8s.io/v1 DeviceClass " + std::string(kClass));
  EXPECT_EQ(Shown(ItemProtobuf(item, {.transform = Transform::kPartial})),
            R"(meta.k8s.io/v1 PartialObjectMetadata {"kind":"PartialObjectMetadata",)"
            R"("apiVersion":"v1","metadata":{"name":"a","uid":"u","resourceVersion":"7",)"
            R"("creationTimestamp":"2026-01-02T03:04:05Z","labels":{"x":"y"}}})");
}

TEST(ProtobufAnswer, MetadataIsOfTheVersionThatWasAskedFor) {
  const Form form = {.transform = Transform::kPartial, .version = "v1beta1"};
  EXPECT_THAT(Shown(ItemProtobuf(Item(), form)),
              ::testing::StartsWith("meta.k8s.io/v1beta1 PartialObjectMetadata {"));
}

TEST(ProtobufAnswer, MessagesAreMadeOnce) {
  const std::vector<storage::Item> copies(2, Item());
  EXPECT_EQ(storage::MessageOf(copies[0]).data(), storage::MessageOf(copies[1]).data());
}

// In protobuf, as in JSON, times have whole seconds.
TEST(ProtobufAnswer, TimesHaveWholeSeconds) {
  const storage::Item item = Item();
  EXPECT_THAT(std::string(storage::MessageOf(item)),
              ::testing::HasSubstr(std::string("\x42\x08\x08\xa5\xeb\xdc\xca\x06\x10\x00", 10)));
}

// The length is outside of the envelope.
TEST(ProtobufAnswer, EventsAreFrames) {
  const verbs::WatchEvent added{.type = verbs::WatchEventType::kAdded, .item = Item()};
  Rendering rendering{.form = {.encoding = Encoding::kProtobuf}};
  EXPECT_EQ(ShownFrame(WatchFrame(added, rendering, ColumnDefinitions::kShown)),
            "ADDED resource.k8s.io/v1 DeviceClass " + std::string(kClass));
  rendering.form.transform = Transform::kPartial;
  EXPECT_THAT(ShownFrame(WatchFrame(added, rendering, ColumnDefinitions::kShown)),
              ::testing::StartsWith("ADDED meta.k8s.io/v1 PartialObjectMetadata {"));
}

TEST(ProtobufAnswer, BookmarksAndErrorsAreFramesToo) {
  api::Object place = api::Object::Make(api::Reflected<DeviceClass>::kKind);
  place.mutable_metadata().resource_version = "9";
  const verbs::WatchEvent bookmark{.type = verbs::WatchEventType::kBookmark,
                                   .item = storage::MakeItem(place, api::Release::kAny)};
  const Rendering rendering{.form = {.encoding = Encoding::kProtobuf}};
  EXPECT_THAT(ShownFrame(WatchFrame(bookmark, rendering, ColumnDefinitions::kShown)),
              ::testing::HasSubstr(R"("metadata":{"resourceVersion":"9"})"));
  // The error has code, reason and message.
  api::meta_v1::Status expired;
  expired.status = "Failure";
  expired.message = "too old resource version: 1 (949)";
  expired.reason = "Expired";
  expired.code = 410;
  const verbs::WatchEvent error{.type = verbs::WatchEventType::kError,
                                .item = {},
                                .status = std::make_shared<const api::meta_v1::Status>(expired)};
  EXPECT_EQ(ShownFrame(WatchFrame(error, rendering, ColumnDefinitions::kShown)),
            R"x(ERROR v1 Status {"kind":"Status","apiVersion":"v1","metadata":{},)x"
            R"x("status":"Failure","message":"too old resource version: 1 (949)",)x"
            R"x("reason":"Expired","code":410})x");
}

}  // namespace
}  // namespace dray::server::documents
