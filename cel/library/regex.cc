// SPDX-License-Identifier: Apache-2.0
#include "cel/library/regex.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/text/cut.h"
#include "base/try.h"
#include "cel/library/builtin.h"
#include "cel/library/tables.h"
#include "cel/syntax/utf8.h"
#include "cel/value/make.h"

namespace dray::cel::library {
namespace {

using Arguments = std::span<const Value>;

// Memory for one compiled pattern and its automaton; RE2 falls back to a slower one when it is used
// up. Few patterns need more than the usual.
constexpr size_t kRegexBytesUsual = size_t{512} << 10;
constexpr size_t kRegexBytesMax = size_t{8} << 20;
// As RE2 divides it: two thirds for a program, which is compiled in a quarter of that.
constexpr size_t kBytesPerInstruction = 96;
// What a pattern takes besides its instructions, counted as such.
constexpr size_t kInstructionsPerPattern = 16;
constexpr size_t kShownBytesMax = 100;  // of a pattern in a message

re2::StringPiece Piece(std::string_view text) {
  return {text.data(), text.size()};
}

struct Wording {
  std::string_view re2;
  std::string_view go;
};
constexpr auto kWordings = std::to_array<Wording>({
    {"missing ]", "missing closing ]"},
    {"missing )", "missing closing )"},
    {"no argument for repetition operator", "missing argument to repetition operator"},
    {"bad repetition operator", "invalid nested repetition operator"},
    {"invalid repetition size", "invalid repeat count"},
    {"invalid perl operator", "invalid or unsupported Perl syntax"},
    {"invalid named capture group", "invalid named capture"},
    {"trailing \\", "trailing backslash at end of expression"},
});

// RE2 says "missing ]: [", Go "missing closing ]: `[`".
std::string InGoWords(std::string_view message, std::string_view culprit) {
  for (const Wording& wording : kWordings) {
    if (!message.starts_with(wording.re2)) continue;
    return fmt::format("{}: `{}`", wording.go, culprit);
  }
  if (!culprit.empty() && message.ends_with(culprit)) {
    message.remove_suffix(culprit.size());
    return fmt::format("{}`{}`", message, culprit);
  }
  return std::string(message);
}

Failure RefusePattern(std::string message) {
  return Fail(StatusReason::kInvalid, "error parsing regexp: " + std::move(message));
}

std::shared_ptr<const RE2> WithMemory(const std::string& pattern, size_t bytes_max) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(static_cast<int64_t>(bytes_max));
  return std::make_shared<const RE2>(pattern, options);
}

// A name of letters, digits and underscores; digits may come first.
bool IsGroupName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Copies a pattern and rewrites what RE2 reads differently from Go: (?<name> becomes (?P<name>, and
// \C is refused.
class PatternCopy {
 public:
  explicit PatternCopy(std::string_view pattern) : pattern_(pattern), rest_(pattern) {}

  Result<std::string> Run() {
    while (!rest_.empty()) {
      if (rest_.starts_with("\\Q")) {
        const size_t end = rest_.find("\\E");
        Take(end == std::string_view::npos ? rest_.size() : end);
      } else if (rest_.starts_with('\\')) {
        if (rest_.starts_with("\\C")) return RefusePattern("invalid escape sequence: `\\C`");
        Take(2);
      } else if (rest_.starts_with('[')) {
        DRAY_TRY_VOID(TakeClass());
      } else if (rest_.starts_with("(?<")) {
        DRAY_TRY_VOID(TakeName());
      } else {
        CountGroups();
        Take(1);
      }
    }
    if (height_max_ > kPatternGroupsMax) {
      return RefusePattern(fmt::format("expression nests too deeply: `{}`", pattern_));
    }
    return std::move(out_);
  }

 private:
  void Take(size_t count) {
    out_ += rest_.substr(0, count);
    rest_.remove_prefix(std::min(count, rest_.size()));
  }

  // Groups that capture are what makes trees high.
  void CountGroups() {
    if (rest_.starts_with('(')) {
      OpenGroup(!rest_.starts_with("(?") || rest_.starts_with("(?P<"));
    } else if (rest_.starts_with(')') && !groups_.empty()) {
      if (groups_.back()) --height_;
      groups_.pop_back();
    }
  }
  void OpenGroup(bool captures) {
    groups_.push_back(captures);
    if (captures) height_max_ = std::max(height_max_, ++height_);
  }

  // "[…]": a bracket that comes first is one of the characters.
  Result<> TakeClass() {
    Take(rest_.starts_with("[^") ? 2 : 1);
    if (rest_.starts_with(']')) Take(1);
    while (!rest_.empty() && !rest_.starts_with(']')) {
      if (rest_.starts_with("\\C")) return RefusePattern("invalid escape sequence: `\\C`");
      const size_t name_end = rest_.starts_with("[:") ? rest_.find(":]") : std::string_view::npos;
      if (name_end != std::string_view::npos) {
        Take(name_end + 2);
      } else {
        Take(rest_.starts_with('\\') ? 2 : 1);
      }
    }
    Take(1);
    return {};
  }

  // "(?<name>".
  Result<> TakeName() {
    const size_t end = rest_.find('>');
    const std::string_view group = rest_.substr(0, end == std::string_view::npos ? end : end + 1);
    if (end == std::string_view::npos || !IsGroupName(rest_.substr(3, end - 3))) {
      return RefusePattern(fmt::format("invalid named capture: `{}`", group));
    }
    OpenGroup(/*captures=*/true);
    out_ += "(?P<";
    rest_.remove_prefix(3);
    return {};
  }

  std::string_view pattern_;
  std::string_view rest_;
  std::string out_;
  std::vector<bool> groups_;  // that are open: whether they capture
  size_t height_ = 0;         // how many of them do
  size_t height_max_ = 0;
};

constexpr uint64_t kWorkOfMatch = 128;
// Cost of a compiled instruction.
constexpr uint64_t kWorkOfInstruction = 256;

/// What reading so many bytes takes. Usually a nanosecond or two for each, whatever the pattern;
/// but where RE2's automaton has a state of its own for each place of the text, each byte takes as
/// much as the pattern has instructions. Which it is shows nowhere, so this is between the two.
uint64_t WorkOfMatching(const RE2& pattern, size_t bytes) {
  return bytes * (2 + static_cast<uint64_t>(pattern.ProgramSize()) / 4);
}

/// As RE2::Match, unanchored, from `at` on. Not done, which is no match, where it might take too
/// long at a stretch: then all that is left of `work` is charged.
bool Match(const RE2& pattern,
           std::string_view text,
           size_t at,
           std::span<re2::StringPiece> groups,
           Work& work) {
  work.Charge(kWorkOfMatch);
  if (WorkOfMatching(pattern, text.size() - at) > kMatchWorkMax) work.Charge(Work::kUnlimited);
  if (work.is_spent()) return false;
  return pattern.Match(Piece(text),
                       at,
                       text.size(),
                       RE2::UNANCHORED,
                       groups.data(),
                       static_cast<int>(groups.size()));
}

// A search that finds something nearby may still have read all of the rest, so each is charged a
// part of that.
Value FindAll(const RE2& pattern, Arena& arena, std::string_view text, int64_t limit) {
  ValueBuffer found(arena);
  size_t at = 0;
  size_t previous_end = std::string_view::npos;
  arena.work().Charge(WorkOfMatching(pattern, text.size()));
  while (at <= text.size() && (limit < 0 || std::cmp_less(found.size(), limit))) {
    re2::StringPiece match;
    arena.work().Charge((text.size() - at) / 4);
    if (!Match(pattern, text, at, {&match, 1}, arena.work())) break;
    const auto start = static_cast<size_t>(match.data() - text.data());
    // An empty match directly after the previous match does not count.
    if (!match.empty() || start != previous_end) {
      found.Add(Value::String(text.substr(start, match.size())));
      if (found.size() > kWeightMax) break;
    }
    previous_end = start + match.size();
    at = previous_end;
    if (match.empty()) at += at < text.size() ? syntax::DecodeUtf8(text, at).width : 1;
  }
  return AdoptList(arena, found.items());
}

template <bool is_matches>
Value WithPattern(std::string_view function, Arena& arena, Arguments arguments) {
  if (!arguments[0].is(ValueKind::kString)) return NoSuchOverload();
  if (!arguments[1].is(ValueKind::kString)) {
    return is_matches ? NoSuchOverload() : WrongArguments(arena, function, arguments);
  }
  const size_t before = arena.pattern_instructions_left();
  const auto pattern = CompileRegex(arguments[1].text(), arena.pattern_instructions_left());
  arena.work().Charge(kWorkOfInstruction * (before - arena.pattern_instructions_left()) +
                      WorkOfReading(16 * std::min(arguments[1].text().size(), kPatternBytesMax)));
  if (pattern.has_value()) return ApplyRegex(function, **pattern, arena, arguments);
  if (is_matches) return MakeError(arena, pattern.error().message);
  return MakeError(arena, fmt::format("Illegal regex: {}", pattern.error().message));
}

Value Matches(Arena& arena, Arguments arguments) {
  return WithPattern<true>("matches", arena, arguments);
}
Value Find(Arena& arena, Arguments arguments) {
  return WithPattern<false>("find", arena, arguments);
}
Value FindEvery(Arena& arena, Arguments arguments) {
  return WithPattern<false>("findAll", arena, arguments);
}

constexpr auto kRegexBuiltins = std::to_array<Builtin>({
    {"find", Find, CostRule::kRegex, WrongTypes::kOwn, {}, kSince32},
    {"findAll", FindEvery, CostRule::kRegex, WrongTypes::kOwn, {}, kSince32},
    {"matches", Matches, CostRule::kRegex, WrongTypes::kOwn},
});

}  // namespace

bool IsRegexFunction(std::string_view function) {
  return function == "matches" || function == "find" || function == "findAll";
}

Result<std::shared_ptr<const RE2>> CompileRegex(std::string_view pattern, size_t& left) {
  if (left == 0 || pattern.size() > kPatternBytesMax) {
    return RefusePattern(
        fmt::format("expression too large: `{}`", api::Cut(pattern, kShownBytesMax)));
  }
  DRAY_TRY(const std::string text, PatternCopy(pattern).Run());
  const size_t most = std::min(kRegexBytesMax, left * kBytesPerInstruction);
  std::shared_ptr<const RE2> compiled = WithMemory(text, std::min(kRegexBytesUsual, most));
  if (compiled->error_code() == RE2::ErrorPatternTooLarge && most > kRegexBytesUsual) {
    compiled = WithMemory(text, most);
  }
  const bool is_too_large = compiled->error_code() == RE2::ErrorPatternTooLarge;
  const size_t size = compiled->ok() ? static_cast<size_t>(compiled->ProgramSize()) : 0;
  left -= is_too_large ? left : std::min(left, size + kInstructionsPerPattern);
  if (compiled->ok()) return compiled;
  return Fail(StatusReason::kInvalid,
              "error parsing regexp: " + InGoWords(compiled->error(), compiled->error_arg()));
}

Value ApplyRegex(std::string_view function,
                 const RE2& pattern,
                 Arena& arena,
                 std::span<const Value> arguments) {
  if (!arguments[0].is(ValueKind::kString)) return NoSuchOverload();
  const std::string_view text = arguments[0].text();
  if (function == "findAll") {
    if (arguments.size() > 2 && !arguments[2].is(ValueKind::kInt)) return NoSuchOverload();
    return FindAll(pattern, arena, text, arguments.size() > 2 ? arguments[2].integer() : -1);
  }
  arena.work().Charge(WorkOfMatching(pattern, text.size()));
  if (function == "matches") {  // where it matches takes longer to find
    return Value::Bool(Match(pattern, text, 0, {}, arena.work()));
  }
  re2::StringPiece match;
  const bool found = Match(pattern, text, 0, {&match, 1}, arena.work());
  return Value::String(found ? std::string_view(match.data(), match.size()) : "");
}

std::span<const Builtin> RegexBuiltins() {
  return kRegexBuiltins;
}

}  // namespace dray::cel::library
