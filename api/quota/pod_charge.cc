// SPDX-License-Identifier: Apache-2.0
#include "api/quota/pod_charge.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/claims/extended_claim.h"
#include "api/pods/container_sums.h"
#include "api/pods/life.h"

namespace dray::api::quota {
namespace {

using core_v1::Pod;
using core_v1::ResourceRequirements;

constexpr std::string_view kPodRequests = "requests.";
constexpr std::string_view kHugePages = "hugepages-";

constexpr std::array<std::string_view, 3> kComputed = {"cpu", "memory", "ephemeral-storage"};
// If a quota limits one of these, each container must set its amount.
constexpr std::array<std::string_view, 6> kToBeSaid = {
    "cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"};

bool IsComputed(std::string_view name) {
  return std::ranges::find(kComputed, name) != kComputed.end();
}

bool IsNative(std::string_view resource) {
  return !resource.contains('/') || resource.contains("kubernetes.io/");
}

bool IsExtended(std::string_view resource) {
  if (resource.starts_with(claims::kClassResourcePrefix)) return true;
  return !IsNative(resource) && !resource.starts_with(kPodRequests);
}

/// Converts to the names of quotas.
Amounts Named(const Amounts& requests, const Amounts& limits) {
  Amounts named;
  for (const auto& [name, amount] : requests) {
    const bool is_huge = name.starts_with(kHugePages);
    if (IsComputed(name) || is_huge) named[name] = amount;
    if (IsComputed(name) || is_huge || IsExtended(name)) {
      named[fmt::format("{}{}", kPodRequests, name)] = amount;
    }
  }
  for (const auto& [name, amount] : limits) {
    if (IsComputed(name)) named["limits." + name] = amount;
  }
  return named;
}

/// The largest sum of all containers at one moment. `of_pod`: the values of the pod as a whole.
Amounts Total(const Pod& pod, Amounts ResourceRequirements::* part) {
  Amounts total = pods::SumOfContainers(
      pod.spec, [&](const ResourceRequirements& resources) { return resources.*part; });
  if (pod.spec.resources) {
    for (const auto& [name, amount] : (*pod.spec.resources).*part) {
      if (name == "cpu" || name == "memory" || name.starts_with(kHugePages)) total[name] = amount;
    }
  }
  return total;
}

bool IsCharged(const Pod& pod, WallTime now) {
  if (pods::HasEnded(pod)) return false;
  const auto& meta = pod.metadata;
  if (!meta.deletion_timestamp || !meta.deletion_grace_period_seconds) return true;
  const int64_t second = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  return second <= meta.deletion_timestamp->unix_seconds() + *meta.deletion_grace_period_seconds;
}

}  // namespace

Amounts RequestsOfPod(const Pod& pod) {
  Amounts requests = Total(pod, &ResourceRequirements::requests);
  pods::AddTo(requests, pod.spec.overhead);
  return requests;
}

Amounts ChargeOfPod(const Pod& pod, WallTime now) {
  Amounts charge;
  if (IsCharged(pod, now)) {
    const Amounts requests = RequestsOfPod(pod);
    Amounts limits = Total(pod, &ResourceRequirements::limits);
    for (const auto& [name, overhead] : pod.spec.overhead) {
      if (const auto limit = limits.find(name); limit != limits.end()) limit->second += overhead;
    }
    charge = Named(requests, limits);
    charge["pods"] = Quantity::FromInt(1);
  }
  charge["count/pods"] = Quantity::FromInt(1);
  return charge;
}

bool IsAboutPods(std::string_view name) {
  std::string_view resource = name;
  if (resource.starts_with(kPodRequests)) resource.remove_prefix(kPodRequests.size());
  if (name.starts_with("limits.")) return IsComputed(name.substr(7));
  return name == "count/pods" || name == "pods" || IsComputed(resource) ||
         resource.starts_with(kHugePages) || IsExtendedRequest(name);
}

bool IsExtendedRequest(std::string_view name) {
  if (!name.starts_with(kPodRequests)) return false;
  return !IsNative(name) ||
         name.substr(kPodRequests.size()).starts_with(claims::kClassResourcePrefix);
}

std::string MissingRequests(const core_v1::ResourceQuota& quota, const Pod& pod) {
  if (pod.spec.resources) return {};
  std::map<std::string_view, std::set<std::string>> missing;  // containers, by the value that they
                                                              // lack
  const auto look_at = [&](const core_v1::Container& container) {
    const Amounts said = Named(container.resources.requests, container.resources.limits);
    for (const std::string_view name : kToBeSaid) {
      if (quota.status.hard.contains(name) && !said.contains(name)) {
        missing[name].insert(container.name);
      }
    }
  };
  std::ranges::for_each(pod.spec.containers, look_at);
  std::ranges::for_each(pod.spec.init_containers, look_at);
  std::vector<std::string> texts;
  texts.reserve(missing.size());
  for (const auto& [name, containers] : missing) {
    texts.push_back(fmt::format("{} for: {}", name, fmt::join(containers, ",")));
  }
  return texts.empty() ? "" : fmt::format("must specify {}", fmt::join(texts, "; "));
}

}  // namespace dray::api::quota
