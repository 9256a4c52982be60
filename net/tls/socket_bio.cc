// SPDX-License-Identifier: Apache-2.0
#include "net/tls/socket_bio.h"

#include <cerrno>
#include <cstddef>
#include <memory>

#include <openssl/bio.h>

#include "net/socket.h"
#include "net/tls/openssl.h"

namespace dray::net::tls {
namespace {

Socket& SocketOf(BIO* bio) {
  return *static_cast<Socket*>(BIO_get_data(bio));
}

/// A result as OpenSSL's callbacks return it: the size, 0 at the end, -1 with errno.
int AsOpenSsl(const IoResult& result) {
  switch (result.status) {
    case IoStatus::kDone: return static_cast<int>(result.size);
    case IoStatus::kEnd: return 0;
    case IoStatus::kWantRead:
    case IoStatus::kWantWrite: errno = EAGAIN; return -1;
    case IoStatus::kBroken: errno = result.error; return -1;
  }
  return -1;
}

int Read(BIO* bio, char* into, int size) {
  BIO_clear_retry_flags(bio);
  const IoResult result = SocketOf(bio).Read({into, static_cast<size_t>(size)});
  if (result.status == IoStatus::kWantRead) BIO_set_retry_read(bio);
  if (result.status == IoStatus::kEnd) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return AsOpenSsl(result);
}

int Write(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const IoResult result = SocketOf(bio).Write({bytes, static_cast<size_t>(size)});
  if (result.status == IoStatus::kWantWrite) BIO_set_retry_write(bio);
  return AsOpenSsl(result);
}

long Control(BIO* bio, int command, long /*number*/, void* /*pointer*/) {
  switch (command) {
    case BIO_CTRL_FLUSH: return 1;
    case BIO_CTRL_EOF: return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
    default: return 0;  // not supported
  }
}

using MethodPtr = std::unique_ptr<BIO_METHOD, Freer<BIO_meth_free>>;

MethodPtr MakeMethod() {
  MethodPtr method(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket"));
  if (method == nullptr) return nullptr;
  BIO_meth_set_read(method.get(), Read);
  BIO_meth_set_write(method.get(), Write);
  BIO_meth_set_ctrl(method.get(), Control);
  return method;
}

}  // namespace

BioPtr MakeSocketBio(Socket& socket) {
  static const MethodPtr kMethod = MakeMethod();
  BioPtr bio(kMethod == nullptr ? nullptr : BIO_new(kMethod.get()));
  if (bio == nullptr) return nullptr;
  BIO_set_data(bio.get(), &socket);
  BIO_set_init(bio.get(), 1);
  return bio;
}

}  // namespace dray::net::tls
