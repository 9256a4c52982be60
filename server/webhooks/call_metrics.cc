// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/call_metrics.h"

#include <algorithm>
#include <array>
#include <string>

namespace dray::server::webhooks {
namespace {

constexpr std::array kSecondsBounds = {0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10.0, 25.0};
constexpr int kCodeMax = 600;

constexpr metrics::Description kDuration = {
    .name = "apiserver_admission_webhook_admission_duration_seconds",
    .help = "Seconds that calls of admission webhooks took."};
constexpr metrics::Description kRequests = {.name = "apiserver_admission_webhook_request_total",
                                            .help = "Calls of admission webhooks."};
constexpr metrics::Description kRejections = {
    .name = "apiserver_admission_webhook_rejection_count",
    .help = "Requests that failed because of an admission webhook."};
constexpr metrics::Description kFailOpen = {
    .name = "apiserver_admission_webhook_fail_open_count",
    .help = "Calls of admission webhooks that failed without failing the request."};

std::string_view TypeOf(Purpose purpose) {
  return purpose == Purpose::kMutate ? "admit" : "validating";
}

std::string_view ErrorTypeOf(CallEnd end) {
  switch (end) {
    case CallEnd::kFailed:
    case CallEnd::kFailedOpen: return "calling_webhook_error";
    case CallEnd::kBroken: return "apiserver_internal_error";
    case CallEnd::kAllowed:
    case CallEnd::kDenied: break;
  }
  return "no_error";
}

}  // namespace

void CallMetrics::Note(const CallReport& report) {
  if (registry_ == nullptr) return;
  const std::string name = names_.NameFor(report.webhook);
  const std::string type(TypeOf(report.purpose));
  const std::string operation(policies::WordOf(report.operation));
  const bool is_rejected = report.end != CallEnd::kAllowed && report.end != CallEnd::kFailedOpen;
  const std::string rejected = is_rejected ? "true" : "false";
  const std::string code = std::to_string(std::clamp(report.code, 0, kCodeMax));
  registry_
      ->HistogramOf(
          kDuration,
          kSecondsBounds,
          {{"name", name}, {"operation", operation}, {"rejected", rejected}, {"type", type}})
      .Observe(report.seconds);
  registry_
      ->CounterOf(kRequests,
                  {{"code", code},
                   {"name", name},
                   {"operation", operation},
                   {"rejected", rejected},
                   {"type", type}})
      .Add();
  if (is_rejected) {
    registry_
        ->CounterOf(kRejections,
                    {{"error_type", std::string(ErrorTypeOf(report.end))},
                     {"name", name},
                     {"operation", operation},
                     {"rejection_code", code},
                     {"type", type}})
        .Add();
  }
  if (report.end == CallEnd::kFailedOpen) {
    registry_->CounterOf(kFailOpen, {{"name", name}, {"type", type}}).Add();
  }
}

}  // namespace dray::server::webhooks
