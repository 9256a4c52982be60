// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/validation_case.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "api/conversion/conversion.h"
#include "api/core_v1.h"
#include "api/defaults/defaults.h"
#include "api/validation/disabled_fields.h"
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

constexpr int64_t kNowSeconds = 1'800'000'000;  // kNowText

class Checker final : public validation::SelectorChecker {
 public:
  explicit Checker(const api::Profile& profile) : profile_(profile) {}
  std::optional<validation::SelectorProblem> Check(std::string_view expression) const override {
    const auto selector = cel::Selector::Compile(
        expression,
        {.use = cel::ExpressionUse::kNew,
         .consumable_capacity = profile_.Has(api::Gate::kConsumableCapacity),
         .list_type_attributes = profile_.Has(api::Gate::kListTypeAttributes)});
    if (selector) return std::nullopt;
    const auto kind = selector.error().reason == StatusReason::kInvalid
                          ? validation::SelectorProblem::Kind::kInvalid
                          : validation::SelectorProblem::Kind::kInternal;
    return validation::SelectorProblem{.kind = kind, .detail = selector.error().message};
  }

 private:
  const api::Profile& profile_;
};

// Refuses what a case's "deny" names: beginnings of "<verb> <resource>/<subresource> <name>".
class Denials final : public validation::Authorizer {
 public:
  explicit Denials(const json::object& test) : denied_(ListOf(test, "deny")) {}
  std::optional<validation::AccessRefusal> Ask(
      const validation::AccessQuestion& question) const override {
    const std::string words = fmt::format(
        "{} {}/{} {}", question.verb, question.resource, question.subresource, question.name);
    const bool is_denied = std::ranges::any_of(denied_, [&](const json::value& start) {
      return words.starts_with(std::string_view(start.as_string()));
    });
    return is_denied ? std::optional(validation::AccessRefusal{}) : std::nullopt;
  }

 private:
  const json::array& denied_;
};

Outcome Refused(const Error& error) {
  return {.code = HttpCode(error.reason), .causes = error.causes, .message = error.message};
}

api::core_v1::Namespace SpaceOf(const json::object& test) {
  api::core_v1::Namespace space;
  if (const json::value* labels = test.if_contains("namespaceLabels")) {
    for (const auto& [key, value] : labels->as_object()) {
      space.metadata.labels[std::string(key)] = std::string(value.as_string());
    }
  }
  return space;
}

enum class Operation : uint8_t { kCreate, kUpdate, kUpdateStatus };

Operation OperationOf(const json::object& test) {
  const std::string_view name = TextOf(test, "operation");
  if (name == "create") return Operation::kCreate;
  return name == "update" ? Operation::kUpdate : Operation::kUpdateStatus;
}

bool HasTag(const json::object& test, std::string_view wanted) {
  return std::ranges::any_of(ListOf(test, "tags"), [&](const json::value& tag) {
    return std::string_view(tag.as_string()) == wanted;
  });
}

// The URL names the object, and with it decides before anybody looks inside.
Result<> TakePlaceFromUrl(const api::meta_v1::ObjectMeta& url, api::meta_v1::ObjectMeta& meta) {
  if (meta.name != url.name) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("the name of the object ({}) does not match the name on the URL ({})",
                            meta.name,
                            url.name));
  }
  if (meta.namespace_.empty()) meta.namespace_ = url.namespace_;
  if (meta.namespace_ != url.namespace_) {
    return Fail(StatusReason::kBadRequest,
                "the namespace of the provided object does not match the namespace sent on the "
                "request");
  }
  return {};
}

// What the store would have made equal.
void MakeSameObject(api::meta_v1::ObjectMeta& meta, api::meta_v1::ObjectMeta& old) {
  old.uid = "uid-of-case";
  old.resource_version = "1";
  meta.uid = old.uid;
  meta.resource_version = old.resource_version;
  meta.creation_timestamp = old.creation_timestamp;
}

// A request in the form of the store.
struct Request {
  Operation operation;
  api::Object object;
  api::Object old = {};
};

// What the server decides before validation.
void Prepare(Request& request, const api::Profile& profile) {
  const WallTime now{std::chrono::seconds(kNowSeconds)};
  switch (request.operation) {
    case Operation::kCreate: {
      SeededRandom random(1);
      server::PrepareForCreate(request.object, now, random, profile.release);
      break;
    }
    case Operation::kUpdate:
      server::PrepareForUpdate(request.object, request.old, now, profile.release);
      break;
    case Operation::kUpdateStatus:
      server::PrepareForStatusUpdate(request.object, request.old);
      break;
  }
  validation::DropDisabledFields(
      request.object, request.old.empty() ? nullptr : &request.old, profile);
}

std::vector<Cause> Validate(const Request& request, const validation::Options& options) {
  const api::Object& object = request.object;
  std::vector<Cause> causes;
  std::vector<Cause> more;
  switch (request.operation) {
    case Operation::kCreate:
      causes = server::CheckNewMetadata(object.kind(), object.metadata(), options.profile);
      more = validation::ValidateCreate(object, options);
      break;
    case Operation::kUpdate:
      causes = server::CheckChangedMetadata(
          object.kind(), object.metadata(), request.old.metadata(), options.profile);
      more = validation::ValidateUpdate(object, request.old, options);
      break;
    case Operation::kUpdateStatus:
      causes = server::CheckChangedMetadata(object.kind(),
                                            object.metadata(),
                                            request.old.metadata(),
                                            options.profile,
                                            server::ChangedPart::kStatus);
      more = validation::ValidateStatusUpdate(object, request.old, options);
      break;
  }
  std::ranges::move(more, std::back_inserter(causes));
  return causes;
}

Result<Request> Read(const CaseSubject& subject,
                     const json::object& test,
                     api::DecodeIssues* strict) {
  const api::Release release = subject.profile.release;
  const json::value* const raw = test.if_contains("raw");
  const std::string body =
      raw != nullptr ? std::string(raw->as_string()) : json::serialize(test.at("object"));
  DRAY_TRY(api::Object object, ReadAs(*subject.kind, body, release, strict));
  Request request = {.operation = OperationOf(test),
                     .object = api::conversion::ToHub(object, release).Clone()};
  api::meta_v1::ObjectMeta& meta = request.object.mutable_metadata();
  if (const json::value* stored = test.if_contains("old")) {
    api::DecodeIssues ignored;
    DRAY_TRY(const api::Object old,
             ReadAs(*subject.kind, json::serialize(*stored), release, &ignored));
    request.old = api::conversion::ToHub(old, release).Clone();
    api::meta_v1::ObjectMeta& old_meta = request.old.mutable_metadata();
    DRAY_TRY_VOID(TakePlaceFromUrl(old_meta, meta));
    MakeSameObject(meta, old_meta);
  } else if (subject.kind->namespaced && meta.namespace_.empty() && !HasTag(test, "direct")) {
    meta.namespace_ = "default";
  }
  return request;
}

}  // namespace

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

Result<CaseSubject> SubjectOf(const json::object& test) {
  DRAY_TRY(const api::Release release, api::ParseRelease(TextOf(test, "release")));
  CaseSubject subject = {.profile = api::Profile::Of(release)};
  if (const json::value* gates = test.if_contains("gates")) {
    for (const auto& [name, on] : gates->as_object()) {
      DRAY_TRY_VOID(subject.profile.gates.Apply(
          fmt::format("{}={}", std::string_view(name), on.as_bool()), release));
    }
  }
  api::TypeMeta type;
  if (const json::value* raw = test.if_contains("raw")) {
    DRAY_TRY(type, api::ReadTypeMeta(std::string_view(raw->as_string())));
  } else {
    const json::object& object = test.at("object").as_object();
    type = {.api_version = std::string(TextOf(object, "apiVersion")),
            .kind = std::string(TextOf(object, "kind"))};
  }
  subject.kind = api::Scheme().FindKind(type.api_version, type.kind);
  if (subject.kind == nullptr) {
    return Fail(StatusReason::kNotFound, fmt::format("no kind {} {}", type.api_version, type.kind));
  }
  return subject;
}

Result<api::Object> ReadAs(const api::KindInfo& kind,
                           std::string_view text,
                           api::Release release,
                           api::DecodeIssues* issues) {
  DRAY_TRY(api::Object object, api::DecodeJson(kind, text, issues, {.release = release}));
  api::defaults::SetDefaults(object, api::Time::FromUnixSeconds(kNowSeconds), release);
  return object;
}

Outcome RunValidationCase(const CaseSubject& subject, const json::object& test) {
  Outcome outcome;
  auto request = Read(subject, test, &outcome.strict);
  if (!request) return Refused(request.error());
  Prepare(*request, subject.profile);
  const Checker checker(subject.profile);
  const Denials denials(test);
  const validation::Caller caller = {.authorizer = denials,
                                     .user = "someone",
                                     .verb = "update",
                                     .node_name = std::string(TextOf(test, "nodeName"))};
  const api::core_v1::Namespace space = SpaceOf(test);
  std::vector<Cause> causes = Validate(*request,
                                       {.profile = subject.profile,
                                        .version = subject.kind,
                                        .selectors = &checker,
                                        .space = test.contains("namespaceError") ? nullptr : &space,
                                        .caller = &caller});
  if (!causes.empty()) {
    const std::string name = request->object.metadata().name;
    Outcome refused = Refused(validation::InvalidError(*subject.kind, name, std::move(causes)));
    refused.strict = std::move(outcome.strict);
    return refused;
  }
  outcome.code = request->operation == Operation::kCreate ? 201 : 200;
  outcome.warnings = validation::Warnings(request->object, subject.profile);
  const api::Release release = subject.profile.release;
  outcome.object = api::ToJson(api::conversion::FromHub(request->object, *subject.kind, release),
                               {.release = release});
  return outcome;
}

}  // namespace dray::vectors
