// SPDX-License-Identifier: Apache-2.0
// Reusable memory for texts that are made often and copied when complete.
#pragma once

#include <cstddef>
#include <string>

namespace dray::inline text {

/// An empty text to write to, in memory that this thread used for its previous one. So writing
/// allocates nothing, and a copy of the result is exactly as long as needed.
///
/// Any number may exist at the same time. The thread keeps the memory of one of them, up to
/// kKeptBytesMax.
class ScratchText {
 public:
  static constexpr size_t kKeptBytesMax = size_t{64} << 10U;

  ScratchText() : text_(TakeKept()) {}
  ~ScratchText() { Keep(text_); }
  ScratchText(const ScratchText&) = delete;
  ScratchText& operator=(const ScratchText&) = delete;

  std::string& operator*() { return text_; }
  const std::string& operator*() const { return text_; }
  std::string* operator->() { return &text_; }
  const std::string* operator->() const { return &text_; }

 private:
  static std::string TakeKept();
  static void Keep(std::string& text);

  std::string text_;
};

}  // namespace dray::inline text
