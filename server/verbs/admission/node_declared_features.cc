// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/node_declared_features.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "api/core_v1/node.h"
#include "api/feature_gates.h"
#include "api/resource_v1/slice.h"
#include "api/selectors/node_selector_match.h"
#include "api/text/go_quote.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "server/verbs/context/node_relations.h"

namespace dray::server::verbs::admission {
namespace {

using api::GoQuote;
using api::core_v1::Node;
using api::resource_v1::Device;
using api::resource_v1::ResourceSlice;

constexpr const api::KindInfo& kNodeKind = api::Reflected<Node>::kKind;
constexpr std::string_view kFeature = "DRANodeAllocatableResources";

/// The nodes that can use a device: one node, those that a selector selects, or all.
struct Reach {
  std::string_view node;
  const api::core_v1::NodeSelector* selector = nullptr;
  bool is_everywhere = false;
};

template <class Holder>
Reach ReachOf(const Holder& holder) {
  if (!holder.node_name.value_or("").empty()) return {.node = *holder.node_name};
  if (holder.node_selector.has_value()) return {.selector = &*holder.node_selector};
  return {.is_everywhere = holder.all_nodes.value_or(false)};
}

/// Why the node cannot have the device; empty: the node declares the feature.
std::string WhyNot(const Node& node) {
  if (std::ranges::count(node.status.declared_features, kFeature) > 0) return {};
  return fmt::format("node {} does not support {} feature", GoQuote(node.metadata.name), kFeature);
}

/// The error for the first node by name that can use the device and lacks the feature; empty if
/// there is none. A selector that cannot be read selects no node: validation has refused it.
std::string WhyNotOnAll(const Reach& reach, const store::Snapshot& snapshot) {
  std::optional<api::NodeSelector> selector;
  if (reach.selector != nullptr) {
    selector = api::NodeSelector::ParseLazily(api::NodeTerms(*reach.selector));
  }
  for (const store::Record& record :
       snapshot.Range({.prefix = storage::ResourcePrefix(kNodeKind), .start_key = {}})) {
    const auto item = storage::ItemOf(storage::View::OfStorage(kNodeKind), record);
    if (!item.has_value() || !item->has_value()) continue;
    const auto& node = (*item)->object.As<Node>();
    const bool is_chosen =
        !selector || selector->Match(node.metadata.labels, node.metadata.name).value_or(false);
    if (!is_chosen) continue;
    if (std::string why = WhyNot(node); !why.empty()) return why;
  }
  return {};
}

/// Why the device may not be published; empty when it may.
std::string WhyNot(const ResourceSlice& slice,
                   const Device& device,
                   const store::Snapshot& snapshot) {
  const bool is_per_device = slice.spec.per_device_node_selection.value_or(false);
  const Reach reach = is_per_device ? ReachOf(device) : ReachOf(slice.spec);
  if (reach.selector != nullptr || reach.is_everywhere) return WhyNotOnAll(reach, snapshot);
  if (reach.node.empty()) {
    return fmt::format(
        "device {} in ResourceSlice has NodeAllocatableResources but does not map to any nodes",
        GoQuote(device.name));
  }
  const api::Object node = FindStored(snapshot, kNodeKind, "", reach.node);
  if (!node.empty()) return WhyNot(node.As<Node>());
  return fmt::format("node {} not found for device {}", GoQuote(reach.node), GoQuote(device.name));
}

}  // namespace

Result<> CheckDeclaredFeatures(const Call& call,
                               const store::Snapshot& snapshot,
                               const Write& write) {
  const auto* const slice = write.object == nullptr ? nullptr : write.object->If<ResourceSlice>();
  const Options& options = call.core->options;
  const bool is_on = options.release != api::Release::kAny &&
                     options.rules.Has(api::Gate::kNodeAllocatableResources);
  if (slice == nullptr || !is_on) return {};
  for (const Device& device : slice->spec.devices) {
    if (device.node_allocatable_resources.empty()) continue;
    const std::string why = WhyNot(*slice, device, snapshot);
    if (!why.empty()) return Fail(errors::Forbidden(call.kind(), slice->metadata.name, why));
  }
  return {};
}

}  // namespace dray::server::verbs::admission
