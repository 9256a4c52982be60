// SPDX-License-Identifier: Apache-2.0
#include "server/documents/table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/core_v1/pod.h"
#include "server/documents/cells.h"
#include "server/errors/errors.h"

namespace dray::server::documents {
namespace {

using api::JsonWriter;

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

// What is said of a column that shows no single field.
struct ComputedText {
  std::string_view compute;
  std::string_view text;
};

constexpr ComputedText kComputedTexts[] = {
    {"claim-state", "Whether the claim waits, is allocated, is reserved, or goes away."},
    {"created-at", "When the object was created."},
    {"data-count", "How many entries there are."},
    {"event-count", "How often it happened."},
    {"event-first-seen", "How long ago it happened first."},
    {"event-last-seen", "How long ago it happened last."},
    {"event-object", "Kind and name of the object it happened to."},
    {"event-source", "Component that tells of it, and its host."},
    {"generated-from", "Object of the vendor that these parameters were translated from."},
    {"node-roles", "Roles of the node, from its labels."},
    {"node-status", "Whether the node is ready, and whether it takes pods."},
    {"pod-readiness-gates",
     "Conditions the pod waits for besides its containers, and how many hold."},
    {"pod-ready", "How many containers are ready, and of how many."},
    {"pod-restarts", "How often containers were restarted, and when last."},
    {"pod-status", "Phase of the pod, or why it is not running."},
    {"pool-status-allocated", "Devices of all pools that are allocated."},
    {"pool-status-available", "Devices of all pools that are free."},
    {"pool-status-completed", "How long ago the answer was written."},
    {"pool-status-errors", "Pools whose slices contradict each other."},
    {"pool-status-pools", "Pools that match the request."},
    {"pool-status-status", "How far the answer is."},
    {"pool-status-total", "Devices of all pools."},
    {"pool-status-unavailable", "Devices of all pools that cannot be used."},
};

std::string_view DescriptionOf(const api::KindInfo& kind, const api::Column& column) {
  if (column.compute.empty()) return DescriptionOf(kind, column.path);
  const auto found = std::ranges::find(kComputedTexts, column.compute, &ComputedText::compute);
  return found == std::end(kComputedTexts) ? std::string_view() : found->text;
}

struct Definition {
  std::string_view name;
  std::string_view type;
  std::string_view format;
  std::string_view description;
  int priority;
};

void WriteDefinition(const Definition& column, JsonWriter& json) {
  json.Object({{"name", column.name},
               {"type", column.type},
               {"format", column.format},
               {"description", column.description},
               {"priority", column.priority}});
}

void WriteDefinitions(const api::KindInfo& kind, JsonWriter& json) {
  json.Array([&] {
    WriteDefinition({"Name", "string", "name", "Name of the object, unique for its kind.", 0},
                    json);
    for (const api::Column& column : ColumnsOf(kind)) {
      // An age is computed here, so it is a text and not a date.
      const bool age = column.type == "date" && column.compute.empty();
      WriteDefinition({.name = column.name,
                       .type = age ? "string" : column.type,
                       .format = "",
                       .description = DescriptionOf(kind, column),
                       .priority = column.priority},
                      json);
    }
  });
}

// Rows of finished pods say so, and clients may hide them.
void WriteConditions(const api::Object& object, JsonWriter& json) {
  const auto* pod = object.If<api::core_v1::Pod>();
  if (pod == nullptr) return;
  const std::string& phase = pod->status.phase;
  if (phase != "Succeeded" && phase != "Failed") return;
  const std::string_view message =
      phase == "Succeeded" ? "The pod has completed successfully." : "The pod failed.";
  json.Member("conditions").Array([&] {
    json.Object(
        {{"type", "Completed"}, {"status", "True"}, {"reason", phase}, {"message", message}});
  });
}

void WriteRow(const api::KindInfo& kind,
              const storage::Item& item,
              const TableOptions& options,
              JsonWriter& json) {
  json.Object([&] {
    json.Member("cells").Array([&] {
      json.Value(item.object.metadata().name);
      for (const api::Column& column : ColumnsOf(kind))
        json.Raw(CellJson(column, item.object, options.now));
    });
    WriteConditions(item.object, json);
    json.Member("object");
    switch (options.include) {
      case IncludeObject::kNone: return json.Value(nullptr);
      case IncludeObject::kMetadata: return WritePartialObject(item.object, options.version, json);
      case IncludeObject::kObject: return json.Raw(*item.json);
    }
  });
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
  return api::JsonText([&](JsonWriter& json) {
    json.Object([&] {
      json.Member("resourceVersion", list.resource_version);
      if (!list.continue_token.empty()) json.Member("continue", list.continue_token);
      if (list.remaining_item_count) json.Member("remainingItemCount", *list.remaining_item_count);
    });
  });
}

void WriteTable(const TableContent& content,
                const TableOptions& options,
                ColumnDefinitions definitions,
                JsonWriter& json) {
  json.Object([&] {
    json.Member("kind", "Table");
    json.Member("apiVersion", fmt::format("meta.k8s.io/{}", options.version));
    json.Member("metadata").Raw(content.metadata_json);
    json.Member("columnDefinitions");
    if (definitions == ColumnDefinitions::kShown) {
      WriteDefinitions(content.kind, json);
    } else {
      json.Value(nullptr);
    }
    json.Member("rows").Array([&] {
      for (const storage::Item& item : content.items) WriteRow(content.kind, item, options, json);
    });
  });
}

void WritePartialObject(const api::Object& object, std::string_view version, JsonWriter& json) {
  json.Object([&] {
    json.Member("kind", "PartialObjectMetadata");
    json.Member("apiVersion", fmt::format("meta.k8s.io/{}", version));
    api::EncodeJson(
        api::TypeOf<api::meta_v1::ObjectMeta>(), &object.metadata(), json.Member("metadata"));
  });
}

}  // namespace dray::server::documents
