// SPDX-License-Identifier: Apache-2.0
#include "client/wire.h"

#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/json_reader.h"
#include "api/meta_v1/status.h"
#include "api/status.h"
#include "base/try.h"
#include "net/url.h"

namespace dray::client {
namespace {

Failure BadAnswer(std::string_view what) {
  return Fail(StatusReason::kInternalError, fmt::format("the server's answer is no {}", what));
}

Result<api::Object> Decode(const api::KindInfo& kind, std::string_view json) {
  return api::DecodeJson(kind, json, nullptr);
}

/// What a list says in its metadata.
std::string ReadListVersion(api::JsonReader& reader) {
  std::string version;
  std::string key;
  reader.EnterObject();
  while (reader.NextKey(key)) {
    if (key == "resourceVersion" && reader.Peek() == api::JsonKind::kString) {
      reader.String(version);
    } else {
      reader.Skip();
    }
  }
  return version;
}

Result<std::vector<api::Object>> ReadItems(const api::KindInfo& kind, api::JsonReader& reader) {
  std::vector<api::Object> items;
  if (reader.Peek() == api::JsonKind::kNull) {
    reader.Null();
    return items;
  }
  reader.EnterArray();
  while (reader.NextElement()) {
    DRAY_TRY(api::Object object, Decode(kind, reader.Skip()));
    items.push_back(std::move(object));
  }
  return items;
}

struct EventName {
  std::string_view name;
  WatchEventType type;
};
constexpr EventName kEventNames[] = {{"ADDED", WatchEventType::kAdded},
                                     {"MODIFIED", WatchEventType::kModified},
                                     {"DELETED", WatchEventType::kDeleted},
                                     {"BOOKMARK", WatchEventType::kBookmark}};

}  // namespace

std::string PathOf(const ObjectRef& ref, std::string_view subresource) {
  const api::KindInfo& kind = *ref.kind;
  std::string path = kind.group.empty() ? fmt::format("/api/{}", kind.version)
                                        : fmt::format("/apis/{}/{}", kind.group, kind.version);
  if (kind.namespaced && !ref.namespace_.empty()) {
    path += "/namespaces/" + net::PercentEncode(ref.namespace_);
  }
  path += fmt::format("/{}", kind.plural);
  if (!ref.name.empty()) path += "/" + net::PercentEncode(ref.name);
  if (!subresource.empty()) path += fmt::format("/{}", subresource);
  return path;
}

std::string QueryOf(const ListOptions& options) {
  std::string query;
  const auto add = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    query += fmt::format("{}{}={}", query.empty() ? '?' : '&', name, net::PercentEncode(value));
  };
  add("labelSelector", options.label_selector);
  add("fieldSelector", options.field_selector);
  add("resourceVersion", options.exactly_at);
  if (!options.exactly_at.empty()) add("resourceVersionMatch", "Exact");
  return query;
}

Error ErrorOf(int http_status, std::string_view body) {
  const api::KindInfo& kind = api::Reflected<api::meta_v1::Status>::kKind;
  const Result<api::TypeMeta> type = api::ReadTypeMeta(body);
  if (type && type->kind == "Status") {
    const Result<api::Object> status = Decode(kind, body);
    if (status) return api::ErrorOf(status->As<api::meta_v1::Status>(), http_status);
  }
  constexpr size_t kBodyShownMax = 512;
  return {.reason = api::ReasonOf(http_status),
          .message = fmt::format("HTTP {}: {}", http_status, body.substr(0, kBodyShownMax))};
}

Result<api::Object> DecodeObject(const api::KindInfo& kind, std::string_view json) {
  Result<api::Object> object = Decode(kind, json);
  return object ? std::move(object) : BadAnswer(kind.kind);
}

Result<ObjectList> DecodeList(const api::KindInfo& kind, std::string_view json) {
  api::JsonReader reader(json);
  ObjectList list;
  std::string key;
  bool has_items = false;
  reader.EnterObject();
  while (reader.NextKey(key)) {
    if (key == "metadata" && reader.Peek() == api::JsonKind::kObject) {
      list.resource_version = ReadListVersion(reader);
    } else if (key == "items") {
      DRAY_TRY(list.items, ReadItems(kind, reader));
      has_items = true;
    } else {
      reader.Skip();
    }
  }
  if (!reader.Finish()) return BadAnswer("JSON");
  if (!has_items || list.resource_version.empty()) return BadAnswer("list");
  return list;
}

Result<WatchEvent> DecodeWatchLine(const api::KindInfo& kind, std::string_view line) {
  api::JsonReader reader(line);
  std::string type;
  std::string_view raw;
  std::string key;
  reader.EnterObject();
  while (reader.NextKey(key)) {
    if (key == "type" && reader.Peek() == api::JsonKind::kString) {
      reader.String(type);
    } else if (key == "object" && reader.Peek() == api::JsonKind::kObject) {
      raw = reader.Skip();
    } else {
      reader.Skip();
    }
  }
  if (!reader.Finish() || type.empty() || raw.empty()) return BadAnswer("watch event");
  if (type == "ERROR") return Fail(ErrorOf(0, raw));
  for (const EventName& known : kEventNames) {
    if (known.name != type) continue;
    DRAY_TRY(api::Object object, Decode(kind, raw));
    return WatchEvent{.type = known.type, .object = std::move(object)};
  }
  return BadAnswer("watch event of a known type");
}

}  // namespace dray::client
