// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/chrono.h>

namespace dray {
namespace {

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
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

std::string Log::Begin(LogLevel level, std::string_view message) const {
  const WallTime now = clock_->Now();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now - seconds).count();
  const std::time_t unix_seconds = seconds.time_since_epoch().count();
  std::string line;
  if (options_.format == LogFormat::kJson) {
    line = fmt::format(R"({{"ts":"{:%FT%T}.{:06}Z","level":"{}","msg":)",
                       fmt::gmtime(unix_seconds),
                       micros,
                       Letter(level));
  } else {
    line = fmt::format("{}{:%m%d %T}.{:06} ", Letter(level), fmt::gmtime(unix_seconds), micros);
  }
  AppendQuoted(line, message);
  return line;
}

void Log::AppendPair(std::string& line,
                     std::string_view key,
                     std::string_view value,
                     Quoting quoting) const {
  if (options_.format == LogFormat::kJson) {
    line += ',';
    AppendQuoted(line, key);
    line += ':';
  } else {
    line += ' ';
    line += key;
    line += '=';
  }
  if (quoting == Quoting::kBare) {
    line += value;
  } else {
    AppendQuoted(line, value);
  }
}

void Log::End(std::string line) const {
  line += options_.format == LogFormat::kJson ? "}\n" : "\n";
  sink_(line);
}

}  // namespace dray
