// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/allocator_judge.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <variant>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/resource_v1/allocation.h"
#include "tests/vectors/allocator_v1alpha3.h"
#include "tests/vectors/case_files.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;
namespace v1 = api::resource_v1;

/// Spells multiples of 10^21 as upstream's encoder does, which loses their exponent (1000E → 1).
void DropLargeExponents(json::value& result) {
  json::value* const devices = result.as_object().if_contains("devices");
  json::value* const list =
      devices == nullptr ? nullptr : devices->as_object().if_contains("results");
  if (list == nullptr) return;
  for (json::value& device : list->as_array()) {
    json::value* const consumed = device.as_object().if_contains("consumedCapacity");
    if (consumed == nullptr) continue;
    for (auto& amount : consumed->as_object()) {
      std::string text(amount.value().as_string());
      if (!text.ends_with("000E")) continue;
      text.pop_back();
      while (text.ends_with("000")) text.resize(text.size() - 3);
      amount.value() = text;
    }
  }
}

json::array ResultsJson(std::vector<v1::AllocationResult> results, api::Release release) {
  json::array list;
  std::map<std::string, std::string> shares;  // the vectors number them by first appearance
  for (v1::AllocationResult& result : results) {
    for (v1::DeviceRequestAllocationResult& device : result.devices.results) {
      if (!device.share_id.has_value()) continue;
      const std::string next = fmt::format("S{}", shares.size() + 1);
      device.share_id = shares.try_emplace(*device.share_id, next).first->second;
    }
    std::string text;
    if (release == api::Release::k1_31) {
      text = V1alpha3Json(result);
    } else {
      api::EncodeJson(api::TypeOf<v1::AllocationResult>(), &result, text);
    }
    json::value value = json::parse(text);
    DropLargeExponents(value);
    list.push_back(std::move(value));
  }
  return list;
}

/// The objects that an error names, each with the word before it: "claim default/c", "request r".
std::vector<std::string> Subjects(std::string_view error) {
  constexpr std::array<std::string_view, 8> kWords = {"claim ",
                                                      "class ",
                                                      "request ",
                                                      "slice ",
                                                      "on device ",
                                                      "resource pool ",
                                                      "selector #",
                                                      "constraint #"};
  std::vector<std::string> subjects;
  // The texts of expressions and values are not compared.
  const std::string_view head = error.substr(0, error.find(" error: "));
  for (const std::string_view word : kWords) {
    const size_t at = head.find(word);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = head.substr(at);
    subjects.emplace_back(rest.substr(0, rest.find_first_of(":, \"", word.size())));
  }
  return subjects;
}

bool NamesTheSame(std::string_view expected, std::string_view got) {
  return std::ranges::all_of(Subjects(expected),
                             [&](const std::string& subject) { return got.contains(subject); });
}

/// Empty when `got` is just this answer.
std::string DifferenceFromOne(const json::object& expected, const json::object& got) {
  const std::string_view wanted = TextOf(expected, "outcome");
  const std::string_view outcome = TextOf(got, "outcome");
  if (wanted == "crash" && outcome == "error") return {};
  const bool same =
      wanted == outcome && (wanted != "allocated" || expected.at("results") == got.at("results")) &&
      (wanted != "error" || NamesTheSame(TextOf(expected, "error"), TextOf(got, "error")));
  if (same) return {};
  return fmt::format("expected {}, got {}", json::serialize(expected), json::serialize(got));
}

bool Names(const json::object& entry, std::string_view label) {
  return std::ranges::any_of(ListOf(entry, "profiles"),
                             [&](const json::value& name) { return name.as_string() == label; });
}

}  // namespace

json::object AnswerJson(const Result<allocator::Outcome>& outcome, api::Release release) {
  if (!outcome) return {{"outcome", "error"}, {"error", outcome.error().message}};
  if (const auto* none = std::get_if<allocator::Unsatisfiable>(&*outcome)) {
    if (none->node_error.empty()) return {{"outcome", "none"}};
    return {{"outcome", "node-error"}, {"error", none->node_error}};
  }
  if (const auto* found = std::get_if<allocator::Allocation>(&*outcome))
    return {{"outcome", "allocated"}, {"results", ResultsJson(found->results, release)}};
  return {{"outcome", "undecided"}};
}

const json::object* Expected::AnswerOf(std::string_view label) const {
  for (const json::value& answer : ListOf(outcome_, "answers")) {
    if (Names(answer.as_object(), label)) return &answer.as_object();
  }
  return nullptr;
}

std::optional<int64_t> Expected::StepsOf(std::string_view label) const {
  for (const json::value& group : ListOf(outcome_, "steps")) {
    if (Names(group.as_object(), label)) return group.at("steps").to_number<int64_t>();
  }
  return std::nullopt;
}

bool IsTimeout(const json::object& expected) {
  return TextOf(expected, "outcome") == "timeout";
}

std::string Difference(const json::object& expected, const json::object& got) {
  if (IsTimeout(expected)) return {};
  const json::value* const seen = expected.if_contains("seen");
  if (seen == nullptr) return DifferenceFromOne(expected, got);
  if (const json::value* sorted = expected.if_contains("sorted")) {
    const json::value& answer = seen->as_array().at(sorted->to_number<size_t>());
    return DifferenceFromOne(answer.as_object(), got);
  }
  std::string first;
  for (const json::value& answer : seen->as_array()) {
    std::string difference = DifferenceFromOne(answer.as_object(), got);
    if (difference.empty()) return {};
    if (first.empty()) first = std::move(difference);
  }
  return first;
}

}  // namespace dray::vectors
