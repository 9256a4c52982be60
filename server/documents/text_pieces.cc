// SPDX-License-Identifier: Apache-2.0
#include "server/documents/text_pieces.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace dray::server::documents {

void TextPieces::Add(std::string text) {
  Add(std::make_shared<const std::string>(std::move(text)));
}

void TextPieces::Add(Frozen<std::string> text, size_t begin) {
  const std::string_view piece = std::string_view(*text).substr(begin);
  if (piece.empty()) return;
  size_ += piece.size();
  pieces_.push_back({.owner = std::move(text), .text = piece});
}

void TextPieces::Add(const TextPieces& others) {
  pieces_.insert(pieces_.end(), others.pieces_.begin(), others.pieces_.end());
  size_ += others.size_;
}

std::string TextPieces::Joined() const {
  std::string text;
  text.reserve(size_ + 1);  // as Encoded() ends it
  for (const Piece& piece : pieces_) text += piece.text;
  return text;
}

}  // namespace dray::server::documents
