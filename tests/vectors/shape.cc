// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/shape.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "base/try.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;

bool IsWhole(const json::value& value) {
  if (value.is_int64() || value.is_uint64()) return true;
  return value.is_double() && std::trunc(value.get_double()) == value.get_double();
}

bool Fits(const json::value& value, Shape shape) {
  const auto is_text = [](const json::value& one) { return one.is_string(); };
  switch (shape) {
    case Shape::kObject: return value.is_object();
    case Shape::kList: return value.is_array();
    case Shape::kText: return value.is_string();
    case Shape::kNumber: return value.is_number();
    case Shape::kWholeNumber: return IsWhole(value);
    case Shape::kTextOrTexts:
      return value.is_string() ||
             (value.is_array() && std::ranges::all_of(value.get_array(), is_text));
    case Shape::kAny: return true;
  }
  return true;
}

std::string_view NameOf(Shape shape) {
  switch (shape) {
    case Shape::kObject: return "an object";
    case Shape::kList: return "a list";
    case Shape::kText: return "a text";
    case Shape::kNumber: return "a number";
    case Shape::kWholeNumber: return "a whole number";
    case Shape::kTextOrTexts: return "a text or a list of texts";
    case Shape::kAny: break;
  }
  return "a value";
}

/// `rest` is the remaining part of the rule's place below `value`, whose pointer is `pointer`.
Result<> Check(const json::value& value,
               const std::string& pointer,
               std::string_view rest,
               const ShapeRule& rule) {
  if (rest.empty()) {
    if (Fits(value, rule.shape)) return {};
    return Fail(StatusReason::kBadRequest,
                fmt::format("{}: must be {}", pointer, NameOf(rule.shape)));
  }
  rest.remove_prefix(1);
  const std::string_view name = rest.substr(0, rest.find('/'));
  rest.remove_prefix(name.size());
  if (name == "*" && value.is_array()) {
    for (size_t i = 0; i < value.get_array().size(); ++i) {
      DRAY_TRY_VOID(Check(value.get_array()[i], fmt::format("{}/{}", pointer, i), rest, rule));
    }
    return {};
  }
  if (!value.is_object()) return {};
  if (name == "*") {
    for (const auto& [key, member] : value.get_object()) {
      DRAY_TRY_VOID(
          Check(member, fmt::format("{}/{}", pointer, std::string_view(key)), rest, rule));
    }
    return {};
  }
  const std::string below = fmt::format("{}/{}", pointer, name);
  const json::value* member = value.get_object().if_contains(name);
  if (member != nullptr) return Check(*member, below, rest, rule);
  if (!rest.empty() || !rule.is_required) return {};
  return Fail(StatusReason::kBadRequest, below + ": is missing");
}

}  // namespace

Result<> CheckShape(const json::value& document, std::span<const ShapeRule> rules) {
  for (const ShapeRule& rule : rules) {
    DRAY_TRY_VOID(Check(document, "", rule.place, rule));
  }
  return {};
}

Result<json::value> ReadJson(std::string_view text) {
  json::stream_parser parser;
  boost::system::error_code failed;
  const size_t read = parser.write_some(text.data(), text.size(), failed);
  const std::string_view after = text.substr(std::min(read, text.size()));
  const size_t more = after.find_first_not_of(" \t\r\n");
  if (!failed && more != std::string_view::npos) failed = json::error::extra_data;
  if (!failed) parser.finish(failed);
  if (!failed) return parser.release();
  const auto line = 1 + std::ranges::count(text.substr(0, text.size() - after.size()), '\n');
  return Fail(StatusReason::kBadRequest, fmt::format("line {}: {}", line, failed.message()));
}

double NumberOf(const json::value& value) {
  if (value.is_double()) return value.get_double();
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  return static_cast<double>(value.as_int64());
}

}  // namespace dray::vectors
