// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/answered.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/result.h"
#include "base/strong.h"
#include "store/sqlite/files.h"

namespace dray::store::sqlite {
namespace {

/// "DRAYACK1", as a little-endian number.
constexpr uint64_t kMagic = 0x31'4B'43'41'59'41'52'44;
/// Offset of the second note, in another sector than the first.
constexpr off_t kSecondPlace = 512;

/// The layout in the file.
struct NoteBytes {
  uint64_t magic, store, revision, checksum;
};
static_assert(sizeof(NoteBytes) == 32);

uint64_t SumOf(const NoteBytes& note) {
  uint64_t sum = 0;
  for (const uint64_t word : {note.magic, note.store, note.revision}) {
    const __uint128_t product = static_cast<__uint128_t>(sum ^ word) * 0x9E37'79B9'7F4A'7C15;
    sum = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64U) ^
          0xA076'1D64'78BD'642F;
  }
  return sum;
}

std::optional<Answered> ReadNote(int file, off_t place) {
  NoteBytes note{};
  if (pread(file, &note, sizeof(note), place) != static_cast<ssize_t>(sizeof(note))) return {};
  if (note.magic != kMagic || note.checksum != SumOf(note)) return std::nullopt;
  return Answered{.store = note.store, .revision = Revision{static_cast<int64_t>(note.revision)}};
}

}  // namespace

std::string AnsweredFile(const std::string& store_file) {
  return store_file + "-answered";
}

uint64_t NumberOfId(const std::string& id) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number, 16);
  return error == std::errc() && end == id.data() + id.size() ? number : 0;
}

std::optional<Answered> ReadAnswered(const std::string& store_file) {
  const auto file = Open(AnsweredFile(store_file), OpenMode::kRead);
  if (!file.has_value()) return std::nullopt;
  const std::optional<Answered> first = ReadNote(file->descriptor(), 0);
  const std::optional<Answered> second = ReadNote(file->descriptor(), kSecondPlace);
  if (!first.has_value() || !second.has_value()) return first.has_value() ? first : second;
  return first->revision < second->revision ? second : first;
}

Result<> RemoveAnswered(const std::string& store_file) {
  std::error_code error;
  std::filesystem::remove(AnsweredFile(store_file), error);
  if (!error) return {};
  return Fail(StatusReason::kForbidden,
              fmt::format("{} cannot be removed: {}", AnsweredFile(store_file), error.message()));
}

AnsweredWriter::AnsweredWriter(const std::string& store_file,
                               const std::string& id,
                               Revision newest)
    : store_(NumberOfId(id)) {
  auto opened = Open(AnsweredFile(store_file), OpenMode::kReadWrite);
  if (!opened.has_value()) return;
  file_.emplace(*std::move(opened));
  // Writes both places, so that neither has an older note and no later note extends the file.
  Note(newest);
  noted_ = Revision{};
  Note(newest);
}

void AnsweredWriter::Note(Revision newest) {
  if (!file_.has_value() || newest <= noted_) return;
  NoteBytes note{.magic = kMagic,
                 .store = store_,
                 .revision = static_cast<uint64_t>(newest.value()),
                 .checksum = 0};
  note.checksum = SumOf(note);
  const ssize_t written =
      pwrite(file_->descriptor(), &note, sizeof(note), second_ ? kSecondPlace : 0);
  if (written != static_cast<ssize_t>(sizeof(note))) return;
  noted_ = newest;
  second_ = !second_;
}

}  // namespace dray::store::sqlite
