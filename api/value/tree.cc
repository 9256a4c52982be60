// SPDX-License-Identifier: Apache-2.0
#include "api/value/tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>

#include "base/check.h"

namespace dray::api::inline value {
namespace {

constexpr uint8_t kListTag = static_cast<uint8_t>(Tree::Kind::kList);
constexpr uint8_t kObjectTag = static_cast<uint8_t>(Tree::Kind::kObject);

bool IsSortedAndUnique(std::span<const Tree::Member> members) {
  for (size_t i = 1; i < members.size(); ++i) {
    if (members[i - 1].name() >= members[i].name()) return false;
  }
  return true;
}

// Sorts the members and moves those that count to the front, the last of each name. Returns how
// many they are.
size_t SortMembers(std::span<Tree::Member> members) {
  if (IsSortedAndUnique(members)) return members.size();
  std::vector<size_t> order(members.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [members](size_t i) { return std::pair(members[i].name(), i); });
  std::vector<Tree::Member> kept;
  kept.reserve(members.size());
  for (const size_t i : order) {
    if (!kept.empty() && kept.back().name() == members[i].name()) kept.pop_back();
    kept.push_back(std::move(members[i]));
  }
  std::ranges::move(kept, members.begin());
  return kept.size();
}

std::weak_ordering CompareDoubles(double a, double b) {
  return a < b   ? std::weak_ordering::less
         : a > b ? std::weak_ordering::greater
                 : std::weak_ordering::equivalent;
}

// Exact comparison, because a double represents nearby integers only after rounding.
std::weak_ordering CompareMixed(int64_t a, double b) {
  if (b >= 0x1p63) return std::weak_ordering::less;
  if (b < -0x1p63) return std::weak_ordering::greater;
  const double whole = std::trunc(b);
  const auto order = a <=> static_cast<int64_t>(whole);
  return order != 0 ? order : CompareDoubles(whole, b);
}

std::weak_ordering CompareNumbers(const Tree& a, const Tree& b) {
  if (a.is_integer() && b.is_integer()) return a.integer() <=> b.integer();
  if (a.is_integer()) return CompareMixed(a.integer(), b.number());
  if (b.is_integer()) return 0 <=> CompareMixed(b.integer(), a.number());
  return CompareDoubles(a.number(), b.number());
}

// Compares two values without their elements and members.
std::weak_ordering CompareShallow(const Tree& a, const Tree& b) {
  if (a.is_number() && b.is_number()) return CompareNumbers(a, b);
  if (a.kind() != b.kind()) return a.kind() <=> b.kind();
  switch (a.kind()) {
    case Tree::Kind::kBool: return static_cast<int>(a.boolean()) <=> static_cast<int>(b.boolean());
    case Tree::Kind::kText: return a.text() <=> b.text();
    default: return a.size() <=> b.size();
  }
}

// Two lists or objects of one size, and the next place to compare.
struct Pair {
  const Tree* a;
  const Tree* b;
  size_t next;
};

// The order of the next names; the caller must then compare their values.
std::weak_ordering NextValues(Pair& pair, const Tree*& a, const Tree*& b) {
  const size_t at = pair.next++;
  if (pair.a->is_list()) {
    a = &pair.a->elements()[at];
    b = &pair.b->elements()[at];
    return std::weak_ordering::equivalent;
  }
  const Tree::Member& left = pair.a->members()[at];
  const Tree::Member& right = pair.b->members()[at];
  a = &left.value;
  b = &right.value;
  return left.name() <=> right.name();
}

}  // namespace

// Followed by elements (Tree), members (Tree::Member) or the bytes of texts.
struct Tree::Body {
  // How many values point here. Once that is none, the next body to free and its tag.
  std::atomic<uintptr_t> references;
  uint32_t size;
  uint32_t capacity;

  Tree* elements() { return reinterpret_cast<Tree*>(this + 1); }
  Member* members() { return reinterpret_cast<Member*>(this + 1); }
  char* bytes() { return reinterpret_cast<char*>(this + 1); }

  static Body* Make(size_t capacity, size_t item_size) {
    DRAY_CHECK(capacity <= std::numeric_limits<uint32_t>::max());
    void* const place = ::operator new(sizeof(Body) + capacity * item_size);
    return std::construct_at(
        static_cast<Body*>(place), uintptr_t{1}, uint32_t{0}, static_cast<uint32_t>(capacity));
  }
  // Whether the caller's was the last reference; it is gone then.
  bool Drop() {
    // Alone, nothing needs to be counted down.
    return references.load(std::memory_order_acquire) == 1 ||
           references.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
};

Tree::Tree(std::string_view text) {
  if (text.size() <= kInlineMax) {
    SetInline(text);
    return;
  }
  Body* const buffer = Body::Make(text.size(), 1);
  std::memcpy(buffer->bytes(), text.data(), text.size());
  buffer->size = static_cast<uint32_t>(text.size());
  SetSlice(buffer, 0, text.size());
}

void Tree::SetInline(std::string_view text) {
  if (!text.empty()) std::memcpy(bytes_.data(), text.data(), text.size());
  SetTag(static_cast<uint8_t>(static_cast<uint8_t>(Kind::kText) | (text.size() << 4U)));
}

void Tree::SetSlice(Body* buffer, uint32_t offset, size_t length) {
  const auto shown = static_cast<uint32_t>(std::min<size_t>(length, kWholeBuffer));
  set_body(buffer);
  Store(8, offset);
  bytes_[12] = static_cast<unsigned char>(shown & 0xFFU);
  bytes_[13] = static_cast<unsigned char>((shown >> 8U) & 0xFFU);
  bytes_[14] = static_cast<unsigned char>(shown >> 16U);
  SetTag(kSlice);
}

Tree Tree::List(std::span<Tree> elements) {
  Tree list;
  list.SetTag(kListTag);
  if (elements.empty()) return list;
  Body* const body = Body::Make(elements.size(), sizeof(Tree));
  std::ranges::uninitialized_move(elements, std::span(body->elements(), elements.size()));
  body->size = static_cast<uint32_t>(elements.size());
  list.set_body(body);
  return list;
}

Tree Tree::Object(std::span<Member> members) {
  Tree object;
  object.SetTag(kObjectTag);
  const size_t size = SortMembers(members);
  if (size == 0) return object;
  Body* const body = Body::Make(size, sizeof(Member));
  std::ranges::uninitialized_move(members.first(size), std::span(body->members(), size));
  body->size = static_cast<uint32_t>(size);
  object.set_body(body);
  return object;
}

Tree Tree::Object(std::vector<Member> members) {
  return Object(std::span(members));
}

Tree Tree::Object() {
  return Object(std::span<Member>());
}

void Tree::Share() const {
  body()->references.fetch_add(1, std::memory_order_relaxed);
}

void Tree::Release() {
  Body* const dropped = body();
  if (dropped->Drop()) Free(dropped, bytes_[15] & 0xFU);
}

// Without recursion: bodies whose last reference is gone wait in a list that runs through them.
void Tree::Free(Body* first, uint8_t tag) {
  static_assert(alignof(Body) > kSlice);  // a pointer has room for the tag
  uintptr_t waiting = reinterpret_cast<uintptr_t>(first) | tag;
  first->references.store(0, std::memory_order_relaxed);
  const auto drop = [&waiting](Tree& value) {
    if (!value.has_body()) return;
    Body* const body = value.body();
    if (!body->Drop()) return;
    body->references.store(waiting, std::memory_order_relaxed);
    waiting = reinterpret_cast<uintptr_t>(body) | (value.bytes_[15] & 0xFU);
  };
  while (waiting != 0) {
    auto* const body = std::bit_cast<Body*>(waiting & ~uintptr_t{kSlice});
    const auto kind = static_cast<uint8_t>(waiting & kSlice);
    waiting = body->references.load(std::memory_order_relaxed);
    if (kind == kListTag) {
      for (uint32_t i = 0; i < body->size; ++i) drop(body->elements()[i]);
    } else if (kind == kObjectTag) {
      for (uint32_t i = 0; i < body->size; ++i) {
        drop(body->members()[i].label);
        drop(body->members()[i].value);
      }
    }
    body->~Body();
    ::operator delete(body);
  }
}

bool Tree::boolean() const {
  DRAY_CHECK(is_bool());
  return bytes_[0] != 0;
}

int64_t Tree::integer() const {
  DRAY_CHECK(is_integer());
  return Load<int64_t>(0);
}

double Tree::number() const {
  if (is_integer()) return static_cast<double>(Load<int64_t>(0));
  DRAY_CHECK(is_double());
  return Load<double>(0);
}

std::string_view Tree::text() const {
  DRAY_CHECK(is_text());
  if ((bytes_[15] & 0xFU) != kSlice) {
    return {reinterpret_cast<const char*>(bytes_.data()), static_cast<size_t>(bytes_[15] >> 4U)};
  }
  const uint32_t length = static_cast<uint32_t>(bytes_[12]) |
                          (static_cast<uint32_t>(bytes_[13]) << 8U) |
                          (static_cast<uint32_t>(bytes_[14]) << 16U);
  return {body()->bytes() + Load<uint32_t>(8), length == kWholeBuffer ? body()->size : length};
}

size_t Tree::size() const {
  if (!is_list() && !is_object()) return 0;
  return body() == nullptr ? 0 : body()->size;
}

std::span<const Tree> Tree::elements() const {
  if (!is_list() || body() == nullptr) return {};
  return {body()->elements(), body()->size};
}

std::span<const Tree::Member> Tree::members() const {
  if (!is_object() || body() == nullptr) return {};
  return {body()->members(), body()->size};
}

const Tree* Tree::Find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(members(), name, {}, &Member::name);
  return found == members().end() || found->name() != name ? nullptr : &found->value;
}

Tree::Body* Tree::Own(size_t capacity) {
  Body* const old = body();
  const bool is_list = kind() == Kind::kList;
  const bool is_shared = old != nullptr && old->references.load(std::memory_order_acquire) != 1;
  if (old != nullptr && !is_shared && capacity <= old->capacity) return old;
  const size_t size = old == nullptr ? 0 : old->size;
  // Reserves extra room when the body grows, so that adding elements one by one is cheap.
  const size_t room = capacity <= size ? size : std::max(capacity, size + size / 2);
  if (room == 0) return nullptr;
  Body* const own = Body::Make(room, is_list ? sizeof(Tree) : sizeof(Member));
  const auto fill = [&](auto* from, auto* to) {
    if (is_shared) {
      std::uninitialized_copy_n(from, size, to);
    } else {
      std::uninitialized_move_n(from, size, to);
    }
  };
  if (old != nullptr && is_list) fill(old->elements(), own->elements());
  if (old != nullptr && !is_list) fill(old->members(), own->members());
  own->size = static_cast<uint32_t>(size);
  const Tree dropped(std::move(*this));  // frees the old body, or its reference to it
  SetTag(is_list ? kListTag : kObjectTag);
  set_body(own);
  return own;
}

std::span<Tree> Tree::MutableElements() {
  DRAY_CHECK(is_list());
  if (size() == 0) return {};
  Body* const own = Own(size());
  return {own->elements(), own->size};
}

Tree& Tree::MutableElement(size_t index) {
  DRAY_CHECK(is_list() && index < size());
  return Own(size())->elements()[index];
}

Tree& Tree::MutableValue(size_t index) {
  DRAY_CHECK(is_object() && index < size());
  return Own(size())->members()[index].value;
}

Tree* Tree::FindMutable(std::string_view name) {
  const auto all = members();
  const auto found = std::ranges::lower_bound(all, name, {}, &Member::name);
  if (found == all.end() || found->name() != name) return nullptr;
  return &MutableValue(static_cast<size_t>(found - all.begin()));
}

Tree& Tree::Set(std::string_view name, Tree value) {
  DRAY_CHECK(is_object());
  if (Tree* const found = FindMutable(name); found != nullptr) {
    *found = std::move(value);
    return *found;
  }
  const auto all = members();
  const auto at = std::ranges::lower_bound(all, name, {}, &Member::name) - all.begin();
  Member added(name, std::move(value));
  Body* const own = Own(size() + 1);
  Member* const begin = own->members();
  new (begin + own->size) Member();
  ++own->size;
  std::move_backward(begin + at, begin + own->size - 1, begin + own->size);
  begin[at] = std::move(added);
  return begin[at].value;
}

void Tree::Insert(std::span<Member> added) {
  DRAY_CHECK(is_object());
  if (added.empty()) return;
  const size_t count = SortMembers(added);
  Body* const own = Own(size() + count);
  Member* const begin = own->members();
  size_t left = own->size;
  size_t to_come = count;
  for (size_t i = 0; i < count; ++i) new (begin + left + i) Member();
  own->size += static_cast<uint32_t>(count);
  // From the back, because the places behind both sources are free.
  for (size_t to = own->size; to_come > 0; --to) {
    const bool takes_old = left > 0 && begin[left - 1].name() > added[to_come - 1].name();
    begin[to - 1] = std::move(takes_old ? begin[--left] : added[--to_come]);
  }
}

bool Tree::Erase(std::string_view name) {
  const auto all = members();
  const auto found = std::ranges::lower_bound(all, name, {}, &Member::name);
  if (found == all.end() || found->name() != name) return false;
  const auto place = static_cast<uint32_t>(found - all.begin());
  EraseAt(std::span(&place, 1));
  return true;
}

void Tree::Append(Tree element) {
  DRAY_CHECK(is_list());
  Body* const own = Own(size() + 1);
  new (own->elements() + own->size) Tree(std::move(element));
  ++own->size;
}

namespace {

// Moves the remaining items to the front and destroys the others; returns how many remain.
template <class T>
size_t RemovePlaces(T* items, size_t size, std::span<const uint32_t> places) {
  size_t kept = places.front();
  size_t next = 0;
  for (size_t i = kept; i < size; ++i) {
    if (next < places.size() && places[next] == i) {
      ++next;
    } else {
      items[kept++] = std::move(items[i]);
    }
  }
  std::destroy(items + kept, items + size);
  return kept;
}

}  // namespace

void Tree::EraseAt(std::span<const uint32_t> places) {
  if (places.empty()) return;
  DRAY_CHECK(places.back() < size());
  Body* const own = Own(size());
  own->size = static_cast<uint32_t>(is_list() ? RemovePlaces(own->elements(), own->size, places)
                                              : RemovePlaces(own->members(), own->size, places));
  if (own->size > 0) return;
  const uint8_t tag = bytes_[15];
  *this = Tree();
  SetTag(tag);
}

std::weak_ordering Tree::Compare(const Tree& a, const Tree& b) {
  std::vector<Pair> open;
  const Tree* left = &a;
  const Tree* right = &b;
  while (true) {
    if (!left->SharesAllWith(*right)) {
      if (const auto order = CompareShallow(*left, *right); order != 0) return order;
      if (left->size() > 0) open.push_back({left, right, 0});
    }
    while (!open.empty() && open.back().next == open.back().a->size()) open.pop_back();
    if (open.empty()) return std::weak_ordering::equivalent;
    if (const auto order = NextValues(open.back(), left, right); order != 0) return order;
  }
}

bool Tree::operator==(const Tree& other) const {
  return Compare(*this, other) == 0;
}

Tree TreeTexts::Make(std::string_view text) {
  if (text.size() <= Tree::kInlineMax || text.size() > kBufferSize) return Tree(text);
  if (buffer_ == nullptr || buffer_->capacity - buffer_->size < text.size()) {
    const size_t wanted = std::clamp(expected_, text.size(), kBufferSize);
    Tree::Body* const fresh = Tree::Body::Make(wanted, 1);
    if (buffer_ != nullptr && buffer_->Drop()) Tree::Free(buffer_, Tree::kSlice);
    buffer_ = fresh;
  }
  expected_ -= std::min(expected_, text.size());
  std::memcpy(buffer_->bytes() + buffer_->size, text.data(), text.size());
  Tree made;
  made.SetSlice(buffer_, buffer_->size, text.size());
  made.Share();
  buffer_->size += static_cast<uint32_t>(text.size());
  return made;
}

TreeTexts::~TreeTexts() {
  if (buffer_ != nullptr && buffer_->Drop()) Tree::Free(buffer_, Tree::kSlice);
}

}  // namespace dray::api::inline value
