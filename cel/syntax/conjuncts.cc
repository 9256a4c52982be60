// SPDX-License-Identifier: Apache-2.0
#include "cel/syntax/conjuncts.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "cel/syntax/lexer.h"

namespace dray::cel::syntax {
namespace {

using Tokens = std::span<const Token>;

bool Is(const Token& token, char mark) {
  return token.kind == TokenKind::kOperator && token.symbol == Mark(mark);
}

bool Opens(const Token& token) {
  return Is(token, '(') || Is(token, '[') || Is(token, '{');
}

bool Closes(const Token& token) {
  return Is(token, ')') || Is(token, ']') || Is(token, '}');
}

std::string_view TextOf(std::string_view expression, Tokens tokens) {
  if (tokens.empty()) return {};
  const size_t end = tokens.back().offset + tokens.back().text.size();
  return expression.substr(tokens.front().offset, end - tokens.front().offset);
}

/// The index after the bracket that closes the one at `open`; tokens.size() if there is none.
size_t Behind(Tokens tokens, size_t open) {
  size_t depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    if (Opens(tokens[i])) ++depth;
    if (Closes(tokens[i]) && --depth == 0) return i + 1;
  }
  return tokens.size();
}

/// Without the parentheses around the whole, however many pairs there are.
Tokens WithoutParentheses(Tokens tokens) {
  while (tokens.size() > 2 && Is(tokens.front(), '(') && Is(tokens.back(), ')') &&
         Behind(tokens, 0) == tokens.size()) {
    tokens = tokens.subspan(1, tokens.size() - 2);
  }
  return tokens;
}

/// The parts between the && outside of brackets; one part when a looser operator stands there. The
/// question mark of .? belongs to a selection.
std::vector<Tokens> CutAtAnd(Tokens tokens) {
  std::vector<Tokens> parts;
  size_t begin = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (Opens(tokens[i])) {
      i = Behind(tokens, i) - 1;
      continue;
    }
    const bool is_conditional = Is(tokens[i], '?') && (i == 0 || !Is(tokens[i - 1], '.'));
    if (is_conditional || tokens[i].symbol == Symbol::kOr) return {tokens};
    if (tokens[i].symbol != Symbol::kAnd) continue;
    parts.push_back(tokens.subspan(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(tokens.subspan(begin));
  return parts;
}

bool AreBracketsMatched(Tokens tokens) {
  std::string open;
  for (const Token& token : tokens) {
    if (Opens(token)) open += token.text;
    if (!Closes(token)) continue;
    const char other = Is(token, ')') ? '(' : Is(token, ']') ? '[' : '{';
    if (open.empty() || open.back() != other) return false;
    open.pop_back();
  }
  return open.empty();
}

}  // namespace

std::vector<std::string_view> Conjuncts(std::string_view expression) {
  std::vector<SourceError> errors;
  const std::vector<Token> all = Tokenize(expression, QuotedNames::kYes, errors);
  const Tokens tokens = Tokens(all).first(all.size() - 1);  // without kEnd
  if (!errors.empty() || tokens.empty() || !AreBracketsMatched(tokens)) return {expression};
  std::vector<std::string_view> conjuncts;
  // Parts that are still to be cut, the next one last. No recursion, however deep the parentheses
  // are.
  std::vector<Tokens> waiting = {tokens};
  while (!waiting.empty()) {
    const Tokens part = WithoutParentheses(waiting.back());
    waiting.pop_back();
    std::vector<Tokens> parts = CutAtAnd(part);
    if (parts.size() == 1) {
      conjuncts.push_back(TextOf(expression, part));
      continue;
    }
    std::ranges::reverse(parts);
    waiting.insert(waiting.end(), parts.begin(), parts.end());
  }
  return conjuncts;
}

std::string OneLine(std::string_view expression) {
  std::vector<SourceError> errors;
  std::string line;
  size_t behind = 0;  // the token before
  for (const Token& token : Tokenize(expression, QuotedNames::kYes, errors)) {
    if (token.kind == TokenKind::kEnd) break;
    if (!line.empty() && token.offset > behind) line += ' ';
    for (const char c : token.text) {
      if (c == '\n') {
        line += "\\n";
      } else {
        line += c == '\r' || c == '\t' ? ' ' : c;
      }
    }
    behind = token.offset + token.text.size();
  }
  return errors.empty() ? line : std::string(expression);
}

}  // namespace dray::cel::syntax
