// SPDX-License-Identifier: Apache-2.0
// Writes that the server makes on its own account, at start and later, and that a rule in the
// cluster refuses: a policy, a quota, an object with the same name. No such rule keeps the server
// from starting: it retries the write, and reports meanwhile what is missing and why.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "api/object.h"
#include "base/mutex.h"
#include "base/result.h"

namespace dray::server::verbs::inline context {

/// Safe from any thread.
class OwnWrites {
 public:
  /// The most refused writes that are remembered; later ones are dropped.
  static constexpr size_t kRememberedMax = 1000;
  /// The most refused writes that Refused() shows, and the most bytes of each.
  static constexpr size_t kShownMax = 20;
  static constexpr size_t kShownBytesMax = 500;

  /// Records the result of the write named `what`. Success forgets an earlier refusal.
  void Note(const std::string& what, const Result<>& made);

  bool all_made() const;
  /// Lines such as "Service default/kubernetes: why", sorted by name, without control characters.
  /// If there are more than kShownMax, a last line counts the others.
  std::vector<std::string> Refused() const;

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::string> refused_ DRAY_GUARDED_BY(mutex_);  // why, by what
};

/// The name of a write of `object`: "Service default/kubernetes".
std::string NameOfWrite(const api::Object& object);

/// Whether `error` is a refusal by a rule, rather than a store that cannot be reached or written.
bool IsRefusal(const Error& error);

}  // namespace dray::server::verbs::inline context
