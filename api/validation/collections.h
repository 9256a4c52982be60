// SPDX-License-Identifier: Apache-2.0
// Rules for lists, sets and maps: how many entries there may be, in which order they are checked,
// and how a duplicate is reported. Releases differ in all three.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "api/validation/shown_in_version.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation {

/// The pass that reports an error since 1.37.
enum class Pass : uint8_t { kWritten, kCovered };

inline FieldErrors& ErrorsOf(Pass pass, Findings& out) {
  return pass == Pass::kWritten ? out.written : out.covered();
}

/// Checks each item with `check(item, path of the item)`, and that there are at most `max` of them.
/// Since 1.34 the items of a list that is too long are not checked; before, they were, and the
/// length came last. Returns whether to check the list further.
template <class T, class Check>
// NOLINTNEXTLINE(readability-function-size): the rule, where it looks, where it tells
bool CheckItems(const std::vector<T>& items,
                size_t max,
                Pass size_pass,
                const Path& path,
                Findings& out,
                Check check) {
  FieldErrors& errors = ErrorsOf(size_pass, out);
  if (out.Since(34) && !IsWithin(items.size(), max, path, errors)) return false;
  for (size_t i = 0; i < items.size(); ++i) check(items[i], path.Index(i));
  if (!out.Since(34)) IsWithin(items.size(), max, path, errors);
  return true;
}

/// The identity of items of a set.
struct SetKey {
  /// Before the release `item_since` the error named the repeated member: `[1].name`. Empty: it
  /// always names the item.
  std::string_view member = {};
  int item_since = 35;
  Pass pass = Pass::kCovered;
};

/// Reports each item of `items` whose `key(item)` was met before, shown by `show(item)`.
template <class T, class Key, class Show>
// NOLINTNEXTLINE(readability-function-size): the rule, where it looks, where it tells
void CheckDistinct(const std::vector<T>& items,
                   SetKey set_key,
                   const Path& path,
                   Findings& out,
                   Key key,
                   Show show) {
  FieldErrors& errors = ErrorsOf(set_key.pass, out);
  std::set<std::decay_t<std::invoke_result_t<Key, const T&>>> seen;
  for (size_t i = 0; i < items.size(); ++i) {
    if (seen.insert(key(items[i])).second) continue;
    const Path at = path.Index(i);
    const bool by_member = !set_key.member.empty() && !errors.Since(set_key.item_since);
    errors.Duplicate(by_member ? at.Child(set_key.member) : at, show(items[i]));
  }
}

/// The same for structs with a name: declarative checks show the whole item, hand-written rules the
/// name.
template <class T, class Name>
void CheckDistinctNames(
    const std::vector<T>& items, SetKey set_key, const Path& path, Findings& out, Name name) {
  const bool whole = set_key.pass == Pass::kCovered && out.is_declarative();
  CheckDistinct(items, set_key, path, out, name, [&](const T& item) {
    return whole ? ShownInVersion(item, out) : Shown(name(item));
  });
}

/// The same for strings.
inline void CheckDistinctStrings(const std::vector<std::string>& items,
                                 Pass pass,
                                 const Path& path,
                                 Findings& out) {
  CheckDistinctStrings(items, path, ErrorsOf(pass, out));
}

/// A list of strings, each once.
template <class Check>
void CheckStringSet(const std::vector<std::string>& items,
                    size_t max,
                    const Path& path,
                    Findings& out,
                    Check check) {
  if (!CheckItems(items, max, Pass::kCovered, path, out, check)) return;
  CheckDistinctStrings(items, Pass::kCovered, path, out);
}

/// Where an error about the key of a map entry stands: at the map, from 1.32 to 1.35 at the entry.
inline Path KeyPath(const Path& map, const Path& entry, const Findings& out) {
  return out.Since(32) && !out.Since(36) ? entry : map;
}

}  // namespace dray::api::validation
