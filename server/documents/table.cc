// SPDX-License-Identifier: Apache-2.0
#include "server/documents/table.h"

#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/core_v1/pod.h"
#include "server/documents/cells.h"
#include "server/errors/errors.h"

namespace dray::server::documents {
namespace {

// What a kind without columns of its own shows.
constexpr api::Column kCreatedAt{.name = "Created At",
                                 .type = "date",
                                 .path = "metadata.creationTimestamp",
                                 .compute = "created-at",
                                 .priority = 0};

std::span<const api::Column> ColumnsOf(const api::KindInfo& kind) {
  return kind.columns.empty() ? std::span(&kCreatedAt, 1) : kind.columns;
}

// What the schema says of the field a column shows.
std::string_view DescriptionOf(const api::KindInfo& kind, std::string_view path) {
  const api::Type* type = &kind.type();
  std::string_view doc;
  while (!path.empty()) {
    const size_t dot = std::min(path.find('.'), path.size());
    while (type->kind == api::TypeKind::kOptional) type = &type->element();
    const api::Field* field = type->Find(path.substr(0, dot));
    if (field == nullptr) return {};
    doc = field->doc;
    type = &field->type();
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return doc;
}

struct Definition {
  std::string_view name;
  std::string_view type;
  std::string_view format;
  std::string_view description;
  int priority;
};

void AppendDefinition(const Definition& column, std::string& out) {
  out += "{\"name\":";
  api::QuoteJson(column.name, out);
  out += fmt::format(R"(,"type":"{}","format":"{}","description":)", column.type, column.format);
  api::QuoteJson(column.description, out);
  out += fmt::format(",\"priority\":{}}}", column.priority);
}

void AppendDefinitions(const api::KindInfo& kind, std::string& out) {
  out += '[';
  AppendDefinition({"Name", "string", "name", "Name of the object, unique for its kind.", 0}, out);
  for (const api::Column& column : ColumnsOf(kind)) {
    out += ',';
    // An age is computed here, so it is a text and not a date.
    const bool age = column.type == "date" && column.compute.empty();
    AppendDefinition({.name = column.name,
                      .type = age ? "string" : column.type,
                      .format = "",
                      .description = DescriptionOf(kind, column.path),
                      .priority = column.priority},
                     out);
  }
  out += ']';
}

// Rows of finished pods say so, and clients may hide them.
void AppendConditions(const api::Object& object, std::string& out) {
  const auto* pod = object.If<api::core_v1::Pod>();
  if (pod == nullptr) return;
  const std::string& phase = pod->status.phase;
  if (phase != "Succeeded" && phase != "Failed") return;
  const std::string_view message =
      phase == "Succeeded" ? "The pod has completed successfully." : "The pod failed.";
  out += fmt::format(
      R"(,"conditions":[{{"type":"Completed","status":"True","reason":"{}","message":"{}"}}])",
      phase,
      message);
}

void AppendRow(const api::KindInfo& kind,
               const storage::Item& item,
               const TableOptions& options,
               std::string& out) {
  out += "{\"cells\":[";
  api::QuoteJson(item.object.metadata().name, out);
  for (const api::Column& column : ColumnsOf(kind)) {
    out += ',';
    out += CellJson(column, item.object, options.now);
  }
  out += ']';
  AppendConditions(item.object, out);
  out += ",\"object\":";
  switch (options.include) {
    case IncludeObject::kNone: out += "null"; break;
    case IncludeObject::kMetadata: AppendPartialObject(item.object, options.version, out); break;
    case IncludeObject::kObject: out += *item.json; break;
  }
  out += '}';
}

}  // namespace

Result<IncludeObject> IncludeObjectOf(std::string_view word) {
  if (word.empty() || word == "Metadata") return IncludeObject::kMetadata;
  if (word == "Object") return IncludeObject::kObject;
  if (word == "None") return IncludeObject::kNone;
  return Fail(errors::BadRequest(fmt::format(
      "Unable to convert to Table as requested: includeObject: Invalid value: {}: must be "
      "'Metadata', 'Object', 'None', or empty",
      errors::Quoted(word))));
}

std::string ListMetadataJson(const verbs::ListAnswer& list) {
  std::string out = "{\"resourceVersion\":";
  api::QuoteJson(list.resource_version, out);
  if (!list.continue_token.empty()) {
    out += ",\"continue\":";
    api::QuoteJson(list.continue_token, out);
  }
  if (list.remaining_item_count) {
    out += fmt::format(",\"remainingItemCount\":{}", *list.remaining_item_count);
  }
  return out + '}';
}

void AppendTable(const TableContent& content,
                 const TableOptions& options,
                 ColumnDefinitions definitions,
                 std::string& out) {
  out += fmt::format(
      R"({{"kind":"Table","apiVersion":"meta.k8s.io/{}","metadata":{},"columnDefinitions":)",
      options.version,
      content.metadata_json);
  if (definitions == ColumnDefinitions::kShown) {
    AppendDefinitions(content.kind, out);
  } else {
    out += "null";
  }
  out += ",\"rows\":[";
  char before = 0;
  for (const storage::Item& item : content.items) {
    if (std::exchange(before, ',') != 0) out += ',';
    AppendRow(content.kind, item, options, out);
  }
  out += "]}";
}

void AppendPartialObject(const api::Object& object, std::string_view version, std::string& out) {
  out += fmt::format(
      R"({{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/{}","metadata":)", version);
  api::EncodeJson(api::TypeOf<api::meta_v1::ObjectMeta>(), &object.metadata(), out);
  out += '}';
}

}  // namespace dray::server::documents
