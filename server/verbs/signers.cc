// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/signers.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "api/certificates_v1/signing_request.h"
#include "api/certificates_v1/trust.h"
#include "api/text/go_quote.h"
#include "net/tls/certificates.h"
#include "server/errors/errors.h"
#include "server/verbs/rights.h"

namespace dray::server::verbs {
namespace {

namespace certificates_v1 = api::certificates_v1;
using api::GoQuote;

constexpr std::string_view kClientSigner = "kubernetes.io/kube-apiserver-client";

Failure Refuse(const Call& call, const api::Object& object, std::string_view why) {
  return Fail(errors::Forbidden(call.kind(), object.metadata().name, why));
}

bool Speaks(const Call& call, std::string_view verb, std::string_view signer) {
  Rights* const rights = call.core->rights.get();
  if (rights == nullptr) return true;
  const auto may = [&](std::string name) {
    return rights
        ->Decide(call.request->user,
                 {.verb = std::string(verb),
                  .group = "certificates.k8s.io",
                  .resource = "signers",
                  .name = std::move(name)})
        .is_allowed;
  };
  return may(std::string(signer)) || may(fmt::format("{}/*", signer.substr(0, signer.find('/'))));
}

Result<> CheckSubject(const Call& call, const api::Object& object) {
  const auto& spec = object.As<certificates_v1::CertificateSigningRequest>().spec;
  if (spec.signer_name != kClientSigner) return {};
  const auto subject = net::tls::SubjectOfRequest(spec.request.bytes);
  if (!subject.has_value()) {
    return Refuse(call, object, "failed to parse CSR: " + subject.error().message);
  }
  if (std::ranges::count(subject->organizations, access::kMasters) == 0) return {};
  return Refuse(
      call,
      object,
      fmt::format(
          "use of {} signer with {} group is not allowed", kClientSigner, access::kMasters));
}

// What was asked of decides: the signer of a request does not change.
Result<> CheckRequest(const Call& call, const AdmittedWrite& write) {
  if (write.object == nullptr) return {};
  if (write.subresource.empty()) return CheckSubject(call, *write.object);
  if (write.old_object == nullptr) return {};
  const auto& old = write.old_object->As<certificates_v1::CertificateSigningRequest>();
  const auto& next = write.object->As<certificates_v1::CertificateSigningRequest>();
  const std::string& signer = old.spec.signer_name;
  if (write.subresource == "approval" && !Speaks(call, "approve", signer)) {
    return Refuse(
        call,
        *write.object,
        fmt::format("user not permitted to approve requests with signerName {}", GoQuote(signer)));
  }
  const bool signs = old.status.certificate != next.status.certificate ||
                     old.status.conditions != next.status.conditions;
  if (write.subresource == "status" && signs && !Speaks(call, "sign", signer)) {
    return Refuse(
        call,
        *write.object,
        fmt::format("user not permitted to sign requests with signerName {}", GoQuote(signer)));
  }
  return {};
}

Result<> CheckBundle(const Call& call, const AdmittedWrite& write) {
  if (write.object == nullptr) return {};
  const std::string& signer =
      write.object->As<certificates_v1::ClusterTrustBundle>().spec.signer_name;
  if (signer.empty() || Speaks(call, "attest", signer)) return {};
  if (write.old_object != nullptr &&
      IsOnlyLettingGo<certificates_v1::ClusterTrustBundle>(*write.object, *write.old_object)) {
    return {};
  }
  return Refuse(call,
                *write.object,
                fmt::format("user not permitted to attest for signerName {}", GoQuote(signer)));
}

}  // namespace

Result<> CheckSigner(const Call& call, const AdmittedWrite& write) {
  const api::KindInfo& hub = call.hub();
  if (call.is_admitted || hub.group != "certificates.k8s.io") return {};
  if (hub.plural == "certificatesigningrequests") return CheckRequest(call, write);
  if (hub.plural == "clustertrustbundles") return CheckBundle(call, write);
  return {};
}

}  // namespace dray::server::verbs
