// SPDX-License-Identifier: Apache-2.0
// A JSON value whose schema is not known when the program is built, such as an object of a custom
// kind.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace dray::api::inline value {

/// null, a Boolean, an integer, another number, a text, a list or an object.
///
/// A value takes 16 bytes. Texts of up to 15 bytes lie inside it, longer ones are slices of buffers
/// that many texts share (TreeTexts). Lists and objects point to a body with their elements or
/// members. Copies share bodies and buffers, so a copy is O(1); the first change of a shared list
/// or object copies its own elements or members, not what lies below them.
///
/// Members are sorted by name, as Go writes them. Finding one is O(log n), comparing and merging
/// two objects is linear, and the order in a document is not kept.
///
/// Constant functions may be called by many threads at once, also for trees that share parts.
/// Nothing recurses: destroying, comparing and copying are safe at any depth.
class Tree {
 public:
  enum class Kind : uint8_t { kNull, kBool, kInteger, kDouble, kText, kList, kObject };
  struct Member;

  Tree() = default;  // null
  explicit Tree(std::same_as<bool> auto truth) {
    bytes_[0] = truth ? 1 : 0;
    SetTag(static_cast<uint8_t>(Kind::kBool));
  }
  template <std::signed_integral T>
  explicit Tree(T number) {
    Store(0, int64_t{number});
    SetTag(static_cast<uint8_t>(Kind::kInteger));
  }
  explicit Tree(double number) {
    Store(0, number);
    SetTag(static_cast<uint8_t>(Kind::kDouble));
  }
  /// A copy of `text`. Many texts of one document are made by TreeTexts.
  explicit Tree(std::string_view text);
  explicit Tree(const char* text) : Tree(std::string_view(text)) {}

  /// A list of the elements, which are moved from. O(n), one allocation.
  static Tree List(std::span<Tree> elements);
  static Tree List(std::vector<Tree> elements) { return List(std::span(elements)); }
  static Tree List() { return List(std::span<Tree>()); }
  /// An object of the members, which are moved from. Sorts them unless they are sorted; if a name
  /// occurs twice, the last member counts, so the object may have fewer members than the span. O(n
  /// log n), and O(n) for sorted members; one allocation.
  static Tree Object(std::span<Member> members);
  static Tree Object(std::vector<Member> members);
  static Tree Object();

  Tree(const Tree& other) : bytes_(other.bytes_) {
    if (has_body()) Share();
  }
  Tree(Tree&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Tree& operator=(const Tree& other) {
    Tree copy(other);  // `other` may be inside the value being replaced
    std::swap(bytes_, copy.bytes_);
    return *this;
  }
  Tree& operator=(Tree&& other) noexcept {
    Tree taken(std::move(other));
    std::swap(bytes_, taken.bytes_);
    return *this;
  }
  ~Tree() {
    if (has_body()) Release();
  }

  Kind kind() const {
    const uint8_t tag = bytes_[15] & 0xFU;
    return tag == kSlice ? Kind::kText : static_cast<Kind>(tag);
  }
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_bool() const { return kind() == Kind::kBool; }
  bool is_integer() const { return kind() == Kind::kInteger; }
  bool is_double() const { return kind() == Kind::kDouble; }
  bool is_number() const { return is_integer() || is_double(); }
  bool is_text() const { return kind() == Kind::kText; }
  bool is_list() const { return kind() == Kind::kList; }
  bool is_object() const { return kind() == Kind::kObject; }

  /// Precondition of each: the value is of that kind.
  bool boolean() const;
  int64_t integer() const;
  /// Also for integers: the nearest double.
  double number() const;
  /// Valid until this value is changed, moved or destroyed.
  std::string_view text() const;

  /// Elements of a list, members of an object; 0 for all others.
  size_t size() const;
  /// The elements of a list; empty for other kinds. Valid until this value is changed or destroyed.
  std::span<const Tree> elements() const;
  /// The members of an object, sorted by name; empty for other kinds. Valid like elements().
  std::span<const Member> members() const;
  /// The member; null if there is none, or this is no object. O(log n).
  const Tree* Find(std::string_view name) const;
  /// Calls Find() for each name; null as soon as a member is missing.
  template <class... Names>
  const Tree* FindPath(std::string_view name, Names... deeper) const {
    const Tree* found = Find(name);
    if constexpr (sizeof...(deeper) == 0) {
      return found;
    } else {
      return found == nullptr ? nullptr : found->FindPath(deeper...);
    }
  }

  // Changes. Each first makes the list's or object's own body unshared: O(n) if it was shared.

  /// The elements of a list, for changes in place. Precondition: a list.
  std::span<Tree> MutableElements();
  /// The element at `index` of elements(). Precondition: there is one.
  Tree& MutableElement(size_t index);
  /// The value of the member at `index` of members(). Precondition: there is one.
  Tree& MutableValue(size_t index);
  /// The value of a member; null if there is none.
  Tree* FindMutable(std::string_view name);
  /// Sets a member. Precondition: an object. O(n) for a new one: use Insert() for many.
  Tree& Set(std::string_view name, Tree value);
  /// Adds members that are not there yet, each once; they are moved from. O(n + k log k).
  void Insert(std::span<Member> members);
  /// Removes a member; returns whether there was one. O(n): use EraseMembers() for many.
  bool Erase(std::string_view name);
  /// Removes each member for which `is_gone(const Member&)` returns true, in order. Returns how
  /// many. O(n); copies nothing if it removes none.
  template <class F>
  size_t EraseMembers(F&& is_gone);
  /// Adds an element at the end of a list. Amortized O(1).
  void Append(Tree element);
  /// Removes the elements or members at these places, which are in order and differ. O(n).
  void EraseAt(std::span<const uint32_t> places);

  /// Whether it is the same JSON value: numbers by value (1 is 1.0), members in any order. O(size),
  /// O(1) for copies that share everything.
  bool operator==(const Tree& other) const;
  /// A total order of values, equal exactly where == is: by kind (numbers are one), then numbers,
  /// texts by bytes, lists and objects by size and then their first difference.
  static std::weak_ordering Compare(const Tree& a, const Tree& b);
  /// Whether both share one value and body, so that they are equal without comparison. O(1).
  bool SharesAllWith(const Tree& other) const { return bytes_ == other.bytes_; }

 private:
  friend class TreeTexts;
  struct Body;

  // Kinds of Kind, and texts that are slices of a buffer.
  static constexpr uint8_t kSlice = 7;
  static constexpr uint8_t kFirstWithBody = 5;
  static constexpr size_t kInlineMax = 15;
  // Slices this long are the whole buffer; others have their length in three bytes.
  static constexpr uint32_t kWholeBuffer = 0xFF'FFFF;

  // An empty list or object has the null pointer.
  bool has_body() const { return (bytes_[15] & 0xFU) >= kFirstWithBody && body() != nullptr; }
  Body* body() const { return std::bit_cast<Body*>(Load<uintptr_t>(0)); }
  void set_body(Body* body) { Store(0, std::bit_cast<uintptr_t>(body)); }
  template <class T>
  T Load(size_t at) const {
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof(T));
    return value;
  }
  template <class T>
  void Store(size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }
  void SetTag(uint8_t tag) { bytes_[15] = tag; }
  void SetInline(std::string_view text);
  void SetSlice(Body* buffer, uint32_t offset, size_t length);
  void Share() const;
  void Release();
  static void Free(Body* first, uint8_t tag);
  // Lists and objects: the body, unshared, with a total capacity of `capacity`.
  Body* Own(size_t capacity);

  // 0-7: number, or pointer to the body; of a slice 8-11: offset, 12-14: length; 15: kind, and in
  // the upper half the length of an inline text.
  alignas(8) std::array<unsigned char, 16> bytes_ = {};
};

/// A member of an object.
struct Tree::Member {
  Member() = default;
  Member(std::string_view name, Tree member_value) : label(name), value(std::move(member_value)) {}
  Member(Tree name, Tree member_value) : label(std::move(name)), value(std::move(member_value)) {}

  /// Valid until the object is changed or destroyed, because the member may move.
  std::string_view name() const { return label.text(); }

  Tree label;  // the name, a text
  Tree value;
};

template <class F>
size_t Tree::EraseMembers(F&& is_gone) {
  std::vector<uint32_t> gone;
  uint32_t index = 0;
  for (const Member& member : members()) {
    if (is_gone(member)) gone.push_back(index);
    ++index;
  }
  EraseAt(gone);
  return gone.size();
}

/// Makes the texts of one document, which share buffers. A text keeps the buffer that it lies in,
/// at most kBufferSize bytes or itself.
class TreeTexts {
 public:
  static constexpr size_t kBufferSize = 16 * 1024;

  /// `expected`: the likely maximum of bytes of text to come.
  explicit TreeTexts(size_t expected) : expected_(expected) {}
  TreeTexts(const TreeTexts&) = delete;
  TreeTexts& operator=(const TreeTexts&) = delete;
  ~TreeTexts();

  Tree Make(std::string_view text);

 private:
  size_t expected_;
  Tree::Body* buffer_ = nullptr;
};

}  // namespace dray::api::inline value
