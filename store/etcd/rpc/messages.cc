// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/rpc/messages.h"

#include <string>
#include <utility>

namespace dray::store::etcd::rpc {

KeySpan SpanOfPrefix(std::string prefix) {
  constexpr char kLastByte = '\xff';
  std::string end = prefix;
  while (end.ends_with(kLastByte)) end.pop_back();
  if (end.empty()) {
    // The span of all keys. A zero byte is the first possible key.
    if (prefix.empty()) prefix.push_back('\0');
    return {.first = std::move(prefix), .end = std::string(1, '\0')};
  }
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1U);
  return {.first = std::move(prefix), .end = std::move(end)};
}

}  // namespace dray::store::etcd::rpc
