// SPDX-License-Identifier: Apache-2.0
#include "api/validation/devices/claim_access.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dray::api::validation::inline devices {
namespace {

namespace v1 = resource_v1;

constexpr std::string_view kClaims = "resourceclaims";

// The text of the 403 a client gets for the question.
std::string RefusalText(const AccessQuestion& question,
                        const AccessRefusal& refusal,
                        std::string_view user) {
  const std::string what = question.name.empty() ? "" : fmt::format(" {}", Shown(question.name));
  const std::string where = question.namespace_.empty()
                                ? "at the cluster scope"
                                : fmt::format("in the namespace {}", Shown(question.namespace_));
  return fmt::format(
      "{0}.resource.k8s.io{1} is forbidden: User {2} cannot {3} resource \"{0}/{4}\" in API group "
      "\"resource.k8s.io\" {5}{6}{7}",
      question.resource,
      what,
      Shown(user),
      question.verb,
      question.subresource,
      where,
      refusal.reason.empty() ? "" : ": ",
      refusal.reason);
}

// The node of an allocation, if its selector is of the simplest form.
std::string_view NodeOf(const Maybe<v1::AllocationResult>& allocation) {
  if (!allocation.has_value() || !allocation->node_selector.has_value()) return {};
  const auto& terms = allocation->node_selector->node_selector_terms;
  if (terms.size() != 1 || !terms[0].match_expressions.empty()) return {};
  if (terms[0].match_fields.size() != 1) return {};
  const core_v1::NodeSelectorRequirement& field = terms[0].match_fields[0];
  const bool names_one =
      field.key == "metadata.name" && field.operator_ == "In" && field.values.size() == 1;
  return names_one ? std::string_view(field.values[0]) : std::string_view();
}

using DeviceKey =
    std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;
using Reports = std::map<DeviceKey, const v1::AllocatedDeviceStatus*>;

Reports ReportsIn(const std::vector<v1::AllocatedDeviceStatus>& devices) {
  Reports reports;
  for (const v1::AllocatedDeviceStatus& device : devices) {
    const std::string_view share_id =
        device.share_id.has_value() ? std::string_view(*device.share_id) : std::string_view();
    reports[{device.driver, device.pool, device.device, share_id}] = &device;
  }
  return reports;
}

// Drivers whose device status changed, sorted.
std::set<std::string_view> ChangedDrivers(const std::vector<v1::AllocatedDeviceStatus>& devices,
                                          const std::vector<v1::AllocatedDeviceStatus>& old) {
  const Reports now = ReportsIn(devices);
  const Reports before = ReportsIn(old);
  std::set<std::string_view> drivers;
  for (const auto& [key, report] : now) {
    const auto found = before.find(key);
    if (found == before.end() || *found->second != *report) drivers.insert(std::get<0>(key));
  }
  for (const auto& [key, report] : before) {
    if (!now.contains(key)) drivers.insert(std::get<0>(key));
  }
  return drivers;
}

void CheckBinding(const v1::ResourceClaim& claim,
                  const v1::ResourceClaim& old,
                  const Caller& caller,
                  FieldErrors& errors) {
  if (claim.status.allocation == old.status.allocation &&
      claim.status.reserved_for == old.status.reserved_for) {
    return;
  }
  const AccessQuestion question = {
      .verb = caller.verb, .resource = kClaims, .subresource = "binding"};
  const std::optional<AccessRefusal> refusal = caller.authorizer.Ask(question);
  if (!refusal.has_value()) return;
  errors.Forbidden(Path("status.allocation"),
                   fmt::format("changing status.allocation or status.reservedFor requires "
                               "resource=\"resourceclaims/binding\", verb=\"{}\" permission: {}",
                               caller.verb,
                               RefusalText(question, *refusal, caller.user)));
}

// A driver's pod on the node of the allocation needs less than one that may be anywhere.
void CheckDriver(std::string_view driver,
                 const v1::ResourceClaim& claim,
                 const Caller& caller,
                 FieldErrors& errors) {
  std::vector<std::string> verbs;
  const std::string_view node = NodeOf(claim.status.allocation);
  if (caller.is_service_account && !node.empty() && caller.node_name == node) {
    verbs.push_back("associated-node:" + caller.verb);
  }
  verbs.push_back("arbitrary-node:" + caller.verb);
  std::string last;
  for (const std::string& verb : verbs) {
    const AccessQuestion question = {.verb = verb,
                                     .resource = kClaims,
                                     .subresource = "driver",
                                     .namespace_ = claim.metadata.namespace_,
                                     .name = std::string(driver)};
    const std::optional<AccessRefusal> refusal = caller.authorizer.Ask(question);
    if (!refusal.has_value()) return;
    last = RefusalText(question, *refusal, caller.user);
  }
  errors.Forbidden(
      Path("status.devices"),
      fmt::format("changing status.devices requires resource=\"resourceclaims/driver\", "
                  "verb=\"[{}]\" permission: {}",
                  fmt::join(verbs, " "),
                  last));
}

}  // namespace

void CheckAccess(const v1::ResourceClaim& claim,
                 const v1::ResourceClaim& old,
                 const Options& options,
                 FieldErrors& errors) {
  if (options.caller == nullptr) return;
  if (!options.profile.Has(Gate::kGranularStatusAuthorization)) return;
  CheckBinding(claim, old, *options.caller, errors);
  for (const std::string_view driver : ChangedDrivers(claim.status.devices, old.status.devices)) {
    CheckDriver(driver, claim, *options.caller, errors);
  }
}

}  // namespace dray::api::validation::inline devices
