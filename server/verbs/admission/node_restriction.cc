// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/node_restriction.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/authentication_v1.h"
#include "api/certificates_v1/signing_request.h"
#include "api/certificates_v1/trust.h"
#include "api/core_v1/node.h"
#include "api/core_v1/persistent_volume_claim.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/service_account.h"
#include "api/pods/life.h"
#include "api/pods/references.h"
#include "api/storage_v1/csi_node.h"
#include "api/text/go_quote.h"
#include "base/try.h"
#include "net/tls/certificates.h"
#include "server/access/node_rules.h"
#include "server/errors/errors.h"
#include "server/policies/admission_request.h"
#include "server/registry/pod_account.h"
#include "server/verbs/admission/node_tokens.h"
#include "server/verbs/context/node_relations.h"
#include "server/verbs/context/rights.h"

namespace dray::server::verbs::admission {
namespace {

namespace certificates_v1 = api::certificates_v1;
namespace core_v1 = api::core_v1;
using api::GoQuote;
using core_v1::Pod;
using policies::Operation;

/// A write by a node.
struct NodeWrite {
  const Call& call;
  const store::Snapshot& snapshot;
  const Write& write;
  std::string_view node;
  std::string name = {};  // of the object; empty in deletions of collections

  bool Is(Operation operation) const { return write.operation == operation; }
  const std::string& namespace_name() const { return call.request->namespace_; }
  template <class T>
  const T& next() const {
    return write.object->As<T>();
  }
  template <class T>
  const T& old() const {
    return write.old_object->As<T>();
  }
  template <class T>
  api::Object Find(std::string_view wanted) const {
    const api::KindInfo& kind = api::Reflected<T>::kKind;
    return FindStored(snapshot, kind, kind.namespaced ? namespace_name() : "", wanted);
  }

  Failure Refuse(std::string_view why) const {
    return Fail(errors::Forbidden(call.kind(), shown_name(), why));
  }
  std::string_view shown_name() const {
    if (!name.empty()) return name;
    return write.has_metadata() ? errors::NameInAdmission(write.object->metadata())
                                : errors::kUnknownName;
  }
  /// Refuses with `text`, in which the first "{}" stands for the node's name in quotes.
  template <class... More>
  Failure RefuseNode(fmt::format_string<std::string, const More&...> text,
                     const More&... more) const {
    return Refuse(fmt::format(text, GoQuote(node), more...));
  }
  Failure RefuseOperation() const {
    return Refuse(fmt::format("unexpected operation {}", GoQuote(word())));
  }
  std::string_view word() const { return policies::WordOf(write.operation); }
};

template <class T>
Failure NotThere(std::string_view name) {
  return Fail(errors::NotInCache(api::Reflected<T>::kKind, name));
}

// ------------------------------------------------------------------------------------------- pods

Result<> CheckOwner(const NodeWrite& of, const Pod& pod) {
  const auto& owners = pod.metadata.owner_references;
  if (owners.size() > 1) {
    return of.RefuseNode(
        "node {} can only create pods with a single owner reference set to itself");
  }
  const bool is_itself = !owners.empty() && owners.front().api_version == "v1" &&
                         owners.front().kind == "Node" && owners.front().name == of.node;
  if (!is_itself) {
    return of.RefuseNode("node {} can only create pods with an owner reference set to itself");
  }
  const api::meta_v1::OwnerReference& owner = owners.front();
  if (!owner.controller.value_or(false)) {
    return of.RefuseNode(
        "node {} can only create pods with a controller owner reference set to itself");
  }
  if (owner.block_owner_deletion.value_or(false)) {
    return of.RefuseNode("node {} must not set blockOwnerDeletion on an owner reference");
  }
  const api::Object node = of.Find<core_v1::Node>(of.node);
  if (node.empty()) return NotThere<core_v1::Node>(of.node);
  if (owner.uid == node.metadata().uid) return {};
  return of.Refuse(fmt::format(
      "node {} UID mismatch: expected {} got {}", of.node, owner.uid, node.metadata().uid));
}

Result<> CheckNewPod(const NodeWrite& of) {
  const Pod& pod = of.next<Pod>();
  if (!api::pods::IsMirror(pod.metadata)) {
    return of.Refuse(
        fmt::format(R"(pod does not have "{}" annotation, node {} can only create mirror pods)",
                    api::pods::kMirrorAnnotation,
                    GoQuote(of.node)));
  }
  if (pod.spec.node_name != of.node) {
    return of.RefuseNode("node {} can only create pods with spec.nodeName set to itself");
  }
  DRAY_TRY_VOID(CheckOwner(of, pod));
  // The node could read every object that its pod references, so a mirror pod must reference none.
  const api::pods::ReadObject read = api::pods::ObjectReadFor(pod);
  if (read.what.empty()) return {};
  if (read.is_unknown) {
    return of.Refuse("error checking mirror pod for API references: " + read.what);
  }
  return of.RefuseNode("node {} can not create pods that reference {}", read.what);
}

Result<> CheckPod(const NodeWrite& of) {
  if (of.Is(Operation::kCreate)) return CheckNewPod(of);
  if (!of.Is(Operation::kDelete)) {
    return of.Refuse(
        fmt::format("unexpected operation {}, node {} can only create and delete mirror pods",
                    GoQuote(of.word()),
                    GoQuote(of.node)));
  }
  if (of.name.empty()) return NotThere<Pod>(of.name);
  if (of.old<Pod>().spec.node_name == of.node) return {};
  return of.RefuseNode("node {} can only delete pods with spec.nodeName set to itself");
}

bool HaveSameClaims(const core_v1::PodStatus& a, const core_v1::PodStatus& b) {
  return std::ranges::equal(
      a.resource_claim_statuses, b.resource_claim_statuses, [](const auto& one, const auto& other) {
        return one.name == other.name && one.resource_claim_name == other.resource_claim_name;
      });
}

Result<> CheckPodStatus(const NodeWrite& of) {
  if (!of.Is(Operation::kUpdate)) return of.RefuseOperation();
  const Pod& old = of.old<Pod>();
  const Pod& next = of.next<Pod>();
  if (old.spec.node_name != of.node) {
    return of.RefuseNode(
        "node {} can only update pod status for pods with spec.nodeName set to itself");
  }
  if (old.metadata.labels != next.metadata.labels) {
    return of.RefuseNode("node {} cannot update labels through pod status");
  }
  if (!HaveSameClaims(old.status, next.status)) {
    return of.RefuseNode("node {} cannot update resource claim statues");
  }
  if (old.status.extended_resource_claim_status != next.status.extended_resource_claim_status) {
    return of.RefuseNode("node {} cannot update extended resource claim status");
  }
  if (old.status.node_allocatable_resource_claim_statuses !=
      next.status.node_allocatable_resource_claim_statuses) {
    return of.RefuseNode("node {} cannot update node allocatable resource claim statuses");
  }
  return {};
}

Result<> CheckEviction(const NodeWrite& of) {
  if (!of.Is(Operation::kCreate)) {
    return of.Refuse(fmt::format("unexpected operation {}", of.word()));
  }
  const api::Object pod = of.Find<Pod>(of.name);
  if (pod.empty()) return NotThere<Pod>(of.name);
  if (pod.As<Pod>().spec.node_name == of.node) return {};
  return of.Refuse(
      fmt::format("node {} can only evict pods with spec.nodeName set to itself", of.node));
}

Result<> CheckOtherPartOfPod(const NodeWrite& of) {
  return of.Refuse(
      fmt::format("unexpected pod subresource {}, only 'status' and 'eviction' are allowed",
                  GoQuote(of.write.subresource)));
}

// ------------------------------------------------------------------------------------------ nodes

bool IsIn(std::string_view domain, std::string_view parent) {
  return domain == parent || (domain.ends_with(parent) &&
                              domain.substr(0, domain.size() - parent.size()).ends_with('.'));
}

/// Labels that steer pods to nodes. Only administrators of nodes may set them.
bool IsForbiddenLabel(std::string_view label) {
  constexpr std::array<std::string_view, 11> kOwn = {"kubernetes.io/hostname",
                                                     "topology.kubernetes.io/zone",
                                                     "topology.kubernetes.io/region",
                                                     "failure-domain.beta.kubernetes.io/zone",
                                                     "failure-domain.beta.kubernetes.io/region",
                                                     "beta.kubernetes.io/instance-type",
                                                     "node.kubernetes.io/instance-type",
                                                     "kubernetes.io/os",
                                                     "kubernetes.io/arch",
                                                     "beta.kubernetes.io/os",
                                                     "beta.kubernetes.io/arch"};
  const size_t slash = label.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view domain = label.substr(0, slash);
  if (IsIn(domain, "node-restriction.kubernetes.io")) return true;
  if (!IsIn(domain, "kubernetes.io") && !IsIn(domain, "k8s.io")) return false;
  const bool is_own = IsIn(domain, "kubelet.kubernetes.io") || IsIn(domain, "node.kubernetes.io") ||
                      std::ranges::find(kOwn, label) != kOwn.end();
  return !is_own;
}

std::set<std::string> ForbiddenChanges(const api::Map<std::string>& now,
                                       const api::Map<std::string>& before) {
  std::set<std::string> changed;
  const auto look = [&](const api::Map<std::string>& a, const api::Map<std::string>& b) {
    for (const auto& [key, value] : a) {
      const auto other = b.find(key);
      const bool is_same = other != b.end() && other->second == value;
      if (!is_same && IsForbiddenLabel(key)) changed.insert(key);
    }
  };
  look(now, before);
  look(before, now);
  return changed;
}

Result<> CheckNewNode(const NodeWrite& of) {
  const auto& node = of.next<core_v1::Node>();
  if (node.spec.config_source.has_value()) {
    return of.RefuseNode("node {} is not allowed to create pods with a non-nil configSource");
  }
  const std::set<std::string> labels = ForbiddenChanges(node.metadata.labels, {});
  if (labels.empty()) return {};
  return of.Refuse(fmt::format("node {} is not allowed to set the following labels: {}",
                               GoQuote(of.node),
                               fmt::join(labels, ", ")));
}

/// A node's write to a Node or its subresources.
Result<> CheckItself(const NodeWrite& of) {
  if (of.name != of.node) {
    return of.RefuseNode("node {} is not allowed to modify node {}", GoQuote(of.name));
  }
  if (of.Is(Operation::kCreate)) return CheckNewNode(of);
  if (!of.Is(Operation::kUpdate)) return {};
  const auto& old = of.old<core_v1::Node>();
  const auto& next = of.next<core_v1::Node>();
  if (next.spec.config_source.has_value() && next.spec.config_source != old.spec.config_source) {
    return of.RefuseNode(
        "node {} is not allowed to update configSource to a new non-nil "
        "configSource");
  }
  if (next.spec.taints != old.spec.taints) {
    return of.RefuseNode("node {} is not allowed to modify taints");
  }
  if (next.metadata.owner_references != old.metadata.owner_references) {
    return of.RefuseNode("node {} is not allowed to modify ownerReferences");
  }
  const std::set<std::string> labels = ForbiddenChanges(next.metadata.labels, old.metadata.labels);
  if (labels.empty()) return {};
  return of.Refuse(fmt::format("is not allowed to modify labels: {}", fmt::join(labels, ", ")));
}

// ------------------------------------------------------------------------------- volumes, leases

Result<> CheckVolumeClaim(const NodeWrite& of) {
  return of.Refuse("may only update PVC status");
}

/// The claim without the members that a node may change.
core_v1::PersistentVolumeClaim Rest(core_v1::PersistentVolumeClaim claim) {
  claim.metadata.resource_version.clear();
  claim.metadata.managed_fields.clear();
  claim.status.capacity = {};
  claim.status.conditions = {};
  claim.status.allocated_resources = {};
  claim.status.allocated_resource_statuses = {};
  return claim;
}

Result<> CheckVolumeClaimStatus(const NodeWrite& of) {
  using core_v1::PersistentVolumeClaim;
  if (!of.Is(Operation::kUpdate)) return of.RefuseOperation();
  if (Rest(of.old<PersistentVolumeClaim>()) == Rest(of.next<PersistentVolumeClaim>())) return {};
  return of.RefuseNode(
      "node {} is not allowed to update fields other than status.quantity and status.conditions");
}

Result<> CheckLease(const NodeWrite& of) {
  constexpr std::string_view kLeases = "kube-node-lease";
  if (of.namespace_name() != kLeases) {
    return of.Refuse(
        fmt::format("can only access leases in the {} system namespace", GoQuote(kLeases)));
  }
  if (of.name == of.node) return {};
  return of.Refuse("can only access node lease with the same name as the requesting node");
}

Result<> CheckCsiNode(const NodeWrite& of) {
  if (of.name == of.node) return {};
  return of.Refuse("can only access CSINode with the same name as the requesting node");
}

Result<> CheckCsiNodeStatus(const NodeWrite& of) {
  DRAY_TRY_VOID(CheckCsiNode(of));
  return of.Refuse("CSIVolumeHealth feature gate is disabled");
}

Result<> CheckSlice(const NodeWrite& of) {
  if (of.Is(Operation::kUpdate)) return {};  // authorized for its owner, who cannot change
  const api::Object& slice = of.Is(Operation::kCreate) ? *of.write.object : *of.write.old_object;
  if (NodeOfSlice(slice) == of.node) return {};
  return of.Refuse(
      fmt::format("can only {} ResourceSlice with the same NodeName as the requesting node",
                  of.Is(Operation::kCreate) ? "create" : "delete"));
}

// ----------------------------------------------------------------------------------- certificates

Result<> CheckSigningRequest(const NodeWrite& of) {
  if (!of.Is(Operation::kCreate)) return {};
  const auto& spec = of.next<certificates_v1::CertificateSigningRequest>().spec;
  const bool is_of_kubelet = spec.signer_name == "kubernetes.io/kubelet-serving" ||
                             spec.signer_name == "kubernetes.io/kube-apiserver-client-kubelet";
  if (!is_of_kubelet) return {};
  const Result<net::tls::RequestedSubject> subject = net::tls::SubjectOfRequest(spec.request.bytes);
  if (!subject.has_value()) {
    return of.Refuse(fmt::format("unable to parse csr: {}", subject.error().message));
  }
  const std::string own = fmt::format("system:node:{}", of.node);
  if (subject->common_name == own) return {};
  return of.Refuse(fmt::format("can only create a node CSR with CN={}", own));
}

Result<> CheckAccountOf(const NodeWrite& of,
                        const certificates_v1::PodCertificateRequestSpec& spec,
                        const Pod& pod) {
  const std::string quoted = GoQuote(of.namespace_name() + "/" + spec.pod_name);
  if (spec.service_account_name != pod.spec.service_account_name) {
    return of.Refuse(fmt::format(
        "PodCertificateRequest for pod {} contains serviceAccountName ({}) that differs "
        "from running pod ({})",
        quoted,
        GoQuote(spec.service_account_name),
        GoQuote(pod.spec.service_account_name)));
  }
  const api::Object account = of.Find<core_v1::ServiceAccount>(spec.service_account_name);
  if (account.empty()) {
    return NotThere<core_v1::ServiceAccount>(spec.service_account_name);
  }
  if (spec.service_account_uid == account.metadata().uid) return {};
  return Fail(errors::Untyped(fmt::format(
      "PodCertificateRequest for pod {} names service account UID {}, which differs from "
      "the running service account ({})",
      quoted,
      GoQuote(spec.service_account_uid),
      GoQuote(account.metadata().uid))));
}

bool MountsCertificateOf(const Pod& pod, std::string_view signer) {
  return std::ranges::any_of(pod.spec.volumes, [&](const core_v1::Volume& volume) {
    const auto& projected = volume.volume_source.projected;
    return projected.has_value() && std::ranges::any_of(projected->sources, [&](const auto& one) {
             return one.pod_certificate.has_value() && one.pod_certificate->signer_name == signer;
           });
  });
}

// A volume of the pod must name the signer, or RBAC must allow it.
Result<> CheckSigner(const NodeWrite& of,
                     const certificates_v1::PodCertificateRequestSpec& spec,
                     const Pod& pod) {
  if (MountsCertificateOf(pod, spec.signer_name)) return {};
  std::string signer = spec.signer_name;
  std::ranges::replace(signer, '/', ':');  // names of resources have no slash
  const bool is_allowed = of.call.core->rights
                              ->Decide(of.call.request->user,
                                       {.verb = "request-serviceaccounts-podcertificate-signer",
                                        .group = std::string(of.call.kind().group),
                                        .resource = std::move(signer),
                                        .name = spec.service_account_name,
                                        .namespace_ = of.namespace_name()})
                              .is_allowed;
  if (is_allowed) return {};
  return of.Refuse(
      fmt::format("pod {} does not mount a podCertificate projected volume for signer {}",
                  GoQuote(of.namespace_name() + "/" + spec.pod_name),
                  GoQuote(spec.signer_name)));
}

Result<> CheckPodOf(const NodeWrite& of, const certificates_v1::PodCertificateRequestSpec& spec) {
  const std::string quoted = GoQuote(of.namespace_name() + "/" + spec.pod_name);
  const api::Object object = of.Find<Pod>(spec.pod_name);
  if (object.empty()) return NotThere<Pod>(spec.pod_name);
  const Pod& pod = object.As<Pod>();
  if (spec.pod_uid != pod.metadata.uid) {
    return Fail(errors::Untyped(
        fmt::format("PodCertificateRequest for pod {} contains pod UID ({}) which differs from "
                    "running pod {}",
                    quoted,
                    GoQuote(spec.pod_uid),
                    GoQuote(pod.metadata.uid))));
  }
  if (pod.spec.node_name != spec.node_name) {
    return of.Refuse(
        fmt::format("pod {} is not running on node {} named in the PodCertificateRequest",
                    quoted,
                    GoQuote(spec.node_name)));
  }
  if (api::pods::IsMirror(pod.metadata))
    return of.Refuse(fmt::format("pod {} is a mirror pod", quoted));
  DRAY_TRY_VOID(CheckAccountOf(of, spec, pod));
  return CheckSigner(of, spec, pod);
}

Result<> CheckCertificate(const NodeWrite& of) {
  if (!of.Is(Operation::kCreate)) {
    return of.Refuse(fmt::format("unexpected operation {}", of.word()));
  }
  const auto& spec = of.next<certificates_v1::PodCertificateRequest>().spec;
  if (spec.node_name != of.node) {
    return of.Refuse(
        fmt::format("PodCertificateRequest.Spec.NodeName={}, which is not the requesting node {}",
                    GoQuote(spec.node_name),
                    GoQuote(of.node)));
  }
  const api::Object node = of.Find<core_v1::Node>(of.node);
  if (node.empty()) return NotThere<core_v1::Node>(of.node);
  if (node.metadata().uid != spec.node_uid) {
    return Fail(errors::Untyped(
        fmt::format("PodCertificateRequest for pod {} names node UID {}, inconsistent with the "
                    "running node ({})",
                    GoQuote(of.namespace_name() + "/" + spec.pod_name),
                    GoQuote(spec.node_uid),
                    GoQuote(node.metadata().uid))));
  }
  return CheckPodOf(of, spec);
}

Result<> CheckCertificatePart(const NodeWrite& of) {
  return of.Refuse(fmt::format("unexpected operation {}", of.word()));
}

Result<> CheckToken(const NodeWrite& of) {
  using api::authentication_v1::TokenRequest;
  if (!of.Is(Operation::kCreate)) return {};
  return CheckNodeToken(of.call, of.snapshot, of.node, of.next<TokenRequest>());
}

// -------------------------------------------------------------------------------------- the rules

struct NodeRule {
  std::string_view group, resource;
  std::string_view part;  // "*": any subresource without an earlier row
  Result<> (*check)(const NodeWrite& of);
};
constexpr std::array kNodeRules = {
    NodeRule{"", "pods", "", CheckPod},
    NodeRule{"", "pods", "status", CheckPodStatus},
    NodeRule{"", "pods", "eviction", CheckEviction},
    NodeRule{"", "pods", "*", CheckOtherPartOfPod},
    NodeRule{"", "nodes", "*", CheckItself},
    NodeRule{"", "persistentvolumeclaims", "status", CheckVolumeClaimStatus},
    NodeRule{"", "persistentvolumeclaims", "*", CheckVolumeClaim},
    NodeRule{"", "serviceaccounts", "token", CheckToken},
    NodeRule{"certificates.k8s.io", "certificatesigningrequests", "*", CheckSigningRequest},
    NodeRule{"certificates.k8s.io", "podcertificaterequests", "", CheckCertificate},
    NodeRule{"certificates.k8s.io", "podcertificaterequests", "*", CheckCertificatePart},
    NodeRule{"coordination.k8s.io", "leases", "*", CheckLease},
    NodeRule{"storage.k8s.io", "csinodes", "status", CheckCsiNodeStatus},
    NodeRule{"storage.k8s.io", "csinodes", "*", CheckCsiNode},
    NodeRule{"resource.k8s.io", "resourceslices", "*", CheckSlice}};

std::string NameOfWritten(const Call& call, const Write& write) {
  if (call.of_collection) return {};
  if (!call.request->name.empty() || write.object == nullptr) return call.request->name;
  return write.object->metadata().name;
}

}  // namespace

Result<> CheckNode(const Call& call,
                   const store::Snapshot& snapshot,
                   const Write& write,
                   api::Object* /*object*/) {
  if (call.core->rights == nullptr) return {};
  const std::optional<std::string_view> node = access::NodeOf(call.request->user);
  if (!node.has_value()) return {};
  const NodeWrite of{.call = call,
                     .snapshot = snapshot,
                     .write = write,
                     .node = *node,
                     .name = NameOfWritten(call, write)};
  if (node->empty()) {
    return of.Refuse(
        fmt::format("could not determine node from user {}", GoQuote(call.request->user->name)));
  }
  const auto* const rule = std::ranges::find_if(kNodeRules, [&](const NodeRule& one) {
    return one.group == call.kind().group && one.resource == call.kind().plural &&
           (one.part == "*" || one.part == write.subresource);
  });
  return rule == kNodeRules.end() ? Result<>() : rule->check(of);
}

}  // namespace dray::server::verbs::admission
