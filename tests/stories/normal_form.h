// SPDX-License-Identifier: Apache-2.0
// Objects in the form of stories: without parts that differ between runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

namespace dray::stories {

/// The values that the server chose, by their symbols in stories: `worker-gpu-#1` is the first name
/// generated for the prefix "worker-gpu-", `share#1` the first share, `uid:Pod/p#1` the first pod
/// p's uid.
class Symbols {
 public:
  /// Call it for objects in the order in which they were made, and for shares in the order of their
  /// first use.
  void See(const boost::json::object& object);

  /// `text` with symbols in place of chosen values; names generated for claims of pods that were
  /// never stored end in "#?".
  std::string Put(std::string text) const;
  /// `text` with the chosen value in place of each `${SYMBOL}`.
  std::string Resolve(std::string text) const;

 private:
  std::map<std::string, std::string, std::greater<>> chosen_;  // to its symbol; the longest first
  std::map<std::string, size_t> counts_;                       // by the part before the number
  std::set<std::string> prefixes_;                             // of the claims of pods
};

/// Whether a story distinguishes incarnations of an owner or consumer.
enum class Uids : uint8_t { kLeftOut, kShown };

/// The form of `object` in a story's snapshot; see vectors/stories/README.md, "Normal form".
boost::json::object NormalForm(const boost::json::object& object,
                               const Symbols& symbols,
                               Uids uids = Uids::kLeftOut);

/// `text` with 0xADDRESS in place of addresses in memory, which Go prints in values.
std::string WithoutAddresses(std::string text);

/// The differences, in the form of a story's write: "+status.allocation",
/// "~status.conditions[Ready]".
std::vector<std::string> MembersChanged(const boost::json::object& before,
                                        const boost::json::object& after);

}  // namespace dray::stories
