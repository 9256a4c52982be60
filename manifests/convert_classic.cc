// SPDX-License-Identifier: Apache-2.0
#include "manifests/convert_classic.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/device_names.h"
#include "api/resource_v1/claim_template.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "api/resource_v1alpha2.h"

namespace dray::manifests {
namespace {

namespace a2 = api::resource_v1alpha2;
namespace v1 = api::resource_v1;

constexpr std::string_view kParametersGroup = "resource.k8s.io";

using Remarks = std::vector<std::string>;

template <class Reference>
std::string NameOf(const Reference& reference) {
  return fmt::format("{}{}{} {}",
                     reference.kind,
                     reference.api_group.empty() ? "" : ".",
                     reference.api_group,
                     reference.name);
}

bool IsIdentifierByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Attributes were DNS subdomains; now they are C identifiers.
std::string IdentifierOf(std::string_view name) {
  std::string identifier;
  for (const char c : name) identifier += IsIdentifierByte(c) ? c : '_';
  if (!identifier.empty() && identifier[0] >= '0' && identifier[0] <= '9') {
    identifier.insert(0, "_");
  }
  if (identifier.size() > api::kDeviceIdentifierMax) identifier.resize(api::kDeviceIdentifierMax);
  return identifier;
}

// ------------------------------------------------------------------------------------------------
// Selectors.

// Parses a reference to an attribute at the start of `text`: attributes.TYPE["NAME"], ['NAME'] or
// .NAME. Length 0: there is none.
struct AttributeReference {
  std::string_view type, name;
  size_t length = 0;
};

AttributeReference ReadReference(std::string_view text) {
  constexpr std::string_view kStart = "attributes.";
  constexpr std::array<std::string_view, 7> kTypes = {
      "quantity", "bool", "intslice", "int", "stringslice", "string", "version"};
  if (!text.starts_with(kStart)) return {};
  std::string_view rest = text.substr(kStart.size());
  const auto* type =
      std::ranges::find_if(kTypes, [&](std::string_view one) { return rest.starts_with(one); });
  if (type == kTypes.end()) return {};
  rest.remove_prefix(type->size());
  std::string_view name;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const auto* end = std::ranges::find_if_not(rest, IsIdentifierByte);
    name = rest.substr(0, static_cast<size_t>(end - rest.begin()));
    rest.remove_prefix(name.size());
  } else if (rest.starts_with("[\"") || rest.starts_with("['")) {
    const size_t end = rest.find(rest[1] == '"' ? "\"]" : "']", 2);
    if (end == std::string_view::npos) return {};
    name = rest.substr(2, end - 2);
    rest.remove_prefix(end + 2);
  }
  if (name.empty()) return {};
  return {.type = *type, .name = name, .length = text.size() - rest.size()};
}

}  // namespace

SelectorTranslation TranslateSelector(std::string_view selector, std::string_view driver) {
  SelectorTranslation translation;
  bool has_lists = false;
  bool has_rest = false;
  for (size_t i = 0; i < selector.size();) {
    const bool is_word_start =
        i == 0 || (!IsIdentifierByte(selector[i - 1]) && selector[i - 1] != '.');
    const AttributeReference reference =
        is_word_start ? ReadReference(selector.substr(i)) : AttributeReference();
    if (reference.length == 0) {
      has_rest = has_rest || (is_word_start && selector.substr(i).starts_with("attributes"));
      translation.expression += selector[i++];
      continue;
    }
    has_lists = has_lists || reference.type.ends_with("slice");
    translation.expression += fmt::format("device.{}[\"{}\"].{}",
                                          reference.type == "quantity" ? "capacity" : "attributes",
                                          driver,
                                          IdentifierOf(reference.name));
    i += reference.length;
  }
  if (has_lists) {
    translation.remarks.push_back(
        "a selector uses a list: attributes hold lists from 1.36 on (DRAListTypeAttributes)");
  }
  if (has_rest) {
    translation.remarks.push_back(
        fmt::format("a selector could not be translated as a whole, it was: {}", selector));
  }
  return translation;
}

// ------------------------------------------------------------------------------------------------

void ClassicParameters::Add(const api::Object& object) {
  if (const auto* of_claim = object.If<a2::ResourceClaimParameters>()) {
    of_claims_.push_back(*of_claim);
  } else if (const auto* of_class = object.If<a2::ResourceClassParameters>()) {
    of_classes_.push_back(*of_class);
  }
}

const a2::ResourceClaimParameters* ClassicParameters::Find(
    const a2::ResourceClaimParametersReference& reference, const std::string& namespace_) const {
  const auto found = std::ranges::find_if(of_claims_, [&](const auto& one) {
    if (one.metadata.namespace_ != namespace_) return false;
    if (one.generated_from == reference) return true;
    return reference.api_group == kParametersGroup && reference.kind == "ResourceClaimParameters" &&
           one.metadata.name == reference.name;
  });
  return found == of_claims_.end() ? nullptr : &*found;
}

const a2::ResourceClassParameters* ClassicParameters::Find(
    const a2::ResourceClassParametersReference& reference) const {
  const auto found = std::ranges::find_if(of_classes_, [&](const auto& one) {
    if (one.generated_from == reference) return true;
    return one.metadata.namespace_ == reference.namespace_ &&
           reference.api_group == kParametersGroup && reference.kind == "ResourceClassParameters" &&
           one.metadata.name == reference.name;
  });
  return found == of_classes_.end() ? nullptr : &*found;
}

namespace {

v1::DeviceSelector SelectorOf(std::string expression) {
  v1::DeviceSelector selector;
  selector.cel.emplace().expression = std::move(expression);
  return selector;
}

v1::DeviceSelector Translated(std::string_view selector,
                              std::string_view driver,
                              Remarks& remarks) {
  SelectorTranslation translation = TranslateSelector(selector, driver);
  std::ranges::move(translation.remarks, std::back_inserter(remarks));
  return SelectorOf(std::move(translation.expression));
}

v1::DeviceConfiguration OpaqueOf(const std::string& driver, const api::RawJson& parameters) {
  v1::DeviceConfiguration configuration;
  auto& opaque = configuration.opaque.emplace();
  opaque.driver = driver;
  opaque.parameters = parameters;
  return configuration;
}

// ------------------------------------------------------------------------------------------------
// Classes.

Proposal ProposeClass(const a2::ResourceClass& old, const ClassicParameters& parameters) {
  v1::DeviceClass proposed;
  Remarks remarks;
  proposed.metadata = old.metadata;
  proposed.spec.selectors.push_back(
      SelectorOf(fmt::format("device.driver == \"{}\"", old.driver_name)));
  if (old.suitable_nodes.has_value()) {
    remarks.emplace_back(
        "suitableNodes has no counterpart: the ResourceSlices of a driver say on which nodes its "
        "devices are");
  }
  if (old.parameters_ref.has_value()) {
    const a2::ResourceClassParameters* found = parameters.Find(*old.parameters_ref);
    if (found == nullptr) {
      remarks.push_back(fmt::format(
          "parametersRef: {} is not among the files; what it says belongs into spec.config and "
          "spec.selectors",
          NameOf(*old.parameters_ref)));
    } else {
      for (const a2::ResourceFilter& filter : found->filters) {
        const auto& named = filter.resource_filter_model.named_resources;
        if (!named.has_value()) continue;
        proposed.spec.selectors.push_back(Translated(named->selector, filter.driver_name, remarks));
      }
      for (const a2::VendorParameters& vendor : found->vendor_parameters) {
        proposed.spec.config.emplace_back().device_configuration =
            OpaqueOf(vendor.driver_name, vendor.parameters);
      }
    }
  }
  return {.object = api::Object::Of(std::move(proposed)), .remarks = std::move(remarks)};
}

// ------------------------------------------------------------------------------------------------
// Claims and templates.

v1::DeviceRequest RequestFor(const std::string& name, const std::string& device_class) {
  v1::DeviceRequest request;
  request.name = name;
  request.exactly.emplace().device_class_name = device_class;
  return request;
}

void AddConfig(v1::ResourceClaimSpec& spec,
               const std::vector<std::string>& requests,
               const std::string& driver,
               const api::RawJson& parameters) {
  if (parameters.IsNull()) return;
  auto& config = spec.devices.config.emplace_back();
  config.requests = requests;
  config.device_configuration = OpaqueOf(driver, parameters);
}

void AddRequests(const a2::ResourceClaimParameters& parameters,
                 const std::string& device_class,
                 v1::ResourceClaimSpec& spec,
                 Remarks& remarks) {
  if (!parameters.shareable) {
    remarks.emplace_back(
        "shareable: false has no counterpart: several pods may use the claim when they name it");
  }
  for (const a2::DriverRequests& driver : parameters.driver_requests) {
    std::vector<std::string> names;
    for (const a2::ResourceRequest& old : driver.requests) {
      const std::string name = fmt::format("request-{}", spec.devices.requests.size());
      v1::DeviceRequest request = RequestFor(name, device_class);
      if (const auto& named = old.resource_request_model.named_resources; named.has_value()) {
        // RequestFor makes exact requests.
        request.exactly->selectors.push_back(
            Translated(named->selector, driver.driver_name, remarks));
      }
      spec.devices.requests.push_back(std::move(request));
      AddConfig(spec, {name}, driver.driver_name, old.vendor_parameters);
      names.push_back(name);
    }
    AddConfig(spec, names, driver.driver_name, driver.vendor_parameters);
  }
}

v1::ResourceClaimSpec SpecOf(const a2::ResourceClaimSpec& old,
                             const std::string& namespace_,
                             const ClassicParameters& parameters,
                             Remarks& remarks) {
  v1::ResourceClaimSpec spec;
  if (old.allocation_mode == "Immediate") {
    remarks.emplace_back(
        "allocationMode: Immediate has no counterpart: devices are allocated for the first pod "
        "that uses the claim");
  }
  if (old.parameters_ref.has_value()) {
    const a2::ResourceClaimParameters* found = parameters.Find(*old.parameters_ref, namespace_);
    if (found != nullptr) {
      AddRequests(*found, old.resource_class_name, spec, remarks);
    } else {
      remarks.push_back(fmt::format(
          "parametersRef: {} is not among the files; what it says belongs into the selectors of "
          "the requests and into spec.devices.config",
          NameOf(*old.parameters_ref)));
    }
  }
  if (spec.devices.requests.empty()) {
    spec.devices.requests.push_back(RequestFor("request-0", old.resource_class_name));
  }
  return spec;
}

Proposal ProposeClaim(const a2::ResourceClaim& old, const ClassicParameters& parameters) {
  v1::ResourceClaim proposed;
  Remarks remarks;
  proposed.metadata = old.metadata;
  proposed.spec = SpecOf(old.spec, old.metadata.namespace_, parameters, remarks);
  if (!api::IsZero(api::TypeOf<a2::ResourceClaimStatus>(), &old.status)) {
    remarks.emplace_back(
        "the status is left out: an allocation by a controller names no devices; let the claim "
        "be allocated again");
  }
  return {.object = api::Object::Of(std::move(proposed)), .remarks = std::move(remarks)};
}

Proposal ProposeTemplate(const a2::ResourceClaimTemplate& old,
                         const ClassicParameters& parameters) {
  v1::ResourceClaimTemplate proposed;
  Remarks remarks;
  proposed.metadata = old.metadata;
  proposed.spec.metadata = old.spec.metadata;
  proposed.spec.spec = SpecOf(old.spec.spec, old.metadata.namespace_, parameters, remarks);
  return {.object = api::Object::Of(std::move(proposed)), .remarks = std::move(remarks)};
}

// ------------------------------------------------------------------------------------------------
// Slices.

void AddFact(const a2::NamedResourcesAttributeValue& value,
             const std::string& name,
             v1::Device& device) {
  if (value.quantity.has_value()) {
    device.capacity[name].value = *value.quantity;
    return;
  }
  v1::DeviceAttribute& attribute = device.attributes[name];
  attribute.bool_ = value.bool_;
  attribute.int_ = value.int_;
  attribute.string = value.string;
  attribute.version = value.version;
  if (value.int_slice.has_value()) attribute.ints = value.int_slice->ints;
  if (value.string_slice.has_value()) attribute.strings = value.string_slice->strings;
}

v1::Device DeviceOf(const a2::NamedResourcesInstance& instance, Remarks& remarks) {
  v1::Device device;
  device.name = instance.name;
  std::ranges::replace(device.name, '.', '-');
  if (device.name != instance.name) {
    remarks.push_back(
        fmt::format("instance {} is device {}: devices have no dots", instance.name, device.name));
  }
  for (const a2::NamedResourcesAttribute& old : instance.attributes) {
    const std::string name = IdentifierOf(old.name);
    const bool is_taken = old.attribute_value.quantity.has_value()
                              ? device.capacity.contains(name)
                              : device.attributes.contains(name);
    if (is_taken) {
      remarks.push_back(
          fmt::format("attribute {} is left out: {} has {} already", old.name, device.name, name));
      continue;
    }
    if (name != old.name) {
      remarks.push_back(
          fmt::format("attribute {} is {}: attributes are C identifiers", old.name, name));
    }
    AddFact(old.attribute_value, name, device);
  }
  return device;
}

Proposal ProposeSlice(const a2::ResourceSlice& old) {
  v1::ResourceSlice proposed;
  Remarks remarks;
  proposed.metadata = old.metadata;
  proposed.spec.driver = old.driver_name;
  proposed.spec.pool = {.name = old.node_name.empty() ? old.metadata.name : old.node_name,
                        .generation = 1,
                        .resource_slice_count = 1};
  if (old.node_name.empty()) {
    proposed.spec.all_nodes = true;
  } else {
    proposed.spec.node_name = old.node_name;
  }
  remarks.emplace_back(
      "the pool is made up: name, generation and resourceSliceCount are the driver's to say");
  if (const auto& named = old.resource_model.named_resources; named.has_value()) {
    for (const a2::NamedResourcesInstance& instance : named->instances) {
      proposed.spec.devices.push_back(DeviceOf(instance, remarks));
    }
  }
  return {.object = api::Object::Of(std::move(proposed)), .remarks = std::move(remarks)};
}

}  // namespace

Proposal Propose(const api::Object& classic, const ClassicParameters& parameters) {
  if (const auto* one = classic.If<a2::ResourceClass>()) return ProposeClass(*one, parameters);
  if (const auto* one = classic.If<a2::ResourceClaim>()) return ProposeClaim(*one, parameters);
  if (const auto* one = classic.If<a2::ResourceClaimTemplate>()) {
    return ProposeTemplate(*one, parameters);
  }
  if (const auto* one = classic.If<a2::ResourceSlice>()) return ProposeSlice(*one);
  const bool is_parameters = classic.kind().kind.ends_with("Parameters");
  return {
      .object = std::nullopt,
      .remarks = {is_parameters ? "is left out: what it says stands in the claims and classes that "
                                  "refer to it"
                                : "is left out: the scheduler needs no such object any more"}};
}

}  // namespace dray::manifests
