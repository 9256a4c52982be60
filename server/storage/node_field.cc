// SPDX-License-Identifier: Apache-2.0
#include "server/storage/node_field.h"

#include <string_view>

#include "api/codec/protobuf_wire.h"
#include "api/custom_kind.h"
#include "api/reflect.h"
#include "server/storage/hub_message.h"

namespace dray::server::storage {
namespace {

// Calls take(bytes) for each field `number` of `message` that has bytes; false: it is broken.
template <class F>
bool EachBytes(std::string_view message, uint32_t number, F&& take) {
  api::WireReader reader(message);
  bool is_good = true;
  reader.ForEachField([&](api::WireTag tag, const char*) {
    if (tag != api::WireTag{.number = number, .type = api::WireType::kBytes}) return false;
    is_good = take(reader.Bytes()) && is_good;
    return true;
  });
  return is_good && !reader.failed();
}

}  // namespace

std::optional<NodeField> NodeFieldOf(const api::KindInfo& hub) {
  if (api::IsCustom(hub)) return std::nullopt;
  const api::Field* const spec = hub.type().Find("spec");
  if (spec == nullptr || spec->type().kind != api::TypeKind::kStruct) return std::nullopt;
  const api::Field* const node_name = spec->type().Find("nodeName");
  if (node_name == nullptr) return std::nullopt;
  const api::Type& type = node_name->type();
  const bool is_text =
      type.kind == api::TypeKind::kString ||
      (type.kind == api::TypeKind::kOptional && type.element().kind == api::TypeKind::kString);
  if (!is_text) return std::nullopt;
  return NodeField{.hub = &hub, .spec = spec->number, .node_name = node_name->number};
}

std::optional<std::string> NodeNameIn(const NodeField& field, const store::Record& record) {
  const std::string bytes = record.value->bytes();
  const auto message = HubMessage(*field.hub, bytes);
  if (!message.has_value() || !message->has_value()) return std::nullopt;
  std::string_view name;  // the last one counts, as decoders have it
  const bool is_read = EachBytes(**message, field.spec, [&](std::string_view spec) {
    return EachBytes(spec, field.node_name, [&](std::string_view bytes) {
      name = bytes;
      return true;
    });
  });
  return is_read ? std::optional<std::string>(name) : std::nullopt;
}

}  // namespace dray::server::storage
