// SPDX-License-Identifier: Apache-2.0
// What all commands share on the way out: where they write, in which format, and how they end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json_writer.h"
#include "base/printable.h"

namespace dray::cli::inline terminal {

/// Exit codes. What a command says yes or no to stands in its help; some have codes of their own
/// beside these.
inline constexpr int kExitYes = 0;
inline constexpr int kExitNo = 1;
inline constexpr int kExitUsage = 2;  // bad options, input that cannot be read, a lost answer
/// A search was given up or ended by somebody, and nothing else is in the way.
inline constexpr int kExitUndecided = 3;
/// Somebody ended it, and nothing was done: as a shell says it of SIGINT.
inline constexpr int kExitInterrupted = 130;

enum class OutputFormat : uint8_t { kText, kJson, kYaml };

/// The format that the word of -o names: json and yaml; every other word is a text for people.
OutputFormat FormatOf(std::string_view word);

/// `json`, one value, as JSON on several lines or as YAML. Precondition: not kText.
std::string DocumentText(OutputFormat format, std::string_view json);
enum class Colours : uint8_t { kNone, kTerminal };

/// The first member of what `command` prints for programs: "schema": "dray/COMMAND/v1". Members
/// stay as they are while the number stays (docs/json.md).
void WriteSchema(std::string_view command, api::JsonWriter& json);

// -------------------------------------------------------------------------------------------
// texts for people

/// A text that was put together from printable parts: its newlines and colours are ours.
struct Composed {
  std::string_view text;
};

/// How an argument of Print is shown: a text as PrintableLines shows it.
template <class T>
auto ShownToPeople(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return PrintableLines(value);
  } else if constexpr (std::is_same_v<T, Composed>) {
    return std::string(value.text);
  } else {
    return value;
  }
}

template <class T>
using Shown = decltype(ShownToPeople(std::declval<const T&>()));

/// fmt::format, in which each text among the arguments is made printable: whatever a file or a
/// cluster says, the layout is that of `format`. All that a command writes for people is made by
/// this, by TableOf or by Facts.
template <class... Arguments>
std::string TextFor(fmt::format_string<Shown<Arguments>...> format, const Arguments&... arguments) {
  return [&](const auto&... shown) {
    return fmt::vformat(fmt::string_view(format), fmt::make_format_args(shown...));
  }(ShownToPeople(arguments)...);
}

/// Writes TextFor(format, arguments…) to `file`. Where that fails, fmt throws a system_error, as
/// main() expects.
template <class... Arguments>
void Print(std::FILE* file,
           fmt::format_string<Shown<Arguments>...> format,
           const Arguments&... arguments) {
  fmt::print(file, "{}", TextFor<Arguments...>(format, arguments...));
}

/// Where a command writes.
struct Output {
  std::FILE* out;                    // the answer
  std::FILE* notes;                  // notes, progress and errors
  Colours colours = Colours::kNone;  // of the answer
  bool shows_progress = false;       // somebody watches the notes
  size_t columns = 80;               // of the answer's terminal

  /// A line of the notes, made printable.
  void Remark(std::string_view line) const;
  /// "note: NOTE" for each.
  void Notes(std::span<const std::string> texts) const;
  /// "dray COMMAND: WHY". Returns kExitUsage.
  int Refuse(std::string_view command, std::string_view why) const;
  /// DocumentText(format, json).
  void Document(OutputFormat format, std::string_view json) const;
};

/// A process's standard output and error, with colours if a terminal shows them and NO_COLOR is not
/// set. Precondition: no thread has started.
Output StandardOutput();

// ------------------------------------------------------------------------------------------
// colours

inline constexpr std::string_view kRed = "\033[1;31m";
inline constexpr std::string_view kYellow = "\033[1;33m";
inline constexpr std::string_view kFaint = "\033[2m";

std::string Painted(std::string_view text, std::string_view colour, Colours colours);

// -------------------------------------------------------------------------------------------
// texts

std::string_view Plural(size_t count, std::string_view one, std::string_view many);

// -------------------------------------------------------------------------------------------
// tables

using Row = std::vector<std::string>;

enum class Numbers : uint8_t { kLeft, kRight };

/// Cells are made printable. Columns as wide as their widest cell, three blanks between them, none
/// at the end of a line. The first row is the head. With kRight, cells of digits stand to the right
/// of their columns. Precondition: all rows have as many cells.
std::string TableOf(std::span<const Row> rows, Numbers numbers = Numbers::kLeft);

// --------------------------------------------------------------------------------------------
// facts

/// Named facts, in the order in which they are added: lines "LABEL  TEXT" for people, one object
/// for programs. `label` stands in the text, `member` in JSON; what has no label is in JSON only,
/// and the reverse.
class Facts {
 public:
  void AddText(std::string_view label, std::string_view member, std::string_view text);
  void AddNumber(std::string_view label, std::string_view member, int64_t number);
  /// "12.3 MiB" for people, the number for programs.
  void AddBytes(std::string_view label, std::string_view member, uint64_t bytes);
  void AddFlag(std::string_view member, bool is_set);
  /// One line each for people.
  void AddTexts(std::string_view label,
                std::string_view member,
                const std::vector<std::string>& texts);

  void Print(OutputFormat format, const Output& output) const;

 private:
  struct Fact {
    std::string label, member;
    std::string text;
    std::string json;
  };
  std::string Lines() const;
  std::string Json() const;

  std::vector<Fact> facts_;
};

/// "0 B", "3.4 KiB", "12.0 MiB".
std::string BytesText(uint64_t bytes);

}  // namespace dray::cli::inline terminal
