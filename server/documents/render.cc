// SPDX-License-Identifier: Apache-2.0
#include "server/documents/render.h"

#include <span>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/yaml.h"
#include "api/object.h"

namespace dray::server::documents {
namespace {

void AppendItems(const verbs::ListAnswer& list, Transform transform, std::string& out) {
  bool first = true;
  for (const storage::Item& item : list.items) {
    if (!std::exchange(first, false)) out += ',';
    if (transform == Transform::kPartialList) {
      AppendPartialObject(item.object, "v1", out);
    } else {
      out += '{';
      out += storage::ListItemJson(item);
    }
  }
}

std::string ItemMetadataJson(const storage::Item& item) {
  std::string out = "{\"resourceVersion\":";
  api::QuoteJson(item.object.metadata().resource_version, out);
  return out + '}';
}

void AppendObject(const storage::Item& item,
                  const Rendering& rendering,
                  ColumnDefinitions definitions,
                  std::string& out) {
  switch (rendering.form.transform) {
    case Transform::kTable:
      AppendTable({.kind = item.object.kind(),
                   .items = std::span(&item, 1),
                   .metadata_json = ItemMetadataJson(item)},
                  rendering.table,
                  definitions,
                  out);
      return;
    case Transform::kPartial:
    case Transform::kPartialList: AppendPartialObject(item.object, "v1", out); return;
    case Transform::kNone:
    case Transform::kAggregated: out += *item.json; return;
  }
}

// Upstream names the Go type, whose package is the first word of the group.
std::unexpected<Error> WrongForm(const api::KindInfo& kind,
                                 std::string_view asked,
                                 std::string_view is) {
  const std::string_view package =
      kind.group.empty() ? "core" : kind.group.substr(0, kind.group.find('.'));
  const bool list = is == "a list";
  return Fail(StatusReason::kNotAcceptable,
              fmt::format("you requested {}, but the requested object is {} (*{}.{}{})",
                          asked,
                          is,
                          package,
                          kind.kind,
                          list ? "List" : ""));
}

}  // namespace

Result<std::string> AnswerJson(const verbs::ObjectAnswer& answer, const Rendering& rendering) {
  if (rendering.form.transform == Transform::kPartialList) {
    return WrongForm(answer.item.object.kind(), "PartialObjectMetadataList", "not a list");
  }
  std::string out;
  AppendObject(answer.item, rendering, ColumnDefinitions::kShown, out);
  return out;
}

Result<std::string> AnswerJson(const verbs::ListAnswer& answer, const Rendering& rendering) {
  std::string out;
  const Transform transform = rendering.form.transform;
  if (transform == Transform::kPartial) {
    return WrongForm(*answer.kind, "PartialObjectMetadata", "a list");
  }
  if (transform == Transform::kTable) {
    AppendTable(
        {.kind = *answer.kind, .items = answer.items, .metadata_json = ListMetadataJson(answer)},
        rendering.table,
        ColumnDefinitions::kShown,
        out);
    return out;
  }
  const bool partial = transform == Transform::kPartialList;
  size_t size = 256;
  for (const storage::Item& item : answer.items) size += item.json->size();
  if (!partial) out.reserve(size);
  out += fmt::format(R"({{"kind":"{}List","apiVersion":"{}","metadata":{},"items":[)",
                     partial ? "PartialObjectMetadata" : answer.kind->kind,
                     partial ? "meta.k8s.io/v1" : answer.kind->api_version(),
                     ListMetadataJson(answer));
  AppendItems(answer, transform, out);
  out += "]}";
  return out;
}

std::string StatusJson(const api::meta_v1::Status& status) {
  return api::ToJson(api::Object::Of(status));
}

std::string Encoded(std::string json, const Form& form, bool pretty) {
  if (form.encoding == Encoding::kYaml) {
    // What we wrote is JSON; only nesting past YAML's limit keeps it from being YAML as well.
    auto yaml = api::JsonToYaml(json);
    if (yaml) return *std::move(yaml);
  }
  if (pretty || form.pretty) return api::PrettyJson(json);
  json += '\n';
  return json;
}

std::string WatchLine(const verbs::WatchEvent& event,
                      const Rendering& rendering,
                      ColumnDefinitions definitions) {
  std::string out;
  if (event.item.json != nullptr) out.reserve(event.item.json->size() + 64);
  out += fmt::format(R"({{"type":"{}","object":)", verbs::WatchEventName(event.type));
  if (event.status) {
    out += StatusJson(*event.status);
  } else {
    AppendObject(event.item, rendering, definitions, out);
  }
  out += "}\n";
  return out;
}

}  // namespace dray::server::documents
