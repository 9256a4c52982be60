// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/pods/pod_resize.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/quota/pod_charge.h"
#include "api/text/go_quote.h"
#include "server/errors/errors.h"
#include "server/verbs/context/node_relations.h"

namespace dray::server::verbs::admission::inline pods {
namespace {

using api::GoQuote;
using api::core_v1::Node;
using api::core_v1::Pod;

api::Quantity AmountIn(const api::quota::Amounts& amounts, std::string_view resource) {
  const auto found = amounts.find(std::string(resource));
  return found == amounts.end() ? api::Quantity() : found->second;
}

/// Why the node can never have the pod; empty: it could, if it were empty.
std::string WhyTooLarge(const Pod& pod, const Node& node) {
  const api::quota::Amounts requests = api::quota::RequestsOfPod(pod);
  std::vector<std::string> parts;
  for (const std::string_view resource : {"cpu", "memory"}) {
    const api::Quantity asked = AmountIn(requests, resource);
    const api::Quantity had = AmountIn(node.status.allocatable, resource);
    if (asked <= had) continue;
    const bool is_cpu = resource == "cpu";  // shown in thousandths
    parts.push_back(fmt::format("{}, requested: {}, allocatable: {}",
                                resource,
                                is_cpu ? asked.MilliValue() : asked.Value(),
                                is_cpu ? had.MilliValue() : had.Value()));
  }
  if (parts.empty()) return {};
  return fmt::format("node didn't have enough allocatable resources: {}", fmt::join(parts, "; "));
}

/// The operating system that the node's label names; without the label, Linux.
std::string_view SystemOf(const Node& node) {
  const auto found = node.metadata.labels.find("kubernetes.io/os");
  return found == node.metadata.labels.end() ? "linux" : std::string_view(found->second);
}

Error Refusal(const Call& call, const Pod& pod, std::string_view why, std::string cause) {
  Error error = errors::Forbidden(call.kind(), pod.metadata.name, why);
  if (!cause.empty()) error.causes = {{.reason = std::move(cause), .field = "", .message = ""}};
  return error;
}

}  // namespace

Result<> CheckPodResize(const Call& call, const store::Snapshot& snapshot, const Write& write) {
  if (write.subresource != "resize" || write.object == nullptr || write.old_object == nullptr) {
    return {};
  }
  const auto* const pod = write.object->If<Pod>();
  if (pod == nullptr || !kChecksResizes.Rules(call.request->release)) return {};
  // The generation counts changes of the specification.
  const bool is_resized = pod->metadata.generation != write.old_object->metadata().generation;
  const std::string_view name = pod->spec.node_name;
  if (name.empty() || !is_resized) return {};
  const api::Object found = FindStored(snapshot, api::Reflected<Node>::kKind, "", name);
  if (found.empty()) {
    return Fail(Refusal(call, *pod, fmt::format("node {} not found", GoQuote(name)), ""));
  }
  const auto& node = found.As<Node>();
  if (const std::string_view system = SystemOf(node); system != "linux") {
    const std::string why =
        fmt::format("pod resize is only supported on linux nodes, node {} is {}",
                    GoQuote(node.metadata.name),
                    GoQuote(system));
    return Fail(Refusal(call, *pod, why, "UnsupportedPlatform"));
  }
  if (const std::string why = WhyTooLarge(*pod, node); !why.empty()) {
    return Fail(Refusal(call, *pod, why, "NodeCapacity"));
  }
  return {};
}

}  // namespace dray::server::verbs::admission::inline pods
