// SPDX-License-Identifier: Apache-2.0
// How the durable forms of objects lie in memory: packed by a dictionary of their kind.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/dictionary.h"
#include "base/frozen.h"
#include "base/mutex.h"

namespace dray::server::storage {

struct Packed {
  std::string_view bytes;         // valid as long as what was packed, and the room for it
  Frozen<Dictionary> dictionary;  // null: the bytes are as they were
};

/// A dictionary for each kind, which learns from what it packs. Thread-safe.
class Packing {
 public:
  /// What is shorter stays as it is.
  static constexpr size_t kShortBytes = 128;
  /// Kinds that have a dictionary of their own: those that came first. All others share one.
  static constexpr size_t kKindsMax = 64;

  /// A durable form, in `room`, which is empty, if it becomes shorter by a quarter. Secrets stay as
  /// they are. O(size).
  Packed Pack(std::string_view bytes, std::string& room);

 private:
  std::shared_ptr<Dictionary> DictionaryFor(std::string_view kind);

  Mutex mutex_;
  std::map<std::string, std::shared_ptr<Dictionary>, std::less<>> dictionaries_
      DRAY_GUARDED_BY(mutex_);
};

/// That of this process; there is one because records of several stores hold it.
Packing& PackingOfProcess();

}  // namespace dray::server::storage
