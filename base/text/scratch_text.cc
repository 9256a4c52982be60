// SPDX-License-Identifier: Apache-2.0
#include "base/text/scratch_text.h"

#include <utility>

namespace dray::inline text {
namespace {

std::string& Kept() {
  static thread_local std::string kept;
  return kept;
}

}  // namespace

std::string ScratchText::TakeKept() {
  std::string text = std::move(Kept());
  Kept().clear();
  text.clear();
  return text;
}

void ScratchText::Keep(std::string& text) {
  std::string& kept = Kept();
  if (text.capacity() <= kKeptBytesMax && text.capacity() > kept.capacity()) kept.swap(text);
}

}  // namespace dray::inline text
