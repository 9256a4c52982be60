// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/pods/extended_resource_toleration.h"

#include <algorithm>
#include <set>
#include <string>

#include "api/core_v1/pod.h"
#include "api/validation/devices/device_class.h"

namespace dray::server::verbs::admission::inline pods {
namespace {

using api::core_v1::Pod;
using api::core_v1::Toleration;

std::set<std::string> ExtendedResourcesOf(const Pod& pod) {
  std::set<std::string> names;
  const auto add = [&](const auto& containers) {
    for (const auto& container : containers) {
      for (const auto& [name, amount] : container.resources.requests) {
        if (api::validation::IsExtendedResourceName(name)) names.insert(name);
      }
    }
  };
  add(pod.spec.init_containers);
  add(pod.spec.containers);
  return names;
}

}  // namespace

Result<> TolerateExtendedResources(const Call& /*call*/,
                                   const store::Snapshot& /*snapshot*/,
                                   const Write& write,
                                   api::Object* object) {
  if (!write.subresource.empty() || object == nullptr || object->If<Pod>() == nullptr) return {};
  for (const std::string& name : ExtendedResourcesOf(object->As<Pod>())) {
    const Toleration added{.key = name, .operator_ = "Exists", .value = "", .effect = "NoSchedule"};
    auto& tolerations = object->Mutable<Pod>().spec.tolerations;
    if (std::ranges::find(tolerations, added) == tolerations.end()) tolerations.push_back(added);
  }
  return {};
}

}  // namespace dray::server::verbs::admission::inline pods
