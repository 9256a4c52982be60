// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/validation_answer.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/vectors/case_files.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;
using Lines = std::vector<std::string>;

// Stands for a text that is not compared.
constexpr std::string_view kAnyText = "…";

constexpr std::array<std::string_view, 7> kGoStructs = {"Invalid value: {\"",
                                                        "Invalid value: [{\"",
                                                        "Duplicate value: {\"",
                                                        // Up to 1.33 in Go's own notation.
                                                        "Invalid value: resource.",
                                                        "Invalid value: []resource.",
                                                        "Invalid value: core.",
                                                        "Invalid value: []core."};

bool IsAboutClaims(std::string_view field) {
  return field.starts_with("spec.resourceClaims") || field.contains(".resources.claims") ||
         field.starts_with("status.resourceClaimStatuses");
}

std::string Line(std::string_view kind,
                 std::string_view type,
                 std::string_view field,
                 std::string_view text) {
  return fmt::format("{} {}: {}", type, field, IsBindingText(kind, field, text) ? text : kAnyText);
}

Lines WantedLines(std::string_view kind, const json::object& measured) {
  Lines lines;
  for (const json::value& error : ListOf(measured, "errors")) {
    const json::object& one = error.as_object();
    const std::string_view type = TextOf(one, "type");
    lines.push_back(
        Line(kind,
             type == "InternalError" ? std::string(type) : "FieldValue" + std::string(type),
             TextOf(one, "field"),
             TextOf(one, "text")));
  }
  return lines;
}

Lines LinesOf(std::string_view kind, const std::vector<ErrorCause>& causes) {
  Lines lines;
  for (const ErrorCause& cause : causes) {
    lines.push_back(Line(kind, cause.reason, cause.field, cause.message));
  }
  return lines;
}

bool HasAnyText(const Lines& lines) {
  return std::ranges::any_of(lines,
                             [](const std::string& line) { return line.ends_with(kAnyText); });
}

std::string DifferenceOfErrors(const Outcome& outcome,
                               std::string_view kind,
                               const json::object& measured) {
  const int code = measured.at("code").to_number<int>();
  const bool varies = measured.contains("orderVaries");
  Lines want = WantedLines(kind, measured);
  Lines got = LinesOf(kind, outcome.causes);
  for (size_t i = 0; i < std::min(want.size(), got.size()); ++i) {
    const std::string_view known = want[i];
    if (!known.ends_with(kAnyText)) continue;
    if (got[i].starts_with(known.substr(0, known.size() - kAnyText.size()))) got[i] = known;
  }
  if (varies) {
    std::ranges::sort(want);
    std::ranges::sort(got);
  }
  if (outcome.code != code || want != got) {
    return fmt::format(
        "want {}\n    {}\n  got {}\n    {}",
        code,
        fmt::join(want, "\n    "),
        outcome.code,
        outcome.code == 400 ? outcome.message : fmt::format("{}", fmt::join(got, "\n    ")));
  }
  if (code == 422 && !varies && !HasAnyText(want) &&
      outcome.message != TextOf(measured, "message")) {
    return fmt::format("want message {}\n  got {}", TextOf(measured, "message"), outcome.message);
  }
  return {};
}

Lines TextsAt(const json::object& object, std::string_view name) {
  Lines strings;
  for (const json::value& value : ListOf(object, name)) strings.emplace_back(value.as_string());
  return strings;
}

Lines SortedLines(Lines lines) {
  std::ranges::sort(lines);
  return lines;
}

}  // namespace

bool IsBindingText(std::string_view kind, std::string_view field, std::string_view text) {
  // For pods and nodes, only fields about claims are compared.
  if ((kind == "Pod" || kind == "Node") && !IsAboutClaims(field)) return false;
  // Texts of CEL compilers and of internal errors.
  if (text.contains("compilation failed: ") || text.starts_with("Internal error")) return false;
  // Those that print Go structs.
  return std::ranges::none_of(kGoStructs,
                              [&](std::string_view start) { return text.starts_with(start); });
}

void ReplaceNow(json::value& value) {
  if (auto* object = value.if_object()) {
    for (auto& member : *object) ReplaceNow(member.value());
  } else if (auto* array = value.if_array()) {
    for (json::value& item : *array) ReplaceNow(item);
  } else if (value.is_string() && value.as_string() == "<now>") {
    value = kNowText;
  }
}

json::value ComparableObject(std::string_view object) {
  json::value value = json::parse(object);
  if (auto* meta = value.as_object()["metadata"].if_object()) {
    for (const char* name : {"uid", "resourceVersion", "creationTimestamp", "managedFields"}) {
      meta->erase(name);
    }
  }
  return value;
}

std::string Shortened(std::string text) {
  constexpr size_t kMax = 1200;
  if (text.size() > kMax) text.resize(kMax);
  return text;
}

std::string DifferenceFromAnswer(const Outcome& outcome, const json::object& test) {
  const json::object& measured = test.at("measured").as_object();
  const json::value* const body = test.if_contains("object");
  const std::string_view kind = body == nullptr ? "" : TextOf(body->as_object(), "kind");
  std::string errors = DifferenceOfErrors(outcome, kind, measured);
  if (!errors.empty()) return Shortened(std::move(errors));
  if (outcome.code == 400) return {};
  const Lines strict = SortedLines(TextsAt(measured, "strict"));
  if (SortedLines(outcome.strict) != strict) {
    return Shortened(fmt::format("want strict errors {}\n  got {}",
                                 fmt::join(strict, "; "),
                                 fmt::join(SortedLines(outcome.strict), "; ")));
  }
  const Lines warnings = TextsAt(measured, "warnings");
  if (outcome.code < 300 && outcome.warnings != warnings) {
    return Shortened(fmt::format("want warnings {}\n  got {}",
                                 fmt::join(warnings, "; "),
                                 fmt::join(outcome.warnings, "; ")));
  }
  const json::value* const result = measured.if_contains("result");
  if (result == nullptr) return {};
  json::value want = *result;
  ReplaceNow(want);
  const json::value got = ComparableObject(outcome.object);
  if (want == got) return {};
  return Shortened(
      fmt::format("want result {}\n  got {}", json::serialize(want), json::serialize(got)));
}

}  // namespace dray::vectors
