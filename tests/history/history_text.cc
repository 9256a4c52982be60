// SPDX-License-Identifier: Apache-2.0
#include "tests/history/history_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "base/strong.h"
#include "tests/history/history.h"

namespace dray::history {
namespace {

constexpr std::string_view kFirstLine = "dray-history 1";

// Writing.

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const bool is_plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    if (is_plain) {
      quoted += c;
    } else {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return quoted + "\"";
}

std::string TextOf(const Item& item) {
  return fmt::format("{} {} {} {} {}",
                     Quoted(item.key),
                     Quoted(item.value),
                     item.created.value(),
                     item.modified.value(),
                     item.version);
}

std::string FreshnessText(Freshness freshness, Revision at) {
  switch (freshness) {
    case Freshness::kLinearizable: return " linearizable";
    case Freshness::kLocal: return " local";
    case Freshness::kExact: return fmt::format(" exact {}", at.value());
  }
  return "";
}

std::string TextOf(const Get& get) {
  return "get " + Quoted(get.key) + FreshnessText(get.freshness, get.at);
}

std::string TextOf(const List& list) {
  std::string text = "list " + Quoted(list.prefix) + FreshnessText(list.freshness, list.at);
  if (!list.start_key.empty()) text += " from " + Quoted(list.start_key);
  if (list.limit > 0) text += fmt::format(" limit {}", list.limit);
  return text;
}

std::string TextOf(const Write& write) {
  std::string text = "write";
  for (const Condition& condition : write.conditions) {
    text += fmt::format(" if {} {}", Quoted(condition.key), condition.modified.value());
  }
  for (const Change& change : write.changes) {
    if (!change.value.has_value()) {
      text += " delete " + Quoted(change.key);
      continue;
    }
    text += change.may_expire ? " expiring " : " put ";
    text += Quoted(change.key) + " " + Quoted(*change.value);
  }
  return text;
}

std::string TextOf(const Unknown& unknown, Moment name) {
  return fmt::format("unknown {} {}", name, Quoted(unknown.reason));
}

std::string TextOf(const Failed& failed, Moment name) {
  return fmt::format("failed {} {}", name, Quoted(failed.reason));
}

std::string TextOf(const Seen& seen, Moment name) {
  std::string text = fmt::format("seen {} at {}", name, seen.revision.value());
  for (const Item& item : seen.items) text += " item " + TextOf(item);
  if (seen.count.has_value()) text += fmt::format(" count {}", *seen.count);
  return text;
}

std::string TextOf(const Done& done, Moment name) {
  std::string text = fmt::format("done {} at {}", name, done.revision.value());
  for (const std::optional<Item>& item : done.items) {
    text += item.has_value() ? " item " + TextOf(*item) : " none";
  }
  return text;
}

std::string TextOf(const Refused& refused, Moment name) {
  std::string text = fmt::format("refused {} at {}", name, refused.revision.value());
  for (const Refused::Mismatch& mismatch : refused.mismatches) {
    text += mismatch.current.has_value() ? " item " + TextOf(*mismatch.current)
                                         : " absent " + Quoted(mismatch.key);
  }
  return text;
}

std::string_view Word(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::kCreated: return "created";
    case Event::Kind::kUpdated: return "updated";
    case Event::Kind::kDeleted: return "deleted";
  }
  return "";
}

// Reading.

/// The words of one line, read one after the other. After the first error all are empty.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  bool at_end() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    return rest_.empty();
  }
  const std::string& mistake() const { return mistake_; }
  void Fault(std::string mistake) {
    if (mistake_.empty()) mistake_ = std::move(mistake);
    rest_ = {};
  }

  std::string_view Word() {
    if (at_end()) return "";
    const size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
  }

  void Expect(std::string_view word) {
    if (const std::string_view found = Word(); found != word)
      Fault(fmt::format(R"("{}" where "{}" should stand)", found, word));
  }

  template <class Number>
  Number Take() {
    const std::string_view word = Word();
    Number number{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size() || word.empty())
      Fault(fmt::format("\"{}\" is no number", word));
    return number;
  }
  Revision TakeRevision() { return Revision{Take<int64_t>()}; }

  std::string String() {
    std::string text;
    if (at_end() || rest_.front() != '"') {
      Fault("a quoted string is missing");
      return text;
    }
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_.front() != '"') TakeByte(text);
    if (rest_.empty()) Fault("a string does not end");
    if (!rest_.empty()) rest_.remove_prefix(1);
    return text;
  }

  Item TakeItem() {
    Item item;
    item.key = String();
    item.value = String();
    item.created = TakeRevision();
    item.modified = TakeRevision();
    item.version = Take<int64_t>();
    return item;
  }

 private:
  void TakeByte(std::string& text) {
    if (rest_.front() != '\\') {
      text += rest_.front();
      rest_.remove_prefix(1);
      return;
    }
    unsigned byte = 0;
    const char* digits = rest_.data() + 2;
    if (rest_.size() < 4 || rest_[1] != 'x' ||
        std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) {
      return Fault("a backslash without xHH");
    }
    text += static_cast<char>(byte);
    rest_.remove_prefix(4);
  }

  std::string_view rest_;
  std::string mistake_;
};

class Reader {
 public:
  Result<History> Read(std::string_view text) {
    size_t number = 0;
    while (!text.empty()) {
      const size_t end = text.find('\n');
      if (end == std::string_view::npos) break;  // cut off
      Words words(text.substr(0, end));
      text.remove_prefix(end + 1);
      if (++number == 1) {
        First(words);
      } else {
        Line(words);
      }
      if (words.mistake().empty() && !words.at_end()) words.Fault("more than expected");
      if (!words.mistake().empty()) {
        return Fail(StatusReason::kBadRequest,
                    fmt::format("history: line {}: {}", number, words.mistake()));
      }
    }
    if (number == 0) return Fail(StatusReason::kBadRequest, "history: line 1: it is empty");
    return std::move(history_);
  }

 private:
  static void First(Words& words) {
    words.Expect("dray-history");
    if (const int version = words.Take<int>(); version != 1 && words.mistake().empty())
      words.Fault(fmt::format("version {} is not known, only 1", version));
  }

  void Line(Words& words) {
    if (words.at_end()) return;
    const std::string_view first = words.Word();
    if (first == "first") {
      history_.first = words.TakeRevision();
    } else if (first == "held") {
      history_.held.push_back(words.TakeItem());
    } else {
      Words moment(first);
      const auto at = moment.Take<Moment>();
      if (!moment.mistake().empty()) return words.Fault(moment.mistake());
      Happening(at, words);
    }
  }

  void Happening(Moment at, Words& words) {
    const std::string_view verb = words.Word();
    if (verb == "call") return Call(at, words);
    if (verb == "watch") return Open(at, words);
    const auto name = words.Take<Moment>();
    if (verb == "events" || verb == "error") {
      const auto watch = watches_.find(name);
      if (watch == watches_.end()) return words.Fault(fmt::format("no watch {}", name));
      Response response{.received = at, .events = {}, .through = Revision{}, .error = {}};
      if (verb == "error") {
        response.error = words.String();
      } else {
        Events(words, response);
      }
      history_.watches[watch->second].responses.push_back(std::move(response));
      return;
    }
    const auto call = calls_.find(name);
    if (call == calls_.end()) return words.Fault(fmt::format("no call {}", name));
    Operation& operation = history_.operations[call->second];
    operation.returned = at;
    Answered(verb, words, operation.answer);
  }

  static Freshness TakeFreshness(Words& words, Revision& at) {
    const std::string_view word = words.Word();
    if (word == "local") return Freshness::kLocal;
    if (word == "exact") {
      at = words.TakeRevision();
      return Freshness::kExact;
    }
    if (word != "linearizable") words.Fault(fmt::format("freshness \"{}\"", word));
    return Freshness::kLinearizable;
  }

  void Call(Moment at, Words& words) {
    Operation operation{.called = at, .request = {}, .answer = Unknown{.reason = "no answer"}};
    operation.client = words.Take<uint32_t>();
    operation.server = words.Take<uint32_t>();
    const std::string_view verb = words.Word();
    if (verb == "get") {
      Get get{.key = words.String()};
      get.freshness = TakeFreshness(words, get.at);
      operation.request = std::move(get);
    } else if (verb == "list") {
      operation.request = TakeList(words);
    } else if (verb == "write") {
      operation.request = TakeWrite(words);
    } else {
      return words.Fault(fmt::format("request \"{}\"", verb));
    }
    if (!calls_.emplace(at, history_.operations.size()).second)
      return words.Fault(fmt::format("moment {} twice", at));
    history_.operations.push_back(std::move(operation));
  }

  static List TakeList(Words& words) {
    List list{.prefix = words.String(), .start_key = {}};
    list.freshness = TakeFreshness(words, list.at);
    while (!words.at_end()) {
      const std::string_view word = words.Word();
      if (word == "from") {
        list.start_key = words.String();
      } else if (word == "limit") {
        list.limit = words.Take<uint64_t>();
      } else {
        words.Fault(fmt::format("\"{}\" in a list", word));
      }
    }
    return list;
  }

  static Write TakeWrite(Words& words) {
    Write write;
    while (!words.at_end()) {
      const std::string_view word = words.Word();
      if (word == "if") {
        Condition condition{.key = words.String()};
        condition.modified = words.TakeRevision();
        write.conditions.push_back(std::move(condition));
      } else if (word == "delete") {
        write.changes.push_back({.key = words.String(), .value = std::nullopt});
      } else if (word == "put" || word == "expiring") {
        Change change{.key = words.String(), .value = {}, .may_expire = word == "expiring"};
        change.value = words.String();
        write.changes.push_back(std::move(change));
      } else {
        words.Fault(fmt::format("\"{}\" in a write", word));
      }
    }
    return write;
  }

  static void Answered(std::string_view verb, Words& words, Answer& answer) {
    if (verb == "unknown") {
      answer = Unknown{.reason = words.String()};
    } else if (verb == "failed") {
      answer = Failed{.reason = words.String()};
    } else if (verb == "seen") {
      answer = TakeSeen(words);
    } else if (verb == "done") {
      answer = TakeDone(words);
    } else if (verb == "refused") {
      answer = TakeRefused(words);
    } else {
      words.Fault(fmt::format("\"{}\" is nothing that happens", verb));
    }
  }

  static Revision TakeAt(Words& words) {
    words.Expect("at");
    return words.TakeRevision();
  }

  static Seen TakeSeen(Words& words) {
    Seen seen{.revision = TakeAt(words), .items = {}, .count = {}};
    while (!words.at_end()) {
      const std::string_view word = words.Word();
      if (word == "item") {
        seen.items.push_back(words.TakeItem());
      } else if (word == "count") {
        seen.count = words.Take<uint64_t>();
      } else {
        words.Fault(fmt::format("\"{}\" among what was seen", word));
      }
    }
    return seen;
  }

  static Done TakeDone(Words& words) {
    Done done{.revision = TakeAt(words), .items = {}};
    while (!words.at_end()) {
      const std::string_view word = words.Word();
      if (word == "none") {
        done.items.emplace_back();
      } else if (word == "item") {
        done.items.emplace_back(words.TakeItem());
      } else {
        words.Fault(fmt::format("\"{}\" among what was done", word));
      }
    }
    return done;
  }

  static Refused TakeRefused(Words& words) {
    Refused refused{.revision = TakeAt(words), .mismatches = {}};
    while (!words.at_end()) {
      const std::string_view word = words.Word();
      if (word == "absent") {
        refused.mismatches.push_back({.key = words.String(), .current = std::nullopt});
      } else if (word == "item") {
        Item item = words.TakeItem();
        refused.mismatches.push_back({.key = item.key, .current = item});
      } else {
        words.Fault(fmt::format("\"{}\" among the mismatches", word));
      }
    }
    return refused;
  }

  void Open(Moment at, Words& words) {
    Watch watch{.opened = at, .prefix = {}, .responses = {}};
    watch.client = words.Take<uint32_t>();
    watch.server = words.Take<uint32_t>();
    watch.prefix = words.String();
    words.Expect("after");
    watch.after = words.TakeRevision();
    if (!words.at_end()) {
      words.Expect("previous");
      watch.shows_previous = true;
    }
    if (!watches_.emplace(at, history_.watches.size()).second)
      return words.Fault(fmt::format("moment {} twice", at));
    history_.watches.push_back(std::move(watch));
  }

  static void Events(Words& words, Response& response) {
    while (!words.at_end()) {
      const std::string_view word = words.Word();
      if (word == "through") {
        response.through = words.TakeRevision();
      } else if (word == "was" && !response.events.empty()) {
        response.events.back().previous = words.TakeItem();
      } else if (word == "created" || word == "updated" || word == "deleted") {
        const Event::Kind kind = word == "created"   ? Event::Kind::kCreated
                                 : word == "updated" ? Event::Kind::kUpdated
                                                     : Event::Kind::kDeleted;
        response.events.push_back({.kind = kind, .item = words.TakeItem(), .previous = {}});
      } else {
        words.Fault(fmt::format("\"{}\" among events", word));
      }
    }
  }

  History history_;
  std::map<Moment, size_t> calls_;
  std::map<Moment, size_t> watches_;
};

}  // namespace

std::string HeadText(const History& history) {
  std::string text = fmt::format("{}\nfirst {}\n", kFirstLine, history.first.value());
  for (const Item& item : history.held) text += "held " + TextOf(item) + "\n";
  return text;
}

std::string CallText(const Operation& operation) {
  return fmt::format(
      "{} call {} {} {}\n",
      operation.called,
      operation.client,
      operation.server,
      std::visit([](const auto& request) { return TextOf(request); }, operation.request));
}

std::string AnswerText(const Operation& operation) {
  return fmt::format(
      "{} {}\n",
      operation.returned,
      std::visit([&](const auto& answer) { return TextOf(answer, operation.called); },
                 operation.answer));
}

std::string WatchText(const Watch& watch) {
  return fmt::format("{} watch {} {} {} after {}{}\n",
                     watch.opened,
                     watch.client,
                     watch.server,
                     Quoted(watch.prefix),
                     watch.after.value(),
                     watch.shows_previous ? " previous" : "");
}

std::string ResponseText(const Watch& watch, const Response& response) {
  if (!response.error.empty()) {
    return fmt::format("{} error {} {}\n", response.received, watch.opened, Quoted(response.error));
  }
  std::string text = fmt::format("{} events {}", response.received, watch.opened);
  for (const Event& event : response.events) {
    text += fmt::format(" {} {}", Word(event.kind), TextOf(event.item));
    if (event.previous.has_value()) text += " was " + TextOf(*event.previous);
  }
  if (response.through.value() != 0) text += fmt::format(" through {}", response.through.value());
  return text + "\n";
}

std::string ToText(const History& history) {
  std::vector<std::pair<Moment, std::string>> lines;
  for (const Operation& operation : history.operations) {
    lines.emplace_back(operation.called, CallText(operation));
    if (operation.returned != 0) lines.emplace_back(operation.returned, AnswerText(operation));
  }
  for (const Watch& watch : history.watches) {
    lines.emplace_back(watch.opened, WatchText(watch));
    for (const Response& response : watch.responses)
      lines.emplace_back(response.received, ResponseText(watch, response));
  }
  std::ranges::sort(lines, {}, [](const auto& line) { return line.first; });
  std::string text = HeadText(history);
  for (const auto& [at, line] : lines) text += line;
  return text;
}

Result<History> ParseHistory(std::string_view text) {
  return Reader().Read(text);
}

}  // namespace dray::history
