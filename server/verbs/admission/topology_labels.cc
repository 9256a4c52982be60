// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/topology_labels.h"

#include <string>
#include <string_view>

#include "api/core_v1/binding.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "server/verbs/context/node_relations.h"

namespace dray::server::verbs::admission {
namespace {

using api::core_v1::Binding;
using api::core_v1::Node;
using api::core_v1::Pod;

constexpr std::string_view kCopied[] = {"topology.kubernetes.io/zone",
                                        "topology.kubernetes.io/region"};

void CopyLabels(const store::Snapshot& snapshot, std::string_view node_name, api::Object& to) {
  const api::Object node = FindStored(snapshot, api::Reflected<Node>::kKind, "", node_name);
  if (node.empty()) return;
  const auto& labels = node.metadata().labels;
  for (const std::string_view key : kCopied) {
    const auto found = labels.find(key);
    if (found != labels.end()) {
      to.mutable_metadata().labels.insert_or_assign(found->first, found->second);
    }
  }
}

}  // namespace

Result<> CopyTopologyLabels(const Call& call,
                            const store::Snapshot& snapshot,
                            const Write& write,
                            api::Object* object) {
  if (!kBindingsCarryLabels.Rules(call.request->release)) return {};
  if (write.subresource.empty() && object != nullptr && object->If<Pod>() != nullptr) {
    const std::string node = object->As<Pod>().spec.node_name;
    if (!node.empty()) CopyLabels(snapshot, node, *object);
  }
  if (write.subresource == "binding" && write.part != nullptr) {
    const auto& target = write.part->As<Binding>().target;
    if (target.kind == "Node") CopyLabels(snapshot, std::string(target.name), *write.part);
  }
  return {};
}

}  // namespace dray::server::verbs::admission
