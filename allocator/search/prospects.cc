// SPDX-License-Identifier: Apache-2.0
#include "allocator/search/prospects.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "allocator/search/bits.h"
#include "allocator/search/node_problem.h"
#include "allocator/snapshot/node_view.h"

namespace dray::allocator::search {
namespace {

/// Devices of the node that a variant could have if nothing were taken of them.
int64_t CountMatching(const PreparedClaims& prepared,
                      const snapshot::NodeView& view,
                      size_t variant,
                      Work& work) {
  int64_t count = 0;
  for (const snapshot::NodeView::Segment& segment : view.segments) {
    const ContentRows& rows = prepared.RowsOf(*segment.facts->content, work);
    work.Charge(WorkOfItems(rows.words));
    for (size_t w = 0; w < rows.words; ++w) {
      const uint64_t here = view.on_node.empty() ? ~uint64_t{0} : view.on_node[segment.word + w];
      count += std::popcount(rows.usable[variant * rows.words + w] & here);
    }
  }
  return count;
}

}  // namespace

int64_t NodeProspect::missing() const {
  int64_t sum = 0;
  for (const RequestProspect& request : requests) sum += request.missing;
  return sum;
}

int64_t NodeProspect::matching() const {
  int64_t sum = 0;
  for (const RequestProspect& request : requests) sum += request.matching;
  return sum;
}

NodeProspect ProspectOf(const PreparedClaims& prepared,
                        const snapshot::NodeView& view,
                        const api::core_v1::Node& node,
                        Work& work) {
  NodeProspect prospect{.is_unknown = prepared.needs_literal() || view.needs_literal,
                        .has_unusable_pool = view.any_incomplete || view.any_invalid};
  if (prospect.is_unknown) return prospect;
  const NodeProblem problem(prepared, view, node, work);
  prospect.is_unknown = problem.needs_literal();
  if (prospect.is_unknown) return prospect;
  for (const PreparedRequest& request : prepared.requests()) {
    RequestProspect& best = prospect.requests.emplace_back();
    for (size_t variant = request.first_variant; variant < request.last_variant; ++variant) {
      RequestProspect one{.matching = CountMatching(prepared, view, variant, work),
                          .usable = static_cast<int64_t>(CountBits(problem.Usable(variant)))};
      one.missing = std::max<int64_t>(problem.Needed(variant) - one.usable, 0);
      if (variant == request.first_variant || one < best) best = one;
    }
  }
  return prospect;
}

Prospects::Prospects(Frozen<snapshot::ClusterState> cluster,
                     std::span<const Frozen<api::resource_v1::ResourceClaim>> claims,
                     Work& work)
    : work_(work), prepared_(std::move(cluster), claims, work) {}

NodeProspect Prospects::Of(const api::core_v1::Node& node) const {
  return ProspectOf(prepared_, *prepared_.cluster().ViewOf(node), node, work_);
}

}  // namespace dray::allocator::search
