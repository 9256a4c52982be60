// SPDX-License-Identifier: Apache-2.0
// The common output of commands: streams, formats and exit codes.
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
#include "base/text/printable.h"

namespace dray::cli::inline terminal {

/// Exit codes. Each command's help defines its yes and no; some commands have further codes.
inline constexpr int kExitYes = 0;
inline constexpr int kExitNo = 1;
inline constexpr int kExitUsage = 2;  // bad options, unreadable input, a lost answer
/// A search was given up or interrupted, and there is no other obstacle.
inline constexpr int kExitUndecided = 3;
/// The user interrupted the command before it did anything: a shell's code for SIGINT.
inline constexpr int kExitInterrupted = 130;

enum class OutputFormat : uint8_t { kText, kJson, kYaml };

/// The format for a word of -o: json and yaml; every other word means text for users.
OutputFormat FormatOf(std::string_view word);

/// `json`, one value, as JSON on several lines or as YAML. Precondition: not kText.
std::string DocumentText(OutputFormat format, std::string_view json);
enum class Colours : uint8_t { kNone, kTerminal };

/// Writes the first member of `command`'s output for programs: "schema": "dray/COMMAND/v1". Members
/// do not change while the number is the same (docs/json.md).
void WriteSchema(std::string_view command, api::JsonWriter& json);

// -------------------------------------------------------------------------------------------
// texts for users

/// A text composed of printable parts; its newlines and colours are the program's own.
struct Composed {
  std::string_view text;
};

/// Converts an argument of Print: texts become printable (PrintableLines).
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

/// fmt::format with printable arguments, so that texts from files or clusters cannot change the
/// layout of `format`. All output for users is made by this function, by TableOf or by Facts.
template <class... Arguments>
std::string TextFor(fmt::format_string<Shown<Arguments>...> format, const Arguments&... arguments) {
  return [&](const auto&... shown) {
    return fmt::vformat(fmt::string_view(format), fmt::make_format_args(shown...));
  }(ShownToPeople(arguments)...);
}

/// Writes TextFor(format, arguments…) to `file`. If that fails, fmt throws a system_error, which
/// main() handles.
template <class... Arguments>
void Print(std::FILE* file,
           fmt::format_string<Shown<Arguments>...> format,
           const Arguments&... arguments) {
  fmt::print(file, "{}", TextFor<Arguments...>(format, arguments...));
}

/// The output streams of a command.
struct Output {
  std::FILE* out;                    // the answer
  std::FILE* notes;                  // notes, progress and errors
  Colours colours = Colours::kNone;  // of the answer
  bool shows_progress = false;       // the notes go to a terminal
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

/// The process's standard output and error. Colours are on if standard output is a terminal with
/// colours and NO_COLOR is not set. Precondition: no thread has started.
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

/// Makes cells printable. Columns are as wide as their widest cell, with three blanks between them
/// and none at the end of a line. The first row is the header. With kRight, cells of digits are
/// aligned to the right. Precondition: all rows have the same number of cells.
std::string TableOf(std::span<const Row> rows, Numbers numbers = Numbers::kLeft);

// --------------------------------------------------------------------------------------------
// facts

/// Named facts in the order of their addition: lines "LABEL TEXT" for users, one object for
/// programs. `label` is used in the text, `member` in JSON. A fact without label is in JSON only,
/// and one without member in the text only.
class Facts {
 public:
  void AddText(std::string_view label, std::string_view member, std::string_view text);
  void AddNumber(std::string_view label, std::string_view member, int64_t number);
  /// Prints "12.3 MiB" for users, the number for programs.
  void AddBytes(std::string_view label, std::string_view member, uint64_t bytes);
  void AddFlag(std::string_view member, bool is_set);
  /// Prints one line each for users.
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
