// SPDX-License-Identifier: Apache-2.0
// The newest revision that the store has answered, in a note beside its file. The note
// distinguishes a loss from a crash.
//
// A write-ahead log ends at the first page that is not as it was written. SQLite takes that for the
// end of what was committed, which is right after a crash, and wrong if a page in the middle, the
// whole log or an old state of the file was left by a faulty disk or an operator. The newest
// revision that the store has reported to a client decides: if the file ends before it, the store
// has lost something. The note is written after the commit is durable and before the answer,
// without waiting for the disk. So it never claims too much; after a power cut it may claim too
// little.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/strong.h"
#include "store/sqlite/files.h"
#include "store/store.h"

namespace dray::store::sqlite {

/// The contents of the note.
struct Answered {
  uint64_t store = 0;  // NumberOfId of the store that the note is about
  Revision revision{};
};

/// The name of the note's file: "dray.db-answered".
std::string AnsweredFile(const std::string& store_file);

/// A store's identity as a number; 0 if `id` is not an identity.
uint64_t NumberOfId(const std::string& id);

/// Reads the note beside `store_file`. Returns nothing if there is no readable note. The file has
/// two notes, each with a checksum; the newer one that is intact counts.
std::optional<Answered> ReadAnswered(const std::string& store_file);

/// Removes the note, because another store takes the place of this one. Errors: kForbidden  it
/// cannot be removed.
Result<> RemoveAnswered(const std::string& store_file);

/// Keeps the note up to date. For one thread.
class AnsweredWriter {
 public:
  /// A writer that writes nothing.
  AnsweredWriter() = default;
  /// Begins with `newest`. If the file cannot be made, the writer writes nothing, because the note
  /// is evidence only and the store does not depend on it.
  AnsweredWriter(const std::string& store_file, const std::string& id, Revision newest);

  /// Call before the store answers up to `newest`. One write of 32 bytes, which never waits for the
  /// disk.
  void Note(Revision newest);

 private:
  std::optional<OpenFile> file_;
  uint64_t store_ = 0;
  Revision noted_{};
  bool second_ = false;  // which of the two places is written next
};

}  // namespace dray::store::sqlite
