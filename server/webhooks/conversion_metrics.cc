// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/conversion_metrics.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace dray::server::webhooks {
namespace {

constexpr std::array kCallBounds = {
    0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 45.0, 60.0};
constexpr std::array kConversionBounds = {0.001,
                                          0.002,
                                          0.004,
                                          0.008,
                                          0.016,
                                          0.032,
                                          0.064,
                                          0.128,
                                          0.256,
                                          0.512,
                                          1.024,
                                          2.048,
                                          4.096,
                                          8.192,
                                          16.384};

constexpr metrics::Description kConversions = {
    .name = "apiserver_crd_conversion_webhook_duration_seconds",
    .help = "Seconds that conversions of custom objects by webhooks took."};
constexpr metrics::Description kCalls = {.name = "apiserver_conversion_webhook_request_total",
                                         .help = "Calls of conversion webhooks."};
constexpr metrics::Description kCallSeconds = {
    .name = "apiserver_conversion_webhook_duration_seconds",
    .help = "Seconds that calls of conversion webhooks took."};

std::string_view FailureTypeOf(ConversionEnd end) {
  switch (end) {
    case ConversionEnd::kConverted: return {};
    case ConversionEnd::kNoAnswer: return "conversion_webhook_call_failure";
    case ConversionEnd::kMalformed: return "conversion_webhook_malformed_response_failure";
    case ConversionEnd::kPartial: return "conversion_webhook_partial_response_failure";
    case ConversionEnd::kInvalidObject:
      return "conversion_webhook_invalid_converted_object_failure";
  }
  return {};
}

metrics::Labels LabelsOf(const ConversionReport& report, metrics::LimitedNames& conversions) {
  const bool is_own =
      conversions.Takes(fmt::format("{} {} {}", report.definition, report.from, report.to));
  const auto or_other = [is_own](std::string_view name) {
    return std::string(is_own ? name : metrics::LimitedNames::kOther);
  };
  return {{"crd_name", or_other(report.definition)},
          {"from_version", or_other(report.from)},
          {"succeeded", report.end == ConversionEnd::kConverted ? "true" : "false"},
          {"to_version", or_other(report.to)}};
}

}  // namespace

void ConversionMetrics::Note(const ConversionReport& report) {
  if (registry_ == nullptr) return;
  const bool is_done = report.end == ConversionEnd::kConverted;
  const metrics::Labels of_call = {{"failure_type", std::string(FailureTypeOf(report.end))},
                                   {"result", is_done ? "success" : "failure"}};
  registry_->CounterOf(kCalls, of_call).Add();
  registry_->HistogramOf(kCallSeconds, kCallBounds, of_call).Observe(report.seconds);
  registry_->HistogramOf(kConversions, kConversionBounds, LabelsOf(report, conversions_))
      .Observe(report.seconds);
}

}  // namespace dray::server::webhooks
