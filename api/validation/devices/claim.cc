// SPDX-License-Identifier: Apache-2.0
#include "api/validation/devices/claim.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "api/text/names.h"
#include "api/validation/collections.h"
#include "api/validation/devices/device_rules.h"
#include "api/validation/go_value.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation::inline devices {
namespace {

namespace v1 = resource_v1;

constexpr std::array<std::string_view, 2> kAllocationModes = {"All", "ExactCount"};

// The common parts of requests and subrequests, and their place in the claim.
struct RequestView {
  const std::string& device_class_name;
  const std::vector<v1::DeviceSelector>& selectors;
  const std::string& allocation_mode;
  int64_t count;
  const std::vector<v1::DeviceToleration>& tolerations;
  const std::vector<v1::DeviceDerivedAttribute>& derived_attributes;
  std::string_view request;  // name of the request
  std::string reference;     // the name in constraints: "request" or "request/subrequest"
};

template <class Request>
RequestView ViewOf(const Request& request, std::string_view name, std::string_view subrequest) {
  return {
      .device_class_name = request.device_class_name,
      .selectors = request.selectors,
      .allocation_mode = request.allocation_mode,
      .count = request.count,
      .tolerations = request.tolerations,
      .derived_attributes = request.derived_attributes,
      .request = name,
      .reference = subrequest.empty() ? std::string(name) : fmt::format("{}/{}", name, subrequest)};
}

// The parts of a claim that rules of requests need.
struct Context {
  const v1::DeviceClaim& claim;
  const ExpressionChecker* checker;
  Origin origin;
  uint64_t& derived_cost;  // of all derived attributes so far; wraps around, as upstream's does
};

// Lists that are too long are refused; only their beginning is checked.
template <class T>
std::span<const T> Beginning(const std::vector<T>& items, size_t max) {
  return std::span(items).first(std::min(items.size(), max));
}

// Whether `constraint` applies to the request: it names none, the request itself, or the request of
// the subrequest.
bool Covers(const v1::DeviceConstraint& constraint, const RequestView& view) {
  if (constraint.requests.empty()) return true;
  return std::ranges::any_of(Beginning(constraint.requests, kRequestsMax),
                             [&](std::string_view reference) {
                               return reference == view.request || reference == view.reference;
                             });
}

bool IsConstrained(std::string_view attribute, const RequestView& view, const Context& context) {
  return std::ranges::any_of(Beginning(context.claim.constraints, kConstraintsMax),
                             [&](const auto& constraint) {
                               return (constraint.match_attribute == attribute ||
                                       constraint.distinct_attribute == attribute) &&
                                      Covers(constraint, view);
                             });
}

constexpr auto kNameOf = [](const auto& item) { return std::string_view(item.name); };

// KEP-6080: a derived attribute must be used by a constraint.
void CheckDerivedAttributes(const RequestView& view,
                            const Context& context,
                            const Path& path,
                            Findings& out) {
  const auto& attributes = view.derived_attributes;
  // Only the second pass stops at the limit.
  const bool is_within = IsWithin(attributes.size(), kDerivedAttributesMax, path, out.declared);
  for (size_t i = 0; i < attributes.size(); ++i) {
    const v1::DeviceDerivedAttribute& attribute = attributes[i];
    const Path at = path.Index(i);
    const Path name = at.Child("name");
    const Path expression = at.Child("expression");
    if (attribute.name.empty()) {
      if (is_within) out.declared.Required(name);
    } else {
      if (!IsConstrained(attribute.name, view, context)) {
        out.written.Invalid(name,
                            Shown(attribute.name),
                            "must be referenced by at least one matchAttribute or "
                            "distinctAttribute constraint targeting this request");
      }
      if (is_within) CheckDeclaredAttributeName(attribute.name, name, out.declared);
    }
    if (attribute.expression.empty()) {
      if (is_within) out.declared.Required(expression);
    } else {
      context.derived_cost += CheckExpression({.text = attribute.expression,
                                               .role = ExpressionRole::kDerivedAttribute,
                                               .origin = context.origin},
                                              context.checker,
                                              expression,
                                              out.written);
    }
  }
  CheckDistinctNames(attributes, {.pass = Pass::kWritten}, path, out, kNameOf);
}

void CheckCount(const RequestView& view, const Path& path, Findings& out) {
  const Path count = path.Child("count");
  if (view.allocation_mode == "All") {
    if (view.count != 0) {
      out.written.Invalid(
          count, std::to_string(view.count), "must not be specified when allocationMode is 'All'");
    }
  } else if (view.allocation_mode == "ExactCount") {
    if (view.count <= 0) {
      out.written.Invalid(count, std::to_string(view.count), "must be greater than zero");
    }
  } else {
    // Declarations of v1beta1 cannot require the mode: only exact requests have one.
    const bool is_alone = out.is_v1beta1() && view.allocation_mode.empty();
    FieldErrors& errors = is_alone ? out.written : out.covered();
    errors.NotSupported(path.Child("allocationMode"), view.allocation_mode, kAllocationModes);
  }
}

// Everything but the class name, for which exact requests and subrequests have different texts.
void CheckRequestBody(const RequestView& view,
                      const Context& context,
                      const Path& path,
                      Findings& out) {
  CheckSelectors(view.selectors, context.origin, context.checker, path.Child("selectors"), out);
  // The first pass checks derived attributes here, the second one at the end.
  Findings derived = out.Part();
  CheckDerivedAttributes(view, context, path.Child("derivedAttributes"), derived);
  out.written.Append(std::move(derived.written));
  CheckCount(view, path, out);
  CheckTolerations(view.tolerations, path.Child("tolerations"), out);
  out.declared.Append(std::move(derived.declared));
}

void CheckExactRequest(const v1::ExactDeviceRequest& request,
                       std::string_view name,
                       const Context& context,
                       const Path& path,
                       Findings& out) {
  const Path class_name = path.Child("deviceClassName");
  if (request.device_class_name.empty()) {
    out.written.Required(class_name);
  } else {
    CheckSubdomainShaped(request.device_class_name, class_name, out.written);
  }
  CheckRequestBody(ViewOf(request, name, {}), context, path, out);
}

void CheckSubRequest(const v1::DeviceSubRequest& subrequest,
                     std::string_view request,
                     const Context& context,
                     const Path& path,
                     Findings& out) {
  CheckLabelShaped(subrequest.name, path.Child("name"), out.written);
  const Path class_name = path.Child("deviceClassName");
  if (subrequest.device_class_name.empty()) {
    out.covered().Required(class_name);
  } else {
    const LengthWord word = out.is_declarative() ? LengthWord::kBytes : LengthWord::kCharacters;
    out.covered().Names(class_name,
                        subrequest.device_class_name,
                        CheckDnsSubdomain(subrequest.device_class_name, word));
  }
  CheckRequestBody(ViewOf(subrequest, request, subrequest.name), context, path, out);
}

// Requests and subrequests.
constexpr SetKey kByName = {.member = "name"};

void CheckAlternatives(const v1::DeviceRequest& request,
                       const Context& context,
                       const Path& path,
                       Findings& out) {
  const Path list = path.Child("firstAvailable");
  const auto check = [&](const v1::DeviceSubRequest& subrequest, const Path& at) {
    CheckSubRequest(subrequest, request.name, context, at, out);
  };
  if (!CheckItems(request.first_available, kFirstAvailableMax, Pass::kCovered, list, out, check)) {
    return;
  }
  CheckDistinctNames(request.first_available, kByName, list, out, kNameOf);
}

void CheckRequest(const v1::DeviceRequest& request,
                  const Context& context,
                  const Path& path,
                  Findings& out) {
  CheckLabelShaped(request.name, path.Child("name"), out.written);
  if (!out.Since(33)) {
    // There were no other requests, and nothing between their members and the list.
    CheckExactRequest(
        request.exactly.value_or(v1::ExactDeviceRequest()), request.name, context, path, out);
    return;
  }
  const bool has_alternatives = !request.first_available.empty();
  if (has_alternatives && request.exactly.has_value()) {
    if (!out.Since(34)) {  // that release checked both
      CheckAlternatives(request, context, path, out);
      CheckExactRequest(*request.exactly, request.name, context, path.Child("exactly"), out);
    }
    out.written.Invalid(path,
                        "null",
                        "exactly one of `exactly` or `firstAvailable` is required, but multiple "
                        "fields are set");
    return;
  }
  if (request.exactly.has_value()) {
    CheckExactRequest(*request.exactly, request.name, context, path.Child("exactly"), out);
    return;
  }
  if (!has_alternatives) {
    out.written.Required(path, "exactly one of `exactly` or `firstAvailable` is required");
    return;
  }
  CheckAlternatives(request, context, path, out);
}

void CheckRequests(const Context& context, const Path& path, Findings& out) {
  const auto& requests = context.claim.requests;
  const auto check = [&](const v1::DeviceRequest& request, const Path& at) {
    CheckRequest(request, context, at, out);
  };
  if (!CheckItems(requests, kRequestsMax, Pass::kCovered, path, out, check)) return;
  CheckDistinctNames(requests, kByName, path, out, kNameOf);
}

void CheckConstraint(const v1::DeviceConstraint& constraint,
                     const RequestNames& names,
                     const Path& path,
                     Findings& out) {
  CheckRequestReferences(constraint.requests, names, path.Child("requests"), out);
  const Path match = path.Child("matchAttribute");
  const bool has_match = constraint.match_attribute.has_value();
  if (has_match) CheckCoveredAttributeName(*constraint.match_attribute, match, out);
  if (constraint.distinct_attribute.has_value()) {
    // Hand-written rules check only one of them.
    if (has_match && !out.is_declarative()) return;
    CheckCoveredAttributeName(*constraint.distinct_attribute, path.Child("distinctAttribute"), out);
  } else if (!has_match && out.profile.Has(Gate::kConsumableCapacity)) {
    out.written.Required(path,
                         "exactly one of \"matchAttribute\" or \"distinctAttribute\" is "
                         "required, but multiple fields are set");
  } else if (!has_match) {
    out.written.Required(match);
  }
}

void CheckConstraints(const Context& context,
                      const RequestNames& names,
                      const Path& path,
                      Findings& out) {
  CheckItems(context.claim.constraints,
             kConstraintsMax,
             Pass::kCovered,
             path,
             out,
             [&](const v1::DeviceConstraint& constraint, const Path& at) {
               CheckConstraint(constraint, names, at, out);
             });
}

void CheckConfigs(const Context& context,
                  const RequestNames& names,
                  const Path& path,
                  Findings& out) {
  CheckItems(context.claim.config,
             kConfigsMax,
             Pass::kCovered,
             path,
             out,
             [&](const v1::DeviceClaimConfiguration& config, const Path& at) {
               CheckRequestReferences(config.requests, names, at.Child("requests"), out);
               CheckConfiguration(config.device_configuration, context.origin, at, out);
             });
}

}  // namespace

bool RequestNames::Has(std::string_view reference) const {
  const size_t slash = reference.find('/');
  const std::string_view name = reference.substr(0, slash);
  return std::ranges::any_of(*requests_, [&](const v1::DeviceRequest& request) {
    if (request.name != name) return false;
    if (slash == std::string_view::npos) return true;
    return std::ranges::any_of(request.first_available, [&](const v1::DeviceSubRequest& sub) {
      return sub.name == reference.substr(slash + 1);
    });
  });
}

void CheckRequestReference(std::string_view reference,
                           const RequestNames& names,
                           const Path& path,
                           FieldErrors& errors) {
  if (!errors.Since(33)) {
    CheckLabelShaped(reference, path, errors);
    if (!names.Has(reference)) {
      errors.Invalid(path, Shown(reference), "must be the name of a request in the claim");
    }
    return;
  }
  constexpr std::string_view kWrong =
      "must be the name of a request in the claim or the name of a request and a subrequest "
      "separated by '/'";
  const auto slashes = std::ranges::count(reference, '/');
  if (slashes > 1) {
    errors.Invalid(path, Shown(reference), kWrong);
    return;
  }
  const size_t slash = reference.find('/');
  CheckLabelShaped(reference.substr(0, slash), path, errors);
  if (slash != std::string_view::npos) {
    CheckLabelShaped(reference.substr(slash + 1), path, errors);
  }
  if (!names.Has(reference)) errors.Invalid(path, Shown(reference), kWrong);
}

void CheckRequestReferences(const List<std::string>& references,
                            const RequestNames& names,
                            const Path& path,
                            Findings& out) {
  CheckStringSet(
      references, kRequestsMax, path, out, [&](const std::string& reference, const Path& at) {
        CheckRequestReference(reference, names, at, out.written);
      });
}

void CheckClaimSpec(const v1::ResourceClaimSpec& spec,
                    Origin origin,
                    const ExpressionChecker* checker,
                    const Path& path,
                    Findings& out) {
  const Path devices = path.Child("devices");
  uint64_t derived_cost = 0;
  const Context context = {
      .claim = spec.devices, .checker = checker, .origin = origin, .derived_cost = derived_cost};
  const RequestNames names(spec.devices.requests);
  CheckRequests(context, devices.Child("requests"), out);
  CheckConstraints(context, names, devices.Child("constraints"), out);
  CheckConfigs(context, names, devices.Child("config"), out);
  if (derived_cost > kDerivedAttributesCostMax) {
    out.written.Forbidden(devices,
                          "too complex, total cost of derived attribute CEL expressions in the "
                          "claim exceeds cost limit");
  }
  if (!spec.controller.empty()) {
    CheckDriver(spec.controller, path.Child("controller"), out.written);
  }
}

void CheckAdminNamespace(std::string_view namespace_,
                         const Options& options,
                         const Path& path,
                         FieldErrors& errors) {
  if (options.namespace_object == nullptr) {
    errors.Internal(path,
                    fmt::format("could not retrieve namespace to verify admin access: namespaces "
                                "\"{}\" not found",
                                namespace_));
    return;
  }
  const auto& labels = options.namespace_object->metadata.labels;
  const std::string_view name = AdminAccessLabelOf(options.profile.release);
  const auto label = labels.find(name);
  if (label != labels.end() && label->second == "true") return;
  errors.Forbidden(path,
                   fmt::format("admin access to devices requires the `{}: true` label on the "
                               "containing namespace",
                               name));
}

void CheckAdminAccess(const v1::ResourceClaimSpec& spec,
                      std::string_view namespace_,
                      const Options& options,
                      FieldErrors& errors) {
  if (!errors.Since(33)) return;
  // Upstream's path, also for templates; only the first request is reported.
  const Path requests("spec.devices.requests");
  for (size_t i = 0; i < spec.devices.requests.size(); ++i) {
    const auto& exactly = spec.devices.requests[i].exactly;
    if (!exactly.has_value() || !exactly->admin_access.value_or(false)) continue;
    const Path request = requests.Index(i);
    CheckAdminNamespace(namespace_, options, request.Child("adminAccess"), errors);
    return;
  }
}

std::vector<ErrorCause> ValidateClaim(const v1::ResourceClaim& claim, const Options& options) {
  Findings out(options.profile, options.version);
  CheckAdminAccess(claim.spec, claim.metadata.namespace_, options, out.written);
  CheckClaimSpec(claim.spec, Origin::kNew, options.expressions, Path("spec"), out);
  return std::move(out).Take();
}

std::vector<ErrorCause> ValidateClaimUpdate(const v1::ResourceClaim& claim,
                                            const v1::ResourceClaim& old,
                                            const Options& options) {
  Findings out(options.profile, options.version);
  const Path spec("spec");
  // Since 1.35 the spec, which is immutable, is not checked again; before, it was checked twice.
  const bool is_looked_at = !out.Since(35);
  if (is_looked_at) CheckClaimSpec(claim.spec, Origin::kNew, options.expressions, spec, out);
  if (claim.spec != old.spec) {
    out.covered().Invalid(
        spec,
        out.is_declarative() ? "null" : ShownAsGo(claim.spec, out.profile.release),
        "field is immutable");
  }
  if (is_looked_at) CheckClaimSpec(claim.spec, Origin::kStored, options.expressions, spec, out);
  return std::move(out).Take();
}

}  // namespace dray::api::validation::inline devices
