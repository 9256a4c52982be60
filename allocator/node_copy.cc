// SPDX-License-Identifier: Apache-2.0
#include "dray/node_copy.h"

#include <memory>
#include <string>
#include <utility>

namespace dray::allocator {
namespace {

constexpr std::string_view kCordonTaint = "node.kubernetes.io/unschedulable";
constexpr std::string_view kHostname = "kubernetes.io/hostname";

/// `text` with the name of the copy in place of that of the node.
std::string Renamed(const std::string& text, const std::string& node, const std::string& copy) {
  const size_t at = text.find(node);
  if (at == std::string::npos) return copy + "-" + text;
  return text.substr(0, at) + copy + text.substr(at + node.size());
}

}  // namespace

NodeCopy v0::NodeLike(const api::core_v1::Node& node,
                      std::span<const Frozen<api::resource_v1::ResourceSlice>> slices,
                      std::string_view name) {
  const std::string copy(name);
  NodeCopy made{.node = node, .slices = {}};
  made.node.metadata.name = copy;
  made.node.metadata.labels.insert_or_assign(kHostname, copy);
  made.node.spec.unschedulable = false;
  std::erase_if(made.node.spec.taints, [](const auto& taint) { return taint.key == kCordonTaint; });
  for (const Frozen<api::resource_v1::ResourceSlice>& slice : slices) {
    if (slice->spec.node_name != node.metadata.name) continue;
    auto like = std::make_shared<api::resource_v1::ResourceSlice>(*slice);
    like->metadata.name = Renamed(slice->metadata.name, node.metadata.name, copy);
    like->spec.pool.name = Renamed(slice->spec.pool.name, node.metadata.name, copy);
    like->spec.node_name = copy;
    made.slices.push_back(std::move(like));
  }
  return made;
}

}  // namespace dray::allocator
