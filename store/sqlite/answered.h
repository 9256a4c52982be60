// SPDX-License-Identifier: Apache-2.0
// How far the store had answered, beside its file: what tells a loss from a crash.
//
// A write-ahead log ends at the first page that is not as it was written. SQLite takes that for the
// end of what was committed, which is right after a crash, and wrong if a page in the middle, the
// whole log or an old state of the file is what a disk, or a hand, has left. The newest revision
// that a client was told of decides: if the store has less, it has lost something. The note is
// written after the commit is durable and before the answer, without waiting for the disk. So it
// never claims too much; after a power cut it may claim too little.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/strong.h"
#include "store/sqlite/files.h"
#include "store/store.h"

namespace dray::store::sqlite {

/// What the file beside a store says.
struct Answered {
  uint64_t store = 0;  // NumberOfId of the store it is about
  Revision revision{};
};

/// The file's name: "dray.db-answered".
std::string AnsweredFile(const std::string& store_file);

/// A store's identity as a number; 0 if it is none.
uint64_t NumberOfId(const std::string& id);

/// What is noted beside `store_file`; nothing if there is no note, or none that can be read: two
/// are kept, each with a checksum, of which the last one that is whole counts.
std::optional<Answered> ReadAnswered(const std::string& store_file);

/// Forgets what was answered: another store takes its place.
/// Errors: kForbidden  it cannot be removed.
Result<> RemoveAnswered(const std::string& store_file);

/// Keeps the note. One thread.
class AnsweredWriter {
 public:
  /// Notes nothing.
  AnsweredWriter() = default;
  /// Begins with `newest`. Where the file cannot be made, nothing is noted: it is evidence, and the
  /// store does not depend on it.
  AnsweredWriter(const std::string& store_file, const std::string& id, Revision newest);

  /// The store will answer up to `newest`. One write of 32 bytes, which never waits for the disk.
  void Note(Revision newest);

 private:
  std::optional<OpenFile> file_;
  uint64_t store_ = 0;
  Revision noted_{};
  bool second_ = false;  // which of the two places is next
};

}  // namespace dray::store::sqlite
