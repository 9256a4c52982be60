// SPDX-License-Identifier: Apache-2.0
// Reads SQLite's write-ahead log as bytes, also behind the place where SQLite stops.
// https://www.sqlite.org/fileformat.html#the_write_ahead_log
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dray::store::sqlite {

/// One page in the log, with the header before it.
struct WalFrame {
  uint32_t page = 0;         // its number in the file
  bool ends_commit = false;  // the last one of a transaction
  bool has_salt = false;     // the frame belongs to the current run of the log; else an older run
                             // has left it
  size_t at = 0;             // offset of the page's bytes in the log
};

struct WalScan {
  size_t page_bytes = 0;         // 0: there is no header
  bool has_good_header = false;  // its checksum is right; otherwise SQLite treats the log as empty
  std::vector<WalFrame> frames;  // all frames that the log has room for, in its order
  size_t chained = 0;            // number of frames whose checksums are right, from the first one
                                 // on
  size_t committed = 0;          // number of those up to the last commit: what SQLite shows
};

/// Scans the bytes of a log. Uses `page_bytes_expected` if the header has no valid page size.
/// O(bytes).
WalScan ScanWal(std::string_view log, size_t page_bytes_expected);

/// Describes where and how the log that SQLite shows ends: "is missing", "ends at byte 8272", "is
/// damaged at byte 8272, with 7 pages of later commits behind it". Reads the file.
std::string DescribeWal(const std::string& store_file);

}  // namespace dray::store::sqlite
