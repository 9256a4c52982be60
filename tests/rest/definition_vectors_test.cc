// SPDX-License-Identifier: Apache-2.0
// Writes of CustomResourceDefinitions in recorded scenarios, judged by the server's pure functions
// alone: the same causes, warnings and documents. Whole servers are asked by rest_vectors_test.cc.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include "api/apiextensions_v1.h"
#include "api/codec/json.h"
#include "api/object.h"
#include "base/try.h"
#include "base/world.h"
#include "server/patch/patch.h"
#include "server/registry/strategy.h"
#include "server/registry/write.h"
#include "tests/rest/comparison.h"
#include "tests/rest/scenario.h"
#include "tests/vectors/case_files.h"
#include "tests/vectors/shape.h"
#include "tests/vectors/shared_folder.h"

namespace dray::rest {
namespace {

namespace json = boost::json;
namespace registry = server::registry;
using vectors::ListOf;
using vectors::TextOf;

constexpr WallTime kNow{std::chrono::seconds(1'800'000'000)};
constexpr std::string_view kPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const api::KindInfo& DefinitionKind() {
  return api::Reflected<api::apiextensions_v1::CustomResourceDefinition>::kKind;
}

/// A server's answer to a write.
struct Verdict {
  std::multiset<std::string> causes;  // "reason field message"; none: it is done
  std::set<std::string> warnings;     // besides those about unknown fields
};

// Values of whole structs are the server's own, and so are names that it makes up for types.
std::string Masked(std::string message) {
  RE2::GlobalReplace(&message, R"(selfType\d+)", "selfType…");
  RE2::GlobalReplace(&message, R"(Invalid value: [\[{].*[\]}]:)", "Invalid value: …:");
  return message;
}

Verdict VerdictOf(const Result<registry::Warnings>& answer) {
  Verdict verdict;
  if (answer.has_value()) {
    verdict.warnings.insert(answer->begin(), answer->end());
    return verdict;
  }
  for (const ErrorCause& cause : answer.error().causes) {
    verdict.causes.insert(
        fmt::format("{} {} {}", cause.reason, cause.field, Masked(cause.message)));
  }
  return verdict;
}

/// The text of a Warning header, if it is about the definition itself.
std::optional<std::string> WarningIn(std::string_view header) {
  constexpr std::string_view kBegin = "299 - ";
  if (!header.starts_with(kBegin)) return std::nullopt;
  std::string text(json::parse(header.substr(kBegin.size())).as_string());
  if (text.starts_with("unknown field") || text.starts_with("duplicate field")) return std::nullopt;
  return text;
}

Verdict RecordedVerdict(const json::object& response, const json::object& body) {
  Verdict verdict;
  if (const json::value* details = body.if_contains("details")) {
    for (const json::value& one : ListOf(details->as_object(), "causes")) {
      const json::object& cause = one.as_object();
      verdict.causes.insert(fmt::format("{} {} {}",
                                        TextOf(cause, "reason"),
                                        TextOf(cause, "field"),
                                        Masked(std::string(TextOf(cause, "message")))));
    }
  }
  const json::value* headers = response.if_contains("headers");
  const json::value* warning =
      headers == nullptr ? nullptr : headers->as_object().if_contains("Warning");
  if (warning == nullptr) return verdict;
  const json::array all = warning->is_array() ? warning->as_array() : json::array{*warning};
  for (const json::value& header : all) {
    if (auto text = WarningIn(header.as_string())) verdict.warnings.insert(*std::move(text));
  }
  return verdict;
}

/// A scenario's definitions as the server would have them.
class Definitions {
 public:
  /// Judges one request; nullopt for a request that this test does not cover.
  std::optional<Verdict> Write(const json::object& request, const std::string& body) {
    const std::string_view method = TextOf(request, "method");
    std::string path(TextOf(request, "path"));
    path.resize(std::min(path.find('?'), path.size()));
    if (!path.starts_with(kPath)) return std::nullopt;
    if (method == "POST" && path == kPath) return Create(body);
    const bool is_status = path.ends_with("/status");
    if (is_status) path.resize(path.size() - std::string_view("/status").size());
    const std::string name = path.substr(std::min(kPath.size() + 1, path.size()));
    const auto found = objects_.find(name);
    if (found == objects_.end() || (method != "PATCH" && method != "PUT")) return std::nullopt;
    const auto next = method == "PUT" ? body : Patched(request, found->second, body);
    if (!next.has_value()) return std::nullopt;
    return Update(found->second, *next, is_status);
  }

  /// Stores a definition that the recorded server has.
  void Note(std::string_view text) {
    auto object = registry::DecodeForStore(DefinitionKind(), text, {}, kNow, nullptr);
    if (!object.has_value() || object->metadata().name.empty()) return;
    objects_.insert_or_assign(object->metadata().name, *std::move(object));
  }

  /// The object that the last write made, if it was valid.
  const api::Object& written() const { return written_; }

 private:
  static registry::WriteContext Context(registry::Subresource subresource) {
    return {.now = kNow,
            .uid = "uid",
            .subresource = subresource,
            .options = {.version = &DefinitionKind()}};
  }

  std::optional<Verdict> Create(const std::string& body) {
    auto object = registry::DecodeForStore(DefinitionKind(), body, {}, kNow, nullptr);
    if (!object.has_value()) return std::nullopt;
    written_ = *std::move(object);
    const registry::WriteContext context = Context(registry::Subresource::kNone);
    if (written_.metadata().name.empty()) return std::nullopt;
    registry::BeginCreate(written_, context);
    written_.mutable_metadata().namespace_.clear();
    return VerdictOf(
        registry::BeforeCreate(registry::StrategyOf(DefinitionKind()), written_, context));
  }

  std::optional<Verdict> Update(const api::Object& old, const std::string& body, bool is_status) {
    auto object = registry::DecodeForStore(DefinitionKind(), body, {}, kNow, nullptr);
    if (!object.has_value()) return std::nullopt;
    written_ = *std::move(object);
    if (written_.metadata().resource_version.empty()) {
      written_.mutable_metadata().resource_version = old.metadata().resource_version;
    }
    const registry::WriteContext context =
        Context(is_status ? registry::Subresource::kStatus : registry::Subresource::kNone);
    registry::BeginUpdate(written_, old, context);
    return VerdictOf(
        registry::BeforeUpdate(registry::StrategyOf(DefinitionKind()), written_, old, context));
  }

  static std::optional<std::string> Patched(const json::object& request,
                                            const api::Object& old,
                                            const std::string& patch) {
    const std::string_view type = TextOf(request.at("headers").as_object(), "Content-Type");
    const auto as = [&](server::patch::PatchType one) -> std::optional<std::string> {
      auto patched = server::patch::ApplyPatch(one, DefinitionKind(), api::ToJson(old), patch);
      return patched.has_value() ? std::optional(*std::move(patched)) : std::nullopt;
    };
    if (type.contains("strategic")) return as(server::patch::PatchType::kStrategicMerge);
    if (type.contains("merge-patch")) return as(server::patch::PatchType::kMerge);
    if (type.contains("json-patch")) return as(server::patch::PatchType::kJson);
    return std::nullopt;
  }

  std::map<std::string, api::Object, std::less<>> objects_;
  api::Object written_;
};

json::value ReadDeep(std::string_view document) {
  return json::parse(document, {}, {.max_depth = 500});
}

std::string Member(const std::string& document, std::string_view name) {
  const json::value value = ReadDeep(document);
  const json::value* member = value.as_object().if_contains(name);
  return member == nullptr ? "" : json::serialize(*member);
}

std::string Lines(const auto& texts) {
  return fmt::format("{}", fmt::join(texts, "\n  "));
}

struct Counts {
  size_t judged = 0;
  size_t refused = 0;
};

void ExpectLikeRecorded(const std::string& place,
                        const Verdict& verdict,
                        const Verdict& recorded,
                        Counts& counts) {
  ++counts.judged;
  if (!recorded.causes.empty()) ++counts.refused;
  EXPECT_EQ(Lines(verdict.causes), Lines(recorded.causes)) << place;
  EXPECT_EQ(Lines(verdict.warnings), Lines(recorded.warnings)) << place;
}

/// Notes the port that a hook had, if the step starts one.
void NotePort(const json::object& step, Chosen& chosen) {
  const json::value* port = step.if_contains("port");
  if (!step.contains("hook") || port == nullptr || !port->is_int64()) return;
  const std::string text = fmt::format("{}", port->as_int64());
  chosen.Bind(fmt::format("{}_port", TextOf(step, "hook")), text, text);
}

void PlayScenario(Disk& disk, const Scenario& scenario, Counts& counts) {
  Definitions definitions;
  Chosen chosen;
  size_t number = 0;
  for (const json::value& one : ListOf(scenario.document, "steps")) {
    const json::object& step = one.as_object();
    const std::string place =
        fmt::format("{} step {}: {}", scenario.name, number++, TextOf(step, "note"));
    NotePort(step, chosen);
    if (!step.contains("request") || !step.contains("response") || step.contains("watch")) continue;
    const json::object& request = step.at("request").as_object();
    const json::object& response = step.at("response").as_object();
    const auto sent = BodyOf(disk, scenario, request);
    const auto answer = BodyOf(disk, scenario, response);
    ASSERT_TRUE(sent.has_value() && answer.has_value()) << place;
    if (!answer->has_value() || !TextOf(request, "path").starts_with(kPath)) continue;
    const std::string& text = (*answer)->bytes;
    const int64_t status = response.at("status").as_int64();
    const bool is_judged = status == 200 || status == 201 || status == 422;
    std::optional<Verdict> verdict;
    if (sent->has_value()) verdict = definitions.Write(request, chosen.Fill((*sent)->bytes));
    if (verdict.has_value() && is_judged) {
      const json::object body = ReadDeep(text).as_object();
      ExpectLikeRecorded(place, *verdict, RecordedVerdict(response, body), counts);
      if (status != 422) {
        EXPECT_EQ(Member(api::ToJson(definitions.written()), "spec"), Member(text, "spec"))
            << place;
      }
      if (status == 201) {
        EXPECT_EQ(Member(api::ToJson(definitions.written()), "status"), Member(text, "status"))
            << place;
      }
    }
    const bool is_dry = TextOf(request, "path").contains("dryRun");
    if (is_judged && status != 422 && !is_dry) definitions.Note(text);
  }
}

/// A scenario, also with steps that only a server can play.
Result<Scenario> ReadWithHooks(Disk& disk, const std::string& file) {
  DRAY_TRY(const std::string text, vectors::ReadVectors(disk, file));
  DRAY_TRY(json::value document, vectors::ReadJson(text));
  const std::filesystem::path path(file);
  return Scenario{.name = path.stem().string(),
                  .folder = path.parent_path().parent_path().string(),
                  .document = std::move(document.as_object())};
}

TEST(DefinitionVectors, WritesAreJudgedAlike) {
  const std::string folder = vectors::SharedFolder() + "/vectors/crd/crd-1.37";
  Disk& disk = RealWorld().disk;
  if (!disk.IsFolder(folder)) {
    GTEST_SKIP() << "no vectors: set DRAY_SHARED to a folder that has them";
  }
  const auto files = vectors::VectorFilesIn(disk, folder, ".json");
  ASSERT_TRUE(files.has_value()) << files.error().message;
  Counts counts;
  for (const std::string& file : *files) {
    const auto scenario = ReadWithHooks(disk, file);
    ASSERT_TRUE(scenario.has_value()) << file << ": " << scenario.error().message;
    PlayScenario(disk, *scenario, counts);
  }
  EXPECT_GT(counts.refused, 100U);
  fmt::print("{} writes judged, {} of them refused\n", counts.judged, counts.refused);
}

}  // namespace
}  // namespace dray::rest
