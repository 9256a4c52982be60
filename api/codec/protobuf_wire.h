// SPDX-License-Identifier: Apache-2.0
// The wire format of protocol buffers: a reader that checks every length, and a writer that works
// from the last byte to the first, so that the content is written before its length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/text/scratch_text.h"

namespace dray::api::inline codec {

enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

/// Prefix of an envelope (api/codec/protobuf.h).
inline constexpr std::string_view kEnvelopeMark("k8s\0", 4);

/// Messages and groups inside each other.
inline constexpr size_t kProtobufDepthMax = 200;

/// A field's number and how its value is written.
struct WireTag {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  bool operator==(const WireTag&) const = default;
};

constexpr uint32_t EncodedTag(WireTag tag) {
  return (tag.number << 3U) | static_cast<uint32_t>(tag.type);
}

/// Reads messages from front to back. After the first mistake AtEnd() holds, every call returns its
/// empty answer, and failed() stays true, so callers need to check once, at the end of a message.
class WireReader {
 public:
  /// `text` must outlive the reader and everything returned as a view.
  explicit WireReader(std::string_view text)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  /// Whether the message that was opened last, or the text, has been read.
  bool AtEnd() const { return at_ == end_; }

  /// The next field. Fails for numbers that no field can have and for the end of a group.
  WireTag Tag() {
    const char* const start = at_;
    const uint64_t tag = Varint();
    const WireTag read = {.number = static_cast<uint32_t>(tag >> 3U),
                          .type = static_cast<WireType>(tag & 7U)};
    const bool is_good = tag >> 3U != 0 && tag >> 3U <= kNumberMax &&
                         (read.type <= WireType::kGroup || read.type == WireType::kFixed32);
    return is_good ? read : BadTag(start, tag);
  }
  /// Up to 64 bits; negative numbers of any width are written with 64.
  uint64_t Varint() {
    if (at_ != end_ && static_cast<signed char>(*at_) >= 0) {
      return static_cast<unsigned char>(*at_++);
    }
    return LongVarint();
  }
  /// Reads a length and the bytes after it.
  std::string_view Bytes() {
    const char* const start = at_;
    const uint64_t size = Varint();
    if (size > static_cast<size_t>(end_ - at_)) return TooLong(start, size);
    const std::string_view bytes(at_, size);
    at_ += size;
    return bytes;
  }
  /// What is left of the message that was opened last, which then has been read.
  std::string_view Rest() { return {std::exchange(at_, end_), end_}; }
  /// Eight bytes, the least significant first.
  uint64_t Fixed64();
  /// Skips the value of an unknown field.
  void Skip(WireTag tag);
  /// Whether a field is written as it must be; fails at `start`, where it begins, if not.
  bool Expect(WireTag tag, WireType wanted, const char* start) {
    return tag.type == wanted || WrongType(tag, wanted, start);
  }
  /// The number of consecutive fields with `tag` from `at` on, which lies before at(); stops at the
  /// first error. Does not change the position.
  size_t CountRun(WireTag tag, const char* at) const;
  /// Calls take(tag, start) for each field up to the end. Skips fields for which it returns false.
  template <class F>
  void ForEachField(F&& take) {
    while (!AtEnd()) {
      const char* const start = at_;
      const WireTag tag = Tag();
      if (!failed() && !take(tag, start)) Skip(tag);
    }
  }

  /// Enters the message after a length; the reader then sees only that message until Close(). Pass
  /// the result to Close().
  const char* Open() {
    const char* const outer = end_;
    const char* const start = at_;
    const std::string_view message = Bytes();
    if (failed_) return outer;
    if (++depth_ > kProtobufDepthMax) {
      FailAt(start, "exceeded max depth");
      return outer;
    }
    at_ = message.data();
    end_ = at_ + message.size();
    return outer;
  }
  void Close(const char* outer) {
    --depth_;
    at_ = failed_ ? outer : end_;
    end_ = outer;
  }

  bool failed() const { return failed_; }
  /// Whether the first mistake was that the text ends too early.
  bool cut_off() const { return cut_off_; }
  /// Notes the first mistake, at the byte the reader stands at or at `at`.
  void Fail(std::string what) { FailAt(at_, std::move(what)); }
  void FailAt(const char* at, std::string what);
  const char* at() const { return at_; }
  /// Goes back to a place in the message that is open.
  void Rewind(const char* at) {
    if (!failed()) at_ = at;
  }
  /// The error, its position and, if `path` is given, its field.
  Error error(std::string_view path) const;

 private:
  static constexpr uint32_t kNumberMax = (1U << 29U) - 1;

  uint64_t LongVarint();
  WireTag BadTag(const char* start, uint64_t tag);
  std::string_view TooLong(const char* start, uint64_t size);
  bool WrongType(WireTag tag, WireType wanted, const char* start);
  void SkipGroup(uint32_t number);
  void CutOffAt(const char* at, std::string what);

  const char* begin_;
  const char* at_;
  const char* end_;
  size_t depth_ = 0;
  bool failed_ = false;
  bool cut_off_ = false;
  size_t mistake_ = 0;  // bytes before it
  std::string what_;
};

/// Writes a message from its last field to its first.
///
///   const size_t end = writer.size();
///   writer.Bytes(name);
///   writer.Tag({1, WireType::kBytes});
///   writer.Length(end);  // of what was written since `end`
class WireWriter {
 public:
  WireWriter() { UseAll(); }
  void Varint(uint64_t value) {
    char bytes[kVarintMax];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7U) bytes[size++] = static_cast<char>(value | 0x80U);
    bytes[size++] = static_cast<char>(value);
    std::memcpy(Room(size), bytes, size);
  }
  void Tag(WireTag tag) { Varint(EncodedTag(tag)); }
  void Fixed64(uint64_t value) {
    char* const to = Room(sizeof(value));
    for (size_t i = 0; i < sizeof(value); ++i) to[i] = static_cast<char>(value >> (8 * i));
  }
  /// Bytes alone, without a length.
  void Raw(std::string_view bytes) {
    if (!bytes.empty()) std::memcpy(Room(bytes.size()), bytes.data(), bytes.size());
  }
  /// Bytes behind their length.
  void Bytes(std::string_view bytes) {
    Raw(bytes);
    Varint(bytes.size());
  }
  /// The length of everything since size() was `end`.
  void Length(size_t end) { Varint(size() - end); }

  size_t size() const { return buffer_->size() - at_; }
  /// Everything written, first byte first; until the next call.
  std::string_view text() const { return std::string_view(*buffer_).substr(at_); }

 private:
  static constexpr size_t kVarintMax = 10;

  char* Room(size_t size) {
    if (at_ < size) Grow(size);
    at_ -= size;
    return buffer_->data() + at_;
  }
  void Grow(size_t size);
  // Makes the whole buffer usable; nothing may have been written yet.
  void UseAll() {
    const size_t all = buffer_->capacity();
    buffer_->resize_and_overwrite(all, [all](char*, size_t) { return all; });
    at_ = all;
  }

  ScratchText buffer_;  // the written bytes are at its end
  size_t at_ = 0;
};

}  // namespace dray::api::inline codec
