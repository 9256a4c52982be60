// SPDX-License-Identifier: Apache-2.0
#include "api/validation/workloads/workload.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/meta_v1/label_selector.h"
#include "api/selectors/selector_of.h"
#include "api/validation/field_error.h"
#include "api/validation/workloads/pod_spec.h"

namespace dray::api::validation::inline workloads {
namespace {

constexpr std::array<std::string_view, 1> kAlways = {"Always"};
constexpr std::array<std::string_view, 2> kEnding = {"OnFailure", "Never"};

using Selector = Maybe<meta_v1::LabelSelector>;

void CheckPodCount(std::optional<int32_t> count, const Path& path, FieldErrors& errors) {
  if (count.value_or(0) >= 0) return;
  errors.Invalid(path, std::to_string(*count), "must be greater than or equal to 0");
}

std::string ShownLabels(const meta_v1::ObjectMeta& meta) {
  return Shown(TypeOf<meta_v1::ObjectMeta>().Find("labels")->type(), &meta.labels);
}

// `empty` is the message for an empty selector.
void CheckSelector(const Selector& selector,
                   const core_v1::PodTemplateSpec& pods,
                   std::string_view empty,
                   FieldErrors& errors) {
  const Path path("spec.selector");
  if (!selector.has_value()) return errors.Required(path);
  if (*selector == meta_v1::LabelSelector()) {
    return errors.Invalid(path, ShownStruct(*selector), empty);
  }
  const Result<LabelSelector> parsed = SelectorOf(*selector);
  if (!parsed.has_value()) {
    return errors.Invalid(path, ShownStruct(*selector), "invalid label selector");
  }
  if (parsed->Matches(pods.metadata.labels)) return;
  errors.Invalid(Path("spec.template.metadata.labels"),
                 ShownLabels(pods.metadata),
                 "`selector` does not match template `labels`");
}

// Pods of which a number is kept running.
void CheckLastingPods(const core_v1::PodTemplateSpec& pods, FieldErrors& errors) {
  const Path spec("spec.template.spec");
  CheckPodSpec(pods.spec, spec, errors);
  if (pods.spec.restart_policy == "Always") return;
  errors.NotSupported(spec.Child("restartPolicy"), pods.spec.restart_policy, kAlways);
}

// Pods that end.
void CheckEndingPods(const core_v1::PodTemplateSpec& pods, const Path& path, FieldErrors& errors) {
  const Path spec = path.Child("spec");
  CheckPodSpec(pods.spec, spec, errors);
  const std::string& policy = pods.spec.restart_policy;
  const Path restart = spec.Child("restartPolicy");
  if (policy == "Always") {
    errors.Required(restart, R"(valid values: "OnFailure", "Never")");
  } else if (policy != kEnding[0] && policy != kEnding[1]) {
    errors.NotSupported(restart, policy, kEnding);
  }
}

void CheckSameSelector(const Selector& selector, const Selector& old, FieldErrors& errors) {
  if (selector == old) return;
  errors.Invalid(
      Path("spec.selector"), selector.has_value() ? ShownStruct(*selector) : "null", kImmutable);
}

// Common rules of controllers of long-running pods.
template <class Set>
FieldErrors CheckSet(const Set& set,
                     const Set* old,
                     std::string_view empty,
                     const Profile& profile) {
  FieldErrors errors(profile.release);
  if constexpr (requires { set.spec.replicas; }) {
    CheckPodCount(set.spec.replicas, Path("spec.replicas"), errors);
  }
  CheckSelector(set.spec.selector, set.spec.template_, empty, errors);
  CheckLastingPods(set.spec.template_, errors);
  if (old != nullptr) CheckSameSelector(set.spec.selector, old->spec.selector, errors);
  return errors;
}

}  // namespace

std::vector<ErrorCause> ValidateDaemonSet(const apps_v1::DaemonSet& set,
                                          const apps_v1::DaemonSet* old,
                                          const Profile& profile) {
  return std::move(CheckSet(set, old, "empty selector is invalid for daemonset", profile)).Take();
}

std::vector<ErrorCause> ValidateDeployment(const apps_v1::Deployment& deployment,
                                           const apps_v1::Deployment* old,
                                           const Profile& profile) {
  return std::move(CheckSet(deployment, old, "empty selector is invalid for deployment", profile))
      .Take();
}

std::vector<ErrorCause> ValidateReplicaSet(const apps_v1::ReplicaSet& set,
                                           const apps_v1::ReplicaSet* old,
                                           const Profile& profile) {
  // sic: upstream's text
  return std::move(CheckSet(set, old, "empty selector is invalid for deployment", profile)).Take();
}

std::vector<ErrorCause> ValidateStatefulSet(const apps_v1::StatefulSet& set,
                                            const apps_v1::StatefulSet* old,
                                            const Profile& profile) {
  return std::move(CheckSet(set, old, "empty selector is invalid for statefulset", profile)).Take();
}

std::vector<ErrorCause> ValidateJob(const batch_v1::Job& job,
                                    const batch_v1::Job* old,
                                    const Profile& profile) {
  FieldErrors errors(profile.release);
  const batch_v1::JobSpec& spec = job.spec;
  CheckPodCount(spec.parallelism, Path("spec.parallelism"), errors);
  CheckPodCount(spec.completions, Path("spec.completions"), errors);
  CheckPodCount(spec.backoff_limit, Path("spec.backoffLimit"), errors);
  CheckEndingPods(spec.template_, Path("spec.template"), errors);
  if (old == nullptr) return std::move(errors).Take();
  CheckSameSelector(spec.selector, old->spec.selector, errors);
  const bool may_change = old->spec.suspend.value_or(false);
  if (!may_change && spec.template_ != old->spec.template_) {
    errors.Invalid(Path("spec.template"), ShownStruct(spec.template_), kImmutable);
  }
  if (spec.completion_mode != old->spec.completion_mode) {
    errors.Invalid(
        Path("spec.completionMode"), Shown(spec.completion_mode.value_or("")), kImmutable);
  }
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidatePodTemplate(const core_v1::PodTemplate& pods,
                                            const Profile& profile) {
  FieldErrors errors(profile.release);
  const Path spec("template.spec");
  CheckPodSpec(pods.template_.spec, spec, errors);
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateController(const core_v1::ReplicationController& controller,
                                           const Profile& profile) {
  FieldErrors errors(profile.release);
  CheckPodCount(controller.spec.replicas, Path("spec.replicas"), errors);
  if (controller.spec.selector.empty()) errors.Required(Path("spec.selector"));
  if (!controller.spec.template_.has_value()) {
    errors.Required(Path("spec.template"));
  } else {
    CheckLastingPods(*controller.spec.template_, errors);
  }
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateCronJob(const batch_v1::CronJob& job, const Profile& profile) {
  FieldErrors errors(profile.release);
  const Path spec("spec");
  if (job.spec.schedule.empty()) errors.Required(spec.Child("schedule"));
  const Path pods("spec.jobTemplate.spec.template");
  CheckEndingPods(job.spec.job_template.spec.template_, pods, errors);
  return std::move(errors).Take();
}

}  // namespace dray::api::validation::inline workloads
