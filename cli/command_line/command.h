// SPDX-License-Identifier: Apache-2.0
// A command as declared: its options, its subcommands, its action. Parsing, help, man pages and
// completion are all derived from the declaration.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "cli/command_line/command_text.h"
#include "cli/terminal/output.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's, which command.cc alone includes
class App;
class Option;
}  // namespace CLI

namespace dray::cli::inline command_line {

/// An option or operand of a command; its functions refine the declaration. Lives as long as the
/// command.
class Option {
 public:
  Option(CLI::Option& reader, OptionText text) : reader_(&reader), text_(std::move(text)) {}

  Option& Required();
  /// Together with `other` it is an error.
  Option& Excludes(const Option& other);
  /// Any other word is an error.
  Option& OneOf(std::vector<std::string> words);
  /// For a number: any other value is an error.
  Option& Between(int64_t min, int64_t max);
  /// Words that completion offers; others are valid too.
  Option& Suggests(std::vector<std::string> words);
  /// Without a value the option means `value`; help shows that.
  Option& MayStandAlone(std::string value);
  /// Help shows the target's current value as the default.
  Option& ShowsDefault();
  /// Help lists it under this heading instead of "Options".
  Option& InGroup(std::string heading);

  const OptionText& text() const { return text_; }

 private:
  CLI::Option* reader_;
  OptionText text_;
};

class Command;

/// The result of parsing a command line.
struct Asked {
  enum class What : uint8_t { kAction, kHelp, kVersion, kMistake };
  What what = What::kAction;
  const Command* command = nullptr;  // the last command that it names
  // if there is a mistake
  std::string why = {};                   // in CLI11's words, if all words are known
  std::vector<std::string> unknown = {};  // words
};

/// A program, or a command below one.
class Command {
 public:
  /// Returns the exit code. The program prints an error and returns kExitUsage.
  using Action = std::function<Result<int>(World&, const Output&)>;

  /// A program, with --help and --version.
  Command(std::string name, std::string says);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();

  // ------------------------------------------------------------------------------------------
  // declaring

  /// Adds a subcommand, with --help. A command with subcommands needs one of them. The result lives
  /// as long as this command.
  Command& Add(std::string name, std::string says);

  /// Sets the action that runs after parsing.
  void Does(Action action);

  /// Sets the last section of help: `more` of CommandText.
  void Notes(std::string notes);

  // Each adds an option; help keeps this order. `synopsis` is as help shows it: names, and a word
  // for the value if it is not TEXT, NUMBER or WORD: "-f, --filename PATH". Without dashes it
  // declares an operand: "FILE". Parsing stores values in the target, which holds the default and
  // must outlive the parsing.

  /// A name after ! negates: "--colour, !--no-colour".
  Option& Flag(std::string_view synopsis, bool& target, std::string says);
  Option& Flag(std::string_view synopsis, std::function<void()> when_set, std::string says);

  Option& Text(std::string_view synopsis, std::string& target, std::string says);
  Option& Text(std::string_view synopsis,
               std::function<void(const std::string&)> take,
               std::string says);

  /// May be repeated, with one text each time.
  Option& Texts(std::string_view synopsis, std::vector<std::string>& target, std::string says);
  /// Calls `take` in the order of the command line, even if a later word is a mistake.
  Option& Texts(std::string_view synopsis,
                std::function<void(const std::string&)> take,
                std::string says);

  /// A comma-separated list. Further words belong to it too, up to the next option, except those
  /// needed for required operands.
  Option& List(std::string_view synopsis, std::vector<std::string>& target, std::string says);

  /// A number that does not fit into the target is an error.
  Option& Number(std::string_view synopsis, int& target, std::string says);
  Option& Number(std::string_view synopsis, int64_t& target, std::string says);
  Option& Number(std::string_view synopsis, uint16_t& target, std::string says);
  Option& Number(std::string_view synopsis, uint32_t& target, std::string says);
  Option& Number(std::string_view synopsis, uint64_t& target, std::string says);
  Option& Number(std::string_view synopsis, std::optional<uint64_t>& target, std::string says);
  Option& Number(std::string_view synopsis, std::function<void(int64_t)> take, std::string says);

  /// Lists these options under a heading in help. Precondition: `names` are names of options.
  void Group(const std::string& heading, const std::vector<std::string>& names);

  // ------------------------------------------------------------------------------------------
  // reading

  /// Parses the words after the program's name and stores values in the targets. Call it once.
  Asked Read(std::span<const std::string> words);

  /// Runs the action and returns its exit code. Precondition: the command has an action, as every
  /// command has at which a command line may end.
  int Run(World& world, const Output& output) const;

  // ------------------------------------------------------------------------------------------
  // introspection

  CommandText Describe() const;

  /// The subcommand of that name; null: there is none.
  const Command* Below(std::string_view name) const;

 private:
  Command(CLI::App& reader, const Command& parent, std::string word, std::string says);
  Option& Keep(std::string_view synopsis,
               const char* usual_value,
               std::string says,
               const std::function<CLI::Option*(const std::string& names)>& add);
  const Command& Reached() const;
  /// Whether the word is a List option, of this command or one below, without names: "--skip=".
  bool IsEmptyList(std::string_view word) const;

  std::unique_ptr<CLI::App> program_;  // set for a program only
  CLI::App* reader_;
  std::string word_;  // "backup"
  std::string name_;  // "dray store backup"
  std::string says_;
  std::string notes_;
  Action action_;
  std::vector<std::unique_ptr<Option>> options_;
  std::vector<std::unique_ptr<Command>> below_;
  std::vector<std::string> empty_lists_;  // "--skip="
};

}  // namespace dray::cli::inline command_line
