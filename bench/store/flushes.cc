// SPDX-License-Identifier: Apache-2.0
#include "bench/store/flushes.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/check.h"
#include "base/world.h"
#include "bench/samples.h"
#include "bench/store/figures.h"

namespace dray::bench {
namespace {

constexpr int kFlushRounds = 5;
constexpr int kFlushes = 400;
constexpr int kPages = 10;
constexpr off_t kPageBytes = 4'096;
constexpr off_t kAheadBytes = off_t{256} << 10U;
constexpr off_t kAllBytes = off_t{kFlushes} * kPages * kPageBytes;

enum class Ahead : uint8_t { kNothing, kReserved, kZeros, kWhole };

struct Case {
  Ahead ahead = Ahead::kNothing;
  std::string_view name;
};

constexpr std::array kCases = {
    Case{.ahead = Ahead::kNothing, .name = "the file grows"},
    Case{.ahead = Ahead::kReserved, .name = "blocks reserved ahead"},
    Case{.ahead = Ahead::kZeros, .name = "zeros written ahead"},
    Case{.ahead = Ahead::kWhole, .name = "blocks are overwritten"},
};

/// Microseconds per flush, including the writes of its pages.
struct Flush {
  double time = 0;
  double cpu = 0;
  double slowest = 0;
};

double CpuSeconds() {
  rusage used{};
  DRAY_CHECK(getrusage(RUSAGE_SELF, &used) == 0);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

void WritePages(int file, const std::vector<char>& bytes, off_t at) {
  DRAY_CHECK(pwrite(file, bytes.data(), bytes.size(), at) == static_cast<ssize_t>(bytes.size()));
}

/// Prepares the file after `end` for more data, as `ahead` says.
void LengthenAt(int file, off_t end, Ahead ahead) {
  if (ahead == Ahead::kReserved) DRAY_CHECK(posix_fallocate(file, end, kAheadBytes) == 0);
  if (ahead == Ahead::kZeros) WritePages(file, std::vector<char>(kAheadBytes), end);
}

Flush MeasureFlush(const std::string& name, Ahead ahead) {
  const int file = open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  DRAY_CHECK(file >= 0);
  if (ahead == Ahead::kWhole) WritePages(file, std::vector<char>(kAllBytes), 0);
  DRAY_CHECK(fsync(file) == 0);
  const std::vector<char> page(kPageBytes, 'p');
  const MonotonicTime begin = Now();
  const double cpu = CpuSeconds();
  double slowest = 0;
  off_t ready = 0;
  for (off_t at = 0; at < kAllBytes;) {
    if (ready < at + kPages * kPageBytes) {
      LengthenAt(file, ready, ahead);
      ready += kAheadBytes;
    }
    const MonotonicTime flush_begin = Now();
    for (int i = 0; i < kPages; ++i, at += kPageBytes) WritePages(file, page, at);
    DRAY_CHECK(fdatasync(file) == 0);
    slowest = std::max(slowest, SecondsSince(flush_begin) * 1e6);
  }
  const Flush flush{.time = SecondsSince(begin) * 1e6 / kFlushes,
                    .cpu = (CpuSeconds() - cpu) * 1e6 / kFlushes,
                    .slowest = slowest};
  DRAY_CHECK(close(file) == 0 && unlink(name.c_str()) == 0);
  return flush;
}

}  // namespace

void MeasureFlushes(const std::string& folder) {
  std::array<Samples, kCases.size()> times, cpu, slowest;
  for (int round = 0; round < kFlushRounds; ++round) {
    for (size_t i = 0; i < kCases.size(); ++i) {
      const Flush flush = MeasureFlush(folder + "/flushes", kCases[i].ahead);
      times[i].Add(flush.time);
      cpu[i].Add(flush.cpu);
      slowest[i].Add(flush.slowest);
    }
  }
  fmt::print("ten pages of 4 KiB and a flush, medians of {} rounds in turn\n", kFlushRounds);
  fmt::print("{:>24} {:>8} {:>12} {:>8}\n", "", "us", "us of CPU", "max, us");
  for (size_t i = 0; i < kCases.size(); ++i) {
    fmt::print("{:>24} {:>8.0f} {:>12.0f} {:>8.0f}\n",
               kCases[i].name,
               times[i].median(),
               cpu[i].median(),
               slowest[i].max());
  }
}

}  // namespace dray::bench
