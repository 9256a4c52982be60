// SPDX-License-Identifier: Apache-2.0
#include "server/documents/render.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/json_reader.h"
#include "api/codec/json_writer.h"
#include "api/codec/yaml.h"
#include "api/custom_kind.h"
#include "api/object.h"
#include "server/documents/protobuf_answer.h"

namespace dray::server::documents {
namespace {

using api::JsonWriter;

void WriteItems(const storage::ItemList& items, const Form& form, JsonWriter& json) {
  if (form.transform == Transform::kPartialList) {
    for (const storage::Item& item : items) WritePartialObject(item.object, form.version, json);
    return;
  }
  for (const storage::Item& item : items) json.Raw(storage::FieldsOf(item));
}

std::string ItemMetadataJson(const storage::Item& item) {
  return api::JsonText([&](JsonWriter& json) {
    json.Object({{"resourceVersion", item.object.metadata().resource_version}});
  });
}

void WriteObject(const storage::Item& item,
                 const Rendering& rendering,
                 ColumnDefinitions definitions,
                 JsonWriter& json) {
  switch (rendering.form.transform) {
    case Transform::kTable: {
      const storage::Item* const only = &item;
      return WriteTable({.kind = item.object.kind(),
                         .items = std::span(&only, 1),
                         .metadata_json = ItemMetadataJson(item)},
                        rendering.table,
                        definitions,
                        json);
    }
    case Transform::kPartial:
    case Transform::kPartialList:
      return WritePartialObject(item.object, rendering.form.version, json);
    case Transform::kNone:
    case Transform::kAggregated: return storage::WriteJson(item, json);
  }
}

// Upstream names the Go type, whose package is the first word of the group.
Failure WrongForm(const api::KindInfo& kind, std::string_view asked, std::string_view is) {
  const std::string_view package =
      kind.group.empty() ? "core" : kind.group.substr(0, kind.group.find('.'));
  const bool list = is == "a list";
  if (api::IsCustom(kind)) {
    return Fail(StatusReason::kNotAcceptable,
                fmt::format("you requested {}, but the requested object is {} (*unstructured."
                            "Unstructured{})",
                            asked,
                            is,
                            list ? "List" : ""));
  }
  return Fail(StatusReason::kNotAcceptable,
              fmt::format("you requested {}, but the requested object is {} (*{}.{}{})",
                          asked,
                          is,
                          package,
                          kind.kind,
                          list ? "List" : ""));
}

// Lists of custom kinds have their members in the order of their names, and always a token.
void WriteSortedHead(const verbs::ListAnswer& answer, JsonWriter& json) {
  json.Member("apiVersion", answer.kind->api_version);
}

void WriteSortedTail(const verbs::ListAnswer& answer, JsonWriter& json) {
  json.Member("kind", api::ListKindOf(*answer.kind));
  json.Member("metadata").Object([&] {
    json.Member("continue", answer.continue_token);
    if (answer.remaining_item_count) {
      json.Member("remainingItemCount", *answer.remaining_item_count);
    }
    json.Member("resourceVersion", answer.resource_version);
  });
}

std::string ListJson(const verbs::ListAnswer& answer, const Rendering& rendering) {
  const Transform transform = rendering.form.transform;
  std::string out;
  JsonWriter json(out);
  if (transform == Transform::kTable) {
    WriteTable({.kind = *answer.kind,
                .items = answer.items.all(),
                .metadata_json = ListMetadataJson(answer)},
               rendering.table,
               ColumnDefinitions::kShown,
               json);
    return out;
  }
  const bool partial = transform == Transform::kPartialList;
  size_t size = 256;
  for (const storage::Item& item : answer.items) size += 1 + storage::FieldsOf(item).size();
  if (!partial) out.reserve(size);
  if (!partial && api::IsCustom(*answer.kind)) {
    json.Object([&] {
      WriteSortedHead(answer, json);
      json.Member("items").Array([&] { WriteItems(answer.items, rendering.form, json); });
      WriteSortedTail(answer, json);
    });
    return out;
  }
  json.Object([&] {
    json.Member("kind",
                fmt::format("{}List", partial ? "PartialObjectMetadata" : answer.kind->kind));
    json.Member(
        "apiVersion",
        partial ? fmt::format("meta.k8s.io/{}", rendering.form.version) : answer.kind->api_version);
    json.Member("metadata").Raw(ListMetadataJson(answer));
    json.Member("items").Array([&] { WriteItems(answer.items, rendering.form, json); });
  });
  return out;
}

// `{"kind":"KList","apiVersion":"V","metadata":{…},"items":[`
std::string ListHead(const verbs::ListAnswer& answer) {
  std::string head;
  JsonWriter json(head);
  if (api::IsCustom(*answer.kind)) {
    json.Object([&] {
      WriteSortedHead(answer, json);
      json.Member("items").Array([] {});
    });
    head.resize(head.size() - std::string_view("]}").size());
    return head;
  }
  json.Object([&] {
    json.Member("kind", fmt::format("{}List", answer.kind->kind));
    json.Member("apiVersion", answer.kind->api_version);
    json.Member("metadata").Raw(ListMetadataJson(answer));
    json.Member("items").Array([] {});
  });
  head.resize(head.size() - std::string_view("]}").size());
  return head;
}

TextPieces GroupedListJson(const verbs::ListAnswer& answer) {
  TextPieces body(ListHead(answer));
  size_t comma = 1;  // that of the first element is not wanted
  for (const auto& group : answer.items.groups()) {
    if (group->size() == 0) continue;
    body.Add(group->Json(), std::exchange(comma, 0));
  }
  if (!api::IsCustom(*answer.kind)) {
    body.Add("]}\n");
    return body;
  }
  std::string tail;
  JsonWriter json(tail);
  json.Object([&] { WriteSortedTail(answer, json); });
  body.Add("]," + tail.substr(1) + '\n');
  return body;
}

}  // namespace

std::string StatusJson(const api::meta_v1::Status& status) {
  return api::ToJson(api::Object::Of(status));
}

Result<std::string> AnswerBody(const verbs::ObjectAnswer& answer, const Rendering& rendering) {
  const Form& form = rendering.form;
  if (form.transform == Transform::kPartialList) {
    return WrongForm(answer.item.object.kind(), "PartialObjectMetadataList", "not a list");
  }
  if (form.encoding == Encoding::kProtobuf) return ItemProtobuf(answer.item, form);
  std::string text;
  text.reserve(storage::JsonBytes(answer.item) + 1);  // as Encoded() ends it
  JsonWriter json(text);
  WriteObject(answer.item, rendering, ColumnDefinitions::kShown, json);
  return Encoded(std::move(text), form, rendering.pretty);
}

Result<TextPieces> AnswerBody(const verbs::ListAnswer& answer, const Rendering& rendering) {
  const Form& form = rendering.form;
  if (form.transform == Transform::kPartial) {
    return WrongForm(*answer.kind, "PartialObjectMetadata", "a list");
  }
  if (form.encoding == Encoding::kProtobuf) return ListProtobuf(answer, form);
  const bool is_compact = form.encoding == Encoding::kJson && !rendering.pretty && !form.pretty;
  if (is_compact && form.transform == Transform::kNone && !answer.items.groups().empty()) {
    return GroupedListJson(answer);
  }
  return TextPieces(Encoded(ListJson(answer, rendering), form, rendering.pretty));
}

std::string StatusBody(const api::meta_v1::Status& status, const Form& form, bool pretty) {
  if (form.encoding == Encoding::kProtobuf) return StatusProtobuf(status);
  return Encoded(OnlyUtf8(StatusJson(status)), form, pretty);
}

std::string OnlyUtf8(std::string json) {
  if (api::IsUtf8(json)) return json;
  constexpr size_t kRuneBytesMax = 4;
  std::string clean;
  for (std::string_view rest = json; !rest.empty();) {
    size_t size = std::min(kRuneBytesMax, rest.size());
    while (size > 0 && !api::IsUtf8(rest.substr(0, size))) --size;
    clean += size == 0 ? "\\ufffd" : rest.substr(0, size);
    rest.remove_prefix(std::max<size_t>(size, 1));
  }
  return clean;
}

std::string Encoded(std::string json, const Form& form, bool pretty) {
  if (form.encoding == Encoding::kYaml) {
    // The output is valid JSON, and so valid YAML unless its nesting exceeds YAML's limit.
    auto yaml = api::JsonToYaml(json);
    if (yaml) return *std::move(yaml);
  }
  if (pretty || form.pretty) return api::PrettyJson(json);
  json += '\n';
  return json;
}

std::string WatchFrame(const verbs::WatchEvent& event,
                       const Rendering& rendering,
                       ColumnDefinitions definitions) {
  if (rendering.form.encoding == Encoding::kProtobuf) {
    return WatchFrameProtobuf(event, rendering.form);
  }
  std::string out;
  if (event.item.forms != nullptr) out.reserve(storage::JsonBytes(event.item) + 64);
  JsonWriter json(out);
  json.Object([&] {
    json.Member("type", verbs::WatchEventName(event.type));
    json.Member("object");
    if (event.status) return json.Raw(StatusJson(*event.status));
    WriteObject(event.item, rendering, definitions, json);
  });
  out += '\n';
  return out;
}

}  // namespace dray::server::documents
