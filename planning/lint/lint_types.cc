// SPDX-License-Identifier: Apache-2.0
#include "planning/lint/lint_types.h"

#include <charconv>
#include <cstdint>
#include <system_error>
#include <variant>

#include <fmt/format.h>

namespace dray::planning::inline lint {
namespace {

using cel::NamedComparison;
using cel::ValueKind;

struct LiteralTexts {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::string& value) const { return fmt::format("\"{}\"", value); }
};

/// The possible spellings of the literal.
std::vector<std::string> Spellings(const NamedComparison::Literal& literal) {
  const auto* const text = std::get_if<std::string>(&literal);
  if (text == nullptr) return {std::visit(LiteralTexts(), literal)};
  return {
      fmt::format("\"{}\"", *text), fmt::format("'{}'", *text), fmt::format(R"(\"{}\")", *text)};
}

/// `after` in the quotes that `before` has.
std::string InQuotesOf(std::string_view before, std::string after) {
  if (before.starts_with('"')) return after;
  const std::string quote = before.starts_with('\'')   ? "'"
                            : before.starts_with('\\') ? "\\\""
                                                       : "\"";
  std::string text;
  for (const char c : after) text += c == '"' ? quote : std::string(1, c);
  return text;
}

}  // namespace

std::string_view KindName(ValueKind kind) {
  switch (kind) {
    case ValueKind::kBool: return "a bool";
    case ValueKind::kInt: return "an int";
    case ValueKind::kString: return "a string";
    case ValueKind::kSemver: return "a version";
    case ValueKind::kList: return "a list";
    case ValueKind::kQuantity: return "a quantity";
    default: return "of another type";
  }
}

std::string LiteralText(const NamedComparison::Literal& literal) {
  return std::visit(LiteralTexts(), literal);
}

bool AreComparable(ValueKind kind, const NamedComparison::Literal& literal) {
  if (std::holds_alternative<bool>(literal)) return kind == ValueKind::kBool;
  if (std::holds_alternative<std::string>(literal)) return kind == ValueKind::kString;
  return kind == ValueKind::kInt || kind == ValueKind::kDouble || kind == ValueKind::kUint;
}

std::optional<std::string> AsKind(ValueKind kind, const NamedComparison::Literal& literal) {
  const auto* const text = std::get_if<std::string>(&literal);
  if (kind == ValueKind::kString && text == nullptr)
    return fmt::format("\"{}\"", std::visit(LiteralTexts(), literal));
  if (text == nullptr || text->empty()) return std::nullopt;
  if (kind == ValueKind::kSemver) return fmt::format("semver(\"{}\")", *text);
  if (kind == ValueKind::kBool && (*text == "true" || *text == "false")) return *text;
  int64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, number);
  if (kind == ValueKind::kInt && read.ptr == end && read.ec == std::errc()) return *text;
  return std::nullopt;
}

std::vector<TextFix> FixesFor(const NamedComparison::Literal& literal, const std::string& after) {
  std::vector<TextFix> fixes;
  for (std::string& before : Spellings(literal)) {
    std::string quoted = InQuotesOf(before, after);
    fixes.push_back({.before = std::move(before), .after = std::move(quoted)});
  }
  return fixes;
}

}  // namespace dray::planning::inline lint
