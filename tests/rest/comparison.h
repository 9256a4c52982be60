// SPDX-License-Identifier: Apache-2.0
// Compares an answer with the recorded one, by the rules of the recordings' README.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json.hpp>

namespace dray::rest {

/// Maps recorded values that each server chooses itself to their values now: uids, resource
/// versions, generated names.
class Chosen {
 public:
  void Bind(const std::string& variable, const std::string& recorded, const std::string& now);
  /// `text` with the latest value for each ${variable}; "unbound" for one that no answer bound.
  std::string Fill(std::string_view text) const;
  /// Recorded `text` with the values of now.
  std::string Now(std::string text) const;
  /// The recorded `text` with current versions in place of recorded ones that no step has bound;
  /// they are known from the answers.
  std::string NowByVersion(std::string text) const;
  /// Two resource versions are equal now if and only if they were when recorded.
  bool AgreesOnVersion(const std::string& recorded, const std::string& now);

 private:
  std::map<std::string, std::string, std::less<>> variables_;
  std::map<std::string, std::string> now_;  // by recorded value
  std::map<std::string, std::string> versions_, versions_back_;
};

/// The allowed differences of one answer.
struct Freedom {
  std::set<std::string, std::less<>> pointers;                    // of which only the type counts
  std::multimap<std::string, std::string, std::less<>> patterns;  // pointer → regular expression
  /// uids, versions and times are recognized by their type everywhere, because the recording does
  /// not mark them
  bool marks_nothing = false;

  static Freedom Of(const boost::json::object& entry);
};

/// Limit of the differences reported, each with its place.
inline constexpr size_t kDifferencesMax = 4;
std::vector<std::string> Differences(const boost::json::value& expected,
                                     const boost::json::value& got,
                                     const Freedom& freedom);

/// Resource versions of objects, at the free places of an answer, that do not agree.
std::vector<std::string> VersionDifferences(const boost::json::value& recorded,
                                            const boost::json::value& got,
                                            const Freedom& freedom,
                                            Chosen& chosen);

}  // namespace dray::rest
