// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/certificates.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "api/certificates_v1/signing_request.h"
#include "api/certificates_v1/trust.h"
#include "api/text/go_quote.h"
#include "net/tls/certificates.h"
#include "server/errors/errors.h"
#include "server/verbs/context/rights.h"

namespace dray::server::verbs::admission {
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

// The objects of an update of a CertificateSigningRequest; null for any other write.
struct RequestUpdate {
  const certificates_v1::CertificateSigningRequest* old = nullptr;
  const certificates_v1::CertificateSigningRequest* next = nullptr;
};

RequestUpdate UpdateOf(const Write& write, std::string_view part) {
  using certificates_v1::CertificateSigningRequest;
  if (write.subresource != part || write.object == nullptr || write.old_object == nullptr)
    return {};
  return {.old = write.old_object->If<CertificateSigningRequest>(),
          .next = write.object->If<CertificateSigningRequest>()};
}

}  // namespace

// The old object gives the signer, because the signer of a request cannot change.
Result<> CheckApproval(const Call& call, const store::Snapshot& /*snapshot*/, const Write& write) {
  const RequestUpdate update = UpdateOf(write, "approval");
  if (update.old == nullptr || update.next == nullptr) return {};
  const std::string& signer = update.old->spec.signer_name;
  if (Speaks(call, "approve", signer)) return {};
  return Refuse(
      call,
      *write.object,
      fmt::format("user not permitted to approve requests with signerName {}", GoQuote(signer)));
}

Result<> CheckSigning(const Call& call, const store::Snapshot& /*snapshot*/, const Write& write) {
  const RequestUpdate update = UpdateOf(write, "status");
  if (update.old == nullptr || update.next == nullptr) return {};
  const std::string& signer = update.old->spec.signer_name;
  const bool signs = update.old->status.certificate != update.next->status.certificate ||
                     update.old->status.conditions != update.next->status.conditions;
  if (!signs || Speaks(call, "sign", signer)) return {};
  return Refuse(
      call,
      *write.object,
      fmt::format("user not permitted to sign requests with signerName {}", GoQuote(signer)));
}

Result<> CheckAttestation(const Call& call,
                          const store::Snapshot& /*snapshot*/,
                          const Write& write) {
  using certificates_v1::ClusterTrustBundle;
  const auto* const bundle = write.object->If<ClusterTrustBundle>();
  if (bundle == nullptr) return {};
  const std::string& signer = bundle->spec.signer_name;
  if (signer.empty() || Speaks(call, "attest", signer)) return {};
  if (write.old_object != nullptr &&
      IsOnlyLettingGo<ClusterTrustBundle>(*write.object, *write.old_object)) {
    return {};
  }
  return Refuse(call,
                *write.object,
                fmt::format("user not permitted to attest for signerName {}", GoQuote(signer)));
}

Result<> CheckSubject(const Call& call, const store::Snapshot& /*snapshot*/, const Write& write) {
  const auto* const request = write.object->If<certificates_v1::CertificateSigningRequest>();
  if (request == nullptr || !write.subresource.empty()) return {};
  if (request->spec.signer_name != kClientSigner) return {};
  const auto subject = net::tls::SubjectOfRequest(request->spec.request.bytes);
  if (!subject.has_value()) {
    return Refuse(call, *write.object, "failed to parse CSR: " + subject.error().message);
  }
  if (std::ranges::count(subject->organizations, access::kMasters) == 0) return {};
  return Refuse(
      call,
      *write.object,
      fmt::format(
          "use of {} signer with {} group is not allowed", kClientSigner, access::kMasters));
}

}  // namespace dray::server::verbs::admission
