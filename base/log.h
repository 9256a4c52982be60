// SPDX-License-Identifier: Apache-2.0
// Structured logging as Kubernetes does it: a constant message in lower case, then keys and values.
//
//   log.Info("claim allocated", "claim", key, "node", node, "devices", count);
//
// An odd number of keys and values does not compile. The logger is passed as an argument; there is
// no global one. Error: an operator must act. Warning: an operator may want to act. Info: something
// changed for a user. Debug: for developers, off by default.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <variant>

#include "base/world.h"

namespace dray {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError };
enum class LogFormat : uint8_t { kText, kJson };

/// A key or a value of a log line: a text, which is not copied, a number, or a Boolean. The caller
/// converts other types to text.
class LogWord {
 public:
  // NOLINTBEGIN(google-explicit-constructor): words are written as they are in calls of Log
  template <std::convertible_to<std::string_view> Text>
  LogWord(const Text& text) : value_(std::string_view(text)) {}
  template <std::integral Number>
  LogWord(Number number) : value_(static_cast<int64_t>(number)) {}
  LogWord(uint64_t number) : value_(number) {}
  LogWord(bool truth) : value_(truth) {}
  LogWord(double number) : value_(number) {}
  // NOLINTEND(google-explicit-constructor)

 private:
  friend class Log;
  std::variant<std::string_view, int64_t, uint64_t, bool, double> value_;
};

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
  /// Drops all lines; for tests.
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
    WriteLine(level, message, {LogWord(pairs)...});
  }
  void WriteLine(LogLevel level,
                 std::string_view message,
                 std::initializer_list<LogWord> pairs) const;

  const Clock* clock_ = nullptr;
  Sink sink_;
  Options options_;
};

}  // namespace dray
