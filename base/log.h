// SPDX-License-Identifier: Apache-2.0
// Structured logging as Kubernetes does it: a constant message in lower case, then keys and values.
//
//   log.Info("claim allocated", "claim", key, "node", node, "devices", count);
//
// An odd number of keys and values does not compile. The logger is passed along, never fetched from
// a global. Error: an operator must act. Warning: may want to. Info: something changed for a user.
// Debug: for developers, off unless asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "base/world.h"

namespace dray {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError };
enum class LogFormat : uint8_t { kText, kJson };

class Log {
 public:
  /// Receives whole lines, ending in a newline. Must be safe from any thread.
  using Sink = std::function<void(std::string_view line)>;

  struct Options {
    LogLevel least = LogLevel::kInfo;
    LogFormat format = LogFormat::kText;
  };

  Log(const Clock& clock, Sink sink, Options options);

  /// The logger of a program: standard error.
  static Log ToStderr(const Clock& clock, Options options);
  /// Drops everything: for tests.
  static Log Silent();

  template <class... KeysAndValues>
  void Debug(std::string_view message, const KeysAndValues&... pairs) const {
    Write(LogLevel::kDebug, message, pairs...);
  }
  template <class... KeysAndValues>
  void Info(std::string_view message, const KeysAndValues&... pairs) const {
    Write(LogLevel::kInfo, message, pairs...);
  }
  template <class... KeysAndValues>
  void Warning(std::string_view message, const KeysAndValues&... pairs) const {
    Write(LogLevel::kWarning, message, pairs...);
  }
  template <class... KeysAndValues>
  void Error(std::string_view message, const KeysAndValues&... pairs) const {
    Write(LogLevel::kError, message, pairs...);
  }

  bool enabled(LogLevel level) const { return sink_ && level >= options_.least; }

 private:
  Log() = default;

  template <class... KeysAndValues>
  void Write(LogLevel level, std::string_view message, const KeysAndValues&... pairs) const {
    static_assert(sizeof...(pairs) % 2 == 0, "keys and values come in pairs");
    if (!enabled(level)) return;
    std::string line = Begin(level, message);
    AppendPairs(line, pairs...);
    End(std::move(line));
  }

  void AppendPairs(std::string&) const {}
  template <class Value, class... Rest>
  void AppendPairs(std::string& line,
                   std::string_view key,
                   const Value& value,
                   const Rest&... rest) const {
    if constexpr (std::is_arithmetic_v<Value>) {
      AppendPair(line, key, fmt::format("{}", value), Quoting::kBare);
    } else {
      AppendPair(line, key, fmt::format("{}", value), Quoting::kQuoted);
    }
    AppendPairs(line, rest...);
  }

  enum class Quoting : uint8_t { kBare, kQuoted };
  std::string Begin(LogLevel level, std::string_view message) const;
  void AppendPair(std::string& line,
                  std::string_view key,
                  std::string_view value,
                  Quoting quoting) const;
  void End(std::string line) const;

  const Clock* clock_ = nullptr;
  Sink sink_;
  Options options_;
};

}  // namespace dray
