// SPDX-License-Identifier: Apache-2.0
// Who may speak for a signer of certificates: approve, sign, or say whom it is that others should
// trust. Upstream's admission plug-ins CertificateApproval, CertificateSigning,
// CertificateSubjectRestriction and ClusterTrustBundleAttest.
#pragma once

#include "base/result.h"
#include "server/verbs/admission.h"
#include "server/verbs/call.h"

namespace dray::server::verbs {

/// Whether the requester may write what speaks for a signer: he has the verb "approve", "sign" or
/// "attest" on the resource "signers" of that name, or of all of its domain. Nobody asks the signer
/// of clients for the group system:masters. True for all other writes; where roles decide nothing,
/// but for the latter.
///
/// Errors: kForbidden, in upstream's words.
Result<> CheckSigner(const Call& call, const AdmittedWrite& write);

}  // namespace dray::server::verbs
