// SPDX-License-Identifier: Apache-2.0
// Sums over the containers of a pod, as the scheduler and quotas compute them.
#pragma once

#include "api/core_v1/pod.h"

namespace dray::api::pods {

/// Adds each amount of `more` to the one of the same name.
template <typename Amounts>
void AddTo(Amounts& sum, const Amounts& more) {
  for (const auto& [name, amount] : more) sum[name] += amount;
}

/// Raises each amount to the one of `other`, if that is more.
template <typename Amounts>
void Raise(Amounts& most, const Amounts& other) {
  for (const auto& [name, amount] : other) {
    const auto [place, is_new] = most.try_emplace(name, amount);
    if (!is_new && place->second < amount) place->second = amount;
  }
}

/// The largest sum at any moment of the pod's life. Init containers run one after the other; those
/// that restart (sidecars, KEP-753) keep running. `of` returns the amounts of one container's
/// resources, by name. O(containers × names).
template <typename Of>
auto SumOfContainers(const core_v1::PodSpec& pod, const Of& of) {
  using Amounts = decltype(of(core_v1::ResourceRequirements()));
  Amounts running;
  for (const core_v1::Container& container : pod.containers)
    AddTo(running, of(container.resources));
  Amounts sidecars;
  Amounts starting;
  for (const core_v1::Container& container : pod.init_containers) {
    Amounts own = of(container.resources);
    if (container.restart_policy == "Always") {
      AddTo(sidecars, own);
      own = sidecars;
    } else {
      AddTo(own, sidecars);
    }
    Raise(starting, own);
  }
  AddTo(running, sidecars);
  Raise(running, starting);
  return running;
}

}  // namespace dray::api::pods
