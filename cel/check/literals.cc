// SPDX-License-Identifier: Apache-2.0
#include "cel/check/literals.h"

#include <fmt/format.h>

namespace dray::cel::check {

using syntax::Node;
using syntax::NodeId;
using syntax::NodeKind;
using syntax::SourceError;

namespace {

class Uniformity {
 public:
  Uniformity(const CheckedAst& checked, std::vector<SourceError>& errors)
      : checked_(checked), errors_(errors) {}

  void Visit(NodeId id) {
    const Node& node = checked_.ast[id];
    if (node.kind == NodeKind::kCall && node.name == "format") return;
    if (node.kind == NodeKind::kList) CheckList(node);
    if (node.kind == NodeKind::kMap) CheckMap(node);
    for (const NodeId child : node.children) {
      if (child != syntax::kNoNode) Visit(child);
    }
  }

 private:
  void CheckList(const Node& node) {
    CheckOptionalEntries(node, 1);
    for (size_t i = 1; i < node.children.size(); ++i) {
      if (!HaveOneType(EntryType(node, 0, 0), EntryType(node, i, i), node.children[i])) return;
    }
  }

  void CheckMap(const Node& node) {
    CheckOptionalEntries(node, 2);
    for (size_t i = 2; i < node.children.size(); i += 2) {
      HaveOneType(TypeOf(node.children[0]), TypeOf(node.children[i]), node.children[i]);
      HaveOneType(EntryType(node, 0, 1), EntryType(node, i / 2, i + 1), node.children[i + 1]);
    }
  }

  const Type& TypeOf(NodeId id) const { return *checked_.facts[id].type; }

  // The type inside the optional of an entry [?x] or {?k: v}. Upstream panics if it is not an
  // optional.
  const Type& EntryType(const Node& node, size_t entry, size_t child) const {
    const Type& type = TypeOf(node.children[child]);
    if (!IsOptional(node, entry) || type.kind != TypeKind::kOptional) return type;
    return *type.parameters[0];
  }

  static bool IsOptional(const Node& node, size_t entry) {
    return entry < node.optional_entries.size() && node.optional_entries[entry];
  }

  void CheckOptionalEntries(const Node& node, size_t step) {
    for (size_t i = step - 1; i < node.children.size(); i += step) {
      const Type& type = TypeOf(node.children[i]);
      if (!IsOptional(node, i / step) || type.kind == TypeKind::kOptional) continue;
      errors_.push_back(
          {checked_.ast[node.children[i]].offset,
           fmt::format("expected type 'optional_type({0})' but found '{0}'", CheckerName(type))});
    }
  }

  bool HaveOneType(const Type& expected, const Type& type, NodeId id) {
    if (SameType(expected, type)) return true;
    errors_.push_back(
        {checked_.ast[id].offset,
         fmt::format(
             "expected type '{}' but found '{}'", CheckerName(expected), CheckerName(type))});
    return false;
  }

  const CheckedAst& checked_;
  std::vector<SourceError>& errors_;
};

}  // namespace

void CheckLiteralsAreUniform(const CheckedAst& checked, std::vector<SourceError>& errors) {
  Uniformity(checked, errors).Visit(checked.ast.root);
}

}  // namespace dray::cel::check
