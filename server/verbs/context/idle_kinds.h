// SPDX-License-Identifier: Apache-2.0
// Kinds that the server stores like all others, but that no component of this server acts on. The
// writer of such an object gets a warning.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "base/log.h"
#include "base/mutex.h"

namespace dray::server::verbs::inline context {

/// The effect that objects of the kind do not have here. Empty: the kind has no such effect, or a
/// component of the server brings it about.
std::string_view WhatDoesNotHappen(const api::KindInfo& kind);

/// Safe from any thread.
class IdleKinds {
 public:
  explicit IdleKinds(Log log) : log_(std::move(log)) {}

  /// Call after an object was created. If no component acts on the kind, adds a warning for the
  /// writer and, once for each kind, a line to the log.
  void Report(const api::KindInfo& kind, std::vector<std::string>& warnings);

 private:
  const Log log_;
  Mutex mutex_;
  std::set<std::string_view> reported_ DRAY_GUARDED_BY(mutex_);  // kinds
};

}  // namespace dray::server::verbs::inline context
