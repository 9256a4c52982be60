// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/apply.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/managed_fields/compare_fields.h"
#include "api/managed_fields/documents.h"
#include "api/managed_fields/last_applied.h"
#include "api/managed_fields/schema_shape.h"
#include "api/managed_fields/shape.h"
#include "base/try.h"

namespace dray::api::managed_fields {
namespace {

constexpr std::string_view kBeforeFirstApply = "before-first-apply";

// What `config` calls itself, as Go prints a GroupVersionKind.
std::string TypeText(std::string_view api_version, std::string_view kind) {
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) {
    return api_version.empty() ? fmt::format("/, Kind={}", kind)
                               : fmt::format("/{}, Kind={}", api_version, kind);
  }
  return fmt::format("{}, Kind={}", api_version, kind);
}

std::string_view TextAt(const JsonTree* tree, std::string_view name) {
  const JsonTree* member = tree == nullptr ? nullptr : tree->members().Find(name);
  return member != nullptr && member->is_string() ? std::string_view(member->text) : "";
}

Result<> CheckConfig(const KindInfo& kind, const JsonTree& config) {
  const std::string_view api_version = TextAt(&config, "apiVersion");
  const std::string_view name = TextAt(&config, "kind");
  if (api_version != kind.api_version || name != kind.kind) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("invalid object type: {}", TypeText(api_version, name)));
  }
  const JsonTree* metadata = config.members().Find("metadata");
  const JsonTree* owners =
      metadata == nullptr ? nullptr : metadata->members().Find("managedFields");
  if (owners != nullptr && owners->is_array()) {
    return Fail(StatusReason::kBadRequest, "metadata.managedFields must be nil");
  }
  return {};
}

// One conflict: a path that another manager owns.
struct Conflict {
  ManagerId manager;
  std::string sort_text;
  Path path;
};

Error ConflictError(const std::vector<Conflict>& conflicts) {
  std::map<std::string_view, std::vector<const Conflict*>> by_manager;
  for (const Conflict& conflict : conflicts) by_manager[conflict.sort_text].push_back(&conflict);
  Error error{.reason = StatusReason::kConflict, .message = {}};
  std::string list;
  for (const auto& [text, theirs] : by_manager) {
    const std::string who = theirs.front()->manager.Readable();
    list += fmt::format("{}conflicts with {}:", list.empty() ? "" : "\n", who);
    for (const Conflict* conflict : theirs) {
      const std::string path = Readable(conflict->path);
      list += fmt::format("\n- {}", path);
      error.causes.push_back({.reason = "FieldManagerConflict",
                              .field = path,
                              .message = fmt::format("conflict with {}", who)});
    }
  }
  error.message = conflicts.size() == 1
                      ? fmt::format("Apply failed with 1 conflict: {}: {}",
                                    error.causes.front().message,
                                    error.causes.front().field)
                      : fmt::format("Apply failed with {} conflicts: {}", conflicts.size(), list);
  return error;
}

// One application: the state that steps 2 to 5 of the header share.
class Application {
 public:
  Application(const Write& write, const JsonTree& live, const JsonTree& config)
      : write_(write),
        kind_(*write.versions.kind),
        wire_(write.versions.wire()),
        root_(kind_),
        shape_(root_.get()),
        live_(live),
        config_(config) {}

  // The merged document; `managers` become those after it.
  Result<JsonTree> Run(Managers& managers, Force force, std::vector<Conflict>& conflicts) {
    for (Manager& manager : managers) {
      const KindInfo* version = write_.versions.Find(manager.id.api_version);
      if (version != nullptr) Reconcile(*version, wire_, manager);
    }
    const ManagerId self{.name = write_.manager,
                         .operation = Operation::kApply,
                         .api_version = std::string(kind_.api_version),
                         .subresource = write_.subresource};
    std::optional<Manager> last;
    if (Manager* before = FindManager(managers, self)) {
      last = std::exchange(*before, Manager{.id = self, .time = before->time});
    } else {
      managers.push_back({.id = self});
    }
    FieldSet fields = FieldsOf(shape_, config_, wire_);
    if (write_.reset != nullptr) fields = fields.RecursiveDifference(*write_.reset);
    FindManager(managers, self)->fields = std::move(fields);
    JsonTree merged = MergeDocuments(shape_, live_, config_, wire_);
    if (last.has_value() && !last->fields.empty()) {
      DRAY_TRY(merged, Prune(std::move(merged), *last, managers));
    }
    DRAY_TRY_VOID(Confront(merged, self, force, managers, conflicts));
    if (Manager* now = FindManager(managers, self)) {
      now->fields = now->fields.Difference(NeverOwned());
    }
    std::erase_if(managers, [](const Manager& manager) { return manager.fields.empty(); });
    return merged;
  }

 private:
  Result<JsonTree> Convert(const JsonTree& document, const KindInfo& from, const KindInfo& to) {
    return ConvertDocument(document, from, to, write_.versions);
  }

  // `merged` without the fields that the manager applied last time and not now, unless another
  // manager owns them.
  Result<JsonTree> Prune(JsonTree merged, const Manager& last, const Managers& managers) {
    const KindInfo* version = write_.versions.Find(last.id.api_version);
    if (version == nullptr) return merged;
    const RootShape root(*version);
    const Shape& shape = root.get();
    DRAY_TRY(merged, Convert(merged, kind_, *version));
    const FieldSet then = WithNamedFields(shape, last.fields, wire_);
    JsonTree pruned = RemoveFields(shape, merged, then, wire_);
    std::map<const KindInfo*, FieldSet> owned;
    for (const Manager& manager : managers) {
      const KindInfo* theirs = write_.versions.Find(manager.id.api_version);
      if (theirs != nullptr) owned[theirs] = owned[theirs].Union(manager.fields);
    }
    // The version itself comes first, because other versions may need its owned fields for a
    // conversion.
    const KindInfo* at = version;
    if (const auto own = owned.find(version); own != owned.end()) {
      pruned = AddBack(*version, merged, pruned, own->second);
      owned.erase(own);
    }
    JsonTree whole = merged;
    for (const auto& [other, fields] : owned) {
      DRAY_TRY(whole, Convert(whole, *at, *other));
      DRAY_TRY(pruned, Convert(pruned, *at, *other));
      at = other;
      pruned = AddBack(*other, whole, pruned, fields);
    }
    DRAY_TRY(pruned, Convert(pruned, *at, *version));
    // Fields that this manager never owned stay too.
    const FieldSet gone =
        WithNamedFields(shape, FieldsOf(shape, merged, wire_), wire_)
            .Difference(WithNamedFields(shape, FieldsOf(shape, pruned, wire_), wire_));
    pruned = RemoveFields(shape, merged, gone.Intersection(then), wire_);
    return Convert(pruned, *version, kind_);
  }

  // `whole` without what `pruned` lacks, but with all that is `owned`.
  JsonTree AddBack(const KindInfo& version,
                   const JsonTree& whole,
                   const JsonTree& pruned,
                   const FieldSet& owned) {
    const RootShape root(version);
    const Shape& shape = root.get();
    const auto named = [&](const FieldSet& fields) {
      return WithNamedFields(shape, fields, wire_);
    };
    const FieldSet kept = named(FieldsOf(shape, pruned, wire_)).Union(named(owned));
    const FieldSet gone = named(FieldsOf(shape, whole, wire_)).Difference(kept);
    return RemoveFields(shape, whole, gone, wire_);
  }

  Result<Changes> ChangesIn(const KindInfo& version, const JsonTree& merged) {
    DRAY_TRY(const JsonTree before, Convert(live_, kind_, version));
    DRAY_TRY(const JsonTree after, Convert(merged, kind_, version));
    const RootShape shape(version);
    return CompareFields(shape.get(), Part(&before), Part(&after), wire_, write_.reset);
  }

  // Finds the other owners of changed fields, and removes the fields from them if forced.
  Result<> Confront(const JsonTree& merged,
                    const ManagerId& self,
                    Force force,
                    Managers& managers,
                    std::vector<Conflict>& conflicts) {
    std::map<const KindInfo*, Changes> known;
    for (Manager& manager : managers) {
      if (manager.id == self) continue;
      const KindInfo* version = write_.versions.Find(manager.id.api_version);
      if (version == nullptr) {
        manager.fields = FieldSet();
        continue;
      }
      if (!known.contains(version)) {
        DRAY_TRY(known[version], ChangesIn(*version, merged));
      }
      const Changes& changes = known[version];
      if (force == Force::kNo && manager.fields.Meets(changes.gained)) {
        const std::string sort_text = manager.id.SortText();
        manager.fields.Intersection(changes.gained).ForEach([&](const Path& path) {
          conflicts.push_back({.manager = manager.id, .sort_text = sort_text, .path = path});
        });
      }
      TakeFrom(changes.gained, manager);
      TakeFrom(changes.removed, manager);
    }
    return {};
  }

  const Write& write_;
  const KindInfo& kind_;
  Wire wire_;
  RootShape root_;
  Shape shape_;
  const JsonTree& live_;
  const JsonTree& config_;
};

// `config` without kind and apiVersion.
JsonTree Bare(const JsonTree& config) {
  JsonTree bare = config;
  bare.members().Take("kind");
  bare.members().Take("apiVersion");
  return bare;
}

Managers ManagersOfUnowned(const Write& write, const Object& live) {
  Write first = write;
  first.manager = kBeforeFirstApply;
  const Entries entries = EntriesAfter(first, Object::Blank(live.kind()), live);
  return ReadManagers(entries).value_or(Managers());
}

Error NotTyped(const KindInfo& kind, const JsonTree& config, std::string_view why) {
  const JsonTree* metadata = config.members().Find("metadata");
  return {.reason = StatusReason::kUnknown,
          .message = fmt::format("failed to create typed patch object ({}/{}; {}): {}",
                                 TextAt(metadata, "namespace"),
                                 TextAt(metadata, "name"),
                                 TypeText(kind.api_version, kind.kind),
                                 why)};
}

}  // namespace

Result<Applied> Apply(const Write& write, const Object& live, const JsonTree& config, Force force) {
  const KindInfo& kind = *write.versions.kind;
  const Wire wire = write.versions.wire();
  DRAY_TRY_VOID(CheckConfig(kind, config));
  Result<Managers> read = ReadManagers(live.metadata().managed_fields);
  if (!read.has_value()) {
    return Fail(StatusReason::kUnknown,
                fmt::format("failed to decode managed fields: {}", read.error().message));
  }
  if (read->empty()) read = ManagersOfUnowned(write, live);
  const JsonTree bare = Bare(config);
  if (Result<> fits = CheckDocument(RootShape(kind).get(), bare, wire); !fits.has_value()) {
    return Fail(NotTyped(kind, config, fits.error().message));
  }
  DRAY_TRY_VOID(CheckVersions(write.versions, *read));
  Object seen = write.versions.As(live, kind).Clone();
  seen.mutable_metadata().managed_fields = {};
  DRAY_TRY(const JsonTree before, DocumentOf(seen, wire));
  Application application(write, before, bare);
  std::vector<Conflict> conflicts;
  Managers managers = *read;
  DRAY_TRY(const JsonTree after, application.Run(managers, force, conflicts));
  if (!conflicts.empty() && write.manager == kKubectl) {
    const FieldSet allowed = FieldsOfLastApplied(kind, seen, before, wire);
    std::erase_if(conflicts, [&](const Conflict& conflict) { return allowed.Has(conflict.path); });
  }
  if (!conflicts.empty()) return Fail(ConflictError(conflicts));
  const ManagerId self{.name = write.manager,
                       .operation = Operation::kApply,
                       .api_version = std::string(kind.api_version),
                       .subresource = write.subresource};
  Manager* owner = FindManager(managers, self);
  if (owner != nullptr && !EqualJson(before, after)) owner->time = write.now;
  DRAY_TRY(Object object, ObjectOf(after, kind, wire));
  if (write.manager == kKubectl) RefreshLastApplied(config, object.mutable_metadata());
  return Applied{.object = std::move(object), .entries = WriteManagers(std::move(managers))};
}

}  // namespace dray::api::managed_fields
