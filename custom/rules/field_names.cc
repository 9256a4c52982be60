// SPDX-License-Identifier: Apache-2.0
#include "custom/rules/field_names.h"

#include <algorithm>
#include <array>

#include "base/text/ascii.h"

namespace dray::custom::rules {
namespace {

constexpr std::string_view kFence = "__";

constexpr std::array<std::string_view, 21> kReservedWords = {
    "as",       "break",   "const",  "continue", "else", "false", "for",
    "function", "if",      "import", "in",       "let",  "loop",  "namespace",
    "null",     "package", "return", "true",     "var",  "void",  "while"};
static_assert(std::ranges::is_sorted(kReservedWords));

struct Escape {
  std::string_view text;
  std::string_view word;
};
constexpr Escape kEscapes[] = {{"__", "underscores"}, {".", "dot"}, {"-", "dash"}, {"/", "slash"}};

bool IsPlain(char c) {
  return IsDigitAscii(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string Fenced(std::string_view word) {
  std::string out(kFence);
  out += word;
  return out += kFence;
}

// The escape that `rest` starts with: __word__ with a word of at least one letter and without
// underscores. Empty if it starts with none.
std::string_view FencedWord(std::string_view rest) {
  if (!rest.starts_with(kFence)) return {};
  const size_t end = rest.find('_', kFence.size());
  if (end == std::string_view::npos || end == kFence.size()) return {};
  return rest.substr(end).starts_with(kFence) ? rest.substr(kFence.size(), end - kFence.size())
                                              : std::string_view();
}

}  // namespace

bool IsReservedWord(std::string_view name) {
  return std::ranges::binary_search(kReservedWords, name);
}

std::optional<std::string> EscapeName(std::string_view name) {
  if (name.empty() || IsDigitAscii(name.front())) return std::nullopt;
  if (IsReservedWord(name)) return Fenced(name);
  std::string out;
  while (!name.empty()) {
    const auto* const escape = std::ranges::find_if(
        kEscapes, [name](const Escape& one) { return name.starts_with(one.text); });
    if (escape != std::ranges::end(kEscapes)) {
      out += Fenced(escape->word);
      name.remove_prefix(escape->text.size());
      continue;
    }
    if (!IsPlain(name.front())) return std::nullopt;
    out += name.front();
    name.remove_prefix(1);
  }
  return out;
}

std::optional<std::string> UnescapeName(std::string_view identifier) {
  std::string out;
  for (std::string_view rest = identifier; !rest.empty();) {
    const std::string_view word = FencedWord(rest);
    if (word.empty()) {
      out += rest.front();
      rest.remove_prefix(1);
      continue;
    }
    const auto* const escape = std::ranges::find(kEscapes, word, &Escape::word);
    const size_t length = word.size() + 2 * kFence.size();
    if (escape != std::ranges::end(kEscapes)) {
      out += escape->text;
    } else if (IsReservedWord(word) && length == identifier.size()) {
      out += word;
    } else {
      return std::nullopt;
    }
    rest.remove_prefix(length);
  }
  return out;
}

}  // namespace dray::custom::rules
