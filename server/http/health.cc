// SPDX-License-Identifier: Apache-2.0
#include "server/http/health.h"

#include <algorithm>

#include <fmt/format.h>

namespace dray::server::http {
namespace {

using verbs::FirstStep;

struct StartedPart {
  std::string_view name;
  std::optional<FirstStep> makes = {};
};
constexpr StartedPart kStarted[] = {
    {"poststarthook/start-apiserver-admission-initializer"},
    {"poststarthook/generic-apiserver-start-informers"},
    {"poststarthook/priority-and-fairness-config-consumer"},
    {"poststarthook/priority-and-fairness-filter"},
    {"poststarthook/storage-object-count-tracker-hook"},
    {"poststarthook/start-apiextensions-informers"},
    {"poststarthook/start-apiextensions-controllers"},
    {"poststarthook/crd-informer-synced"},
    {"poststarthook/start-system-namespaces-controller", FirstStep::kNamespaces},
    {"poststarthook/peer-endpoint-reconciler-controller"},
    {"poststarthook/start-cluster-authentication-info-controller"},
    {"poststarthook/start-kube-apiserver-identity-lease-controller"},
    {"poststarthook/start-kube-apiserver-identity-lease-garbage-collector"},
    {"poststarthook/storage-readiness"},
    {"poststarthook/start-legacy-token-tracking-controller"},
    {"poststarthook/start-service-ip-repair-controllers"},
    {"poststarthook/rbac/bootstrap-roles", FirstStep::kObjects},
    {"poststarthook/scheduling/bootstrap-system-priority-classes", FirstStep::kCluster},
    {"poststarthook/priority-and-fairness-config-producer", FirstStep::kObjects},
    {"poststarthook/bootstrap-controller", FirstStep::kCluster},
    {"poststarthook/start-kubernetes-service-cidr-controller"},
    {"poststarthook/start-kube-aggregator-informers"},
    {"poststarthook/apiservice-status-local-available-controller"},
    {"poststarthook/apiservice-status-remote-available-controller"},
    {"poststarthook/apiservice-registration-controller", FirstStep::kObjects},
    {"poststarthook/apiservice-discovery-controller"},
    {"poststarthook/kube-apiserver-autoregistration", FirstStep::kObjects},
    {"autoregister-completion", FirstStep::kObjects},
    {"poststarthook/apiservice-openapi-controller"},
    {"poststarthook/apiservice-openapiv3-controller"},
};

bool IsPart(const HealthCheck& check, bool readiness) {
  return readiness ? !check.liveness_only : !check.readiness_only;
}

}  // namespace

std::vector<HealthCheck> StartedParts(const verbs::Resources& resources) {
  std::vector<HealthCheck> checks;
  for (const StartedPart& part : kStarted) {
    checks.push_back({.name = std::string(part.name), .passes = [&resources, makes = part.makes] {
                        return !makes.has_value() || resources.HasMade(*makes);
                      }});
  }
  return checks;
}

HealthCheck RefusedWrites(const verbs::Resources& resources) {
  return {.name = "own-writes",
          .passes = [] { return true; },
          .readiness_only = true,
          .remarks = [&resources] { return resources.own_writes().Refused(); }};
}

std::optional<HealthAnswer> AnswerHealth(const std::vector<HealthCheck>& checks,
                                         std::string_view path,
                                         bool verbose,
                                         const std::vector<std::string_view>& excluded) {
  const size_t slash = path.find('/');
  const std::string_view endpoint = path.substr(0, slash);
  const bool readiness = endpoint == "readyz";
  if (slash != std::string_view::npos) {
    const auto check = std::ranges::find(checks, path.substr(slash + 1), &HealthCheck::name);
    if (check == checks.end() || !IsPart(*check, readiness)) return std::nullopt;
    if (check->passes()) return HealthAnswer{.code = 200, .text = "ok", .nosniff = false};
    return HealthAnswer{.code = 500, .text = "internal server error: failed\n"};
  }
  std::string report;
  bool failed = false;
  for (const HealthCheck& check : checks) {
    if (!IsPart(check, readiness)) continue;
    if (check.remarks != nullptr) {
      for (const std::string& remark : check.remarks()) {
        report += fmt::format("[+]{} ok, but refused and tried again: {}\n", check.name, remark);
      }
    } else if (std::ranges::count(excluded, check.name) > 0) {
      report += fmt::format("[+]{} excluded: ok\n", check.name);
    } else if (check.passes()) {
      report += fmt::format("[+]{} ok\n", check.name);
    } else {
      report += fmt::format("[-]{} failed: reason withheld\n", check.name);
      failed = true;
    }
  }
  if (failed) {
    return HealthAnswer{.code = 500, .text = fmt::format("{}{} check failed\n", report, endpoint)};
  }
  if (!verbose) return HealthAnswer{.code = 200, .text = "ok"};
  return HealthAnswer{.code = 200, .text = fmt::format("{}{} check passed\n", report, endpoint)};
}

}  // namespace dray::server::http
