// SPDX-License-Identifier: Apache-2.0
// The regular expression of a `pattern` in a schema.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <re2/re2.h>

#include "base/lazy.h"
#include "base/result.h"

namespace dray::custom::schema {

/// Instructions that all patterns of one schema may compile to: 64 MiB.
inline constexpr size_t kSchemaPatternsMax = 4U << 20U;

/// What the patterns of one schema may still take.
struct PatternBudget {
  std::atomic<size_t> instructions_left = kSchemaPatternsMax;
};

/// A pattern in the syntax of Go's regexp package, which is compiled when it is first used: a
/// definition with many patterns costs nothing until objects have texts for them. May be used by
/// many threads.
class Pattern {
 public:
  Pattern() = default;
  /// `budget` must outlive the pattern.
  Pattern(std::string text, PatternBudget& budget) : text_(std::move(text)), budget_(&budget) {}

  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }

  /// What matching `text` may take, in steps of an instruction and a byte; 0 without a pattern.
  uint64_t WorkOf(std::string_view text) const;

  /// Whether some part of `text` matches.
  /// Errors: kInvalid  in Go's words: the pattern does not compile, or the budget is used up.
  Result<bool> Matches(std::string_view text) const;

 private:
  using Compiled = Result<std::shared_ptr<const RE2>>;
  const Compiled& compiled() const;

  std::string text_;
  PatternBudget* budget_ = nullptr;
  Lazy<Compiled> compiled_;
};

}  // namespace dray::custom::schema
