// SPDX-License-Identifier: Apache-2.0
#include "custom/rules/field_path.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"

namespace dray::custom::rules {
namespace {

using api::apiextensions_v1::JSONSchemaProps;

Failure BadPath(std::string message) {
  return Fail(StatusReason::kInvalid, std::move(message));
}

Failure NoSuchField() {
  return BadPath("does not refer to a valid field");
}

/// Takes the next token off `rest`: a dot, a bracket, a text in single quotes, or the text up to
/// the next dot or bracket. Nothing at the end.
std::optional<std::string_view> TakeToken(std::string_view& rest) {
  if (rest.empty()) return std::nullopt;
  size_t size = 1;
  if (rest[0] == '\'') {
    while (size < rest.size() && (rest[size] != '\'' || rest[size - 1] == '\\')) ++size;
    size = std::min(size + 1, rest.size());
  } else if (rest[0] != '.' && rest[0] != '[' && rest[0] != ']') {
    size = std::min(rest.find_first_of(".[]"), rest.size());
  }
  const std::string_view token = rest.substr(0, size);
  rest.remove_prefix(size);
  return token;
}

/// The text of a token in single quotes.
Result<std::string> Unquote(std::string_view token) {
  if (token.size() < 2 || token.front() != '\'' || token.back() != '\'') {
    return BadPath(fmt::format("expected single quoted string but got {}", token));
  }
  constexpr std::string_view kNames = "abfnrtv'\\";
  constexpr std::string_view kMeant = "\a\b\f\n\r\t\v'\\";
  const std::string_view text = token.substr(1, token.size() - 2);
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const size_t escape = kNames.find(text[++i]);
    if (escape == std::string_view::npos) {
      return BadPath(fmt::format("invalid string literal: invalid escape char \\{}", text[i]));
    }
    out += kMeant[escape];
  }
  return out;
}

class FieldSearch {
 public:
  explicit FieldSearch(const JSONSchemaProps& schema) : found_{.path = {}, .schema = &schema} {}

  Result<FoundField> Run(std::string_view rest, Brackets brackets) {
    while (const auto token = TakeToken(rest)) {
      if (*token == ".") {
        const auto name = TakeToken(rest);
        if (!name.has_value()) return BadPath("unexpected end of JSON path");
        DRAY_TRY_VOID(Enter(*name));
      } else if (*token == "[") {
        if (brackets == Brackets::kRefused) return BadPath("array notation is not allowed");
        DRAY_TRY_VOID(EnterKey(rest));
      } else {
        return BadPath(fmt::format("expected [ or . but got: {}", *token));
      }
    }
    return std::move(found_);
  }

 private:
  /// Goes to a member with a name of its own, or to the value of a map.
  Result<> Enter(std::string_view name) {
    if (found_.schema == nullptr) return NoSuchField();
    const JSONSchemaProps& schema = *found_.schema;
    if (!schema.properties.empty()) {
      const auto member = schema.properties.find(name);
      if (member == schema.properties.end()) return NoSuchField();
      if (!found_.path.empty()) found_.path += '.';
      found_.path += name;
      found_.schema = &member->second;
      return {};
    }
    if (!schema.additional_properties.has_value()) return NoSuchField();
    found_.path += fmt::format("[{}]", name);
    const auto& values = schema.additional_properties->schema;
    found_.schema = values.has_value() ? &*values : nullptr;
    return {};
  }

  Result<> EnterKey(std::string_view& rest) {
    const auto token = TakeToken(rest);
    if (!token.has_value()) return BadPath("unexpected end of JSON path");
    DRAY_TRY(const std::string key, Unquote(*token));
    DRAY_TRY_VOID(Enter(key));
    const auto end = TakeToken(rest);
    if (!end.has_value()) return BadPath("unexpected end of JSON path");
    if (*end != "]") return BadPath(fmt::format("expected ] but got {}", *end));
    return {};
  }

  FoundField found_;
};

}  // namespace

Result<FoundField> FindField(std::string_view path,
                             const JSONSchemaProps& schema,
                             Brackets brackets) {
  return FieldSearch(schema).Run(path, brackets);
}

Result<std::string> ResolveFieldPath(std::string_view path, const JSONSchemaProps& schema) {
  DRAY_TRY(FoundField found, FindField(path, schema, Brackets::kAllowed));
  return std::move(found.path);
}

}  // namespace dray::custom::rules
