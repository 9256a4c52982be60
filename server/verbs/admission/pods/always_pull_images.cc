// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/pods/always_pull_images.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "api/core_v1/pod.h"

namespace dray::server::verbs::admission::inline pods {
namespace {

using api::core_v1::Pod;

std::set<std::string_view> ImagesOf(const Pod& pod) {
  std::set<std::string_view> images;
  for (const auto& container : pod.spec.init_containers) images.insert(container.image);
  for (const auto& container : pod.spec.containers) images.insert(container.image);
  for (const auto& volume : pod.spec.volumes) {
    if (volume.volume_source.image.has_value())
      images.insert(volume.volume_source.image->reference);
  }
  return images;
}

}  // namespace

Result<> AlwaysPull(const Call& /*call*/,
                    const store::Snapshot& /*snapshot*/,
                    const Write& write,
                    api::Object* object) {
  constexpr std::string_view kAlways = "Always";
  if (!write.subresource.empty() || object == nullptr || object->If<Pod>() == nullptr) return {};
  if (write.old_object != nullptr &&
      std::ranges::includes(ImagesOf(write.old_object->As<Pod>()), ImagesOf(object->As<Pod>()))) {
    return {};
  }
  auto& spec = object->Mutable<Pod>().spec;
  for (auto& container : spec.init_containers) container.image_pull_policy = kAlways;
  for (auto& container : spec.containers) container.image_pull_policy = kAlways;
  for (auto& volume : spec.volumes) {
    if (volume.volume_source.image.has_value()) volume.volume_source.image->pull_policy = kAlways;
  }
  return {};
}

}  // namespace dray::server::verbs::admission::inline pods
