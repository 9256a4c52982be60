// SPDX-License-Identifier: Apache-2.0
#include "custom/rules/field_path.h"

#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "custom/rules/shape.h"

namespace dray::custom::rules {
namespace {

using api::apiextensions_v1::JSONSchemaProps;

// Splits a path into the delimiters ".", "[" and "]", texts in single quotes, and what lies
// between.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }

  // Nothing at the end, and for a quoted text that does not end.
  std::optional<std::string_view> Next() {
    if (rest_.empty()) return std::nullopt;
    if (rest_.front() == '\'') return NextQuoted();
    const size_t end = rest_.find_first_of(".[]");
    return Take(end == 0 ? 1 : end);
  }

 private:
  std::optional<std::string_view> NextQuoted() {
    for (size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == '\'' && rest_[i - 1] != '\\') return Take(i + 1);
    }
    return Take(std::string_view::npos);
  }

  std::string_view Take(size_t length) {
    const std::string_view token = rest_.substr(0, length);
    rest_.remove_prefix(token.size());
    return token;
  }

  std::string_view rest_;
};

std::optional<char> Unescaped(char directive) {
  switch (directive) {
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    case '\'':
    case '\\': return directive;
    default: return std::nullopt;
  }
}

Result<std::string> Unquote(std::string_view token) {
  if (token.size() < 2 || !token.starts_with('\'') || !token.ends_with('\'')) {
    return Fail(StatusReason::kInvalid,
                fmt::format("expected single quoted string but got {}", token));
  }
  const std::string_view inner = token.substr(1, token.size() - 2);
  std::string out;
  for (size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] != '\\' || i + 1 == inner.size()) {
      out += inner[i];
      continue;
    }
    const std::optional<char> letter = Unescaped(inner[++i]);
    if (!letter.has_value()) {
      return Fail(
          StatusReason::kInvalid,
          fmt::format("invalid string literal: invalid escape char {}", inner.substr(i - 1, 2)));
    }
    out += *letter;
  }
  return out;
}

// Walks down a schema and writes the path.
class Resolver {
 public:
  explicit Resolver(const JSONSchemaProps& schema) : schema_(&schema) {}

  Result<> Step(const std::string& name) {
    const auto no_field = [] {
      return Fail(StatusReason::kInvalid, "does not refer to a valid field");
    };
    if (!schema_->properties.empty()) {
      const auto found = schema_->properties.find(name);
      if (found == schema_->properties.end()) return no_field();
      if (!out_.empty()) out_ += '.';
      out_ += name;
      schema_ = &found->second;
      return {};
    }
    schema_ = ValuesOf(*schema_);
    if (schema_ == nullptr) return no_field();
    out_ += fmt::format("[{}]", name);
    return {};
  }

  std::string Take() { return std::move(out_); }

 private:
  const JSONSchemaProps* schema_;
  std::string out_;
};

}  // namespace

Result<std::string> ResolveFieldPath(std::string_view path, const JSONSchemaProps& schema) {
  const auto too_short = [] { return Fail(StatusReason::kInvalid, "unexpected end of JSON path"); };
  Resolver resolver(schema);
  Tokens tokens(path);
  while (!tokens.at_end()) {
    const std::string_view delimiter = *tokens.Next();
    const std::optional<std::string_view> token = tokens.Next();
    if (delimiter != "." && delimiter != "[") {
      return Fail(StatusReason::kInvalid, fmt::format("expected [ or . but got: {}", delimiter));
    }
    if (!token.has_value()) return too_short();
    if (delimiter == ".") {
      DRAY_TRY_VOID(resolver.Step(std::string(*token)));
      continue;
    }
    DRAY_TRY(const std::string name, Unquote(*token));
    DRAY_TRY_VOID(resolver.Step(name));
    const std::optional<std::string_view> end = tokens.Next();
    if (!end.has_value()) return too_short();
    if (*end != "]") {
      return Fail(StatusReason::kInvalid, fmt::format("expected ] but got {}", *end));
    }
  }
  return resolver.Take();
}

}  // namespace dray::custom::rules
