// SPDX-License-Identifier: Apache-2.0
#include "server/access/user_json.h"

namespace dray::server::access {

void WriteUser(api::JsonWriter& json, const User& user) {
  json.Object([&] {
    if (!user.name.empty()) json.Member("username", user.name);
    if (!user.uid.empty()) json.Member("uid", user.uid);
    if (!user.groups.empty()) json.Member("groups").ArrayOf(user.groups);
    if (user.extra.empty()) return;
    json.Member("extra").Object([&] {
      for (const auto& [key, values] : user.extra) json.Member(key).ArrayOf(values);
    });
  });
}

}  // namespace dray::server::access
