// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/node_state.h"

#include <algorithm>

#include "api/pods/container_sums.h"

namespace dray::scheduler::inline cluster {
namespace {

namespace core_v1 = api::core_v1;

// For containers without requests.
constexpr int64_t kPresumedMilliCpu = 100;
constexpr int64_t kPresumedMemory = 200LL * 1024 * 1024;

Amounts RequestsOf(const core_v1::ResourceRequirements& resources) {
  Amounts amounts;
  for (const auto& [name, limit] : resources.limits) amounts[name] = AmountOf(name, limit);
  for (const auto& [name, request] : resources.requests) amounts[name] = AmountOf(name, request);
  return amounts;
}

void AddTaken(Amounts& sum, std::span<const core_v1::NodeAllocatableResourceClaimStatus> taken) {
  for (const auto& claim : taken) {
    for (const auto& mapped : claim.mapping) {
      if (mapped.quantity) sum[mapped.name] += AmountOf(mapped.name, *mapped.quantity);
    }
    const auto containers = static_cast<int64_t>(claim.containers.size());
    for (const auto& overhead : claim.overhead) {
      int64_t& amount = sum[overhead.name];
      if (overhead.per_pod) amount += AmountOf(overhead.name, *overhead.per_pod);
      if (!overhead.per_container) continue;
      amount += AmountOf(overhead.name, *overhead.per_container * containers);
    }
  }
}

}  // namespace

int64_t AmountOf(std::string_view resource, const api::Quantity& quantity) {
  return resource == "cpu" ? quantity.MilliValue() : quantity.Value();
}

Amounts RequestsOfContainers(const core_v1::Pod& pod,
                             std::span<const core_v1::NodeAllocatableResourceClaimStatus> taken) {
  Amounts sum = api::pods::SumOfContainers(
      pod.spec, [](const core_v1::ResourceRequirements& one) { return RequestsOf(one); });
  AddTaken(sum, taken);
  return sum;
}

Presumed PresumedOf(const core_v1::Pod& pod) {
  Amounts sum = api::pods::SumOfContainers(pod.spec, [](const core_v1::ResourceRequirements& one) {
    Amounts amounts = RequestsOf(one);
    amounts.try_emplace("cpu", kPresumedMilliCpu);
    amounts.try_emplace("memory", kPresumedMemory);
    return amounts;
  });
  if (pod.spec.resources) {
    for (const auto& [name, amount] : RequestsOf(*pod.spec.resources)) sum[name] = amount;
  }
  for (const auto& [name, overhead] : pod.spec.overhead) sum[name] += AmountOf(name, overhead);
  return {.cpu = sum["cpu"], .memory = sum["memory"]};
}

std::vector<HostPort> HostPortsOf(const core_v1::Pod& pod) {
  std::vector<HostPort> ports;
  const auto add = [&](const core_v1::Container& container) {
    for (const core_v1::ContainerPort& port : container.ports) {
      if (port.host_port <= 0) continue;
      ports.push_back({.protocol = port.protocol.empty() ? "TCP" : port.protocol,
                       .port = port.host_port,
                       .ip = port.host_ip.empty() ? "0.0.0.0" : port.host_ip});
    }
  };
  std::ranges::for_each(pod.spec.containers, add);
  for (const core_v1::Container& container : pod.spec.init_containers) {
    if (container.restart_policy == "Always") add(container);
  }
  return ports;
}

Amounts RequestsOf(const core_v1::Pod& pod,
                   std::span<const core_v1::NodeAllocatableResourceClaimStatus> taken) {
  Amounts running = RequestsOfContainers(pod, taken);
  if (pod.spec.resources) {
    for (const auto& [name, amount] : RequestsOf(*pod.spec.resources)) running[name] = amount;
  }
  for (const auto& [name, overhead] : pod.spec.overhead) running[name] += AmountOf(name, overhead);
  return running;
}

Amounts AllocatableOf(const core_v1::Node& node) {
  Amounts amounts;
  for (const auto& [name, quantity] : node.status.allocatable) {
    amounts[name] = AmountOf(name, quantity);
  }
  return amounts;
}

}  // namespace dray::scheduler::inline cluster
