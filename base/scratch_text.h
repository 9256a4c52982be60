// SPDX-License-Identifier: Apache-2.0
// Memory for texts that are made often and copied once they are complete.
#pragma once

#include <cstddef>
#include <string>

namespace dray {

/// An empty text to make something in, in the memory that this thread used for the one before. So
/// what is made costs no memory until somebody copies it, and the copy is no longer than it is.
///
/// Any number may live at the same time; the memory of one of them is kept, up to kKeptBytesMax.
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

}  // namespace dray
