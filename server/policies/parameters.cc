// SPDX-License-Identifier: Apache-2.0
#include "server/policies/parameters.h"

#include <utility>

#include <fmt/format.h>

#include "api/selectors/selector_of.h"
#include "base/try.h"
#include "server/policies/cel_values.h"

namespace dray::server::policies {
namespace {

namespace v1 = api::admissionregistration_v1;
using Parameters = Result<std::vector<api::Object>>;

Failure Misconfigured(std::string why) {
  return Fail(StatusReason::kInternalError, std::move(why));
}

const api::KindInfo* ParamKindOf(const v1::ParamKind& param,
                                 const AdmissionRequest& request,
                                 const api::Scheme& scheme) {
  const api::KindInfo* const kind = scheme.FindKind(param.api_version, param.kind);
  const bool is_known = kind != nullptr && kind->served && kind->in.Has(request.release);
  return is_known ? kind : nullptr;
}

Failure UnknownParamKind(const v1::ParamKind& param) {
  const size_t slash = param.api_version.find('/');
  const bool has_group = slash != std::string::npos;
  const std::string group = has_group ? param.api_version.substr(0, slash) : "";
  const std::string version = has_group ? param.api_version.substr(slash + 1) : param.api_version;
  return Misconfigured(
      fmt::format("failed to find resource referenced by paramKind: '{}/{}, Kind={}'",
                  group,
                  version,
                  param.kind));
}

Parameters Selected(const api::KindInfo& kind,
                    const std::string& in,
                    const v1::ParamRef& ref,
                    const Surroundings& surroundings) {
  if (!ref.name.empty()) {
    std::optional<api::Object> found = surroundings.Find(kind, in, ref.name);
    std::vector<api::Object> one;
    if (found.has_value()) one.push_back(*std::move(found));
    return one;
  }
  if (!ref.selector.has_value()) return Misconfigured("one of name or selector must be provided");
  DRAY_TRY(const api::LabelSelector selector, api::SelectorOf(*ref.selector));
  std::vector<api::Object> selected;
  surroundings.Each(kind, in, [&](const api::Object& one) {
    if (selector.Matches(one.metadata().labels)) selected.push_back(one);
    return selected.size() <= kParametersMax;  // one more shows that there are too many
  });
  return selected;
}

}  // namespace

std::string ParameterBudget::Problem() const {
  std::string limit;
  if (parameters_ > kParametersMax) {
    limit = fmt::format("{} parameters", kParametersMax);
  } else if (bytes_ > kParameterBytesMax) {
    limit = fmt::format("parameters of {} bytes together", kParameterBytesMax);
  } else if (cost_ > kParametersCostMax) {
    limit = fmt::format("parameters that cost {} units together", kParametersCostMax);
  } else {
    return {};
  }
  return fmt::format(
      "selectors of paramRef choose more than a request may be judged with: the "
      "limit is {}",
      limit);
}

Result<> CheckParamKind(const api::Maybe<v1::ParamKind>& named,
                        const AdmissionRequest& request,
                        const Surroundings& surroundings) {
  if (!named.has_value() || ParamKindOf(*named, request, surroundings.scheme()) != nullptr) {
    return {};
  }
  return UnknownParamKind(*named);
}

Parameters ParametersOf(const ParameterSource& source,
                        const AdmissionRequest& request,
                        const Surroundings& surroundings) {
  if (!source.kind.has_value() || !source.ref.has_value()) return std::vector<api::Object>(1);
  const v1::ParamRef& ref = *source.ref;
  const api::KindInfo& kind = *ParamKindOf(*source.kind, request, surroundings.scheme());
  std::string in;
  if (kind.namespaced) {
    in = ref.namespace_.empty() ? request.namespace_ : ref.namespace_;
    if (in.empty()) {
      return Misconfigured(
          "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
    }
  } else if (!ref.namespace_.empty()) {
    return Misconfigured(
        "paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  DRAY_TRY(std::vector<api::Object> found, Selected(kind, in, ref, surroundings));
  if (found.empty() && ref.parameter_not_found_action == "Deny") {
    return Misconfigured("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return found;
}

std::string ParameterText(const api::Object& parameter,
                          const ParameterSource& source,
                          const AdmissionRequest& request,
                          const Surroundings& surroundings) {
  const api::KindInfo& kind = *ParamKindOf(*source.kind, request, surroundings.scheme());
  return JsonText(parameter, kind, request.release);
}

}  // namespace dray::server::policies
