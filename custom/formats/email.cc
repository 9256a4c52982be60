// SPDX-License-Identifier: Apache-2.0
#include "custom/formats/email.h"

#include <algorithm>
#include <cstddef>

#include "cel/library/addresses.h"
#include "cel/syntax/utf8.h"

namespace dray::custom::formats {
namespace {

bool IsVisible(char32_t c) {
  return (c >= '!' && c <= '~') || c >= 0x80;
}

bool IsBlank(char32_t c) {
  return c == ' ' || c == '\t';
}

bool IsAtomText(char32_t c) {
  constexpr std::string_view kSpecials = "()<>[]:;@\\,\"";
  const bool is_special =
      c < 0x80 && kSpecials.find(static_cast<char>(c)) != std::string_view::npos;
  return IsVisible(c) && !is_special;
}

enum class Dots : bool { kBetween, kAnywhere };
enum class Groups : bool { kRefused, kTaken };

// Reads from front to back; what a function does not accept it leaves where it was, unless the
// whole text is refused then.
class AddressReader {
 public:
  explicit AddressReader(std::string_view text) : rest_(text) {}

  bool Read() {
    return ReadAddress(Groups::kTaken) && SkipComments() && rest_.empty() && addresses_ == 1;
  }

 private:
  bool Take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void SkipBlanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

  // Blanks and comments; false for a comment that does not end.
  bool SkipComments() {
    SkipBlanks();
    while (Take('(')) {
      if (!ReadCommentRest()) return false;
      SkipBlanks();
    }
    return true;
  }

  // After its bracket. Comments nest.
  bool ReadCommentRest() {
    for (size_t depth = 1; depth > 0; rest_.remove_prefix(1)) {
      if (rest_.size() > 1 && rest_.front() == '\\')
        rest_.remove_prefix(1);
      else if (rest_.starts_with('('))
        ++depth;
      else if (rest_.starts_with(')'))
        --depth;
      if (rest_.empty()) return false;
    }
    return true;
  }

  bool ReadAddress(Groups groups) {
    SkipBlanks();
    if (rest_.empty()) return false;
    const std::string_view before = rest_;
    if (ReadSpec()) {
      ++addresses_;
      SkipBlanks();
      return !Take('(') || ReadCommentRest();
    }
    rest_ = before;
    if (rest_.front() != '<' && !ReadPhrase()) return false;
    SkipBlanks();
    if (groups == Groups::kTaken && Take(':')) return ReadGroup();
    ++addresses_;
    return Take('<') && ReadSpec() && Take('>');
  }

  // After the colon.
  bool ReadGroup() {
    SkipBlanks();
    if (Take(';')) return SkipComments();
    while (ReadAddress(Groups::kRefused) && SkipComments()) {
      if (Take(';')) return SkipComments();
      if (!Take(',')) return false;
    }
    return false;
  }

  bool ReadSpec() {
    SkipBlanks();
    if (rest_.empty()) return false;
    size_t length = 0;
    const bool is_local =
        rest_.front() == '"' ? ReadQuoted(length) && length > 0 : ReadAtom(Dots::kBetween);
    if (!is_local || !Take('@')) return false;
    SkipBlanks();
    return rest_.starts_with('[') ? ReadDomainLiteral() : ReadAtom(Dots::kBetween);
  }

  // Words, at least one.
  bool ReadPhrase() {
    for (bool has_word = false;; has_word = true) {
      if (has_word && !SkipComments()) return false;
      SkipBlanks();
      const std::string_view before = rest_;
      size_t length = 0;
      const bool is_word = rest_.starts_with('"') ? ReadQuoted(length) : ReadAtom(Dots::kAnywhere);
      if (is_word) continue;
      rest_ = before;
      return has_word;
    }
  }

  // `length`: the characters between the quotes.
  bool ReadQuoted(size_t& length) {
    bool is_escaped = false;
    for (size_t at = 1; at < rest_.size();) {
      const auto [c, width, valid] = cel::syntax::DecodeUtf8(rest_, at);
      if (!valid) return false;
      if (!is_escaped && c == '"') {
        rest_.remove_prefix(at + 1);
        return true;
      }
      if (!IsVisible(c) && !IsBlank(c)) return false;
      is_escaped = !is_escaped && c == '\\';
      if (!is_escaped) ++length;
      at += width;
    }
    return false;
  }

  bool ReadAtom(Dots dots) {
    size_t at = 0;
    while (at < rest_.size()) {
      const auto [c, width, valid] = cel::syntax::DecodeUtf8(rest_, at);
      if (!valid) return false;
      if (!IsAtomText(c)) break;
      at += width;
    }
    const std::string_view atom = rest_.substr(0, at);
    rest_.remove_prefix(at);
    if (atom.empty()) return false;
    return dots == Dots::kAnywhere || (!atom.starts_with('.') && !atom.ends_with('.') &&
                                       atom.find("..") == std::string_view::npos);
  }

  // An address in brackets.
  bool ReadDomainLiteral() {
    const size_t end = rest_.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view address = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return cel::library::IsAddressText(address);
  }

  std::string_view rest_;
  size_t addresses_ = 0;
};

}  // namespace

bool IsEmail(std::string_view text) {
  return AddressReader(text).Read();
}

}  // namespace dray::custom::formats
