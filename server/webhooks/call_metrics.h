// SPDX-License-Identifier: Apache-2.0
// How calls of admission webhooks went, for `/metrics`; under upstream's names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "metrics/limited_names.h"
#include "metrics/registry.h"
#include "server/policies/admission_request.h"
#include "server/webhooks/webhook.h"

namespace dray::server::webhooks {

/// Webhooks that have metrics of their own; later ones share the name "other".
inline constexpr size_t kMeasuredMax = 500;

/// What became of a call.
enum class CallEnd : uint8_t {
  kAllowed,
  kDenied,      // by the webhook
  kFailed,      // the call failed, and so did the request
  kFailedOpen,  // the call failed, and the request passed
  kBroken,      // the server could not carry out what the webhook said
};

struct CallReport {
  std::string_view webhook;
  Purpose purpose = Purpose::kValidate;
  policies::Operation operation = policies::Operation::kCreate;
  CallEnd end = CallEnd::kAllowed;
  int code = 0;  // HTTP status of the answer, or of the denial
  double seconds = 0;
};

/// Safe from any thread.
class CallMetrics {
 public:
  /// `registry` outlives it; null: nothing is counted.
  explicit CallMetrics(metrics::Registry* registry) : registry_(registry) {}

  void Note(const CallReport& report);

 private:
  metrics::Registry* const registry_;
  metrics::LimitedNames names_{kMeasuredMax};
};

}  // namespace dray::server::webhooks
