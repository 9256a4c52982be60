// SPDX-License-Identifier: Apache-2.0
#include "server/documents/table.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/at_path.h"
#include "api/codec/json.h"
#include "api/core_v1/pod.h"
#include "api/custom_kind.h"
#include "server/documents/cells.h"
#include "server/documents/custom_columns.h"
#include "server/errors/errors.h"

namespace dray::server::documents {
namespace {

using api::JsonWriter;

// The column of a kind without columns of its own.
constexpr api::Column kCreatedAt{.name = "Created At",
                                 .type = "date",
                                 .path = "metadata.creationTimestamp",
                                 .compute = "created-at",
                                 .priority = 0};

std::span<const api::Column> ColumnsOf(const api::KindInfo& kind) {
  return kind.columns.empty() ? std::span(&kCreatedAt, 1) : kind.columns;
}

bool IsName(const api::Column& column) {
  return column.path == "metadata.name" && column.name == "Name";
}

// Tables begin with the name, unless the kind has a column for it.
bool BeginsWithName(const api::KindInfo& kind) {
  return std::ranges::none_of(ColumnsOf(kind), IsName);
}

// The schema's documentation of the field that a column shows.
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

// The documentation of a column that shows no single field.
struct ComputedText {
  std::string_view compute;
  std::string_view text;
};

constexpr ComputedText kComputedTexts[] = {
    {"address-parent", "Object that has the address."},
    {"api-available", "Whether it can be reached."},
    {"api-service", "Service that answers; Local: this server does."},
    {"autoscaler-min", "Fewest pods."},
    {"autoscaler-reference", "Workload that is scaled."},
    {"autoscaler-targets", "What is measured, and what is aimed at."},
    {"binding-accounts", "Service accounts that get the role."},
    {"binding-groups", "Groups that get the role."},
    {"binding-param", "Objects that parameters come from."},
    {"binding-role", "Role that is given."},
    {"binding-users", "Users that get the role."},
    {"budget-max-unavailable", "How many pods may be missing."},
    {"budget-min-available", "How many pods must stay."},
    {"claim-state", "Whether the claim waits, is allocated, is reserved, or goes away."},
    {"class-expansion", "Whether volumes may grow."},
    {"controller", "Kind and name of the controller."},
    {"created-at", "When the object was created."},
    {"cron-job-active", "How many jobs run."},
    {"cron-job-last", "How long ago a job was last made."},
    {"cron-job-zone", "Time zone of the schedule."},
    {"data-count", "How many entries there are."},
    {"definition-established", "Whether the kind is served."},
    {"definition-short-names", "Short names of the kind."},
    {"definition-versions", "Versions that are served, and which of them is stored."},
    {"driver-modes", "Lives that volumes of the driver can have."},
    {"driver-tokens", "Audiences of the tokens that the driver is given."},
    {"endpoints-addresses", "The first addresses with their ports."},
    {"event-count", "How often it happened."},
    {"event-first-seen", "How long ago it happened first."},
    {"event-last-seen", "How long ago it happened last."},
    {"event-object", "Kind and name of the object it happened to."},
    {"event-source", "Component that tells of it, and its host."},
    {"flow-method", "How the flows of the schema are told apart."},
    {"flow-missing", "Whether the level of the schema is not there."},
    {"generated-from", "Object of the vendor that these parameters were translated from."},
    {"ingress-address", "Where the load balancer answers."},
    {"ingress-class", "Class that serves it."},
    {"ingress-hosts", "The first hosts of the rules."},
    {"ingress-parameters", "Object with configuration."},
    {"ingress-ports", "Ports that are open."},
    {"job-completions", "How many pods have succeeded, and of how many."},
    {"job-duration", "How long the job runs or ran."},
    {"job-status", "How far the job is."},
    {"pod-group-policy", "Basic: pod by pod; Gang: all pods or none."},
    {"pod-group-status", "Whether the pods of the group were scheduled."},
    {"level-hand", "How many queues a flow may use."},
    {"level-length", "How many requests wait in a queue at most."},
    {"level-queues", "How many queues there are."},
    {"level-shares", "Weight of the level among all."},
    {"node-drivers", "How many drivers there are."},
    {"node-external-ip", "Address of the node for the world."},
    {"node-internal-ip", "Address of the node in its cluster."},
    {"node-kernel-version", "Version of its kernel."},
    {"node-os-image", "Its operating system."},
    {"node-roles", "Roles of the node, from its labels."},
    {"node-runtime-version", "Its container runtime."},
    {"node-status", "Whether the node is ready, and whether it takes pods."},
    {"pod-readiness-gates",
     "Conditions the pod waits for besides its containers, and how many hold."},
    {"pod-ready", "How many containers are ready, and of how many."},
    {"pod-restarts", "How often containers were restarted, and when last."},
    {"pod-status", "Phase of the pod, or why it is not running."},
    {"policy-mutations", "How many changes there are."},
    {"policy-param-kind", "Kind of the parameters."},
    {"policy-selector", "Pods that the policy is about."},
    {"policy-validations", "How many rules there are."},
    {"pool-status-allocated", "Devices of all pools that are allocated."},
    {"pool-status-available", "Devices of all pools that are free."},
    {"pool-status-completed", "How long ago the answer was written."},
    {"pool-status-errors", "Pools whose slices contradict each other."},
    {"pool-status-pools", "Pools that match the request."},
    {"pool-status-status", "How far the answer is."},
    {"pool-status-total", "Devices of all pools."},
    {"pool-status-unavailable", "Devices of all pools that cannot be used."},
    {"quota-limits", "What limits use, and how much they may."},
    {"quota-requests", "What is used, and how much may be."},
    {"replicas-desired", "How many pods are wanted."},
    {"replicas-ready", "How many pods are ready, and of how many."},
    {"service-cidrs", "The ranges."},
    {"service-cluster-ip", "Address inside the cluster."},
    {"service-external-ip", "Addresses outside the cluster."},
    {"service-ports", "Ports of the service."},
    {"service-selector", "Labels of the pods."},
    {"signing-condition", "What was decided, and what came of it."},
    {"signing-duration", "Lifetime that is asked for."},
    {"slice-endpoints", "The first addresses."},
    {"slice-ports", "The first ports."},
    {"template-containers", "Names of the containers."},
    {"template-images", "Images of the containers."},
    {"template-labels", "Labels of the pods."},
    {"template-node-selector", "Labels that nodes must have."},
    {"template-selector", "Selector of the pods."},
    {"volume-access-modes", "Ways in which it can be mounted."},
    {"volume-attributes-class", "VolumeAttributesClass of the volume."},
    {"volume-capacity", "How much it holds."},
    {"volume-claim", "Claim that the volume is bound to."},
    {"volume-class", "StorageClass of the volume."},
    {"volume-mode", "Filesystem or Block."},
    {"volume-status", "State of the volume or claim."},
    {"webhook-count", "How many webhooks there are."},
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

void WriteDefinitions(const api::KindInfo& kind,
                      const CustomColumns* custom,
                      const TableOptions& options,
                      JsonWriter& json) {
  json.Array([&] {
    if (BeginsWithName(kind)) {
      WriteDefinition({"Name", "string", "name", "Name of the object, unique for its kind.", 0},
                      json);
    }
    if (custom != nullptr) return custom->WriteDefinitions(json);
    for (const api::Column& column : ColumnsOf(kind)) {
      // An age is computed here, so it is a text and not a date.
      const bool age =
          column.type == "date" && column.compute.empty() && !options.is_of_custom_kind;
      WriteDefinition({.name = column.name,
                       .type = age ? "string" : column.type,
                       .format = IsName(column) ? "name" : "",
                       .description = DescriptionOf(kind, column),
                       .priority = column.priority},
                      json);
    }
  });
}

// Rows of finished pods have a condition, and clients may hide them.
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

// Schemas of requests are sorted by their precedence; other kinds are in the list's order.
std::vector<const storage::Item*> InOrder(const TableContent& content) {
  std::vector<const storage::Item*> items(content.items.begin(), content.items.end());
  if (content.kind.kind != "FlowSchema") return items;
  std::ranges::sort(items, {}, [](const storage::Item* item) {
    const auto* precedence = api::Get<int32_t>(item->object, "spec.matchingPrecedence");
    return std::pair(precedence == nullptr ? 0 : *precedence,
                     std::string_view(item->object.metadata().name));
  });
  return items;
}

void WriteRow(const api::KindInfo& kind,
              const CustomColumns* custom,
              const storage::Item& item,
              const TableOptions& options,
              JsonWriter& json) {
  json.Object([&] {
    json.Member("cells").Array([&] {
      if (BeginsWithName(kind)) json.Value(item.object.metadata().name);
      if (custom != nullptr) return custom->WriteCells(item.object, options.now, json);
      for (const api::Column& column : ColumnsOf(kind))
        json.Raw(CellJson(column, item.object, options.now));
    });
    WriteConditions(item.object, json);
    json.Member("object");
    switch (options.include) {
      case IncludeObject::kNone: return json.Value(nullptr);
      case IncludeObject::kMetadata: return WritePartialObject(item.object, options.version, json);
      case IncludeObject::kObject: return storage::WriteJson(item, json);
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
      if (!list.resource_version.empty()) json.Member("resourceVersion", list.resource_version);
      if (!list.continue_token.empty()) json.Member("continue", list.continue_token);
      if (list.remaining_item_count) json.Member("remainingItemCount", *list.remaining_item_count);
    });
  });
}

void WriteTable(const TableContent& content,
                const TableOptions& options,
                ColumnDefinitions definitions,
                JsonWriter& json) {
  std::optional<CustomColumns> columns;
  if (api::IsCustom(content.kind)) columns.emplace(content.kind);
  const CustomColumns* const custom = columns.has_value() ? &*columns : nullptr;
  json.Object([&] {
    json.Member("kind", "Table");
    json.Member("apiVersion", fmt::format("meta.k8s.io/{}", options.version));
    json.Member("metadata").Raw(content.metadata_json);
    json.Member("columnDefinitions");
    if (definitions == ColumnDefinitions::kShown) {
      WriteDefinitions(content.kind, custom, options, json);
    } else {
      json.Value(nullptr);
    }
    json.Member("rows").Array([&] {
      for (const storage::Item* item : InOrder(content))
        WriteRow(content.kind, custom, *item, options, json);
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
