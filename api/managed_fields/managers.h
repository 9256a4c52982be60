// SPDX-License-Identifier: Apache-2.0
// The managers of an object: the owners of its fields, as listed in metadata.managedFields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/managed_fields/field_set.h"
#include "api/meta_v1/object_meta.h"
#include "api/value/list.h"
#include "api/value/raw_json.h"
#include "api/value/time.h"
#include "base/result.h"

namespace dray::api::managed_fields {

/// Limit of the entries of updates in an object; older ones are merged.
inline constexpr size_t kUpdateManagersMax = 10;

enum class Operation : uint8_t { kApply, kUpdate };

/// The identity of a writer, and its kind and place of writing.
struct ManagerId {
  std::string name;
  Operation operation = Operation::kUpdate;
  std::string api_version;  // not part of the identity of a manager that applies
  std::string subresource;  // empty: the object itself

  bool operator==(const ManagerId& other) const;
  /// The text by which upstream sorts managers.
  std::string SortText() const;
  /// The manager's name in messages: `"me"`, `"me" with subresource "status" using v1`.
  std::string Readable() const;
};

struct Manager {
  ManagerId id;
  std::optional<Time> time;
  FieldSet fields;
  RawJson written = RawJson();  // `fields` as it was read; empty once they changed
  bool is_unread = false;       // `fields` stands only in `written`: ReadFields() first

  bool owns_nothing() const { return !is_unread && fields.empty(); }
};

using Managers = std::vector<Manager>;
using Entries = List<meta_v1::ManagedFieldsEntry>;

/// Reads entries; if two have the same manager, the last one counts. O(size). Errors: kBadRequest
/// an operation, version, type or set that cannot be read, in upstream's words.
Result<Managers> ReadManagers(const Entries& entries);

/// The same without reading the sets, for entries of the store, most of which no write touches.
Result<Managers> OpenManagers(const Entries& entries);

/// Reads the set of a manager, unless that was done.
/// Errors: as above.
Result<> ReadFields(Manager& manager);

/// The same as entries: those that applied first, then by time, name, version and subresource.
Entries WriteManagers(Managers managers);

/// Whether a client requests with these entries to remove all owners: [] or [{}].
bool IsReset(const Entries& entries);

/// The manager that `id` names; null when there is none.
Manager* FindManager(Managers& managers, const ManagerId& id);

/// Merges the oldest updates, those of one version into one entry "ancient-changes", until no more
/// than kUpdateManagersMax are left, or none can be merged. Errors: as ReadFields().
Result<> CapUpdates(Managers& managers);

}  // namespace dray::api::managed_fields
