// SPDX-License-Identifier: Apache-2.0
#include "cel/library/regex.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cel/library/library.h"
#include "cel/syntax/utf8.h"

namespace dray::cel {
namespace {

using Arguments = std::span<const Value>;

// Memory for one compiled pattern and its automaton; RE2 falls back to a slower one when it is used
// up.
constexpr int64_t kRegexBytesMax = int64_t{1} << 20;

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

// Go also takes (?<name>, and has no \C. Empty if the pattern is refused.
Result<std::string> ToRe2(std::string_view pattern) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      if (pattern[i + 1] == 'C') {
        return Fail(StatusReason::kInvalid, "error parsing regexp: invalid escape sequence: `\\C`");
      }
      out += pattern.substr(i++, 2);
      continue;
    }
    out += pattern[i];
    const std::string_view rest = pattern.substr(i);
    const bool named =
        rest.starts_with("(?<") && !rest.starts_with("(?<=") && !rest.starts_with("(?<!");
    if (named) {
      out += "?P";
      ++i;
    }
  }
  return out;
}

Value FindAll(const RE2& pattern, Arena& arena, std::string_view text, int64_t limit) {
  std::vector<Value> found;
  size_t at = 0;
  size_t previous_end = std::string_view::npos;
  while (at <= text.size() && (limit < 0 || std::cmp_less(found.size(), limit))) {
    re2::StringPiece match;
    if (!pattern.Match(Piece(text), at, text.size(), RE2::UNANCHORED, &match, 1)) break;
    const auto start = static_cast<size_t>(match.data() - text.data());
    // An empty match right after the one before is none.
    if (!match.empty() || start != previous_end) {
      found.push_back(Value::String(text.substr(start, match.size())));
      if (found.size() > kWeightMax) break;
    }
    previous_end = start + match.size();
    at = previous_end;
    if (match.empty()) at += at < text.size() ? DecodeUtf8(text, at).width : 1;
  }
  return MakeList(arena, found);
}

template <bool is_matches>
Value WithPattern(std::string_view function, Arena& arena, Arguments arguments) {
  if (!arguments[0].is(ValueKind::kString) || !arguments[1].is(ValueKind::kString)) {
    return NoSuchOverload();
  }
  const auto pattern = CompileRegex(arguments[1].text());
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

constexpr auto kBuiltins = std::to_array<Builtin>({
    {"find", Find, CostRule::kRegex, WrongTypes::kOwn, {}, kSince32},
    {"findAll", FindEvery, CostRule::kRegex, WrongTypes::kOwn, {}, kSince32},
    {"matches", Matches, CostRule::kRegex, WrongTypes::kOwn},
});

}  // namespace

bool IsRegexFunction(std::string_view function) {
  return function == "matches" || function == "find" || function == "findAll";
}

Result<std::shared_ptr<const RE2>> CompileRegex(std::string_view pattern) {
  DRAY_TRY(const std::string text, ToRe2(pattern));
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kRegexBytesMax);
  auto compiled = std::make_shared<const RE2>(text, options);
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
  re2::StringPiece match;
  const bool found = pattern.Match(Piece(text), 0, text.size(), RE2::UNANCHORED, &match, 1);
  if (function == "matches") return Value::Bool(found);
  return Value::String(found ? std::string_view(match.data(), match.size()) : "");
}

std::span<const Builtin> RegexBuiltins() {
  return kBuiltins;
}

}  // namespace dray::cel
