// SPDX-License-Identifier: Apache-2.0
#include "server/http/health.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace dray::server::http {
namespace {

using verbs::FirstStep;

// The condition for a part to count as started.
enum class Checks : uint8_t {
  kStore,       // the store works
  kState,       // the rules for requests (rights, policies, quotas) are read from the store
  kNamespaces,  // this and the next two: objects that Resources writes into a new store
  kObjects,
  kCluster,
  kNothing,  // Dray has no such part, or it starts with the first request
};

// In the order in which kube-apiserver 1.37 lists them.
struct StartedPart {
  std::string_view name;
  Checks checks = Checks::kNothing;
};
constexpr StartedPart kStarted[] = {
    {"poststarthook/start-apiserver-admission-initializer", Checks::kState},
    {"poststarthook/generic-apiserver-start-informers", Checks::kState},
    {"poststarthook/priority-and-fairness-config-consumer", Checks::kNothing},
    {"poststarthook/priority-and-fairness-filter", Checks::kNothing},
    {"poststarthook/storage-object-count-tracker-hook", Checks::kNothing},
    {"poststarthook/start-apiextensions-informers", Checks::kNothing},
    {"poststarthook/start-apiextensions-controllers", Checks::kNothing},
    {"poststarthook/crd-informer-synced", Checks::kNothing},
    {"poststarthook/start-system-namespaces-controller", Checks::kNamespaces},
    {"poststarthook/peer-endpoint-reconciler-controller", Checks::kNothing},
    {"poststarthook/start-cluster-authentication-info-controller", Checks::kNothing},
    {"poststarthook/start-kube-apiserver-identity-lease-controller", Checks::kNothing},
    {"poststarthook/start-kube-apiserver-identity-lease-garbage-collector", Checks::kNothing},
    {"poststarthook/storage-readiness", Checks::kStore},
    {"poststarthook/start-legacy-token-tracking-controller", Checks::kNothing},
    {"poststarthook/start-service-ip-repair-controllers", Checks::kNothing},
    {"poststarthook/rbac/bootstrap-roles", Checks::kObjects},
    {"poststarthook/scheduling/bootstrap-system-priority-classes", Checks::kCluster},
    {"poststarthook/priority-and-fairness-config-producer", Checks::kObjects},
    {"poststarthook/bootstrap-controller", Checks::kCluster},
    {"poststarthook/start-kubernetes-service-cidr-controller", Checks::kNothing},
    {"poststarthook/start-kube-aggregator-informers", Checks::kNothing},
    {"poststarthook/apiservice-status-local-available-controller", Checks::kNothing},
    {"poststarthook/apiservice-status-remote-available-controller", Checks::kNothing},
    {"poststarthook/apiservice-registration-controller", Checks::kObjects},
    {"poststarthook/apiservice-discovery-controller", Checks::kNothing},
    {"poststarthook/kube-apiserver-autoregistration", Checks::kObjects},
    {"autoregister-completion", Checks::kObjects},
    {"poststarthook/apiservice-openapi-controller", Checks::kNothing},
    {"poststarthook/apiservice-openapiv3-controller", Checks::kNothing},
};

std::function<bool()> CheckOf(Checks checks,
                              const verbs::Resources& resources,
                              const std::function<bool()>& has_store) {
  const auto after = [&resources](FirstStep step) {
    return [&resources, step] { return resources.HasMade(step); };
  };
  switch (checks) {
    case Checks::kStore: return has_store;
    case Checks::kState:
    case Checks::kNamespaces: return after(FirstStep::kNamespaces);
    case Checks::kObjects: return after(FirstStep::kObjects);
    case Checks::kCluster: return after(FirstStep::kCluster);
    case Checks::kNothing: break;
  }
  return [] { return true; };
}

bool IsPart(const HealthCheck& check, bool readiness) {
  return readiness ? !check.liveness_only : !check.readiness_only;
}

}  // namespace

HealthCheck StateIsRead(const verbs::Resources& resources) {
  return {.name = "informer-sync",
          .passes = CheckOf(Checks::kState, resources, nullptr),
          .readiness_only = true};
}

std::vector<HealthCheck> StartedParts(const verbs::Resources& resources,
                                      const std::function<bool()>& has_store) {
  std::vector<HealthCheck> checks;
  for (const StartedPart& part : kStarted) {
    checks.push_back(
        {.name = std::string(part.name), .passes = CheckOf(part.checks, resources, has_store)});
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
