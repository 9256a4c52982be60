// SPDX-License-Identifier: Apache-2.0
#include "api/quota/limit_ranges.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/pods/container_sums.h"
#include "api/quota/amounts.h"

namespace dray::api::quota {
namespace {

using core_v1::Container;
using core_v1::LimitRange;
using core_v1::LimitRangeItem;
using core_v1::Pod;
using core_v1::ResourceRequirements;

constexpr std::string_view kAnnotation = "kubernetes.io/limit-ranger";
constexpr std::string_view kContainer = "Container";
constexpr std::string_view kPod = "Pod";
constexpr std::string_view kVolumeClaim = "PersistentVolumeClaim";

// The largest value whose thousandths fit.
constexpr int64_t kMilliMax = std::numeric_limits<int64_t>::max() / 1000;

// --------------------------------------------------------------------------------------- defaults

/// The names that were new to `amounts`.
std::vector<std::string> AddMissing(const Amounts& defaults, Amounts& amounts) {
  std::vector<std::string> added;
  for (const auto& [name, amount] : defaults) {
    if (amounts.try_emplace(name, amount).second) added.push_back(name);
  }
  return added;
}

void FillIn(const ResourceRequirements& defaults,
            std::string_view word,
            Container& container,
            std::vector<std::string>& notes) {
  const auto limits = AddMissing(defaults.limits, container.resources.limits);
  const auto requests = AddMissing(defaults.requests, container.resources.requests);
  const auto note = [&](const std::vector<std::string>& names, std::string_view what) {
    if (names.empty()) return;
    notes.push_back(
        fmt::format("{} {} for {} {}", fmt::join(names, ", "), what, word, container.name));
  };
  note(requests, "request");
  note(limits, "limit");
}

ResourceRequirements DefaultsOf(const LimitRange& range) {
  ResourceRequirements defaults;
  for (const LimitRangeItem& item : range.spec.limits) {
    if (item.type != kContainer) continue;
    for (const auto& [name, amount] : item.default_request) defaults.requests[name] = amount;
    for (const auto& [name, amount] : item.default_) defaults.limits[name] = amount;
  }
  return defaults;
}

// ----------------------------------------------------------------------------------------- bounds

/// The violations for one type of object, in the order of the names of resources.
class Broken {
 public:
  explicit Broken(std::string_view type) : type_(type) {}

  void Least(const Amounts& bounds, const Amounts& requests, const Amounts& limits) {
    for (const auto& [name, bound] : bounds) {
      const auto request = requests.find(name);
      const auto limit = limits.find(name);
      if (request == requests.end()) {
        Add("minimum", name, bound, ".  No request is specified");
      } else if (request->second < bound) {
        Add("minimum", name, bound, ", but request is " + request->second.ToString());
      } else if (limit != limits.end() && limit->second < bound) {
        Add("minimum", name, bound, ", but limit is " + limit->second.ToString());
      }
    }
  }

  void Most(const Amounts& bounds, const Amounts& requests, const Amounts& limits) {
    for (const auto& [name, bound] : bounds) {
      const auto request = requests.find(name);
      const auto limit = limits.find(name);
      if (limit == limits.end()) {
        Add("maximum", name, bound, ".  No limit is specified");
      } else if (bound < limit->second) {
        Add("maximum", name, bound, ", but limit is " + limit->second.ToString());
      } else if (request != requests.end() && bound < request->second) {
        Add("maximum", name, bound, ", but request is " + request->second.ToString());
      }
    }
  }

  void MostRequested(const Amounts& bounds, const Amounts& requests) {
    for (const auto& [name, bound] : bounds) {
      const auto request = requests.find(name);
      if (request == requests.end()) {
        Add("maximum", name, bound, ".  No request is specified");
      } else if (bound < request->second) {
        Add("maximum", name, bound, ", but request is " + request->second.ToString());
      }
    }
  }

  void Ratio(const Amounts& bounds, const Amounts& requests, const Amounts& limits) {
    for (const auto& [name, bound] : bounds) {
      const auto request = requests.find(name);
      const auto limit = limits.find(name);
      if (request == requests.end() || request->second.IsZero()) {
        AddRatio(name, bound, "no request is specified or request is 0");
      } else if (limit == limits.end() || limit->second.IsZero()) {
        AddRatio(name, bound, "no limit is specified or limit is 0");
      } else if (const double ratio = RatioOf(limit->second, request->second);
                 ratio > Number(bound)) {
        AddRatio(name, bound, fmt::format("provided ratio is {:f}", ratio));
      }
    }
  }

  std::vector<std::string> Take() && { return std::move(said_); }

 private:
  static double Number(const Quantity& amount) {
    if (amount.Value() > kMilliMax) return static_cast<double>(amount.Value());
    return static_cast<double>(amount.MilliValue()) / 1000;
  }
  static double RatioOf(const Quantity& limit, const Quantity& request) {
    const bool fits = limit.Value() <= kMilliMax && request.Value() <= kMilliMax;
    const int64_t over = fits ? limit.MilliValue() : limit.Value();
    const int64_t under = fits ? request.MilliValue() : request.Value();
    return static_cast<double>(over) / static_cast<double>(under);
  }
  void Add(std::string_view bound_is,
           std::string_view name,
           const Quantity& bound,
           std::string_view rest) {
    said_.push_back(
        fmt::format("{} {} usage per {} is {}{}", bound_is, name, type_, bound.ToString(), rest));
  }
  void AddRatio(std::string_view name, const Quantity& bound, std::string_view but) {
    said_.push_back(fmt::format(
        "{} max limit to request ratio per {} is {}, but {}", name, type_, bound.ToString(), but));
  }

  std::string_view type_;
  std::vector<std::string> said_;
};

std::vector<std::string> CheckAll(const LimitRangeItem& item,
                                  const Amounts& requests,
                                  const Amounts& limits) {
  Broken broken(item.type);
  broken.Least(item.min, requests, limits);
  broken.Most(item.max, requests, limits);
  broken.Ratio(item.max_limit_request_ratio, requests, limits);
  return std::move(broken).Take();
}

/// The values of the pod as a whole take precedence over the sums of its containers.
Amounts OfPod(const Pod& pod, Amounts ResourceRequirements::* part) {
  Amounts sum = pods::SumOfContainers(
      pod.spec, [&](const ResourceRequirements& resources) { return resources.*part; });
  if (!pod.spec.resources.has_value()) return sum;
  for (const auto& [name, amount] : (*pod.spec.resources).*part) {
    if (name == "cpu" || name == "memory") sum[name] = amount;
  }
  return sum;
}

std::vector<std::string> CheckPod(const LimitRangeItem& item, const Pod& pod) {
  if (item.type == kPod) {
    return CheckAll(item,
                    OfPod(pod, &ResourceRequirements::requests),
                    OfPod(pod, &ResourceRequirements::limits));
  }
  std::vector<std::string> all;
  if (item.type != kContainer) return all;
  for (const auto* containers : {&pod.spec.containers, &pod.spec.init_containers}) {
    for (const Container& container : *containers) {
      for (std::string& one :
           CheckAll(item, container.resources.requests, container.resources.limits)) {
        all.push_back(std::move(one));
      }
    }
  }
  return all;
}

/// Joins several messages, each once, as Go's error aggregates do.
std::string Joined(std::vector<std::string> all) {
  std::vector<std::string> once;
  for (std::string& one : all) {
    if (std::ranges::count(once, one) == 0) once.push_back(std::move(one));
  }
  if (once.size() == 1) return once.front();
  return once.empty() ? std::string() : fmt::format("[{}]", fmt::join(once, ", "));
}

template <class Check>
std::string FirstBroken(LimitRanges ranges, Check check) {
  for (const LimitRange& range : ranges) {
    std::vector<std::string> all;
    for (const LimitRangeItem& item : range.spec.limits) {
      for (std::string& one : check(item)) all.push_back(std::move(one));
    }
    if (!all.empty()) return Joined(std::move(all));
  }
  return {};
}

}  // namespace

void FillIn(LimitRanges ranges, Pod& pod) {
  for (const LimitRange& range : ranges) {
    const ResourceRequirements defaults = DefaultsOf(range);
    std::vector<std::string> notes;
    for (Container& one : pod.spec.containers) FillIn(defaults, "container", one, notes);
    for (Container& one : pod.spec.init_containers) FillIn(defaults, "init container", one, notes);
    if (notes.empty()) continue;
    pod.metadata.annotations.insert_or_assign(
        std::string(kAnnotation),
        fmt::format("LimitRanger plugin set: {}", fmt::join(notes, "; ")));
  }
}

std::string BoundsBrokenBy(const Pod& pod, LimitRanges ranges) {
  return FirstBroken(ranges, [&](const LimitRangeItem& item) { return CheckPod(item, pod); });
}

std::string BoundsBrokenBy(const core_v1::PersistentVolumeClaim& claim, LimitRanges ranges) {
  return FirstBroken(ranges, [&](const LimitRangeItem& item) {
    Broken broken(item.type);
    if (item.type == kVolumeClaim) {
      const Amounts& requests = claim.spec.resources.requests;
      broken.Least(item.min, requests, {});
      broken.MostRequested(item.max, requests);
    }
    return std::move(broken).Take();
  });
}

}  // namespace dray::api::quota
