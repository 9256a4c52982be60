// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/pods/pod_security.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/apps_v1/daemon_set.h"
#include "api/apps_v1/deployment.h"
#include "api/apps_v1/replica_set.h"
#include "api/apps_v1/stateful_set.h"
#include "api/batch_v1/cron_job.h"
#include "api/batch_v1/job.h"
#include "api/core_v1/namespace.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/pod_template.h"
#include "api/core_v1/replication_controller.h"
#include "api/text/go_quote.h"
#include "server/errors/errors.h"
#include "server/pod_security/levels.h"
#include "server/pod_security/violations.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "server/verbs/context/node_relations.h"

namespace dray::server::verbs::admission::inline pods {
namespace {

using api::GoQuote;
using api::core_v1::Namespace;
using api::core_v1::Pod;
using api::core_v1::PodTemplateSpec;
using pod_security::Demands;
using pod_security::LabelMistake;
using pod_security::Level;
using pod_security::Standard;
using pod_security::Violation;
using Mistakes = std::vector<LabelMistake>;

void Note(const Call& call, std::string_view key, std::string value) {
  Annotate(call, fmt::format("pod-security.kubernetes.io/{}", key), std::move(value));
}

/// "violates PodSecurity …" with what a pod breaks.
std::string Said(std::string_view verb,
                 const Standard& standard,
                 const std::vector<Violation>& violations) {
  return fmt::format(
      "{} PodSecurity {}: {}", verb, GoQuote(standard.Text()), pod_security::Details(violations));
}

// -------------------------------------------------------------------------------------
// Pods and templates

/// What the namespace of the write demands.
Demands DemandsAround(const Call& call,
                      const store::Snapshot& snapshot,
                      const Write& write,
                      Mistakes& mistakes) {
  api::Object found;
  if (write.in != nullptr && write.in->item.has_value()) {
    found = write.in->item->object;
  } else {
    found = FindStored(snapshot, api::Reflected<Namespace>::kKind, "", call.request->namespace_);
  }
  const auto* const around = found.empty() ? nullptr : found.If<Namespace>();
  return around == nullptr ? Demands()
                           : pod_security::DemandsOf(around->metadata.labels, &mistakes);
}

std::string TextOf(const Mistakes& mistakes) {
  std::vector<std::string> texts;
  texts.reserve(mistakes.size());
  for (const LabelMistake& one : mistakes) {
    texts.push_back(
        fmt::format("{}: Invalid value: {}: {}", one.Field(), GoQuote(one.value), one.message));
  }
  if (texts.size() == 1) return texts.front();
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

/// Judges one pod by up to three standards, each once.
class Judgement {
 public:
  Judgement(const Call& call,
            const api::meta_v1::ObjectMeta& metadata,
            const api::core_v1::PodSpec& spec)
      : call_(call), metadata_(metadata), spec_(spec) {}

  const std::vector<Violation>& By(const Standard& standard) {
    const auto known =
        std::ranges::find(known_, standard, [](const auto& one) { return one.first; });
    if (known != known_.end()) return known->second;
    return known_
        .emplace_back(
            standard,
            pod_security::ViolationsOf(standard, call_.core->options.release, metadata_, spec_))
        .second;
  }

  /// Annotates and warns.
  void Report(const Demands& demands, const Mistakes& mistakes, bool is_refused) {
    if (!mistakes.empty()) Note(call_, "error", "Failed to parse policy: " + TextOf(mistakes));
    if (const auto& found = By(demands.audit); !found.empty()) {
      Note(call_, "audit-violations", Said("would violate", demands.audit, found));
    }
    if (is_refused) return;
    if (const auto& found = By(demands.warn); !found.empty()) {
      call_.warnings->push_back(Said("would violate", demands.warn, found));
    }
  }

 private:
  const Call& call_;
  const api::meta_v1::ObjectMeta& metadata_;
  const api::core_v1::PodSpec& spec_;
  std::vector<std::pair<Standard, std::vector<Violation>>> known_;
};

// Other subresources change what a pod is.
bool IsIgnoredPart(std::string_view subresource) {
  constexpr std::string_view kIgnored[] = {
      "exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"};
  return std::ranges::find(kIgnored, subresource) != std::end(kIgnored);
}

template <class Containers>
bool HaveOtherImages(const Containers& next, const Containers& before) {
  return !std::ranges::equal(
      next, before, [](const auto& a, const auto& b) { return a.image == b.image; });
}

// All else that may change in a pod is nothing that standards are about.
bool IsSignificant(const api::core_v1::PodSpec& next, const api::core_v1::PodSpec& before) {
  if (HaveOtherImages(next.containers, before.containers)) return true;
  if (HaveOtherImages(next.init_containers, before.init_containers)) return true;
  return !std::ranges::all_of(next.ephemeral_containers, [&](const auto& one) {
    const auto& now = one.ephemeral_container_common;
    return std::ranges::any_of(before.ephemeral_containers, [&](const auto& other) {
      const auto& then = other.ephemeral_container_common;
      return now.name == then.name && now.image == then.image;
    });
  });
}

Result<> CheckPod(const Call& call,
                  const store::Snapshot& snapshot,
                  const Write& write,
                  const Pod& pod) {
  if (IsIgnoredPart(write.subresource)) return {};
  Mistakes mistakes;
  const Demands demands = DemandsAround(call, snapshot, write, mistakes);
  if (mistakes.empty() && demands.AreNone()) {
    Note(call, "enforce-policy", Standard().Text());
    return {};
  }
  const auto* const before = write.old_object == nullptr ? nullptr : write.old_object->If<Pod>();
  if (before != nullptr && !IsSignificant(pod.spec, before->spec)) return {};
  Judgement judgement(call, pod.metadata, pod.spec);
  Note(call, "enforce-policy", demands.enforce.Text());
  const std::vector<Violation> violations = judgement.By(demands.enforce);
  judgement.Report(demands, mistakes, !violations.empty());
  if (violations.empty()) return {};
  return Fail(errors::Forbidden(
      call.kind(), NameOf(call, write), Said("violates", demands.enforce, violations)));
}

/// The pods that an object makes; null: none.
const PodTemplateSpec* TemplateIn(const api::Object& object) {
  if (const auto* one = object.If<api::apps_v1::Deployment>()) return &one->spec.template_;
  if (const auto* one = object.If<api::apps_v1::ReplicaSet>()) return &one->spec.template_;
  if (const auto* one = object.If<api::apps_v1::StatefulSet>()) return &one->spec.template_;
  if (const auto* one = object.If<api::apps_v1::DaemonSet>()) return &one->spec.template_;
  if (const auto* one = object.If<api::batch_v1::Job>()) return &one->spec.template_;
  if (const auto* one = object.If<api::batch_v1::CronJob>()) {
    return &one->spec.job_template.spec.template_;
  }
  if (const auto* one = object.If<api::core_v1::PodTemplate>()) return &one->template_;
  if (const auto* one = object.If<api::core_v1::ReplicationController>()) {
    return one->spec.template_.has_value() ? &*one->spec.template_ : nullptr;
  }
  return nullptr;
}

void WarnOfTemplate(const Call& call, const store::Snapshot& snapshot, const Write& write) {
  if (!write.subresource.empty()) return;
  const PodTemplateSpec* const made = TemplateIn(*write.object);
  if (made == nullptr) return;
  Mistakes mistakes;
  const Demands demands = DemandsAround(call, snapshot, write, mistakes);
  if (mistakes.empty() && demands.warn.level == Level::kPrivileged &&
      demands.audit.level == Level::kPrivileged) {
    return;
  }
  Judgement(call, made->metadata, made->spec).Report(demands, mistakes, false);
}

// -------------------------------------------------------------------------------------
// Namespaces

/// Pods with the same violations.
struct Alike {
  std::string first_name;
  size_t count = 0;

  std::string Text(std::string_view reasons) const {
    if (count == 1) return fmt::format("{}: {}", first_name, reasons);
    return fmt::format(
        "{} (and {} other pod{}): {}", first_name, count - 1, count == 2 ? "" : "s", reasons);
  }
};

struct PodsToJudge {
  std::vector<api::Object> pods;
  size_t all = 0;
};

/// The pods of a namespace, at most kJudgedPodsMax: of those with the same controller one, then the
/// others.
PodsToJudge PodsIn(const store::Snapshot& snapshot, std::string_view name) {
  constexpr const api::KindInfo& kPods = api::Reflected<Pod>::kKind;
  PodsToJudge found;
  std::vector<api::Object> copies;
  std::set<std::string> controllers;
  const std::string prefix = storage::CollectionPrefix(kPods, name);
  for (const store::Record& record : snapshot.Range({.prefix = prefix, .start_key = {}})) {
    const auto item = storage::ItemOf(storage::View::OfStorage(kPods), record);
    if (!item.has_value() || !item->has_value()) continue;
    ++found.all;
    const auto& owners = (*item)->object.metadata().owner_references;
    const auto controller = std::ranges::find_if(
        owners, [](const auto& owner) { return owner.controller.value_or(false); });
    const bool is_copy = controller != owners.end() && !controllers.insert(controller->uid).second;
    std::vector<api::Object>& pods = is_copy ? copies : found.pods;
    if (pods.size() < kJudgedPodsMax) pods.push_back((*item)->object);
  }
  const size_t room = kJudgedPodsMax - found.pods.size();
  if (copies.size() > room) copies.resize(room);
  found.pods.insert(found.pods.end(), copies.begin(), copies.end());
  return found;
}

void WarnOfPods(const Call& call,
                const store::Snapshot& snapshot,
                std::string_view name,
                const Standard& standard) {
  const PodsToJudge found = PodsIn(snapshot, name);
  if (found.all > found.pods.size()) {
    call.warnings->push_back(
        fmt::format("new PodSecurity enforce level only checked against the first {} of {} "
                    "existing pods",
                    found.pods.size(),
                    found.all));
  }
  std::map<std::string, Alike> by_reasons;
  for (const api::Object& object : found.pods) {
    const Pod& pod = object.As<Pod>();
    const std::vector<Violation> violations =
        pod_security::ViolationsOf(standard, call.core->options.release, pod.metadata, pod.spec);
    if (violations.empty()) continue;
    Alike& alike = by_reasons[pod_security::Reasons(violations)];
    if (alike.count++ == 0 || pod.metadata.name < alike.first_name) {
      alike.first_name = pod.metadata.name;
    }
  }
  if (by_reasons.empty()) return;
  call.warnings->push_back(
      fmt::format("existing pods in namespace {} violate the new PodSecurity enforce level {}",
                  GoQuote(name),
                  GoQuote(standard.Text())));
  std::set<std::string> texts;
  for (const auto& [reasons, alike] : by_reasons) texts.insert(alike.Text(reasons));
  call.warnings->insert(call.warnings->end(), texts.begin(), texts.end());
}

Result<> CheckLabels(const Call& call,
                     const store::Snapshot& snapshot,
                     const Write& write,
                     const Namespace& next) {
  if (!write.subresource.empty()) return {};
  Mistakes mistakes, old_mistakes;
  const Demands demands = pod_security::DemandsOf(next.metadata.labels, &mistakes);
  const auto* const old = write.old_object == nullptr ? nullptr : write.old_object->If<Namespace>();
  Demands before;
  if (old != nullptr) before = pod_security::DemandsOf(old->metadata.labels, &old_mistakes);
  if (!mistakes.empty() && mistakes != old_mistakes) {
    std::vector<ErrorCause> causes;
    for (const LabelMistake& one : mistakes) {
      causes.push_back(errors::InvalidValue(one.Field(), GoQuote(one.value), one.message));
    }
    return Fail(errors::Invalid(call.kind(), NameOf(call, write), std::move(causes)));
  }
  if (old == nullptr || demands.enforce == before.enforce) return {};
  const Level level = demands.enforce.level;
  if (level == Level::kPrivileged) return {};
  if (demands.enforce.minor == before.enforce.minor && level <= before.enforce.level) return {};
  WarnOfPods(call, snapshot, next.metadata.name, demands.enforce);
  return {};
}

}  // namespace

Result<> CheckPodSecurity(const Call& call, const store::Snapshot& snapshot, const Write& write) {
  if (write.object == nullptr) return {};
  if (const auto* const pod = write.object->If<Pod>()) {
    return CheckPod(call, snapshot, write, *pod);
  }
  if (const auto* const next = write.object->If<Namespace>()) {
    return CheckLabels(call, snapshot, write, *next);
  }
  WarnOfTemplate(call, snapshot, write);
  return {};
}

}  // namespace dray::server::verbs::admission::inline pods
