// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/pattern.h"

#include <algorithm>

#include "cel/library/regex.h"

namespace dray::custom::schema {
namespace {

// Takes `count` away from `left`, or all there is.
void Spend(std::atomic<size_t>& left, size_t count) {
  size_t now = left.load(std::memory_order_relaxed);
  while (!left.compare_exchange_weak(now, now - std::min(now, count), std::memory_order_relaxed)) {
  }
}

}  // namespace

const Pattern::Compiled& Pattern::compiled() const {
  return compiled_.Get([&] {
    const size_t before = std::min(budget_->instructions_left.load(std::memory_order_relaxed),
                                   cel::library::kExpressionPatternsMax);
    size_t left = before;
    Compiled made = cel::library::CompileRegex(text_, left);
    Spend(budget_->instructions_left, before - left);
    return made;
  });
}

uint64_t Pattern::WorkOf(std::string_view text) const {
  if (empty() || !compiled()) return 0;
  return text.size() * static_cast<uint64_t>((*compiled())->ProgramSize());
}

Result<bool> Pattern::Matches(std::string_view text) const {
  const Compiled& pattern = compiled();
  if (!pattern) return Fail(pattern.error());
  const re2::StringPiece piece(text.data(), text.size());
  return (*pattern)->Match(piece, 0, text.size(), RE2::UNANCHORED, nullptr, 0);
}

}  // namespace dray::custom::schema
