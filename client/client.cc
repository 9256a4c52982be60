// SPDX-License-Identifier: Apache-2.0
#include "client/client.h"

#include <span>
#include <vector>

#include "api/object.h"
#include "base/result.h"
#include "base/try.h"

namespace dray::client {
namespace {

Result<api::Object> CarryOut(Client& client, const Write& write) {
  if (write.verb == Write::Verb::kUpdate) return client.Update(write.object, write.subresource);
  if (write.subresource.empty()) return client.Create(write.object);
  DRAY_TRY_VOID(client.CreateSubresource(write.parent, write.subresource, write.object));
  return api::Object();
}

}  // namespace

std::vector<Result<api::Object>> Client::WriteAll(std::span<const Write> writes) {
  std::vector<Result<api::Object>> answers;
  answers.reserve(writes.size());
  for (const Write& write : writes) answers.push_back(CarryOut(*this, write));
  return answers;
}

}  // namespace dray::client
