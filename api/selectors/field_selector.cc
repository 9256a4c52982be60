// SPDX-License-Identifier: Apache-2.0
#include "api/selectors/field_selector.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "api/selectors/label_selector.h"
#include "base/try.h"

namespace dray::api::inline selectors {
namespace {

Failure RefuseFields(std::string message) {
  return Fail(StatusReason::kBadRequest, std::move(message));
}

// Cuts at commas that no backslash protects; the parts stay escaped.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  size_t begin = 0;
  bool escaped = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (escaped || text[i] == '\\') {
      escaped = !escaped;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  terms.push_back(text.substr(begin));
  return terms;
}

// The character at `begin` with all its UTF-8 bytes.
std::string_view Character(std::string_view text, size_t begin) {
  size_t end = begin + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) ++end;
  return text.substr(begin, end - begin);
}

Result<std::string> Unescape(std::string_view text) {
  std::string value;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ',' || c == '=') {
      return RefuseFields(
          fmt::format("invalid field selector: unescaped character in value: {}", int{c}));
    }
    if (c != '\\') {
      value += c;
      continue;
    }
    ++i;
    const std::string_view next = i < text.size() ? Character(text, i) : "";
    if (next != "\\" && next != "," && next != "=") {
      return RefuseFields(
          fmt::format("invalid field selector: invalid escape sequence: \\{}", next));
    }
    value += next;
  }
  return value;
}

struct Term {
  std::string_view path;
  FieldOperator op;
  std::string_view value;
};

// Splits at the first operator; fields have no escapes.
std::optional<Term> SplitTerm(std::string_view term) {
  for (size_t i = 0; i < term.size(); ++i) {
    const std::string_view rest = term.substr(i);
    const auto split = [&](size_t size, FieldOperator op) {
      return Term{.path = term.substr(0, i), .op = op, .value = rest.substr(size)};
    };
    if (rest.starts_with("!=")) return split(2, FieldOperator::kNotEquals);
    if (rest.starts_with("==")) return split(2, FieldOperator::kEquals);
    if (rest.starts_with("=")) return split(1, FieldOperator::kEquals);
  }
  return std::nullopt;
}

}  // namespace

FieldSelector::FieldSelector(std::vector<FieldRequirement> requirements)
    : requirements_(std::move(requirements)) {
  MakeRules();
}

void FieldSelector::MakeRules() {
  std::map<std::string_view, Rule> rules;
  for (size_t i = 0; i < requirements_.size(); ++i) {
    Rule& rule = rules.try_emplace(requirements_[i].path, Rule{.first = i}).first->second;
    const bool is_equal = requirements_[i].op == FieldOperator::kEquals;
    (is_equal ? rule.equals : rule.not_equals).push_back(i);
  }
  for (auto& [path, rule] : rules) {
    const auto value = [&](size_t i) -> std::string_view { return requirements_[i].value; };
    for (std::vector<size_t>* numbers : {&rule.equals, &rule.not_equals}) {
      std::ranges::sort(*numbers, {}, value);
      const auto rest = std::ranges::unique(*numbers, {}, value);
      numbers->erase(rest.begin(), rest.end());
    }
    rules_.push_back(std::move(rule));
  }
}

bool FieldSelector::Accepts(const Rule& rule, std::string_view actual) const {
  const auto value = [&](size_t i) -> std::string_view { return requirements_[i].value; };
  if (rule.equals.size() > 1) return false;  // no value is two values
  return std::ranges::all_of(rule.equals, [&](size_t i) { return value(i) == actual; }) &&
         !std::ranges::binary_search(rule.not_equals, actual, {}, value);
}

Result<FieldSelector> FieldSelector::Parse(std::string_view text) {
  if (text.size() > kSelectorTextMax) {
    return RefuseFields(
        fmt::format("field selector must be no more than {} bytes", kSelectorTextMax));
  }
  std::vector<std::string_view> terms = SplitTerms(text);
  std::ranges::sort(terms);
  std::vector<FieldRequirement> requirements;
  for (const std::string_view term : terms) {
    if (term.empty()) continue;
    if (requirements.size() == kSelectorRequirementsMax) {
      return RefuseFields(fmt::format("field selector must have no more than {} requirements",
                                      kSelectorRequirementsMax));
    }
    const std::optional<Term> split = SplitTerm(term);
    if (!split) {
      return RefuseFields(fmt::format("invalid selector: '{}'; can't understand '{}'", text, term));
    }
    DRAY_TRY(std::string value, Unescape(split->value));
    requirements.push_back(
        {.path = std::string(split->path), .op = split->op, .value = std::move(value)});
  }
  return FieldSelector(std::move(requirements));
}

std::optional<std::string_view> FieldSelector::RequiredValue(std::string_view path) const {
  for (const FieldRequirement& requirement : requirements_) {
    if (requirement.path == path && requirement.op == FieldOperator::kEquals)
      return requirement.value;
  }
  return std::nullopt;
}

std::string FieldSelector::ToString() const {
  std::string text;
  for (const FieldRequirement& requirement : requirements_) {
    if (!text.empty()) text += ',';
    text += requirement.path;
    text += requirement.op == FieldOperator::kEquals ? "=" : "!=";
    for (const char c : requirement.value) {
      if (c == '\\' || c == ',' || c == '=') text += '\\';
      text += c;
    }
  }
  return text;
}

}  // namespace dray::api::inline selectors
