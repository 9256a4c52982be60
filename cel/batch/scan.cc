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

namespace dray::cel {
namespace {

template <class T>
struct Vectors {
  using Type = T __attribute__((ext_vector_type(kLanesPerWord)));
};
using BitVector = bool __attribute__((ext_vector_type(kLanesPerWord)));

struct Run {
  uint32_t first;
  uint32_t size;
};

constexpr size_t kRunsMax = 4;

// The runs of `wanted`; more than kRunsMax are not completed.
std::vector<Run> RunsOf(std::span<const Outcome> by_code, Outcome wanted) {
  std::vector<Run> runs;
  for (uint32_t code = 0; code < by_code.size() && runs.size() <= kRunsMax; ++code) {
    if (by_code[code] != wanted) continue;
    const uint32_t first = code;
    while (code < by_code.size() && by_code[code] == wanted) ++code;
    runs.push_back({first, code - first});
  }
  return runs;
}

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
[[gnu::always_inline]] inline void AddRunOf(
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

// One body, compiled for each width and for the machines there are.
#define DRAY_FOR_MACHINES __attribute__((target_clones("avx512bw", "avx2", "default")))
DRAY_FOR_MACHINES void AddRun(
    const uint8_t* codes, size_t size, uint8_t first, uint8_t last_offset, uint64_t* words) {
  AddRunOf(codes, size, first, last_offset, words);
}
DRAY_FOR_MACHINES void AddRun(
    const uint16_t* codes, size_t size, uint16_t first, uint16_t last_offset, uint64_t* words) {
  AddRunOf(codes, size, first, last_offset, words);
}
DRAY_FOR_MACHINES void AddRun(
    const uint32_t* codes, size_t size, uint32_t first, uint32_t last_offset, uint64_t* words) {
  AddRunOf(codes, size, first, last_offset, words);
}
#undef DRAY_FOR_MACHINES

template <class Code>
void AddRuns(const std::vector<Code>& codes, std::span<const Run> runs, Lanes& lanes) {
  for (const Run& run : runs) {
    AddRun(codes.data(),
           codes.size(),
           static_cast<Code>(run.first),
           static_cast<Code>(run.size - 1),
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

void Scan(const Column& column, std::span<const Outcome> by_code, Outcomes& out) {
  const std::vector<Run> matched = RunsOf(by_code, Outcome::kTrue);
  const std::vector<Run> failed = RunsOf(by_code, Outcome::kError);
  std::visit(
      [&](const auto& codes) {
        out.Reset(codes.size());
        if (matched.size() + failed.size() > kRunsMax) return LookUpAll(codes, by_code, out);
        AddRuns(codes, matched, out.matched);
        AddRuns(codes, failed, out.failed);
      },
      column.codes);
}

}  // namespace dray::cel
