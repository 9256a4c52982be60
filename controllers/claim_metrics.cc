// SPDX-License-Identifier: Apache-2.0
#include "controllers/claim_metrics.h"

#include <algorithm>

#include "api/claims/either_claim.h"
#include "api/claims/extended_claim.h"
#include "api/resource_v1/claim.h"
#include "controllers/claim_generation.h"

namespace dray::controllers {
namespace {

using metrics::Description;

constexpr Description kCreated{.name = "dynamic_resource_allocation_resourceclaim_creates_total",
                               .help = "Claims that were to be made from templates."};
constexpr Description kCreatedBefore{.name = "resourceclaim_controller_creates_total",
                                     .help = "The same by its name before 1.37."};
constexpr Description kClaimsGauge{.name = "dynamic_resource_allocation_resource_claims",
                                   .help = "Claims that there are."};
constexpr Description kClaimsBefore{.name = "resourceclaim_controller_resource_claims",
                                    .help = "The same by its name before 1.37."};

std::string Word(bool truth) {
  return truth ? "true" : "false";
}

bool HasAdminAccess(const api::Object& claim) {
  if (api::claims::IsClassic(claim)) return false;
  const auto& spec = claim.As<api::resource_v1::ResourceClaim>().spec;
  return std::ranges::any_of(spec.devices.requests, [](const auto& request) {
    return request.exactly && request.exactly->admin_access.value_or(false);
  });
}

std::string_view SourceOf(const api::meta_v1::ObjectMeta& claim) {
  if (claim.annotations.contains(kPodClaimNameAnnotation)) return "resource_claim_template";
  if (claim.annotations.contains(api::claims::kExtendedClaimAnnotation)) return "extended_resource";
  return "";
}

}  // namespace

void ClaimMetrics::CountCreation(const api::Object& claim,
                                 std::string_view owner_kind,
                                 bool is_written) {
  metrics::Labels labels = {{"status", is_written ? "success" : "failure"},
                            {"admin_access", Word(HasAdminAccess(claim))}};
  registry_.CounterOf(kCreatedBefore, labels).Add();
  labels.emplace_back("owner_api_group", owner_kind == "Pod" ? "" : "scheduling.k8s.io");
  labels.emplace_back("owner_api_kind", owner_kind);
  registry_.CounterOf(kCreated, labels).Add();
}

void ClaimMetrics::CountChange(const api::Object* before, const api::Object* after) {
  const bool is_same = before != nullptr && after != nullptr && SortOf(*before) == SortOf(*after);
  if (is_same) return;
  if (before != nullptr) Change(SortOf(*before), -1);
  if (after != nullptr) Change(SortOf(*after), 1);
}

ClaimMetrics::Sort ClaimMetrics::SortOf(const api::Object& claim) {
  const bool is_allocated = api::claims::VisitClaim(
      claim, [](const auto& value) { return value.status.allocation.has_value(); });
  return {is_allocated, HasAdminAccess(claim), SourceOf(claim.metadata())};
}

void ClaimMetrics::Change(const Sort& sort, int by) {
  auto found = counts_.find(sort);
  if (found == counts_.end()) {
    const auto& [is_allocated, has_admin_access, source] = sort;
    const metrics::Labels labels = {{"allocated", Word(is_allocated)},
                                    {"admin_access", Word(has_admin_access)},
                                    {"source", std::string(source)}};
    found = counts_
                .emplace(sort,
                         Count{.now = registry_.GaugeOf(kClaimsGauge, labels),
                               .before = registry_.GaugeOf(kClaimsBefore, labels)})
                .first;
  }
  Count& count = found->second;
  count.claims += static_cast<size_t>(by);
  count.now.Set(static_cast<double>(count.claims));
  count.before.Set(static_cast<double>(count.claims));
}

}  // namespace dray::controllers
