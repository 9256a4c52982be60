// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "net/socket_stream.h"
#include "net/tls/openssl.h"

namespace dray::net::tls {

/// OpenSSL's way to `stream`, which outlives it. Null when memory is short.
BioPtr MakeSocketBio(SocketStream& stream);

}  // namespace dray::net::tls
