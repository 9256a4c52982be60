// SPDX-License-Identifier: Apache-2.0
// A part of an object that is walked: of a struct, or of a document. Walks that compare are written
// once over both: every write compares structs, server-side apply documents.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/json_tree.h"
#include "api/managed_fields/path_element.h"
#include "api/managed_fields/shape.h"
#include "api/reflect.h"
#include "base/result.h"

namespace dray::api::managed_fields {

/// A value, null, or nothing at all. What it is a part of must outlive it.
class Part {
 public:
  /// Nothing.
  Part() = default;
  /// `value`, of `type`, as its document shows it: an empty optional is null.
  Part(const Type& type, const void* value);
  /// `tree`, or nothing when it is null.
  explicit Part(const JsonTree* tree) : tree_(tree) {}

  bool is_there() const { return tree_ != nullptr || type_ != nullptr; }
  bool is_null() const;
  /// Nothing, null, or without elements or members.
  bool is_empty(Wire wire) const;

  /// The tree of a document's part, else null.
  const JsonTree* tree() const { return tree_; }
  /// The type of a struct's part, else null.
  const Type* type() const { return type_; }
  const void* value() const { return value_; }

  /// The form of a tree's value; a scalar for structs and for nothing.
  Shape::Form form() const;

  /// Equal as JSON values; of structs, as Equal() has it.
  bool operator==(const Part& other) const;

 private:
  const JsonTree* tree_ = nullptr;
  const Type* type_ = nullptr;
  const void* value_ = nullptr;
};

/// An element of a set or keyed list under its name.
struct Item {
  PathElement element;
  Part part;
  size_t place;  // in the list
};

/// Finds the path elements of the elements of one list; what is the same for all of them is looked
/// up once.
class ElementNames {
 public:
  ElementNames(const Shape& list, Wire wire);

  /// Errors: kUnknown  it has none, in upstream's words.
  Result<PathElement> Of(const Part& element);

 private:
  struct Member {
    KeyPart key;
    std::string intro;  // "name": as it stands before the value
  };
  Result<PathElement> ValueOf(const Part& element);
  Result<PathElement> KeyOf(const Part& element);
  bool AppendValue(const Member& member, const Part& element);
  Error NoKey() const;

  Shape list_;
  Wire wire_;
  std::vector<Member> members_;  // of a keyed list, sorted by name
  std::string json_;             // of one element; keeps its room
};

/// The elements of `list`; those that have no path element are left out.
std::vector<Item> ItemsOf(const Shape& list, const Part& part, Wire wire);

}  // namespace dray::api::managed_fields
