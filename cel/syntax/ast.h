// SPDX-License-Identifier: Apache-2.0
// The syntax tree. Nodes refer to each other by number. A macro becomes one node (kFold, kBind,
// kOptMap, kSortBy), not the loop that upstream makes of it: evaluation and both costs compute its
// result directly.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "cel/syntax/bump.h"

namespace dray::cel::syntax {

using NodeId = uint32_t;
inline constexpr NodeId kNoNode = UINT32_MAX;

enum class NodeKind : uint8_t {
  kLiteral,      // constant
  kIdentifier,   // name
  kSelect,       // children: operand; name: the field; optional: .?
  kHas,          // children: operand; name: the field
  kIndex,        // children: operand, key; optional: [?]
  kCall,         // children: arguments, the receiver first; name: function or operator (_+_)
  kConditional,  // children: condition, then, else
  kAnd,          // children: two or more, left to right
  kOr,
  kList,     // children: elements
  kMap,      // children: key, value, key, value, …
  kMessage,  // children: field, value, field, value, …; fields are literals; name: the type
  kFold,     // children: range, predicate or none, transform or none
  kBind,     // children: initial value, body; name: the variable
  kOptMap,   // children: optional, body; name: the variable; optional: optFlatMap
  kSortBy,   // children: list, key; name: the variable
};

enum class FoldKind : uint8_t {
  kAll,
  kExists,
  kExistsOne,
  kMap,  // also transformList
  kFilter,
  kTransformMap,
  kTransformMapEntry,
};

struct Bytes {
  std::string_view value;
  bool operator==(const Bytes&) const = default;
};
/// The first alternative is null. Texts are owned by the Ast.
using Constant =
    std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string_view, Bytes>;

/// Names, children and constants are owned by the Ast.
struct Node {
  NodeKind kind = NodeKind::kLiteral;
  FoldKind fold = FoldKind::kAll;
  bool optional = false;    // see NodeKind
  bool is_member = false;   // kCall: children[0] is a receiver
  uint16_t path_depth = 0;  // see kPathMax
  uint32_t offset = 0;      // where upstream places errors of this node, in bytes
  std::string_view name;
  std::string_view name2;  // kFold: the second variable, or empty
  std::span<const NodeId> children;
  /// kList, kMap, kMessage: [?x], {?k: v}, M{?f: v}; empty if there are none.
  std::span<const bool> optional_entries;
  Constant constant;
};

/// Stands in the place of a part that an error was reported about. Macros cannot use it as a name
/// or a selection.
inline Node InvalidNode(uint32_t offset) {
  return {.kind = NodeKind::kLiteral, .offset = offset};
}

/// A parsed expression, or a part of one while parsing.
struct Ast {
  std::vector<Node> nodes;
  Bump memory;
  NodeId root = kNoNode;

  const Node& operator[](NodeId id) const { return nodes[id]; }
};

}  // namespace dray::cel::syntax
