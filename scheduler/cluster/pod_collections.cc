// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/pod_collections.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "api/apps_v1/replica_set.h"
#include "api/apps_v1/stateful_set.h"
#include "api/core_v1/replication_controller.h"
#include "api/core_v1/service.h"

namespace dray::scheduler::inline cluster {
namespace {

namespace core_v1 = api::core_v1;
namespace apps_v1 = api::apps_v1;
using api::meta_v1::LabelSelector;

bool Selects(const core_v1::Service& service, const core_v1::Pod& pod) {
  return std::ranges::all_of(service.spec.selector, [&](const auto& wanted) {
    const auto label = pod.metadata.labels.find(wanted.first);
    return label != pod.metadata.labels.end() && label->second == wanted.second;
  });
}

/// Adds the requirements of `other` to `selector`.
void Add(const api::Maybe<LabelSelector>& other, LabelSelector& selector) {
  if (!other) return;
  for (const auto& [key, value] : other->match_labels) {
    selector.match_expressions.push_back({.key = key, .operator_ = "In", .values = {value}});
  }
  for (const auto& one : other->match_expressions) selector.match_expressions.push_back(one);
}

}  // namespace

PodCollections::PodCollections(client::Mirror& services,
                               const client::Mirror& replication_controllers,
                               const client::Mirror& replica_sets,
                               const client::Mirror& stateful_sets)
    : services_(services),
      services_of_namespace_(services.AddIndex([](const api::Object& service, auto& values) {
        values.push_back(service.metadata().namespace_);
      })),
      replication_controllers_(replication_controllers),
      replica_sets_(replica_sets),
      stateful_sets_(stateful_sets) {}

LabelSelector PodCollections::SelectorFor(const core_v1::Pod& pod) const {
  LabelSelector selector;
  for (const std::string& key :
       services_.Indexed(services_of_namespace_, pod.metadata.namespace_)) {
    const auto& service = services_.Find(key)->As<core_v1::Service>();
    if (!Selects(service, pod)) continue;
    for (const auto& [label, value] : service.spec.selector) selector.match_labels[label] = value;
  }
  const auto owner = std::ranges::find_if(pod.metadata.owner_references, [](const auto& reference) {
    return reference.controller.value_or(false);
  });
  if (owner == pod.metadata.owner_references.end()) return selector;
  const std::string key = fmt::format("{}/{}", pod.metadata.namespace_, owner->name);
  if (owner->api_version == "v1" && owner->kind == "ReplicationController") {
    const api::Object* found = replication_controllers_.Find(key);
    if (found == nullptr) return selector;
    for (const auto& [label, value] : found->As<core_v1::ReplicationController>().spec.selector) {
      selector.match_labels[label] = value;
    }
  } else if (owner->api_version == "apps/v1" && owner->kind == "ReplicaSet") {
    const api::Object* found = replica_sets_.Find(key);
    if (found != nullptr) Add(found->As<apps_v1::ReplicaSet>().spec.selector, selector);
  } else if (owner->api_version == "apps/v1" && owner->kind == "StatefulSet") {
    const api::Object* found = stateful_sets_.Find(key);
    if (found != nullptr) Add(found->As<apps_v1::StatefulSet>().spec.selector, selector);
  }
  return selector;
}

}  // namespace dray::scheduler::inline cluster
