// SPDX-License-Identifier: Apache-2.0
#include "api/core_v1/pod.h"

#include <string_view>
#include <vector>

#include "api/defaults/defaults.h"

namespace dray::api::defaults {
namespace {

constexpr int64_t kGraceSeconds = 30;
constexpr int64_t kTokenSeconds = 3600;
constexpr int32_t kFileMode = 0644;

// Images move under the tag "latest", which is also meant by no tag: those are pulled every time.
std::string_view PullPolicy(std::string_view image) {
  if (image.contains('@')) return "IfNotPresent";  // a digest
  const size_t slash = image.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const size_t colon = last.find(':');
  const bool is_latest = colon == std::string_view::npos || last.substr(colon + 1) == "latest";
  return is_latest ? "Always" : "IfNotPresent";
}

void SetHttpGet(Maybe<core_v1::HTTPGetAction>& action) {
  if (!action.has_value()) return;
  if (action->path.empty()) action->path = "/";
  if (action->scheme.empty()) action->scheme = "HTTP";
}

void SetProbe(Maybe<core_v1::Probe>& probe) {
  if (!probe.has_value()) return;
  if (probe->timeout_seconds == 0) probe->timeout_seconds = 1;
  if (probe->period_seconds == 0) probe->period_seconds = 10;
  if (probe->success_threshold == 0) probe->success_threshold = 1;
  if (probe->failure_threshold == 0) probe->failure_threshold = 3;
  SetHttpGet(probe->probe_handler.http_get);
  if (probe->probe_handler.grpc.has_value() && !probe->probe_handler.grpc->service.has_value()) {
    probe->probe_handler.grpc->service = "";
  }
}

void SetFieldVersion(Maybe<core_v1::ObjectFieldSelector>& selector) {
  if (selector.has_value() && selector->api_version.empty()) selector->api_version = "v1";
}

// Sets missing requests to the limits.
void SetRequests(core_v1::ResourceRequirements& resources) {
  for (const auto& [name, limit] : resources.limits) resources.requests.try_emplace(name, limit);
}

enum class Network : uint8_t { kOwn, kHost };

// For containers and ephemeral containers alike.
template <class Container>
void SetContainer(Container& container, Network network) {
  if (container.image_pull_policy.empty())
    container.image_pull_policy = PullPolicy(container.image);
  if (container.termination_message_path.empty()) {
    container.termination_message_path = "/dev/termination-log";
  }
  if (container.termination_message_policy.empty()) container.termination_message_policy = "File";
  for (core_v1::ContainerPort& port : container.ports) {
    if (port.protocol.empty()) port.protocol = "TCP";
    if (network == Network::kHost && port.host_port == 0) port.host_port = port.container_port;
  }
  for (core_v1::EnvVar& variable : container.env) {
    if (variable.value_from.has_value()) SetFieldVersion(variable.value_from->field_ref);
  }
  SetProbe(container.liveness_probe);
  SetProbe(container.readiness_probe);
  SetProbe(container.startup_probe);
  if (container.lifecycle.has_value()) {
    if (container.lifecycle->post_start.has_value()) {
      SetHttpGet(container.lifecycle->post_start->http_get);
    }
    if (container.lifecycle->pre_stop.has_value()) {
      SetHttpGet(container.lifecycle->pre_stop->http_get);
    }
  }
}

void SetMode(std::optional<int32_t>& mode) {
  if (!mode.has_value()) mode = kFileMode;
}

void SetProjections(std::vector<core_v1::VolumeProjection>& sources) {
  for (core_v1::VolumeProjection& source : sources) {
    if (source.service_account_token.has_value() &&
        !source.service_account_token->expiration_seconds.has_value()) {
      source.service_account_token->expiration_seconds = kTokenSeconds;
    }
    if (!source.downward_api.has_value()) continue;
    for (core_v1::DownwardAPIVolumeFile& file : source.downward_api->items) {
      SetFieldVersion(file.field_ref);
    }
  }
}

void SetVolume(core_v1::VolumeSource& source) {
  if (IsZero(TypeOf<core_v1::VolumeSource>(), &source)) source.empty_dir.emplace();
  if (source.host_path.has_value() && !source.host_path->type.has_value()) {
    source.host_path->type = "";
  }
  if (source.secret.has_value()) SetMode(source.secret->default_mode);
  if (source.config_map.has_value()) SetMode(source.config_map->default_mode);
  if (source.downward_api.has_value()) {
    SetMode(source.downward_api->default_mode);
    for (core_v1::DownwardAPIVolumeFile& file : source.downward_api->items) {
      SetFieldVersion(file.field_ref);
    }
  }
  if (source.projected.has_value()) {
    SetMode(source.projected->default_mode);
    SetProjections(source.projected->sources);
  }
}

// Defaults of both pods and pod templates. Host ports follow container ports only in pods.
void SetPodSpec(core_v1::PodSpec& spec, Network network) {
  for (core_v1::Container& container : spec.init_containers) SetContainer(container, network);
  for (core_v1::Container& container : spec.containers) SetContainer(container, network);
  for (core_v1::EphemeralContainer& container : spec.ephemeral_containers) {
    SetContainer(container.ephemeral_container_common, Network::kOwn);
  }
  for (core_v1::Volume& volume : spec.volumes) SetVolume(volume.volume_source);
  if (spec.restart_policy.empty()) spec.restart_policy = "Always";
  if (spec.dns_policy.empty()) spec.dns_policy = "ClusterFirst";
  if (spec.scheduler_name.empty()) spec.scheduler_name = "default-scheduler";
  if (!spec.security_context.has_value()) spec.security_context.emplace();
  if (!spec.termination_grace_period_seconds.has_value()) {
    spec.termination_grace_period_seconds = kGraceSeconds;
  }
  // Two names of one field.
  if (spec.service_account_name.empty()) spec.service_account_name = spec.service_account;
  spec.service_account = spec.service_account_name;
}

// Two forms of one field: the address, and the list that begins with it. The address decides.
void SetAddresses(core_v1::PodStatus& status) {
  if (status.pod_ip.empty()) {
    if (!status.pod_ips.empty()) status.pod_ip = status.pod_ips.front().ip;
  } else if (status.pod_ips.empty() || status.pod_ips.front().ip != status.pod_ip) {
    status.pod_ips = {core_v1::PodIP{.ip = status.pod_ip}};
  }
}

}  // namespace

void SetPodDefaults(core_v1::Pod& pod) {
  SetAddresses(pod.status);
  core_v1::PodSpec& spec = pod.spec;
  SetPodSpec(spec, spec.host_network ? Network::kHost : Network::kOwn);
  for (core_v1::Container& container : spec.init_containers) SetRequests(container.resources);
  for (core_v1::Container& container : spec.containers) SetRequests(container.resources);
  if (!spec.enable_service_links.has_value()) spec.enable_service_links = true;
}

void SetPodTemplateDefaults(core_v1::PodSpec& spec) {
  SetPodSpec(spec, Network::kOwn);
}

}  // namespace dray::api::defaults
