// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/validating_policies.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/admissionregistration_v1/policy.h"
#include "server/verbs/admission/seen_records.h"
#include "server/verbs/admission/seen_request.h"
#include "server/verbs/conversion/conversion.h"

namespace dray::server::verbs::admission {
namespace {

namespace v1 = api::admissionregistration_v1;
using Policy = v1::ValidatingAdmissionPolicy;
using Binding = v1::ValidatingAdmissionPolicyBinding;
using policies::CompiledPolicy;
using policies::Operation;

const api::KindInfo& PolicyKind() {
  return api::Reflected<Policy>::kKind;
}

const api::KindInfo& BindingKind() {
  return api::Reflected<Binding>::kKind;
}

const std::array<const api::KindInfo*, 2> kKinds = {&PolicyKind(), &BindingKind()};

// A record of a policy, compiled already if it is as it was.
std::shared_ptr<const CompiledPolicy> CompiledOf(const store::Record& record,
                                                 const Policies::List* known,
                                                 api::Release release) {
  const std::optional<api::Object> object = ReadIfKnown(PolicyKind(), record);
  if (!object.has_value()) return nullptr;
  const auto& policy = object->As<Policy>();
  if (known != nullptr) {
    for (const policies::BoundPolicy& one : *known) {
      const auto& meta = one.policy->policy.metadata;
      const bool is_same = meta.uid == policy.metadata.uid &&
                           meta.resource_version == policy.metadata.resource_version;
      if (is_same) return one.policy;
    }
  }
  return std::make_shared<const CompiledPolicy>(policies::CompilePolicy(policy, release));
}

// No policy applies to objects of these kinds: else a bad policy could not be mended.
bool IsLeftOut(const api::KindInfo& kind) {
  constexpr auto kLeftOut = std::to_array<std::string_view>({"validatingadmissionpolicies",
                                                             "validatingadmissionpolicybindings",
                                                             "mutatingadmissionpolicies",
                                                             "mutatingadmissionpolicybindings"});
  return kind.group == PolicyKind().group &&
         std::ranges::find(kLeftOut, kind.plural) != kLeftOut.end();
}

}  // namespace

void Policies::Learn(const store::Snapshot& snapshot) {
  std::map<std::string, policies::BoundPolicy> by_name;
  seen_ = RecordsOf(kKinds, snapshot);
  for (const store::Record& record : RangeOf(PolicyKind(), snapshot)) {
    auto compiled = CompiledOf(record, list_.get(), release_);
    if (compiled == nullptr) continue;
    const std::string name = compiled->policy.metadata.name;
    by_name[name].policy = std::move(compiled);
  }
  for (const store::Record& record : RangeOf(BindingKind(), snapshot)) {
    const std::optional<api::Object> object = ReadIfKnown(BindingKind(), record);
    if (!object.has_value()) continue;
    const auto& binding = object->As<Binding>();
    const auto policy = by_name.find(binding.spec.policy_name);
    if (policy != by_name.end()) policy->second.bindings.push_back(binding);
  }
  auto list = std::make_shared<List>();
  bool chooses = false;
  for (auto& [name, bound] : by_name) {
    if (bound.bindings.empty()) continue;
    chooses =
        chooses || std::ranges::any_of(bound.bindings, [](const Binding& binding) {
          return binding.spec.param_ref.has_value() && binding.spec.param_ref->selector.has_value();
        });
    list->push_back(std::move(bound));
  }
  chooses_parameters_ = chooses;
  list_ = std::move(list);
}

std::shared_ptr<const Policies::List> Policies::In(const store::Snapshot& snapshot) {
  if (RangeOf(BindingKind(), snapshot).empty()) return nullptr;
  const MutexLock lock(mutex_);
  if (list_ == nullptr || !AreSame(seen_, kKinds, snapshot)) Learn(snapshot);
  return list_;
}

Result<> AskPolicies(const Call& call, const store::Snapshot& snapshot, const Write& write) {
  if (call.is_own || IsLeftOut(call.kind())) return {};
  const std::shared_ptr<const Policies::List> list = call.core->policies->In(snapshot);
  if (list == nullptr || list->empty()) return {};
  const InSnapshot surroundings(*call.core, snapshot);
  const SeenRequest seen(call, write, surroundings);
  policies::Verdict verdict = policies::Judge(*list, seen.request, surroundings);
  std::ranges::move(verdict.warnings, std::back_inserter(*call.warnings));
  if (call.annotations != nullptr) {
    std::ranges::move(verdict.annotations, std::back_inserter(*call.annotations));
  }
  if (verdict.refusal.has_value()) return Fail(*std::move(verdict.refusal));
  return {};
}

bool MayConvertForPolicies(const Call& call, const store::Snapshot& snapshot) {
  return !call.is_own && MayNeedWebhook(call.kind()) &&
         call.core->policies->In(snapshot) != nullptr;
}

Task<> AskPoliciesOfVersions(Passage* passage) {
  const Call& call = *passage->call;
  const size_t warnings = call.warnings->size();
  const size_t annotations = call.annotations == nullptr ? 0 : call.annotations->size();
  while (true) {
    const Result<> judged = AskPolicies(call, *passage->snapshot, *passage->write);
    DRAY_CO_TRY(const bool is_again, co_await FetchConversions(&call));
    if (!is_again) co_return judged;
    call.warnings->resize(warnings);
    if (call.annotations != nullptr) call.annotations->resize(annotations);
  }
}

}  // namespace dray::server::verbs::admission
