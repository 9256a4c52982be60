// SPDX-License-Identifier: Apache-2.0
#include "net/tls/socket_bio.h"

#include <cerrno>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include <openssl/bio.h>
#include <sys/types.h>

#include "net/socket_stream.h"
#include "net/tls/openssl.h"

namespace dray::net::tls {
namespace {

SocketStream& StreamOf(BIO* bio) {
  return *static_cast<SocketStream*>(BIO_get_data(bio));
}

bool WouldBlock(ssize_t size) {
  return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

int Read(BIO* bio, char* into, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t read = StreamOf(bio).Read({into, static_cast<size_t>(size)});
  if (WouldBlock(read)) BIO_set_retry_read(bio);
  if (read == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return static_cast<int>(read);
}

int Write(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t written = StreamOf(bio).Write({bytes, static_cast<size_t>(size)});
  if (WouldBlock(written)) BIO_set_retry_write(bio);
  return static_cast<int>(written);
}

long Control(BIO* bio, int command, long /*number*/, void* /*pointer*/) {
  switch (command) {
    case BIO_CTRL_FLUSH: return 1;
    case BIO_CTRL_EOF: return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
    default: return 0;  // what it does not know
  }
}

using MethodPtr = std::unique_ptr<BIO_METHOD, Freer<BIO_meth_free>>;

MethodPtr MakeMethod() {
  MethodPtr method(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket stream"));
  if (method == nullptr) return nullptr;
  BIO_meth_set_read(method.get(), Read);
  BIO_meth_set_write(method.get(), Write);
  BIO_meth_set_ctrl(method.get(), Control);
  return method;
}

}  // namespace

BioPtr MakeSocketBio(SocketStream& stream) {
  static const MethodPtr kMethod = MakeMethod();
  BioPtr bio(kMethod == nullptr ? nullptr : BIO_new(kMethod.get()));
  if (bio == nullptr) return nullptr;
  BIO_set_data(bio.get(), &stream);
  BIO_set_init(bio.get(), 1);
  return bio;
}

}  // namespace dray::net::tls
