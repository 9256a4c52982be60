// SPDX-License-Identifier: Apache-2.0
// A long text in pieces that others may share.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/frozen.h"

namespace dray::server::documents {

/// Texts, one after the other. Copying it copies no text.
class TextPieces {
 public:
  struct Piece {
    Frozen<std::string> owner;
    std::string_view text;
  };

  TextPieces() = default;
  explicit TextPieces(std::string only) { Add(std::move(only)); }

  void Add(std::string text);
  /// Adds `text` from `begin` on.
  void Add(Frozen<std::string> text, size_t begin = 0);

  void Add(const TextPieces& others);

  const std::vector<Piece>& pieces() const { return pieces_; }
  size_t size() const { return size_; }
  /// All pieces as one string. O(size).
  std::string Joined() const;

 private:
  std::vector<Piece> pieces_;
  size_t size_ = 0;
};

}  // namespace dray::server::documents
