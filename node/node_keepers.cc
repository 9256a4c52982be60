// SPDX-License-Identifier: Apache-2.0
#include "node/node_keepers.h"

#include <algorithm>

namespace dray::node {
namespace {

api::Time After(api::Time time, std::chrono::seconds wait) {
  return api::Time::FromUnixSeconds(time.unix_seconds() + wait.count());
}

/// Clients may write any year; a time in the future counts as now.
std::optional<api::Time> HeartbeatOf(const api::core_v1::Node& node, api::Time now) {
  for (const auto& condition : node.status.conditions) {
    if (condition.type != "Ready" || condition.last_heartbeat_time.IsZero()) continue;
    return std::min(condition.last_heartbeat_time, now);
  }
  return std::nullopt;
}

}  // namespace

void NodeKeepers::SeeNode(const api::core_v1::Node& node, api::Time now) {
  Known& known = nodes_[node.metadata.name];
  if (!known.is_there) known.created = std::min(node.metadata.creation_timestamp, now);
  known.is_there = true;
  // One that is old already may be a copy's, from elsewhere.
  const std::optional<api::Time> heartbeat = HeartbeatOf(node, now);
  if (heartbeat.has_value() && After(*heartbeat, kSilence) > now) known.heartbeat = heartbeat;
}

void NodeKeepers::DropNode(std::string_view name) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return;
  found->second.is_there = false;
  found->second.heartbeat.reset();
  if (!found->second.renewal.has_value()) nodes_.erase(found);
}

void NodeKeepers::SeeLease(const api::coordination_v1::Lease& lease, api::Time now) {
  if (!lease.spec.renew_time.has_value()) return;
  Known& known = nodes_[lease.metadata.name];
  known.renewal =
      std::min(api::Time::FromUnixSeconds(lease.spec.renew_time->unix_micros() / 1'000'000), now);
  known.silence =
      std::max(kSilence, std::chrono::seconds(lease.spec.lease_duration_seconds.value_or(0)));
}

void NodeKeepers::DropLease(std::string_view name) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return;
  found->second.renewal.reset();
  if (!found->second.is_there) nodes_.erase(found);
}

NodeKeepers::Answer NodeKeepers::Of(std::string_view name, api::Time now) const {
  const auto found = nodes_.find(name);
  return found == nodes_.end() ? Answer() : Judge(found->second, now);
}

NodeKeepers::Abandoned NodeKeepers::AbandonedOf(
    const std::function<bool(std::string_view)>& is_ours, api::Time now) const {
  Abandoned abandoned;
  for (const auto& [name, known] : nodes_) {
    if (!known.is_there || is_ours(name) || Judge(known, now).keeper == Keeper::kAgent) continue;
    if (abandoned.count++ == 0) abandoned.example = name;
  }
  return abandoned;
}

NodeKeepers::Answer NodeKeepers::Judge(const Known& known, api::Time now) {
  if (!known.is_there) return {};
  const std::optional<api::Time> last = std::max(known.heartbeat, known.renewal);
  if (last.has_value()) {
    const api::Time silent_at = After(*last, known.silence);
    if (silent_at > now) return {.keeper = Keeper::kAgent, .ask_again = silent_at};
    return {.keeper = Keeper::kSilentAgent};
  }
  const api::Time decided_at = After(known.created, kPatience);
  if (decided_at > now) return {.keeper = Keeper::kMayCome, .ask_again = decided_at};
  return {.keeper = Keeper::kNobody};
}

}  // namespace dray::node
