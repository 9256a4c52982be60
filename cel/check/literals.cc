// SPDX-License-Identifier: Apache-2.0
#include "cel/check/literals.h"

#include <fmt/format.h>

namespace dray::cel {
namespace {

class Uniformity {
 public:
  Uniformity(const CheckedAst& checked, std::vector<SourceError>& errors)
      : checked_(checked), errors_(errors) {}

  void Visit(NodeId id) {
    const Node& node = checked_.ast[id];
    if (node.kind == NodeKind::kList) CheckEntries(node, 0, 1);
    if (node.kind == NodeKind::kMap) {
      CheckEntries(node, 0, 2);
      CheckEntries(node, 1, 2);
    }
    const bool is_format = node.kind == NodeKind::kCall && node.name == "format";
    for (size_t i = 0; i < node.children.size(); ++i) {
      if (node.children[i] == kNoNode || (is_format && i > 0)) continue;
      Visit(node.children[i]);
    }
  }

 private:
  // Every `step`-th child from `first` on.
  void CheckEntries(const Node& node, size_t first, size_t step) {
    const Type* expected = nullptr;
    for (size_t i = first; i < node.children.size(); i += step) {
      const Type* type = checked_.facts[node.children[i]].type;
      const size_t entry = i / step;
      const bool is_value = step == 1 || first == 1;
      if (is_value && entry < node.optional_entries.size() && node.optional_entries[entry]) {
        type = type->parameters[0];
      }
      if (expected == nullptr) expected = type;
      if (SameType(*expected, *type)) continue;
      errors_.push_back(
          {checked_.ast[node.children[i]].offset,
           fmt::format(
               "expected type '{}' but found '{}'", CheckerName(*expected), CheckerName(*type))});
      return;
    }
  }

  const CheckedAst& checked_;
  std::vector<SourceError>& errors_;
};

}  // namespace

void CheckLiteralsAreUniform(const CheckedAst& checked, std::vector<SourceError>& errors) {
  Uniformity(checked, errors).Visit(checked.ast.root);
}

}  // namespace dray::cel
