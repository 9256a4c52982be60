// SPDX-License-Identifier: Apache-2.0
// A write as admission policies and webhooks see it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/codec/json_writer.h"
#include "api/core_v1/namespace.h"
#include "api/custom_kind.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/release.h"
#include "server/access/user.h"

namespace dray::server::policies {

enum class Operation : uint8_t { kCreate, kUpdate, kDelete, kConnect };

/// "CREATE", "UPDATE", ….
constexpr std::string_view WordOf(Operation operation) {
  switch (operation) {
    case Operation::kCreate: return "CREATE";
    case Operation::kUpdate: return "UPDATE";
    case Operation::kDelete: return "DELETE";
    case Operation::kConnect: break;
  }
  return "CONNECT";
}

/// Has pointers to objects that outlive it.
struct AdmissionRequest {
  Operation operation = Operation::kCreate;
  /// The resource in the URL, in the version of the request.
  const api::KindInfo* resource = nullptr;
  /// The kind of the object: that of the resource, except for subresources with objects of their
  /// own.
  const api::KindInfo* kind = nullptr;
  std::string subresource = {};
  std::string name = {};        // of a deleted collection none
  std::string namespace_ = {};  // NOLINT(readability-identifier-naming): as in ObjectMeta
  const access::User* user = nullptr;
  bool dry_run = false;
  std::string options = {};  // CreateOptions, … as JSON
  /// In the form of the store, or of `kind` if that is not the resource's; null: there is none.
  const api::Object* object = nullptr;
  const api::Object* old_object = nullptr;
  /// The Namespace that the object lies in; null where it lies in none.
  const api::core_v1::Namespace* namespace_object = nullptr;
  api::Release release = api::Release::kAny;
  /// Shows objects of custom kinds in other versions; null: only their apiVersion changes.
  api::CustomConverter* converter = nullptr;
};

/// The members of an AdmissionRequest from "kind" to "userInfo", where a rule matched `resource`
/// and `kind`.
void WriteAbout(const AdmissionRequest& request,
                const api::KindInfo& resource,
                const api::KindInfo& kind,
                api::JsonWriter& json);

}  // namespace dray::server::policies
