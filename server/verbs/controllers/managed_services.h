// SPDX-License-Identifier: Apache-2.0
// The APIServices of the versions that definitions add: one for each version that is served, and
// none of the server's own besides.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::inline controllers {

/// Belongs to one thread. `core` outlives it.
class ManagedServices {
 public:
  explicit ManagedServices(const Core& core) : core_(core) {}

  /// A definition serves `version` of `group`, or no longer does. O(log n).
  void Add(std::string_view group, std::string_view version);
  void Remove(std::string_view group, std::string_view version);
  /// The APIService of that name was written or deleted. O(log n).
  void NoteChange(std::string name) { noted_.insert(std::move(name)); }

  /// Creates and deletes APIServices, as far as something was noted since the last call.
  /// O(what was noted). Errors: that of the first write that failed; it is tried again next time.
  Result<> Match(const store::Snapshot& snapshot);

 private:
  struct Version {
    std::string group, version;
    size_t definitions = 0;  // that serve it
  };

  Result<> MatchOne(const store::Snapshot& snapshot, const std::string& name);

  const Core& core_;
  std::map<std::string, Version, std::less<>> wanted_;  // by the name of the APIService
  std::set<std::string, std::less<>> noted_;
};

}  // namespace dray::server::verbs::inline controllers
