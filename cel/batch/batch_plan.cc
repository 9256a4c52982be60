// SPDX-License-Identifier: Apache-2.0
#include "cel/batch/batch_plan.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "cel/check/checked_ast.h"

namespace dray::cel::batch {

using eval::NodePlan;
using eval::Operation;
using eval::PathStep;
using eval::Program;
using syntax::Node;
using syntax::NodeId;
using syntax::NodeKind;

namespace {

std::optional<Field> FieldOf(std::string_view name) {
  if (name == "driver") return Field::kDriver;
  if (name == "allowMultipleAllocations") return Field::kAllowMultipleAllocations;
  if (name == "attributes") return Field::kAttribute;
  if (name == "capacity") return Field::kCapacity;
  return std::nullopt;
}

bool IsWhole(Field field) {
  return field == Field::kDriver || field == Field::kAllowMultipleAllocations;
}

class Planner {
 public:
  explicit Planner(const Program& program) : program_(program) {}

  std::vector<BatchNode> Run() {
    Add(program_.ast().root, /*is_result=*/true);
    return std::move(nodes_);
  }

 private:
  uint32_t Add(NodeId id, bool is_result) {
    const Node& node = program_.ast()[id];
    const bool is_open = program_.plan(id).operation != Operation::kConstant;
    if (is_open && node.kind == NodeKind::kAnd) return AddLogic(BatchKind::kAnd, id, false);
    if (is_open && node.kind == NodeKind::kOr) return AddLogic(BatchKind::kOr, id, false);
    if (is_open && node.kind == NodeKind::kConditional)
      return AddLogic(BatchKind::kConditional, id, is_result);
    if (program_.plan(id).operation == Operation::kShortCall && node.name == "!_") {
      return AddLogic(BatchKind::kNot, id, false);
    }
    return AddLeaf(id, is_result);
  }

  uint32_t AddLogic(BatchKind kind, NodeId id, bool is_result) {
    BatchNode made{.kind = kind, .node = id};
    for (const NodeId child : program_.ast()[id].children) {
      const bool is_arm = !made.children.empty();
      made.children.push_back(Add(child, is_result && is_arm));
    }
    return Push(std::move(made));
  }

  uint32_t AddLeaf(NodeId id, bool is_result) {
    BatchNode leaf{.kind = BatchKind::kLeaf, .node = id, .is_result = is_result};
    Read(id, leaf);
    if (leaf.columns.size() == 1 && !leaf.reads_all) leaf.compared_with = ComparedWith(id);
    return Push(std::move(leaf));
  }

  uint32_t Push(BatchNode node) {
    nodes_.push_back(std::move(node));
    return static_cast<uint32_t>(nodes_.size() - 1);
  }

  static void AddColumn(BatchNode& leaf, ColumnKey key) {
    if (std::ranges::find(leaf.columns, key) == leaf.columns.end()) {
      leaf.columns.push_back(std::move(key));
    }
  }

  static bool IsText(const PathStep& step) {
    return step.key_node == syntax::kNoNode && step.key.is(ValueKind::kString);
  }
  bool IsPath(NodeId id) const {
    const Operation operation = program_.plan(id).operation;
    return operation == Operation::kPath || operation == Operation::kField ||
           operation == Operation::kDeepPath || operation == Operation::kHas;
  }

  // Notes what the part `id` reads.
  void Read(NodeId id, BatchNode& leaf) {
    const NodePlan& plan = program_.plan(id);
    if (plan.operation == Operation::kConstant || plan.operation == Operation::kPrepared) return;
    if (IsPath(id)) return ReadPath(id, leaf);
    const Node& node = program_.ast()[id];
    if (node.kind == NodeKind::kCall && node.name == "@in" && ReadMembership(node, leaf)) return;
    for (const NodeId child : node.children) {
      if (child != syntax::kNoNode) Read(child, leaf);
    }
  }

  void ReadPath(NodeId id, BatchNode& leaf) {
    const NodePlan& plan = program_.plan(id);
    for (const PathStep& step : plan.path) {
      if (step.key_node != syntax::kNoNode) Read(step.key_node, leaf);
    }
    if (plan.root != id && program_.ast()[plan.root].kind != NodeKind::kIdentifier) {
      return Read(plan.root, leaf);
    }
    if (program_.facts(plan.root).name_kind != check::NameKind::kVariable) return;
    std::optional<ColumnKey> key = ColumnOf(plan);
    if (!key.has_value()) {
      leaf.reads_all = true;
      return;
    }
    AddColumn(leaf, *std::move(key));
  }

  // The column that a path from the device ends in or goes through.
  std::optional<ColumnKey> ColumnOf(const NodePlan& plan) const {
    const std::span<const PathStep> path = plan.path;
    if (program_.facts(plan.root).slot != 0 || path.empty() || !IsText(path[0])) {
      return std::nullopt;
    }
    const std::optional<Field> field = FieldOf(path[0].key.text());
    if (!field.has_value()) return std::nullopt;
    if (IsWhole(*field)) return ColumnKey{.field = *field};
    if (path.size() < 3 || !IsText(path[1]) || !IsText(path[2])) return std::nullopt;
    return ColumnKey{.field = *field,
                     .domain = std::string(path[1].key.text()),
                     .id = std::string(path[2].key.text())};
  }

  // "domain" in device.attributes, "id" in device.attributes["domain"]. Returns whether it was one.
  bool ReadMembership(const Node& node, BatchNode& leaf) {
    const NodePlan& wanted = program_.plan(node.children[0]);
    const NodePlan& plan = program_.plan(node.children[1]);
    if (wanted.operation != Operation::kConstant || !wanted.value.is(ValueKind::kString)) {
      return false;
    }
    if (!IsPath(node.children[1]) || plan.operation == Operation::kHas || plan.path.empty() ||
        plan.path.size() > 2) {
      return false;
    }
    const check::NodeFacts& root = program_.facts(plan.root);
    if (root.name_kind != check::NameKind::kVariable || root.slot != 0) return false;
    if (!std::ranges::all_of(plan.path, IsText)) return false;
    const std::optional<Field> field = FieldOf(plan.path[0].key.text());
    if (!field.has_value() || IsWhole(*field)) return false;
    const std::string name(wanted.value.text());
    if (plan.path.size() == 2) {
      AddColumn(leaf,
                {.field = *field, .domain = std::string(plan.path[1].key.text()), .id = name});
      return true;
    }
    const bool attributes = *field == Field::kAttribute;
    AddColumn(
        leaf,
        {.field = attributes ? Field::kAttributeDomain : Field::kCapacityDomain, .domain = name});
    return true;
  }

  // Whether `id` is nothing but the value of the only column.
  bool IsColumn(NodeId id) const {
    const Operation operation = program_.plan(id).operation;
    return operation == Operation::kField || operation == Operation::kDeepPath;
  }
  std::optional<Value> ConstantAt(NodeId id) const {
    const NodePlan& plan = program_.plan(id);
    const bool known =
        plan.operation == Operation::kConstant || plan.operation == Operation::kPrepared;
    return known && !plan.value.is_error() ? std::optional(plan.value) : std::nullopt;
  }

  std::optional<Value> ComparedWith(NodeId id) const {
    constexpr std::array<std::string_view, 6> kOperators = {
        "_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"};
    constexpr std::array<std::string_view, 3> kMethods = {
        "compareTo", "isLessThan", "isGreaterThan"};
    const Node& node = program_.ast()[id];
    if (node.kind != NodeKind::kCall || node.children.size() != 2) return std::nullopt;
    const NodeId left = node.children[0];
    const NodeId right = node.children[1];
    if (std::ranges::find(kMethods, node.name) != kMethods.end()) {
      return IsColumn(left) ? ConstantAt(right) : std::nullopt;
    }
    if (std::ranges::find(kOperators, node.name) == kOperators.end()) return std::nullopt;
    if (IsColumn(left)) return ConstantAt(right);
    if (IsColumn(right)) return ConstantAt(left);
    // column.compareTo(constant) >= 0: what the result is compared with does not matter.
    if (!ConstantAt(right).has_value() || program_.ast()[left].name != "compareTo") {
      return std::nullopt;
    }
    return ComparedWith(left);
  }

  const Program& program_;
  std::vector<BatchNode> nodes_;
};

}  // namespace

std::vector<BatchNode> MakeBatchPlan(const Program& program) {
  return Planner(program).Run();
}

PartsRead PartsReadBy(std::span<const BatchNode> plan) {
  PartsRead parts{.all = false};
  for (const BatchNode& node : plan) {
    if (node.reads_all) return {};
    for (const ColumnKey& key : node.columns) {
      if (std::ranges::find(parts.columns, key) == parts.columns.end())
        parts.columns.push_back(key);
    }
  }
  return parts;
}

}  // namespace dray::cel::batch
