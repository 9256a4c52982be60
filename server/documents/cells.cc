// SPDX-License-Identifier: Apache-2.0
#include "server/documents/cells.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/at_path.h"
#include "api/codec/json.h"
#include "api/conversion/conversion.h"
#include "api/core_v1/event.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/pods/life.h"
#include "server/documents/cell_text.h"
#include "server/documents/cluster_cells.h"
#include "server/documents/control_cells.h"
#include "server/documents/resource_cells.h"
#include "server/documents/workload_cells.h"

namespace dray::server::documents {
namespace {

using api::core_v1::ContainerStatus;
using api::core_v1::Event;
using api::core_v1::Node;
using api::core_v1::Pod;

std::string PathCell(const api::Column& column, const api::Object& object, WallTime now) {
  const api::Found found = api::AtPath(object, column.path);
  // The wide columns of pods and nodes say <none>; elsewhere an empty text stays empty.
  const bool says_none = column.priority > 0 && object.kind().kind != "Event";
  const std::string_view absent = says_none ? kNone : std::string_view();
  if (found.value == nullptr) return JsonCell(column.type == "date" ? kUnknown : absent);
  if (found.type->kind == api::TypeKind::kTime) {
    return JsonCell(AgeText(*static_cast<const api::Time*>(found.value), now));
  }
  if (found.type->kind == api::TypeKind::kString) {
    const auto& text = *static_cast<const std::string*>(found.value);
    return JsonCell(text.empty() ? absent : text);
  }
  std::string out;
  api::EncodeJson(*found.type, found.value, out);
  return out;
}

// ------------------------------------------------------------------------------------------ pods

std::string Exit(const api::core_v1::ContainerStateTerminated& ended) {
  if (!ended.reason.empty()) return ended.reason;
  if (ended.signal != 0) return fmt::format("Signal:{}", ended.signal);
  return fmt::format("ExitCode:{}", ended.exit_code);
}

bool Restartable(const api::core_v1::Container& container) {
  return container.restart_policy == "Always";
}

// The init containers that keep running beside the others, by name; of several with one name the
// first counts.
std::set<std::string_view> SidecarsOf(const Pod& pod) {
  std::set<std::string_view> met;
  std::set<std::string_view> sidecars;
  for (const api::core_v1::Container& container : pod.spec.init_containers) {
    if (met.insert(container.name).second && Restartable(container))
      sidecars.insert(container.name);
  }
  return sidecars;
}

// The reason of the first init container that is not done; nothing if all are done.
std::optional<std::string> InitReason(const Pod& pod) {
  const auto& containers = pod.spec.init_containers;
  const auto& statuses = pod.status.init_container_statuses;
  const std::set<std::string_view> sidecars = SidecarsOf(pod);
  for (size_t i = 0; i < statuses.size(); ++i) {
    const ContainerStatus& status = statuses[i];
    const bool sidecar = sidecars.contains(status.name);
    const auto& state = status.state;
    if (state.terminated && state.terminated->exit_code == 0) continue;
    if (sidecar && status.started.value_or(false)) continue;
    if (state.terminated) return "Init:" + Exit(*state.terminated);
    if (state.waiting && !state.waiting->reason.empty() &&
        state.waiting->reason != "PodInitializing") {
      return "Init:" + state.waiting->reason;
    }
    return fmt::format("Init:{}/{}", i, containers.size());
  }
  return std::nullopt;
}

bool PodIsReady(const Pod& pod) {
  return std::ranges::any_of(pod.status.conditions, [](const auto& condition) {
    return condition.type == "Ready" && condition.status == "True";
  });
}

// The reason of the last container that waits or has ended.
std::string ContainerReason(const Pod& pod, std::string reason) {
  bool running = false;
  const auto& statuses = pod.status.container_statuses;
  for (const auto& status : std::views::reverse(statuses)) {
    const auto& state = status.state;
    if (state.waiting && !state.waiting->reason.empty()) {
      reason = state.waiting->reason;
    } else if (state.terminated) {
      reason = Exit(*state.terminated);
    } else if (status.ready && state.running) {
      running = true;
    }
  }
  if (reason == "Completed" && running) reason = PodIsReady(pod) ? "Running" : "NotReady";
  return reason;
}

std::string PodStatus(const Pod& pod) {
  std::string reason = pod.status.reason.empty() ? pod.status.phase : pod.status.reason;
  for (const auto& condition : pod.status.conditions) {
    if (condition.type == "PodScheduled" && condition.reason == "SchedulingGated") {
      reason = "SchedulingGated";
    }
  }
  const auto init = InitReason(pod);
  reason = init ? *init : ContainerReason(pod, std::move(reason));
  if (pod.metadata.deletion_timestamp) {
    if (pod.status.reason == "NodeLost") return "Unknown";
    if (!api::pods::HasEnded(pod)) return "Terminating";
  }
  return reason;
}

std::string PodReady(const Pod& pod) {
  size_t total = pod.spec.containers.size();
  size_t ready = 0;
  for (const auto& container : pod.spec.init_containers) total += Restartable(container) ? 1 : 0;
  for (const ContainerStatus& status : pod.status.container_statuses) {
    if (status.ready && status.state.running) ++ready;
  }
  const std::set<std::string_view> sidecars = SidecarsOf(pod);
  for (const ContainerStatus& status : pod.status.init_container_statuses) {
    if (status.ready && sidecars.contains(status.name)) ++ready;
  }
  return fmt::format("{}/{}", ready, total);
}

std::string PodRestarts(const Pod& pod, WallTime now) {
  int64_t restarts = 0;
  api::Time last;
  for (const ContainerStatus& status : pod.status.container_statuses) {
    restarts += status.restart_count;
    const auto& ended = status.last_state.terminated;
    if (ended) last = std::max(last, ended->finished_at);
  }
  if (restarts == 0 || last.IsZero()) return fmt::format("{}", restarts);
  return fmt::format("{} ({} ago)", restarts, AgeText(last, now));
}

std::string ReadinessGates(const Pod& pod) {
  const auto& gates = pod.spec.readiness_gates;
  if (gates.empty()) return std::string(kNone);
  std::set<std::string_view> true_types;
  for (const auto& condition : pod.status.conditions) {
    if (condition.status == "True") true_types.insert(condition.type);
  }
  const auto true_ones = std::ranges::count_if(
      gates, [&](const auto& gate) { return true_types.contains(gate.condition_type); });
  return fmt::format("{}/{}", true_ones, gates.size());
}

// ----------------------------------------------------------------------------------------- nodes

std::string NodeStatus(const Node& node) {
  std::string status = "Unknown";
  for (const auto& condition : node.status.conditions) {
    if (condition.type == "Ready") status = condition.status == "True" ? "Ready" : "NotReady";
  }
  if (node.spec.unschedulable) status += ",SchedulingDisabled";
  return status;
}

std::string NodeRoles(const Node& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::vector<std::string> roles;
  for (const auto& [label, value] : node.metadata.labels) {
    if (label.size() > kPrefix.size() && label.starts_with(kPrefix)) {
      roles.push_back(label.substr(kPrefix.size()));
    }
    if (label == "kubernetes.io/role" && !value.empty()) roles.push_back(value);
  }
  std::ranges::sort(roles);
  roles.erase(std::ranges::unique(roles).begin(), roles.end());
  if (roles.empty()) return std::string(kNone);
  return fmt::format("{}", fmt::join(roles, ","));
}

std::string AddressOf(const Node& node, std::string_view type) {
  for (const auto& address : node.status.addresses) {
    if (address.type == type) return address.address;
  }
  return std::string(kNone);
}

std::string InternalIp(const Node& node) {
  return AddressOf(node, "InternalIP");
}

std::string ExternalIp(const Node& node) {
  return AddressOf(node, "ExternalIP");
}

std::string OsImage(const Node& node) {
  return TextOr(node.status.node_info.os_image, kUnknown);
}

std::string KernelVersion(const Node& node) {
  return TextOr(node.status.node_info.kernel_version, kUnknown);
}

std::string RuntimeVersion(const Node& node) {
  return TextOr(node.status.node_info.container_runtime_version, kUnknown);
}

// ---------------------------------------------------------------------------------------- events

std::string Micro(api::MicroTime time, WallTime now) {
  if (time.IsZero()) return std::string(kUnknown);
  return AgeText(api::Time::FromUnixSeconds(time.unix_micros() / 1'000'000), now);
}

std::string FirstSeen(const Event& event, WallTime now) {
  if (!event.first_timestamp.IsZero()) return AgeText(event.first_timestamp, now);
  return Micro(event.event_time, now);
}

std::string LastSeen(const Event& event, WallTime now) {
  std::string last =
      event.last_timestamp.IsZero() ? FirstSeen(event, now) : AgeText(event.last_timestamp, now);
  if (event.series) return Micro(event.series->last_observed_time, now);
  return last;
}

std::string EventCount(const Event& event) {
  if (event.series) return fmt::format("{}", event.series->count);
  return fmt::format("{}", event.count == 0 ? 1 : event.count);
}

std::string EventObject(const Event& event) {
  std::string kind = event.involved_object.kind;
  for (char& c : kind) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (event.involved_object.name.empty()) return kind;
  return kind + "/" + event.involved_object.name;
}

std::string EventSource(const Event& event) {
  const std::string component =
      event.source.component.empty() ? event.reporting_component : event.source.component;
  const std::string& host =
      event.source.host.empty() ? event.reporting_instance : event.source.host;
  return host.empty() ? component : component + ", " + host;
}

// ----------------------------------------------------------------------------------------- table

struct NamedCell {
  std::string_view name;
  std::string (*cell)(const api::Object& object, WallTime now);
  bool is_number = false;  // else a text
};

// A cell function of the hub's struct as one of objects of all versions.
template <class T, auto kCell>
std::string Of(const api::Object& object, WallTime now) {
  const api::Object hub = api::conversion::ToHub(object);
  const T* value = hub.If<T>();
  if (value == nullptr) return {};
  if constexpr (std::is_invocable_v<decltype(kCell), const T&, WallTime>) {
    return kCell(*value, now);
  } else {
    return kCell(*value);
  }
}

std::string CreatedAt(const api::Object& object, WallTime) {
  return object.metadata().creation_timestamp.ToString();
}

constexpr NamedCell kOwnCells[] = {
    {"created-at", CreatedAt},
    {"node-status", Of<Node, NodeStatus>},
    {"node-roles", Of<Node, NodeRoles>},
    {"node-internal-ip", Of<Node, InternalIp>},
    {"node-external-ip", Of<Node, ExternalIp>},
    {"node-os-image", Of<Node, OsImage>},
    {"node-kernel-version", Of<Node, KernelVersion>},
    {"node-runtime-version", Of<Node, RuntimeVersion>},
    {"pod-ready", Of<Pod, PodReady>},
    {"pod-status", Of<Pod, PodStatus>},
    {"pod-restarts", Of<Pod, PodRestarts>},
    {"pod-readiness-gates", Of<Pod, ReadinessGates>},
    {"event-last-seen", Of<Event, LastSeen>},
    {"event-first-seen", Of<Event, FirstSeen>},
    {"event-object", Of<Event, EventObject>},
    {"event-source", Of<Event, EventSource>},
    {.name = "event-count", .cell = Of<Event, EventCount>, .is_number = true},
};

}  // namespace

std::string CellJson(const api::Column& column, const api::Object& object, WallTime now) {
  for (const NamedCell& computed : kOwnCells) {
    if (!column.compute.empty() && computed.name == column.compute) {
      std::string text = computed.cell(object, now);
      return computed.is_number ? text : JsonCell(text);
    }
  }
  if (const auto cell = ResourceCell(column.compute, object, now)) return *cell;
  if (const auto cell = WorkloadCell(column.compute, object, now)) return *cell;
  if (const auto cell = ClusterCell(column.compute, object)) return *cell;
  if (const auto cell = ControlCell(column.compute, object)) return *cell;
  return column.path.empty() ? "null" : PathCell(column, object, now);
}

}  // namespace dray::server::documents
