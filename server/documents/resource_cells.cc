// SPDX-License-Identifier: Apache-2.0
#include "server/documents/resource_cells.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/conversion/conversion.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1alpha2.h"
#include "api/resource_v1alpha3.h"
#include "server/documents/human_duration.h"

namespace dray::server::documents {
namespace {

namespace classic = api::resource_v1alpha2;
namespace alpha3 = api::resource_v1alpha3;
namespace v1 = api::resource_v1;

std::string Json(std::string_view text) {
  std::string out;
  api::QuoteJson(text, out);
  return out;
}

// ----------------------------------------------------------------------------------------- claims

// A claim that a controller has allocated, in 1.31 and older, is given back when it is deleted.
bool IsGivenBack(const classic::ResourceClaim&) {
  return true;
}
bool IsGivenBack(const v1::ResourceClaim& claim) {
  return !claim.spec.controller.empty();
}

template <class Claim>
std::string StateOf(const Claim& claim) {
  std::string state;
  const auto add = [&](std::string_view word) {
    if (!state.empty()) state += ',';
    state += word;
  };
  const bool deleted = claim.metadata.deletion_timestamp.has_value();
  const bool allocated = claim.status.allocation.has_value();
  if (deleted) add("deleted");
  if (allocated) add("allocated");
  if (!deleted && !allocated) add("pending");
  const bool reserved = !claim.status.reserved_for.empty();
  if (reserved) add("reserved");
  const bool ends = deleted && !reserved && IsGivenBack(claim);
  if (allocated && (claim.status.deallocation_requested || ends)) add("deallocating");
  return state;
}

std::string ClaimState(const api::Object& hub) {
  if (const auto* claim = hub.If<classic::ResourceClaim>()) return Json(StateOf(*claim));
  if (const auto* claim = hub.If<v1::ResourceClaim>()) return Json(StateOf(*claim));
  return Json("");
}

// ------------------------------------------------------------------------------------- parameters

template <class Reference>  // which may be absent
std::string Shown(const Reference& reference) {
  if (!reference.has_value()) return Json("");
  return Json(fmt::format("{}.{} {}", reference->kind, reference->api_group, reference->name));
}

std::string GeneratedFrom(const api::Object& hub) {
  if (const auto* of = hub.If<classic::ResourceClaimParameters>()) return Shown(of->generated_from);
  if (const auto* of = hub.If<classic::ResourceClassParameters>()) return Shown(of->generated_from);
  return Json("");
}

// ------------------------------------------------------------------------------------ pool status

using Pools = api::Maybe<alpha3::ResourcePoolStatusRequestStatus>;

std::string Sum(const Pools& status, std::optional<int32_t> alpha3::PoolStatus::* member) {
  if (!status.has_value()) return Json("-");
  int64_t sum = 0;
  for (const alpha3::PoolStatus& pool : status->pools) sum += (pool.*member).value_or(0);
  return Json(fmt::format("{}", sum));
}

std::string Errors(const Pools& status) {
  if (!status.has_value()) return Json("-");
  const auto count = std::ranges::count_if(status->pools, [](const alpha3::PoolStatus& pool) {
    return pool.validation_error.has_value();
  });
  return Json(fmt::format("{}", count));
}

const api::meta_v1::Condition* Find(const Pools& status, std::string_view type) {
  if (!status.has_value()) return nullptr;
  const auto found = std::ranges::find_if(status->conditions, [&](const auto& condition) {
    return condition.type == type && condition.status == "True";
  });
  return found == status->conditions.end() ? nullptr : &*found;
}

std::string Progress(const Pools& status) {
  if (!status.has_value()) return Json("Pending");
  if (Find(status, "Failed") != nullptr) return Json("Failed");
  const int64_t all = status->pool_count.value_or(0);
  const auto shown = static_cast<int64_t>(status->pools.size());
  return Json(shown < all ? fmt::format("Complete ({}/{} pools)", shown, all) : "Complete");
}

std::string CompletedFor(const Pools& status, WallTime now) {
  const api::meta_v1::Condition* complete = Find(status, "Complete");
  if (complete == nullptr) return Json("<none>");
  const auto today = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  return Json(HumanDuration(today - complete->last_transition_time.unix_seconds()));
}

std::string PoolCell(std::string_view column, const Pools& status, WallTime now) {
  if (column == "total") return Sum(status, &alpha3::PoolStatus::total_devices);
  if (column == "available") return Sum(status, &alpha3::PoolStatus::available_devices);
  if (column == "allocated") return Sum(status, &alpha3::PoolStatus::allocated_devices);
  if (column == "unavailable") return Sum(status, &alpha3::PoolStatus::unavailable_devices);
  if (column == "errors") return Errors(status);
  if (column == "pools") {
    return fmt::format("{}", status.has_value() ? status->pool_count.value_or(0) : 0);
  }
  return column == "status" ? Progress(status) : CompletedFor(status, now);
}

constexpr std::string_view kPoolColumn = "pool-status-";

}  // namespace

std::optional<std::string> ResourceCell(std::string_view compute,
                                        const api::Object& object,
                                        WallTime now) {
  if (compute == "claim-state") return ClaimState(api::conversion::ToHub(object));
  if (compute == "generated-from") return GeneratedFrom(api::conversion::ToHub(object));
  if (!compute.starts_with(kPoolColumn)) return std::nullopt;
  const auto* request = object.If<alpha3::ResourcePoolStatusRequest>();
  if (request == nullptr) return std::nullopt;
  return PoolCell(compute.substr(kPoolColumn.size()), request->status, now);
}

}  // namespace dray::server::documents
