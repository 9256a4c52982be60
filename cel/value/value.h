// SPDX-License-Identifier: Apache-2.0
// What expressions compute with. A Value is 16 bytes and copied freely; texts, lists and objects
// belong to an arena, to the constants of the program or to the device. Errors are values: && and
// || may absorb them.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "api/value/quantity.h"
#include "api/value/semver.h"
#include "base/work.h"
#include "cel/value/kind.h"
#include "cel/value/network.h"
#include "cel/value/timestamp.h"

namespace dray::cel::inline value {

struct List;
struct Map;
struct DeepIndex;
struct NamedFormat;    // named_format.h
struct Authorization;  // authorization.h

class Value {
 public:
  Value() = default;  // null

  static Value Bool(bool value) { return {ValueKind::kBool, int64_t{value}}; }
  static Value Int(int64_t value) { return {ValueKind::kInt, value}; }
  static Value Uint(uint64_t value) {
    Value out(ValueKind::kUint, int64_t{0});
    out.payload_.natural = value;
    return out;
  }
  static Value Double(double value) {
    Value out(ValueKind::kDouble, int64_t{0});
    out.payload_.number = value;
    return out;
  }
  /// Texts are not copied and must outlive the value.
  static Value String(std::string_view text) { return {ValueKind::kString, text}; }
  static Value Bytes(std::string_view text) { return {ValueKind::kBytes, text}; }
  static Value Type(std::string_view name) { return {ValueKind::kType, name}; }
  static Value Error(std::string_view message) { return {ValueKind::kError, message}; }
  static Value FromList(const List* list) { return {ValueKind::kList, list}; }
  static Value FromMap(const Map* map) { return {ValueKind::kMap, map}; }
  static Value None() { return {ValueKind::kOptional, static_cast<const void*>(nullptr)}; }
  static Value Some(const Value* value) { return {ValueKind::kOptional, value}; }
  static Value Quantity(const api::Quantity* value) { return {ValueKind::kQuantity, value}; }
  /// A result of add or sub. Upstream keeps it behind a pointer, and its == does not follow that
  /// pointer when the result stands on the right.
  static Value ComputedQuantity(const api::Quantity* value) {
    Value out(ValueKind::kQuantity, value);
    out.size_ = 1;
    return out;
  }
  static Value Semver(const api::Semver* value) { return {ValueKind::kSemver, value}; }
  static Value Timestamp(const cel::Timestamp* value) { return {ValueKind::kTimestamp, value}; }
  static Value Duration(int64_t nanoseconds) { return {ValueKind::kDuration, nanoseconds}; }
  static Value Url(const cel::Url* value) { return {ValueKind::kUrl, value}; }
  static Value Ip(const IpAddress* value) { return {ValueKind::kIp, value}; }
  static Value Cidr(const IpPrefix* value) { return {ValueKind::kCidr, value}; }
  static Value Format(const NamedFormat* value) { return {ValueKind::kFormat, value}; }
  static Value Authorization(const cel::Authorization* value) {
    return {ValueKind::kAuthorization, value};
  }

  ValueKind kind() const { return kind_; }
  bool is(ValueKind kind) const { return kind_ == kind; }
  /// Quantity, Semver, URL, IP, CIDR, Format and those of the authorizer: what Kubernetes adds.
  bool is_object() const { return kind_ >= ValueKind::kQuantity; }
  bool is_error() const { return kind_ == ValueKind::kError; }
  bool is_true() const { return kind_ == ValueKind::kBool && payload_.integer != 0; }
  bool is_false() const { return kind_ == ValueKind::kBool && payload_.integer == 0; }

  // Each of these is valid for values of its kind only.
  bool boolean() const { return payload_.integer != 0; }
  int64_t integer() const { return payload_.integer; }
  uint64_t unsigned_integer() const { return payload_.natural; }
  double number() const { return payload_.number; }
  std::string_view text() const { return {static_cast<const char*>(payload_.pointer), size_}; }
  const List& list() const { return *static_cast<const List*>(payload_.pointer); }
  const Map& map() const { return *static_cast<const Map*>(payload_.pointer); }
  /// nullptr if there is none.
  const Value* optional() const { return static_cast<const Value*>(payload_.pointer); }
  const api::Quantity& quantity() const {
    return *static_cast<const api::Quantity*>(payload_.pointer);
  }
  bool is_computed() const { return size_ != 0; }  // of a quantity
  const api::Semver& semver() const { return *static_cast<const api::Semver*>(payload_.pointer); }
  const cel::Timestamp& timestamp() const {
    return *static_cast<const cel::Timestamp*>(payload_.pointer);
  }
  int64_t nanoseconds() const { return payload_.integer; }
  const cel::Url& url() const { return *static_cast<const cel::Url*>(payload_.pointer); }
  const IpAddress& ip() const { return *static_cast<const IpAddress*>(payload_.pointer); }
  const IpPrefix& cidr() const { return *static_cast<const IpPrefix*>(payload_.pointer); }
  const NamedFormat& format() const { return *static_cast<const NamedFormat*>(payload_.pointer); }
  const cel::Authorization& authorization() const {
    return *static_cast<const cel::Authorization*>(payload_.pointer);
  }

 private:
  Value(ValueKind kind, int64_t integer) : kind_(kind), payload_{.integer = integer} {}
  Value(ValueKind kind, const void* pointer) : kind_(kind), payload_{.pointer = pointer} {}
  Value(ValueKind kind, std::string_view text)
      : kind_(kind), size_(static_cast<uint32_t>(text.size())), payload_{.pointer = text.data()} {}

  ValueKind kind_ = ValueKind::kNull;
  uint32_t size_ = 0;
  union Payload {
    int64_t integer;
    uint64_t natural;
    double number;
    const void* pointer;
  };
  Payload payload_ = {.integer = 0};
};
static_assert(sizeof(Value) == 16);

/// The number of steps that a walk through a value takes. A part that is shared counts each time it
/// is reached, as in a list that holds one list twice. Texts and other leaves weigh 1.
using Weight = uint64_t;

/// A list of a document whose elements become values when they are asked for. Belongs to one
/// evaluation.
class ListView {
 public:
  virtual size_t size() const = 0;
  /// Precondition: `index` < size().
  virtual Value At(size_t index) = 0;
  /// All elements. They are made by the first call.
  virtual std::span<const Value> All() = 0;
  /// The part of a schema that the elements are read by. Views of one schema have one class.
  virtual const void* schema() const = 0;
  /// == with a view of the same schema, element by element or as the rule of the list says, without
  /// making values that are not needed.
  virtual Value Equals(const ListView& other, Work& work) const = 0;

 protected:
  ~ListView() = default;
};

/// How == and + treat a list: kPlain as the language says, the others as x-kubernetes-list-type of
/// the list in a document says.
enum class ListRule : uint8_t { kPlain, kAtomic, kSet, kMap };

struct List {
  std::span<const Value> made = {};  // the elements, where there is no view
  Weight weight = 1;
  ListRule rule = ListRule::kPlain;
  /// The key members of a kMap's elements, as expressions name them.
  std::span<const std::string_view> keys = {};
  ListView* view = nullptr;  // not owned

  size_t size() const { return view == nullptr ? made.size() : view->size(); }
  bool empty() const { return size() == 0; }
  /// Costs O(n) once, where there is a view; At() does not.
  std::span<const Value> items() const { return view == nullptr ? made : view->All(); }
  /// Precondition: `index` < size().
  Value At(size_t index) const { return view == nullptr ? made[index] : view->At(index); }
  bool is_plain() const { return rule == ListRule::kPlain; }
};

struct MapEntry {
  Value key;
  Value value;
};

// The hash of a path of three texts, from the HashText of each.
uint64_t HashPath(uint64_t a, uint64_t b, uint64_t c);

/// The key of map[a][b][c] in a DeepIndex.
struct DeepKey {
  std::string_view a;
  std::string_view b;
  std::string_view c;
  uint64_t hash = 0;  // HashPath
};

/// Finds map[a][b][c] in one lookup, for texts a, b and c. It may lack entries: what it does not
/// find is looked up step by step.
struct DeepIndex {
  struct Group {
    std::string_view a;
    std::string_view b;
  };
  struct Entry {
    uint64_t hash = 0;  // HashPath
    const Group* group = nullptr;
    std::string_view c;
    Value value;
  };
  static constexpr size_t kEntriesMax = 254;

  std::span<const Entry> entries;
  /// A hash table with linear probing. A slot is 0 when it is free, else the index of an entry plus
  /// 1. Its size is a power of two above the number of entries.
  std::span<const uint8_t> table;

  const Value* Find(const DeepKey& key) const {
    const size_t mask = table.size() - 1;
    const uint8_t* const slots = table.data();
    for (size_t at = key.hash & mask; slots[at] != 0; at = (at + 1) & mask) {
      const Entry& entry = entries.data()[slots[at] - 1];
      if (entry.hash == key.hash && entry.c == key.c && entry.group->b == key.b &&
          entry.group->a == key.a) {
        return &entry.value;
      }
    }
    return nullptr;
  }
};

/// A map whose values are made when they are asked for: an object of a document, or values that are
/// computed. Belongs to one evaluation.
class MapView {
 public:
  /// nullptr if there is no such key. The value may be an error; it is good until the next call.
  virtual const Value* Find(std::string_view key) = 0;
  /// As size() counts.
  virtual size_t size() const { return 0; }
  /// What a walk sees, sorted by KeyLess. The entries are made by the first call.
  virtual std::span<const MapEntry> Entries() { return {}; }
  /// The part of a schema that the members of a document are read by; null of computed values.
  /// Views of one schema have one class.
  virtual const void* schema() const { return nullptr; }
  /// == with a view of the same schema, without making values that are not needed.
  virtual Value Equals(const MapView& /*other*/, Work& /*work*/) const {
    return Value::Bool(false);
  }

 protected:
  ~MapView() = default;
};

/// Entries are sorted by KeyLess, each key once: iteration never depends on chance.
struct Map {
  std::span<const MapEntry> made;  // the entries, where there is no view
  /// HashText of each key, if all keys are texts; optional. Makes FindText fast.
  std::span<const uint64_t> hashes;
  const DeepIndex* deep = nullptr;
  /// A key that is missing gives an empty map. True of device.attributes and device.capacity.
  bool empty_by_default = false;
  Weight weight = 1;
  MapView* view = nullptr;  // not owned

  size_t size() const { return view == nullptr ? made.size() : view->size(); }
  /// Costs O(n) once, where there is a view.
  std::span<const MapEntry> entries() const { return view == nullptr ? made : view->Entries(); }
  /// An object of a document: == and `in` follow its schema.
  bool is_structured() const { return view != nullptr && view->schema() != nullptr; }

  /// nullptr if there is no such key. int, uint and double keys with the same whole value find each
  /// other where upstream lets them. Costs O(log n).
  const Value* Find(const Value& key) const;
  /// The same, but without the empty map for missing keys.
  const Value* FindPresent(const Value& key) const;
  /// As Find, for a text whose HashText is known.
  const Value* FindText(std::string_view key, uint64_t hash) const;
  /// What any of these takes.
  uint64_t WorkOfFinding(const Value& key) const;
};

Weight WeightOf(const Value& value);

uint64_t HashText(std::string_view text);

/// bool, int, uint, double, string: what may be an index, and a member of a constant set.
bool IsScalarKey(ValueKind kind);
/// The kinds of keys that have an order (KeyLess): scalars and null. Literals may have keys of
/// other kinds as well (CanBeKey).
bool IsKeyKind(ValueKind kind);
/// A total order of keys: by kind, then by value (texts by bytes).
bool KeyLess(const Value& a, const Value& b);

/// The type as Go names it: some messages show it ("types.Int").
std::string_view GoTypeName(const Value& value);

/// The run-time type, as type() and error messages name it.
std::string_view TypeName(const Value& value);

/// The kind of the values of a Kubernetes type, by the name of the type; nothing if it has no
/// values.
std::optional<ValueKind> KindOfObject(std::string_view name);

/// int, uint or double.
constexpr bool IsNumber(ValueKind kind) {
  return kind == ValueKind::kInt || kind == ValueKind::kUint || kind == ValueKind::kDouble;
}

/// Whether `value` is a list or an object of a document, or a list made of one by +.
bool IsStructured(const Value& value);

/// Whether values of this kind can be compared by order: numbers, bool, string, bytes and times.
bool HasOrder(ValueKind kind);

/// a < b, a > b … for the kinds that HasOrder accepts. Errors name `ordering`.
enum class Ordering : uint8_t { kLess, kLessEqual, kGreater, kGreaterEqual };
Value Compare(const Value& a, const Value& b, Ordering ordering);
/// The order of two values of one of these kinds, or of two numbers of any kind; nothing for other
/// pairs. Unordered if one is NaN. Precondition: HasOrder.
std::optional<std::partial_ordering> Order(const Value& a, const Value& b);
/// What comparing the two takes, unless they are lists or maps.
uint64_t WorkOfComparing(const Value& a, const Value& b);

}  // namespace dray::cel::inline value
