// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/owner_references.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/kind.h"
#include "api/meta_v1/object_meta.h"
#include "api/text/go_quote.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/verbs/context/rights.h"

namespace dray::server::verbs::admission {
namespace {

using api::GoQuote;
using api::meta_v1::OwnerReference;
using References = std::vector<OwnerReference>;

constexpr std::string_view kAny = "*";
constexpr std::string_view kFinalizers = "finalizers";

const References& OldReferences(const Write& write) {
  static const References kNone;
  if (write.old_object == nullptr || write.old_object->kind().metadata == nullptr) return kNone;
  return write.old_object->metadata().owner_references;
}

bool Blocks(const OwnerReference& reference) {
  return reference.block_owner_deletion.value_or(false);
}

// Whether the reference blocks its owner's deletion and did not before.
bool IsNewBlock(const OwnerReference& reference, const References& before) {
  if (!Blocks(reference)) return false;
  // Upstream compares with the last of several references to one owner.
  const auto last =
      std::find_if(before.rbegin(), before.rend(), [&](const OwnerReference& earlier) {
        return earlier.uid == reference.uid;
      });
  return last == before.rend() || !Blocks(*last);
}

Failure Refuse(const Call& call, const Write& write, std::string_view why) {
  return Fail(errors::Forbidden(call.kind(), NameOf(call, write), why));
}

Result<> CheckDeletion(const Call& call, const Write& write, Rights& rights) {
  const access::Verdict verdict = rights.Decide(call.request->user,
                                                {.verb = "delete",
                                                 .group = std::string(call.kind().group),
                                                 .resource = std::string(call.kind().plural),
                                                 .subresource = std::string(write.subresource),
                                                 .name = call.request->name,
                                                 .namespace_ = call.request->namespace_});
  if (verdict.is_allowed) return {};
  return Refuse(call,
                write,
                fmt::format("cannot set an ownerRef on a resource you can't delete: {}, <nil>",
                            verdict.reason));
}

access::Verdict DecideFinalizers(const Call& call,
                                 Rights& rights,
                                 std::string_view group,
                                 std::string_view resource,
                                 std::string_view name,
                                 std::string namespace_name) {
  return rights.Decide(call.request->user,
                       {.verb = "update",
                        .group = std::string(group),
                        .resource = std::string(resource),
                        .subresource = std::string(kFinalizers),
                        .name = std::string(name),
                        .namespace_ = std::move(namespace_name)});
}

Result<> CheckBlock(const Call& call,
                    const Write& write,
                    const OwnerReference& owner,
                    Rights& rights) {
  const Frozen<api::Scheme> scheme = call.core->scheme.Now();
  const api::KindInfo* const kind = scheme->FindKind(owner.api_version, owner.kind);
  if (kind == nullptr || !kind->served) {
    return Refuse(
        call,
        write,
        fmt::format("cannot set blockOwnerDeletion in this case because cannot find RESTMapping "
                    "for APIVersion {0} Kind {1}: no matches for kind {2} in version {3}",
                    owner.api_version,
                    owner.kind,
                    GoQuote(owner.kind),
                    GoQuote(owner.api_version)));
  }
  // An owner with a namespace is in that of the object.
  const access::Verdict verdict =
      DecideFinalizers(call,
                       rights,
                       kind->group,
                       kind->plural,
                       owner.name,
                       kind->namespaced ? call.request->namespace_ : std::string());
  if (verdict.is_allowed) return {};
  return Refuse(call,
                write,
                fmt::format("cannot set blockOwnerDeletion if an ownerReference refers to a "
                            "resource you can't set finalizers on: {}, <nil>",
                            verdict.reason));
}

}  // namespace

Result<> CheckOwnerReferences(const Call& call,
                              const store::Snapshot& /*snapshot*/,
                              const Write& write) {
  Rights* const rights = call.core->rights.get();
  if (rights == nullptr || !write.has_metadata()) return {};
  // The strategy of that subresource keeps the references.
  if (call.kind().group.empty() && call.kind().plural == "pods" && write.subresource == "status") {
    return {};
  }
  const References& next = write.object->metadata().owner_references;
  const References& before = OldReferences(write);
  if (next == before) return {};
  if (!write.Is(policies::Operation::kCreate)) DRAY_TRY_VOID(CheckDeletion(call, write, *rights));

  References blocks;
  for (const OwnerReference& reference : next) {
    if (IsNewBlock(reference, before)) blocks.push_back(reference);
  }
  if (blocks.empty() || DecideFinalizers(call, *rights, kAny, kAny, kAny, "").is_allowed) return {};
  for (const OwnerReference& owner : blocks) {
    DRAY_TRY_VOID(CheckBlock(call, write, owner, *rights));
  }
  return {};
}

}  // namespace dray::server::verbs::admission
