// SPDX-License-Identifier: Apache-2.0
// Compares answers of the allocator with upstream's (tests/data/vectors/allocator/README.md, "How
// an answer is judged").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "api/release.h"
#include "base/result.h"
#include "dray/outcome.h"

namespace dray::vectors {

/// An answer in the form of the vectors: outcome, results or error. Share ids are numbered, and
/// quantities are spelt as by upstream's encoder. Results of 1.31 are v1alpha3.
boost::json::object AnswerJson(const Result<allocator::Outcome>& outcome, api::Release release);

/// Upstream's answer for one node: an entry of `outcomes`.
class Expected {
 public:
  explicit Expected(const boost::json::object& outcome) : outcome_(outcome) {}

  /// The answer of the profile with that label; null if it has none.
  const boost::json::object* AnswerOf(std::string_view label) const;
  /// Its number of search steps, if known.
  std::optional<int64_t> StepsOf(std::string_view label) const;

 private:
  const boost::json::object& outcome_;
};

/// Whether upstream gave up: any answer is acceptable.
bool IsTimeout(const boost::json::object& expected);

/// The difference of `got` from upstream's answer; empty if there is none. If upstream's answer is
/// random, `got` must equal the one for pools in the order of their names, or else any that was
/// recorded.
std::string Difference(const boost::json::object& expected, const boost::json::object& got);

}  // namespace dray::vectors
