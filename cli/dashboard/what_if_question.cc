// SPDX-License-Identifier: Apache-2.0
#include "cli/dashboard/what_if_question.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json_reader.h"
#include "base/try.h"
#include "cli/questions/what_if_changes.h"
#include "planning/whatif/what_if.h"

namespace dray::cli::inline dashboard {
namespace {

using api::JsonKind;
using api::JsonReader;

struct ChangeWord {
  std::string_view word;
  ChangeKind kind;
};
constexpr ChangeWord kChangeWords[] = {{"delete", ChangeKind::kDelete},
                                       {"drain", ChangeKind::kDrain},
                                       {"removeNode", ChangeKind::kRemoveNode},
                                       {"like", ChangeKind::kLike},
                                       {"addNodes", ChangeKind::kAddNodes},
                                       {"taint", ChangeKind::kTaint},
                                       {"upgradeDriver", ChangeKind::kUpgradeDriver}};

Failure Bad(std::string message) {
  return Fail(StatusReason::kBadRequest, std::move(message));
}

Failure WrongKind(std::string_view field, std::string_view wanted, JsonKind found) {
  return Bad(fmt::format("{}: must be {}, not {}", field, wanted, api::JsonKindName(found)));
}

Result<> ReadText(JsonReader& reader, std::string_view field, std::string& out) {
  const JsonKind found = reader.Peek();
  if (found != JsonKind::kString) return WrongKind(field, "a string", found);
  reader.String(out);
  return {};
}

Result<> ReadFlag(JsonReader& reader, std::string_view field, bool& out) {
  const JsonKind found = reader.Peek();
  if (found != JsonKind::kBool) return WrongKind(field, "true or false", found);
  out = reader.Bool();
  return {};
}

Result<> ReadReplicas(JsonReader& reader, WorkQuestion& question) {
  const JsonKind found = reader.Peek();
  if (found != JsonKind::kNumber) return WrongKind("replicas", "a number", found);
  const std::string_view text = reader.Number();
  size_t count = 0;
  const bool is_whole = std::from_chars(text.data(), text.data() + text.size(), count).ptr ==
                        text.data() + text.size();
  if (!is_whole || count == 0 || count > planning::kCopiesMax) {
    return Bad(fmt::format("replicas: {} is not a whole number from 1 to {}",
                           text.substr(0, 32),
                           planning::kCopiesMax));
  }
  question.replicas = count;
  return {};
}

/// The words, for messages.
std::string ChangeWords() {
  std::string words;
  for (const ChangeWord& one : kChangeWords) {
    if (!words.empty()) words += ", ";
    words += one.word;
  }
  return words;
}

Result<> ReadChange(JsonReader& reader, const std::string& field, std::vector<Change>& changes) {
  const JsonKind found = reader.Peek();
  if (found != JsonKind::kObject) return WrongKind(field, "an object", found);
  reader.EnterObject();
  const size_t before = changes.size();
  std::string word;
  while (reader.NextKey(word)) {
    const auto* const known = std::ranges::find(kChangeWords, word, &ChangeWord::word);
    if (known == std::end(kChangeWords)) {
      return Bad(fmt::format("{}: {:?} is none of {}", field, word.substr(0, 64), ChangeWords()));
    }
    Change change{.kind = known->kind, .text = {}, .is_inline = true};
    DRAY_TRY_VOID(ReadText(reader, fmt::format("{}.{}", field, word), change.text));
    changes.push_back(std::move(change));
  }
  if (!reader.failed() && changes.size() != before + 1)
    return Bad(fmt::format("{}: must have one member, one of {}", field, ChangeWords()));
  return {};
}

Result<> ReadChanges(JsonReader& reader, std::vector<Change>& changes) {
  const JsonKind found = reader.Peek();
  if (found != JsonKind::kArray) return WrongKind("changes", "an array", found);
  changes.clear();
  reader.EnterArray();
  while (reader.NextElement()) {
    if (changes.size() == kAskedChangesMax)
      return Bad(fmt::format("changes: more than {}", kAskedChangesMax));
    DRAY_TRY_VOID(ReadChange(reader, fmt::format("changes[{}]", changes.size()), changes));
  }
  return {};
}

Result<> ReadMember(JsonReader& reader, std::string_view key, WhatIfAsked& asked) {
  if (key == "manifests") return ReadText(reader, key, asked.manifests);
  if (key == "defaultNamespace") return ReadText(reader, key, asked.default_namespace);
  if (key == "replicas") return ReadReplicas(reader, asked.question);
  if (key == "max") return ReadFlag(reader, key, asked.question.max);
  if (key == "defragment") return ReadFlag(reader, key, asked.question.defragment);
  if (key == "changes") return ReadChanges(reader, asked.question.changes);
  return Bad(
      fmt::format("{:?} is none of manifests, defaultNamespace, replicas, max, defragment, changes",
                  key.substr(0, 64)));
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

Result<WhatIfAsked> ParseWhatIf(std::string_view json) {
  WhatIfAsked asked;
  asked.question.work_source = "the manifests";
  asked.question.pods_max = kAskedPodsMax;
  asked.question.nodes_max = kAskedNodesMax;
  asked.question.objects_max = kAskedObjectsMax;
  asked.question.lists_devices = true;
  JsonReader reader(json);
  if (reader.Peek() != JsonKind::kObject) {
    return Bad("the body must be a JSON object with manifests or changes");
  }
  reader.EnterObject();
  std::string key;
  while (reader.NextKey(key)) DRAY_TRY_VOID(ReadMember(reader, key, asked));
  if (reader.failed() || !reader.Finish()) return Fail(reader.error());
  WorkQuestion& question = asked.question;
  if (question.max && question.replicas.has_value())
    return Bad("max and replicas exclude each other");
  if (question.max && question.defragment) return Bad("max and defragment exclude each other");
  question.has_work = !IsBlank(asked.manifests);
  if (!question.has_work && question.changes.empty())
    return Bad("nothing is asked: neither manifests nor a change is named");
  return asked;
}

}  // namespace dray::cli::inline dashboard
