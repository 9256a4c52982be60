// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/chain.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/try.h"
#include "server/verbs/admission/always_deny.h"
#include "server/verbs/admission/certificates.h"
#include "server/verbs/admission/claim_growth.h"
#include "server/verbs/admission/default_class.h"
#include "server/verbs/admission/deny_external_ips.h"
#include "server/verbs/admission/in_use_protection.h"
#include "server/verbs/admission/limit_ranger.h"
#include "server/verbs/admission/mutating_policies.h"
#include "server/verbs/admission/mutating_webhooks.h"
#include "server/verbs/admission/namespace_lifecycle.h"
#include "server/verbs/admission/node_declared_features.h"
#include "server/verbs/admission/node_restriction.h"
#include "server/verbs/admission/owner_references.h"
#include "server/verbs/admission/plugin_set.h"
#include "server/verbs/admission/pods/always_pull_images.h"
#include "server/verbs/admission/pods/default_toleration_seconds.h"
#include "server/verbs/admission/pods/extended_resource_toleration.h"
#include "server/verbs/admission/pods/hard_anti_affinity.h"
#include "server/verbs/admission/pods/pod_resize.h"
#include "server/verbs/admission/pods/pod_security.h"
#include "server/verbs/admission/pods/runtime_class.h"
#include "server/verbs/admission/priority.h"
#include "server/verbs/admission/resource_quota.h"
#include "server/verbs/admission/service_account.h"
#include "server/verbs/admission/taint_nodes.h"
#include "server/verbs/admission/topology_labels.h"
#include "server/verbs/admission/validating_policies.h"
#include "server/verbs/admission/validating_webhooks.h"

namespace dray::server::verbs::admission {
namespace {

constexpr uint8_t kWrites = kCreates | kUpdates;
constexpr uint8_t kAll = kCreates | kUpdates | kDeletions | kConnections;
constexpr bool kUsual = true;

/// A plugin that Dray is not built with; none of these is on by default.
constexpr Plugin Missing(std::string_view name) {
  return {.name = name, .built = Plugin::Built::kNo};
}

/// A plugin whose behaviour the server always has, whether the plugin is on or off.
constexpr Plugin AlwaysSo(std::string_view name) {
  return {.name = name, .built = Plugin::Built::kAlwaysSo};
}

// kube-apiserver's order (1.37, AllOrderedPlugins): the client gets the error of the first plugin
// that refuses.
constexpr std::array kChain = {
    AlwaysSo("AlwaysAdmit"),
    Missing("NamespaceAutoProvision"),
    Plugin{.name = "NamespaceLifecycle",
           .is_usual = kUsual,
           .operations = kCreates | kDeletions,
           .admit = AdmitToNamespace},
    AlwaysSo("NamespaceExists"),
    Plugin{.name = "LimitPodHardAntiAffinityTopology",
           .operations = kWrites,
           .validate = CheckHardAntiAffinity},
    Plugin{.name = "LimitRanger",
           .is_usual = kUsual,
           .operations = kWrites,
           .admit = FillInLimits,
           .validate = CheckLimits},
    Plugin{.name = kServiceAccountPlugin,
           .is_usual = kUsual,
           .operations = kCreates,
           .admit = GiveAccount},
    Plugin{.name = "NodeRestriction", .operations = kAll, .admit = CheckNode},
    Plugin{.name = kTaintNodesPlugin,
           .is_usual = kUsual,
           .operations = kCreates,
           .admit = TaintNewNode},
    Plugin{.name = "AlwaysPullImages", .operations = kWrites, .admit = AlwaysPull},
    Missing("ImagePolicyWebhook"),
    Plugin{.name = "PodSecurity",
           .is_usual = kUsual,
           .operations = kWrites,
           .validate = CheckPodSecurity},
    Missing("PodNodeSelector"),
    Plugin{.name = "Priority",
           .is_usual = kUsual,
           .operations = kWrites,
           .admit = GivePriority,
           .validate = CheckDefaultClass},
    Plugin{.name = "DefaultTolerationSeconds",
           .is_usual = kUsual,
           .operations = kWrites,
           .admit = TolerateTroubles},
    Missing("PodTolerationRestriction"),
    Missing("EventRateLimit"),
    Plugin{.name = "ExtendedResourceToleration",
           .operations = kWrites,
           .admit = TolerateExtendedResources},
    Plugin{.name = "DefaultStorageClass",
           .is_usual = kUsual,
           .operations = kCreates,
           .admit = GiveStorageClass},
    Plugin{.name = kStorageProtectionPlugin,
           .is_usual = kUsual,
           .operations = kCreates,
           .admit = ProtectStorage},
    Plugin{.name = kPodGroupProtectionPlugin,
           .is_usual = kUsual,
           .operations = kCreates,
           .admit = ProtectPodGroup},
    Plugin{.name = "OwnerReferencesPermissionEnforcement",
           .operations = kWrites,
           .validate = CheckOwnerReferences},
    Plugin{.name = "PersistentVolumeClaimResize",
           .is_usual = kUsual,
           .operations = kUpdates,
           .validate = CheckClaimGrowth},
    Plugin{.name = "RuntimeClass",
           .is_usual = kUsual,
           .operations = kCreates,
           .admit = ApplyRuntimeClass,
           .validate = CheckOverhead},
    Plugin{.name = "CertificateApproval",
           .is_usual = kUsual,
           .operations = kUpdates,
           .validate = CheckApproval},
    Plugin{.name = "CertificateSigning",
           .is_usual = kUsual,
           .operations = kUpdates,
           .validate = CheckSigning},
    Plugin{.name = "ClusterTrustBundleAttest",
           .is_usual = kUsual,
           .operations = kWrites,
           .validate = CheckAttestation},
    Plugin{.name = "CertificateSubjectRestriction",
           .is_usual = kUsual,
           .operations = kCreates,
           .validate = CheckSubject},
    Plugin{.name = "DefaultIngressClass",
           .is_usual = kUsual,
           .operations = kCreates,
           .admit = GiveIngressClass},
    Plugin{.name = "DenyServiceExternalIPs", .operations = kWrites, .validate = CheckExternalIps},
    Plugin{.name = "PodTopologyLabels",
           .is_usual = kUsual,
           .operations = kCreates,
           .admit = CopyTopologyLabels},
    Plugin{.name = "NodeDeclaredFeatureValidator",
           .is_usual = kUsual,
           .operations = kWrites,
           .validate = CheckDeclaredFeatures},
    Plugin{.name = "PodResizeValidator",
           .is_usual = kUsual,
           .operations = kUpdates,
           .validate = CheckPodResize},
    Plugin{.name = "MutatingAdmissionPolicy",
           .is_usual = kUsual,
           .operations = kCreates | kUpdates | kConnections,
           .admit_in_rounds = ApplyPolicies,
           .admit_later = ApplyPoliciesToVersions,
           .is_asking = MayConvertForMutation},
    Plugin{.name = "MutatingAdmissionWebhook",
           .is_usual = kUsual,
           .operations = kAll,
           .admit_later = AskMutatingWebhooks,
           .is_asking = HasMutatingWebhooks},
    Plugin{.name = "ValidatingAdmissionPolicy",
           .is_usual = kUsual,
           .operations = kCreates | kUpdates | kDeletions,
           .validate = AskPolicies,
           .validate_later = AskPoliciesOfVersions,
           .is_asking = MayConvertForPolicies},
    Plugin{.name = "ValidatingAdmissionWebhook",
           .is_usual = kUsual,
           .operations = kAll,
           .validate_later = AskValidatingWebhooks,
           .is_asking = HasValidatingWebhooks},
    Plugin{.name = "ResourceQuota",
           .is_usual = kUsual,
           .operations = kCreates,
           .validate = ChargeQuotas},
    Plugin{.name = "AlwaysDeny", .operations = kAll, .admit = DenyAlways},
};
static_assert(kChain.size() <= 64);  // PluginSet

uint8_t BitOf(policies::Operation operation) {
  switch (operation) {
    case policies::Operation::kCreate: return kCreates;
    case policies::Operation::kUpdate: return kUpdates;
    case policies::Operation::kDelete: return kDeletions;
    case policies::Operation::kConnect: return kConnections;
  }
  return 0;
}

bool IsOn(size_t index, const Call& call, const Write& write) {
  return (kChain[index].operations & BitOf(write.operation)) != 0 &&
         call.core->options.plugins.HasAt(index);
}

/// Calls ask(row) for each plugin that is on and handles the operation, up to the first refusal.
template <class Ask>
Result<> EachThatIsOn(const Call& call, const Write& write, const Ask& ask) {
  if (call.is_admitted) return {};
  for (size_t i = 0; i < kChain.size(); ++i) {
    if (IsOn(i, call, write)) DRAY_TRY_VOID(ask(kChain[i]));
  }
  return {};
}

using Later = Plugin::AskLater Plugin::*;

/// Whether one of the plugins will wait for other servers.
bool IsWaiting(const Call& call, const store::Snapshot& snapshot, const Write& write, Later later) {
  if (call.is_admitted) return false;
  for (size_t i = 0; i < kChain.size(); ++i) {
    const Plugin& plugin = kChain[i];
    if (plugin.*later == nullptr || !IsOn(i, call, write)) continue;
    if (plugin.is_asking(call, snapshot)) return true;
  }
  return false;
}

/// Runs the plugins in order; `now` runs those that do not wait.
template <class Now>
Task<> EachInTurn(Passage* passage, Later later, Now now) {
  const Call& call = *passage->call;
  for (size_t i = 0; i < kChain.size(); ++i) {
    const Plugin& plugin = kChain[i];
    if (!IsOn(i, call, *passage->write)) continue;
    const bool waits = plugin.*later != nullptr && plugin.is_asking(call, *passage->snapshot);
    if (!waits) {
      DRAY_CO_TRY_VOID(now(plugin, *passage));
    } else {
      DRAY_CO_TRY_VOID(co_await (plugin.*later)(passage));
      // The store may have changed during the wait: later plugins need a new snapshot.
      DRAY_CO_TRY(passage->snapshot, co_await call.session->ReadNewest());
    }
  }
  co_return {};
}

Result<> AdmitNow(const Plugin& plugin, Passage& passage) {
  if (plugin.admit_in_rounds != nullptr) return plugin.admit_in_rounds(passage);
  if (plugin.admit == nullptr) return {};
  return plugin.admit(*passage.call, *passage.snapshot, *passage.write, passage.object);
}

Result<> ValidateNow(const Plugin& plugin, const Passage& passage) {
  if (plugin.validate == nullptr) return {};
  return plugin.validate(*passage.call, *passage.snapshot, *passage.write);
}

// Where nothing waits.
Result<> AdmitAtOnce(Passage passage) {
  const auto ask = [&](const Plugin& plugin) { return AdmitNow(plugin, passage); };
  DRAY_TRY_VOID(EachThatIsOn(*passage.call, *passage.write, ask));
  if (!passage.rounds.wants_second) return {};
  passage.rounds.is_second = true;
  return EachThatIsOn(*passage.call, *passage.write, ask);
}

Task<> AdmitInRounds(Passage passage) {
  DRAY_CO_TRY_VOID(co_await EachInTurn(&passage, &Plugin::admit_later, AdmitNow));
  if (!passage.rounds.wants_second) co_return {};
  passage.rounds.is_second = true;
  co_return co_await EachInTurn(&passage, &Plugin::admit_later, AdmitNow);
}

Task<> ValidateInTurn(Passage passage) {
  co_return co_await EachInTurn(&passage, &Plugin::validate_later, ValidateNow);
}

/// The place of the plugin in the chain; kChain.size() if the name is unknown.
size_t PlaceOf(std::string_view name) {
  return static_cast<size_t>(std::ranges::find(kChain, name, &Plugin::name) - kChain.begin());
}

Result<> CheckKnown(std::string_view flag, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (PlaceOf(name) < kChain.size()) continue;
    return Fail(StatusReason::kBadRequest, fmt::format(R"({} plugin "{}" is unknown)", flag, name));
  }
  return {};
}

}  // namespace

std::span<const Plugin> Plugins() {
  return kChain;
}

Soon<> Admit(const Call& call,
             const Frozen<store::Snapshot>& snapshot,
             const Write& write,
             api::Object* object) {
  Passage passage{.call = &call, .write = &write, .object = object, .snapshot = snapshot};
  if (IsWaiting(call, *snapshot, write, &Plugin::admit_later)) {
    return AdmitInRounds(std::move(passage));
  }
  return AdmitAtOnce(std::move(passage));
}

Soon<> Validate(const Call& call, const Frozen<store::Snapshot>& snapshot, const Write& write) {
  if (IsWaiting(call, *snapshot, write, &Plugin::validate_later)) {
    return ValidateInTurn(
        {.call = &call, .write = &write, .object = nullptr, .snapshot = snapshot});
  }
  return EachThatIsOn(call, write, [&](const Plugin& plugin) -> Result<> {
    if (plugin.validate == nullptr) return {};
    return plugin.validate(call, *snapshot, write);
  });
}

// -------------------------------------------------------------------------------------
// plugin_set.h

PluginSet PluginSet::Usual() {
  PluginSet set;
  for (size_t i = 0; i < kChain.size(); ++i) {
    if (kChain[i].is_usual && kChain[i].built == Plugin::Built::kYes) set.bits_ |= uint64_t{1} << i;
  }
  for (const std::string_view name : {kServiceAccountPlugin,
                                      kTaintNodesPlugin,
                                      kStorageProtectionPlugin,
                                      kPodGroupProtectionPlugin}) {
    set.bits_ &= ~(uint64_t{1} << PlaceOf(name));
  }
  return set.With("NodeRestriction");
}

bool PluginSet::Has(std::string_view name) const {
  return HasAt(PlaceOf(name));
}

PluginSet PluginSet::With(std::string_view name) const {
  PluginSet set = *this;
  set.bits_ |= uint64_t{1} << PlaceOf(name);
  return set;
}

Result<PluginSet> PluginSet::Changed(const std::vector<std::string>& enabled,
                                     const std::vector<std::string>& disabled) const {
  DRAY_TRY_VOID(CheckKnown("enable-admission-plugins", enabled));
  DRAY_TRY_VOID(CheckKnown("disable-admission-plugins", disabled));
  std::set<std::string> both;
  for (const std::string& name : enabled) {
    if (std::ranges::find(disabled, name) != disabled.end()) both.insert(name);
  }
  if (!both.empty()) {
    return Fail(
        StatusReason::kBadRequest,
        fmt::format("[{}] in enable-admission-plugins and disable-admission-plugins overlapped",
                    fmt::join(both, " ")));
  }
  PluginSet set = *this;
  for (const std::string& name : enabled) {
    const Plugin& plugin = kChain.at(PlaceOf(name));
    if (plugin.built == Plugin::Built::kNo) {
      return Fail(
          StatusReason::kBadRequest,
          fmt::format(R"(enable-admission-plugins: Dray is not built with the plugin "{}")", name));
    }
    set = set.With(name);
  }
  for (const std::string& name : disabled) set.bits_ &= ~(uint64_t{1} << PlaceOf(name));
  return set;
}

}  // namespace dray::server::verbs::admission
