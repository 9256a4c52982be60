// SPDX-License-Identifier: Apache-2.0
// Kinds that are kept like all others, and that nothing in this server acts on: who writes one is
// told.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "base/log.h"
#include "base/mutex.h"

namespace dray::server::verbs {

/// What does not happen to objects of the kind; empty where nothing has to, or something does it.
std::string_view WhatDoesNotHappen(const api::KindInfo& kind);

/// Safe from any thread.
class IdleKinds {
 public:
  explicit IdleKinds(Log log) : log_(std::move(log)) {}

  /// An object was created. A warning for its writer, if nothing acts on it; a line in the log,
  /// once for each kind.
  void Tell(const api::KindInfo& kind, std::vector<std::string>& warnings);

 private:
  const Log log_;
  Mutex mutex_;
  std::set<std::string_view> told_ DRAY_GUARDED_BY(mutex_);  // kinds
};

}  // namespace dray::server::verbs
