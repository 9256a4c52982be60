// SPDX-License-Identifier: Apache-2.0
// What can be chosen about a store in a file, besides store::Options. The defaults are meant for
// use; tests take smaller ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace dray::store::sqlite {

/// The page size of files that the store creates.
inline constexpr int64_t kPageBytes = 8192;

struct SqliteOptions {
  /// Limits of transactions that wait for the disk, and of the bytes of their keys and values. One
  /// more is refused with kTooManyRequests; a single one always fits.
  size_t queue_count_max = 4096;
  size_t queue_bytes_max = size_t{64} << 20U;
  /// Limits of what is written, and synced, at once.
  size_t batch_count_max = 1024;
  size_t batch_bytes_max = size_t{8} << 20U;

  /// Limit of the history that is read back when the store is opened. Watches from before it get
  /// Expired.
  size_t recovered_events_max = 10'000;
  size_t recovered_bytes_max = size_t{64} << 20U;

  /// A file up to this size is verified completely before it is served, which takes a few
  /// milliseconds. In a larger file only the parts read are checked, until `dray store verify`.
  size_t verified_bytes_max = size_t{16} << 20U;

  /// Revisions after which the table of live keys is updated from the log; opening replays at most
  /// about twice as many.
  size_t fold_revisions = 32'768;
  /// Number of revisions below the floor before their superseded records are deleted.
  size_t compact_revisions = 65'536;
  /// Upkeep done between two commits, in row changes (a page written counts as eight): a
  /// millisecond or two. Large steps cost less than small ones, because neighbours share a page,
  /// and a page that becomes empty need not be written.
  size_t upkeep_work = 256;
  /// Unused pages in the file before they are given back to the disk.
  size_t free_pages_max = 4096;

  size_t cache_bytes = size_t{4} << 20U;
  /// Pages of 8 KiB in the write-ahead log before they are copied into the file. The copy starts
  /// when no commit has come for a moment, or when the log is twice as long.
  int checkpoint_pages = 1024;
  /// Limit of waiting for locks of other processes (a backup that ends, a shell).
  int busy_wait_ms = 5000;
  /// The file's size limit in pages; 0: the disk's.
  int64_t pages_max = 0;
  /// Name of SQLite's virtual file system; empty: the system's own. Tests provide one that fails.
  std::string vfs{};
};

}  // namespace dray::store::sqlite
