// SPDX-License-Identifier: Apache-2.0
// CLI11 parses the words. The declared descriptions of options are kept beside it.
#include "cli/command_line/command.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "base/text/spelling.h"

namespace dray::cli::inline command_line {
namespace {

constexpr const char* kHelpNames = "-h, --help";
constexpr const char* kHelpHint = "print this help, and end";

/// "-f,--filename" and "PATH" of "-f, --filename PATH": the names as CLI11 takes them, the value.
std::pair<std::string, std::string> NamesAndValue(std::string_view synopsis) {
  const size_t blank = synopsis.rfind(' ');
  const bool has_value = blank != std::string_view::npos && synopsis[blank - 1] != ',';
  std::string names(synopsis.substr(0, has_value ? blank : synopsis.size()));
  std::erase(names, ' ');
  return {std::move(names), std::string(has_value ? synopsis.substr(blank + 1) : "")};
}

/// Adds an option whose value CLI11 writes to `target`.
template <class Target>
auto WritesTo(CLI::App& reader, Target& target) {
  return [&](const std::string& names) { return reader.add_option(names, target); };
}

/// An operand takes all remaining words, an option one word each time.
CLI::Option* TakeOneEachTime(CLI::Option* reader) {
  return reader->get_positional() ? reader : reader->allow_extra_args(false);
}

}  // namespace

// ------------------------------------------------------------------------------------------
// options

Option& Option::Required() {
  reader_->required();
  text_.is_required = true;
  return *this;
}

Option& Option::Excludes(const Option& other) {
  reader_->excludes(other.reader_);
  return *this;
}

Option& Option::OneOf(std::vector<std::string> words) {
  text_.choices = words;
  if (text_.value == "TEXT") text_.value = "WORD";
  std::string description = fmt::format("{{{}}}", fmt::join(words, ","));
  reader_->check(
      [choices = std::move(words)](const std::string& word) {
        if (std::ranges::find(choices, word) != choices.end()) return std::string();
        return fmt::format(
            "{} is none of {}{}", word, fmt::join(choices, ", "), MeantName(word, choices));
      },
      std::move(description));
  return *this;
}

Option& Option::Between(int64_t min, int64_t max) {
  const bool is_signed = reader_->get_type_name() == "INT";  // else CLI11 says UINT
  reader_->check(is_signed ? CLI::Range(min, max)
                           : CLI::Range(static_cast<uint64_t>(min), static_cast<uint64_t>(max)));
  return *this;
}

Option& Option::Suggests(std::vector<std::string> words) {
  reader_->type_name(fmt::format("{}:{{{}}}", text_.value, fmt::join(words, ",")));
  text_.choices = std::move(words);
  return *this;
}

Option& Option::MayStandAlone(std::string value) {
  reader_->expected(0, 1)->default_str(value);
  text_.default_value = std::move(value);
  return *this;
}

Option& Option::ShowsDefault() {
  text_.default_value = reader_->capture_default_str()->get_default_str();
  return *this;
}

Option& Option::InGroup(std::string heading) {
  text_.group = std::move(heading);
  return *this;
}

// ------------------------------------------------------------------------------------------
// declaring

Command::Command(std::string name, std::string says)
    : program_(std::make_unique<CLI::App>("", name)),
      reader_(program_.get()),
      word_(name),
      name_(std::move(name)),
      says_(std::move(says)) {
  Keep(kHelpNames, "", kHelpHint, [&](const auto& names) { return reader_->set_help_flag(names); });
  Keep("--version", "", "print the version, and end", [&](const auto& names) {
    return reader_->set_version_flag(names, "");
  });
}

Command::Command(CLI::App& reader, const Command& parent, std::string word, std::string says)
    : reader_(&reader),
      word_(std::move(word)),
      name_(fmt::format("{} {}", parent.name_, word_)),
      says_(std::move(says)) {
  Keep(kHelpNames, "", kHelpHint, [&](const auto&) { return reader_->get_help_ptr(); });
}

Command::~Command() = default;

Command& Command::Add(std::string name, std::string says) {
  reader_->require_subcommand(1);
  CLI::App& reader = *reader_->add_subcommand(name);
  below_.push_back(
      std::unique_ptr<Command>(new Command(reader, *this, std::move(name), std::move(says))));
  return *below_.back();
}

void Command::Does(Action action) {
  action_ = std::move(action);
}

void Command::Notes(std::string notes) {
  notes_ = std::move(notes);
}

Option& Command::Keep(std::string_view synopsis,
                      const char* usual_value,
                      std::string says,
                      const std::function<CLI::Option*(const std::string& names)>& add) {
  auto [names, value] = NamesAndValue(synopsis);
  CLI::Option& reader = *add(names);
  if (!value.empty()) reader.type_name(value);
  std::erase(names, '!');
  OptionText text = {.names = CLI::detail::split(names, ','),
                     .value = value.empty() ? usual_value : std::move(value),
                     .choices = {},
                     .default_value = {},
                     .says = std::move(says),
                     .group = "Options",
                     .repeats = reader.get_items_expected_max() > 1};
  options_.push_back(std::make_unique<Option>(reader, std::move(text)));
  return *options_.back();
}

Option& Command::Flag(std::string_view synopsis, bool& target, std::string says) {
  return Keep(synopsis, "", std::move(says), [&](const auto& names) {
    return reader_->add_flag(names, target);
  });
}

Option& Command::Flag(std::string_view synopsis, std::function<void()> when_set, std::string says) {
  return Keep(synopsis, "", std::move(says), [&](const auto& names) {
    return reader_->add_flag_callback(names, std::move(when_set));
  });
}

Option& Command::Text(std::string_view synopsis, std::string& target, std::string says) {
  return Keep(synopsis, "TEXT", std::move(says), WritesTo(*reader_, target));
}

Option& Command::Text(std::string_view synopsis,
                      std::function<void(const std::string&)> take,
                      std::string says) {
  return Keep(synopsis, "TEXT", std::move(says), [&](const auto& names) {
    return reader_->add_option_function<std::string>(names, std::move(take));
  });
}

Option& Command::Texts(std::string_view synopsis,
                       std::vector<std::string>& target,
                       std::string says) {
  return Keep(synopsis, "TEXT", std::move(says), [&](const auto& names) {
    return TakeOneEachTime(reader_->add_option(names, target));
  });
}

Option& Command::Texts(std::string_view synopsis,
                       std::function<void(const std::string&)> take,
                       std::string says) {
  auto take_all = [take = std::move(take)](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) take(text);
  };
  return Keep(synopsis, "TEXT", std::move(says), [&](const auto& names) {
    CLI::Option* const reader =
        reader_->add_option_function<std::vector<std::string>>(names, std::move(take_all));
    return TakeOneEachTime(reader->trigger_on_parse());  // called at once, with this text only
  });
}

Option& Command::List(std::string_view synopsis,
                      std::vector<std::string>& target,
                      std::string says) {
  empty_lists_.push_back(fmt::format("{}=", synopsis.substr(0, synopsis.find(' '))));
  return Keep(synopsis, "TEXT", std::move(says), [&](const auto& names) {
    return reader_->add_option(names, target)->delimiter(',');
  });
}

Option& Command::Number(std::string_view synopsis, int& target, std::string says) {
  return Keep(synopsis, "NUMBER", std::move(says), WritesTo(*reader_, target));
}

Option& Command::Number(std::string_view synopsis, int64_t& target, std::string says) {
  return Keep(synopsis, "NUMBER", std::move(says), WritesTo(*reader_, target));
}

Option& Command::Number(std::string_view synopsis, uint16_t& target, std::string says) {
  return Keep(synopsis, "NUMBER", std::move(says), WritesTo(*reader_, target));
}

Option& Command::Number(std::string_view synopsis, uint32_t& target, std::string says) {
  return Keep(synopsis, "NUMBER", std::move(says), WritesTo(*reader_, target));
}

Option& Command::Number(std::string_view synopsis, uint64_t& target, std::string says) {
  return Keep(synopsis, "NUMBER", std::move(says), WritesTo(*reader_, target));
}

Option& Command::Number(std::string_view synopsis,
                        std::optional<uint64_t>& target,
                        std::string says) {
  return Keep(synopsis, "NUMBER", std::move(says), WritesTo(*reader_, target));
}

Option& Command::Number(std::string_view synopsis,
                        std::function<void(int64_t)> take,
                        std::string says) {
  return Keep(synopsis, "NUMBER", std::move(says), [&](const auto& names) {
    return reader_->add_option_function<int64_t>(names, std::move(take));
  });
}

void Command::Group(const std::string& heading, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto option = std::ranges::find_if(options_, [&](const auto& one) {
      return std::ranges::find(one->text().names, name) != one->text().names.end();
    });
    DRAY_CHECK(option != options_.end());
    (*option)->InGroup(heading);
  }
}

// ------------------------------------------------------------------------------------------
// reading

const Command& Command::Reached() const {
  const auto below =
      std::ranges::find_if(below_, [](const auto& command) { return command->reader_->parsed(); });
  return below == below_.end() ? *this : (*below)->Reached();
}

bool Command::IsEmptyList(std::string_view word) const {
  return std::ranges::find(empty_lists_, word) != empty_lists_.end() ||
         std::ranges::any_of(below_, [&](const auto& one) { return one->IsEmptyList(word); });
}

Asked Command::Read(std::span<const std::string> words) {
  Asked asked;
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  // CLI11 would take the next word for the list.
  std::erase_if(reversed, [this](const std::string& word) { return IsEmptyList(word); });
  try {
    reader_->parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    asked.what = Asked::What::kHelp;
  } catch (const CLI::CallForVersion&) {
    asked.what = Asked::What::kVersion;
  } catch (const CLI::ParseError& error) {
    asked.what = Asked::What::kMistake;
    asked.why = error.what();
    asked.unknown = reader_->remaining(true);
  }
  asked.command = &Reached();
  return asked;
}

int Command::Run(World& world, const Output& output) const {
  DRAY_CHECK(action_ != nullptr);
  const Result<int> code = action_(world, output);
  if (code) return *code;
  cli::Print(output.notes, "{}: {}\n", name_, code.error().message);
  return kExitUsage;
}

// ------------------------------------------------------------------------------------------
// introspection

CommandText Command::Describe() const {
  CommandText text{
      .name = name_, .says = says_, .more = notes_, .operands = {}, .options = {}, .commands = {}};
  std::vector<std::string_view> groups;
  for (const auto& option : options_) {
    const std::string& group = option->text().group;
    if (std::ranges::find(groups, group) == groups.end()) groups.push_back(group);
  }
  for (const std::string_view group : groups) {
    for (const auto& option : options_) {
      if (option->text().group != group) continue;
      auto& list = option->text().is_operand() ? text.operands : text.options;
      list.push_back(option->text());
    }
  }
  for (const auto& command : below_) {
    text.commands.push_back({.name = command->word_, .says = command->says_});
  }
  return text;
}

const Command* Command::Below(std::string_view name) const {
  const auto found =
      std::ranges::find_if(below_, [&](const auto& command) { return command->word_ == name; });
  return found == below_.end() ? nullptr : found->get();
}

}  // namespace dray::cli::inline command_line
