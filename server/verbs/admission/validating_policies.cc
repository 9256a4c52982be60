// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/validating_policies.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/admissionregistration_v1/policy.h"
#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/core_v1/namespace.h"
#include "api/meta_v1/options.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "server/verbs/rights.h"

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

store::RecordRange RecordsOf(const api::KindInfo& kind, const store::Snapshot& snapshot) {
  return snapshot.Range({.prefix = storage::ResourcePrefix(kind)});
}

// What cannot be read says nothing.
std::optional<api::Object> ReadIfKnown(const api::KindInfo& kind, const store::Record& record) {
  auto item = storage::ItemOf(storage::View::OfStorage(kind), record);
  if (!item.has_value() || !item->has_value()) return std::nullopt;
  return std::move((*item)->object);
}

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

// Whatever holds for objects of these must not keep anybody from mending it.
bool IsLeftOut(const api::KindInfo& kind) {
  constexpr auto kLeftOut = std::to_array<std::string_view>({"validatingadmissionpolicies",
                                                             "validatingadmissionpolicybindings",
                                                             "mutatingadmissionpolicies",
                                                             "mutatingadmissionpolicybindings"});
  return kind.group == PolicyKind().group &&
         std::ranges::find(kLeftOut, kind.plural) != kLeftOut.end();
}

// ------------------------------------------------------------------------------------- the request

std::string DeleteOptionsText(api::meta_v1::DeleteOptions options) {
  std::string text;
  api::EncodeJson({.api_version = "meta.k8s.io/v1", .kind = "DeleteOptions"},
                  api::TypeOf<api::meta_v1::DeleteOptions>(),
                  &options,
                  text);
  return text;
}

std::string OptionsText(const ResourceRequest& request, Operation operation) {
  if (operation == Operation::kDelete) return DeleteOptionsText(request.delete_options);
  const std::string_view kind = operation == Operation::kCreate ? "CreateOptions" : "UpdateOptions";
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      json.Member("apiVersion", "meta.k8s.io/v1");
      json.Member("kind", kind);
      if (request.write.dry_run) {
        json.Member("dryRun").ArrayOf(std::to_array<std::string_view>({"All"}));
      }
      const WriteOptions& write = request.write;
      if (!write.said_manager.empty()) json.Member("fieldManager", write.said_manager);
      if (!write.said_validation.empty()) json.Member("fieldValidation", write.said_validation);
    });
  });
}

// Everything else there is, as it is in one snapshot.
class InSnapshot final : public policies::Surroundings {
 public:
  InSnapshot(const Core& core, const store::Snapshot& snapshot)
      : core_(core), snapshot_(snapshot), scheme_(core.scheme.Now()) {}

  const api::Scheme& scheme() const override { return *scheme_; }

  std::optional<api::Object> Find(const api::KindInfo& kind,
                                  std::string_view namespace_name,
                                  std::string_view name) const override {
    const api::KindInfo& hub = kind.storage();
    const store::Record* const record =
        snapshot_.Find(storage::ObjectKey(hub, namespace_name, name));
    return record == nullptr ? std::nullopt : ReadIfKnown(hub, *record);
  }

  void Each(const api::KindInfo& kind,
            std::string_view namespace_name,
            const std::function<bool(const api::Object& object)>& take) const override {
    const api::KindInfo& hub = kind.storage();
    const std::string prefix = storage::CollectionPrefix(hub, namespace_name);
    for (const store::Record& record : snapshot_.Range({.prefix = prefix})) {
      const std::optional<api::Object> one = ReadIfKnown(hub, record);
      if (one.has_value() && !take(*one)) return;
    }
  }

  access::Verdict Decide(const User& user, const access::Attributes& asked) const override {
    if (core_.rights == nullptr) return {.is_allowed = true};
    return core_.rights->Decide(user, asked);
  }

 private:
  const Core& core_;
  const store::Snapshot& snapshot_;
  const Frozen<api::Scheme> scheme_;
};

policies::AdmissionRequest RequestOf(const Call& call, const Write& write) {
  const ResourceRequest& request = *call.request;
  const api::Object* const there = write.object != nullptr ? write.object : write.old_object;
  policies::AdmissionRequest asked{.operation = write.operation,
                                   .resource = request.kind,
                                   .kind = write.kind != nullptr ? write.kind : request.kind,
                                   .subresource = std::string(write.subresource),
                                   .name = request.name,
                                   .namespace_ = request.namespace_,
                                   .user = &*request.user,
                                   .dry_run = request.write.dry_run,
                                   .options = OptionsText(request, write.operation),
                                   .object = write.object,
                                   .old_object = write.old_object,
                                   .release = request.release};
  if (call.of_collection) {
    asked.name.clear();
  } else if (asked.name.empty()) {
    asked.name = there->metadata().name;
  }
  // A namespace is in itself.
  const bool is_namespace = request.kind->group.empty() && request.kind->plural == "namespaces";
  if (is_namespace) asked.namespace_ = asked.name;
  return asked;
}

}  // namespace

bool Policies::IsKnown(const store::Snapshot& snapshot) const {
  size_t next = 0;
  for (const api::KindInfo* kind : {&PolicyKind(), &BindingKind()}) {
    for (const store::Record& record : RecordsOf(*kind, snapshot)) {
      const bool is_same = next < parts_.size() && parts_[next].modified == record.modified &&
                           parts_[next].key == record.key();
      if (!is_same) return false;
      ++next;
    }
  }
  return next == parts_.size();
}

void Policies::Learn(const store::Snapshot& snapshot) {
  std::map<std::string, policies::BoundPolicy> by_name;
  parts_.clear();
  for (const store::Record& record : RecordsOf(PolicyKind(), snapshot)) {
    parts_.push_back({.key = std::string(record.key()), .modified = record.modified});
    auto compiled = CompiledOf(record, list_.get(), release_);
    if (compiled == nullptr) continue;
    const std::string name = compiled->policy.metadata.name;
    by_name[name].policy = std::move(compiled);
  }
  for (const store::Record& record : RecordsOf(BindingKind(), snapshot)) {
    parts_.push_back({.key = std::string(record.key()), .modified = record.modified});
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
  static const std::string kBindings = storage::ResourcePrefix(BindingKind());
  if (snapshot.Range({.prefix = kBindings}).empty()) return nullptr;
  const MutexLock lock(mutex_);
  if (list_ == nullptr || !IsKnown(snapshot)) Learn(snapshot);
  return list_;
}

Result<> AskPolicies(const Call& call, const store::Snapshot& snapshot, const Write& write) {
  if (call.is_own || IsLeftOut(call.kind())) return {};
  const std::shared_ptr<const Policies::List> list = call.core->policies->In(snapshot);
  if (list == nullptr || list->empty()) return {};
  policies::AdmissionRequest request = RequestOf(call, write);
  const InSnapshot surroundings(*call.core, snapshot);
  std::optional<api::Object> in;
  if (call.kind().namespaced) {
    in = surroundings.Find(
        api::Reflected<api::core_v1::Namespace>::kKind, "", call.request->namespace_);
  }
  if (in.has_value()) request.namespace_object = in->If<api::core_v1::Namespace>();
  policies::Verdict verdict = policies::Judge(*list, request, surroundings);
  std::ranges::move(verdict.warnings, std::back_inserter(*call.warnings));
  if (call.annotations != nullptr) {
    std::ranges::move(verdict.annotations, std::back_inserter(*call.annotations));
  }
  if (verdict.refusal.has_value()) return Fail(*std::move(verdict.refusal));
  return {};
}

}  // namespace dray::server::verbs::admission
