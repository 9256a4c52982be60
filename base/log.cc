// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/text/json_text.h"
#include "base/text/printable.h"

namespace dray {
namespace {

/// Appends a JSON string in which characters that a terminal would hide are escaped.
void AppendQuoted(std::string& out, std::string_view text) {
  const size_t begin = out.size();
  AppendJsonString(text, JsonEscapes::kNeeded, out);
  const std::string_view quoted = std::string_view(out).substr(begin);
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F; };
  if (std::ranges::all_of(quoted, is_plain)) return;
  const std::string shown = Printable(quoted, HiddenAs::kJson);
  out.replace(begin, std::string::npos, shown);
}

char Letter(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return 'D';
    case LogLevel::kInfo: return 'I';
    case LogLevel::kWarning: return 'W';
    case LogLevel::kError: return 'E';
  }
  return '?';
}

/// Everything in a line before the message.
std::string LineStart(WallTime now, bool is_json, LogLevel level) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now - seconds).count();
  const std::time_t unix_seconds = seconds.time_since_epoch().count();
  if (is_json) {
    return fmt::format(R"({{"ts":"{:%FT%T}.{:06}Z","level":"{}","msg":)",
                       fmt::gmtime(unix_seconds),
                       micros,
                       Letter(level));
  }
  return fmt::format("{}{:%m%d %T}.{:06} ", Letter(level), fmt::gmtime(unix_seconds), micros);
}

}  // namespace

Log::Log(const Clock& clock, Sink sink, Options options)
    : clock_(&clock), sink_(std::move(sink)), options_(options) {}

Log Log::ToStderr(const Clock& clock, Options options) {
  return {clock,
          [](std::string_view line) { std::fwrite(line.data(), 1, line.size(), stderr); },
          options};
}

Log Log::Silent() {
  return {};
}

void Log::WriteLine(LogLevel level,
                    std::string_view message,
                    std::initializer_list<LogWord> pairs) const {
  const bool is_json = options_.format == LogFormat::kJson;
  std::string line = LineStart(clock_->Now(), is_json, level);
  AppendQuoted(line, message);
  bool is_key = true;
  for (const LogWord& word : pairs) {
    if (is_key) line += is_json ? ',' : ' ';
    std::visit(
        [&](const auto value) {
          if constexpr (!std::is_same_v<decltype(value), const std::string_view>) {
            fmt::format_to(std::back_inserter(line), "{}", value);
          } else if (is_key && !is_json) {
            line += value;
          } else {
            AppendQuoted(line, value);
          }
        },
        word.value_);
    if (is_key) line += is_json ? ':' : '=';
    is_key = !is_key;
  }
  line += is_json ? "}\n" : "\n";
  sink_(line);
}

}  // namespace dray
