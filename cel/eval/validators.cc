// SPDX-License-Identifier: Apache-2.0
#include "cel/eval/validators.h"

#include <span>
#include <string_view>
#include <variant>

#include "cel/check/literals.h"
#include "cel/eval/plan.h"
#include "cel/library/regex.h"
#include "cel/library/registry.h"
#include "cel/library/text_format.h"
#include "cel/syntax/limits.h"
#include "cel/value/arena.h"

namespace dray::cel::eval {

using check::CheckedAst;
using syntax::Node;
using syntax::NodeId;
using syntax::NodeKind;
using syntax::SourceError;

namespace {

class Validator {
 public:
  Validator(const CheckedAst& checked,
            const Environment& environment,
            std::vector<CompiledPattern>& patterns,
            std::vector<SourceError>& errors)
      : checked_(checked), environment_(environment), patterns_(patterns), errors_(errors) {}

  void Visit(NodeId id) {
    const Node& node = checked_.ast[id];
    if (node.kind == NodeKind::kCall) VisitCall(id, node);
    for (size_t i = 0; i < node.children.size(); ++i) {
      if (node.children[i] == syntax::kNoNode) continue;
      const size_t before = errors_.size();
      Visit(node.children[i]);
      if (node.kind == NodeKind::kOptMap && i == 0) Repeat(before);
    }
  }

 private:
  // Upstream's tree contains the target of optMap twice.
  void Repeat(size_t first) {
    const size_t last = errors_.size();
    for (size_t i = first; i < last && errors_.size() < syntax::kErrorsMax; ++i) {
      errors_.push_back(SourceError(errors_[i]));
    }
  }

  void VisitCall(NodeId id, const Node& node) {
    const std::string_view name = checked_.facts[id].function->name;
    if (name == "format") {
      if (auto problem = library::CheckFormatCall(checked_, id); problem.has_value()) {
        errors_.push_back({checked_.ast[problem->node].offset, std::move(problem->message)});
      }
    }
    // The first argument after the receiver, if there is one. So matches("[", "a") is refused for
    // its first argument.
    const size_t place = node.is_member ? 1 : 0;
    if (node.children.size() <= place) return;
    const Node& argument = checked_.ast[node.children[place]];
    if (argument.kind != NodeKind::kLiteral) return;
    if (name == "duration" || name == "timestamp") {
      const Value value = LiteralValue(argument.constant);
      if (!CanConvert(id, name, value)) Refuse(argument, name);
    } else if (name == "matches") {
      const auto* const pattern = std::get_if<std::string_view>(&argument.constant);
      if (pattern != nullptr) CompilePattern(node.children[place], *pattern);
    }
  }

  void CompilePattern(NodeId argument, std::string_view pattern) {
    auto compiled = library::CompileRegex(pattern, patterns_left_);
    if (!compiled.has_value()) return Refuse(checked_.ast[argument], "matches");
    patterns_.push_back({argument, *std::move(compiled)});
  }

  void Refuse(const Node& argument, std::string_view function) {
    errors_.push_back({argument.offset, "invalid " + std::string(function) + " argument"});
  }

  bool CanConvert(NodeId call, std::string_view name, const Value& value) {
    const std::span<const Value> arguments(&value, 1);
    const library::Builtin* const conversion = library::FindBuiltin(name, environment_);
    if (conversion == nullptr ||
        !library::AcceptsValues(*checked_.facts[call].function, arguments)) {
      return false;
    }
    Arena arena;
    return !conversion->call(arena, arguments).is_error();
  }

  const CheckedAst& checked_;
  const Environment& environment_;
  std::vector<CompiledPattern>& patterns_;
  std::vector<SourceError>& errors_;
  size_t patterns_left_ = library::kExpressionPatternsMax;
};

}  // namespace

void Validate(const CheckedAst& checked,
              const Environment& environment,
              std::vector<CompiledPattern>& patterns,
              std::vector<SourceError>& errors) {
  check::CheckLiteralsAreUniform(checked, errors);
  Validator(checked, environment, patterns, errors).Visit(checked.ast.root);
}

}  // namespace dray::cel::eval
