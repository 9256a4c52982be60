// SPDX-License-Identifier: Apache-2.0
// What an error says about the write it answers: refused, or of unknown outcome.
#pragma once

#include "base/result.h"

namespace dray::client {

/// Whether a write that was answered with `error` may have been carried out all the same, or may
/// still be: a timeout, a connection that broke, a server that failed in between. Everything that a
/// server says after it has decided against the write is a no.
bool MayBeCarriedOut(const Error& error);

}  // namespace dray::client
