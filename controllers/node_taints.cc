// SPDX-License-Identifier: Apache-2.0
#include "controllers/node_taints.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/try.h"
#include "client/loop.h"
#include "client/read_modify_write.h"
#include "controllers/key_loop.h"

namespace dray::controllers {
namespace {

using api::core_v1::Node;
using api::core_v1::Taint;

// Keys handled before the informer is polled again.
constexpr std::string_view kNoSchedule = "NoSchedule";

struct Trouble {
  std::string_view condition, status, taint;
};
constexpr std::array kTroubles = {
    Trouble{"Ready", "False", "node.kubernetes.io/not-ready"},
    Trouble{"Ready", "Unknown", "node.kubernetes.io/unreachable"},
    Trouble{"MemoryPressure", "True", "node.kubernetes.io/memory-pressure"},
    Trouble{"DiskPressure", "True", "node.kubernetes.io/disk-pressure"},
    Trouble{"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"},
    Trouble{"PIDPressure", "True", "node.kubernetes.io/pid-pressure"}};

bool IsOurs(const Taint& taint) {
  return taint.effect == kNoSchedule &&
         std::ranges::count(kTroubles, taint.key, &Trouble::taint) > 0;
}

bool HasCondition(const Node& node, const Trouble& trouble) {
  return std::ranges::any_of(node.status.conditions, [&](const auto& condition) {
    return condition.type == trouble.condition && condition.status == trouble.status;
  });
}

}  // namespace

api::List<Taint> NeededTaints(const Node& node) {
  api::List<Taint> taints;
  const auto needs = [&](std::string_view key) {
    return std::ranges::any_of(
        kTroubles, [&](const Trouble& one) { return one.taint == key && HasCondition(node, one); });
  };
  for (const Taint& taint : node.spec.taints) {
    if (!IsOurs(taint) || needs(taint.key)) taints.push_back(taint);
  }
  const auto add = [&](std::string_view key) {
    const bool is_there = std::ranges::any_of(
        taints, [&](const Taint& taint) { return taint.key == key && IsOurs(taint); });
    if (!is_there && needs(key)) {
      taints.push_back({.key = std::string(key), .effect = std::string(kNoSchedule)});
    }
  };
  for (const Trouble& trouble : kTroubles) add(trouble.taint);
  return taints;
}

NodeTaints::NodeTaints(client::Client& client,
                       World& world,
                       client::SharedInformers& informers,
                       Log log)
    : client_(client),
      keys_({.clock = world.clock,
             .log = std::move(log),
             .failed = "a node keeps its taints for now"}),
      nodes_(informers.Of(api::Reflected<Node>::kKind)) {
  nodes_.OnChange([this](auto*, auto* after) {
    if (after == nullptr) return;
    const Node& node = after->template As<Node>();
    if (NeededTaints(node) != node.spec.taints) Enqueue(api::ObjectKey(after->metadata()));
  });
}

std::optional<MonotonicTime> NodeTaints::Step() {
  const std::optional<MonotonicTime> next = nodes_.Step();
  if (!nodes_.synced()) return next;
  if (keys_.MustStartOver()) {
    for (const auto& [key, node] : nodes_.objects()) Enqueue(key);
  }
  keys_.Handle([this](const std::string& key) { return Sync(key); });
  return client::Earlier(next, keys_.Next());
}

void NodeTaints::Enqueue(const std::string& key) {
  keys_.Add(key);
}

Result<> NodeTaints::Sync(std::string_view key) {
  const api::Object* found = nodes_.Find(key);
  if (found == nullptr) return {};
  const api::Object node = *found;
  DRAY_TRY_VOID(
      client::ReadModifyWrite(client_, node, {}, [](api::Object& copy) -> Result<client::Change> {
        api::List<Taint> wanted = NeededTaints(copy.As<Node>());
        if (wanted == copy.As<Node>().spec.taints) return client::Change::kNothing;
        copy.Mutable<Node>().spec.taints = std::move(wanted);
        return client::Change::kWrite;
      }));
  return {};
}

}  // namespace dray::controllers
