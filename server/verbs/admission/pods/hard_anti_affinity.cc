// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/pods/hard_anti_affinity.h"

#include <string_view>

#include <fmt/format.h>

#include "api/core_v1/pod.h"
#include "server/errors/errors.h"

namespace dray::server::verbs::admission::inline pods {

Result<> CheckHardAntiAffinity(const Call& call,
                               const store::Snapshot& /*snapshot*/,
                               const Write& write) {
  constexpr std::string_view kHost = "kubernetes.io/hostname";
  const auto* const pod = write.object->If<api::core_v1::Pod>();
  if (pod == nullptr || !write.subresource.empty()) return {};
  if (!pod->spec.affinity.has_value() || !pod->spec.affinity->pod_anti_affinity.has_value()) {
    return {};
  }
  const auto& anti = *pod->spec.affinity->pod_anti_affinity;
  for (const auto& term : anti.required_during_scheduling_ignored_during_execution) {
    if (term.topology_key == kHost) continue;
    return Fail(errors::Forbidden(
        call.kind(),
        pod->metadata.name,
        fmt::format("affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey {} but only "
                    "key {} is allowed",
                    term.topology_key,
                    kHost)));
  }
  return {};
}

}  // namespace dray::server::verbs::admission::inline pods
