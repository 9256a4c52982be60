// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/field_set.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "api/codec/json_reader.h"
#include "base/text/json_text.h"
#include "base/text/scratch_text.h"

namespace dray::api::managed_fields {
namespace {

using Nodes = std::vector<FieldNode>;

// Reads one level after another; recursion is bounded by kDepthMax.
class Parser {
 public:
  explicit Parser(std::string_view json) : reader_(json) {}

  Result<FieldSet> Parse() {
    Level top = Read(0);
    if (mistake_.has_value()) return Fail(*std::move(mistake_));
    reader_.Finish();
    if (reader_.failed()) return Fail(reader_.error());
    return std::move(top.below);
  }

 private:
  struct Level {
    bool is_member = false;  // because of "." or because it is empty
    FieldSet below = {};
  };

  Level Read(size_t depth) {
    Level level;
    if (depth > FieldSet::kDepthMax) {
      mistake_ = Error{.reason = StatusReason::kBadRequest, .message = "exceeded max depth"};
      return level;
    }
    if (reader_.Peek() == JsonKind::kNull) {
      reader_.Null();
      return {.is_member = true};
    }
    reader_.EnterObject();
    std::string key;
    while (!mistake_.has_value() && reader_.NextKey(key)) Member(key, depth, level);
    level.below.Sort();
    level.is_member = level.is_member || level.below.nodes().empty();
    return level;
  }

  void Member(const std::string& key, size_t depth, Level& level) {
    if (key == ".") {
      level.is_member = true;
      reader_.Skip();
      return;
    }
    Result<std::optional<PathElement>> element = PathElement::Parse(key);
    if (!element.has_value()) {
      mistake_ = std::move(element).error();
      return;
    }
    if (!element->has_value()) {
      reader_.Skip();
      return;
    }
    Level child = Read(depth + 1);
    level.below.Append({.element = **std::move(element),
                        .is_member = child.is_member,
                        .below = std::move(child.below)});
  }

  JsonReader reader_;
  std::optional<Error> mistake_;
};

void WriteSet(const FieldSet& set, bool is_member, std::string& out) {
  char before = '{';
  const auto name = [&](std::string_view text) {
    out += std::exchange(before, ',');
    AppendJsonString(text, JsonEscapes::kWeb, out);
    out += ':';
  };
  if (is_member && !set.nodes().empty()) {
    name(".");
    out += "{}";
  }
  for (const FieldNode& node : set.nodes()) {
    name(node.element.text());
    WriteSet(node.below, node.is_member, out);
  }
  out += before == '{' ? "{}" : "}";
}

// Walks two sorted lists of steps side by side: `visit` gets a step of either, or both where they
// are equal.
template <class Visit>
void Zip(Nodes& a, Nodes& b, Visit&& visit) {
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() && right != b.end()) {
    const auto order = left->element <=> right->element;
    FieldNode* const x = order <= 0 ? &*left++ : nullptr;
    FieldNode* const y = order >= 0 ? &*right++ : nullptr;
    visit(x, y);
  }
  for (; left != a.end(); ++left) visit(&*left, nullptr);
  for (; right != b.end(); ++right) visit(nullptr, &*right);
}

// Calls `visit` with each step of `a` and the equal one of `b`, or null. O(|a| log |b|), so that
// many small sets can be compared with one large one; O(|a| + |b|) where both are of a size.
template <class SomeNodes, class Visit>
void Match(SomeNodes& a, const Nodes& b, Visit&& visit) {
  auto at = b.begin();
  for (auto& node : a) {
    std::ptrdiff_t stride = 1;
    auto from = at;
    while (at != b.end() && at->element < node.element) {
      from = at + 1;
      at += std::min(stride, b.end() - at);
      stride *= 2;
    }
    at = std::lower_bound(from, at, node.element, [](const FieldNode& x, const PathElement& y) {
      return x.element < y;
    });
    visit(node, at != b.end() && at->element == node.element ? &*at : nullptr);
  }
}

void Visit(const FieldSet& set, Path& path, const std::function<void(const Path&)>& visit) {
  for (const FieldNode& node : set.nodes()) {
    if (!node.is_member) continue;
    path.push_back(node.element);
    visit(path);
    path.pop_back();
  }
  for (const FieldNode& node : set.nodes()) {
    path.push_back(node.element);
    Visit(node.below, path, visit);
    path.pop_back();
  }
}

}  // namespace

Result<FieldSet> FieldSet::Parse(std::string_view fields_v1) {
  return Parser(fields_v1).Parse();
}

std::string FieldSet::ToJson() const {
  ScratchText out;
  WriteSet(*this, false, *out);
  return *out;  // no longer than it is: objects keep it
}

bool FieldSet::empty() const {
  return std::ranges::all_of(
      nodes_, [](const FieldNode& node) { return !node.is_member && node.below.empty(); });
}

size_t FieldSet::size() const {
  size_t size = 0;
  for (const FieldNode& node : nodes_) size += (node.is_member ? 1 : 0) + node.below.size();
  return size;
}

bool FieldSet::Has(const Path& path) const {
  const FieldSet* set = this;
  for (size_t i = 0; i < path.size(); ++i) {
    const FieldNode* node = set->Find(path[i]);
    if (node == nullptr) return false;
    if (i + 1 == path.size()) return node->is_member;
    set = &node->below;
  }
  return false;
}

bool FieldSet::operator==(const FieldSet& other) const {
  return std::ranges::equal(nodes_, other.nodes_, [](const FieldNode& a, const FieldNode& b) {
    return a.element == b.element && a.is_member == b.is_member && a.below == b.below;
  });
}

void FieldSet::ForEach(const std::function<void(const Path&)>& visit) const {
  Path path;
  Visit(*this, path, visit);
}

void FieldSet::Insert(const Path& path) {
  FieldSet* set = this;
  for (size_t i = 0; i < path.size(); ++i) {
    auto at = std::ranges::lower_bound(set->nodes_, path[i], {}, &FieldNode::element);
    if (at == set->nodes_.end() || at->element != path[i]) {
      at = set->nodes_.insert(at, FieldNode{.element = path[i]});
    }
    if (i + 1 == path.size()) at->is_member = true;
    set = &at->below;
  }
}

FieldSet FieldSet::Union(const FieldSet& other) const {
  FieldSet result = *this;
  result.Add(other);
  return result;
}

FieldSet FieldSet::Intersection(const FieldSet& other) const {
  FieldSet result;
  Match(nodes_, other.nodes_, [&](const FieldNode& node, const FieldNode* same) {
    if (same == nullptr) return;
    result.Append({.element = node.element,
                   .is_member = node.is_member && same->is_member,
                   .below = node.below.Intersection(same->below)});
  });
  return result;
}

FieldSet FieldSet::Difference(const FieldSet& other) const {
  FieldSet result = *this;
  result.Remove(other);
  return result;
}

FieldSet FieldSet::RecursiveDifference(const FieldSet& other) const {
  FieldSet result = *this;
  result.RemoveAll(other);
  return result;
}

bool FieldSet::Meets(const FieldSet& other) const {
  bool meets = false;
  Match(nodes_, other.nodes_, [&](const FieldNode& node, const FieldNode* same) {
    if (meets || same == nullptr) return;
    meets = (node.is_member && same->is_member) || node.below.Meets(same->below);
  });
  return meets;
}

void FieldSet::Add(FieldSet other) {
  if (nodes_.empty()) {
    nodes_ = std::move(other.nodes_);
    return;
  }
  Nodes result;
  result.reserve(nodes_.size() + other.nodes_.size());
  Zip(nodes_, other.nodes_, [&](FieldNode* a, FieldNode* b) {
    FieldNode& node = result.emplace_back(std::move(a == nullptr ? *b : *a));
    if (a == nullptr || b == nullptr) return;
    node.is_member = node.is_member || b->is_member;
    node.below.Add(std::move(b->below));
  });
  nodes_ = std::move(result);
}

// Calls `change` for each step that `other` has too, then drops steps that became empty.
template <class Change>
void FieldSet::ChangeSame(const FieldSet& other, Change&& change) {
  if (other.nodes_.empty()) return;
  Match(nodes_, other.nodes_, [&](FieldNode& node, const FieldNode* same) {
    if (same != nullptr) change(node, *same);
  });
  std::erase_if(nodes_,
                [](const FieldNode& node) { return !node.is_member && node.below.nodes_.empty(); });
}

void FieldSet::Remove(const FieldSet& other) {
  ChangeSame(other, [](FieldNode& node, const FieldNode& same) {
    node.is_member = node.is_member && !same.is_member;
    node.below.Remove(same.below);
  });
}

void FieldSet::RemoveAll(const FieldSet& other) {
  ChangeSame(other, [](FieldNode& node, const FieldNode& same) {
    if (same.is_member) {
      node.is_member = false;
      node.below.nodes_.clear();
    } else {
      node.below.RemoveAll(same.below);
    }
  });
}

const FieldNode* FieldSet::FindField(std::string_view name) const {
  // Fields come first, by the bytes of their names.
  const auto at = std::ranges::partition_point(nodes_, [&](const FieldNode& node) {
    return node.element.kind() == PathElement::Kind::kField && node.element.name() < name;
  });
  const bool is_found = at != nodes_.end() && at->element.kind() == PathElement::Kind::kField &&
                        at->element.name() == name;
  return is_found ? &*at : nullptr;
}

const FieldNode* FieldSet::Find(const PathElement& element) const {
  const auto at = std::ranges::lower_bound(nodes_, element, {}, &FieldNode::element);
  return at != nodes_.end() && at->element == element ? &*at : nullptr;
}

void FieldSet::Reserve(size_t size) {
  nodes_.reserve(size);
}

void FieldSet::Append(FieldNode node) {
  if (node.is_member || !node.below.nodes_.empty()) nodes_.push_back(std::move(node));
}

void FieldSet::Sort() {
  const auto not_before = [](const FieldNode& a, const FieldNode& b) {
    return a.element >= b.element;
  };
  if (std::ranges::adjacent_find(nodes_, not_before) == nodes_.end()) return;
  std::ranges::sort(nodes_, {}, &FieldNode::element);
  Nodes sorted;
  sorted.reserve(nodes_.size());
  for (FieldNode& node : nodes_) {
    if (sorted.empty() || sorted.back().element != node.element) {
      sorted.push_back(std::move(node));
      continue;
    }
    FieldNode& same = sorted.back();
    same.is_member = same.is_member || node.is_member;
    same.below.Add(std::move(node.below));
  }
  nodes_ = std::move(sorted);
}

}  // namespace dray::api::managed_fields
