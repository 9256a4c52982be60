// SPDX-License-Identifier: Apache-2.0
// Types as data. Every API type has one Type; a struct's Type lists its fields with all their
// facets. Codecs, patches, defaults, selectors and discovery are written once over these tables, so
// a walk over a type is never a template.
//
// The structs and their tables are generated at build time from api/schema/ by dev/apigen.py
// (docs/design/schema.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "api/release.h"
#include "api/value/box.h"
#include "api/value/int_or_string.h"
#include "api/value/list.h"
#include "api/value/map.h"
#include "api/value/quantity.h"
#include "api/value/rare_list.h"
#include "api/value/raw_json.h"
#include "api/value/shared_map.h"
#include "api/value/time.h"

namespace dray::api {

enum class TypeKind : uint8_t {
  kBool,
  kInt32,
  kInt64,
  kDouble,
  kString,
  kBytes,
  kQuantity,
  kTime,
  kMicroTime,
  kDuration,
  kIntOrString,
  kRawJson,
  kOptional,
  kList,
  kMap,
  kStruct,
};

/// []byte of the API: base64 in JSON.
struct Bytes {
  std::string bytes;
  bool operator==(const Bytes&) const = default;
};

struct Type;

/// How lists merge in server-side apply.
enum class ListKind : uint8_t { kUndeclared, kAtomic, kSet, kMap };

/// Everything in a schema line beyond name, number and type.
struct Facets {
  bool required = false;    // must be present and, unless omit_empty, is always written
  bool omit_empty = false;  // required, but an empty one is not written
  bool omit_zero = false;   // a struct or time that is not written when zero
  bool hub = false;         // stored and compared, but never on the wire of this version
  bool inlined = false;     // JSON flattens the members into the parent
  bool atomic_map = false;
  Releases in = {};                      // the releases that have the field
  Releases nullable = Releases::None();  // releases where an empty one is written as null, though
                                         // optional
  Releases plain = Releases::None();     // releases where the value could be zero but not absent
  ListKind list = ListKind::kUndeclared;
  std::string_view list_keys = {};       // of ListKind::kMap, separated by commas
  std::string_view patch_strategy = {};  // strategic merge: merge, retainKeys, "merge,retainKeys"
  std::string_view merge_key = {};
  std::string_view default_value = {};
  std::string_view one_of = {};  // the union the member belongs to
  std::string_view gate = {};    // feature gates, separated by commas
  int64_t max_items = 0;         // 0: no limit of its own
  std::string_view values = {};  // the allowed texts, separated by "|", for documentation
};

/// The form of a version's documents to read or write.
struct Wire {
  Release release = Release::kAny;
  bool stored = false;  // as the store keeps it: with the fields only hubs have
};

struct Field {
  std::string_view name;  // in JSON; for an inlined struct only a label
  const Type* type_table;
  uint32_t offset;  // of the member in its struct
  uint16_t number;  // in protobuf
  /// True if no facet changes how the field is written: it is in every form of a document, and left
  /// out when empty.
  bool usual;
  /// True if it is left out when empty, in every release that has it.
  bool left_out;
  Facets facets;
  std::string_view doc;

  const Type& type() const { return *type_table; }
  /// The member of `object`, which is of the struct whose table this is.
  const void* of(const void* object) const { return static_cast<const char*>(object) + offset; }
  /// Whether documents of this form have the field.
  bool IsOn(Wire wire) const { return (!facets.hub || wire.stored) && facets.in.Has(wire.release); }
};

/// Operations on a scalar at an address. Structs and containers have none: the functions below walk
/// their tables instead.
struct ScalarOperations {
  void (*assign)(void* to, const void* from);
  void (*clear)(void* value);
  bool (*equal)(const void* a, const void* b);
  bool (*is_zero)(const void* value);
};

/// For TypeKind::kOptional, kList and kMap; the others have none.
struct ContainerOperations {
  size_t (*size)(const void* container);
  /// The index-th element, in order; for an optional, index 0.
  const void* (*at)(const void* container, size_t index);
  /// The same element to write to.
  void* (*own)(void* container, size_t index);
  /// A new empty element at the end (list), in place of the old one (optional) or at `key` (map).
  void* (*add)(void* container, std::string_view key);
  void (*clear)(void* container);
  /// Lists and maps: reserves room for `size` elements, which may not come.
  void (*reserve)(void* container, size_t size);
  /// Lists: returns whether the list was given, if only as []; and marks it as given.
  bool (*present)(const void* list);
  void (*set_present)(void* list);
  /// Maps: the key of the index-th element, in order.
  std::string_view (*key)(const void* map, size_t index);
  /// Maps, for readers of documents: adds an empty element for `key`, and ends such additions
  /// (Map::Append, Map::Settle).
  void* (*append)(void* map, std::string_view key);
  void (*settle)(void* map);
  /// Maps: the element at `key`, or null.
  const void* (*find)(const void* map, std::string_view key);
  /// The same element to write to.
  void* (*find_own)(void* map, std::string_view key);
  /// Maps: visits all entries in key order.
  void (*visit)(const void* map,
                void* context,
                void (*entry)(void*, std::string_view, const void*));
};

struct Type {
  TypeKind kind;
  std::string_view name;  // "ResourceClaimSpec"; for scalars and containers a readable word
  uint32_t size;          // of a value, in bytes
  const ScalarOperations* scalar = nullptr;
  const ContainerOperations* container = nullptr;
  const Type* element_type = nullptr;        // of containers
  std::span<const Field> fields = {};        // in the order of JSON
  std::span<const uint16_t> by_number = {};  // indices of fields, ascending numbers
  /// Structs: bit i is set if the member of fields[i] is filled (IsFilled).
  uint64_t (*filled)(const void* object) = nullptr;
  /// Structs: bit i is set if fields[i] is written even when empty.
  uint64_t always = 0;
  /// Structs: owned as a whole by one manager (server-side apply).
  bool atomic = false;
  /// Structs: written in JSON as its first filled member, or the last one (json=first).
  bool one_form = false;

  const Type& element() const { return *element_type; }
  /// The field with this JSON name. Names of inlined structs are looked up only at this level.
  const Field* Find(std::string_view json_name) const;
};

/// Equal content. Quantities and times are equal if the amount or moment is.
bool Equal(const Type& type, const void* a, const void* b);
/// Whether it equals a new value: false, 0, "", nothing set.
bool IsZero(const Type& type, const void* value);
/// Makes it as new.
void Clear(const Type& type, void* value);
/// Makes `to` a deep copy of `from`.
void Assign(const Type& type, void* to, const void* from);

/// The address to write to; `object` is not const, so neither is its member.
inline void* MutableMember(const Field& field, void* object) {
  return const_cast<void*>(field.of(object));
}

// ------------------------------------------------------------------------------------------------
// Tables from C++ types. Generated headers specialise Reflected for their structs.

template <class T>
struct Reflected;

/// The table of `T`.
template <class T>
const Type& TypeOf() {
  return Reflected<T>::kType;
}

/// Whether Go's omitempty writes a value: it is present, and neither false, 0, "" nor without
/// elements. A struct is always written.
template <class T>
constexpr bool IsFilled(const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return value != 0;
  } else if constexpr (requires { value.has_value(); }) {
    return value.has_value();
  } else if constexpr (requires { value.empty(); }) {
    return !value.empty();
  } else if constexpr (std::is_same_v<T, Bytes>) {
    return !value.bytes.empty();
  } else if constexpr (std::is_same_v<T, Duration>) {
    return value != Duration();
  } else {
    return true;
  }
}

/// Type::filled of `S` with these members.
template <class S, auto... kMembers>
uint64_t FilledMembers([[maybe_unused]] const void* object) {
  static_assert(sizeof...(kMembers) <= 64);
  uint64_t bits = 0;
  unsigned i = 0;
  ((bits |= uint64_t{IsFilled(static_cast<const S*>(object)->*kMembers)} << i++), ...);
  return bits;
}

/// For `Holder`, a std::optional or Box of `T`.
template <class Holder, class T>
struct ReflectedOptional {
  static constexpr ContainerOperations kContainer{
      .size = [](const void* c) -> size_t {
        return static_cast<const Holder*>(c)->has_value() ? 1 : 0;
      },
      .at = [](const void* c, size_t) -> const void* { return &**static_cast<const Holder*>(c); },
      .own = [](void* c, size_t) -> void* { return &**static_cast<Holder*>(c); },
      .add = [](void* c, std::string_view) -> void* { return &static_cast<Holder*>(c)->emplace(); },
      .clear = [](void* c) { static_cast<Holder*>(c)->reset(); },
      .reserve = nullptr,
      .present = nullptr,
      .set_present = nullptr,
      .key = nullptr,
      .append = nullptr,
      .settle = nullptr,
      .find = nullptr,
      .find_own = nullptr,
      .visit = nullptr,
  };
  static constexpr Type kType{.kind = TypeKind::kOptional,
                              .name = "optional",
                              .size = sizeof(Holder),
                              .container = &kContainer,
                              .element_type = &Reflected<T>::kType};
};

template <class T>
struct Reflected<std::optional<T>> : ReflectedOptional<std::optional<T>, T> {};

template <class T>
struct Reflected<Box<T>> : ReflectedOptional<Box<T>, T> {};

/// For `Holder`, a List or RareList of `T`.
template <class Holder, class T>
struct ReflectedList {
  static constexpr ContainerOperations kContainer{
      .size = [](const void* c) { return static_cast<const Holder*>(c)->size(); },
      .at = [](const void* c, size_t i) -> const void* {
        return &(*static_cast<const Holder*>(c))[i];
      },
      .own = [](void* c, size_t i) -> void* { return &(*static_cast<Holder*>(c))[i]; },
      .add = [](void* c, std::string_view) -> void* {
        return &static_cast<Holder*>(c)->emplace_back();
      },
      .clear = [](void* c) { *static_cast<Holder*>(c) = Holder(); },
      .reserve = [](void* c, size_t size) { static_cast<Holder*>(c)->reserve(size); },
      .present = [](const void* c) { return static_cast<const Holder*>(c)->present(); },
      .set_present = [](void* c) { static_cast<Holder*>(c)->set_present(); },
      .key = nullptr,
      .append = nullptr,
      .settle = nullptr,
      .find = nullptr,
      .find_own = nullptr,
      .visit = nullptr,
  };
  static constexpr Type kType{.kind = TypeKind::kList,
                              .name = "list",
                              .size = sizeof(Holder),
                              .container = &kContainer,
                              .element_type = &Reflected<T>::kType};
};

template <class T>
struct Reflected<List<T>> : ReflectedList<List<T>, T> {};

template <class T>
struct Reflected<RareList<T>> : ReflectedList<RareList<T>, T> {};

/// std::vector<bool> has no addressable elements, so lists of Booleans hold this instead.
struct Bool {
  bool value = false;
  bool operator==(const Bool&) const = default;
};

/// For `Holder`, a Map or SharedMap of `T`.
template <class Holder, class T>
struct ReflectedMap {
  static constexpr ContainerOperations kContainer{
      .size = [](const void* c) { return static_cast<const Holder*>(c)->size(); },
      .at = [](const void* c, size_t i) -> const void* {
        return &(static_cast<const Holder*>(c)->begin() + static_cast<std::ptrdiff_t>(i))->second;
      },
      .own = [](void* c, size_t i) -> void* {
        return &(static_cast<Holder*>(c)->begin() + static_cast<std::ptrdiff_t>(i))->second;
      },
      .add = [](void* c, std::string_view key) -> void* {
        const auto [entry, is_new] = static_cast<Holder*>(c)->try_emplace(key);
        if (!is_new) entry->second = T();
        return &entry->second;
      },
      .clear = [](void* c) { static_cast<Holder*>(c)->clear(); },
      .reserve = [](void* c, size_t size) { static_cast<Holder*>(c)->reserve(size); },
      .present = nullptr,
      .set_present = nullptr,
      .key = [](const void* c, size_t i) -> std::string_view {
        return (static_cast<const Holder*>(c)->begin() + static_cast<std::ptrdiff_t>(i))->first;
      },
      .append = [](void* c, std::string_view key) -> void* {
        return &static_cast<Holder*>(c)->Append(key);
      },
      .settle = [](void* c) { static_cast<Holder*>(c)->Settle(); },
      .find = [](const void* c, std::string_view key) -> const void* {
        const auto found = static_cast<const Holder*>(c)->find(key);
        return found == static_cast<const Holder*>(c)->end() ? nullptr : &found->second;
      },
      .find_own = [](void* c, std::string_view key) -> void* {
        const auto found = static_cast<Holder*>(c)->find(key);
        return found == static_cast<Holder*>(c)->end() ? nullptr : &found->second;
      },
      .visit =
          [](const void* c, void* context, void (*entry)(void*, std::string_view, const void*)) {
            for (const auto& [key, value] : *static_cast<const Holder*>(c)) {
              entry(context, key, &value);
            }
          },
  };
  static constexpr Type kType{.kind = TypeKind::kMap,
                              .name = "map",
                              .size = sizeof(Holder),
                              .container = &kContainer,
                              .element_type = &Reflected<T>::kType};
};

template <class T>
struct Reflected<Map<T>> : ReflectedMap<Map<T>, T> {};

template <class T>
struct Reflected<SharedMap<T>> : ReflectedMap<SharedMap<T>, T> {};

#define DRAY_REFLECT_SCALAR(cpp_type) \
  template <>                         \
  struct Reflected<cpp_type> {        \
    static const Type kType;          \
  }
DRAY_REFLECT_SCALAR(bool);
DRAY_REFLECT_SCALAR(Bool);
DRAY_REFLECT_SCALAR(int32_t);
DRAY_REFLECT_SCALAR(int64_t);
DRAY_REFLECT_SCALAR(double);
DRAY_REFLECT_SCALAR(std::string);
DRAY_REFLECT_SCALAR(Bytes);
DRAY_REFLECT_SCALAR(Quantity);
DRAY_REFLECT_SCALAR(Time);
DRAY_REFLECT_SCALAR(MicroTime);
DRAY_REFLECT_SCALAR(Duration);
DRAY_REFLECT_SCALAR(IntOrString);
DRAY_REFLECT_SCALAR(RawJson);
DRAY_REFLECT_SCALAR(AnyJson);
#undef DRAY_REFLECT_SCALAR

/// Visits a map's entries with a callable (std::string_view key, const void* value).
template <class F>
void VisitMap(const Type& type, const void* map, F&& entry) {
  type.container->visit(map, &entry, [](void* context, std::string_view key, const void* value) {
    (*static_cast<std::remove_reference_t<F>*>(context))(key, value);
  });
}

}  // namespace dray::api
