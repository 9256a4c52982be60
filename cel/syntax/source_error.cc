// SPDX-License-Identifier: Apache-2.0
#include "cel/syntax/source_error.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cel/syntax/limits.h"
#include "cel/syntax/utf8.h"

namespace dray::cel::syntax {
namespace {

struct Place {
  size_t line = 1;
  size_t line_start = 0;
};

Place Locate(std::string_view text, size_t offset) {
  Place place;
  for (size_t i = 0; i < std::min(offset, text.size()); ++i) {
    if (text[i] == '\n') {
      ++place.line;
      place.line_start = i + 1;
    }
  }
  return place;
}

// Multi-byte characters get full-width marks, so that the caret stays below its character.
std::string CaretLine(std::string_view line, size_t offset) {
  std::string mark;
  size_t at = 0;
  while (at < offset && at < line.size()) {
    const size_t width = DecodeUtf8(line, at).width;
    mark += width > 1 ? "\uff0e" : ".";
    at += width;
  }
  const bool wide = at < line.size() && DecodeUtf8(line, at).width > 1;
  return mark + (wide ? "\uff3e" : "^");
}

std::string FormatError(std::string_view text, const SourceError& error) {
  if (error.offset == SourceError::kNowhere) {
    return fmt::format("ERROR: <input>:-1:0: {}", error.message);
  }
  const Place place = Locate(text, error.offset);
  const size_t line_end = std::min(text.find('\n', place.line_start), text.size());
  const std::string_view line = text.substr(place.line_start, line_end - place.line_start);
  const size_t in_line = std::min<size_t>(error.offset - place.line_start, line.size());
  std::string out = fmt::format("ERROR: <input>:{}:{}: {}",
                                place.line,
                                CountCodePoints(line.substr(0, in_line)) + 1,
                                error.message);
  if (line.size() <= kSnippetBytesMax) {
    std::string shown(line);
    std::ranges::replace(shown, '\t', ' ');
    out += fmt::format("\n | {}\n | {}", shown, CaretLine(line, in_line));
  }
  return out;
}

}  // namespace

std::string FormatErrors(std::string_view expression, std::span<const SourceError> errors) {
  std::vector<const SourceError*> sorted;
  for (const SourceError& error : errors) sorted.push_back(&error);
  // Unsigned wrap puts kNowhere first, where upstream's -1:0 sorts.
  std::ranges::sort(sorted, {}, [](const SourceError* error) {
    return std::pair(error->offset + 1, error);  // then as reported
  });
  std::string out;
  for (size_t i = 0; i < std::min(sorted.size(), kErrorsShownMax); ++i) {
    if (i > 0) out += '\n';
    out += FormatError(expression, *sorted[i]);
  }
  if (sorted.size() > kErrorsShownMax) {
    out += fmt::format("\n{} more errors were truncated", sorted.size() - kErrorsShownMax);
  }
  return out;
}

}  // namespace dray::cel::syntax
