// SPDX-License-Identifier: Apache-2.0
#include "base/dictionary.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace dray {
namespace {

/// What is looked up. A shorter copy would hardly save anything.
constexpr size_t kWordBytes = 8;

uint64_t WordAt(const char* at) {
  uint64_t word = 0;
  std::memcpy(&word, at, kWordBytes);
  return word;
}

size_t SlotOf(uint64_t word, size_t bits) {
  return static_cast<size_t>((word * 0x9E37'79B9'7F4A'7C15) >> (64 - bits));
}

size_t CommonPrefix(std::string_view a, std::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  const char* const in_a = a.data();
  const char* const in_b = b.data();
  size_t same = 0;
  while (same + kWordBytes <= size && WordAt(in_a + same) == WordAt(in_b + same))
    same += kWordBytes;
  while (same < size && in_a[same] == in_b[same]) ++same;
  return same;
}

void AppendNumber(size_t number, std::string& out) {
  for (; number >= 0x80; number >>= 7U) out.push_back(static_cast<char>(number | 0x80U));
  out.push_back(static_cast<char>(number));
}

size_t TakeNumber(std::string_view& packed) {
  size_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    DRAY_CHECK(!packed.empty());
    const auto digits = static_cast<uint8_t>(packed.front());
    packed.remove_prefix(1);
    number |= static_cast<size_t>(digits & 0x7FU) << shift;
    if (digits < 0x80) return number;
  }
}

}  // namespace

Dictionary::Dictionary()
    : samples_(std::make_unique_for_overwrite<char[]>(kBytesMax)),  // NOLINT(*-avoid-c-arrays)
      slots_(std::make_unique<Slots>()) {
  static_assert(kBytesMax < UINT16_MAX);
}

// A place in the samples that has the word at `at`. `expected` is where the text continues if it
// differs from the last sample in as many bytes as the sample from it. This runs for each byte that
// is not copied, hence the plain pointers.
size_t Dictionary::Find(const char* at, size_t expected) const {
  const uint64_t word = WordAt(at);
  const char* const samples = samples_.get();
  if (expected + kWordBytes <= size_ && WordAt(samples + expected) == word) return expected;
  const uint16_t slot = slots_->data()[SlotOf(word, kSlotBits)];
  return slot != 0 && WordAt(samples + slot - 1) == word ? slot - 1U : kNowhere;
}

void Dictionary::Pack(std::string_view text, std::string& out) {
  const size_t before = out.size();
  AppendNumber(text.size(), out);
  const MutexLock lock(mutex_);
  size_t done = 0;          // what has been written of the text
  size_t copied_until = 0;  // in the samples, at `done`
  const size_t last =
      text.size() < kWordBytes || slots_ == nullptr ? 0 : text.size() - kWordBytes + 1;
  for (size_t at = 0; at < last;) {
    size_t place = Find(text.data() + at, copied_until + (at - done));
    if (place == kNowhere) {
      ++at;
      continue;
    }
    const std::string_view sample(&samples_[place], size_ - place);
    const size_t end = at + CommonPrefix(sample, text.substr(at));
    while (at > done && place > 0 && text[at - 1] == samples_[place - 1]) {
      --at;
      --place;
    }
    AppendNumber(at - done, out);
    out.append(text.substr(done, at - done));
    AppendNumber(end - at, out);
    AppendNumber(place, out);
    copied_until = place + (end - at);
    done = at = end;
  }
  if (done < text.size()) {
    AppendNumber(text.size() - done, out);
    out.append(text.substr(done));
  }
  if (slots_ != nullptr && (out.size() - before) * 2 > text.size()) Learn(text);
}

void Dictionary::Learn(std::string_view text) {
  const size_t room = kBytesMax - size_;
  const std::string_view sample = text.substr(0, kSampleBytesMax);
  if (sample.size() > room) {
    if (++poor_ == kPoorMax) slots_ = nullptr;
    return;
  }
  std::ranges::copy(sample, &samples_[size_]);
  const size_t first = size_;
  size_ += sample.size();
  for (size_t place = first; place + kWordBytes <= size_; place += kStride) {
    (*slots_)[SlotOf(WordAt(&samples_[place]), kSlotBits)] = static_cast<uint16_t>(place + 1);
  }
}

void Dictionary::Unpack(std::string_view packed, std::string& out) const {
  const size_t size = TakeNumber(packed);
  const size_t first = out.size();
  const size_t whole = first + size;
  // Some versions of libstdc++ pass more room than the caller asked for.
  out.resize_and_overwrite(whole, [&](char* text, size_t /*room*/) {
    for (size_t at = first; at < whole;) {
      const size_t here = TakeNumber(packed);
      DRAY_CHECK(here <= packed.size() && here <= whole - at);
      std::memcpy(text + at, packed.data(), here);
      packed.remove_prefix(here);
      at += here;
      if (at == whole) break;
      const size_t copied = TakeNumber(packed);
      const size_t place = TakeNumber(packed);
      DRAY_CHECK(place <= kBytesMax && copied <= kBytesMax - place && copied <= whole - at);
      std::memcpy(text + at, &samples_[place], copied);
      at += copied;
    }
    return whole;
  });
}

bool Dictionary::is_worn() const {
  const MutexLock lock(mutex_);
  return slots_ == nullptr;
}

}  // namespace dray
