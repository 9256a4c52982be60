// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/part.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/written_members.h"
#include "api/text/go_quote.h"

namespace dray::api::managed_fields {
namespace {

template <class T>
const T& Get(const void* value) {
  return *static_cast<const T*>(value);
}

// The value of a key's field in the struct `value`, which may inline the one that has it; null when
// its document leaves it out.
const void* KeyValue(const Type& type, const void* value, const Field& field, Wire wire) {
  const uint64_t written = WrittenMembers(type, value, wire);
  for (size_t i = 0; i < type.fields.size(); ++i) {
    const Field& member = type.fields[i];
    if ((written >> i & 1U) == 0) continue;
    if (&member == &field) return member.of(value);
    if (!member.facets.inlined) continue;
    if (const void* found = KeyValue(member.type(), member.of(value), field, wire)) return found;
  }
  return nullptr;
}

}  // namespace

Part::Part(const Type& type, const void* value) : type_(&type), value_(value) {
  while (type_->kind == TypeKind::kOptional && type_->container->size(value_) == 1) {
    value_ = type_->container->at(value_, 0);
    type_ = &type_->element();
  }
}

bool Part::is_null() const {
  if (tree_ != nullptr) return tree_->is_null();
  if (type_ == nullptr) return false;
  switch (type_->kind) {
    case TypeKind::kOptional: return true;
    case TypeKind::kList: return !type_->container->present(value_);
    case TypeKind::kMap: return type_->container->size(value_) == 0;
    case TypeKind::kTime: return Get<Time>(value_).IsZero();
    case TypeKind::kMicroTime: return Get<MicroTime>(value_).IsZero();
    case TypeKind::kRawJson: return Get<RawJson>(value_).IsNull();
    case TypeKind::kBool:
    case TypeKind::kInt32:
    case TypeKind::kInt64:
    case TypeKind::kDouble:
    case TypeKind::kString:
    case TypeKind::kBytes:
    case TypeKind::kQuantity:
    case TypeKind::kDuration:
    case TypeKind::kIntOrString:
    case TypeKind::kStruct: return false;
  }
  return false;
}

bool Part::is_empty(Wire wire) const {
  if (!is_there() || is_null()) return true;
  if (tree_ != nullptr) {
    return (tree_->is_object() && tree_->members().size() == 0) ||
           (tree_->is_array() && tree_->elements().empty());
  }
  if (type_->kind == TypeKind::kStruct) return WrittenMembers(*type_, value_, wire) == 0;
  const bool has_elements = type_->kind == TypeKind::kList || type_->kind == TypeKind::kMap;
  return has_elements && type_->container->size(value_) == 0;
}

Shape::Form Part::form() const {
  if (tree_ != nullptr && tree_->is_object()) return Shape::Form::kObject;
  const bool is_list = tree_ != nullptr && tree_->is_array();
  return is_list ? Shape::Form::kList : Shape::Form::kScalar;
}

bool Part::operator==(const Part& other) const {
  if (tree_ != nullptr && other.tree_ != nullptr) return EqualJson(*tree_, *other.tree_);
  if (type_ == nullptr || other.type_ != type_) return is_null() && other.is_null();
  return Equal(*type_, value_, other.value_);
}

ElementNames::ElementNames(const Shape& list, Wire wire) : list_(list), wire_(wire) {
  if (list.kind == Shape::Kind::kSet) return;
  for (KeyPart& key : KeyPartsOf(list, wire)) {
    std::string intro;
    QuoteJson(key.name, intro);
    members_.push_back({.key = std::move(key), .intro = std::move(intro) + ":"});
  }
  std::ranges::sort(members_, {}, [](const Member& member) { return member.key.name; });
}

Result<PathElement> ElementNames::Of(const Part& element) {
  return list_.kind == Shape::Kind::kSet ? ValueOf(element) : KeyOf(element);
}

Result<PathElement> ElementNames::ValueOf(const Part& element) {
  json_.clear();
  if (element.tree() == nullptr) {
    EncodeJson(*element.type(), element.value(), json_);
    return PathElement::OfValue(json_);
  }
  switch (element.tree()->kind) {
    case JsonKind::kObject:
      return Fail(StatusReason::kUnknown,
                  "associative list without keys has an element that's a map type");
    case JsonKind::kArray:
      return Fail(StatusReason::kUnknown, "not supported: associative list with lists as elements");
    case JsonKind::kNull:
    case JsonKind::kInvalid:
      return Fail(StatusReason::kUnknown,
                  "associative list without keys has an element that's an explicit null");
    case JsonKind::kBool:
    case JsonKind::kNumber:
    case JsonKind::kString: break;
  }
  WriteJsonTree(*element.tree(), json_);
  return PathElement::OfValue(json_);
}

Result<PathElement> ElementNames::KeyOf(const Part& element) {
  if (element.is_null()) {
    return Fail(StatusReason::kUnknown, "associative list with keys may not have a null element");
  }
  if (element.tree() != nullptr && !element.tree()->is_object()) {
    return Fail(StatusReason::kUnknown, "associative list with keys may not have non-map elements");
  }
  json_ = "{";
  for (const Member& member : members_) {
    const size_t before = json_.size();
    if (before > 1) json_ += ',';
    json_ += member.intro;
    if (!AppendValue(member, element)) json_.resize(before);
  }
  if (json_.size() == 1) return Fail(NoKey());
  json_ += '}';
  return PathElement::OfSortedKey(json_);
}

// A member of a key as compact JSON; false when it is not there.
bool ElementNames::AppendValue(const Member& member, const Part& element) {
  if (element.tree() != nullptr) {
    const JsonTree* found = element.tree()->members().Find(member.key.name);
    if (found != nullptr) {
      WriteJsonTree(*found, json_);
      return true;
    }
  } else if (const void* found =
                 KeyValue(*element.type(), element.value(), *member.key.field, wire_)) {
    EncodeJson(member.key.field->type(), found, json_, wire_);
    return true;
  }
  json_ += member.key.absent.value_or("");
  return member.key.absent.has_value();
}

Error ElementNames::NoKey() const {
  std::string names;
  for (const KeyPart& key : KeyPartsOf(list_, wire_)) {
    names += fmt::format("{}{}", names.empty() ? "" : " ", GoQuote(key.name));
  }
  return {
      .reason = StatusReason::kUnknown,
      .message = fmt::format("associative list with keys has an element that omits all key fields "
                             "[{}] (and doesn't have default values for any key fields)",
                             names)};
}

std::vector<Item> ItemsOf(const Shape& list, const Part& part, Wire wire) {
  std::vector<Item> items;
  ElementNames names(list, wire);
  size_t place = 0;
  const auto add = [&](const Part& element) {
    Result<PathElement> name = names.Of(element);
    if (name.has_value()) {
      items.push_back({.element = *std::move(name), .part = element, .place = place});
    }
    ++place;
  };
  if (part.tree() != nullptr) {
    items.reserve(part.tree()->elements().size());
    for (const JsonTree& element : part.tree()->elements()) add(Part(&element));
  } else if (part.type() != nullptr && part.type()->kind == TypeKind::kList) {
    const ContainerOperations& container = *part.type()->container;
    const size_t size = container.size(part.value());
    items.reserve(size);
    for (size_t i = 0; i < size; ++i) {
      add(Part(part.type()->element(), container.at(part.value(), i)));
    }
  }
  return items;
}

}  // namespace dray::api::managed_fields
