// SPDX-License-Identifier: Apache-2.0
// Writes that a server makes on its own account, when it starts and as it runs, and that somebody
// else's rule refuses: a policy, a quota, an object that stands in the way. No such rule keeps a
// server from starting; it tries again, and says meanwhile what is missing and why.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "api/object.h"
#include "base/mutex.h"
#include "base/result.h"

namespace dray::server::verbs {

/// Safe from any thread.
class OwnWrites {
 public:
  /// Refused writes that are remembered: the first ones.
  static constexpr size_t kRememberedMax = 1000;
  /// Of them, those that are shown, and bytes of each.
  static constexpr size_t kShownMax = 20;
  static constexpr size_t kShownBytesMax = 500;

  /// What came of a write that is called `what`. One that is made, or there, is forgotten.
  void Note(const std::string& what, const Result<>& made);

  bool all_made() const;
  /// "Service default/kubernetes: why", by name; the last one counts what is not shown. Without
  /// control characters.
  std::vector<std::string> Refused() const;

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::string> refused_ DRAY_GUARDED_BY(mutex_);  // why, by what
};

/// What a write of `object` is called: "Service default/kubernetes".
std::string NameOfWrite(const api::Object& object);

/// Whether `error` is somebody's rule: not a store that cannot be reached or written to.
bool IsRefusal(const Error& error);

}  // namespace dray::server::verbs
