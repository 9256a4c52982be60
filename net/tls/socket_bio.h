// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/socket.h"
#include "net/tls/openssl.h"

namespace dray::net::tls {

/// A BIO that reads and writes `socket`, which outlives it. Null when memory is short.
BioPtr MakeSocketBio(Socket& socket);

}  // namespace dray::net::tls
