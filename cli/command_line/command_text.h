// SPDX-License-Identifier: Apache-2.0
// What people read of a command, as a value: help, man pages, completion and the answers to
// mistyped words are all made from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/release.h"

namespace dray::cli::inline command_line {

/// An option, or an operand.
struct OptionText {
  std::vector<std::string> names;    // "-o", "--output"; of an operand one: what stands for it
  std::string value;                 // what follows: "FILE"; empty: nothing does
  std::vector<std::string> choices;  // all that may follow; empty: anything
  std::string default_value;         // empty: none that is told
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
  std::vector<OptionText> options;  // those of a group stand together
  std::vector<Part> commands;       // below it
};

/// Of releases from `first` on: "1.31".
std::vector<std::string> ReleaseNames(api::Release first);

/// `text` with lines of at most `width` columns, broken between words, all but the first indented
/// by `indent` blanks; the first begins at column `indent`. A word that is longer stands alone.
std::string Wrapped(std::string_view text, size_t indent, size_t width);

}  // namespace dray::cli::inline command_line
