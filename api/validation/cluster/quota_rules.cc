// SPDX-License-Identifier: Apache-2.0
#include "api/validation/cluster/quota_rules.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/validation/name_rules.h"
#include "api/value/map.h"
#include "api/value/quantity.h"

namespace dray::api::validation::inline cluster {
namespace {

using core_v1::LimitRange;
using core_v1::LimitRangeItem;
using core_v1::ResourceQuota;
using core_v1::ResourceQuotaSpec;
using Amounts = Map<Quantity>;

constexpr int64_t kMilliMax = std::numeric_limits<int64_t>::max() / 1000;

// ---------------------------------------------------------------------------------------- amounts

constexpr std::array<std::string_view, 10> kComputed = {"cpu",
                                                        "memory",
                                                        "ephemeral-storage",
                                                        "requests.cpu",
                                                        "requests.memory",
                                                        "requests.ephemeral-storage",
                                                        "limits.cpu",
                                                        "limits.memory",
                                                        "limits.ephemeral-storage",
                                                        "requests.storage"};
// Amounts of these are whole.
constexpr std::array<std::string_view, 9> kCounted = {"pods",
                                                      "resourcequotas",
                                                      "services",
                                                      "replicationcontrollers",
                                                      "secrets",
                                                      "configmaps",
                                                      "persistentvolumeclaims",
                                                      "services.nodeports",
                                                      "services.loadbalancers"};
constexpr std::string_view kHugePages = "hugepages-";
constexpr std::string_view kRequests = "requests.";

bool IsQuotaName(std::string_view name) {
  return std::ranges::count(kComputed, name) > 0 || std::ranges::count(kCounted, name) > 0 ||
         name.starts_with(kHugePages) || name.starts_with("requests.hugepages-");
}

bool IsContainerName(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
         name.starts_with(kHugePages);
}

bool IsNative(std::string_view name) {
  return !name.contains('/') || name.contains("kubernetes.io/");
}

bool IsExtended(std::string_view name) {
  if (IsNative(name) || name.starts_with(kRequests)) return false;
  FieldErrors errors;
  CheckKeyShaped(fmt::format("{}{}", kRequests, name), Path("name"), errors);
  return errors.empty();
}

bool IsCounted(std::string_view name) {
  return std::ranges::count(kCounted, name) > 0 || IsExtended(name);
}

void CheckQuotaName(std::string_view name, const Path& path, FieldErrors& errors) {
  FieldErrors shape(errors.release());
  CheckKeyShaped(name, path, shape);
  const bool is_shaped = shape.empty();
  errors.Append(std::move(shape));
  const bool is_known = name.contains('/') || name == "storage" || IsQuotaName(name);
  if (is_shaped && !is_known) {
    errors.Invalid(path, Shown(name), "must be a standard resource type or fully qualified");
  }
}

void CheckContainerName(std::string_view name, const Path& path, FieldErrors& errors) {
  CheckQuotaName(name, path, errors);
  if (!name.contains('/')) {
    if (IsContainerName(name)) return;
    errors.Invalid(path, Shown(name), "must be a standard resource for containers");
  } else if (!IsNative(name) && !IsExtended(name)) {
    errors.Invalid(path, Shown(name), "doesn't follow extended resource name standard");
  }
}

std::string Quoted(const Quantity& amount) {
  return Shown(amount.ToString());
}

void CheckAmounts(const Amounts& amounts, const Path& path, FieldErrors& errors) {
  for (const auto& [name, amount] : amounts) {
    const Path at = path.Key(name);
    CheckQuotaName(name, at, errors);
    if (!name.contains('/') && !IsQuotaName(name)) {
      errors.Invalid(at, Shown(name), "must be a standard resource for quota");
    }
    if (amount.Sign() < 0) {
      errors.Invalid(at, Quoted(amount), "must be greater than or equal to 0");
    }
    if (IsCounted(name) && amount.MilliValue() % 1000 != 0) {
      errors.Invalid(at, Quoted(amount), "must be an integer");
    }
  }
}

// ----------------------------------------------------------------------------------------- scopes

constexpr std::string_view kVolumes = "VolumeAttributesClass";
constexpr std::array<std::string_view, 7> kScopes = {"Terminating",
                                                     "NotTerminating",
                                                     "BestEffort",
                                                     "NotBestEffort",
                                                     "PriorityClass",
                                                     kVolumes,
                                                     "CrossNamespacePodAffinity"};
constexpr std::array<std::string_view, 7> kOfPods = {
    "pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"};

bool Fits(std::string_view scope, std::string_view name) {
  if (scope == "BestEffort") return name == "pods";
  if (scope == kVolumes) return name == "persistentvolumeclaims" || name == "requests.storage";
  return std::ranges::count(kScopes, scope) == 0 || std::ranges::count(kOfPods, name) > 0;
}

bool HasUnfit(std::string_view scope, const Amounts& hard) {
  return std::ranges::any_of(hard, [&](const auto& entry) {
    return IsQuotaName(entry.first) && !Fits(scope, entry.first);
  });
}

using Seen = std::set<std::string_view>;

void CheckPairs(const Seen& seen, std::string_view shown, const Path& path, FieldErrors& errors) {
  const bool both_efforts = seen.contains("BestEffort") && seen.contains("NotBestEffort");
  const bool both_ends = seen.contains("Terminating") && seen.contains("NotTerminating");
  if (both_efforts) errors.Invalid(path, shown, "conflicting scopes");
  if (both_ends) errors.Invalid(path, shown, "conflicting scopes");
}

void CheckScopes(const ResourceQuotaSpec& spec, const Path& path, FieldErrors& errors) {
  const std::string shown = ShownStruct(spec.scopes);
  Seen seen;
  for (const std::string& scope : spec.scopes) {
    if (std::ranges::count(kScopes, scope) == 0) errors.Invalid(path, shown, "unsupported scope");
    if (HasUnfit(scope, spec.hard)) {
      errors.Invalid(path, shown, "unsupported scope applied to resource");
    }
    seen.insert(scope);
  }
  CheckPairs(seen, shown, path, errors);
}

void CheckOperator(const core_v1::ScopedResourceSelectorRequirement& one,
                   const Path& path,
                   FieldErrors& errors) {
  const bool is_known = std::ranges::count(kScopes, one.scope_name) > 0;
  const bool takes_values = one.scope_name == "PriorityClass" || one.scope_name == kVolumes;
  if (is_known && !takes_values && one.operator_ != "Exists") {
    errors.Invalid(path.Child("operator"),
                   Shown(one.operator_),
                   "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
                   "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
                   "ResourceQuotaScopeNotBestEffort or "
                   "ResourceQuotaScopeCrossNamespacePodAffinity");
  }
  if (one.operator_ == "In" || one.operator_ == "NotIn") {
    if (!one.values.empty()) return;
    errors.Required(
        path.Child("values"),
        "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
  } else if (one.operator_ == "Exists" || one.operator_ == "DoesNotExist") {
    if (one.values.empty()) return;
    errors.Invalid(path.Child("values"),
                   ShownStruct(one.values),
                   "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope "
                   "selector");
  } else {
    errors.Invalid(path.Child("operator"), Shown(one.operator_), "not a valid selector operator");
  }
}

void CheckSelector(const ResourceQuotaSpec& spec, FieldErrors& errors) {
  if (!spec.scope_selector.has_value()) return;
  const Path path("spec.scopeSelector.matchExpressions");
  Seen seen;
  for (const auto& one : spec.scope_selector->match_expressions) {
    if (std::ranges::count(kScopes, one.scope_name) == 0) {
      errors.Invalid(path.Child("scopeName"), Shown(one.scope_name), "unsupported scope");
    }
    if (HasUnfit(one.scope_name, spec.hard)) {
      errors.Invalid(
          path, ShownStruct(*spec.scope_selector), "unsupported scope applied to resource");
    }
    CheckOperator(one, path, errors);
    seen.insert(one.scope_name);
  }
  CheckPairs(seen, ShownStruct(spec.scopes), path, errors);
}

// ----------------------------------------------------------------------------------------- ranges

/// The amounts of one entry that have the same name; null where there is none.
struct Named {
  const Quantity* min;
  const Quantity* max;
  const Quantity* limit;
  const Quantity* request;
  const Quantity* ratio;
};

const Quantity* In(const Amounts& amounts, std::string_view name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? nullptr : &found->second;
}

void CheckRatio(const Named& of, const Path& path, FieldErrors& errors) {
  if (of.ratio == nullptr) return;
  const std::string ratio = of.ratio->ToString();
  if (*of.ratio < Quantity::FromInt(1)) {
    errors.Invalid(path, Shown(ratio), fmt::format("ratio {} is less than 1", ratio));
  }
  if (of.min == nullptr || of.max == nullptr) return;
  const bool fits =
      of.ratio->Value() < kMilliMax && of.min->Value() < kMilliMax && of.max->Value() < kMilliMax;
  const double value = fits ? static_cast<double>(of.ratio->MilliValue()) / 1000
                            : static_cast<double>(of.ratio->Value());
  const double most = static_cast<double>(fits ? of.max->MilliValue() : of.max->Value()) /
                      static_cast<double>(fits ? of.min->MilliValue() : of.min->Value());
  if (value > most) {
    errors.Invalid(
        path, Shown(ratio), fmt::format("ratio {} is greater than max/min = {:f}", ratio, most));
  }
}

/// One amount may not be above another.
struct Order {
  std::string_view member;  // the member that errors name
  const Quantity* Named::* shown;
  const Quantity* Named::* least;
  std::string_view least_word;
  const Quantity* Named::* most;
  std::string_view most_word;
};
constexpr Order kOrders[] = {
    {"min", &Named::min, &Named::min, "min", &Named::max, "max"},
    {"defaultRequest", &Named::request, &Named::min, "min", &Named::request, "default request"},
    {"defaultRequest", &Named::request, &Named::request, "default request", &Named::max, "max"},
    {"defaultRequest",
     &Named::request,
     &Named::request,
     "default request",
     &Named::limit,
     "default limit"},
    {"default", &Named::min, &Named::min, "min", &Named::limit, "default"},
    {"default", &Named::max, &Named::limit, "default", &Named::max, "max"}};

void CheckNamed(std::string_view name, const Named& of, const Path& path, FieldErrors& errors) {
  for (const Order& order : kOrders) {
    const Quantity* const least = of.*order.least;
    const Quantity* const most = of.*order.most;
    if (least == nullptr || most == nullptr || *least <= *most) continue;
    const Path member = path.Child(order.member);
    errors.Invalid(member.Key(name),
                   Quoted(*(of.*order.shown)),
                   fmt::format("{} value {} is greater than {} value {}",
                               order.least_word,
                               least->ToString(),
                               order.most_word,
                               most->ToString()));
  }
  const Path ratio = path.Child("maxLimitRequestRatio");
  CheckRatio(of, ratio.Key(name), errors);
  const bool may_differ = IsNative(name) && !name.starts_with(kHugePages);
  if (!may_differ && of.limit != nullptr && of.request != nullptr && *of.limit != *of.request) {
    const Path request = path.Child("defaultRequest");
    errors.Invalid(request.Key(name),
                   Quoted(*of.request),
                   fmt::format("default value {} must equal to defaultRequest value {} in {}",
                               of.limit->ToString(),
                               of.request->ToString(),
                               name));
  }
}

void CheckType(std::string_view type, const Path& path, FieldErrors& errors) {
  FieldErrors shape(errors.release());
  CheckKeyShaped(type, path, shape);
  const bool is_shaped = shape.empty();
  errors.Append(std::move(shape));
  const bool is_known =
      type.contains('/') || type == "Pod" || type == "Container" || type == "PersistentVolumeClaim";
  if (is_shaped && !is_known) {
    errors.Invalid(path, Shown(type), "must be a standard limit type or fully qualified");
  }
}

void CheckItem(const LimitRangeItem& item, const Path& path, FieldErrors& errors) {
  const bool is_pod = item.type == "Pod";
  const bool is_of_containers = is_pod || item.type == "Container";
  std::set<std::string_view> names;
  const auto look = [&](const Amounts& amounts, std::string_view member) {
    const Path inside = path.Child(member);
    for (const auto& [name, amount] : amounts) {
      const Path at = inside.Key(name);
      is_of_containers ? CheckContainerName(name, at, errors) : CheckQuotaName(name, at, errors);
      names.insert(name);
    }
  };
  look(item.max, "max");
  look(item.min, "min");
  if (is_pod) {
    constexpr std::string_view kNot = "may not be specified when `type` is 'Pod'";
    if (!item.default_.empty()) errors.Forbidden(path.Child("default"), kNot);
    if (!item.default_request.empty()) errors.Forbidden(path.Child("defaultRequest"), kNot);
  } else {
    look(item.default_, "default");
    look(item.default_request, "defaultRequest");
  }
  const bool is_claim = item.type == "PersistentVolumeClaim";
  if (is_claim && !item.min.contains("storage") && !item.max.contains("storage")) {
    errors.Required(
        path.Child("limits"),
        "either minimum or maximum storage value is required, but neither was provided");
  }
  look(item.max_limit_request_ratio, "maxLimitRequestRatio");
  for (const std::string_view name : names) {
    const Named of{.min = In(item.min, name),
                   .max = In(item.max, name),
                   .limit = is_pod ? nullptr : In(item.default_, name),
                   .request = is_pod ? nullptr : In(item.default_request, name),
                   .ratio = In(item.max_limit_request_ratio, name)};
    CheckNamed(name, of, path, errors);
  }
}

}  // namespace

std::vector<ErrorCause> ValidateResourceQuota(const ResourceQuota& quota,
                                              const ResourceQuota* old) {
  FieldErrors errors;
  CheckAmounts(quota.spec.hard, Path("spec.hard"), errors);
  CheckScopes(quota.spec, Path("spec.scopes"), errors);
  CheckSelector(quota.spec, errors);
  if (old != nullptr) {
    const std::set<std::string> now(quota.spec.scopes.begin(), quota.spec.scopes.end());
    const std::set<std::string> before(old->spec.scopes.begin(), old->spec.scopes.end());
    if (now != before) {
      errors.Invalid(Path("spec.scopes"), ShownStruct(quota.spec.scopes), "field is immutable");
    }
  }
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateResourceQuotaStatus(const ResourceQuota& quota) {
  FieldErrors errors;
  CheckAmounts(quota.status.hard, Path("status.hard"), errors);
  CheckAmounts(quota.status.used, Path("status.used"), errors);
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateLimitRange(const LimitRange& range) {
  FieldErrors errors;
  const Path path("spec.limits");
  std::set<std::string_view> types;
  for (size_t i = 0; i < range.spec.limits.size() && !errors.is_full(); ++i) {
    const LimitRangeItem& item = range.spec.limits[i];
    const Path at = path.Index(i);
    CheckType(item.type, at.Child("type"), errors);
    if (!types.insert(item.type).second) errors.Duplicate(at.Child("type"), Shown(item.type));
    CheckItem(item, at, errors);
  }
  return std::move(errors).Take();
}

}  // namespace dray::api::validation::inline cluster
