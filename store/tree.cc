// SPDX-License-Identifier: Apache-2.0
#include "store/tree.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/published.h"
#include "store/record.h"

namespace dray::store {

struct Tree::Node {
  enum class Kind : uint8_t { kLeaf, kInner };
  explicit Node(Kind of) : kind(of) {}
  const Kind kind;
};

namespace {

using Node = Tree::Node;

constexpr size_t kUsedMin = Tree::kFanOut / 4;

/// What an inner page knows of one child. The view lies in a record that the child holds.
struct Child {
  Frozen<Node> page;
  std::string_view first_key;
  size_t records = 0;
};

/// A page while it is made; immutable once it is a Frozen<Node>. It has room for one slot too many,
/// which exists only between an insertion and the split that follows.
template <class Slot, Node::Kind kKind>
struct Page : Node {
  Page() : Node(kKind) {}

  std::span<const Slot> used() const { return {slots.data(), count}; }
  std::span<Slot> used() { return {slots.data(), count}; }

  void Insert(size_t at, Slot slot) {
    std::move_backward(slots.begin() + Offset(at),
                       slots.begin() + Offset(count),
                       slots.begin() + Offset(count + 1));
    slots[at] = std::move(slot);
    ++count;
  }

  void Erase(size_t at) {
    std::move(
        slots.begin() + Offset(at + 1), slots.begin() + Offset(count), slots.begin() + Offset(at));
    slots[--count] = Slot();
  }

  /// Moves the slots from `at` on to the end of `other`.
  void MoveTail(size_t at, Page& other) {
    for (size_t i = at; i < count; ++i)
      other.slots[other.count++] = std::exchange(slots[i], Slot());
    count = at;
  }

  static std::ptrdiff_t Offset(size_t at) { return static_cast<std::ptrdiff_t>(at); }

  size_t count = 0;
  std::array<Slot, Tree::kFanOut + 1> slots{};
};

using Leaf = Page<Frozen<Record>, Node::Kind::kLeaf>;
using Inner = Page<Child, Node::Kind::kInner>;

const Leaf* AsLeaf(const Node& node) {
  return node.kind == Node::Kind::kLeaf ? static_cast<const Leaf*>(&node) : nullptr;
}
const Inner& AsInner(const Node& node) {
  return static_cast<const Inner&>(node);
}

Child ChildOf(Frozen<Leaf> page) {
  const std::string_view first_key = page->slots[0]->key();
  const size_t records = page->count;
  return {.page = std::move(page), .first_key = first_key, .records = records};
}

Child ChildOf(Frozen<Inner> page) {
  const std::string_view first_key = page->slots[0].first_key;
  size_t records = 0;
  for (const Child& child : page->used()) records += child.records;
  return {.page = std::move(page), .first_key = first_key, .records = records};
}

/// The first slot whose key is not less than `key`.
size_t SlotNotBefore(const Leaf& leaf, std::string_view key) {
  const std::span<const Frozen<Record>> slots = leaf.used();
  const auto found = std::ranges::lower_bound(
      slots, key, {}, [](const Frozen<Record>& record) { return std::string_view(record->key()); });
  return static_cast<size_t>(found - slots.begin());
}

/// The child whose records include `key`, if any do: the last that does not start after it.
size_t SlotAround(const Inner& inner, std::string_view key) {
  const std::span<const Child> slots = inner.used();
  const auto after = std::ranges::upper_bound(slots, key, {}, &Child::first_key);
  return after == slots.begin() ? 0 : static_cast<size_t>(after - slots.begin()) - 1;
}

bool HasKeyAt(const Leaf& leaf, size_t slot, std::string_view key) {
  return slot < leaf.count && leaf.slots[slot]->key() == key;
}

/// A page after an insertion: itself, or itself and the page that its overflow started.
struct Grown {
  Child left;
  std::optional<Child> right;
};

template <class P>
Grown SplitIfFull(std::shared_ptr<P> page, size_t inserted) {
  if (page->count <= Tree::kFanOut) return {.left = ChildOf(Frozen<P>(std::move(page)))};
  auto right = std::make_shared<P>();
  page->MoveTail(inserted + 1 == page->count ? inserted : page->count / 2, *right);
  return {.left = ChildOf(Frozen<P>(std::move(page))),
          .right = ChildOf(Frozen<P>(std::move(right)))};
}

Grown PutInto(const Node& node, const Frozen<Record>& record) {
  if (const Leaf* leaf = AsLeaf(node)) {
    const size_t slot = SlotNotBefore(*leaf, record->key());
    auto copy = std::make_shared<Leaf>(*leaf);
    if (HasKeyAt(*leaf, slot, record->key())) {
      copy->slots[slot] = record;
    } else {
      copy->Insert(slot, record);
    }
    return SplitIfFull(std::move(copy), slot);
  }
  const Inner& inner = AsInner(node);
  const size_t slot = SlotAround(inner, record->key());
  Grown grown = PutInto(*inner.slots[slot].page, record);
  auto copy = std::make_shared<Inner>(inner);
  copy->slots[slot] = std::move(grown.left);
  if (grown.right.has_value()) copy->Insert(slot + 1, *std::move(grown.right));
  return SplitIfFull(std::move(copy), slot + 1);
}

size_t UsedSlots(const Node& node) {
  const Leaf* leaf = AsLeaf(node);
  return leaf != nullptr ? leaf->count : AsInner(node).count;
}

/// Joins the children at `slot` and after it into one page, or shares their slots evenly.
template <class P>
void JoinOrShare(Inner& parent, size_t slot) {
  auto left = std::make_shared<P>(static_cast<const P&>(*parent.slots[slot].page));
  auto right = std::make_shared<P>(static_cast<const P&>(*parent.slots[slot + 1].page));
  const size_t total = left->count + right->count;
  if (total <= Tree::kFanOut) {
    right->MoveTail(0, *left);
    parent.Erase(slot + 1);
  } else {
    while (left->count < total / 2) {
      left->Insert(left->count, right->slots[0]);
      right->Erase(0);
    }
    while (left->count > total / 2) {
      right->Insert(0, left->slots[left->count - 1]);
      left->Erase(left->count - 1);
    }
    parent.slots[slot + 1] = ChildOf(Frozen<P>(std::move(right)));
  }
  parent.slots[slot] = ChildOf(Frozen<P>(std::move(left)));
}

/// `node` without `key`, which it has; a Child without page when nothing is left.
Child EraseFrom(const Node& node, std::string_view key) {
  if (const Leaf* leaf = AsLeaf(node)) {
    if (leaf->count == 1) return {};
    auto copy = std::make_shared<Leaf>(*leaf);
    copy->Erase(SlotNotBefore(*leaf, key));
    return ChildOf(Frozen<Leaf>(std::move(copy)));
  }
  const Inner& inner = AsInner(node);
  const size_t slot = SlotAround(inner, key);
  Child child = EraseFrom(*inner.slots[slot].page, key);
  if (child.page == nullptr && inner.count == 1) return {};
  auto copy = std::make_shared<Inner>(inner);
  if (child.page == nullptr) {
    copy->Erase(slot);
  } else {
    const bool is_sparse = UsedSlots(*child.page) < kUsedMin;
    const bool is_leaf = AsLeaf(*child.page) != nullptr;
    copy->slots[slot] = std::move(child);
    if (is_sparse && copy->count > 1) {
      const size_t left = slot > 0 ? slot - 1 : slot;
      is_leaf ? JoinOrShare<Leaf>(*copy, left) : JoinOrShare<Inner>(*copy, left);
    }
  }
  return ChildOf(Frozen<Inner>(std::move(copy)));
}

/// The pages over `slots`, each as full as can be.
template <class P, class Slot>
std::vector<Child> PagesOver(std::span<const Slot> slots) {
  std::vector<Child> pages;
  pages.reserve(slots.size() / Tree::kFanOut + 1);
  while (!slots.empty()) {
    auto page = std::make_shared<P>();
    page->count = std::min(slots.size(), Tree::kFanOut);
    std::ranges::copy(slots.first(page->count), page->slots.begin());
    slots = slots.subspan(page->count);
    pages.push_back(ChildOf(Frozen<P>(std::move(page))));
  }
  return pages;
}

}  // namespace

Tree::Tree(Frozen<Node> root, size_t size) : root_(std::move(root)), size_(size) {}

Tree Tree::FromSorted(std::span<const Frozen<Record>> records) {
  if (records.empty()) return {};
  const auto unordered = [](const Frozen<Record>& a, const Frozen<Record>& b) {
    return a->key() >= b->key();
  };
  DRAY_CHECK(std::ranges::adjacent_find(records, unordered) == records.end());
  std::vector<Child> level = PagesOver<Leaf>(records);
  while (level.size() > 1) level = PagesOver<Inner>(std::span<const Child>(level));
  return {std::move(level[0].page), records.size()};
}

Tree Tree::Put(const Frozen<Record>& record) const {
  if (root_ == nullptr) return FromSorted(std::span(&record, 1));
  Grown grown = PutInto(*root_, record);
  const size_t size = grown.left.records + (grown.right.has_value() ? grown.right->records : 0);
  if (!grown.right.has_value()) return {std::move(grown.left.page), size};
  auto root = std::make_shared<Inner>();
  root->Insert(0, std::move(grown.left));
  root->Insert(1, *std::move(grown.right));
  return {std::move(root), size};
}

Tree Tree::Erase(std::string_view key) const {
  if (Find(key) == nullptr) return *this;
  Frozen<Node> root = EraseFrom(*root_, key).page;
  while (root != nullptr && AsLeaf(*root) == nullptr && AsInner(*root).count == 1) {
    root = Frozen<Node>(AsInner(*root).slots[0].page);
  }
  return {std::move(root), size_ - 1};
}

const Frozen<Record>* Tree::Find(std::string_view key) const {
  if (root_ == nullptr) return nullptr;
  const Node* page = root_.get();
  while (AsLeaf(*page) == nullptr) {
    const Inner& inner = AsInner(*page);
    page = inner.slots[SlotAround(inner, key)].page.get();
  }
  const Leaf& leaf = *AsLeaf(*page);
  const size_t slot = SlotNotBefore(leaf, key);
  return HasKeyAt(leaf, slot, key) ? &leaf.slots[slot] : nullptr;
}

size_t Tree::Rank(std::string_view key) const {
  if (root_ == nullptr) return 0;
  size_t before = 0;
  const Node* page = root_.get();
  while (AsLeaf(*page) == nullptr) {
    const Inner& inner = AsInner(*page);
    const size_t slot = SlotAround(inner, key);
    for (const Child& child : inner.used().first(slot)) before += child.records;
    page = inner.slots[slot].page.get();
  }
  return before + SlotNotBefore(*AsLeaf(*page), key);
}

Tree::Cursor Tree::LowerBound(std::string_view key) const {
  Cursor cursor;
  if (root_ == nullptr) return cursor;
  cursor.Descend(root_.get(), key);
  cursor.Settle();
  return cursor;
}

void Tree::Cursor::Push(Step step) {
  DRAY_CHECK(depth_ < kDepthMax);
  path_[depth_++] = step;
}

void Tree::Cursor::Descend(const Node* page, std::string_view key) {
  while (AsLeaf(*page) == nullptr) {
    const Inner& inner = AsInner(*page);
    const size_t slot = SlotAround(inner, key);
    Push({.page = page, .slot = slot});
    page = inner.slots[slot].page.get();
  }
  Push({.page = page, .slot = SlotNotBefore(*AsLeaf(*page), key)});
}

/// Past the end of a leaf: up to the first page that has a next slot, then down its left edge.
void Tree::Cursor::Settle() {
  while (depth_ > 0) {
    const Step& step = path_[depth_ - 1];
    if (step.slot < UsedSlots(*step.page)) break;
    --depth_;
    if (depth_ > 0) ++path_[depth_ - 1].slot;
  }
  while (depth_ > 0) {
    const Step& step = path_[depth_ - 1];
    if (AsLeaf(*step.page) != nullptr) return;
    Push({.page = AsInner(*step.page).slots[step.slot].page.get(), .slot = 0});
  }
}

const Frozen<Record>& Tree::Cursor::record() const {
  const Step& step = path_[depth_ - 1];
  return static_cast<const Leaf&>(*step.page).slots[step.slot];
}

void Tree::Cursor::Next() {
  ++path_[depth_ - 1].slot;
  Settle();
}

}  // namespace dray::store
