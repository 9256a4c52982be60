// SPDX-License-Identifier: Apache-2.0
// The kinds of values, and what is known of each, as one table: its names in the language and in
// upstream's Go, and what its values can do.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dray::cel::inline value {

enum class ValueKind : uint8_t {
  kError,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kList,
  kMap,
  kType,
  kOptional,
  kTimestamp,
  kDuration,
  kQuantity,
  kSemver,
  kUrl,
  kIp,
  kCidr,
  kFormat,
  kAuthorization,
};

struct KindFacts {
  ValueKind kind;
  std::string_view name;          // of the type, in the language
  std::string_view go_type;       // of the value, as Go's %T prints it
  std::string_view go_held_type;  // of what the value holds
  bool is_key = false;            // of a map
  bool has_order = false;
  bool has_go_add = false;       // Go's type has the method Add, one of a list's
  bool has_native_type = false;  // a type of Go's own or of protobuf, or a list or map of values
};

// In the order of ValueKind.
inline constexpr std::array kKindFacts = {
    KindFacts{.kind = ValueKind::kError,
              .name = "error",
              .go_type = "*types.Err",
              .go_held_type = "error"},
    KindFacts{.kind = ValueKind::kNull,
              .name = "null_type",
              .go_type = "types.Null",
              .go_held_type = "structpb.NullValue",
              .is_key = true,
              .has_native_type = true},
    KindFacts{.kind = ValueKind::kBool,
              .name = "bool",
              .go_type = "types.Bool",
              .go_held_type = "bool",
              .is_key = true,
              .has_order = true,
              .has_native_type = true},
    KindFacts{.kind = ValueKind::kInt,
              .name = "int",
              .go_type = "types.Int",
              .go_held_type = "int64",
              .is_key = true,
              .has_order = true,
              .has_go_add = true,
              .has_native_type = true},
    KindFacts{.kind = ValueKind::kUint,
              .name = "uint",
              .go_type = "types.Uint",
              .go_held_type = "uint64",
              .is_key = true,
              .has_order = true,
              .has_go_add = true,
              .has_native_type = true},
    KindFacts{.kind = ValueKind::kDouble,
              .name = "double",
              .go_type = "types.Double",
              .go_held_type = "float64",
              .is_key = true,
              .has_order = true,
              .has_go_add = true,
              .has_native_type = true},
    KindFacts{.kind = ValueKind::kString,
              .name = "string",
              .go_type = "types.String",
              .go_held_type = "string",
              .is_key = true,
              .has_order = true,
              .has_go_add = true,
              .has_native_type = true},
    KindFacts{.kind = ValueKind::kBytes,
              .name = "bytes",
              .go_type = "types.Bytes",
              .go_held_type = "[]uint8",
              .has_order = true,
              .has_go_add = true,
              .has_native_type = true},
    KindFacts{.kind = ValueKind::kList,
              .name = "list",
              .go_type = "*types.baseList",
              .go_held_type = "[]ref.Val",
              .has_native_type = true},
    KindFacts{.kind = ValueKind::kMap,
              .name = "map",
              .go_type = "*types.baseMap",
              .go_held_type = "map[ref.Val]ref.Val",
              .has_native_type = true},
    KindFacts{.kind = ValueKind::kType,
              .name = "type",
              .go_type = "*types.Type",
              .go_held_type = "string"},
    KindFacts{.kind = ValueKind::kOptional,
              .name = "optional_type",
              .go_type = "*types.Optional",
              .go_held_type = "<nil>"},
    KindFacts{.kind = ValueKind::kTimestamp,
              .name = "google.protobuf.Timestamp",
              .go_type = "types.Timestamp",
              .go_held_type = "time.Time",
              .has_order = true,
              .has_go_add = true,
              .has_native_type = true},
    KindFacts{.kind = ValueKind::kDuration,
              .name = "google.protobuf.Duration",
              .go_type = "types.Duration",
              .go_held_type = "time.Duration",
              .has_order = true,
              .has_go_add = true,
              .has_native_type = true},
    KindFacts{.kind = ValueKind::kQuantity,
              .name = "kubernetes.Quantity",
              .go_type = "cel.Quantity",
              .go_held_type = "*resource.Quantity"},
    KindFacts{.kind = ValueKind::kSemver,
              .name = "kubernetes.Semver",
              .go_type = "cel.Semver",
              .go_held_type = "semver.Version"},
    KindFacts{.kind = ValueKind::kUrl,
              .name = "kubernetes.URL",
              .go_type = "cel.URL",
              .go_held_type = "*url.URL"},
    KindFacts{.kind = ValueKind::kIp,
              .name = "net.IP",
              .go_type = "cel.IP",
              .go_held_type = "netip.Addr"},
    KindFacts{.kind = ValueKind::kCidr,
              .name = "net.CIDR",
              .go_type = "cel.CIDR",
              .go_held_type = "netip.Prefix"},
    KindFacts{.kind = ValueKind::kFormat,
              .name = "kubernetes.NamedFormat",
              .go_type = "cel.Format",
              .go_held_type = "cel.Format"},
    KindFacts{.kind = ValueKind::kAuthorization,
              .name = "kubernetes.authorization",
              .go_type = "library.authorizerVal",
              .go_held_type = "library.authorizerVal"},
};

constexpr const KindFacts& FactsOf(ValueKind kind) {
  return kKindFacts[static_cast<size_t>(kind)];
}

static_assert(kKindFacts.size() == static_cast<size_t>(ValueKind::kAuthorization) + 1);
static_assert(std::ranges::all_of(kKindFacts, [](const KindFacts& facts) {
  return &facts == &FactsOf(facts.kind);
}));

}  // namespace dray::cel::inline value
