// SPDX-License-Identifier: Apache-2.0
#include "api/codec/protobuf_wire.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace dray::api::inline codec {
namespace {

// Reads a varint and goes behind it; false when it is cut off or too long.
inline bool PeekVarint(const char*& at, const char* end, uint64_t& value) {
  if (at != end && static_cast<signed char>(*at) >= 0) {
    value = static_cast<unsigned char>(*at++);
    return true;
  }
  value = 0;
  for (unsigned shift = 0; shift < 64 && at != end; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    value |= uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

}  // namespace

void WireReader::FailAt(const char* at, std::string what) {
  if (failed()) return;
  mistake_ = static_cast<size_t>(at - begin_);
  what_ = std::move(what);
  failed_ = true;
  at_ = end_;
}

void WireReader::CutOffAt(const char* at, std::string what) {
  cut_off_ |= !failed();
  FailAt(at, std::move(what));
}

Error WireReader::error(std::string_view path) const {
  return {.reason = StatusReason::kBadRequest,
          .message = path.empty()
                         ? fmt::format("protobuf: byte {}: {}", mistake_, what_)
                         : fmt::format("protobuf: byte {}: {}: {}", mistake_, path, what_)};
}

uint64_t WireReader::LongVarint() {
  const char* const start = at_;
  uint64_t value = 0;
  if (PeekVarint(at_, end_, value)) return value;
  if (at_ == end_) {
    CutOffAt(start, "the number is cut off");
  } else {
    FailAt(start, "the number has more than 64 bits");
  }
  return 0;
}

WireTag WireReader::BadTag(const char* start, uint64_t tag) {
  if (failed()) return {};
  const auto type = static_cast<WireType>(tag & 7U);
  if (tag >> 3U == 0 || tag >> 3U > kNumberMax) {
    FailAt(start, fmt::format("no field can have the number {}", tag >> 3U));
  } else if (type == WireType::kEndGroup) {
    FailAt(start, "the end of a group that was not begun");
  } else {
    FailAt(start, fmt::format("unknown wire type {}", tag & 7U));
  }
  return {};
}

std::string_view WireReader::TooLong(const char* start, uint64_t size) {
  CutOffAt(start, fmt::format("{} bytes are announced, {} are left", size, end_ - at_));
  return {};
}

uint64_t WireReader::Fixed64() {
  uint64_t value = 0;
  if (static_cast<size_t>(end_ - at_) < sizeof(value)) {
    CutOffAt(at_, "the number is cut off");
    return 0;
  }
  for (size_t i = 0; i < sizeof(value); ++i) {
    value |= uint64_t{static_cast<unsigned char>(at_[i])} << (8 * i);
  }
  at_ += sizeof(value);
  return value;
}

void WireReader::Skip(WireTag tag) {
  if (failed()) return;
  switch (tag.type) {
    case WireType::kVarint: Varint(); return;
    case WireType::kBytes: Bytes(); return;
    case WireType::kGroup: SkipGroup(tag.number); return;
    case WireType::kEndGroup: return;  // Tag() refuses it
    case WireType::kFixed32:
    case WireType::kFixed64: break;
  }
  const size_t size = tag.type == WireType::kFixed32 ? 4 : 8;
  if (static_cast<size_t>(end_ - at_) < size) return CutOffAt(at_, "the number is cut off");
  at_ += size;
}

void WireReader::SkipGroup(uint32_t number) {
  if (++depth_ > kProtobufDepthMax) return Fail("exceeded max depth");
  const uint64_t end_tag = EncodedTag({.number = number, .type = WireType::kEndGroup});
  while (true) {
    const char* peek = at_;
    uint64_t tag = 0;
    if (AtEnd()) return CutOffAt(at_, "the group has no end");
    if (PeekVarint(peek, end_, tag) && tag == end_tag) {
      at_ = peek;
      --depth_;
      return;
    }
    const WireTag inner = Tag();
    if (failed()) return;
    Skip(inner);
  }
}

bool WireReader::WrongType(WireTag tag, WireType wanted, const char* start) {
  const auto found = static_cast<int>(tag.type);
  FailAt(start, fmt::format("wire type {} instead of {}", found, static_cast<int>(wanted)));
  return false;
}

size_t WireReader::CountRun(WireTag tag, const char* at) const {
  const uint64_t wanted = EncodedTag(tag);
  size_t count = 0;
  uint64_t found = 0;
  while (at != end_ && PeekVarint(at, end_, found) && found == wanted) {
    uint64_t value = 0;
    if (!PeekVarint(at, end_, value)) break;
    if (tag.type == WireType::kBytes) {
      if (value > static_cast<size_t>(end_ - at)) break;
      at += value;
    }
    ++count;
  }
  return count;
}

void WireWriter::Grow(size_t size) {
  const size_t used = this->size();
  const size_t capacity = std::max<size_t>(1024, 2 * (used + size));
  std::string larger;
  larger.resize_and_overwrite(capacity, [&](char* bytes, size_t) {
    std::copy_n(buffer_->data() + at_, used, bytes + capacity - used);
    return capacity;
  });
  *buffer_ = std::move(larger);
  at_ = capacity - used;
}

}  // namespace dray::api::inline codec
