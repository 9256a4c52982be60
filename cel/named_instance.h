// SPDX-License-Identifier: Apache-2.0
// A named instance of structured parameters (1.30) as the variables of its expressions.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "api/resource_v1alpha2.h"
#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::cel {

/// An instance made ready for evaluation (Purpose::kNamedResources), to be built once and used by
/// any number of selectors and threads. Refers to the instance. Costs O(n log n) for n attributes.
class NamedInstance {
 public:
  explicit NamedInstance(const api::resource_v1alpha2::NamedResourcesInstance& instance);
  NamedInstance(const NamedInstance&) = delete;
  NamedInstance& operator=(const NamedInstance&) = delete;
  ~NamedInstance() = default;

  /// Why no selector can be evaluated on this instance, or empty: a version that is none.
  const std::string& error() const { return error_; }
  /// `attributes.bool`, `attributes.int` and so on, in the order of the environment. Valid only if
  /// there is no error.
  std::span<const Value> variables() const { return variables_; }

 private:
  static constexpr size_t kVariables = 7;

  Arena arena_;
  std::array<Value, kVariables> variables_;
  std::string error_;
};

}  // namespace dray::cel
