// SPDX-License-Identifier: Apache-2.0
// The schema of one version of a custom kind, compiled from its definition: what its objects hold,
// which members they get and lose, and which values are valid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/apiextensions_v1.h"
#include "api/value/tree.h"
#include "base/frozen.h"
#include "custom/formats/value_format.h"
#include "custom/schema/enumeration.h"
#include "custom/schema/pattern.h"

namespace dray::custom::schema {

struct Node;

/// What a schema's `type` says; kAny where it is left out.
enum class ValueType : uint8_t { kAny, kArray, kBoolean, kInteger, kNumber, kObject, kString };

/// "array"; empty for kAny.
std::string_view NameOf(ValueType type);

/// x-kubernetes-list-type. Lists without it are atomic to all but the checks of definitions.
enum class ListType : uint8_t { kUnset, kAtomic, kSet, kMap };

/// x-kubernetes-map-type. Objects without it are granular.
enum class MapType : uint8_t { kUnset, kAtomic, kGranular };

/// What `additionalProperties` says of the members that `properties` does not name: nothing, true,
/// false, or a schema.
enum class OtherMembers : uint8_t { kUnset, kAllowed, kForbidden, kOfSchema };

/// A range of lengths or counts.
struct SizeRange {
  std::optional<int64_t> min, max;
};

/// A range of numbers.
struct NumberRange {
  std::optional<double> min, max, multiple_of;
  bool excludes_min = false, excludes_max = false;
};

/// What values must be besides their type: the part of a schema that may also stand inside logic.
struct ValueRules {
  std::string format;  // as the definition says it
  /// The format that is checked in objects; kNone where the server does not know it for this type.
  formats::ValueFormat checked_format = formats::ValueFormat::kNone;
  /// The format of texts with that name, whatever the type.
  formats::ValueFormat text_format = formats::ValueFormat::kNone;
  NumberRange numbers;
  SizeRange length;  // in code points
  SizeRange items;
  SizeRange members;
  std::unique_ptr<const Pattern> pattern;  // null: none
  Enumeration enumeration;
  std::vector<std::string> required;
  // Logic. Their nodes have rules, properties, items and types, but shape nothing.
  std::vector<const Node*> all_of, one_of, any_of;
  const Node* negated = nullptr;
};

struct Property {
  std::string name;
  const Node* node;
};

/// One value's place in the schema. Nodes are the schema's and live as long.
struct Node {
  ValueType type = ValueType::kAny;
  bool is_nullable = false;
  bool is_int_or_string = false;
  bool keeps_unknown_members = false;  // x-kubernetes-preserve-unknown-fields
  bool is_embedded_resource = false;
  ListType list_type = ListType::kUnset;
  MapType map_type = MapType::kUnset;
  OtherMembers other_members = OtherMembers::kUnset;
  /// What lies here or below, so that walks can pass over what has nothing for them.
  bool has_defaults = false, has_list_rules = false, has_embedded = false;

  std::vector<Property> properties;         // sorted by name
  std::vector<uint32_t> defaulted;          // those of them that have defaults, by their places
  const Node* others = nullptr;             // of members that `properties` does not name
  const Node* items = nullptr;              // of the elements of a list
  std::vector<std::string> list_keys;       // of the elements of a list of type map
  api::Tree default_value;                  // null: none
  size_t default_size = 0;                  // bytes of its JSON
  std::unique_ptr<const ValueRules> rules;  // null: none
  api::List<api::apiextensions_v1::ValidationRule> validations;

  /// The node of a member that `properties` names; null for others. O(log n).
  const Node* FindProperty(std::string_view name) const;
  /// The same; for others that of `additionalProperties`, null if there is none.
  const Node* FindMember(std::string_view name) const;
};

/// A compiled schema. Immutable, but for patterns, which are compiled when they are first used; any
/// number of threads may use it.
class Schema {
 public:
  Schema() = default;
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;
  ~Schema() = default;

  const Node& root() const { return nodes_.front(); }
  /// Nodes, also those inside logic.
  size_t size() const { return nodes_.size(); }

 private:
  friend class Compiler;

  std::deque<Node> nodes_;  // the root first
  PatternBudget patterns_;
};

/// Whether a value has apiVersion, kind and metadata, whatever its schema says of them: objects of
/// custom kinds do, values inside them where the schema marks them as embedded resources.
enum class Resource : bool { kIfMarked, kYes };

/// Compiles the schema of a definition that was found valid. What a valid schema cannot have
/// ($ref, patternProperties, …) is ignored. Linear, but for sorting; recursion is bounded by the
/// depth at which definitions are read (api::kNestedStructsMax).
Frozen<Schema> CompileSchema(const api::apiextensions_v1::JSONSchemaProps& props);

}  // namespace dray::custom::schema
