// SPDX-License-Identifier: Apache-2.0
// A command, as it is declared: its options, the commands below it, what it does. By that its words
// are read, and from that all is made that people read of it.
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

/// An option or operand that a command has, to say more of it. Lives as long as the command.
class Option {
 public:
  Option(CLI::Option& reader, OptionText text) : reader_(&reader), text_(std::move(text)) {}

  Option& Required();
  /// A mistake beside `other`.
  Option& Excludes(const Option& other);
  /// Every other word is a mistake.
  Option& OneOf(std::vector<std::string> words);
  /// Of a number: every other one is a mistake.
  Option& Between(int64_t min, int64_t max);
  /// Words that may follow, among others.
  Option& Suggests(std::vector<std::string> words);
  /// Without a value it means `value`, and help says so.
  Option& MayStandAlone(std::string value);
  /// Help says what its target holds now.
  Option& ShowsDefault();
  /// Help has it under this heading, not "Options".
  Option& InGroup(std::string heading);

  const OptionText& text() const { return text_; }

 private:
  CLI::Option* reader_;
  OptionText text_;
};

class Command;

/// What the words of a command line ask for.
struct Asked {
  enum class What : uint8_t { kAction, kHelp, kVersion, kMistake };
  What what = What::kAction;
  const Command* command = nullptr;  // the last that they name
  // of a mistake
  std::string why = {};                   // in CLI11's words, if all words are known
  std::vector<std::string> unknown = {};  // words
};

/// A program, or a command below one.
class Command {
 public:
  /// Returns the exit code. Errors: told, and the code is kExitUsage.
  using Action = std::function<Result<int>(World&, const Output&)>;

  /// A program, with --help and --version.
  Command(std::string name, std::string says);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();

  // ------------------------------------------------------------------------------------------
  // declaring

  /// A command below, with --help; with such, one must be named. Lives as long as this one.
  Command& Add(std::string name, std::string says);

  /// What is done once the options are read.
  void Does(Action action);

  /// What help says last: `more` of CommandText.
  void Notes(std::string notes);

  // Each adds an option, and help has them in this order. `synopsis` is as help shows it: names,
  // and what stands for the value if that is neither TEXT, NUMBER nor WORD: "-f, --filename PATH".
  // Without dashes it is an operand: "FILE". What is given is written to the target, which outlives
  // the reading of words; it holds what is taken otherwise.

  /// A name after ! says the reverse: "--colour, !--no-colour".
  Option& Flag(std::string_view synopsis, bool& target, std::string says);
  Option& Flag(std::string_view synopsis, std::function<void()> when_set, std::string says);

  Option& Text(std::string_view synopsis, std::string& target, std::string says);
  Option& Text(std::string_view synopsis,
               std::function<void(const std::string&)> take,
               std::string says);

  /// May be given again and again, one text each time.
  Option& Texts(std::string_view synopsis, std::vector<std::string>& target, std::string says);
  /// Texts are taken in the order of the command line, even if it goes wrong further on.
  Option& Texts(std::string_view synopsis,
                std::function<void(const std::string&)> take,
                std::string says);

  /// Comma-separated; further words belong to it too, up to the next option and as far as the
  /// required operands leave them.
  Option& List(std::string_view synopsis, std::vector<std::string>& target, std::string says);

  /// What does not fit into the target is a mistake.
  Option& Number(std::string_view synopsis, int& target, std::string says);
  Option& Number(std::string_view synopsis, int64_t& target, std::string says);
  Option& Number(std::string_view synopsis, uint16_t& target, std::string says);
  Option& Number(std::string_view synopsis, uint32_t& target, std::string says);
  Option& Number(std::string_view synopsis, uint64_t& target, std::string says);
  Option& Number(std::string_view synopsis, std::optional<uint64_t>& target, std::string says);
  Option& Number(std::string_view synopsis, std::function<void(int64_t)> take, std::string says);

  /// Help has these options under a heading. Precondition: each is the name of one.
  void Group(const std::string& heading, const std::vector<std::string>& names);

  // ------------------------------------------------------------------------------------------
  // reading

  /// Writes to the targets what the words give; they are those behind the program's name. Once
  /// only.
  Asked Read(std::span<const std::string> words);

  /// The exit code of the action. Precondition: there is one, as where a command line may end.
  int Run(World& world, const Output& output) const;

  // ------------------------------------------------------------------------------------------
  // what there is

  CommandText Describe() const;

  /// The command of that name below; null: there is none.
  const Command* Below(std::string_view name) const;

 private:
  Command(CLI::App& reader, const Command& parent, std::string word, std::string says);
  Option& Keep(std::string_view synopsis,
               const char* usual_value,
               std::string says,
               const std::function<CLI::Option*(const std::string& names)>& add);
  const Command& Reached() const;

  std::unique_ptr<CLI::App> program_;  // of a program
  CLI::App* reader_;
  std::string word_;  // "backup"
  std::string name_;  // "dray store backup"
  std::string says_;
  std::string notes_;
  Action action_;
  std::vector<std::unique_ptr<Option>> options_;
  std::vector<std::unique_ptr<Command>> below_;
};

}  // namespace dray::cli::inline command_line
