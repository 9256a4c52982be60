// SPDX-License-Identifier: Apache-2.0
// Objects as stories show them: without what differs from one run to the next.
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

/// What the server chose, by the names that stories have for it: `worker-gpu-#1` is the first name
/// made for the prefix "worker-gpu-", `share#1` the first share, `uid:Pod/p#1` the first pod p's
/// uid.
class Symbols {
 public:
  /// Objects must come in the order in which they were made, shares as they first appear.
  void See(const boost::json::object& object);

  /// `text` with the symbols in place of what was chosen; names that the server generated for
  /// claims of pods which were never stored end in "#?".
  std::string Put(std::string text) const;
  /// `text` with what was chosen in place of each `${SYMBOL}`.
  std::string Resolve(std::string text) const;

 private:
  std::map<std::string, std::string, std::greater<>> chosen_;  // to its symbol; the longest first
  std::map<std::string, size_t> counts_;                       // by what stands before the number
  std::set<std::string> prefixes_;                             // of the claims of pods
};

/// Whether a story shows which incarnation of an owner or consumer is meant.
enum class Uids : uint8_t { kLeftOut, kShown };

/// `object` as a story's snapshot has it; see vectors/stories/README.md, "Normal form".
boost::json::object NormalForm(const boost::json::object& object,
                               const Symbols& symbols,
                               Uids uids = Uids::kLeftOut);

/// `text` with 0xADDRESS in place of addresses in memory, which Go prints in values.
std::string WithoutAddresses(std::string text);

/// What differs, as a story's write names it: "+status.allocation", "~status.conditions[Ready]".
std::vector<std::string> MembersChanged(const boost::json::object& before,
                                        const boost::json::object& after);

}  // namespace dray::stories
