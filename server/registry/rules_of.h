// SPDX-License-Identifier: Apache-2.0
// Adapts rules of a struct to the rules of objects in a Strategy.
#pragma once

#include <vector>

#include "api/object.h"
#include "api/reflect.h"
#include "api/validation/options.h"
#include "base/check.h"
#include "base/result.h"
#include "server/registry/strategy.h"

namespace dray::server::registry {

/// Calls the rule with the objects, and with the options or their profile if it takes them.
template <auto kRule, class... Objects>
std::vector<ErrorCause> Call(const api::validation::Options& options, const Objects&... objects) {
  if constexpr (requires { kRule(objects..., options); }) {
    return kRule(objects..., options);
  } else if constexpr (requires { kRule(objects..., options.profile); }) {
    return kRule(objects..., options.profile);
  } else {
    return kRule(objects...);
  }
}

/// Whether Call() can call the rule with these objects.
template <auto kRule, class... Objects>
concept Takes = requires(const api::validation::Options& options, const Objects&... objects) {
  kRule(objects..., options);
} || requires(const api::validation::Options& options, const Objects&... objects) {
  kRule(objects..., options.profile);
} || requires(const Objects&... objects) { kRule(objects...); };

/// The rule of a struct as one of objects. The rule may take the stored object by pointer, null for
/// a new object; by reference, if it is a rule of updates; or not at all.
template <class T, auto kRule>
std::vector<ErrorCause> Rule(const api::Object& object,
                             const api::Object* stored,
                             const api::validation::Options& options) {
  const T& next = object.As<T>();
  const T* const old = stored == nullptr ? nullptr : &stored->As<T>();
  if constexpr (Takes<kRule, T, const T*>) {
    return Call<kRule>(options, next, old);
  } else if constexpr (Takes<kRule, T, T>) {
    DRAY_CHECK(old != nullptr);
    return Call<kRule>(options, next, *old);
  } else {
    return Call<kRule>(options, next);
  }
}

/// For some kinds upstream applies the rules of new objects twice to an update, and reports both
/// lists.
template <class T, auto kRule>
std::vector<ErrorCause> Twice(const api::Object& object,
                              const api::Object* stored,
                              const api::validation::Options& options) {
  std::vector<ErrorCause> causes = Rule<T, kRule>(object, stored, options);
  const std::vector<ErrorCause> once = causes;
  causes.insert(causes.end(), once.begin(), once.end());
  return causes;
}

/// Applies the rule of new objects to updates, too.
template <class T, auto kRule>
constexpr Strategy kAlwaysAsNew = {
    .type = &api::TypeOf<T>, .validate_create = Rule<T, kRule>, .validate_update = Rule<T, kRule>};

}  // namespace dray::server::registry
