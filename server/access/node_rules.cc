// SPDX-License-Identifier: Apache-2.0
#include "server/access/node_rules.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "api/selectors/field_selector.h"
#include "api/text/go_quote.h"

namespace dray::server::access {
namespace {

constexpr std::string_view kNode = "system:node:";
constexpr std::string_view kNodes = "system:nodes";
constexpr std::string_view kLeases = "kube-node-lease";

struct Question {
  std::string_view node;
  const Attributes& asked;
  const std::function<bool()>& is_related;

  bool Is(std::initializer_list<std::string_view> verbs) const {
    return std::ranges::find(verbs, asked.verb) != verbs.end();
  }
  bool is_list() const { return Is({"list", "watch", "deletecollection"}); }
  /// Whether the field selector selects this node.
  bool IsOfNode() const {
    const Result<api::FieldSelector> selector = api::FieldSelector::Parse(asked.field_selector);
    return selector.has_value() &&
           std::ranges::any_of(selector->requirements(), [&](const api::FieldRequirement& one) {
             return one.path == "spec.nodeName" && one.op == api::FieldOperator::kEquals &&
                    one.value == node;
           });
  }
};

Verdict Yes() {
  return {.is_allowed = true};
}

Verdict No(std::string reason = {}) {
  return {.reason = reason.empty() ? "" : "node: " + std::move(reason)};
}

Verdict IfRelated(const Question& of) {
  if (of.asked.name.empty()) return No("No Object name found");
  if (of.is_related()) return Yes();
  return No(fmt::format("no relationship found between node '{}' and this object", of.node));
}

Verdict OneAtATime(const Question& of) {
  if (of.asked.verb != "get") return No("can only get individual resources of this type");
  if (!of.asked.subresource.empty()) return No("cannot get subresource");
  return IfRelated(of);
}

Verdict Read(const Question& of) {
  if (!of.Is({"get", "list", "watch"})) return No("can only read resources of this type");
  if (!of.asked.subresource.empty()) return No("cannot read subresource");
  if (of.asked.namespace_.empty()) return No("can only read namespaced object of this type");
  return IfRelated(of);
}

Verdict VolumeClaim(const Question& of) {
  if (of.asked.subresource != "status") return OneAtATime(of);
  return of.Is({"update", "patch"}) ? IfRelated(of) : No("can only get/update/patch this type");
}

Verdict Account(const Question& of) {
  if (of.asked.verb == "get" && of.asked.subresource.empty()) return Read(of);
  if (of.asked.verb != "create" || of.asked.name.empty()) {
    return No("can only create tokens for individual service accounts");
  }
  if (of.asked.subresource != "token") {
    return No("can only create token subresource of serviceaccount");
  }
  return IfRelated(of);
}

Verdict Lease(const Question& of) {
  if (!of.Is({"get", "create", "update", "patch", "delete"})) {
    return No("can only get, create, update, patch, or delete a node lease");
  }
  if (of.asked.namespace_ != kLeases) {
    return No(R"(can only access leases in the "kube-node-lease" system namespace)");
  }
  if (of.asked.verb == "create" || of.asked.name == of.node) return Yes();
  return No("can only access node lease with the same name as the requesting node");
}

Verdict CsiNode(const Question& of) {
  if (of.asked.subresource == "status") {
    return No("CSINode status access requires CSIVolumeHealth feature");
  }
  if (!of.asked.subresource.empty()) return No("cannot authorize CSINode subresources");
  if (!of.Is({"get", "create", "update", "patch", "delete"})) {
    return No("can only get, create, update, patch, or delete a CSINode");
  }
  if (of.asked.verb == "create" || of.asked.name == of.node) return Yes();
  return No("can only access CSINode with the same name as the requesting node");
}

Verdict Slice(const Question& of) {
  if (!of.asked.subresource.empty()) return No("cannot authorize ResourceSlice subresources");
  if (of.asked.verb == "create") return Yes();  // its contents are checked when it is stored
  if (of.Is({"get", "update", "patch", "delete"})) return IfRelated(of);
  if (!of.is_list()) {
    return No(
        "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, "
        "update, patch, delete, deletecollection");
  }
  if (of.IsOfNode()) return Yes();
  return No("can only list/watch/deletecollection resourceslices with nodeName field selector");
}

Verdict Node(const Question& of) {
  if (of.asked.subresource == "status") return of.Is({"update", "patch"}) ? Yes() : No();
  if (!of.asked.subresource.empty()) return No();
  if (of.Is({"create", "update", "patch"})) return Yes();
  if (!of.Is({"get", "list", "watch"})) return No();
  if (of.asked.name == of.node) return Yes();
  if (of.asked.name.empty()) {
    return No(fmt::format("node '{}' cannot read all nodes, only its own Node object", of.node));
  }
  return No(
      fmt::format("node '{}' cannot read '{}', only its own Node object", of.node, of.asked.name));
}

Verdict Pod(const Question& of) {
  // The pod's node is checked when the pod is written (server/verbs/admission/node_restriction.h).
  const std::string& part = of.asked.subresource;
  if (part == "status") return of.Is({"update", "patch"}) ? Yes() : No();
  if (part == "eviction") return of.asked.verb == "create" ? Yes() : No();
  if (!part.empty()) return No();
  if (of.Is({"create", "delete"})) return Yes();
  if (of.asked.verb == "get") return OneAtATime(of);
  if (!of.Is({"list", "watch"})) return No();
  if (of.IsOfNode()) return Yes();
  if (!of.asked.name.empty()) return IfRelated(of);
  return No("can only list/watch pods with spec.nodeName field selector");
}

Verdict Certificate(const Question& of) {
  if (!of.asked.subresource.empty()) {
    return No("nodes may not access the status subresource of PodCertificateRequests");
  }
  if (of.asked.verb == "create") return Yes();  // its contents are checked when it is stored
  if (of.asked.verb == "get") return IfRelated(of);
  if (!of.Is({"list", "watch"})) {
    return No(fmt::format("nodes may not {} podcertificaterequests", of.asked.verb));
  }
  if (of.IsOfNode()) return Yes();
  return No("can only list/watch podcertificaterequests with nodeName field selector");
}

struct Row {
  std::string_view group, resource;
  Verdict (*decide)(const Question& of);
};
constexpr std::array kRows = {Row{"", "secrets", Read},
                              Row{"", "configmaps", Read},
                              Row{"", "persistentvolumeclaims", VolumeClaim},
                              Row{"", "persistentvolumes", OneAtATime},
                              Row{"", "serviceaccounts", Account},
                              Row{"", "nodes", Node},
                              Row{"", "pods", Pod},
                              Row{"certificates.k8s.io", "podcertificaterequests", Certificate},
                              Row{"resource.k8s.io", "resourceclaims", OneAtATime},
                              Row{"resource.k8s.io", "resourceslices", Slice},
                              Row{"storage.k8s.io", "volumeattachments", OneAtATime},
                              Row{"storage.k8s.io", "csinodes", CsiNode},
                              Row{"coordination.k8s.io", "leases", Lease}};

}  // namespace

std::optional<std::string_view> NodeOf(const User& user) {
  const std::string_view name = user.name;
  const bool is_node =
      name.starts_with(kNode) && std::ranges::find(user.groups, kNodes) != user.groups.end();
  if (!is_node) return std::nullopt;
  return name.substr(kNode.size());
}

Verdict DecideForNode(std::string_view node,
                      const Attributes& asked,
                      const std::function<bool()>& is_related,
                      const RuleIndex* usual) {
  if (node.empty()) return No(fmt::format("unknown node for user {}", api::GoQuote(kNode)));
  if (asked.path.empty()) {
    for (const Row& row : kRows) {
      if (row.group != asked.group || row.resource != asked.resource) continue;
      return row.decide({.node = node, .asked = asked, .is_related = is_related});
    }
  }
  return {.is_allowed = usual != nullptr && Allows(*usual, asked)};
}

}  // namespace dray::server::access
