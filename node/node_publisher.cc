// SPDX-License-Identifier: Apache-2.0
#include "node/node_publisher.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "api/core_v1/node.h"
#include "base/try.h"
#include "node/profile.h"

namespace dray::node {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

constexpr size_t kPublishedAtOnce = 256;
// How many refusals end one try to publish again.
constexpr size_t kRefusedAtOnce = 10;

}  // namespace

NodePublisher::NodePublisher(client::Client& client, Options options)
    : client_(client), options_(std::move(options)) {}

Result<> NodePublisher::Publish() {
  for (const NodeGroup& group : options_.groups) {
    if (!HasProfile(group.profile)) DRAY_TRY_VOID(MakeNode(group.profile, 0));
  }
  Known known = Read();
  std::vector<Own> batch;
  const auto publish = [&] {
    std::ranges::move(PublishSome(batch, known), std::back_inserter(refused_));
    batch.clear();
  };
  for (const NodeGroup& group : options_.groups) {
    for (size_t i = 0; i < group.count; ++i) {
      batch.push_back({.profile = group.profile, .number = i});
      if (batch.size() == kPublishedAtOnce) publish();
    }
  }
  publish();
  return {};
}

void NodePublisher::PublishAgain() {
  size_t refused = 0;
  std::erase_if(refused_, [&](const Own& own) {
    if (refused == kRefusedAtOnce) return false;
    Known known;
    const bool is_published = PublishSome({own}, known).empty();
    if (!is_published) ++refused;
    return is_published;
  });
}

/// What cannot be read is taken to be missing: the API then answers that it exists.
NodePublisher::Known NodePublisher::Read() {
  Known known;
  const client::ListOptions names{.metadata_of_large = true};
  if (const auto nodes = client_.List(api::Reflected<core_v1::Node>::kKind, names)) {
    for (const api::Object& node : nodes->items) {
      known.nodes.emplace(node.metadata().name, node.metadata().uid);
    }
  }
  if (known.nodes.empty()) return known;
  if (const auto slices = client_.List(api::Reflected<resource_v1::ResourceSlice>::kKind, names)) {
    for (const api::Object& slice : slices->items) known.slices.insert(slice.metadata().name);
  }
  return known;
}

std::vector<NodePublisher::Own> NodePublisher::PublishSome(const std::vector<Own>& batch,
                                                           Known& known) {
  std::vector<client::Write> nodes;
  std::vector<Made> made;
  for (const Own& own : batch) made.push_back(Make(own, known, nodes));
  Create(nodes, known);

  std::vector<client::Write> slices;
  std::vector<Made*> node_of;  // of each of `slices`
  for (Made& one : made) {
    const auto node = known.nodes.find(one.name);
    one.is_refused = node == known.nodes.end();
    if (one.is_refused) continue;
    for (resource_v1::ResourceSlice& slice : one.slices) {
      // Slices go with their node, as drivers' own do.
      slice.metadata.owner_references = {{.api_version = "v1",
                                          .kind = "Node",
                                          .name = one.name,
                                          .uid = node->second,
                                          .controller = true}};
      slices.push_back({.object = api::Object::Of(std::move(slice))});
      node_of.push_back(&one);
    }
  }
  const std::vector<bool> there = Create(slices, known);
  for (size_t i = 0; i < there.size(); ++i) {
    if (!there[i]) node_of[i]->is_refused = true;
  }
  std::vector<Own> refused;
  for (Made& one : made) {
    if (one.is_refused) refused.push_back(std::move(one.own));
  }
  return refused;
}

/// Adds the node to `nodes` if it is missing.
NodePublisher::Made NodePublisher::Make(const Own& own,
                                        const Known& known,
                                        std::vector<client::Write>& nodes) {
  Made made{.own = own, .name = {}, .slices = {}};
  Result<SimulatedNode> one = MakeNode(own.profile, own.number);
  if (!one) return made;  // Publish has asked for its profile
  made.name = one->node.metadata.name;
  made.slices = std::move(one->slices);
  std::erase_if(made.slices, [&](const resource_v1::ResourceSlice& slice) {
    return known.slices.contains(slice.metadata.name);
  });
  if (known.nodes.contains(made.name)) return made;
  std::ranges::copy(options_.declared_features,
                    std::back_inserter(one->node.status.declared_features));
  nodes.push_back({.object = api::Object::Of(std::move(one->node))});
  return made;
}

std::vector<bool> NodePublisher::Create(const std::vector<client::Write>& writes, Known& known) {
  if (writes.empty()) return {};
  const std::vector<Result<api::Object>> answers = client_.WriteAll(writes);
  std::vector<bool> there;
  there.reserve(writes.size());
  for (size_t i = 0; i < writes.size(); ++i) {
    const Result<> made = IsThere(writes[i], answers[i], known);
    there.push_back(made.has_value());
    if (options_.on_published == nullptr) continue;
    const api::Object& object = writes[i].object;
    options_.on_published(fmt::format("{} {}", object.kind().kind, object.metadata().name), made);
  }
  return there;
}

/// Records a node that is there. Errors: those of the API, but for an object that exists.
Result<> NodePublisher::IsThere(const client::Write& write,
                                const Result<api::Object>& answer,
                                Known& known) {
  const bool exists = !answer && answer.error().reason == StatusReason::kAlreadyExists;
  if (!answer && !exists) return Fail(answer.error());
  const api::Object& wanted = write.object;
  if (&wanted.kind() != &api::Reflected<core_v1::Node>::kKind) return {};
  if (answer) {
    known.nodes.emplace(wanted.metadata().name, answer->metadata().uid);
    return {};
  }
  DRAY_TRY(const api::Object node,
           client_.Get({.kind = &api::Reflected<core_v1::Node>::kKind,
                        .namespace_ = {},
                        .name = wanted.metadata().name}));
  known.nodes.emplace(wanted.metadata().name, node.metadata().uid);
  return {};
}

}  // namespace dray::node
