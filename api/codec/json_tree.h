// SPDX-License-Identifier: Apache-2.0
// JSON as a tree that can be edited. Numbers keep their text and members keep their order, so a
// patch leaves the other parts unchanged: large integers are never converted to doubles.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/json_reader.h"
#include "base/result.h"

namespace dray::api::inline codec {

class JsonTree;

/// The members of an object, in the order first written. Finding one is linear in small objects and
/// logarithmic in large ones.
class JsonMembers {
 public:
  /// Null if there is no such member. Valid until the next change.
  JsonTree* Find(std::string_view name);
  const JsonTree* Find(std::string_view name) const;
  /// Adds or replaces a member; a replaced one keeps its place.
  void Set(std::string_view name, JsonTree value);
  /// Removes a member and returns it; the result has kind kInvalid if there is none.
  JsonTree Take(std::string_view name);
  size_t size() const;
  /// The members that are there, in order; valid until the next change.
  std::vector<std::pair<std::string_view, JsonTree*>> All();
  std::vector<std::pair<std::string_view, const JsonTree*>> All() const;

 private:
  size_t IndexOf(std::string_view name) const;
  void BuildIndex();
  void Compact();

  // A removed member stays as kInvalid, so that positions hold.
  std::vector<std::string> names_;
  std::vector<JsonTree> values_;
  std::map<std::string, size_t, std::less<>> index_;  // of large objects only
  size_t removed_ = 0;
};

/// One JSON value. Members that only arrays and objects need are stored separately, because a
/// document may have one value for each two of its bytes.
class JsonTree {
 public:
  JsonKind kind = JsonKind::kInvalid;
  std::string text;  // the string, the number as written, "true" or "false"

  /// Precondition: an array.
  std::vector<JsonTree>& elements() { return elements_.value(); }
  const std::vector<JsonTree>& elements() const { return elements_.value(); }
  /// Precondition: an object.
  JsonMembers& members() { return members_.value(); }
  const JsonMembers& members() const { return members_.value(); }

  bool is_null() const { return kind == JsonKind::kNull; }
  bool is_string() const { return kind == JsonKind::kString; }
  bool is_array() const { return kind == JsonKind::kArray; }
  bool is_object() const { return kind == JsonKind::kObject; }

  static JsonTree Object() {
    JsonTree tree;
    tree.kind = JsonKind::kObject;
    return tree;
  }

 private:
  /// A T that is made when it is first changed.
  template <class T>
  class Late {
   public:
    Late() = default;
    Late(const Late& other)
        : value_(other.value_ == nullptr ? nullptr : std::make_unique<T>(*other.value_)) {}
    Late(Late&&) noexcept = default;
    Late& operator=(const Late& other) {
      if (this != &other) *this = Late(other);
      return *this;
    }
    Late& operator=(Late&&) noexcept = default;
    ~Late() = default;

    T& value() {
      if (value_ == nullptr) value_ = std::make_unique<T>();
      return *value_;
    }
    const T& value() const {
      static const T kNone;
      return value_ == nullptr ? kNone : *value_;
    }

   private:
    std::unique_ptr<T> value_;
  };

  Late<std::vector<JsonTree>> elements_;
  Late<JsonMembers> members_;
};

/// Parses `json`; of members named twice the last counts.
/// Errors: kBadRequest  not JSON, or nested deeper than `depth_max`.
Result<JsonTree> ParseJsonTree(std::string_view json, size_t depth_max);

enum class MemberOrder : uint8_t {
  kAsRead,
  kByName,  // as Go writes maps
};

/// Appends the compact text.
void WriteJsonTree(const JsonTree& tree,
                   std::string& out,
                   MemberOrder order = MemberOrder::kAsRead);

/// Nesting depth of objects and arrays; 0 for a scalar. `visited` counts the values visited.
size_t DepthOf(const JsonTree& tree, size_t& visited);

/// Equal as JSON values: members in any order, numbers by value.
bool EqualJson(const JsonTree& a, const JsonTree& b);

/// Bytes of a value that GoText() shows.
inline constexpr size_t kGoTextMax = 4096;

/// The value as Go prints it with %v, for messages that upstream builds so: map[name:x], [a b]. Cut
/// after kGoTextMax bytes, with "…".
std::string GoText(const JsonTree& tree);

/// The name of the kind in errors of Go's JSON decoder: "array", "object", "string", "number",
/// "bool".
std::string GoJsonKind(const JsonTree& tree);

}  // namespace dray::api::inline codec
