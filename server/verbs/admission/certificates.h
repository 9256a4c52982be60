// SPDX-License-Identifier: Apache-2.0
// Plugins CertificateApproval, CertificateSigning, ClusterTrustBundleAttest and
// CertificateSubjectRestriction. The first three require a verb on the resource "signers", for the
// name of the signer or for all signers of its domain.
#pragma once

#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

// With RBAC off, the first three allow everything.

/// CertificateApproval. Errors: kForbidden  the requester may not "approve" for the signer.
Result<> CheckApproval(const Call& call, const store::Snapshot& snapshot, const Write& write);

/// CertificateSigning. Errors: kForbidden  the requester changes a certificate or its conditions,
/// and may not "sign" for the signer.
Result<> CheckSigning(const Call& call, const store::Snapshot& snapshot, const Write& write);

/// ClusterTrustBundleAttest. Errors: kForbidden  the requester may not "attest" for the signer.
Result<> CheckAttestation(const Call& call, const store::Snapshot& snapshot, const Write& write);

/// CertificateSubjectRestriction. Errors: kForbidden  a request to the signer of client
/// certificates names the group system:masters.
Result<> CheckSubject(const Call& call, const store::Snapshot& snapshot, const Write& write);

}  // namespace dray::server::verbs::admission
