// SPDX-License-Identifier: Apache-2.0
#include "server/registry/served_kinds.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/custom_kind.h"
#include "base/try.h"

namespace dray::server::registry {
namespace {

// Kinds that exist only while a gate is on.
struct GatedKind {
  std::string_view group, kind;
  api::Gate gate;
};
constexpr GatedKind kGatedKinds[] = {
    {"resource.k8s.io", "DeviceTaintRule", api::Gate::kDeviceTaintRules},
    {"resource.k8s.io", "ResourcePoolStatusRequest", api::Gate::kResourcePoolStatus},
};

// Releases with the subresource "resize" of pods.
constexpr api::Releases kHasResize = {.first = 33, .last = 255};

bool IsGatedOff(const api::KindInfo& kind, const Emulation& emulation) {
  const api::FeatureGates& gates = emulation.gates;
  if (kind.group == "scheduling.k8s.io" && kind.kind != "PriorityClass") {
    return !gates.Has(api::Gate::kGenericWorkload);
  }
  if (kind.group != "resource.k8s.io") return false;
  // Up to 1.34 the gate of taints also enabled taint rules.
  const bool old_rules = emulation.release != api::Release::kAny &&
                         api::MinorOf(emulation.release) < 35 && kind.kind == "DeviceTaintRule";
  if (old_rules) return !gates.Has(api::Gate::kDeviceTaints);
  for (const GatedKind& gated : kGatedKinds) {
    if (gated.kind == kind.kind && gated.group == kind.group) return !gates.Has(gated.gate);
  }
  if (emulation.release == api::Release::k1_31 && kind.kind == "PodSchedulingContext") {
    return !gates.Has(api::Gate::kControlPlaneController);
  }
  return !gates.Has(api::Gate::kDynamicResourceAllocation);
}

// The values of --runtime-config by key.
using Switches = std::map<std::string, bool, std::less<>>;

Result<Switches> ParseSwitches(std::string_view text) {
  Switches switches;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view one = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (one.empty()) continue;
    const size_t equals = one.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? "true" : one.substr(equals + 1);
    if (value != "true" && value != "false") {
      return Fail(StatusReason::kInvalid,
                  fmt::format("invalid value {}: expected KEY=true or KEY=false", one));
    }
    switches.insert_or_assign(std::string(one.substr(0, equals)), value == "true");
  }
  return switches;
}

std::string_view StageOf(const api::KindInfo& kind) {
  if (kind.version.contains("alpha")) return "api/alpha";
  return kind.version.contains("beta") ? "api/beta" : "api/ga";
}

std::vector<std::string> KeysOf(const api::KindInfo& kind) {
  const std::string version(kind.api_version);
  return {
      "api/all", std::string(StageOf(kind)), version, fmt::format("{}/{}", version, kind.plural)};
}

/// Upstream has new beta versions off by default since 1.24; flowcontrol's are older.
bool IsOnByDefault(const api::KindInfo& kind, Previews previews) {
  if (previews == Previews::kAll || kind.group == "resource.k8s.io") return true;
  const std::string_view stage = StageOf(kind);
  return stage == "api/ga" || (stage == "api/beta" && kind.group == "flowcontrol.apiserver.k8s.io");
}

bool IsOn(const api::KindInfo& kind, const Switches& switches, Previews previews) {
  bool on = IsOnByDefault(kind, previews);
  for (const std::string& key : KeysOf(kind)) {
    const auto found = switches.find(key);
    if (found != switches.end()) on = found->second;
  }
  return on;
}

Result<> CheckKeys(const Switches& switches, const std::vector<const api::KindInfo*>& kinds) {
  for (const auto& [key, on] : switches) {
    const bool known = key.starts_with("api/") && std::ranges::count(key, '/') == 1
                           ? key == "api/all" || key == "api/ga" || key == "api/beta" ||
                                 key == "api/alpha" || key == "api/v1"
                           : std::ranges::any_of(kinds, [&](const api::KindInfo* kind) {
                               const std::vector<std::string> keys = KeysOf(*kind);
                               return kind->served && std::ranges::find(keys, key) != keys.end();
                             });
    if (!known) {
      return Fail(StatusReason::kInvalid,
                  fmt::format("{}: no such API; expected api/all, api/ga, api/beta, api/alpha, "
                              "GROUP/VERSION or GROUP/VERSION/RESOURCE",
                              key));
    }
    if (!on && (key == "v1" || key == "api/v1")) {
      return Fail(StatusReason::kInvalid, "v1=false: nothing works without the core group");
    }
  }
  return {};
}

}  // namespace

Result<std::vector<const api::KindInfo*>> ServedKinds(const api::Scheme& scheme,
                                                      const Emulation& emulation) {
  std::vector<const api::KindInfo*> there;
  for (const api::KindInfo* kind : scheme.kinds()) {
    if (kind->in.Has(emulation.release)) there.push_back(kind);
  }
  DRAY_TRY(const Switches switches, ParseSwitches(emulation.runtime_config));
  DRAY_TRY_VOID(CheckKeys(switches, there));
  std::erase_if(there, [&](const api::KindInfo* kind) {
    if (!kind->served) return false;
    return IsGatedOff(*kind, emulation) ||
           (!kind->group.empty() && !IsOn(*kind, switches, emulation.previews));
  });
  return there;
}

bool HasSubresource(const api::KindInfo& kind, std::string_view name, api::Release release) {
  if (name == "status") return kind.has_status && kind.status_in.Has(release);
  if (name == "resize" && !kHasResize.Has(release)) return false;
  return std::ranges::find(kind.subresources, name) != kind.subresources.end();
}

std::string DeprecationWarning(const api::KindInfo& kind, api::Release release) {
  if (const api::CustomKind* custom = api::CustomOf(kind); custom != nullptr) {
    return custom->deprecation;
  }
  const int now = api::MinorOf(release == api::Release::kAny ? api::Release::kNewest : release);
  if (kind.deprecated_in == 0 || now < kind.deprecated_in) return {};
  std::string text =
      fmt::format("{} {} is deprecated in v1.{}+", kind.api_version, kind.kind, kind.deprecated_in);
  if (kind.removed_in != 0) text += fmt::format(", unavailable in v1.{}+", kind.removed_in);
  if (kind.kind == "Endpoints") text += "; use discovery.k8s.io/v1 EndpointSlice";
  return text;
}

}  // namespace dray::server::registry
