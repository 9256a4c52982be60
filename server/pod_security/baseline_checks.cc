// SPDX-License-Identifier: Apache-2.0
// The level baseline: no known ways from a pod to the rest of its node.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/text/go_quote.h"
#include "server/pod_security/checks.h"
#include "server/pod_security/pod_parts.h"

namespace dray::server::pod_security {
namespace {

using api::GoQuote;
using Finding = std::optional<Violation>;
using SeLinuxOptions = api::core_v1::SELinuxOptions;

Finding FindAppArmor(const Question& question) {
  constexpr std::string_view kAnnotation = "container.apparmor.security.beta.kubernetes.io/";
  Setters setters;
  SortedNames types;
  EachSecurityContext(question.spec, [&](const auto& context, std::string_view container) {
    if (!context.app_armor_profile.has_value()) return;
    const std::string& type = context.app_armor_profile->type;
    if (type == "RuntimeDefault" || type == "Localhost") return;
    setters.Add(container);
    types.insert(type);
  });
  SortedNames annotations;
  for (const auto& [key, value] : question.metadata.annotations) {
    if (!key.starts_with(kAnnotation)) continue;
    if (value.empty() || value == "runtime/default" || value.starts_with("localhost/")) continue;
    annotations.insert(fmt::format("{}={}", key, GoQuote(value)));
  }
  if (setters.empty() && annotations.empty()) return std::nullopt;
  std::string by = setters.Text();
  if (!annotations.empty()) {
    if (!by.empty()) by += " and ";
    by += Counted("annotation", annotations.size());
  }
  std::vector<std::string> values(types.begin(), types.end());
  values.insert(values.end(), annotations.begin(), annotations.end());
  return Violation{
      .reason = Counted("forbidden AppArmor profile", values.size()),
      .detail = fmt::format("{} must not set AppArmor profile type to {}", by, Quoted(values))};
}

Finding FindCapabilities(const Question& question) {
  static const std::set<std::string_view> kDefault = {"AUDIT_WRITE",
                                                      "CHOWN",
                                                      "DAC_OVERRIDE",
                                                      "FOWNER",
                                                      "FSETID",
                                                      "KILL",
                                                      "MKNOD",
                                                      "NET_BIND_SERVICE",
                                                      "SETFCAP",
                                                      "SETGID",
                                                      "SETPCAP",
                                                      "SETUID",
                                                      "SYS_CHROOT"};
  Names containers;
  SortedNames added;
  EachContainer(question.spec, [&](const auto& container) {
    const auto& context = container.security_context;
    if (!context.has_value() || !context->capabilities.has_value()) return;
    bool is_bad = false;
    for (const std::string& one : context->capabilities->add) {
      if (kDefault.contains(one)) continue;
      is_bad = true;
      added.insert(one);
    }
    if (is_bad) containers.push_back(container.name);
  });
  if (containers.empty()) return std::nullopt;
  return Violation{
      .reason = "non-default capabilities",
      .detail = fmt::format("{} must not include {} in securityContext.capabilities.add",
                            Containers(containers),
                            Quoted(added))};
}

Finding FindHostNamespaces(const Question& question) {
  std::vector<std::string_view> shared;
  if (question.spec.host_network) shared.emplace_back("hostNetwork=true");
  if (question.spec.host_pid) shared.emplace_back("hostPID=true");
  if (question.spec.host_ipc) shared.emplace_back("hostIPC=true");
  if (shared.empty()) return std::nullopt;
  return Violation{.reason = "host namespaces",
                   .detail = fmt::format("{}", fmt::join(shared, ", "))};
}

Finding FindHostPaths(const Question& question) {
  Names volumes;
  for (const auto& volume : question.spec.volumes) {
    if (volume.volume_source.host_path.has_value()) volumes.push_back(volume.name);
  }
  if (volumes.empty()) return std::nullopt;
  return Violation{.reason = "hostPath volumes",
                   .detail = Counted("volume", volumes.size()) + " " + Quoted(volumes)};
}

Finding FindHostPorts(const Question& question) {
  Names containers;
  SortedNames ports;
  EachContainer(question.spec, [&](const auto& container) {
    bool is_bad = false;
    for (const auto& port : container.ports) {
      if (port.host_port == 0) continue;
      is_bad = true;
      ports.insert(fmt::format("{}", port.host_port));
    }
    if (is_bad) containers.push_back(container.name);
  });
  if (containers.empty()) return std::nullopt;
  return Violation{.reason = "hostPort",
                   .detail = fmt::format("{} {} {} {}",
                                         Containers(containers),
                                         containers.size() == 1 ? "uses" : "use",
                                         Counted("hostPort", ports.size()),
                                         fmt::join(ports, ", "))};
}

// The hosts that a probe or a handler of the life cycle names; null: there is none.
template <class Action>
void AddHosts(const Action* action, SortedNames& hosts) {
  if (action == nullptr) return;
  if (action->http_get.has_value() && !action->http_get->host.empty()) {
    hosts.insert(action->http_get->host);
  }
  if (action->tcp_socket.has_value() && !action->tcp_socket->host.empty()) {
    hosts.insert(action->tcp_socket->host);
  }
}

template <class Container>
SortedNames HostsOf(const Container& container) {
  SortedNames hosts;
  for (const auto* const probe :
       {&container.liveness_probe, &container.readiness_probe, &container.startup_probe}) {
    if (probe->has_value()) AddHosts(&(*probe)->probe_handler, hosts);
  }
  if (!container.lifecycle.has_value()) return hosts;
  for (const auto* const handler :
       {&container.lifecycle->post_start, &container.lifecycle->pre_stop}) {
    if (handler->has_value()) AddHosts(&**handler, hosts);
  }
  return hosts;
}

Finding FindProbedHosts(const Question& question) {
  SortedNames containers, hosts;
  EachContainer(question.spec, [&](const auto& container) {
    SortedNames named = HostsOf(container);
    if (named.empty()) return;
    containers.insert(container.name);
    hosts.merge(named);
  });
  if (containers.empty()) return std::nullopt;
  return Violation{.reason = "probe or lifecycle host",
                   .detail = fmt::format("{} {} {} {} {}",
                                         Counted("container", containers.size()),
                                         Quoted(containers),
                                         containers.size() == 1 ? "uses" : "use",
                                         Counted("probe or lifecycle host", hosts.size()),
                                         Quoted(hosts))};
}

Finding FindPrivileged(const Question& question) {
  Names containers;
  EachContainer(question.spec, [&](const auto& container) {
    const auto& context = container.security_context;
    if (context.has_value() && context->privileged.value_or(false)) {
      containers.push_back(container.name);
    }
  });
  if (containers.empty()) return std::nullopt;
  return Violation{.reason = "privileged",
                   .detail = fmt::format("{} must not set securityContext.privileged=true",
                                         Containers(containers))};
}

// From 1.35 on, pods with users of their own may have any.
Finding FindProcMountsOutside(const Question& question) {
  constexpr uint32_t kSinceUsers = 35;
  if (question.minor >= kSinceUsers && HasOwnUsers(question.spec)) return std::nullopt;
  return FindProcMounts(question);
}

Finding FindSeLinux(const Question& question) {
  constexpr uint32_t kSinceEngine = 31;
  const auto is_usual = [&](std::string_view type) {
    return type.empty() || type == "container_t" || type == "container_init_t" ||
           type == "container_kvm_t" ||
           (type == "container_engine_t" && question.minor >= kSinceEngine);
  };
  Setters setters;
  SortedNames types;
  bool sets_user = false, sets_role = false;
  EachSecurityContext(question.spec, [&](const auto& context, std::string_view container) {
    if (!context.se_linux_options.has_value()) return;
    const SeLinuxOptions& options = *context.se_linux_options;
    if (is_usual(options.type) && options.user.empty() && options.role.empty()) return;
    setters.Add(container);
    if (!is_usual(options.type)) types.insert(options.type);
    sets_user = sets_user || !options.user.empty();
    sets_role = sets_role || !options.role.empty();
  });
  if (setters.empty()) return std::nullopt;
  std::vector<std::string> what;
  if (!types.empty()) what.push_back(Counted("type", types.size()) + " " + Quoted(types));
  if (sets_user) what.emplace_back("user may not be set");
  if (sets_role) what.emplace_back("role may not be set");
  return Violation{.reason = "seLinuxOptions",
                   .detail = fmt::format("{} set forbidden securityContext.seLinuxOptions: {}",
                                         setters.Text(),
                                         fmt::join(what, "; "))};
}

// Before 1.19, annotations named the profiles.
Finding FindSeccompAnnotations(const Question& question) {
  constexpr std::string_view kPod = "seccomp.security.alpha.kubernetes.io/pod";
  constexpr std::string_view kContainer = "container.seccomp.security.alpha.kubernetes.io/";
  SortedNames forbidden;
  const auto look_at = [&](const std::string& key) {
    const auto found = question.metadata.annotations.find(key);
    if (found == question.metadata.annotations.end()) return;
    const std::string& value = found->second;
    if (value == "runtime/default" || value == "docker/default" ||
        value.starts_with("localhost/")) {
      return;
    }
    forbidden.insert(fmt::format("{}={}", key, GoQuote(value)));
  };
  look_at(std::string(kPod));
  EachContainer(question.spec, [&](const auto& container) {
    look_at(fmt::format("{}{}", kContainer, container.name));
  });
  if (forbidden.empty()) return std::nullopt;
  return Violation{
      .reason = "seccompProfile",
      .detail = fmt::format(
          "forbidden {} {}", Counted("annotation", forbidden.size()), fmt::join(forbidden, ", "))};
}

Finding FindSeccomp(const Question& question) {
  constexpr uint32_t kSinceFields = 19;
  return question.minor < kSinceFields ? FindSeccompAnnotations(question)
                                       : FindOtherSeccompProfiles(question);
}

Finding FindSysctls(const Question& question) {
  struct Safe {
    std::string_view name;
    uint32_t since;
  };
  constexpr Safe kSafe[] = {
      {"kernel.shm_rmid_forced", 0},
      {"net.ipv4.ip_local_port_range", 0},
      {"net.ipv4.tcp_syncookies", 0},
      {"net.ipv4.ping_group_range", 0},
      {"net.ipv4.ip_unprivileged_port_start", 0},
      {"net.ipv4.ip_local_reserved_ports", 27},
      {"net.ipv4.tcp_keepalive_time", 29},
      {"net.ipv4.tcp_fin_timeout", 29},
      {"net.ipv4.tcp_keepalive_intvl", 29},
      {"net.ipv4.tcp_keepalive_probes", 29},
      {"net.ipv4.tcp_rmem", 32},
      {"net.ipv4.tcp_wmem", 32},
      {"net.ipv4.tcp_slow_start_after_idle", 37},
      {"net.ipv4.tcp_notsent_lowat", 37},
  };
  if (!question.spec.security_context.has_value()) return std::nullopt;
  std::vector<std::string_view> forbidden;
  for (const auto& sysctl : question.spec.security_context->sysctls) {
    const bool is_safe = std::ranges::any_of(kSafe, [&](const Safe& safe) {
      return safe.name == sysctl.name && question.minor >= safe.since;
    });
    if (!is_safe) forbidden.emplace_back(sysctl.name);
  }
  if (forbidden.empty()) return std::nullopt;
  return Violation{.reason = "forbidden sysctls",
                   .detail = fmt::format("{}", fmt::join(forbidden, ", "))};
}

Finding FindHostProcesses(const Question& question) {
  Setters setters;
  EachSecurityContext(question.spec, [&](const auto& context, std::string_view container) {
    if (context.windows_options.has_value() &&
        context.windows_options->host_process.value_or(false)) {
      setters.Add(container);
    }
  });
  if (setters.empty()) return std::nullopt;
  return Violation{
      .reason = "hostProcess",
      .detail = setters.Text() + " must not set securityContext.windowsOptions.hostProcess=true"};
}

// Whether the profile filters system calls.
bool IsConfined(const api::core_v1::SeccompProfile& profile) {
  return profile.type == "RuntimeDefault" || profile.type == "Localhost";
}

}  // namespace

std::optional<Violation> FindProcMounts(const Question& question) {
  Names containers;
  SortedNames types;
  EachContainer(question.spec, [&](const auto& container) {
    const auto& context = container.security_context;
    if (!context.has_value() || !context->proc_mount.has_value()) return;
    if (*context->proc_mount == "Default") return;
    containers.push_back(container.name);
    types.insert(*context->proc_mount);
  });
  if (containers.empty()) return std::nullopt;
  return Violation{.reason = "procMount",
                   .detail = fmt::format("{} must not set securityContext.procMount to {}",
                                         Containers(containers),
                                         Quoted(types))};
}

std::optional<Violation> FindOtherSeccompProfiles(const Question& question) {
  Setters setters;
  SortedNames types;
  EachSecurityContext(question.spec, [&](const auto& context, std::string_view container) {
    if (!context.seccomp_profile.has_value() || IsConfined(*context.seccomp_profile)) return;
    setters.Add(container);
    types.insert(context.seccomp_profile->type);
  });
  if (setters.empty()) return std::nullopt;
  return Violation{
      .reason = "seccompProfile",
      .detail = fmt::format("{} must not set securityContext.seccompProfile.type to {}",
                            setters.Text(),
                            Quoted(types))};
}

std::span<const Check> BaselineChecks() {
  static constexpr std::array kChecks = {
      Check{.find = FindAppArmor},
      Check{.find = FindCapabilities, .replaced_since = 22},
      Check{.find = FindHostNamespaces},
      Check{.find = FindHostPaths, .replaced_since = 0},
      Check{.find = FindHostPorts},
      Check{.find = FindProbedHosts, .since = 34},
      Check{.find = FindPrivileged},
      Check{.find = FindProcMountsOutside, .replaced_since = 35},
      Check{.find = FindSeLinux},
      Check{.find = FindSeccomp, .replaced_since = 19},
      Check{.find = FindSysctls},
      Check{.find = FindHostProcesses},
  };
  return kChecks;
}

}  // namespace dray::server::pod_security
