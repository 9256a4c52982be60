// SPDX-License-Identifier: Apache-2.0
// How calls of conversion webhooks went, for `/metrics`; under upstream's names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "metrics/limited_names.h"
#include "metrics/registry.h"

namespace dray::server::webhooks {

/// Conversions, each a definition and two of its versions, that have metrics of their own; later
/// ones share the labels "other". The author of a definition chooses the names of versions.
inline constexpr size_t kMeasuredConversionsMax = 1'000;

/// What became of a call.
enum class ConversionEnd : uint8_t {
  kConverted,
  kNoAnswer,       // the call failed, or its answer is no review
  kMalformed,      // the review does not say that objects were converted
  kPartial,        // another number of objects
  kInvalidObject,  // an object is not what was asked for
};

struct ConversionReport {
  std::string_view definition;  // "widgets.example.com"
  std::string_view from, to;    // versions
  ConversionEnd end = ConversionEnd::kConverted;
  double seconds = 0;
};

/// Safe from any thread.
class ConversionMetrics {
 public:
  /// `registry` outlives it; null: nothing is counted.
  explicit ConversionMetrics(metrics::Registry* registry) : registry_(registry) {}

  void Note(const ConversionReport& report);

 private:
  metrics::Registry* const registry_;
  metrics::LimitedNames conversions_{kMeasuredConversionsMax};
};

}  // namespace dray::server::webhooks
