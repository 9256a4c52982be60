// SPDX-License-Identifier: Apache-2.0
#include "server/registry/api_service_rules.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/apiregistration_v1.h"
#include "api/text/go_quote.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"

namespace dray::server::registry {
namespace {

using api::apiregistration_v1::APIService;
using api::apiregistration_v1::APIServiceSpec;
using api::validation::FieldErrors;
using api::validation::Path;
using api::validation::Shown;

constexpr int32_t kGroupPriorityMax = 20000;
constexpr int32_t kVersionPriorityMax = 1000;
constexpr int32_t kPortMax = 65535;

void CheckPriority(const Path& path, int32_t value, int32_t max, FieldErrors& errors) {
  if (value > 0 && value <= max) return;
  errors.Invalid(
      path, std::to_string(value), fmt::format("must be positive and less than {}", max));
}

void CheckLocal(const APIServiceSpec& spec, const Path& path, FieldErrors& errors) {
  if (!spec.ca_bundle.bytes.empty()) {
    errors.Invalid(path.Child("caBundle"),
                   Shown(fmt::format("{} bytes", spec.ca_bundle.bytes.size())),
                   "local APIServices may not have a caBundle");
  }
  if (!spec.insecure_skip_tls_verify) return;
  errors.Invalid(path.Child("insecureSkipTLSVerify"),
                 "true",
                 "local APIServices may not have insecureSkipTLSVerify");
}

void CheckRemote(const APIServiceSpec& spec, const Path& path, FieldErrors& errors) {
  const Path service = path.Child("service");
  if (spec.service->namespace_.empty()) errors.Required(service.Child("namespace"));
  if (spec.service->name.empty()) errors.Required(service.Child("name"));
  const int32_t port = spec.service->port.value_or(0);
  if (port < 1 || port > kPortMax) {
    errors.Invalid(service.Child("port"),
                   std::to_string(port),
                   "port is not valid: must be between 1 and 65535, inclusive");
  }
  if (spec.insecure_skip_tls_verify && !spec.ca_bundle.bytes.empty()) {
    errors.Invalid(
        path.Child("insecureSkipTLSVerify"), "true", "may not be true if caBundle is present");
  }
}

void CheckSpec(const APIServiceSpec& spec, FieldErrors& errors) {
  const Path path("spec");
  if (spec.group.empty() && spec.version != "v1") {
    errors.Required(path.Child("group"),
                    "only v1 may have an empty group and it better be legacy kube");
  }
  if (!spec.group.empty()) {
    errors.Names(path.Child("group"), spec.group, api::CheckDnsSubdomain(spec.group));
  }
  errors.Names(path.Child("version"), spec.version, api::CheckDns1035Label(spec.version));
  CheckPriority(
      path.Child("groupPriorityMinimum"), spec.group_priority_minimum, kGroupPriorityMax, errors);
  CheckPriority(path.Child("versionPriority"), spec.version_priority, kVersionPriorityMax, errors);
  if (spec.service.has_value()) {
    CheckRemote(spec, path, errors);
  } else {
    CheckLocal(spec, path, errors);
  }
}

}  // namespace

api::NameErrors CheckApiServiceName(const api::Object& object, std::string_view name) {
  api::NameErrors errors = api::CheckPathSegmentName(name);
  if (!errors.empty()) return errors;
  const APIServiceSpec& spec = object.As<APIService>().spec;
  const std::string wanted = fmt::format("{}.{}", spec.version, spec.group);
  if (name == wanted) return {};
  return {fmt::format(R"(must be `spec.version+"."+spec.group`: {})", api::GoQuote(wanted))};
}

std::vector<ErrorCause> ValidateApiService(const api::Object& object,
                                           const api::Object* /*old*/,
                                           const api::validation::Options& options) {
  FieldErrors errors(options.profile.release);
  CheckSpec(object.As<APIService>().spec, errors);
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateApiServiceChange(const api::Object& object,
                                                 const api::Object* /*old*/,
                                                 const api::validation::Options& options) {
  FieldErrors errors(options.profile.release);
  const std::string& name = object.metadata().name;
  errors.Names(Path("metadata.name"), name, CheckApiServiceName(object, name));
  CheckSpec(object.As<APIService>().spec, errors);
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateApiServiceStatus(const api::Object& object,
                                                 const api::Object* /*old*/,
                                                 const api::validation::Options& options) {
  constexpr std::string_view kStates[] = {"True", "False", "Unknown"};
  FieldErrors errors(options.profile.release);
  const Path conditions("status.conditions");
  const auto& all = object.As<APIService>().status.conditions;
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string& status = all[i].status;
    if (status == kStates[0] || status == kStates[1] || status == kStates[2]) continue;
    const Path condition = conditions.Index(i);
    errors.NotSupported(condition.Child("status"), status, kStates);
  }
  return std::move(errors).Take();
}

}  // namespace dray::server::registry
