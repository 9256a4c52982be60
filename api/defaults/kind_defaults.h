// SPDX-License-Identifier: Apache-2.0
// The defaults of resource.k8s.io, a row for each kind of each version that has any.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/reflect.h"
#include "api/release.h"
#include "api/value/time.h"

namespace dray::api::defaults {

/// Inputs of defaults besides the object.
struct Context {
  Time now;
  Release release;
};

/// How objects of a type get their defaults.
struct KindDefaults {
  const Type& (*type)();
  void (*set)(void* object, const Context& context);
};

template <class T>
constexpr KindDefaults DefaultsOf(void (*set)(void*, const Context&)) {
  return {&TypeOf<T>, set};
}

template <class Holder, class Value>
void SetIfAbsent(Holder& member, const Value& value) {
  if (!member.has_value()) member = typename Holder::value_type(value);
}

template <class Holder>
void SetIfAbsent(Holder& member) {
  if (!member.has_value()) member.emplace();
}

inline void SetIfEmpty(std::string& member, std::string_view value) {
  if (member.empty()) member = value;
}

/// Rows of resource.k8s.io in all its versions.
std::span<const KindDefaults> ResourceDefaults();
/// Rows of apps, batch, autoscaling and the kinds of core/v1 like them.
std::span<const KindDefaults> WorkloadDefaults();
/// Rows of services, storage, roles and admission.
std::span<const KindDefaults> ClusterDefaults();

}  // namespace dray::api::defaults
