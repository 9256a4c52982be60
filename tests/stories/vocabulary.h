// SPDX-License-Identifier: Apache-2.0
// The names of kinds in the release of a story.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

namespace dray::stories {

/// A kind that the story shows. Kinds that no served version has are left out.
struct Shown {
  std::string_view plural, api_version;
  bool in_writes = true;
};
/// The names in a release, and the parts that it shows.
struct Vocabulary {
  std::vector<Shown> shown;
  std::map<std::string, std::string, std::less<>> versions;  // of kinds that a deed names without
};
Vocabulary VocabularyOf(const boost::json::object& story);

/// Whether the story is of that release, as "1.30".
bool IsOf(const boost::json::object& story, std::string_view minor);
/// Whether it is about classic DRA, whose stories have a form of their own.
bool IsClassic(const boost::json::object& story);
/// "1.37" of 1.37.0.
std::string ReleaseOf(const boost::json::object& story);

/// The numbers of a deed that is repeated for each of them, with at least `width` digits.
struct Repeat {
  int64_t from = 0, to = 0, width = 0;
};
/// Precondition: its members are numbers.
Repeat RepeatOf(const boost::json::object& repeat);

/// "resourceclaims" of ResourceClaim, "priorityclasses", "networkpolicies".
std::string PluralOf(std::string_view kind);

}  // namespace dray::stories
