// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/mutating_policies.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/codec/json.h"
#include "api/custom_kind.h"
#include "api/kind.h"
#include "base/try.h"
#include "server/policies/cel_values.h"
#include "server/policies/mutate.h"
#include "server/verbs/admission/changed_object.h"
#include "server/verbs/admission/seen_request.h"
#include "server/verbs/context/conversion_memo.h"
#include "server/verbs/conversion/conversion.h"
#include "server/webhooks/review.h"

namespace dray::server::verbs::admission {
namespace {

// The object of a write, which policies see in the version that their rules name.
class WrittenObject final : public policies::ChangedObject {
 public:
  WrittenObject(const Call& call, api::Object& object) : call_(call), object_(object) {}

  std::string TextIn(const api::KindInfo& version) const override {
    return policies::JsonText(object_, version, call_.request->release, ConverterOf(call_));
  }

  Result<bool> Replace(const api::KindInfo& version, std::string_view json) override {
    DRAY_TRY(api::Object decoded, Decode(version, json));
    api::Object next = AfterChange(call_, version, object_, std::move(decoded));
    const bool is_changed = !(next == object_);
    object_ = std::move(next);
    return is_changed;
  }

 private:
  // Upstream decodes as the kind that the document names, and converts then.
  Result<api::Object> Decode(const api::KindInfo& version, std::string_view json) const {
    const api::KindInfo* named = &version;
    const Result<api::TypeMeta> said = api::ReadTypeMeta(json);
    if (!said.has_value()) return Fail(webhooks::InternalBecause(said.error().message));
    const bool is_another = !said->kind.empty() && (said->kind != version.kind ||
                                                    said->api_version != version.api_version);
    if (is_another) {
      named = call_.core->scheme.Now()->FindKind(said->api_version, said->kind);
      if (named == nullptr || api::IsCustom(version)) return Fail(Unregistered(*said));
    }
    // Upstream does not compare custom objects with their schemas here; they are pruned later.
    api::DecodeIssues issues;
    Result<api::Object> object = api::DecodeJson(*named,
                                                 json,
                                                 api::IsCustom(version) ? nullptr : &issues,
                                                 {.release = call_.request->release});
    if (!object.has_value()) return Fail(webhooks::InternalBecause(object.error().message));
    if (!issues.empty()) {
      return Fail(webhooks::InternalBecause(
          fmt::format("strict decoding error: {}", fmt::join(issues, ", "))));
    }
    if (!is_another) return object;
    return Fail(webhooks::InternalBecause(
        fmt::format("failed to convert object: converting ({}.{}) to ({}.{}): unknown conversion",
                    named->version,
                    named->kind,
                    version.group.empty() ? "core" : version.group,
                    version.kind)));
  }

  static Error Unregistered(const api::TypeMeta& said) {
    return webhooks::InternalBecause(fmt::format(
        R"(no kind "{}" is registered for version "{}" in scheme "pkg/runtime/scheme.go:111")",
        said.kind,
        said.api_version));
  }

  const Call& call_;
  api::Object& object_;
};

}  // namespace

Result<> ApplyPolicies(Passage& passage) {
  const Call& call = *passage.call;
  if (call.is_own || IsExemptFromPolicies(call.kind())) return {};
  const auto list = call.core->mutating_policies->In(*passage.snapshot);
  if (list == nullptr || list->empty()) return {};
  const InSnapshot surroundings(*call.core, *passage.snapshot);
  const SeenRequest seen(call, *passage.write, surroundings);
  api::Object* const object = ChangeableOf(passage);
  Rounds& rounds = passage.rounds;
  const bool is_changed_since = rounds.is_second && object != nullptr &&
                                !rounds.policy_outcome.empty() &&
                                !(*object == rounds.policy_outcome);
  if (is_changed_since) rounds.policy_turns.NoteChange();
  std::optional<WrittenObject> written;
  if (object != nullptr) written.emplace(call, *object);
  policies::CheckLog checks(call.core->world.clock);
  const Result<bool> applied = policies::Mutate(
      *list,
      seen.request,
      surroundings,
      written.has_value() ? &*written : nullptr,
      {.is_second = rounds.is_second, .reinvocations = rounds.policy_turns, .log = &checks});
  if (HasAllConversions(call)) call.core->policy_checks->NoteMutations(checks);
  DRAY_TRY(const bool is_carried_out, applied);
  if (is_carried_out) rounds.wants_second = true;
  const bool may_be_second = !rounds.is_second && !rounds.policy_turns.asked.empty();
  if (object != nullptr && (is_carried_out || may_be_second)) {
    rounds.policy_outcome = object->Clone();
  }
  return {};
}

bool MayConvertForMutation(const Call& call, const store::Snapshot& snapshot) {
  return !call.is_own && MayNeedWebhook(call.kind()) &&
         call.core->mutating_policies->In(snapshot) != nullptr;
}

Task<> ApplyPoliciesToVersions(Passage* passage) {
  api::Object* const object = ChangeableOf(*passage);
  const api::Object before = object == nullptr ? api::Object() : object->Clone();
  const Rounds rounds = passage->rounds;
  while (true) {
    const Result<> applied = ApplyPolicies(*passage);
    DRAY_CO_TRY(const bool is_again, co_await FetchConversions(passage->call));
    if (!is_again) co_return applied;
    // What was made of placeholders is dropped.
    if (object != nullptr) *object = before.Clone();
    passage->rounds = rounds;
  }
}

}  // namespace dray::server::verbs::admission
