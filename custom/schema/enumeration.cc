// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/enumeration.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "api/codec/tree_json.h"
#include "api/text/cut.h"
#include "api/validation/cause_limits.h"
#include "api/validation/field_error.h"

namespace dray::custom::schema {
namespace {

using api::Tree;

// Integers before doubles of the same value: Go does not take them for equal.
bool IsBefore(const Tree& a, const Tree& b) {
  const auto order = Tree::Compare(a, b);
  return order != 0 ? order < 0 : a.is_integer() && b.is_double();
}

// Go's conversion of an integer to a text: the character with that code point.
std::string CharacterOf(int64_t code) {
  const bool is_character = code >= 0 && code <= 0x10'FFFF && (code < 0xD800 || code > 0xDFFF);
  const auto c = static_cast<uint32_t>(is_character ? code : 0xFFFD);
  const auto byte = [](uint32_t bits) { return static_cast<char>(static_cast<uint8_t>(bits)); };
  const auto tail = [&](uint32_t shift) { return byte(0x80U | ((c >> shift) & 0x3FU)); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0U | (c >> 6U)), tail(0)};
  if (c < 0x10000) return {byte(0xE0U | (c >> 12U)), tail(6), tail(0)};
  return {byte(0xF0U | (c >> 18U)), tail(12), tail(6), tail(0)};
}

// As the conversion of a double to int64 does it on amd64.
int64_t Truncated(double number) {
  return number >= -0x1p63 && number < 0x1p63 ? static_cast<int64_t>(number) : INT64_MIN;
}

std::string ShownValues(const std::vector<Tree>& values) {
  std::string shown;
  for (const Tree& value : values) {
    if (shown.size() > api::validation::kCauseTextMax) break;
    if (!shown.empty()) shown += ", ";
    shown += api::validation::Shown(value.is_text() ? std::string(value.text()) : ToJson(value));
  }
  return api::Cut(shown, api::validation::kCauseTextMax);
}

}  // namespace

Enumeration::Enumeration(std::vector<Tree> values)
    : values_(std::move(values)), sorted_(values_), shown_(ShownValues(values_)) {
  std::ranges::sort(sorted_, IsBefore);
}

bool Enumeration::Has(const Tree& value) const {
  return std::ranges::binary_search(sorted_, value, IsBefore);
}

bool Enumeration::Allows(const Tree& value) const {
  switch (value.kind()) {
    case Tree::Kind::kNull: return false;
    case Tree::Kind::kInteger:
      return Has(value) || Has(Tree(value.number())) || Has(Tree(CharacterOf(value.integer())));
    case Tree::Kind::kDouble: return Has(value) || Has(Tree(Truncated(value.number())));
    default: return Has(value);
  }
}

}  // namespace dray::custom::schema
