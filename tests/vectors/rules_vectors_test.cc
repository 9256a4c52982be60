// SPDX-License-Identifier: Apache-2.0
// Recorded definitions with rules, and writes of their objects, are judged as by the real server.
// Only rules are played: this test does in short what other parts of a server do to an object
// before (merging a patch, names), and skips answers with other errors.
#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "api/apiextensions_v1.h"
#include "api/codec/json.h"
#include "api/codec/tree_json.h"
#include "api/value/tree.h"
#include "base/world.h"
#include "custom/rules/rule_checks.h"
#include "custom/rules/rules.h"
#include "custom/schema/defaults.h"
#include "custom/schema/schema.h"
#include "tests/vectors/case_files.h"
#include "tests/vectors/shared_folder.h"

namespace dray::vectors {
namespace {

using api::Tree;
using api::apiextensions_v1::JSONSchemaProps;
using api::validation::FieldErrors;
using api::validation::Path;

constexpr std::string_view kSchemaPath = "spec.validation.openAPIV3Schema";

std::string_view TextAt(const Tree& tree, std::string_view name) {
  const Tree* const found = tree.Find(name);
  return found != nullptr && found->is_text() ? found->text() : std::string_view();
}

JSONSchemaProps PropsOf(const Tree& schema) {
  JSONSchemaProps props;
  EXPECT_TRUE(
      api::DecodeJson(api::TypeOf<JSONSchemaProps>(), api::ToJson(schema), &props, nullptr));
  return props;
}

// RFC 7386.
void MergePatch(Tree& target, const Tree& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) target = Tree::Object();
  for (const Tree::Member& member : patch.members()) {
    if (member.value.is_null()) {
      target.Erase(member.name());
      continue;
    }
    Tree* const found = target.FindMutable(member.name());
    Tree merged = found == nullptr ? Tree() : *found;
    MergePatch(merged, member.value);
    target.Set(member.name(), std::move(merged));
  }
}

// One version of a kind.
struct Version {
  Frozen<custom::schema::Schema> schema;
  Frozen<custom::rules::RuleSet> rules;
};

// The causes and warnings of rules in an answer, a line each.
using Lines = std::vector<std::string>;

Lines CausesIn(const Tree& answer) {
  Lines out;
  const Tree* const causes = answer.FindPath("details", "causes");
  if (causes == nullptr) return out;
  for (const Tree& cause : causes->elements()) {
    out.push_back(fmt::format(
        "{} {}: {}", TextAt(cause, "reason"), TextAt(cause, "field"), TextAt(cause, "message")));
  }
  return out;
}

Lines LinesOf(const std::vector<ErrorCause>& causes) {
  Lines out;
  for (const ErrorCause& cause : causes) {
    out.push_back(fmt::format("{} {}: {}", cause.reason, cause.field, cause.message));
  }
  return out;
}

// 299 - "…" with its quotes taken away.
std::string WarningIn(std::string_view header) {
  const size_t begin = header.find('"') + 1;
  std::string out;
  for (const char c : header.substr(begin, header.size() - begin - 1)) {
    if (c == '\\' && (out.empty() || out.back() != '\\')) {
      out += c;
      continue;
    }
    if (!out.empty() && out.back() == '\\') out.pop_back();
    out += c;
  }
  return out;
}

Lines WarningsIn(const Tree& response) {
  Lines out;
  const Tree* const warning = response.FindPath("headers", "Warning");
  if (warning == nullptr) return out;
  if (warning->is_text()) out.push_back(WarningIn(warning->text()));
  for (const Tree& one : warning->elements()) out.push_back(WarningIn(one.text()));
  return out;
}

// The name of the type of self has a number that changes with each compilation.
std::string WithoutTypeNumbers(std::string text) {
  constexpr std::string_view kType = "selfType";
  for (size_t at = text.find(kType); at != std::string::npos; at = text.find(kType, at)) {
    at += kType.size();
    size_t end = at;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    text.erase(at, end - at);
  }
  return text;
}

// Where a request for a custom object goes: /apis/G/V/namespaces/N/RESOURCE/NAME/status?…
struct Target {
  std::string kind;  // G/RESOURCE
  std::string version, name;
  bool is_status = false;
};

std::optional<Target> TargetOf(std::string_view path) {
  std::vector<std::string> parts;
  path = path.substr(0, path.find('?'));
  while (!path.empty()) {
    path.remove_prefix(1);
    parts.emplace_back(path.substr(0, path.find('/')));
    path.remove_prefix(parts.back().size());
  }
  if (parts.size() < 6 || parts[0] != "apis" || parts[3] != "namespaces") return std::nullopt;
  return Target{.kind = parts[1] + "/" + parts[5],
                .version = parts[2],
                .name = parts.size() > 6 ? parts[6] : "",
                .is_status = parts.size() > 7};
}

// Errors of the texts of all rules in a schema, then those of its expressions.
void CheckAllTexts(const JSONSchemaProps& schema, const Path& path, FieldErrors& errors) {
  const Path properties = path.Child("properties");
  for (const auto& [name, property] : schema.properties) {
    CheckAllTexts(property, properties.Key(name), errors);
  }
  if (schema.items.has_value() && schema.items->schema.has_value()) {
    CheckAllTexts(*schema.items->schema, path.Child("items"), errors);
  }
  custom::rules::CheckRuleTexts(schema, path, errors);
}

// Plays one recording.
class Scenario {
 public:
  Scenario(std::string name, std::string folder)
      : name_(std::move(name)), folder_(std::move(folder)) {}

  void Play(const Tree& recording) {
    size_t number = 0;
    for (const Tree& step : recording.Find("steps")->elements()) {
      place_ = fmt::format("{} step {}", name_, number++);
      if (const Tree* const request = step.Find("request"); request != nullptr) {
        PlayRequest(*request, *step.Find("response"));
      }
    }
  }

  size_t compared() const { return compared_; }

 private:
  Tree BodyOf(const Tree& message) const {
    std::string text(TextAt(message, "body"));
    if (const std::string_view file = TextAt(message, "body_file"); !file.empty()) {
      text = ReadVectors(RealWorld().disk, fmt::format("{}/{}", folder_, file)).value_or("");
    }
    return api::ReadTree(text).value_or(Tree());
  }

  void PlayRequest(const Tree& request, const Tree& response) {
    const std::string_view path = TextAt(request, "path");
    if (TextAt(request, "method") == "GET") return;
    const bool is_kept = !path.contains("dryRun=") && response.Find("status")->integer() < 300;
    const Tree body = BodyOf(request);
    if (path.starts_with("/apis/apiextensions.k8s.io/")) {
      PlayDefinition(body, response, is_kept);
    } else if (const auto target = TargetOf(path); target.has_value()) {
      PlayObject(*target, body, response, is_kept);
    }
  }

  // Definitions.

  void PlayDefinition(const Tree& body, const Tree& response, bool is_kept) {
    const Tree* versions = body.FindPath("spec", "versions");
    for (const Tree& operation : body.elements()) {  // of a JSON patch
      if (TextAt(operation, "path") == "/spec/versions") versions = operation.Find("value");
    }
    if (versions == nullptr) return;
    const Tree answer = BodyOf(response);
    const Lines recorded = CausesIn(answer);
    const std::string all = fmt::format("{}", fmt::join(recorded, "\n"));
    if (recorded.empty() || all.contains("x-kubernetes-validations")) {
      Lines found;
      for (const Tree& version : versions->elements()) {
        const Lines more = ErrorsOf(PropsOf(*version.FindPath("schema", "openAPIV3Schema")));
        found.insert(found.end(), more.begin(), more.end());
      }
      Compare(recorded, found);
    }
    if (!is_kept) return;
    const std::string kind = fmt::format("{}/{}",
                                         answer.FindPath("spec", "group")->text(),
                                         answer.FindPath("spec", "names", "plural")->text());
    for (const Tree& version : versions->elements()) {
      const JSONSchemaProps props = PropsOf(*version.FindPath("schema", "openAPIV3Schema"));
      versions_[kind + "/" + std::string(TextAt(version, "name"))] = {
          .schema = custom::schema::CompileSchema(props),
          .rules = custom::rules::CompileRules(props)};
    }
  }

  static Lines ErrorsOf(const JSONSchemaProps& schema) {
    const Path path(kSchemaPath);
    FieldErrors texts;
    CheckAllTexts(schema, path, texts);
    Lines out = LinesOf(std::move(texts).Take());
    if (!out.empty()) return out;
    FieldErrors errors;
    custom::rules::CheckRules(schema, path, {}, errors);
    return LinesOf(std::move(errors).Take());
  }

  // Objects.

  void PlayObject(const Target& target, const Tree& body, const Tree& response, bool is_kept) {
    const Version& version = versions_.at(target.kind + "/" + target.version);
    const Tree answer = BodyOf(response);
    Judge(version, target, body, answer, WarningsIn(response));
    if (!is_kept) return;
    objects_[fmt::format("{}/{}", target.kind, answer.FindPath("metadata", "name")->text())] =
        answer;
  }

  void Judge(const Version& version,
             const Target& target,
             const Tree& body,
             const Tree& answer,
             const Lines& warnings) {
    const auto stored = objects_.find(fmt::format("{}/{}", target.kind, target.name));
    std::optional<Tree> old;
    if (stored != objects_.end()) old = stored->second;
    Tree object = old.value_or(Tree::Object());
    MergePatch(object, target.is_status ? OnlyStatus(body) : body);
    if (old.has_value()) old->Set("apiVersion", *object.Find("apiVersion"));
    Complete(object, version);
    if (old.has_value()) Complete(*old, version);
    const Lines recorded = CausesIn(answer);
    if (!recorded.empty() && recorded.back().contains("some validation rules were not checked")) {
      return CompareWhy(answer);
    }
    if (version.rules == nullptr) return;
    custom::rules::Budget budget;
    const custom::rules::RuleOutcome outcome =
        custom::rules::RunRules(*version.rules, object, old.has_value() ? &*old : nullptr, budget);
    Compare(recorded, LinesOf(outcome.causes));
    Compare(Sorted(warnings), Sorted(outcome.warnings));
  }

  static Tree OnlyStatus(const Tree& body) {
    Tree out = Tree::Object();
    out.Set("status", *body.Find("status"));
    return out;
  }

  static void Complete(Tree& object, const Version& version) {
    Tree* const metadata = object.FindMutable("metadata");
    if (metadata != nullptr && metadata->Find("name") == nullptr) {
      metadata->Set("name", Tree(std::string(TextAt(*metadata, "generateName")) + "abcde"));
    }
    EXPECT_TRUE(custom::schema::ApplyDefaults(object, *version.schema).has_value());
  }

  static Lines Sorted(Lines lines) {
    std::ranges::sort(lines);
    return lines;
  }

  // Rules did not run because of other errors.
  void CompareWhy(const Tree& answer) {
    std::vector<ErrorCause> others;
    const Lines recorded = CausesIn(answer);
    for (const Tree& cause : answer.FindPath("details", "causes")->elements()) {
      others.push_back({.reason = std::string(TextAt(cause, "reason")),
                        .field = std::string(TextAt(cause, "field")),
                        .message = std::string(TextAt(cause, "message"))});
    }
    others.pop_back();
    const auto why = custom::rules::WhyRulesDoNotRun(others);
    ASSERT_TRUE(why.has_value()) << place_;
    Compare({recorded.back()}, LinesOf({*why}));
  }

  void Compare(const Lines& recorded, const Lines& found) {
    ++compared_;
    const std::string want = fmt::format("{}", fmt::join(recorded, "\n"));
    const std::string have = fmt::format("{}", fmt::join(found, "\n"));
    EXPECT_EQ(WithoutTypeNumbers(want), WithoutTypeNumbers(have)) << place_;
  }

  std::string name_, folder_, place_;
  std::map<std::string, Version> versions_;  // by G/RESOURCE/VERSION
  std::map<std::string, Tree> objects_;      // by G/RESOURCE/NAME
  size_t compared_ = 0;
};

TEST(RulesVectors, RecordedRulesAreJudgedAlike) {
  const std::string folder = SharedFolder() + "/vectors/crd/crd-1.37";
  if (!RealWorld().disk.IsFolder(folder)) {
    GTEST_SKIP() << "no vectors: set DRAY_SHARED to a folder that has them";
  }
  size_t compared = 0;
  const auto files = VectorFilesIn(RealWorld().disk, folder, ".json");
  ASSERT_TRUE(files.has_value());
  for (const std::string& file : *files) {
    const std::string name = file.substr(file.rfind('/') + 1);
    if (!name.starts_with("rules-") && !name.starts_with("crd-cel-")) continue;
    const Result<std::string> text = ReadVectors(RealWorld().disk, file);
    ASSERT_TRUE(text.has_value()) << file;
    const Result<Tree> recording = api::ReadTree(*text);
    ASSERT_TRUE(recording.has_value()) << file;
    Scenario scenario(name, folder);
    scenario.Play(*recording);
    EXPECT_GT(scenario.compared(), 0U) << name;
    compared += scenario.compared();
  }
  fmt::print("{} answers compared\n", compared);
}

}  // namespace
}  // namespace dray::vectors
