// SPDX-License-Identifier: Apache-2.0
// Classes of the classic generation, and the parameters of classes and claims.
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/validation/devices/classic.h"
#include "api/validation/devices/device_rules.h"
#include "api/validation/value_rules.h"

namespace dray::api::validation::inline devices {
namespace {

namespace classic = resource_v1alpha2;

void CheckClassReference(const classic::ResourceClassParametersReference& reference,
                         const Path& path,
                         FieldErrors& errors) {
  CheckParametersReference(reference, path, errors);
  if (!reference.namespace_.empty()) {
    CheckLabelShaped(reference.namespace_, path.Child("namespace"), errors);
  }
}

// Every driver has at most one entry in a list.
class DriverEntries {
 public:
  void Check(std::string_view driver, const Path& entry, FieldErrors& errors) {
    const Path name = entry.Child("driverName");
    CheckDriver(driver, name, errors);
    if (!seen_.insert(driver).second) errors.Duplicate(name, Shown(driver));
  }

 private:
  std::set<std::string_view> seen_;
};

// For requests and filters alike.
template <class NamedResources>
void CheckSelectorModel(const std::optional<NamedResources>& named,
                        const Options& options,
                        const Path& path,
                        FieldErrors& errors) {
  if (named.has_value()) {
    const Path model = path.Child("namedResources");
    const Path selector = model.Child("selector");
    if (named->selector.empty()) {
      errors.Required(selector);
    } else {
      CheckExpression({.text = named->selector, .role = ExpressionRole::kNamedResources},
                      options.expressions,
                      selector,
                      errors);
    }
  }
  CheckModel(named.has_value(), path, errors);
}

}  // namespace

std::vector<ErrorCause> ValidateResourceClass(const classic::ResourceClass& resource_class) {
  FieldErrors errors(Release::k1_30);
  CheckDriver(resource_class.driver_name, Path("driverName"), errors);
  if (resource_class.parameters_ref.has_value()) {
    CheckClassReference(*resource_class.parameters_ref, Path("parametersRef"), errors);
  }
  if (resource_class.suitable_nodes.has_value()) {
    CheckNodeSelector(*resource_class.suitable_nodes, Path("suitableNodes"), errors);
  }
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateClaimParameters(const classic::ResourceClaimParameters& parameters,
                                                const Options& options) {
  FieldErrors errors(Release::k1_30);
  if (parameters.generated_from.has_value()) {
    CheckParametersReference(*parameters.generated_from, Path("generatedFrom"), errors);
  }
  const Path drivers("driverRequests");
  DriverEntries entries;
  for (size_t i = 0; i < parameters.driver_requests.size(); ++i) {
    const classic::DriverRequests& of_driver = parameters.driver_requests[i];
    const Path at = drivers.Index(i);
    const Path requests = at.Child("requests");
    entries.Check(of_driver.driver_name, at, errors);
    for (size_t j = 0; j < of_driver.requests.size(); ++j) {
      CheckSelectorModel(of_driver.requests[j].resource_request_model.named_resources,
                         options,
                         requests.Index(j),
                         errors);
    }
    if (of_driver.requests.empty()) {
      errors.Required(requests, "empty entries with no requests are not allowed");
    }
  }
  return std::move(errors).Take();
}

std::vector<ErrorCause> ValidateClassParameters(const classic::ResourceClassParameters& parameters,
                                                const Options& options) {
  FieldErrors errors(Release::k1_30);
  if (parameters.generated_from.has_value()) {
    CheckClassReference(*parameters.generated_from, Path("generatedFrom"), errors);
  }
  const Path filters("filters");
  DriverEntries filtering;
  for (size_t i = 0; i < parameters.filters.size(); ++i) {
    const Path at = filters.Index(i);
    filtering.Check(parameters.filters[i].driver_name, at, errors);
    CheckSelectorModel(
        parameters.filters[i].resource_filter_model.named_resources, options, at, errors);
  }
  const Path vendors("vendorParameters");
  DriverEntries parametrized;
  for (size_t i = 0; i < parameters.vendor_parameters.size(); ++i) {
    parametrized.Check(parameters.vendor_parameters[i].driver_name, vendors.Index(i), errors);
  }
  return std::move(errors).Take();
}

}  // namespace dray::api::validation::inline devices
