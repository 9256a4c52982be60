// SPDX-License-Identifier: Apache-2.0
#include "server/documents/discovery_protobuf.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>

#include "api/codec/json_tree.h"
#include "api/codec/protobuf.h"
#include "api/codec/protobuf_wire.h"
#include "api/meta_v1/list_meta.h"
#include "api/meta_v1/object_meta.h"
#include "base/check.h"

namespace dray::server::documents {
namespace {

using api::JsonTree;
using api::WireType;
using api::WireWriter;

struct DiscoveryMessage;

enum class Holds : uint8_t {
  kText,  // written where JSON leaves it out, too
  kFlag,
  kTexts,
  kMessageOfTexts,  // a list that is a message with the texts as its field 1
  kMessages,        // one or several of `message`
  kObjectMeta,
  kListMeta,
};

struct DiscoveryMember {
  std::string_view name;
  uint32_t number;
  Holds holds = Holds::kText;
  const DiscoveryMessage* message = nullptr;
};

struct DiscoveryMessage {
  std::span<const DiscoveryMember> members;
};

// ---------------------------------------------------------------------------------------- meta/v1

constexpr DiscoveryMember kVersionMembers[] = {{.name = "groupVersion", .number = 1},
                                               {.name = "version", .number = 2}};
constexpr DiscoveryMessage kVersion = {kVersionMembers};
constexpr DiscoveryMember kAddressMembers[] = {{.name = "clientCIDR", .number = 1},
                                               {.name = "serverAddress", .number = 2}};
constexpr DiscoveryMessage kAddressMessage = {kAddressMembers};
constexpr DiscoveryMember kGroupMembers[] = {
    {.name = "name", .number = 1},
    {.name = "versions", .number = 2, .holds = Holds::kMessages, .message = &kVersion},
    {.name = "preferredVersion", .number = 3, .holds = Holds::kMessages, .message = &kVersion},
    {.name = "serverAddressByClientCIDRs",
     .number = 4,
     .holds = Holds::kMessages,
     .message = &kAddressMessage}};
constexpr DiscoveryMessage kGroupMessage = {kGroupMembers};
constexpr DiscoveryMember kGroupListMembers[] = {
    {.name = "groups", .number = 1, .holds = Holds::kMessages, .message = &kGroupMessage}};
constexpr DiscoveryMessage kGroupListMessage = {kGroupListMembers};
constexpr DiscoveryMember kCoreMembers[] = {
    {.name = "versions", .number = 1, .holds = Holds::kTexts},
    {.name = "serverAddressByClientCIDRs",
     .number = 2,
     .holds = Holds::kMessages,
     .message = &kAddressMessage}};
constexpr DiscoveryMessage kCore = {kCoreMembers};
constexpr DiscoveryMember kResourceMembers[] = {
    {.name = "name", .number = 1},
    {.name = "namespaced", .number = 2, .holds = Holds::kFlag},
    {.name = "kind", .number = 3},
    {.name = "verbs", .number = 4, .holds = Holds::kMessageOfTexts},
    {.name = "shortNames", .number = 5, .holds = Holds::kTexts},
    {.name = "singularName", .number = 6},
    {.name = "categories", .number = 7, .holds = Holds::kTexts},
    {.name = "group", .number = 8},
    {.name = "version", .number = 9},
    {.name = "storageVersionHash", .number = 10}};
constexpr DiscoveryMessage kResourceMessage = {kResourceMembers};
constexpr DiscoveryMember kResourceListMembers[] = {
    {.name = "groupVersion", .number = 1},
    {.name = "resources", .number = 2, .holds = Holds::kMessages, .message = &kResourceMessage}};
constexpr DiscoveryMessage kResourceListMessage = {kResourceListMembers};

// -------------------------------------------------------------------------------
// apidiscovery.k8s.io

constexpr DiscoveryMember kKindMembers[] = {{.name = "group", .number = 1},
                                            {.name = "version", .number = 2},
                                            {.name = "kind", .number = 3}};
constexpr DiscoveryMessage kKind = {kKindMembers};
constexpr DiscoveryMember kPartMembers[] = {
    {.name = "subresource", .number = 1},
    {.name = "responseKind", .number = 2, .holds = Holds::kMessages, .message = &kKind},
    {.name = "verbs", .number = 4, .holds = Holds::kTexts}};
constexpr DiscoveryMessage kPart = {kPartMembers};
constexpr DiscoveryMember kShownResourceMembers[] = {
    {.name = "resource", .number = 1},
    {.name = "responseKind", .number = 2, .holds = Holds::kMessages, .message = &kKind},
    {.name = "scope", .number = 3},
    {.name = "singularResource", .number = 4},
    {.name = "verbs", .number = 5, .holds = Holds::kTexts},
    {.name = "shortNames", .number = 6, .holds = Holds::kTexts},
    {.name = "categories", .number = 7, .holds = Holds::kTexts},
    {.name = "subresources", .number = 8, .holds = Holds::kMessages, .message = &kPart}};
constexpr DiscoveryMessage kShownResource = {kShownResourceMembers};
constexpr DiscoveryMember kShownVersionMembers[] = {
    {.name = "version", .number = 1},
    {.name = "resources", .number = 2, .holds = Holds::kMessages, .message = &kShownResource},
    {.name = "freshness", .number = 3}};
constexpr DiscoveryMessage kShownVersion = {kShownVersionMembers};
constexpr DiscoveryMember kShownGroupMembers[] = {
    {.name = "metadata", .number = 1, .holds = Holds::kObjectMeta},
    {.name = "versions", .number = 2, .holds = Holds::kMessages, .message = &kShownVersion}};
constexpr DiscoveryMessage kShownGroup = {kShownGroupMembers};
constexpr DiscoveryMember kShownListMembers[] = {
    {.name = "metadata", .number = 1, .holds = Holds::kListMeta},
    {.name = "items", .number = 2, .holds = Holds::kMessages, .message = &kShownGroup}};
constexpr DiscoveryMessage kShownList = {kShownListMembers};

struct Document {
  std::string_view kind;
  const DiscoveryMessage* message;
};
constexpr Document kDocuments[] = {{.kind = "APIGroup", .message = &kGroupMessage},
                                   {.kind = "APIGroupDiscoveryList", .message = &kShownList},
                                   {.kind = "APIGroupList", .message = &kGroupListMessage},
                                   {.kind = "APIResourceList", .message = &kResourceListMessage},
                                   {.kind = "APIVersions", .message = &kCore}};

constexpr size_t kDepthMax = 16;  // of any of these documents

// ----------------------------------------------------------------------------------------- writing

std::string TextOf(const JsonTree& tree, std::string_view name) {
  const JsonTree* value = tree.members().Find(name);
  return value == nullptr ? std::string() : value->text;
}

void WriteMessage(const JsonTree& tree, const DiscoveryMessage& message, WireWriter& wire);

void WriteBytes(std::string_view bytes, uint32_t number, WireWriter& wire) {
  wire.Bytes(bytes);
  wire.Tag({number, WireType::kBytes});
}

template <class T>
void WriteMetadata(const T& metadata, uint32_t number, WireWriter& wire) {
  std::string message;
  api::EncodeProtobuf(api::TypeOf<T>(), &metadata, message);
  WriteBytes(message, number, wire);
}

void WriteTexts(const JsonTree& list, uint32_t number, WireWriter& wire) {
  for (const JsonTree& element : std::views::reverse(list.elements())) {
    WriteBytes(element.text, number, wire);
  }
}

void WriteOne(const JsonTree& value, const DiscoveryMember& member, WireWriter& wire) {
  const size_t end = wire.size();
  WriteMessage(value, *member.message, wire);
  wire.Length(end);
  wire.Tag({member.number, WireType::kBytes});
}

void WriteMember(const JsonTree& value, const DiscoveryMember& member, WireWriter& wire) {
  switch (member.holds) {
    case Holds::kText: return WriteBytes(value.text, member.number, wire);
    case Holds::kFlag:
      wire.Varint(value.text == "true" ? 1 : 0);
      return wire.Tag({member.number, WireType::kVarint});
    case Holds::kTexts: return WriteTexts(value, member.number, wire);
    case Holds::kMessageOfTexts: {
      const size_t end = wire.size();
      WriteTexts(value, 1, wire);
      wire.Length(end);
      return wire.Tag({member.number, WireType::kBytes});
    }
    case Holds::kMessages:
      if (!value.is_array()) return WriteOne(value, member, wire);
      for (const JsonTree& element : std::views::reverse(value.elements())) {
        WriteOne(element, member, wire);
      }
      return;
    case Holds::kObjectMeta:
      return WriteMetadata(
          api::meta_v1::ObjectMeta{.name = TextOf(value, "name")}, member.number, wire);
    case Holds::kListMeta: return WriteMetadata(api::meta_v1::ListMeta{}, member.number, wire);
  }
}

void WriteMessage(const JsonTree& tree, const DiscoveryMessage& message, WireWriter& wire) {
  for (const DiscoveryMember& member : std::views::reverse(message.members)) {
    const JsonTree* value = tree.members().Find(member.name);
    if (value != nullptr && !value->is_null()) {
      WriteMember(*value, member, wire);
    } else if (member.holds == Holds::kText) {
      WriteBytes("", member.number, wire);
    }
  }
}

}  // namespace

std::string DiscoveryProtobuf(std::string_view json) {
  const Result<JsonTree> tree = api::ParseJsonTree(json, kDepthMax);
  DRAY_CHECK(tree.has_value());
  const std::string kind = TextOf(*tree, "kind");
  const auto* const document = std::ranges::find(kDocuments, kind, &Document::kind);
  DRAY_CHECK(document != std::end(kDocuments));
  WireWriter wire;
  WriteMessage(*tree, *document->message, wire);
  // The list of core resources names no version of itself; everything else does.
  std::string version = TextOf(*tree, "apiVersion");
  if (version.empty()) version = "v1";
  std::string out;
  api::EncodeProtobufEnvelope(
      {.meta = {.api_version = std::move(version), .kind = kind}, .raw = wire.text()}, out);
  return out;
}

}  // namespace dray::server::documents
