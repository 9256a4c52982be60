// SPDX-License-Identifier: Apache-2.0
// Parses the text form as upstream does, tokens first, because its error texts name the token found
// and the one expected.
#include "api/selectors/label_selector.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "api/text/go_quote.h"
#include "api/text/names.h"
#include "base/try.h"

namespace dray::api::inline selectors {
namespace {

Failure RefuseLabels(std::string message) {
  return Fail(StatusReason::kBadRequest, std::move(message));
}

std::string JsonList(std::span<const std::string> values) {
  if (values.empty()) return "null";
  std::string text;
  for (const std::string& value : values) {
    text += text.empty() ? "[" : ",";
    text += GoQuote(value);
  }
  return text + ']';
}

bool Contains(const std::vector<std::string>& values, std::string_view value) {
  return std::ranges::find(values, value) != values.end();
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

// Requirements and values that are compared one by one: most selectors have two or three.
constexpr size_t kFewToCompare = 16;

enum class TokenKind : uint8_t {
  kEnd,
  kIdentifier,
  kIn,
  kNotIn,
  kComma,
  kNot,
  kEquals,
  kDoubleEquals,
  kNotEquals,
  kGreater,
  kLess,
  kOpen,
  kClose,
};

struct Token {
  TokenKind kind;
  std::string_view text;
};

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::optional<TokenKind> Symbol(char c) {
  switch (c) {
    case '=': return TokenKind::kEquals;
    case '!': return TokenKind::kNot;
    case '(': return TokenKind::kOpen;
    case ')': return TokenKind::kClose;
    case ',': return TokenKind::kComma;
    case '>': return TokenKind::kGreater;
    case '<': return TokenKind::kLess;
    default: return std::nullopt;
  }
}

// Takes the next token off `text`. A zero byte between tokens ends the text, as upstream.
Token TakeToken(std::string_view& text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  if (text.empty() || text.front() == '\0') return {TokenKind::kEnd, ""};
  size_t size = 1;
  std::optional<TokenKind> kind = Symbol(text.front());
  if (kind) {
    if (text.starts_with("==")) kind = TokenKind::kDoubleEquals;
    if (text.starts_with("!=")) kind = TokenKind::kNotEquals;
    if (kind == TokenKind::kDoubleEquals || kind == TokenKind::kNotEquals) size = 2;
  } else {
    while (size < text.size() && !IsBlank(text[size]) && !Symbol(text[size]) && text[size] != '\0')
      ++size;
    const std::string_view word = text.substr(0, size);
    kind = word == "in"      ? TokenKind::kIn
           : word == "notin" ? TokenKind::kNotIn
                             : TokenKind::kIdentifier;
  }
  const Token token{*kind, text.substr(0, size)};
  if (size < text.size() && text[size] == '\0') ++size;  // one directly behind a token only ends it
  text.remove_prefix(size);
  return token;
}

class Parser {
 public:
  Parser(std::string_view text, LengthWord word) : word_(word) {
    do {
      tokens_.push_back(TakeToken(text));
    } while (tokens_.back().kind != TokenKind::kEnd);
  }

  Result<std::vector<LabelRequirement>> Parse() {
    std::vector<LabelRequirement> requirements;
    if (Peek().kind == TokenKind::kEnd) return requirements;
    if (!StartsRequirement()) {
      return RefuseLabels(
          fmt::format("found '{}', expected: !, identifier, or 'end of string'", Peek().text));
    }
    while (true) {
      Result<LabelRequirement> requirement = ParseRequirement();
      if (!requirement) {
        return RefuseLabels("unable to parse requirement: " + requirement.error().message);
      }
      values_ += requirement->values().size();
      requirements.push_back(*std::move(requirement));
      DRAY_TRY_VOID(CheckSize(requirements.size()));
      const Token token = Take();
      if (token.kind == TokenKind::kEnd) return requirements;
      if (token.kind != TokenKind::kComma) {
        return RefuseLabels(
            fmt::format("found '{}', expected: ',' or 'end of string'", token.text));
      }
      if (!StartsRequirement()) {
        return RefuseLabels(fmt::format("found '{}', expected: identifier after ','", Peek().text));
      }
    }
  }

 private:
  Result<> CheckSize(size_t requirements) const {
    if (requirements > kSelectorRequirementsMax) {
      return RefuseLabels(fmt::format("label selector must have no more than {} requirements",
                                      kSelectorRequirementsMax));
    }
    if (values_ <= kSelectorValuesMax) return {};
    return RefuseLabels(
        fmt::format("label selector must have no more than {} values", kSelectorValuesMax));
  }

  const Token& Peek() const { return tokens_[position_]; }

  // The last token is kEnd and stays.
  Token Take() {
    const Token token = Peek();
    if (position_ + 1 < tokens_.size()) ++position_;
    return token;
  }

  // "in" and "notin" are ordinary words where no operator is allowed.
  static bool IsWord(const Token& token) {
    return token.kind == TokenKind::kIdentifier || token.kind == TokenKind::kIn ||
           token.kind == TokenKind::kNotIn;
  }
  bool StartsRequirement() const { return IsWord(Peek()) || Peek().kind == TokenKind::kNot; }
  bool AtEndOfRequirement() const {
    return Peek().kind == TokenKind::kEnd || Peek().kind == TokenKind::kComma;
  }

  Result<LabelRequirement> ParseRequirement() {
    Token key = Take();
    const bool negated = key.kind == TokenKind::kNot;
    if (negated) key = Take();
    if (!IsWord(key))
      return RefuseLabels(fmt::format("found '{}', expected: identifier", key.text));
    if (const NameErrors errors = CheckLabelKey(key.text, word_); !errors.empty()) {
      return RefuseLabels(
          fmt::format("<nil>: Invalid value: {}: {}", GoQuote(key.text), Join(errors, "; ")));
    }
    const auto make = [&](LabelOperator op, std::vector<std::string> values) {
      return LabelRequirement::Create(key.text, op, std::move(values), "", word_);
    };
    if (negated) return make(LabelOperator::kDoesNotExist, {});
    if (AtEndOfRequirement()) return make(LabelOperator::kExists, {});
    DRAY_TRY(const LabelOperator op, ParseOperator());
    const bool is_set = op == LabelOperator::kIn || op == LabelOperator::kNotIn;
    DRAY_TRY(const std::set<std::string> values, is_set ? ParseSet() : ParseExactValue());
    return make(op, {values.begin(), values.end()});
  }

  Result<LabelOperator> ParseOperator() {
    const Token token = Take();
    switch (token.kind) {
      case TokenKind::kIn: return LabelOperator::kIn;
      case TokenKind::kNotIn: return LabelOperator::kNotIn;
      case TokenKind::kEquals: return LabelOperator::kEquals;
      case TokenKind::kDoubleEquals: return LabelOperator::kDoubleEquals;
      case TokenKind::kNotEquals: return LabelOperator::kNotEquals;
      case TokenKind::kGreater: return LabelOperator::kGreaterThan;
      case TokenKind::kLess: return LabelOperator::kLessThan;
      case TokenKind::kEnd:
      case TokenKind::kIdentifier:
      case TokenKind::kComma:
      case TokenKind::kNot:
      case TokenKind::kOpen:
      case TokenKind::kClose: break;
    }
    return RefuseLabels(
        fmt::format("found '{}', expected: in, notin, =, ==, !=, gt, lt", token.text));
  }

  Result<std::set<std::string>> ParseExactValue() {
    if (AtEndOfRequirement()) return std::set<std::string>{""};
    const Token token = Take();
    if (IsWord(token)) return std::set<std::string>{std::string(token.text)};
    return RefuseLabels(fmt::format("found '{}', expected: identifier", token.text));
  }

  Result<std::set<std::string>> ParseSet() {
    if (const Token open = Take(); open.kind != TokenKind::kOpen) {
      return RefuseLabels(fmt::format("found '{}' expected: '('", open.text));
    }
    std::set<std::string> values;
    if (Peek().kind == TokenKind::kClose) values.emplace();
    if (!IsWord(Peek()) && Peek().kind != TokenKind::kComma && Peek().kind != TokenKind::kClose) {
      return RefuseLabels(fmt::format("found '{}', expected: ',', ')' or identifier", Peek().text));
    }
    while (Peek().kind != TokenKind::kClose) {
      const Token token = Take();
      if (IsWord(token)) {
        values.emplace(token.text);
        if (Peek().kind == TokenKind::kComma || Peek().kind == TokenKind::kClose) continue;
        return RefuseLabels(fmt::format("found '{}', expected: ',' or ')'", Peek().text));
      }
      if (token.kind != TokenKind::kComma) {
        return RefuseLabels(fmt::format("found '{}', expected: ',', or identifier", token.text));
      }
      // An empty value stands where a comma has nothing before or after it.
      const bool nothing_after =
          Peek().kind == TokenKind::kClose || Peek().kind == TokenKind::kComma;
      if (values.empty() || nothing_after) values.emplace();
    }
    Take();
    return values;
  }

  LengthWord word_;
  std::vector<Token> tokens_;
  size_t position_ = 0;
  size_t values_ = 0;  // of the requirements so far
};

}  // namespace

std::string JoinErrors(std::span<const std::string> errors) {
  std::vector<std::string> unique;
  for (const std::string& error : errors) {
    if (!Contains(unique, error)) unique.push_back(error);
  }
  return unique.size() == 1 ? unique[0] : '[' + Join(unique, ", ") + ']';
}

std::vector<std::string> CheckLabelRequirement(std::string_view key,
                                               LabelOperator op,
                                               std::span<const std::string> values,
                                               std::string_view path,
                                               LengthWord word) {
  std::vector<std::string> errors;
  const std::string prefix = path.empty() ? "" : fmt::format("{}.", path);
  if (const NameErrors wrong = CheckLabelKey(key, word); !wrong.empty()) {
    errors.push_back(
        fmt::format("{}key: Invalid value: {}: {}", prefix, GoQuote(key), Join(wrong, "; ")));
  }
  const auto expect_count = [&](bool good, std::string_view message) {
    if (good) return;
    errors.push_back(
        fmt::format("{}values: Invalid value: {}: {}", prefix, JsonList(values), message));
  };
  switch (op) {
    case LabelOperator::kIn:
    case LabelOperator::kNotIn:
      expect_count(!values.empty(), "for 'in', 'notin' operators, values set can't be empty");
      break;
    case LabelOperator::kEquals:
    case LabelOperator::kDoubleEquals:
    case LabelOperator::kNotEquals:
      expect_count(values.size() == 1, "exact-match compatibility requires one single value");
      break;
    case LabelOperator::kExists:
    case LabelOperator::kDoesNotExist:
      expect_count(values.empty(), "values set must be empty for exists and does not exist");
      break;
    case LabelOperator::kGreaterThan:
    case LabelOperator::kLessThan:
      expect_count(values.size() == 1, "for 'Gt', 'Lt' operators, exactly one value is required");
      for (size_t i = 0; i < values.size(); ++i) {
        if (ReadInt64(values[i])) continue;
        errors.push_back(
            fmt::format("{}values[{}]: Invalid value: {}: for 'Gt', 'Lt' operators, the value must "
                        "be an integer",
                        prefix,
                        i,
                        GoQuote(values[i])));
      }
      break;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const NameErrors wrong = CheckLabelValue(values[i], word);
    if (wrong.empty()) continue;
    errors.push_back(fmt::format("{}values[{}][{}]: Invalid value: {}: {}",
                                 prefix,
                                 i,
                                 key,
                                 GoQuote(values[i]),
                                 Join(wrong, "; ")));
  }
  return errors;
}

Result<LabelRequirement> LabelRequirement::Create(std::string_view key,
                                                  LabelOperator op,
                                                  std::vector<std::string> values,
                                                  std::string_view path,
                                                  LengthWord word) {
  const std::vector<std::string> errors = CheckLabelRequirement(key, op, values, path, word);
  if (!errors.empty()) return RefuseLabels(JoinErrors(errors));
  LabelRequirement requirement;
  requirement.key_ = key;
  requirement.op_ = op;
  if (op == LabelOperator::kGreaterThan || op == LabelOperator::kLessThan) {
    requirement.bound_ = ReadInt64(values[0]).value_or(0);
  }
  requirement.values_ = std::move(values);
  return requirement;
}

bool LabelRequirement::Matches(const Labels& labels) const {
  const auto label = labels.find(key_);
  const bool present = label != labels.end();
  switch (op_) {
    case LabelOperator::kIn:
    case LabelOperator::kEquals:
    case LabelOperator::kDoubleEquals: return present && Contains(values_, label->second);
    case LabelOperator::kNotIn:
    case LabelOperator::kNotEquals: return !present || !Contains(values_, label->second);
    case LabelOperator::kExists: return present;
    case LabelOperator::kDoesNotExist: return !present;
    case LabelOperator::kGreaterThan:
    case LabelOperator::kLessThan: break;
  }
  if (!present) return false;
  const std::optional<int64_t> value = ReadInt64(label->second);
  return value && (op_ == LabelOperator::kGreaterThan ? *value > bound_ : *value < bound_);
}

std::string LabelRequirement::ToString() const {
  std::vector<std::string> sorted = values_;
  std::ranges::sort(sorted);
  const std::string list = Join(sorted, ",");
  switch (op_) {
    case LabelOperator::kIn: return fmt::format("{} in ({})", key_, list);
    case LabelOperator::kNotIn: return fmt::format("{} notin ({})", key_, list);
    case LabelOperator::kEquals: return fmt::format("{}={}", key_, list);
    case LabelOperator::kDoubleEquals: return fmt::format("{}=={}", key_, list);
    case LabelOperator::kNotEquals: return fmt::format("{}!={}", key_, list);
    case LabelOperator::kExists: return key_;
    case LabelOperator::kDoesNotExist: return '!' + key_;
    case LabelOperator::kGreaterThan: return fmt::format("{}>{}", key_, list);
    case LabelOperator::kLessThan: return fmt::format("{}<{}", key_, list);
  }
  return "";
}

void LabelRules::Rule::Add(const LabelRequirement& requirement) {
  Values values(requirement.values().begin(), requirement.values().end());
  std::ranges::sort(values);
  switch (requirement.op()) {
    case LabelOperator::kIn:
    case LabelOperator::kEquals:
    case LabelOperator::kDoubleEquals: {
      must_be_there = true;
      if (!among.has_value()) {
        among = std::move(values);
        return;
      }
      Values both;
      std::ranges::set_intersection(*among, values, std::back_inserter(both));
      among = std::move(both);
      return;
    }
    case LabelOperator::kNotIn:
    case LabelOperator::kNotEquals:
      not_among.insert(not_among.end(), values.begin(), values.end());
      return;
    case LabelOperator::kExists: must_be_there = true; return;
    case LabelOperator::kDoesNotExist: must_be_absent = true; return;
    case LabelOperator::kGreaterThan: {
      must_be_there = true;
      const int64_t bound = ReadInt64(values.front()).value_or(0);
      above = std::max(above.value_or(bound), bound);
      return;
    }
    case LabelOperator::kLessThan: {
      must_be_there = true;
      const int64_t bound = ReadInt64(values.front()).value_or(0);
      below = std::min(below.value_or(bound), bound);
      return;
    }
  }
}

LabelRules::LabelRules(std::span<const LabelRequirement> requirements) {
  std::vector<const LabelRequirement*> sorted;
  sorted.reserve(requirements.size());
  for (const LabelRequirement& one : requirements) sorted.push_back(&one);
  std::ranges::sort(
      sorted, {}, [](const LabelRequirement* one) -> std::string_view { return one->key(); });
  for (const LabelRequirement* one : sorted) {
    if (rules_.empty() || rules_.back().key != one->key()) rules_.push_back({.key = one->key()});
    rules_.back().Add(*one);
  }
  for (Rule& rule : rules_) {
    std::ranges::sort(rule.not_among);
    if (rule.must_be_there) ++needed_;
  }
}

LabelSelector LabelSelector::Nothing() {
  LabelSelector selector;
  selector.nothing_ = true;
  return selector;
}

Result<LabelSelector> LabelSelector::Parse(std::string_view text, LengthWord word) {
  if (text.size() > kSelectorTextMax) {
    return RefuseLabels(
        fmt::format("label selector must be no more than {} bytes", kSelectorTextMax));
  }
  DRAY_TRY(std::vector<LabelRequirement> requirements, Parser(text, word).Parse());
  return Of(std::move(requirements));
}

Result<LabelSelector> LabelSelector::FromParts(const Labels& match_labels,
                                               std::span<const Expression> match_expressions) {
  std::vector<LabelRequirement> requirements;
  for (const auto& [key, value] : match_labels) {
    DRAY_TRY(LabelRequirement requirement,
             LabelRequirement::Create(key, LabelOperator::kEquals, {value}));
    requirements.push_back(std::move(requirement));
  }
  for (const Expression& expression : match_expressions) {
    LabelOperator op = LabelOperator::kIn;
    if (expression.op == "In") {
      op = LabelOperator::kIn;
    } else if (expression.op == "NotIn") {
      op = LabelOperator::kNotIn;
    } else if (expression.op == "Exists") {
      op = LabelOperator::kExists;
    } else if (expression.op == "DoesNotExist") {
      op = LabelOperator::kDoesNotExist;
    } else {
      return RefuseLabels(
          fmt::format("{} is not a valid label selector operator", GoQuote(expression.op)));
    }
    DRAY_TRY(LabelRequirement requirement,
             LabelRequirement::Create(
                 expression.key, op, {expression.values.begin(), expression.values.end()}));
    requirements.push_back(std::move(requirement));
  }
  return Of(std::move(requirements));
}

const std::vector<LabelRequirement>& LabelSelector::requirements() const {
  static const std::vector<LabelRequirement> kNone;
  return parts_ == nullptr ? kNone : parts_->requirements;
}

bool LabelSelector::Matches(const Labels& labels) const {
  if (nothing_) return false;
  if (parts_ == nullptr) return true;
  if (parts_->rules.has_value()) return parts_->rules->Match(labels);
  return std::ranges::all_of(parts_->requirements, [&](const LabelRequirement& requirement) {
    return requirement.Matches(labels);
  });
}

std::string LabelSelector::ToString() const {
  std::vector<std::string> parts;
  std::ranges::transform(requirements(), std::back_inserter(parts), &LabelRequirement::ToString);
  return Join(parts, ",");
}

LabelSelector LabelSelector::Of(std::vector<LabelRequirement> requirements) {
  LabelSelector selector;
  if (requirements.empty()) return selector;
  std::multimap<std::string_view, LabelRequirement*> by_key;  // equal keys stay in their order
  for (LabelRequirement& one : requirements) by_key.emplace(one.key(), &one);
  const auto parts = std::make_shared<Parts>();
  parts->requirements.reserve(requirements.size());
  size_t size = requirements.size();
  for (const auto& [key, one] : by_key) {
    size += one->values().size();
    parts->requirements.push_back(*one);
  }
  if (size > kFewToCompare) parts->rules.emplace(parts->requirements);
  selector.parts_ = parts;
  return selector;
}

}  // namespace dray::api::inline selectors
