// SPDX-License-Identifier: Apache-2.0
// The level restricted: pods have few rights, and say so.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "server/pod_security/checks.h"
#include "server/pod_security/pod_parts.h"

namespace dray::server::pod_security {
namespace {

using Finding = std::optional<Violation>;
using api::core_v1::VolumeSource;

// Since 1.25, pods for Windows need not set what Windows does not have.
bool IsExempt(const Question& question) {
  constexpr uint32_t kSinceWindows = 25;
  return question.minor >= kSinceWindows && IsOfWindows(question.spec);
}

// Since 1.35, pods with users of their own may run as user 0.
bool MayBeRoot(const Question& question) {
  constexpr uint32_t kSinceUsers = 35;
  return question.minor >= kSinceUsers && HasOwnUsers(question.spec);
}

Finding FindEscalations(const Question& question) {
  if (IsExempt(question)) return std::nullopt;
  Names containers;
  EachContainer(question.spec, [&](const auto& container) {
    const auto& context = container.security_context;
    if (!context.has_value() || context->allow_privilege_escalation.value_or(true)) {
      containers.push_back(container.name);
    }
  });
  if (containers.empty()) return std::nullopt;
  return Violation{.reason = "allowPrivilegeEscalation != false",
                   .detail = Containers(containers) +
                             " must set securityContext.allowPrivilegeEscalation=false"};
}

Finding FindKeptCapabilities(const Question& question) {
  if (IsExempt(question)) return std::nullopt;
  Names keep_some, add_some;
  SortedNames added;
  EachContainer(question.spec, [&](const auto& container) {
    const auto& context = container.security_context;
    if (!context.has_value() || !context->capabilities.has_value()) {
      keep_some.push_back(container.name);
      return;
    }
    const auto& capabilities = *context->capabilities;
    if (std::ranges::count(capabilities.drop, "ALL") == 0) keep_some.push_back(container.name);
    bool is_bad = false;
    for (const std::string& one : capabilities.add) {
      if (one == "NET_BIND_SERVICE") continue;
      is_bad = true;
      added.insert(one);
    }
    if (is_bad) add_some.push_back(container.name);
  });
  std::vector<std::string> details;
  if (!keep_some.empty()) {
    details.push_back(Containers(keep_some) +
                      R"( must set securityContext.capabilities.drop=["ALL"])");
  }
  if (!add_some.empty()) {
    details.push_back(fmt::format("{} must not include {} in securityContext.capabilities.add",
                                  Containers(add_some),
                                  Quoted(added)));
  }
  if (details.empty()) return std::nullopt;
  return Violation{.reason = "unrestricted capabilities",
                   .detail = fmt::format("{}", fmt::join(details, "; "))};
}

// Empty: every pod may have such a volume.
std::string_view RestrictedTypeOf(const VolumeSource& source) {
  if (source.config_map || source.csi || source.downward_api || source.empty_dir ||
      source.ephemeral || source.image || source.persistent_volume_claim || source.projected ||
      source.secret) {
    return "";
  }
  if (source.host_path) return "hostPath";
  if (source.gce_persistent_disk) return "gcePersistentDisk";
  if (source.aws_elastic_block_store) return "awsElasticBlockStore";
  if (source.git_repo) return "gitRepo";
  if (source.nfs) return "nfs";
  if (source.iscsi) return "iscsi";
  if (source.glusterfs) return "glusterfs";
  if (source.rbd) return "rbd";
  if (source.flex_volume) return "flexVolume";
  if (source.cinder) return "cinder";
  if (source.cephfs) return "cephfs";
  if (source.flocker) return "flocker";
  if (source.fc) return "fc";
  if (source.azure_file) return "azureFile";
  if (source.vsphere_volume) return "vsphereVolume";
  if (source.quobyte) return "quobyte";
  if (source.azure_disk) return "azureDisk";
  if (source.photon_persistent_disk) return "photonPersistentDisk";
  if (source.portworx_volume) return "portworxVolume";
  if (source.scale_io) return "scaleIO";
  if (source.storageos) return "storageos";
  return "unknown";
}

Finding FindVolumes(const Question& question) {
  Names volumes;
  SortedNames types;
  for (const auto& volume : question.spec.volumes) {
    const std::string_view type = RestrictedTypeOf(volume.volume_source);
    if (type.empty()) continue;
    volumes.push_back(volume.name);
    types.emplace(type);
  }
  if (volumes.empty()) return std::nullopt;
  return Violation{.reason = "restricted volume types",
                   .detail = fmt::format("{} {} {} {} {}",
                                         Counted("volume", volumes.size()),
                                         Quoted(volumes),
                                         volumes.size() == 1 ? "uses" : "use",
                                         Counted("restricted volume type", types.size()),
                                         Quoted(types))};
}

Finding FindMaybeRoot(const Question& question) {
  constexpr std::string_view kReason = "runAsNonRoot != true";
  if (MayBeRoot(question)) return std::nullopt;
  Setters setters;
  EachSecurityContext(question.spec, [&](const auto& context, std::string_view container) {
    if (!context.run_as_non_root.value_or(true)) setters.Add(container);
  });
  if (!setters.empty()) {
    return Violation{.reason = std::string(kReason),
                     .detail = setters.Text() + " must not set securityContext.runAsNonRoot=false"};
  }
  const auto& pod = question.spec.security_context;
  if (pod.has_value() && pod->run_as_non_root.has_value()) return std::nullopt;
  Names containers;
  EachContainer(question.spec, [&](const auto& container) {
    const auto& context = container.security_context;
    if (!context.has_value() || !context->run_as_non_root.has_value()) {
      containers.push_back(container.name);
    }
  });
  if (containers.empty()) return std::nullopt;
  return Violation{.reason = std::string(kReason),
                   .detail = fmt::format("pod or {} must set securityContext.runAsNonRoot=true",
                                         Containers(containers))};
}

Finding FindUserZero(const Question& question) {
  if (MayBeRoot(question)) return std::nullopt;
  Setters setters;
  EachSecurityContext(question.spec, [&](const auto& context, std::string_view container) {
    if (context.run_as_user == 0) setters.Add(container);
  });
  if (setters.empty()) return std::nullopt;
  return Violation{.reason = "runAsUser=0", .detail = setters.Text() + " must not set runAsUser=0"};
}

Finding FindMissingSeccomp(const Question& question) {
  if (IsExempt(question)) return std::nullopt;
  if (Finding found = FindOtherSeccompProfiles(question)) return found;
  const auto& pod = question.spec.security_context;
  if (pod.has_value() && pod->seccomp_profile.has_value()) return std::nullopt;
  Names containers;
  EachContainer(question.spec, [&](const auto& container) {
    const auto& context = container.security_context;
    if (!context.has_value() || !context->seccomp_profile.has_value()) {
      containers.push_back(container.name);
    }
  });
  if (containers.empty()) return std::nullopt;
  return Violation{
      .reason = "seccompProfile",
      .detail = fmt::format(
          R"(pod or {} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")",
          Containers(containers))};
}

}  // namespace

std::span<const Check> RestrictedChecks() {
  static constexpr std::array kChecks = {
      Check{.find = FindEscalations, .since = 8},
      Check{.find = FindKeptCapabilities, .since = 22},
      Check{.find = FindProcMounts, .since = 35},
      Check{.find = FindVolumes},
      Check{.find = FindMaybeRoot},
      Check{.find = FindUserZero, .since = 23},
      Check{.find = FindMissingSeccomp, .since = 19},
  };
  return kChecks;
}

}  // namespace dray::server::pod_security
