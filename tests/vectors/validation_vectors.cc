// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/validation_vectors.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/core_v1.h"
#include "api/defaults/defaults.h"
#include "api/json.h"
#include "api/kind.h"
#include "api/validation/field_error.h"
#include "api/validation/rules.h"
#include "base/simulated_world.h"
#include "cel/selector.h"
#include "server/metadata_rules.h"
#include "server/strategy.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;
namespace validation = api::validation;

// The moment all cases happen at.
constexpr int64_t kNowSeconds = 1'800'000'000;
constexpr std::string_view kNowText = "2027-01-15T08:00:00Z";

std::string_view TextOf(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string_view(value->as_string())
                                                : std::string_view();
}

const json::array& ListOf(const json::object& object, std::string_view name) {
  static const json::array kNone;
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_array() ? value->as_array() : kNone;
}

class Checker final : public validation::SelectorChecker {
 public:
  std::optional<validation::SelectorProblem> Check(std::string_view expression) const override {
    const auto selector = cel::Selector::Compile(expression,
                                                 {.use = cel::ExpressionUse::kNew,
                                                  .consumable_capacity = true,
                                                  .list_type_attributes = true});
    if (selector) return std::nullopt;
    const auto kind = selector.error().reason == StatusReason::kInvalid
                          ? validation::SelectorProblem::Kind::kInvalid
                          : validation::SelectorProblem::Kind::kInternal;
    return validation::SelectorProblem{.kind = kind, .detail = selector.error().message};
  }
};

struct Outcome {
  int code = 0;
  std::vector<Cause> causes;
  std::string message;
  std::vector<std::string> warnings;
  std::vector<std::string> strict;
  api::Object object;
};

Outcome Refused(const Error& error) {
  return {.code = HttpCode(error.reason), .causes = error.causes, .message = error.message};
}

api::Object SpaceOf(const json::object& test) {
  api::core_v1::Namespace space;
  if (const json::value* labels = test.if_contains("namespaceLabels")) {
    for (const auto& [key, value] : labels->as_object()) {
      space.metadata.labels[std::string(key)] = std::string(value.as_string());
    }
  }
  return api::Object::Of(std::move(space));
}

struct Request {
  const api::KindInfo& kind;
  std::string operation;
  std::string body;
  std::optional<std::string> old;
};

// What the URL and the store would have made equal.
void MakeSameObject(api::Object& object, const api::Object& old) {
  api::meta_v1::ObjectMeta& meta = object.mutable_metadata();
  meta.uid = old.metadata().uid;
  meta.resource_version = old.metadata().resource_version;
  meta.creation_timestamp = old.metadata().creation_timestamp;
}

std::vector<Cause> Validate(const Request& request,
                            api::Object& object,
                            const api::Object& old,
                            const validation::Options& options) {
  std::vector<Cause> causes;
  std::vector<Cause> more;
  std::string& space = object.mutable_metadata().namespace_;
  if (request.kind.namespaced && space.empty()) space = "default";  // the URL says it
  if (request.operation == "create") {
    SeededRandom random(1);
    server::PrepareForCreate(object, WallTime(std::chrono::seconds(kNowSeconds)), random);
    causes = server::CheckNewMetadata(request.kind, object.metadata());
    more = validation::ValidateCreate(object, options);
  } else if (request.operation == "update") {
    server::PrepareForUpdate(object, old);
    causes = server::CheckChangedMetadata(request.kind, object.metadata(), old.metadata());
    more = validation::ValidateUpdate(object, old, options);
  } else {
    server::PrepareForStatusUpdate(object, old);
    causes = server::CheckChangedMetadata(request.kind, object.metadata(), old.metadata());
    more = validation::ValidateStatusUpdate(object, old, options);
  }
  std::ranges::move(more, std::back_inserter(causes));
  return causes;
}

Result<api::Object> Decode(const api::KindInfo& kind,
                           std::string_view text,
                           api::DecodeIssues* issues) {
  DRAY_TRY(api::Object object, api::DecodeJson(kind, text, issues));
  api::defaults::SetDefaults(object, api::Time::FromUnixSeconds(kNowSeconds));
  return object;
}

Outcome Run(const Request& request, const json::object& test) {
  Outcome outcome;
  auto object = Decode(request.kind, request.body, &outcome.strict);
  if (!object) return Refused(object.error());
  api::Object old;
  if (request.old.has_value()) {
    api::DecodeIssues ignored;
    auto stored = Decode(request.kind, *request.old, &ignored);
    if (!stored) return Refused(stored.error());
    old = *std::move(stored);
    old.mutable_metadata().uid = "uid-of-case";
    old.mutable_metadata().resource_version = "1";
    MakeSameObject(*object, old);
  }
  const Checker checker;
  const api::Object space = SpaceOf(test);
  const bool is_lost = test.contains("namespaceError");
  const validation::Options options = {
      .selectors = &checker, .space = is_lost ? nullptr : &space.As<api::core_v1::Namespace>()};
  std::vector<Cause> causes = Validate(request, *object, old, options);
  if (!causes.empty()) {
    const std::string name = object->metadata().name;
    Outcome refused = Refused(validation::InvalidError(request.kind, name, std::move(causes)));
    refused.strict = std::move(outcome.strict);
    return refused;
  }
  outcome.code = request.operation == "create" ? 201 : 200;
  outcome.warnings = validation::Warnings(*object);
  outcome.object = *std::move(object);
  return outcome;
}

// ------------------------------------------------------------------------------------- comparison

// Texts that clients do not compare: those of CEL compilers, and Go structs of upstream's.
bool IsAdvisory(std::string_view text) {
  if (text.contains("compilation failed: ") || text.starts_with("Internal error")) return true;
  // A change of a pod is shown as the difference of Go structs.
  if (text.starts_with("Forbidden: pod updates may not change")) return true;
  return text.starts_with("Invalid value: {\"") || text.starts_with("Invalid value: [{\"");
}

// Our structs hold an empty list and none alike, as protobuf does; upstream's JSON decoder keeps
// them apart, and so do its texts.
std::string WithoutEmptyLists(std::string text) {
  for (const std::string_view before : {": ", ":"}) {
    const std::string empty = fmt::format("{}[]", before);
    for (size_t at = text.find(empty); at != std::string::npos; at = text.find(empty)) {
      text.replace(at, empty.size(), fmt::format("{}null", before));
    }
  }
  return text;
}

std::string Line(std::string_view reason, std::string_view field, std::string_view text) {
  return fmt::format(
      "{} {}: {}", reason, field, IsAdvisory(text) ? "…" : WithoutEmptyLists(std::string(text)));
}

std::vector<std::string> WantedLines(const json::object& measured) {
  std::vector<std::string> lines;
  for (const json::value& error : ListOf(measured, "errors")) {
    const json::object& one = error.as_object();
    const std::string_view type = TextOf(one, "type");
    lines.push_back(
        Line(type == "InternalError" ? std::string(type) : "FieldValue" + std::string(type),
             TextOf(one, "field"),
             TextOf(one, "text")));
  }
  return lines;
}

std::vector<std::string> LinesOf(const std::vector<Cause>& causes) {
  std::vector<std::string> lines;
  for (const Cause& cause : causes) lines.push_back(Line(cause.reason, cause.field, cause.message));
  return lines;
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

json::value ResultOf(const api::Object& object) {
  json::value value = json::parse(api::ToJson(object));
  if (auto* meta = value.as_object()["metadata"].if_object()) {
    for (const char* name : {"uid", "resourceVersion", "creationTimestamp", "managedFields"}) {
      meta->erase(name);
    }
  }
  return value;
}

void DropEmptyLists(json::value& value) {
  if (auto* object = value.if_object()) {
    for (auto& member : *object) DropEmptyLists(member.value());
  } else if (auto* array = value.if_array()) {
    for (json::value& item : *array) DropEmptyLists(item);
    if (array->empty()) value = nullptr;
  }
}

std::vector<std::string> Strings(const json::array& array) {
  std::vector<std::string> strings;
  for (const json::value& value : array) strings.emplace_back(value.as_string());
  return strings;
}

std::string Shortened(std::string text) {
  constexpr size_t kMax = 1200;
  if (text.size() > kMax) text.resize(kMax);
  return text;
}

// What differs between the outcome and what was measured; empty when nothing does.
std::string Difference(const Outcome& outcome, const json::object& measured) {
  const int64_t code = measured.at("code").to_number<int64_t>();
  std::vector<std::string> want = WantedLines(measured);
  std::vector<std::string> got = LinesOf(outcome.causes);
  const bool varies = measured.contains("orderVaries");
  for (size_t i = 0; i < std::min(want.size(), got.size()); ++i) {
    const std::string_view known = want[i];
    if (!known.ends_with("…")) continue;
    const std::string_view start = known.substr(0, known.size() - std::string_view("…").size());
    if (got[i].starts_with(start)) got[i] = known;
  }
  if (varies) {
    std::ranges::sort(want);
    std::ranges::sort(got);
  }
  if (outcome.code != code || want != got) {
    return Shortened(fmt::format(
        "want {}\n    {}\n  got {}\n    {}",
        code,
        fmt::join(want, "\n    "),
        outcome.code,
        outcome.code == 400 ? outcome.message : fmt::format("{}", fmt::join(got, "\n    "))));
  }
  if (code == 400) return {};
  const bool is_advisory =
      std::ranges::any_of(want, [](const std::string& line) { return line.ends_with("…"); });
  if (code == 422 && !varies && !is_advisory &&
      WithoutEmptyLists(outcome.message) !=
          WithoutEmptyLists(std::string(TextOf(measured, "message")))) {
    return Shortened(
        fmt::format("want message {}\n  got {}", TextOf(measured, "message"), outcome.message));
  }
  if (outcome.warnings != Strings(ListOf(measured, "warnings")) && code < 300) {
    return fmt::format("warnings: {}", fmt::join(outcome.warnings, "; "));
  }
  const json::value* result = measured.if_contains("result");
  if (result == nullptr) return {};
  json::value wanted = *result;
  ReplaceNow(wanted);
  DropEmptyLists(wanted);
  json::value given = ResultOf(outcome.object);
  DropEmptyLists(given);
  if (wanted == given) return {};
  return Shortened(
      fmt::format("want result {}\n  got {}", json::serialize(wanted), json::serialize(given)));
}

// ------------------------------------------------------------------------------------------ files

bool HasTag(const json::object& test, std::string_view prefix) {
  return std::ranges::any_of(ListOf(test, "tags"), [&](const json::value& tag) {
    return std::string_view(tag.as_string()).starts_with(prefix);
  });
}

// "resource.k8s.io/v1/" chooses a version, "resource.k8s.io/v1/ResourceClaim" a kind.
bool IsChosen(std::string_view word, const ApiVectorOptions& options) {
  return options.kinds.ends_with('/') ? word.starts_with(options.kinds) : word == options.kinds;
}

// Our structs hold a list that is empty and one that is absent alike, as the wire of protobuf does;
// upstream's JSON decoder keeps them apart, and a few of its rules ask.
bool IsAboutEmptyLists(const json::object& measured) {
  return std::ranges::any_of(ListOf(measured, "errors"), [](const json::value& error) {
    const std::string_view text = TextOf(error.as_object(), "text");
    return text.contains("must not be empty if specified") ||
           text.starts_with("Invalid value: []: binding") ||
           text.contains("only one of `sharedCounters` or `devices`");
  });
}

// Whether the answer came from the URL, which names the object, before anything here is asked.
bool IsAboutUrl(const json::object& test) {
  const json::value* old = test.if_contains("old");
  return old != nullptr && test.at("measured").at("code").to_number<int>() == 400 &&
         (old->at("metadata").at("name") != test.at("object").at("metadata").at("name") ||
          TextOf(old->at("metadata").as_object(), "namespace") !=
              TextOf(test.at("object").at("metadata").as_object(), "namespace"));
}

// Upstream counts the name of a class in bytes, those of other kinds in "characters"; the metadata
// rules know one word.
bool IsAboutLengthOfClassName(const json::object& test) {
  return TextOf(test.at("object").as_object(), "kind") == "DeviceClass" &&
         std::ranges::any_of(ListOf(test.at("measured").as_object(), "errors"),
                             [](const json::value& error) {
                               return TextOf(error.as_object(), "field") == "metadata.name" &&
                                      TextOf(error.as_object(), "text").contains("253 bytes");
                             });
}

// CEL of derived attributes has a result rule of its own.
bool IsAboutDerivedExpressions(const json::object& measured) {
  return std::ranges::any_of(ListOf(measured, "errors"), [](const json::value& error) {
    return TextOf(error.as_object(), "field").contains("derivedAttributes") &&
           TextOf(error.as_object(), "text").contains("compilation failed");
  });
}

// Why a case is not run; empty when it is.
std::string_view WhyNotRun(const json::object& test) {
  if (!test.contains("measured")) return "not measured";
  if (test.contains("gates")) return "a feature gate is off";
  if (test.contains("deny")) return "asks an authorizer";
  if (test.contains("raw")) return "raw body";
  if (IsAboutEmptyLists(test.at("measured").as_object())) return "an empty list is not none";
  if (IsAboutLengthOfClassName(test)) return "the word for the length of a class's name";
  if (IsAboutUrl(test)) return "answered by the URL";
  if (IsAboutDerivedExpressions(test.at("measured").as_object())) {
    return "CEL of derived attributes";
  }
  if (HasTag(test, "cel-cost")) return "asks the cost estimator";
  return {};
}

void RunCase(const json::object& test, const ApiVectorOptions& options, Report& report) {
  if (TextOf(test, "release") != options.release) return;
  const json::value* body = test.if_contains("object");
  if (body == nullptr || !body->is_object()) return;
  const std::string_view api_version = TextOf(body->as_object(), "apiVersion");
  const std::string_view kind_name = TextOf(body->as_object(), "kind");
  if (!IsChosen(fmt::format("{}/{}", api_version, kind_name), options)) return;
  const api::KindInfo* kind = api::Scheme().FindKind(api_version, kind_name);
  if (kind == nullptr) {
    ++report.not_run[fmt::format("no kind {} {}", api_version, kind_name)];
    return;
  }
  if (const std::string_view reason = WhyNotRun(test); !reason.empty()) {
    ++report.not_run[std::string(reason)];
    return;
  }
  Request request = {.kind = *kind,
                     .operation = std::string(TextOf(test, "operation")),
                     .body = json::serialize(*body),
                     .old = std::nullopt};
  if (const json::value* old = test.if_contains("old")) request.old = json::serialize(*old);
  const std::string difference = Difference(Run(request, test), test.at("measured").as_object());
  if (difference.empty()) {
    ++report.passed;
  } else {
    report.failures.push_back(fmt::format("{}: {}", TextOf(test, "name"), difference));
  }
}

void RunDefaulting(const json::object& test, const ApiVectorOptions& options, Report& report) {
  if (TextOf(test, "release") != options.release) return;
  const std::string word = fmt::format("{}/{}", TextOf(test, "apiVersion"), TextOf(test, "kind"));
  if (!IsChosen(word, options)) return;
  const api::KindInfo* kind =
      api::Scheme().FindKind(TextOf(test, "apiVersion"), TextOf(test, "kind"));
  if (kind == nullptr) {
    ++report.not_run["no kind " + word];
    return;
  }
  api::DecodeIssues issues;
  const auto object = Decode(*kind, json::serialize(test.at("input")), &issues);
  if (!object) {
    report.failures.push_back(fmt::format("{}: {}", TextOf(test, "name"), object.error().message));
    return;
  }
  json::value want = test.at("served");
  ReplaceNow(want);
  const json::value got = ResultOf(*object);
  if (got == want) {
    ++report.passed;
    return;
  }
  report.failures.push_back(Shortened(fmt::format(
      "{}: want {}\n  got {}", TextOf(test, "name"), json::serialize(want), json::serialize(got))));
}

template <class RunOne>
Result<Report> RunFiles(Disk& disk, const std::vector<std::string>& files, RunOne run_one) {
  Report report;
  for (const std::string& file : files) {
    DRAY_TRY(const std::string text, disk.Read(file));
    boost::system::error_code error;
    const json::value cases = json::parse(text, error);
    if (error || !cases.is_array()) {
      return Fail(StatusReason::kBadRequest, file + ": not an array of vectors");
    }
    for (const json::value& test : cases.as_array()) {
      if (const auto* object = test.if_object()) run_one(*object, report);
    }
  }
  return report;
}

}  // namespace

Result<Report> RunValidationVectors(Disk& disk,
                                    const std::vector<std::string>& files,
                                    const ApiVectorOptions& options) {
  return RunFiles(disk, files, [&](const json::object& test, Report& report) {
    RunCase(test, options, report);
  });
}

Result<Report> RunDefaultingVectors(Disk& disk,
                                    const std::vector<std::string>& files,
                                    const ApiVectorOptions& options) {
  return RunFiles(disk, files, [&](const json::object& test, Report& report) {
    RunDefaulting(test, options, report);
  });
}

}  // namespace dray::vectors
