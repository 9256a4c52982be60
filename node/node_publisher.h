// SPDX-License-Identifier: Apache-2.0
// Makes simulated nodes and their slices known to the API: creates what is not there yet, many
// at once, so that a store waits for its disk a few times and not for each.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "api/object.h"
#include "api/resource_v1/slice.h"
#include "base/result.h"
#include "client/client.h"

namespace dray::node {

/// Nodes of one hardware profile.
struct NodeGroup {
  std::string profile;
  size_t count = 0;
};

/// Not thread-safe. The client outlives it.
class NodePublisher {
 public:
  struct Options {
    std::vector<NodeGroup> groups;
    /// What the nodes say they can do, in order (status.declaredFeatures).
    std::vector<std::string> declared_features = {};
    /// Called with the result of each node and slice that is made or there; may be null.
    std::function<void(const std::string& what, const Result<>& made)> on_published = nullptr;
  };

  NodePublisher(client::Client& client, Options options);

  /// Creates nodes and slices that are not there yet. What the API refuses is kept for
  /// PublishAgain. O(nodes and slices of the cluster), in memory kPublishedAtOnce nodes beside
  /// their names. Errors: kNotFound  no such profile; then nothing was created.
  Result<> Publish();
  /// Tries again what was refused; after some that are refused once more, the others are left for
  /// the next call.
  void PublishAgain();
  /// Whether everything is there.
  bool done() const { return refused_.empty(); }

 private:
  /// A node, by its profile and number.
  struct Own {
    std::string profile;
    size_t number = 0;
  };
  /// A node that was made, with the slices that are missing.
  struct Made {
    Own own;
    std::string name;
    std::vector<api::resource_v1::ResourceSlice> slices;
    bool is_refused = false;
  };
  /// What the API has.
  struct Known {
    std::map<std::string, std::string, std::less<>> nodes;  // uids by name
    std::set<std::string, std::less<>> slices;              // names
  };

  Known Read();
  /// Returns those of which something was refused.
  std::vector<Own> PublishSome(const std::vector<Own>& batch, Known& known);
  Made Make(const Own& own, const Known& known, std::vector<client::Write>& nodes);
  /// Creates the objects; returns for each whether it is there now.
  std::vector<bool> Create(const std::vector<client::Write>& writes, Known& known);
  Result<> IsThere(const client::Write& write, const Result<api::Object>& answer, Known& known);

  client::Client& client_;
  const Options options_;
  std::vector<Own> refused_;
};

}  // namespace dray::node
