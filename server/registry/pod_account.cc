// SPDX-License-Identifier: Apache-2.0
#include "server/registry/pod_account.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "api/pods/references.h"
#include "server/errors/errors.h"

namespace dray::server::registry {
namespace {

namespace core_v1 = api::core_v1;
using core_v1::Pod;
using core_v1::PodSpec;

constexpr std::string_view kOnlyItsSecrets = "kubernetes.io/enforce-mountable-secrets";
constexpr std::string_view kTokenFolder = "/var/run/secrets/kubernetes.io/serviceaccount";
// Slightly more than an hour: the number marks a kubelet's request for a volume
// (kTokenSecondsOfVolumes), whose token lives longer.
constexpr int64_t kTokenSeconds = 3607;
constexpr int32_t kEverybodyReads = 0644;

Failure Refuse(const api::Object& pod, std::string_view why) {
  return Fail(errors::Forbidden(pod.kind(), errors::NameInAdmission(pod.metadata()), why));
}

// ----------------------------------------------------------------- secrets that a pod names

// Calls visit(name of the secret, text for what references it) until it returns false.
template <class Container, class Visit>
bool VisitSecretsOf(const Container& container, std::string_view kind, Visit& visit) {
  for (const auto& from : container.env_from) {
    if (!from.secret_ref.has_value()) continue;
    const std::string what = fmt::format("{} {} with envFrom referencing ", kind, container.name);
    if (!visit(from.secret_ref->local_object_reference.name, what)) return false;
  }
  for (const auto& variable : container.env) {
    if (!variable.value_from.has_value() || !variable.value_from->secret_key_ref.has_value()) {
      continue;
    }
    const std::string what =
        fmt::format("{} {} with envVar {} referencing ", kind, container.name, variable.name);
    const auto& key = *variable.value_from->secret_key_ref;
    if (!visit(key.local_object_reference.name, what)) return false;
  }
  return true;
}

template <class Visit>
bool VisitSecretsOfContainers(const PodSpec& spec, Visit& visit) {
  return std::ranges::all_of(
             spec.init_containers,
             [&](const auto& one) { return VisitSecretsOf(one, "init container", visit); }) &&
         std::ranges::all_of(spec.containers, [&](const auto& one) {
           return VisitSecretsOf(one, "container", visit);
         });
}

bool HasToken(const PodSpec& spec) {
  return std::ranges::any_of(spec.volumes, [](const auto& volume) {
    const auto& projected = volume.volume_source.projected;
    return projected.has_value() && std::ranges::any_of(projected->sources, [](const auto& one) {
             return one.service_account_token.has_value();
           });
  });
}

// Whether Go's strconv.ParseBool reads `text` as true.
bool IsTrue(std::string_view text) {
  constexpr std::string_view kTrue[] = {"1", "t", "T", "true", "TRUE", "True"};
  return std::ranges::find(kTrue, text) != std::end(kTrue);
}

Result<> CheckSecrets(const core_v1::ServiceAccount& account, const api::Object& object) {
  const auto only = account.metadata.annotations.find(kOnlyItsSecrets);
  if (only == account.metadata.annotations.end() || !IsTrue(only->second)) return {};
  const PodSpec& spec = object.As<Pod>().spec;
  const auto has = [](const auto& secrets, std::string_view name) {
    return std::ranges::any_of(secrets, [&](const auto& one) { return one.name == name; });
  };
  std::optional<std::string> why;
  auto check = [&](std::string_view name, std::string_view what) {
    if (has(account.secrets, name)) return true;
    why = fmt::format(
        "{}secret.secretName=\"{}\" is not allowed because service account {} does not reference "
        "that secret",
        what,
        name,
        account.metadata.name);
    return false;
  };
  const bool is_good = std::ranges::all_of(spec.volumes,
                                           [&](const auto& volume) {
                                             const auto& secret = volume.volume_source.secret;
                                             return !secret.has_value() ||
                                                    check(secret->secret_name, "volume with ");
                                           }) &&
                       VisitSecretsOfContainers(spec, check);
  if (!is_good) return Refuse(object, *why);
  for (size_t i = 0; i < spec.image_pull_secrets.size(); ++i) {
    const std::string& name = spec.image_pull_secrets[i].name;
    if (has(account.image_pull_secrets, name)) continue;
    return Refuse(object,
                  fmt::format("imagePullSecrets[{}].name=\"{}\" is not allowed because service "
                              "account {} does not reference that imagePullSecret",
                              i,
                              name,
                              account.metadata.name));
  }
  return {};
}

// -------------------------------------------------------------------------------- the token

core_v1::Volume TokenVolume(std::string name) {
  core_v1::ProjectedVolumeSource projected;
  projected.default_mode = kEverybodyReads;
  auto& token = projected.sources.emplace_back().service_account_token.emplace();
  token.path = "token";
  token.expiration_seconds = kTokenSeconds;
  auto& trusted = projected.sources.emplace_back().config_map.emplace();
  trusted.local_object_reference.name = kRootCertificates;
  auto& key = trusted.items.emplace_back();
  key.key = kRootCertificatesKey;
  key.path = kRootCertificatesKey;
  auto& file = projected.sources.emplace_back().downward_api.emplace().items.emplace_back();
  file.path = "namespace";
  auto& field = file.field_ref.emplace();
  field.api_version = "v1";
  field.field_path = "metadata.namespace";
  core_v1::Volume volume;
  volume.name = std::move(name);
  volume.volume_source.projected = std::move(projected);
  return volume;
}

void MountToken(const std::string& fresh_name, PodSpec& spec) {
  const auto there = std::ranges::find_if(
      spec.volumes, [](const auto& volume) { return volume.name.starts_with(kTokenVolume); });
  const bool is_there = there != spec.volumes.end();
  core_v1::VolumeMount mount;
  mount.name = is_there ? there->name : fresh_name;
  mount.read_only = true;
  mount.mount_path = kTokenFolder;
  bool is_needed = false;
  for (auto* containers : {&spec.init_containers, &spec.containers}) {
    for (auto& container : *containers) {
      const bool is_taken = std::ranges::any_of(
          container.volume_mounts, [](const auto& one) { return one.mount_path == kTokenFolder; });
      if (is_taken) continue;
      container.volume_mounts.push_back(mount);
      is_needed = true;
    }
  }
  if (is_needed && !is_there) spec.volumes.push_back(TokenVolume(fresh_name));
}

}  // namespace

Result<> CheckMirror(const api::Object& pod) {
  const PodSpec& spec = pod.As<Pod>().spec;
  if (!spec.service_account_name.empty()) {
    return Refuse(pod, "a mirror pod may not reference service accounts");
  }
  const auto never = [](const std::string& /*name*/) { return false; };
  if (!api::pods::VisitSecrets(pod.As<Pod>(), never)) {
    return Refuse(pod, "a mirror pod may not reference secrets");
  }
  if (HasToken(spec)) {
    return Refuse(pod, "a mirror pod may not use ServiceAccountToken volume projections");
  }
  return {};
}

Result<> AdmitAccount(const PodAccount& account, api::Object& pod) {
  PodSpec& spec = pod.Mutable<Pod>().spec;
  spec.service_account_name = account.account.metadata.name;
  spec.service_account = spec.service_account_name;
  const bool is_mounted = spec.automount_service_account_token.value_or(
      account.account.automount_service_account_token.value_or(true));
  if (is_mounted) MountToken(account.volume, spec);
  if (spec.image_pull_secrets.empty()) spec.image_pull_secrets = account.account.image_pull_secrets;
  return CheckSecrets(account.account, pod);
}

}  // namespace dray::server::registry
