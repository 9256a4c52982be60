// SPDX-License-Identifier: Apache-2.0
#include "cel/syntax/lexer.h"

#include <array>

#include <fmt/format.h>

#include "cel/syntax/utf8.h"

namespace dray::cel::syntax {
namespace {

constexpr bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool IsOctal(char c) {
  return c >= '0' && c <= '7';
}
constexpr bool IsHex(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

constexpr std::string_view kMarks = "+-*/%<>!?:.,()[]{}";

constexpr Symbol PairSymbol(char first, char second) {
  if (second == '=') {
    if (first == '=') return Symbol::kEqual;
    if (first == '!') return Symbol::kNotEqual;
    if (first == '<') return Symbol::kLessEqual;
    if (first == '>') return Symbol::kGreaterEqual;
  }
  if (first == '&' && second == '&') return Symbol::kAnd;
  if (first == '|' && second == '|') return Symbol::kOr;
  return Symbol::kNone;
}

class Lexer {
 public:
  Lexer(std::string_view text, QuotedNames quoted_names, std::vector<SourceError>& errors)
      : text_(text), quoted_names_(quoted_names), errors_(errors) {}

  std::vector<Token> Run() {
    std::vector<Token> tokens;
    tokens.reserve(text_.size() / 4 + 2);
    do {
      SkipBlanks();
      tokens.push_back(Next());
    } while (tokens.back().kind != TokenKind::kEnd);
    return tokens;
  }

 private:
  char At(size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void SkipBlanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f') {
        ++at_;
      } else if (c == '/' && At(1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }

  Token Make(TokenKind kind, size_t length) {
    const Token token{kind, Symbol::kNone, static_cast<uint32_t>(at_), text_.substr(at_, length)};
    at_ += length;
    return token;
  }
  Token MakeSymbol(Symbol symbol, size_t length) {
    Token token = Make(TokenKind::kOperator, length);
    token.symbol = symbol;
    return token;
  }

  Token Fail(size_t length) {
    errors_.push_back(
        {static_cast<uint32_t>(at_),
         fmt::format("Syntax error: token recognition error at: '{}'", text_.substr(at_, length))});
    at_ = text_.size();
    return Make(TokenKind::kEnd, 0);
  }

  Token Next() {
    if (at_ >= text_.size()) return Make(TokenKind::kEnd, 0);
    const char c = At(0);
    if (IsDigit(c) || (c == '.' && IsDigit(At(1)))) return Number();
    const size_t prefix = LiteralPrefix();
    if (At(prefix) == '"' || At(prefix) == '\'') return Quoted(prefix);
    if (IsLetter(c)) return Word();
    if (c == '`' && quoted_names_ == QuotedNames::kYes) return Backticks();
    const Symbol pair = PairSymbol(c, At(1));
    if (pair != Symbol::kNone) return MakeSymbol(pair, 2);
    if (kMarks.contains(c)) return MakeSymbol(Mark(c), 1);
    return Fail(DecodeUtf8(text_, at_).width);
  }

  // r, R, b, B, br, bR, Br, BR
  size_t LiteralPrefix() const {
    size_t length = 0;
    if (At(length) == 'b' || At(length) == 'B') ++length;
    if (At(length) == 'r' || At(length) == 'R') ++length;
    return length;
  }

  Token Word() {
    size_t length = 1;
    while (IsLetter(At(length)) || IsDigit(At(length))) ++length;
    const std::string_view word = text_.substr(at_, length);
    if (word == "true") return Make(TokenKind::kTrue, length);
    if (word == "false") return Make(TokenKind::kFalse, length);
    if (word == "null") return Make(TokenKind::kNull, length);
    if (word == "in") {
      Token token = Make(TokenKind::kIn, length);
      token.symbol = Symbol::kIn;
      return token;
    }
    return Make(TokenKind::kIdentifier, length);
  }

  Token Backticks() {
    size_t length = 1;
    while (IsLetter(At(length)) || IsDigit(At(length)) ||
           (At(length) != '\0' && std::string_view(".-/ ").contains(At(length)))) {
      ++length;
    }
    if (At(length) != '`' || length == 1) return Fail(length);
    Token token = Make(TokenKind::kQuotedIdentifier, length + 1);
    token.text = token.text.substr(1, length - 1);
    return token;
  }

  Token Number() {
    size_t length = 0;
    if (At(0) == '0' && At(1) == 'x' && IsHex(At(2))) {
      length = 2;
      while (IsHex(At(length))) ++length;
      return IntegerToken(length);
    }
    while (IsDigit(At(length))) ++length;
    bool is_double = false;
    if (At(length) == '.' && IsDigit(At(length + 1))) {
      is_double = true;
      ++length;
      while (IsDigit(At(length))) ++length;
    }
    if (At(length) == 'e' || At(length) == 'E') {
      size_t exponent = length + 1;
      if (At(exponent) == '+' || At(exponent) == '-') ++exponent;
      if (IsDigit(At(exponent))) {
        is_double = true;
        while (IsDigit(At(exponent))) ++exponent;
        length = exponent;
      }
    }
    return is_double ? Make(TokenKind::kDouble, length) : IntegerToken(length);
  }

  Token IntegerToken(size_t length) {
    if (At(length) == 'u' || At(length) == 'U') return Make(TokenKind::kUint, length + 1);
    return Make(TokenKind::kInt, length);
  }

  Token Quoted(size_t prefix) {
    const std::string_view letters = text_.substr(at_, prefix);
    const bool raw = letters.contains('r') || letters.contains('R');
    const bool bytes = letters.contains('b') || letters.contains('B');
    const char quote = At(prefix);
    const bool triple = At(prefix + 1) == quote && At(prefix + 2) == quote;
    size_t length = prefix + (triple ? 3 : 1);
    while (true) {
      if (at_ + length >= text_.size()) return Fail(length);
      const char c = At(length);
      if (!triple && (c == '\n' || c == '\r')) return Fail(length);
      if (c == quote && (!triple || (At(length + 1) == quote && At(length + 2) == quote))) break;
      if (c != '\\' || raw) {
        ++length;
        continue;
      }
      const size_t escape = EscapeLength(length);
      if (escape == 0) return Fail(length + 2);
      length += escape;
    }
    return Make(bytes ? TokenKind::kBytes : TokenKind::kString, length + (triple ? 3 : 1));
  }

  // Bytes of the escape sequence that starts `ahead` of the cursor; 0 if there is none.
  size_t EscapeLength(size_t ahead) const {
    const char c = At(ahead + 1);
    if (c != '\0' && std::string_view("abfnrtv\"'\\?`").contains(c)) return 2;
    if (c >= '0' && c <= '3') return IsOctal(At(ahead + 2)) && IsOctal(At(ahead + 3)) ? 4 : 0;
    const size_t digits = c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    for (size_t i = 0; i < digits; ++i) {
      if (!IsHex(At(ahead + 2 + i))) return 0;
    }
    return digits == 0 ? 0 : digits + 2;
  }

  std::string_view text_;
  QuotedNames quoted_names_;
  std::vector<SourceError>& errors_;
  size_t at_ = 0;
};

constexpr char32_t DigitValue(char c) {
  if (IsDigit(c)) return static_cast<char32_t>(c - '0');
  return static_cast<char32_t>((c | 0x20) - 'a' + 10);
}

constexpr char SimpleEscape(char c) {
  switch (c) {
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    default: return c;  // a quote, the backslash, the question mark, the backtick
  }
}

// Appends what the escape at the front of `rest` (without its backslash) stands for, and removes
// the escape.
bool DecodeEscape(std::string_view& rest, bool is_bytes, bool lax_surrogates, std::string& out) {
  const char c = rest[0];
  const bool octal = c >= '0' && c <= '3';
  const size_t digits = octal ? 3 : c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (digits == 0) {
    out += SimpleEscape(c);
    rest.remove_prefix(1);
    return true;
  }
  const size_t start = octal ? 0 : 1;
  char32_t value = 0;
  for (size_t i = start; i < start + digits; ++i) {
    value = value * (octal ? 8 : 16) + DigitValue(rest[i]);
  }
  rest.remove_prefix(start + digits);
  if (is_bytes) {
    if (digits >= 4) return false;  // no code points
    out += static_cast<char>(static_cast<unsigned char>(value));
    return true;
  }
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value > 0x10FFFF || (is_surrogate && !lax_surrogates)) return false;
  AppendUtf8(out, is_surrogate ? 0xFFFD : value);
  return true;
}

}  // namespace

std::vector<Token> Tokenize(std::string_view expression,
                            QuotedNames quoted_names,
                            std::vector<SourceError>& errors) {
  return Lexer(expression, quoted_names, errors).Run();
}

bool MayFollowPoint(const Token& token) {
  switch (token.kind) {
    case TokenKind::kIdentifier:
    case TokenKind::kQuotedIdentifier:
    case TokenKind::kTrue:
    case TokenKind::kFalse:
    case TokenKind::kNull: return true;
    default: return false;
  }
}

bool BeginsOperand(const Token& token) {
  constexpr std::string_view kMarks = "[{(.-!";
  switch (token.kind) {
    case TokenKind::kIdentifier:
    case TokenKind::kInt:
    case TokenKind::kUint:
    case TokenKind::kDouble:
    case TokenKind::kString:
    case TokenKind::kBytes:
    case TokenKind::kTrue:
    case TokenKind::kFalse:
    case TokenKind::kNull: return true;
    case TokenKind::kOperator: return token.text.size() == 1 && kMarks.contains(token.text);
    case TokenKind::kEnd:
    case TokenKind::kIn:
    case TokenKind::kQuotedIdentifier: break;
  }
  return false;
}

bool DecodeLiteral(std::string_view text, bool is_bytes, bool lax_surrogates, std::string& out) {
  bool raw = false;
  while (text[0] != '"' && text[0] != '\'') {
    raw = raw || text[0] == 'r' || text[0] == 'R';
    text.remove_prefix(1);
  }
  const bool triple = text.size() >= 6 && text[1] == text[0] && text[2] == text[0];
  const size_t quotes = triple ? 3 : 1;
  std::string_view rest = text.substr(quotes, text.size() - 2 * quotes);
  while (!rest.empty()) {
    const char c = rest[0];
    rest.remove_prefix(1);
    if (c == '\\' && !raw) {
      if (!DecodeEscape(rest, is_bytes, lax_surrogates, out)) return false;
    } else if (c == '\r') {
      if (rest.starts_with('\n')) rest.remove_prefix(1);
      out += '\n';
    } else {
      out += c;
    }
  }
  return true;
}

}  // namespace dray::cel::syntax
