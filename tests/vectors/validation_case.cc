// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/validation_case.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "api/conversion/conversion.h"
#include "api/core_v1/namespace.h"
#include "api/generate_name.h"
#include "api/status.h"
#include "api/validation/field_error.h"
#include "api/validation/options.h"
#include "base/simulated_world.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/registry/profile_expressions.h"
#include "server/registry/write.h"
#include "server/testing/readable.h"
#include "tests/vectors/case_files.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;
namespace validation = api::validation;

constexpr WallTime kNow{std::chrono::seconds(1'800'000'000)};  // kNowText

// Refuses requests that a case's "deny" names: prefixes of "<verb> <resource>/<subresource>
// <name>".
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
  return {.code = api::HttpCode(error.reason), .causes = error.causes, .message = error.message};
}

api::core_v1::Namespace NamespaceOf(const json::object& test) {
  api::core_v1::Namespace namespace_object;
  if (const json::value* labels = test.if_contains("namespaceLabels")) {
    for (const auto& [key, value] : labels->as_object()) {
      namespace_object.metadata.labels[std::string(key)] = std::string(value.as_string());
    }
  }
  return namespace_object;
}

// The write of a case. Both objects are in the form of the store and have their defaults.
struct Write {
  api::Object object;
  api::Object old = {};  // empty: the object is created
  server::registry::Subresource subresource = server::registry::Subresource::kNone;
};

bool HasTag(const json::object& test, std::string_view wanted) {
  return std::ranges::any_of(ListOf(test, "tags"), [&](const json::value& tag) {
    return std::string_view(tag.as_string()) == wanted;
  });
}

// The URL names the object, so mismatches are reported before the object is checked.
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

// Makes the fields equal that the store would have made equal.
void MakeSameObject(api::meta_v1::ObjectMeta& meta, api::meta_v1::ObjectMeta& old) {
  old.uid = "uid-of-case";
  old.resource_version = "1";
  meta.uid = old.uid;
  meta.resource_version = old.resource_version;
  meta.creation_timestamp = old.creation_timestamp;
}

Result<Write> Read(const CaseSubject& subject,
                   const json::object& test,
                   api::DecodeIssues* strict) {
  const api::Release release = subject.profile.release;
  const json::value* const raw = test.if_contains("raw");
  const std::string body =
      raw != nullptr ? std::string(raw->as_string()) : json::serialize(test.at("object"));
  Write write;
  DRAY_TRY(write.object,
           server::registry::DecodeForStore(*subject.kind, body, release, kNow, strict));
  api::meta_v1::ObjectMeta& meta = write.object.mutable_metadata();
  const std::string_view operation = TextOf(test, "operation");
  if (operation != "create" && operation != "update") {
    write.subresource = server::registry::Subresource::kStatus;
  }
  if (const json::value* stored = test.if_contains("old")) {
    api::DecodeIssues ignored;
    DRAY_TRY(write.old,
             server::registry::DecodeForStore(
                 *subject.kind, json::serialize(*stored), release, kNow, &ignored));
    api::meta_v1::ObjectMeta& old_meta = write.old.mutable_metadata();
    DRAY_TRY_VOID(TakePlaceFromUrl(old_meta, meta));
    MakeSameObject(meta, old_meta);
  } else if (subject.kind->namespaced && meta.namespace_.empty() && !HasTag(test, "direct")) {
    meta.namespace_ = "default";
  }
  return write;
}

}  // namespace

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

Outcome RunValidationCase(const CaseSubject& subject, const json::object& test) {
  namespace registry = server::registry;
  Outcome outcome;
  auto write = Read(subject, test, &outcome.strict);
  if (!write) return Refused(write.error());
  const registry::ProfileExpressions expressions(subject.profile);
  const Denials denials(test);
  const validation::Caller caller = {.authorizer = denials,
                                     .user = "someone",
                                     .verb = "update",
                                     .node_name = std::string(TextOf(test, "nodeName"))};
  const api::core_v1::Namespace namespace_object = NamespaceOf(test);
  SeededRandom random(1);
  registry::WriteContext context = {
      .now = kNow,
      .subresource = write->subresource,
      .options = {.profile = subject.profile,
                  .version = subject.kind,
                  .expressions = &expressions,
                  .namespace_object = test.contains("namespaceError") ? nullptr : &namespace_object,
                  .caller = &caller}};
  const registry::Strategy& strategy = registry::StrategyOf(*subject.kind);
  api::Object& object = write->object;
  Result<registry::Warnings> result;
  if (write->old.empty()) {
    api::NameIfAsked(object.mutable_metadata(), random);
    context.uid = NewUuid(random);
    registry::BeginCreate(object, context);
    result = registry::BeforeCreate(strategy, object, context);
  } else {
    registry::BeginUpdate(object, write->old, context);
    result = registry::BeforeUpdate(strategy, object, write->old, context);
  }
  if (!result.has_value()) {
    Outcome refused = Refused(result.error());
    refused.strict = std::move(outcome.strict);
    return refused;
  }
  // An accepted object must be readable after it is stored.
  if (const std::string loss = server::testing::LossOf(object); !loss.empty()) {
    return Refused(server::errors::Internal("not readable: " + loss));
  }
  outcome.code = write->old.empty() ? 201 : 200;
  outcome.warnings = *std::move(result);
  const api::Release release = subject.profile.release;
  outcome.object =
      api::ToJson(api::conversion::FromHub(object, *subject.kind, release), {.release = release});
  return outcome;
}

}  // namespace dray::vectors
