// SPDX-License-Identifier: Apache-2.0
#include "server/documents/protobuf_answer.h"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/protobuf.h"
#include "api/codec/protobuf_wire.h"
#include "api/meta_v1/list_meta.h"
#include "api/object.h"
#include "base/check.h"

namespace dray::server::documents {
namespace {

bool IsPartial(const Form& form) {
  const Transform transform = form.transform;
  return transform == Transform::kPartial || transform == Transform::kPartialList;
}

// For an object or, with `suffix` "List", for a list.
api::TypeMeta MetaOf(const api::KindInfo& kind, const Form& form, std::string_view suffix = {}) {
  if (IsPartial(form)) {
    return {.api_version = fmt::format("meta.k8s.io/{}", form.version),
            .kind = fmt::format("PartialObjectMetadata{}", suffix)};
  }
  return {.api_version = std::string(kind.api_version),
          .kind = fmt::format("{}{}", kind.kind, suffix)};
}

// The metadata is the first field of every kind and the only one of a PartialObjectMetadata, so
// the message of the one begins with that of the other.
std::string_view MetadataOnly(std::string_view message) {
  api::WireReader reader(message);
  const api::WireTag tag = reader.Tag();
  DRAY_CHECK(tag.number == 1 && tag.type == api::WireType::kBytes);
  reader.Bytes();
  return message.substr(0, static_cast<size_t>(reader.at() - message.data()));
}

std::string_view MessageOf(const storage::Item& item, const Form& form) {
  const std::string_view message = storage::MessageOf(item);
  return IsPartial(form) ? MetadataOnly(message) : message;
}

const api::TypeMeta& StatusMeta() {
  static const api::TypeMeta kMeta{.api_version = "v1", .kind = "Status"};
  return kMeta;
}

std::string StatusMessage(const api::meta_v1::Status& status) {
  std::string message;
  api::EncodeProtobuf(api::TypeOf<api::meta_v1::Status>(), &status, message);
  return message;
}

}  // namespace

std::string ItemProtobuf(const storage::Item& item, const Form& form) {
  std::string out;
  api::EncodeProtobufEnvelope(
      {.meta = MetaOf(item.object.kind(), form), .raw = MessageOf(item, form)}, out);
  return out;
}

TextPieces ListProtobuf(const verbs::ListAnswer& answer, const Form& form) {
  TextPieces elements;
  if (IsPartial(form) || answer.items.groups().empty()) {
    std::vector<std::string_view> messages;
    messages.reserve(answer.items.size());
    for (const storage::Item& item : answer.items) messages.push_back(MessageOf(item, form));
    std::string text;
    api::EncodeProtobufListItems(messages, text);
    elements.Add(std::move(text));
  } else {
    for (const auto& group : answer.items.groups()) elements.Add(group->Messages());
  }
  api::ProtobufListFrame frame =
      api::FrameProtobufList(MetaOf(*answer.kind, form, "List"),
                             {.resource_version = answer.resource_version,
                              .continue_ = answer.continue_token,
                              .remaining_item_count = answer.remaining_item_count},
                             elements.size());
  TextPieces body(std::move(frame.head));
  body.Add(elements);
  body.Add(std::move(frame.tail));
  return body;
}

std::string StatusProtobuf(const api::meta_v1::Status& status) {
  std::string out;
  api::EncodeProtobufEnvelope({.meta = StatusMeta(), .raw = StatusMessage(status)}, out);
  return out;
}

std::string WatchFrameProtobuf(const verbs::WatchEvent& event, const Form& form) {
  std::string out;
  const std::string_view type = verbs::WatchEventName(event.type);
  if (event.status) {
    api::EncodeProtobufWatchFrame(
        type, {.meta = StatusMeta(), .raw = StatusMessage(*event.status)}, out);
  } else {
    api::EncodeProtobufWatchFrame(
        type,
        {.meta = MetaOf(event.item.object.kind(), form), .raw = MessageOf(event.item, form)},
        out);
  }
  return out;
}

}  // namespace dray::server::documents
