// SPDX-License-Identifier: Apache-2.0
// The description of a command, as a value. Help, man pages, completion and messages about mistyped
// words are made from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/release.h"

namespace dray::cli::inline command_line {

/// An option, or an operand.
struct OptionText {
  std::vector<std::string> names;    // "-o", "--output"; for an operand its placeholder
  std::string value;                 // the placeholder "FILE"; empty: no value
  std::vector<std::string> choices;  // all valid values; empty: anything
  std::string default_value;         // empty: none is shown
  std::string says;
  std::string group;  // "Options", or a subject
  bool is_required = false;
  bool repeats = false;

  bool is_operand() const { return !names.front().starts_with('-'); }
};

struct CommandText {
  struct Part {
    std::string name, says;
  };
  std::string name;  // "dray store backup"
  std::string says;  // in one line
  std::string more;  // paragraphs, a line each; lines that begin with two blanks are examples
  std::vector<OptionText> operands;
  std::vector<OptionText> options;  // those of a group are adjacent
  std::vector<Part> commands;       // subcommands
};

/// The names of releases from `first` on: "1.31".
std::vector<std::string> ReleaseNames(api::Release first);

/// Wraps `text` between words to at most `width` columns. The first line starts at column `indent`;
/// the others are indented by `indent` blanks. A longer word gets a line of its own.
std::string Wrapped(std::string_view text, size_t indent, size_t width);

}  // namespace dray::cli::inline command_line
