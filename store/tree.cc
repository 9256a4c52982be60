// SPDX-License-Identifier: Apache-2.0
#include "store/tree.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/frozen.h"
#include "base/text/with_tail.h"
#include "store/record.h"

namespace dray::store {

// The header of a page. Its slots follow it in memory, with no spare room.
struct alignas(void*) Tree::Node {
  enum class Kind : uint8_t { kLeaf, kInner };
  Node(Kind of, size_t slots) : kind(of), count(static_cast<uint16_t>(slots)) {}
  mutable std::atomic<uint32_t> owners = 0;
  const Kind kind;
  const uint16_t count;
};

namespace {

using Node = Tree::Node;

constexpr size_t kUsedMin = Tree::kFanOut / 4;

/// An inner page's entry for one child. The view points into a record that the child holds.
struct Child {
  Tree::PageRef page;
  std::string_view first_key;
  size_t records = 0;
};

template <class SlotType, Node::Kind kKind>
struct Page : Node {
  using Slot = SlotType;
  static_assert(alignof(Slot) <= alignof(Node));

  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;
  ~Page() { std::destroy_n(slots(), count); }

  /// A page of the slots `from`, which are empty afterwards.
  static boost::intrusive_ptr<const Page> Of(std::span<Slot> from) {
    void* const room = ::operator new(sizeof(Page) + from.size_bytes());
    return boost::intrusive_ptr<const Page>(new (room) Page(from));
  }
  /// Frees a page made by Of that has no owner any more.
  static void Destroy(const Page* page) {
    page->~Page();
    ::operator delete(const_cast<Page*>(page));
  }

  std::span<const Slot> used() const { return {slots(), count}; }
  const Slot& operator[](size_t slot) const { return used()[slot]; }

 private:
  explicit Page(std::span<Slot> from) : Node(kKind, from.size()) {
    std::ranges::uninitialized_move(from, std::span(slots(), from.size()));
  }

  Slot* slots() const { return reinterpret_cast<Slot*>(TailOf(this)); }
};

using Leaf = Page<Frozen<Record>, Node::Kind::kLeaf>;
using Inner = Page<Child, Node::Kind::kInner>;

/// A page under construction. It has room for one slot too many, which exists only between an
/// insertion and the split that follows.
template <class P>
class Draft {
 public:
  using Slot = P::Slot;

  Draft() = default;
  explicit Draft(std::span<const Slot> slots) : count_(slots.size()) {
    std::ranges::copy(slots, slots_.begin());
  }

  size_t size() const { return count_; }
  Slot& operator[](size_t slot) { return slots_[slot]; }

  void Insert(size_t at, Slot slot) {
    std::move_backward(slots_.begin() + Offset(at),
                       slots_.begin() + Offset(count_),
                       slots_.begin() + Offset(count_ + 1));
    slots_[at] = std::move(slot);
    ++count_;
  }

  void Erase(size_t at) {
    std::move(slots_.begin() + Offset(at + 1),
              slots_.begin() + Offset(count_),
              slots_.begin() + Offset(at));
    slots_[--count_] = Slot();
  }

  /// Moves the slots from `at` on to the end of `other`.
  void MoveTail(size_t at, Draft& other) {
    for (size_t i = at; i < count_; ++i)
      other.slots_[other.count_++] = std::exchange(slots_[i], Slot());
    count_ = at;
  }

  /// Returns the finished page; the draft is empty afterwards.
  boost::intrusive_ptr<const P> Finish() {
    return P::Of(std::span<Slot>(slots_.data(), std::exchange(count_, 0)));
  }

 private:
  static std::ptrdiff_t Offset(size_t at) { return static_cast<std::ptrdiff_t>(at); }

  size_t count_ = 0;
  std::array<Slot, Tree::kFanOut + 1> slots_{};
};

const Leaf* AsLeaf(const Node& node) {
  return node.kind == Node::Kind::kLeaf ? static_cast<const Leaf*>(&node) : nullptr;
}
const Inner& AsInner(const Node& node) {
  return static_cast<const Inner&>(node);
}

Child ChildOf(boost::intrusive_ptr<const Leaf> page) {
  const std::string_view first_key = (*page)[0]->key();
  const size_t records = page->count;
  return {.page = std::move(page), .first_key = first_key, .records = records};
}

Child ChildOf(boost::intrusive_ptr<const Inner> page) {
  const std::string_view first_key = (*page)[0].first_key;
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

/// The child whose keys would include `key`: the last one that does not start after `key`.
size_t SlotAround(const Inner& inner, std::string_view key) {
  const std::span<const Child> slots = inner.used();
  const auto after = std::ranges::upper_bound(slots, key, {}, &Child::first_key);
  return after == slots.begin() ? 0 : static_cast<size_t>(after - slots.begin()) - 1;
}

bool HasKeyAt(const Leaf& leaf, size_t slot, std::string_view key) {
  return slot < leaf.count && leaf[slot]->key() == key;
}

/// The result of an insertion: one page, or that page and a new one for its overflow.
struct Grown {
  Child left;
  std::optional<Child> right;
};

template <class P>
Grown SplitIfFull(Draft<P>& page, size_t inserted) {
  if (page.size() <= Tree::kFanOut) return {.left = ChildOf(page.Finish())};
  Draft<P> right;
  page.MoveTail(inserted + 1 == page.size() ? inserted : page.size() / 2, right);
  return {.left = ChildOf(page.Finish()), .right = ChildOf(right.Finish())};
}

Grown PutInto(const Node& node, const Frozen<Record>& record) {
  if (const Leaf* leaf = AsLeaf(node)) {
    const size_t slot = SlotNotBefore(*leaf, record->key());
    Draft<Leaf> copy(leaf->used());
    if (HasKeyAt(*leaf, slot, record->key())) {
      copy[slot] = record;
    } else {
      copy.Insert(slot, record);
    }
    return SplitIfFull(copy, slot);
  }
  const Inner& inner = AsInner(node);
  const size_t slot = SlotAround(inner, record->key());
  Grown grown = PutInto(*inner[slot].page, record);
  Draft<Inner> copy(inner.used());
  copy[slot] = std::move(grown.left);
  if (grown.right.has_value()) copy.Insert(slot + 1, *std::move(grown.right));
  return SplitIfFull(copy, slot + 1);
}

/// Joins the children at `slot` and after it into one page, or shares their slots evenly.
template <class P>
void JoinOrShare(Draft<Inner>& parent, size_t slot) {
  Draft<P> left(static_cast<const P&>(*parent[slot].page).used());
  Draft<P> right(static_cast<const P&>(*parent[slot + 1].page).used());
  const size_t total = left.size() + right.size();
  if (total <= Tree::kFanOut) {
    right.MoveTail(0, left);
    parent.Erase(slot + 1);
  } else {
    while (left.size() < total / 2) {
      left.Insert(left.size(), right[0]);
      right.Erase(0);
    }
    while (left.size() > total / 2) {
      right.Insert(0, left[left.size() - 1]);
      left.Erase(left.size() - 1);
    }
    parent[slot + 1] = ChildOf(right.Finish());
  }
  parent[slot] = ChildOf(left.Finish());
}

/// `node` without `key`, which it has; a Child without a page if nothing is left.
Child EraseFrom(const Node& node, std::string_view key) {
  if (const Leaf* leaf = AsLeaf(node)) {
    if (leaf->count == 1) return {};
    Draft<Leaf> copy(leaf->used());
    copy.Erase(SlotNotBefore(*leaf, key));
    return ChildOf(copy.Finish());
  }
  const Inner& inner = AsInner(node);
  const size_t slot = SlotAround(inner, key);
  Child child = EraseFrom(*inner[slot].page, key);
  if (child.page == nullptr && inner.count == 1) return {};
  Draft<Inner> copy(inner.used());
  if (child.page == nullptr) {
    copy.Erase(slot);
  } else {
    const bool is_sparse = child.page->count < kUsedMin;
    const bool is_leaf = AsLeaf(*child.page) != nullptr;
    copy[slot] = std::move(child);
    if (is_sparse && copy.size() > 1) {
      const size_t left = slot > 0 ? slot - 1 : slot;
      is_leaf ? JoinOrShare<Leaf>(copy, left) : JoinOrShare<Inner>(copy, left);
    }
  }
  return ChildOf(copy.Finish());
}

/// Pages over `slots`, each as full as possible.
template <class P, class Slot>
std::vector<Child> PagesOver(std::span<const Slot> slots) {
  std::vector<Child> pages;
  pages.reserve(slots.size() / Tree::kFanOut + 1);
  while (!slots.empty()) {
    Draft<P> page(slots.first(std::min(slots.size(), Tree::kFanOut)));
    slots = slots.subspan(page.size());
    pages.push_back(ChildOf(page.Finish()));
  }
  return pages;
}

}  // namespace

void intrusive_ptr_add_ref(const Tree::Node* page) noexcept {
  page->owners.fetch_add(1, std::memory_order_relaxed);
}

// Acquire and release, so that the thread that destroys the page sees all earlier uses by other
// owners.
void intrusive_ptr_release(const Tree::Node* page) noexcept {
  if (page->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (const Leaf* leaf = AsLeaf(*page)) return Leaf::Destroy(leaf);
  Inner::Destroy(&AsInner(*page));
}

Tree::Tree(PageRef root, size_t size) : root_(std::move(root)), size_(size) {}

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
  Draft<Inner> root;
  root.Insert(0, std::move(grown.left));
  root.Insert(1, *std::move(grown.right));
  return {root.Finish(), size};
}

Tree Tree::Erase(std::string_view key) const {
  if (Find(key) == nullptr) return *this;
  PageRef root = EraseFrom(*root_, key).page;
  while (root != nullptr && AsLeaf(*root) == nullptr && AsInner(*root).count == 1) {
    root = PageRef(AsInner(*root)[0].page);
  }
  return {std::move(root), size_ - 1};
}

const Frozen<Record>* Tree::Find(std::string_view key) const {
  if (root_ == nullptr) return nullptr;
  const Node* page = root_.get();
  while (AsLeaf(*page) == nullptr) {
    const Inner& inner = AsInner(*page);
    page = inner[SlotAround(inner, key)].page.get();
  }
  const Leaf& leaf = *AsLeaf(*page);
  const size_t slot = SlotNotBefore(leaf, key);
  return HasKeyAt(leaf, slot, key) ? &leaf[slot] : nullptr;
}

size_t Tree::Rank(std::string_view key) const {
  if (root_ == nullptr) return 0;
  size_t before = 0;
  const Node* page = root_.get();
  while (AsLeaf(*page) == nullptr) {
    const Inner& inner = AsInner(*page);
    const size_t slot = SlotAround(inner, key);
    for (const Child& child : inner.used().first(slot)) before += child.records;
    page = inner[slot].page.get();
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

struct Tree::GroupRequest {
  size_t begin, end, records_max;
  std::vector<Group> groups;
};

/// Adds the requested part of `page`, whose first record has the rank `rank`.
void Tree::AddGroups(const PageRef& page, size_t rank, size_t records, GroupRequest& request) {
  const size_t begin = std::max(rank, request.begin);
  const size_t end = std::min(rank + records, request.end);
  if (begin >= end) return;
  const bool is_whole = end - begin == records && records <= request.records_max;
  if (!is_whole && AsLeaf(*page) == nullptr) {
    for (const Child& child : AsInner(*page).used()) {
      AddGroups(child.page, rank, child.records, request);
      rank += child.records;
    }
    return;
  }
  Group group{.page = is_whole ? page : nullptr, .first = {}, .records = end - begin};
  group.first.Push({.page = page.get(), .slot = begin - rank});
  group.first.Settle();
  request.groups.push_back(std::move(group));
}

std::vector<Tree::Group> Tree::Groups(size_t begin, size_t end, size_t records_max) const {
  DRAY_CHECK(records_max >= kFanOut);
  GroupRequest request{.begin = begin, .end = end, .records_max = records_max, .groups = {}};
  if (root_ != nullptr) AddGroups(root_, 0, size_, request);
  return std::move(request.groups);
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
    page = inner[slot].page.get();
  }
  Push({.page = page, .slot = SlotNotBefore(*AsLeaf(*page), key)});
}

/// At the end of a leaf, moves up to the first page that has a next slot, then down its left edge.
void Tree::Cursor::Settle() {
  while (depth_ > 0) {
    const Step& step = path_[depth_ - 1];
    if (step.slot < step.page->count) break;
    --depth_;
    if (depth_ > 0) ++path_[depth_ - 1].slot;
  }
  while (depth_ > 0) {
    const Step& step = path_[depth_ - 1];
    if (AsLeaf(*step.page) != nullptr) return;
    Push({.page = AsInner(*step.page)[step.slot].page.get(), .slot = 0});
  }
}

const Frozen<Record>& Tree::Cursor::record() const {
  const Step& step = path_[depth_ - 1];
  return static_cast<const Leaf&>(*step.page)[step.slot];
}

void Tree::Cursor::Next() {
  ++path_[depth_ - 1].slot;
  Settle();
}

}  // namespace dray::store
