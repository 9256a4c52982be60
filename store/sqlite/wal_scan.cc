// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/wal_scan.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "store/sqlite/files.h"
#include "store/sqlite/options.h"

namespace dray::store::sqlite {
namespace {

constexpr size_t kHeaderBytes = 32;
constexpr size_t kFrameHeaderBytes = 24;
/// The lowest bit gives the byte order of the words in checksums.
constexpr uint32_t kWalMagic = 0x377F0682;
constexpr size_t kPageBytesMin = 512;
constexpr size_t kPageBytesMax = 65'536;

uint32_t BigEndianAt(std::string_view bytes, size_t at) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof(word));
  return std::byteswap(word);
}

/// The running checksum of headers and pages.
struct WalSum {
  uint32_t first = 0, second = 0;
  bool big_endian = false;

  void Add(std::string_view bytes) {
    for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      first += WordAt(bytes, at) + second;
      second += WordAt(bytes, at + 4) + first;
    }
  }
  bool IsAt(std::string_view bytes, size_t at) const {
    return BigEndianAt(bytes, at) == first && BigEndianAt(bytes, at + 4) == second;
  }

 private:
  uint32_t WordAt(std::string_view bytes, size_t at) const {
    const uint32_t word = BigEndianAt(bytes, at);
    return big_endian ? word : std::byteswap(word);
  }
};

}  // namespace

WalScan ScanWal(std::string_view log, size_t page_bytes_expected) {
  WalScan scan;
  if (log.size() < kHeaderBytes) return scan;
  const uint32_t magic = BigEndianAt(log, 0);
  WalSum sum{.big_endian = (magic & 1U) != 0};
  sum.Add(log.substr(0, kHeaderBytes - 8));
  scan.page_bytes = BigEndianAt(log, 8);
  const bool has_page_size = std::has_single_bit(scan.page_bytes) &&
                             scan.page_bytes >= kPageBytesMin && scan.page_bytes <= kPageBytesMax;
  scan.has_good_header =
      (magic & ~1U) == kWalMagic && has_page_size && sum.IsAt(log, kHeaderBytes - 8);
  if (!scan.has_good_header) scan.page_bytes = page_bytes_expected;
  // Without a header, the first frame has the salt of the run.
  const size_t salts_at = scan.has_good_header ? size_t{16} : kHeaderBytes + 8;
  const size_t frame_bytes = kFrameHeaderBytes + scan.page_bytes;
  bool chain_continues = scan.has_good_header;
  for (size_t at = kHeaderBytes; at + frame_bytes <= log.size(); at += frame_bytes) {
    const WalFrame frame{.page = BigEndianAt(log, at),
                         .ends_commit = BigEndianAt(log, at + 4) != 0,
                         .has_salt = log.substr(at + 8, 8) == log.substr(salts_at, 8),
                         .at = at + kFrameHeaderBytes};
    sum.Add(log.substr(at, 8));
    sum.Add(log.substr(frame.at, scan.page_bytes));
    chain_continues = chain_continues && frame.has_salt && frame.page > 0 && sum.IsAt(log, at + 16);
    scan.frames.push_back(frame);
    if (!chain_continues) continue;
    scan.chained = scan.frames.size();
    if (frame.ends_commit) scan.committed = scan.chained;
  }
  return scan;
}

std::string DescribeWal(const std::string& store_file) {
  const std::string file = store_file + "-wal";
  const auto log = ReadWholeFile(file);
  if (!log.has_value()) return fmt::format("its log {} is missing", file);
  if (log->empty()) return fmt::format("its log {} is empty", file);
  const WalScan scan = ScanWal(*log, kPageBytes);
  const auto behind =
      std::ranges::count_if(scan.frames.begin() + static_cast<std::ptrdiff_t>(scan.chained),
                            scan.frames.end(),
                            [](const WalFrame& frame) { return frame.has_salt && frame.page > 0; });
  if (!scan.has_good_header) return fmt::format("the header of its log {} is damaged", file);
  const size_t end = kHeaderBytes + scan.chained * (kFrameHeaderBytes + scan.page_bytes);
  if (behind == 0) return fmt::format("its log {} ends at byte {}", file, end);
  return fmt::format(
      "its log {} is damaged behind byte {}, and {} pages of it follow there", file, end, behind);
}

}  // namespace dray::store::sqlite
