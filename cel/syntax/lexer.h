// SPDX-License-Identifier: Apache-2.0
// From text to tokens (cel-spec, "Syntax").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cel/syntax/source_error.h"

namespace dray::cel::syntax {

enum class TokenKind : uint8_t {
  kEnd,
  kIdentifier,
  kQuotedIdentifier,  // `a-b`, the text without the backticks
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTrue,
  kFalse,
  kNull,
  kIn,
  kOperator,  // and every punctuation mark; `symbol` says which
};

/// An operator or mark: the character itself if there is one, as Mark makes it.
enum class Symbol : uint8_t {
  kNone = 0,
  kAnd = 1,  // &&
  kOr,
  kEqual,
  kNotEqual,
  kLessEqual,
  kGreaterEqual,
  kIn,  // the token kIn
};

constexpr Symbol Mark(char c) {
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): any byte fits
  return Symbol{static_cast<uint8_t>(c)};
}

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Symbol symbol = Symbol::kNone;
  uint32_t offset = 0;    // byte in the expression
  std::string_view text;  // as written
};

/// Whether upstream reads on behind a point that this token follows: a name, or one of true, false
/// and null, which is then found to be no name.
bool MayFollowPoint(const Token& token);
/// Whether an operand may begin with this token.
bool BeginsOperand(const Token& token);

/// Whether the language has names in backticks: releases since 1.33.
enum class QuotedNames : bool { kNo, kYes };

/// Cuts `expression` into tokens; the last one is kEnd. White space and // comments are dropped.
/// An unrecognised character adds one error and ends the list.
std::vector<Token> Tokenize(std::string_view expression,
                            QuotedNames quoted_names,
                            std::vector<SourceError>& errors);

/// The value of a string or bytes token (`text` with prefix and quotes).
/// Returns false if an escape does not denote a code point, or denotes one in bytes; with
/// `lax_surrogates` those of surrogates denote U+FFFD.
bool DecodeLiteral(std::string_view text, bool is_bytes, bool lax_surrogates, std::string& out);

}  // namespace dray::cel::syntax
