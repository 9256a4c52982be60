// SPDX-License-Identifier: Apache-2.0
// Written over vectors of 64 lanes; the compiler cuts them into what the machine has.
#include "cel/batch/scan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <variant>
#include <vector>

namespace dray::cel::batch {
namespace {

template <class T>
struct Vectors {
  using Type = T __attribute__((ext_vector_type(kLanesPerWord)));
};
using BitVector = bool __attribute__((ext_vector_type(kLanesPerWord)));

constexpr size_t kRunsMax = 4;

template <class Code>
[[gnu::always_inline]] inline uint64_t InRun(const Code* codes, Code first, Code last_offset) {
  using Vector = typename Vectors<Code>::Type;
  Vector lanes;
  std::memcpy(&lanes, codes, sizeof lanes);
  const Vector offsets = lanes - first;
  return std::bit_cast<uint64_t>(__builtin_convertvector(offsets <= last_offset, BitVector));
}

// Adds the lanes whose code is in a run.
template <class Code>
[[gnu::always_inline]] inline void AddLanesOf(
    const Code* codes, size_t size, Code first, Code last_offset, uint64_t* words) {
  const size_t whole = size / kLanesPerWord;
  for (size_t i = 0; i < whole; ++i) {
    words[i] |= InRun<Code>(codes + i * kLanesPerWord, first, last_offset);
  }
  for (size_t lane = whole * kLanesPerWord; lane < size; ++lane) {
    const bool in = static_cast<Code>(codes[lane] - first) <= last_offset;
    words[whole] |= uint64_t{in} << (lane % kLanesPerWord);
  }
}

// Compiled once for each width of code and each set of vector instructions. The choice is made
// before the thread sanitizer is ready for it.
#if __has_feature(thread_sanitizer)
#define DRAY_FOR_MACHINES
#else
#define DRAY_FOR_MACHINES __attribute__((target_clones("avx512bw", "avx2", "default")))
#endif
DRAY_FOR_MACHINES void AddLanes(
    const uint8_t* codes, size_t size, uint8_t first, uint8_t last_offset, uint64_t* words) {
  AddLanesOf(codes, size, first, last_offset, words);
}
DRAY_FOR_MACHINES void AddLanes(
    const uint16_t* codes, size_t size, uint16_t first, uint16_t last_offset, uint64_t* words) {
  AddLanesOf(codes, size, first, last_offset, words);
}
DRAY_FOR_MACHINES void AddLanes(
    const uint32_t* codes, size_t size, uint32_t first, uint32_t last_offset, uint64_t* words) {
  AddLanesOf(codes, size, first, last_offset, words);
}
#undef DRAY_FOR_MACHINES

template <class Code>
void AddRuns(const std::vector<Code>& codes, std::span<const OutcomeRun> runs, Outcomes& out) {
  for (const OutcomeRun& run : runs) {
    Lanes& lanes = run.outcome == Outcome::kTrue ? out.matched : out.failed;
    AddLanes(codes.data(),
             codes.size(),
             static_cast<Code>(run.first),
             static_cast<Code>(run.last - 1 - run.first),
             lanes.words().data());
  }
}

template <class Code>
void LookUpAll(const std::vector<Code>& codes, std::span<const Outcome> by_code, Outcomes& out) {
  std::array<uint8_t, kLanesPerWord> found = {};
  for (size_t start = 0; start < codes.size(); start += kLanesPerWord) {
    const size_t count = std::min(kLanesPerWord, codes.size() - start);
    for (size_t i = 0; i < count; ++i) {
      found[i] = static_cast<uint8_t>(by_code.data()[codes.data()[start + i]]);
    }
    for (size_t i = count; i < kLanesPerWord; ++i) found[i] = 0;
    const size_t word = start / kLanesPerWord;
    constexpr auto kTrue = static_cast<uint8_t>(Outcome::kTrue);
    constexpr auto kError = static_cast<uint8_t>(Outcome::kError);
    out.matched.words()[word] = InRun<uint8_t>(found.data(), kTrue, 0);
    out.failed.words()[word] = InRun<uint8_t>(found.data(), kError, 0);
  }
}

}  // namespace

void AddRun(std::vector<OutcomeRun>& runs, const OutcomeRun& run) {
  if (run.outcome == Outcome::kFalse || run.first == run.last) return;
  const bool continues =
      !runs.empty() && runs.back().last == run.first && runs.back().outcome == run.outcome;
  if (continues) {
    runs.back().last = run.last;
  } else {
    runs.push_back(run);
  }
}

void Scan(const Column& column, std::span<const OutcomeRun> runs, Outcomes& out) {
  std::visit(
      [&](const auto& codes) {
        out.Reset(codes.size());
        if (runs.size() <= kRunsMax) return AddRuns(codes, runs, out);
        std::vector<Outcome> by_code(column.size());
        for (const OutcomeRun& run : runs) {
          std::fill(by_code.begin() + run.first, by_code.begin() + run.last, run.outcome);
        }
        LookUpAll(codes, by_code, out);
      },
      column.codes);
}

}  // namespace dray::cel::batch
