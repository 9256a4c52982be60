// SPDX-License-Identifier: Apache-2.0
// Device selectors: the CEL expressions of DeviceClasses and ResourceClaims.
//
//   const auto selector = dray::allocator::Selector::Compile(
//       R"(device.attributes["gpu.example.com"].model == "a100")");
//   if (!selector) return selector.error();  // with the position in the expression
//
//   const auto matches = selector->Matches("gpu.example.com", slice.spec.devices[0]);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/resource_v1/slice.h"
#include "base/result.h"
#include "dray/features.h"

namespace dray::allocator::inline v0 {

/// A compiled selector. Immutable, cheap to copy, safe for any number of threads at once.
class Selector {
 public:
  /// Compiles for a cluster with these features. O(length); does not evaluate on a device. The
  /// selector knows no time zones but UTC and offsets.
  ///
  /// Errors, in upstream's words:
  ///     kInvalid        too long; "compilation failed: ERROR: <input>:1:…" with the caret form;
  ///                     "must evaluate to bool or the unknown type, not T"
  ///     kInternalError  "program instantiation failed: …": a constant part fails
  static Result<Selector> Compile(std::string_view expression, const Features& features = {});

  /// Whether the device of the driver matches. Deterministic. Ends at the latest when the API's
  /// cost limit is exceeded. O(attributes) plus the evaluation. Errors: kInvalid with upstream's
  /// words: a missing key, an exceeded cost limit, …
  Result<bool> Matches(std::string_view driver, const api::resource_v1::Device& device) const;

  /// The estimate of the highest cost of one evaluation that admission compares with kCostMax.
  uint64_t EstimatedCost() const;
  static constexpr uint64_t kCostMax = 1'000'000;

 private:
  class Impl;

  explicit Selector(std::shared_ptr<const Impl> impl);

  std::shared_ptr<const Impl> impl_;
};

/// Returns the compiled file (RFC 9636) of a time zone that a selector names, such as
/// "Europe/Berlin". Called on any thread, once for each zone that exists. Errors become those of
/// the selector.
using ReadZoneFile = std::function<Result<std::string>(std::string_view name)>;

class SelectorCache;

/// Compiled selectors that several snapshots of clusters with these features share: the most
/// recently used expressions, with their errors. Thread-safe. `entries_max` is at least 1. Without
/// `zone_files` the selectors know no time zones but UTC and offsets.
std::shared_ptr<SelectorCache> SelectorCacheFor(const Features& features,
                                                size_t entries_max,
                                                ReadZoneFile zone_files = {});

}  // namespace dray::allocator::inline v0
