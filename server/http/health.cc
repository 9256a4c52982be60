// SPDX-License-Identifier: Apache-2.0
#include "server/http/health.h"

#include <algorithm>

#include <fmt/format.h>

namespace dray::server::http {

std::optional<HealthAnswer> AnswerHealth(const std::vector<HealthCheck>& checks,
                                         std::string_view path,
                                         bool verbose,
                                         const std::vector<std::string_view>& excluded) {
  const size_t slash = path.find('/');
  const std::string_view endpoint = path.substr(0, slash);
  const bool readiness = endpoint == "readyz";
  if (slash != std::string_view::npos) {
    const auto check = std::ranges::find(checks, path.substr(slash + 1), &HealthCheck::name);
    if (check == checks.end() || (check->readiness_only && !readiness)) return std::nullopt;
    if (check->passes()) return HealthAnswer{.code = 200, .text = "ok", .nosniff = false};
    return HealthAnswer{.code = 500, .text = "internal server error: failed\n"};
  }
  std::string report;
  bool failed = false;
  for (const HealthCheck& check : checks) {
    if (check.readiness_only && !readiness) continue;
    if (std::ranges::count(excluded, check.name) > 0) {
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
