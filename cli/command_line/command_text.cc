// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line/command_text.h"

#include <algorithm>
#include <cstddef>

#include "api/feature_gates.h"
#include "cel/syntax/utf8.h"

namespace dray::cli::inline command_line {

std::vector<std::string> ReleaseNames(api::Release first) {
  std::vector<std::string> names;
  for (const api::Release release : api::KnownReleases()) {
    if (release >= first) names.push_back(api::ReleaseName(release));
  }
  return names;
}

std::string Wrapped(std::string_view text, size_t indent, size_t width) {
  std::string wrapped;
  size_t column = indent;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const size_t columns = cel::syntax::CountCodePoints(word);
    // At the start of a line, CI systems would take such a word for a command of theirs.
    const bool is_command = word.starts_with("::") || word.starts_with("##[");
    if (column > indent && column + 1 + columns > width && !is_command) {
      wrapped += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      wrapped += ' ';
      ++column;
    }
    wrapped += word;
    column += columns;
    at = end + 1;
  }
  return wrapped;
}

}  // namespace dray::cli::inline command_line
