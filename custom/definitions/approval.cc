// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/approval.h"

#include <fmt/format.h>

#include "api/text/go_quote.h"
#include "api/validation/field_path.h"
#include "cel/library/urls.h"

namespace dray::custom::definitions {
namespace {

using api::apiextensions_v1::CustomResourceDefinition;
using api::validation::FieldErrors;
using api::validation::Path;
using api::validation::Shown;

constexpr std::string_view kSee = "see https://github.com/kubernetes/enhancements/pull/1111";

std::string_view AnnotationOf(const CustomResourceDefinition& definition) {
  const auto& annotations = definition.metadata.annotations;
  const auto found = annotations.find(kApprovalAnnotation);
  return found == annotations.end() ? std::string_view() : found->second;
}

}  // namespace

bool IsProtectedGroup(std::string_view group) {
  for (const std::string_view owned : {"k8s.io", "kubernetes.io"}) {
    if (group == owned) return true;
    if (group.ends_with(owned) && group[group.size() - owned.size() - 1] == '.') return true;
  }
  return false;
}

Approval ReadApproval(const CustomResourceDefinition& definition) {
  const std::string_view value = AnnotationOf(definition);
  if (value.empty()) {
    return {.state = ApprovalState::kMissing,
            .text = fmt::format("protected groups must have approval annotation \"{}\", {}",
                                kApprovalAnnotation,
                                kSee)};
  }
  if (value.starts_with("unapproved")) {
    return {.state = ApprovalState::kBypassed,
            .text = fmt::format("not approved: {}", api::GoQuote(value))};
  }
  const auto url = cel::library::ParseRequestUri(value);
  if (url.has_value() && !url->host.empty() && !url->scheme.empty()) {
    return {.state = ApprovalState::kApproved, .text = fmt::format("approved in {}", value)};
  }
  return {.state = ApprovalState::kInvalid,
          .text = fmt::format("protected groups must have approval annotation \"{}\" with either a "
                              "URL or a reason starting with \"unapproved\", {}",
                              kApprovalAnnotation,
                              kSee)};
}

void CheckApproval(const CustomResourceDefinition& next,
                   const CustomResourceDefinition* old,
                   FieldErrors& errors) {
  if (!IsProtectedGroup(next.spec.group)) return;
  const Approval approval = ReadApproval(next);
  if (old != nullptr && ReadApproval(*old).state == approval.state) return;
  const Path annotations("metadata.annotations");
  const Path at = annotations.Key(kApprovalAnnotation);
  if (approval.state == ApprovalState::kMissing) errors.Required(at, approval.text);
  if (approval.state == ApprovalState::kInvalid) {
    errors.Invalid(at, Shown(AnnotationOf(next)), approval.text);
  }
}

}  // namespace dray::custom::definitions
