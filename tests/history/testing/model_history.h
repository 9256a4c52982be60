// SPDX-License-Identifier: Apache-2.0
// Random histories of a correct store, and mutations of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string_view>
#include <vector>

#include "base/world.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"

namespace dray::history::testing {

struct ModelOptions {
  uint64_t seed = 1;
  size_t clients = 4;
  size_t watchers = 3;
  size_t operations = 80;
  size_t keys = 6;
  /// The part of all writes whose outcome the client does not learn.
  uint64_t unknown_percent = 10;
  /// The part of all linearizable gets whose answer lacks the revision of its state.
  uint64_t hidden_percent = 20;
};

/// Free moments between any two events of a run, in which mutations can place others.
inline constexpr Moment kMomentGap = 10;

/// Clients call; a store carries the call out at some later moment, and answers at a still later
/// one. There are two servers, of which one lags, watchers that reconnect, and keys that expire.
History ModelHistory(const ModelOptions& options);

/// Something that breaks a promise.
struct Mutation {
  std::string_view name;
  /// One of these must be among the findings.
  std::set<Property> found_as;
  /// Applies it at a random place; false, with nothing changed, if there is none.
  std::function<bool(History&, Random&)> apply;
};

std::vector<Mutation> AllMutations();

}  // namespace dray::history::testing
