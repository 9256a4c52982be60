// SPDX-License-Identifier: Apache-2.0
#include "api/defaults/defaults.h"

#include <algorithm>
#include <string>
#include <utility>

#include "api/defaults/kind_defaults.h"

namespace dray::api::defaults {

void SetDefaults(Object& object, Time now, Release release) {
  if (object.If<core_v1::Namespace>() != nullptr) {
    SetNamespaceDefaults(object.Mutable<core_v1::Namespace>());
  } else if (object.If<core_v1::Pod>() != nullptr) {
    SetPodDefaults(object.Mutable<core_v1::Pod>());
  } else if (object.If<core_v1::Node>() != nullptr) {
    SetNodeDefaults(object.Mutable<core_v1::Node>());
  } else if (object.If<core_v1::Secret>() != nullptr) {
    SetSecretDefaults(object.Mutable<core_v1::Secret>());
  }
  for (const auto& rows : {ResourceDefaults(), WorkloadDefaults(), ClusterDefaults()}) {
    const auto row = std::ranges::find_if(
        rows, [&](const KindDefaults& one) { return &one.type() == &object.type(); });
    if (row != rows.end()) row->set(object.mutable_value(), {.now = now, .release = release});
  }
}

void LabelNamespace(core_v1::Namespace& namespace_object) {
  const std::string& name = namespace_object.metadata.name;
  if (name.empty()) return;
  namespace_object.metadata.labels.insert_or_assign("kubernetes.io/metadata.name", name);
}

void SetNamespaceDefaults(core_v1::Namespace& namespace_object) {
  LabelNamespace(namespace_object);
  if (namespace_object.status.phase.empty()) namespace_object.status.phase = "Active";
}

void SetNodeDefaults(core_v1::Node& node) {
  if (node.status.allocatable.empty()) node.status.allocatable = node.status.capacity;
}

void SetSecretDefaults(core_v1::Secret& secret) {
  if (secret.type.empty()) secret.type = "Opaque";
  for (auto& [key, text] : secret.string_data) secret.data[key].bytes = std::move(text);
  secret.string_data.clear();
}

}  // namespace dray::api::defaults
