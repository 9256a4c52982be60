// SPDX-License-Identifier: Apache-2.0
// Linearizability of the operations on one key: whether there is an order of them that respects the
// clock and in which every answer is right.
//
// The search of Wing and Gong as improved by Lowe: an operation may come next if nothing that must
// precede it is left; states reached before with the same operations done are not visited again.
// Where answers have revisions, these leave one candidate; the search is for reads without a
// revision and for writes of unknown outcome.
//
// A transaction over several keys counts on each of them as an operation of its own, so this is a
// necessary condition there; that its parts belong together is checked along the revisions
// (arrangement.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/strong.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"

namespace dray::history {

/// One operation as it concerns one key.
struct KeyStep {
  enum class Kind : uint8_t {
    kRead,     // the key held `item`, or was absent
    kPut,      // it holds `item` since then
    kDelete,   // it is absent from then on; `item` is the deleted record
    kRefused,  // it had the value `item`, or was absent, and was not last modified at `expected`
  };
  Kind kind = Kind::kRead;
  Moment called = 0;
  Moment returned = 0;                 // it happened before this moment; the greatest moment if
                                       // unknown
  bool is_certain = true;              // otherwise it may never have happened
  bool is_expiry = false;              // the store expired the value that `operation` had put
  bool shows_item = true;              // if false, `item` is unknown; a put always has it
  std::optional<Item> item{};          // of a put, `created` and `version` may be 0: unknown
  std::optional<Revision> expected{};  // it was last modified then; 0: it was absent
  Revision revision{};                 // of the state after it; 0: unknown
  const Operation* operation = nullptr;
};

/// The operations of `history` that concern `key`, in the order of their calls. Reads whose
/// freshness is not kLinearizable do not.
std::vector<KeyStep> StepsOn(const History& history, std::string_view key);

struct KeyOrder {
  enum class Verdict : uint8_t { kExists, kNone, kUndecided };
  Verdict verdict = Verdict::kExists;
  size_t steps = 0;
  std::string text;  // kNone: the steps that could be ordered, and those that could not follow
};

/// Looks for an order of `steps` (ascending by `called`), from `first`, in at most `steps_max`
/// steps. Steps with known revisions are in the order of these.
KeyOrder FindKeyOrder(std::string_view key,
                      const std::optional<Item>& first,
                      const std::vector<KeyStep>& steps,
                      size_t steps_max);

}  // namespace dray::history
