// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/update.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/custom_kind.h"
#include "api/managed_fields/compare_fields.h"
#include "api/managed_fields/schema_shape.h"
#include "api/managed_fields/shape.h"
#include "api/managed_fields/written_set.h"
#include "base/try.h"

namespace dray::api::managed_fields {
namespace {

constexpr std::string_view kScale = "scale";
// Releases in which an update that cannot say who owns what leaves the owners as they are.
constexpr Releases kKeepsOwnersOfGoneVersions{.first = 37};

// The shape of what `element` leads to from a value of `shape`; nothing when the schema has none.
std::optional<Shape> ShapeAt(const Shape& shape, const PathElement& element, Wire wire) {
  const bool is_field = element.kind() == PathElement::Kind::kField;
  return is_field ? FieldShape(shape, element.name(), wire) : ItemShape(shape);
}

// Whether `fields` has no path inside an atomic value.
bool Fits(const Shape& shape, const FieldSet& fields, Wire wire) {
  return std::ranges::all_of(fields.nodes(), [&](const FieldNode& node) {
    if (node.below.nodes().empty()) return true;
    const std::optional<Shape> inner = ShapeAt(shape, node.element, wire);
    return !inner.has_value() || (!inner->is_leaf() && Fits(*inner, node.below, wire));
  });
}

FieldSet Fitted(const Shape& shape, const FieldSet& fields, Wire wire) {
  FieldSet out;
  for (const FieldNode& node : fields.nodes()) {
    const std::optional<Shape> inner = ShapeAt(shape, node.element, wire);
    if (node.below.nodes().empty() || !inner.has_value()) {
      out.Append(node);
    } else if (inner->is_leaf()) {
      out.Append({.element = node.element, .is_member = true});
    } else {
      out.Append({.element = node.element,
                  .is_member = node.is_member,
                  .below = Fitted(*inner, node.below, wire)});
    }
  }
  return out;
}

// The changes in terms of each version; computed on first use.
class ChangesByVersion {
 public:
  ChangesByVersion(const Write& write, const Object& old, const Object& next)
      : write_(write), old_(old), next_(next) {}

  Changes& In(const KindInfo& version) {
    const bool is_own = &version == write_.versions.kind;  // no managers of others, mostly
    std::optional<Changes>& known = is_own ? own_ : others_[&version];
    if (!known.has_value()) {
      known = CompareFields(write_.versions.As(old_, version),
                            write_.versions.As(next_, version),
                            write_.versions.wire(),
                            write_.reset);
    }
    return *known;
  }

 private:
  const Write& write_;
  const Object& old_;
  const Object& next_;
  std::optional<Changes> own_;
  std::map<const KindInfo*, std::optional<Changes>> others_;
};

// The managers that a write begins with.
Managers ManagersBefore(const Write& write, const Entries& old, const Entries& sent) {
  if (write.subresource.empty() && sent != old) {
    if (IsReset(sent)) return {};
    Result<Managers> managers = ReadManagers(sent);
    if (managers.has_value() && !managers->empty()) {
      // A client may have written the same sets with blanks or in another order.
      for (Manager& manager : *managers) manager.written = RawJson();
      return *std::move(managers);
    }
  }
  return OpenManagers(old).value_or(Managers());
}

Result<> TakeChanges(const Versions& versions, ChangesByVersion& changes, Managers& managers) {
  for (Manager& manager : managers) {
    const KindInfo* version = versions.Find(manager.id.api_version);
    if (version == nullptr) {
      manager = {.id = manager.id, .fields = FieldSet()};
      continue;
    }
    const Changes& theirs = changes.In(*version);
    const RootShape shape(*version);
    if (manager.is_unread &&
        KeepsAll(manager.written.bytes(), shape.get(), versions.wire(), theirs)) {
      continue;
    }
    DRAY_TRY_VOID(ReadFields(manager));
    Reconcile(*version, versions.wire(), manager);
    TakeFrom(theirs.gained, manager);
    TakeFrom(theirs.removed, manager);
  }
  std::erase_if(managers, std::mem_fn(&Manager::owns_nothing));
  return {};
}

Result<> Give(const Write& write, FieldSet gained, Managers& managers) {
  gained.Remove(NeverOwned());
  if (gained.empty()) return {};
  ManagerId id{.name = write.manager,
               .operation = Operation::kUpdate,
               .api_version = std::string(write.versions.kind->api_version),
               .subresource = write.subresource};
  if (Manager* before = FindManager(managers, id)) {
    DRAY_TRY_VOID(ReadFields(*before));
    before->fields.Add(std::move(gained));
    before->written = RawJson();
    before->time = write.now;
  } else {
    managers.push_back({.id = std::move(id), .time = write.now, .fields = std::move(gained)});
  }
  return {};
}

// Whether a manager owns something of what a write has given a value.
Result<bool> IsOwned(const FieldSet& gained, Managers& managers) {
  for (Manager& manager : managers) {
    DRAY_TRY_VOID(ReadFields(manager));
    if (manager.fields.Meets(gained)) return true;
  }
  return false;
}

Result<> ChangeManagers(const Write& write, ChangesByVersion& changes, Managers& managers) {
  Changes& own = changes.In(*write.versions.kind);
  if (write.subresource == kScale) {
    // A number of pods without an owner gets none this way.
    DRAY_TRY(const bool is_owned, IsOwned(own.gained, managers));
    if (!is_owned) return {};
  }
  DRAY_TRY_VOID(TakeChanges(write.versions, changes, managers));
  DRAY_TRY_VOID(Give(write, std::move(own.gained), managers));
  return CapUpdates(managers);
}

}  // namespace

Entries EntriesAfter(const Write& write, const Object& old, const Object& next) {
  Managers managers =
      ManagersBefore(write, old.metadata().managed_fields, next.metadata().managed_fields);
  if (managers.empty() && !old.metadata().uid.empty()) return {};
  if (!CheckVersions(write.versions, managers).has_value()) {
    return kKeepsOwnersOfGoneVersions.Rules(write.versions.release) ? old.metadata().managed_fields
                                                                    : Entries();
  }
  ChangesByVersion changes(write, old, next);
  // Sets that cannot be read are forgotten, as those of entries that cannot be read.
  if (!ChangeManagers(write, changes, managers).has_value()) return {};
  return WriteManagers(std::move(managers));
}

bool DifferInTimes(const Entries& a, const Entries& b) {
  const auto same = [](const meta_v1::ManagedFieldsEntry& x, const meta_v1::ManagedFieldsEntry& y) {
    return x.manager == y.manager && x.operation == y.operation && x.api_version == y.api_version &&
           x.subresource == y.subresource && x.fields_type == y.fields_type &&
           x.fields_v1 == y.fields_v1;
  };
  const auto same_time = [](const auto& x, const auto& y) { return x.time == y.time; };
  return std::ranges::equal(a, b, same) && !std::ranges::equal(a, b, same_time);
}

const FieldSet& NeverOwned() {
  static const FieldSet kNever = [] {
    FieldSet set;
    for (const std::string_view name : {"apiVersion", "kind", "metadata"}) {
      set.Insert({PathElement::OfField(name)});
    }
    for (const std::string_view name : {"name",
                                        "namespace",
                                        "creationTimestamp",
                                        "selfLink",
                                        "uid",
                                        "clusterName",
                                        "generation",
                                        "managedFields",
                                        "resourceVersion"}) {
      set.Insert({PathElement::OfField("metadata"), PathElement::OfField(name)});
    }
    return set;
  }();
  return kNever;
}

Result<> CheckVersions(const Versions& versions, const Managers& managers) {
  if (!IsCustom(*versions.kind)) return {};
  for (const Manager& manager : managers) {
    if (versions.Find(manager.id.api_version) != nullptr) continue;
    return Fail(StatusReason::kUnknown,
                fmt::format("request to convert CR to an invalid group/version: {}",
                            manager.id.api_version));
  }
  return {};
}

void Reconcile(const KindInfo& version, Wire wire, Manager& manager) {
  const RootShape root(version);
  const Shape& shape = root.get();
  if (Fits(shape, manager.fields, wire)) return;
  manager.fields = Fitted(shape, manager.fields, wire);
  manager.written = RawJson();
}

void TakeFrom(const FieldSet& gone, Manager& manager) {
  if (!manager.fields.Meets(gone)) return;
  manager.fields.Remove(gone);
  manager.written = RawJson();
}

}  // namespace dray::api::managed_fields
