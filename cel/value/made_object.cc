// SPDX-License-Identifier: Apache-2.0
#include "cel/value/made_object.h"

#include <algorithm>

#include "cel/value/equality.h"
#include "cel/value/make.h"

namespace dray::cel::inline value {
namespace {

// Its address is the schema() of all made objects.
constexpr char kMade = 0;

}  // namespace

const Value* MadeObject::Find(std::string_view key) {
  const auto found = std::ranges::lower_bound(
      fields_, key, {}, [](const MapEntry& field) { return field.key.text(); });
  return found != fields_.end() && found->key.text() == key ? &found->value : nullptr;
}

const void* MadeObject::schema() const {
  return &kMade;
}

Value MadeObject::Equals(const MapView& other, Work& work) const {
  const auto& made = static_cast<const MadeObject&>(other);
  if (type_ != made.type_ || fields_.size() != made.fields_.size()) return Value::Bool(false);
  for (size_t i = 0; i < fields_.size() && !work.is_spent(); ++i) {
    if (fields_[i].key.text() != made.fields_[i].key.text()) return Value::Bool(false);
    const Value equal = Equal(fields_[i].value, made.fields_[i].value, work);
    if (!equal.is_true()) return equal;
  }
  return Value::Bool(true);
}

Value MakeObject(Arena& arena,
                 std::string_view type,
                 std::span<const MapEntry> fields,
                 const Value& absent) {
  const Value plain = MakeMap(arena, fields);
  if (plain.is_error()) return plain;
  const Map& map = plain.map();
  MadeObject* const made = arena.Place(MadeObject(type, map.made, absent));
  return Value::FromMap(arena.Keep(Map{.weight = map.weight, .view = made}));
}

const MadeObject* MadeObjectOf(const Value& value) {
  if (!value.is(ValueKind::kMap)) return nullptr;
  MapView* const view = value.map().view;
  return view != nullptr && view->schema() == &kMade ? static_cast<const MadeObject*>(view)
                                                     : nullptr;
}

}  // namespace dray::cel::inline value
