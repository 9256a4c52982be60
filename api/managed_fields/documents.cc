// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/documents.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/managed_fields/part.h"
#include "api/managed_fields/path_element.h"
#include "api/text/cut.h"
#include "api/text/go_quote.h"

namespace dray::api::managed_fields {
namespace {

using Kind = Shape::Kind;

JsonTree Null() {
  JsonTree tree;
  tree.kind = JsonKind::kNull;
  return tree;
}

// Also of atomic ones.
bool IsListShape(const Shape& shape) {
  return shape.is_list();
}

bool IsMapShape(const Shape& shape) {
  return shape.is_object();
}

// ------------------------------------------------------------------------------------------ check

// The value as Go prints it with %#v.
std::string GoSource(const JsonTree& tree) {
  switch (tree.kind) {
    case JsonKind::kNull:
    case JsonKind::kInvalid: return "interface {}(nil)";
    case JsonKind::kBool:
    case JsonKind::kNumber: return tree.text;
    case JsonKind::kString: return GoQuote(tree.text);
    case JsonKind::kArray: {
      std::string text;
      for (const JsonTree& element : tree.elements()) {
        text += fmt::format("{}{}", text.empty() ? "" : ", ", GoSource(element));
      }
      return fmt::format("[]interface {{}}{{{}}}", text);
    }
    case JsonKind::kObject: {
      auto members = tree.members().All();
      std::ranges::sort(members, {}, [](const auto& member) { return member.first; });
      std::string text;
      for (const auto& [name, value] : members) {
        text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", GoQuote(name), GoSource(*value));
      }
      return fmt::format("map[string]interface {{}}{{{}}}", text);
    }
  }
  return {};
}

std::string_view GoType(const JsonTree& tree) {
  switch (tree.kind) {
    case JsonKind::kNull:
    case JsonKind::kInvalid: return "<nil>";
    case JsonKind::kBool: return "bool";
    case JsonKind::kNumber: return "float64";
    case JsonKind::kString: return "string";
    case JsonKind::kArray: return "[]interface {}";
    case JsonKind::kObject: return "map[string]interface {}";
  }
  return {};
}

class Checker {
 public:
  explicit Checker(Wire wire) : wire_(wire) {}

  Result<> Check(const Shape& shape, const JsonTree& document) {
    Value(shape, document);
    if (mistakes_.empty()) return {};
    if (mistakes_.size() == 1) return Fail(StatusReason::kUnknown, mistakes_.front());
    std::string text = "errors:";
    for (const std::string& mistake : mistakes_) text.append("\n  ").append(mistake);
    return Fail(StatusReason::kUnknown, std::move(text));
  }

 private:
  bool IsFull() const { return mistakes_.size() >= kMistakesMax; }

  void Mistake(std::string_view what) {
    if (IsFull()) return;
    const std::string path = Readable(path_);
    mistakes_.push_back(path.empty() ? std::string(what) : fmt::format("{}: {}", path, what));
  }

  void Value(const Shape& asked, const JsonTree& value) {
    const Shape shape = Resolve(asked, Part(&value).form());
    if (value.is_null() || shape.kind == Kind::kOpaque || IsFull()) return;
    if (IsListShape(shape)) return List(shape, value);
    if (IsMapShape(shape)) return Map(shape, value);
    Scalar(shape, value);
  }

  void Scalar(const Shape& shape, const JsonTree& value) {
    switch (shape.kind) {
      case Kind::kBool:
        if (value.kind == JsonKind::kBool) return;
        return Mistake(fmt::format("expected boolean, got &{{{}}}", GoText(value)));
      case Kind::kNumber:
        if (value.kind == JsonKind::kNumber) return;
        return Mistake(fmt::format("expected numeric (int or float), got {}", GoType(value)));
      case Kind::kText:
        if (value.is_string()) return;
        return Mistake(fmt::format("expected string, got &value.valueUnstructured{{Value:{}}}",
                                   Cut(GoSource(value), kGoTextMax)));
      default:
        if (!value.is_array() && !value.is_object()) return;
        return Mistake(fmt::format("expected any scalar, got &{{{}}}", GoText(value)));
    }
  }

  void List(const Shape& shape, const JsonTree& value) {
    if (!value.is_array()) return Mistake(fmt::format("expected list, got &{{{}}}", GoText(value)));
    const Shape element = ElementShape(shape);
    ElementNames names(shape, wire_);
    std::set<PathElement> seen;
    for (size_t i = 0; i < value.elements().size() && !IsFull(); ++i) {
      PathElement name = PathElement::OfIndex(i);
      if (shape.kind != Kind::kAtomic) {
        Result<PathElement> key = names.Of(Part(&value.elements()[i]));
        if (!key.has_value()) {
          return Mistake(fmt::format("element {}: {}", i, key.error().message));
        }
        name = *std::move(key);
        if (!seen.insert(name).second) {
          Mistake(fmt::format("duplicate entries for key {}", name.Readable()));
        }
      }
      path_.push_back(std::move(name));
      Value(element, value.elements()[i]);
      path_.pop_back();
    }
  }

  void Map(const Shape& shape, const JsonTree& value) {
    if (!value.is_object()) return Mistake(fmt::format("expected map, got &{{{}}}", GoText(value)));
    for (const auto& [name, member] : value.members().All()) {
      const std::optional<Shape> inner = MemberShape(shape, name, wire_);
      path_.push_back(PathElement::OfField(name));
      if (inner.has_value()) {
        Value(*inner, *member);
      } else {
        Mistake("field not declared in schema");
      }
      path_.pop_back();
      if (!inner.has_value()) return;
    }
  }

  Wire wire_;
  Path path_;
  std::vector<std::string> mistakes_;
};

// ------------------------------------------------------------------------------------------ merge

std::optional<JsonTree> Merge(const Shape& shape,
                              const JsonTree* live,
                              const JsonTree* applied,
                              Wire wire);

// A list: its elements in order, and an index by name.
struct Index {
  std::vector<Item> items;
  std::map<PathElement, const JsonTree*> by_name;  // null where a name stands twice

  const JsonTree* Find(const PathElement& name) const {
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second;
  }
};

Index IndexOf(const Shape& shape, const JsonTree* list, Wire wire) {
  Index index;
  if (list == nullptr || !list->is_array()) return index;
  index.items = ItemsOf(shape, Part(list), wire);
  for (const Item& item : index.items) {
    const auto [at, is_new] = index.by_name.emplace(item.element, item.part.tree());
    if (!is_new) at->second = nullptr;
  }
  return index;
}

// Merges two lists. Common elements are in the order of the applied list; each other element keeps
// its place relative to those.
class ListMerge {
 public:
  ListMerge(const Shape& shape, const JsonTree* live, const JsonTree* applied, Wire wire)
      : element_(ElementShape(shape)),
        wire_(wire),
        live_(IndexOf(shape, live, wire)),
        applied_(IndexOf(shape, applied, wire)) {
    out_.kind = JsonKind::kArray;
    for (const Item& item : applied_.items) {
      if (live_.by_name.contains(item.element)) shared_.push_back(&item.element);
    }
  }

  std::optional<JsonTree> Run() && {
    while (from_live_ < live_.items.size() || from_applied_ < applied_.items.size()) {
      if (from_live_ < live_.items.size() && PassLive()) continue;
      if (from_applied_ < applied_.items.size()) TakeApplied();
    }
    return out_.elements().empty() ? std::nullopt : std::optional(std::move(out_));
  }

 private:
  // Handles the next live element. Returns false if an applied element comes first.
  bool PassLive() {
    const Item& item = live_.items[from_live_];
    if (!applied_.by_name.contains(item.element)) {
      Take(item.part.tree(), nullptr);
      ++from_live_;
      return true;
    }
    const bool has_applied = from_applied_ < applied_.items.size();
    if (has_applied && item.element == applied_.items[from_applied_].element) {
      ++from_live_;
      return false;
    }
    const bool is_later =
        has_applied && next_shared_ < shared_.size() && *shared_[next_shared_] != item.element;
    if (is_later || done_.contains(item.element)) ++from_live_;
    return is_later;
  }

  void TakeApplied() {
    const Item& item = applied_.items[from_applied_++];
    done_.insert(item.element);
    Take(live_.Find(item.element), item.part.tree());
    if (next_shared_ < shared_.size() && *shared_[next_shared_] == item.element) ++next_shared_;
  }

  void Take(const JsonTree* live, const JsonTree* applied) {
    std::optional<JsonTree> value = Merge(element_, live, applied, wire_);
    if (value.has_value()) out_.elements().push_back(*std::move(value));
  }

  Shape element_;
  Wire wire_;
  Index live_;
  Index applied_;
  std::vector<const PathElement*> shared_;  // in the applied order
  size_t next_shared_ = 0;
  size_t from_live_ = 0;
  size_t from_applied_ = 0;
  std::set<PathElement> done_;
  JsonTree out_;
};

std::optional<JsonTree> MergeMembers(const Shape& shape,
                                     const JsonTree* live,
                                     const JsonTree* applied,
                                     Wire wire) {
  static const JsonMembers kNone;
  const JsonMembers& before = live == nullptr ? kNone : live->members();
  const JsonMembers& after = applied == nullptr ? kNone : applied->members();
  JsonTree out = JsonTree::Object();
  const auto member = [&](std::string_view name, const JsonTree* a, const JsonTree* b) {
    const std::optional<Shape> inner = MemberShape(shape, name, wire);
    if (!inner.has_value()) return;
    std::optional<JsonTree> value = Merge(*inner, a, b, wire);
    if (value.has_value()) out.members().Set(name, *std::move(value));
  };
  for (const auto& [name, value] : before.All()) member(name, value, after.Find(name));
  for (const auto& [name, value] : after.All()) {
    if (before.Find(name) == nullptr) member(name, nullptr, value);
  }
  return out.members().size() == 0 ? std::nullopt : std::optional(std::move(out));
}

// Either may be null: nothing there. Nothing where neither has anything.
std::optional<JsonTree> Merge(const Shape& asked,
                              const JsonTree* live,
                              const JsonTree* applied,
                              Wire wire) {
  const Shape shape = Resolve(asked, Part(applied == nullptr ? live : applied).form());
  if (shape.is_leaf() || (Part(live).is_empty(wire) && Part(applied).is_empty(wire))) {
    const JsonTree* winner = applied == nullptr ? live : applied;
    return winner == nullptr ? std::nullopt : std::optional(*winner);
  }
  if (!IsListShape(shape)) return MergeMembers(shape, live, applied, wire);
  return ListMerge(shape, live, applied, wire).Run();
}

}  // namespace

Result<> CheckDocument(const Shape& shape, const JsonTree& document, Wire wire) {
  return Checker(wire).Check(shape, document);
}

JsonTree MergeDocuments(const Shape& shape,
                        const JsonTree& live,
                        const JsonTree& applied,
                        Wire wire) {
  return Merge(shape, &live, &applied, wire).value_or(Null());
}

// ----------------------------------------------------------------------------------------- fields

namespace {

class Namer {
 public:
  explicit Namer(Wire wire) : wire_(wire) {}

  // What `value` names below its own path; whether it names that.
  bool Fields(const Shape& asked, const JsonTree& value, FieldSet& below) {
    const Shape shape = Resolve(asked, Part(&value).form());
    if (shape.is_leaf()) return true;
    if (value.is_null()) return false;
    if (IsListShape(shape)) {
      Elements(shape, value, below);
    } else {
      Members(shape, value, below);
    }
    below.Sort();
    return false;
  }

 private:
  void Members(const Shape& shape, const JsonTree& value, FieldSet& out) {
    for (const auto& [name, member] : value.members().All()) {
      const std::optional<Shape> inner = MemberShape(shape, name, wire_);
      if (!inner.has_value()) continue;
      const bool is_map = !IsNamed(shape, name, wire_);
      FieldNode node{.element = PathElement::OfField(name)};
      const bool is_leaf = Fields(*inner, *member, node.below);
      const bool is_empty =
          member->is_null() || (member->is_object() && member->members().size() == 0);
      node.is_member = is_leaf || is_empty || is_map;
      out.Append(std::move(node));
    }
  }

  void Elements(const Shape& shape, const JsonTree& value, FieldSet& out) {
    const Shape inner = ElementShape(shape);
    std::map<PathElement, const JsonTree*> by_name;  // null where a name stands twice
    for (Item& item : ItemsOf(shape, Part(&value), wire_)) {
      const auto [at, is_new] = by_name.emplace(std::move(item.element), item.part.tree());
      if (!is_new) at->second = nullptr;
    }
    for (const auto& [name, element] : by_name) {
      FieldNode node{.element = name, .is_member = true};
      if (element != nullptr) Fields(inner, *element, node.below);
      out.Append(std::move(node));
    }
  }

  Wire wire_;
};

}  // namespace

FieldSet FieldsOf(const Shape& shape, const JsonTree& document, Wire wire) {
  FieldSet fields;
  Namer(wire).Fields(shape, document, fields);
  return fields;
}

// ----------------------------------------------------------------------------------------- remove

namespace {

JsonTree RemoveElements(const Shape& shape,
                        const JsonTree& list,
                        const FieldSet& fields,
                        Wire wire) {
  const Shape inner = ElementShape(shape);
  ElementNames names(shape, wire);
  JsonTree out;
  out.kind = JsonKind::kArray;
  for (const JsonTree& element : list.elements()) {
    const Result<PathElement> name = names.Of(Part(&element));
    const FieldNode* node = name.has_value() ? fields.Find(*name) : nullptr;
    if (node != nullptr && node->is_member) continue;
    const bool is_whole = node == nullptr || node->below.empty();
    out.elements().push_back(is_whole ? element : RemoveFields(inner, element, node->below, wire));
  }
  return out.elements().empty() ? Null() : out;
}

}  // namespace

JsonTree RemoveFields(const Shape& asked,
                      const JsonTree& document,
                      const FieldSet& fields,
                      Wire wire) {
  const Shape shape = Resolve(asked, Part(&document).form());
  if (!document.is_array() && !document.is_object()) return document;
  if (shape.kind == Kind::kOpaque || shape.kind == Kind::kAtomic) return Null();
  if (document.is_array()) return RemoveElements(shape, document, fields, wire);
  JsonTree out = JsonTree::Object();
  for (const auto& [name, member] : document.members().All()) {
    const FieldNode* node = fields.Find(PathElement::OfField(name));
    if (node != nullptr && node->is_member) continue;
    const std::optional<Shape> inner = MemberShape(shape, name, wire);
    const bool is_whole = node == nullptr || node->below.empty() || !inner.has_value();
    out.members().Set(name, is_whole ? *member : RemoveFields(*inner, *member, node->below, wire));
  }
  return out.members().size() == 0 ? Null() : out;
}

FieldSet WithNamedFields(const Shape& shape, const FieldSet& fields, Wire wire) {
  FieldSet out;
  for (const FieldNode& node : fields.nodes()) {
    FieldNode named{.element = node.element, .is_member = node.is_member};
    std::optional<Shape> inner;
    if (node.element.kind() == PathElement::Kind::kField && IsMapShape(shape)) {
      inner = MemberShape(shape, node.element.name(), wire);
      named.is_member = named.is_member || (inner.has_value() && !node.below.nodes().empty() &&
                                            IsNamed(shape, node.element.name(), wire));
    } else if (node.element.kind() == PathElement::Kind::kKey && IsListShape(shape)) {
      inner = ElementShape(shape);
    }
    named.below = inner.has_value() ? WithNamedFields(*inner, node.below, wire) : node.below;
    out.Append(std::move(named));
  }
  return out;
}

}  // namespace dray::api::managed_fields
