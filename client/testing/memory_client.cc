// SPDX-License-Identifier: Apache-2.0
#include "client/testing/memory_client.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/core_v1/binding.h"
#include "api/core_v1/pod.h"
#include "base/try.h"
#include "client/read_modify_write.h"

namespace dray::client::testing {

class MemoryWatch final : public Watch {
 public:
  MemoryWatch(MemoryClient& client, int id) : client_(client), id_(id) {}
  ~MemoryWatch() override { client_.watchers_.erase(id_); }
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

 private:
  MemoryClient& client_;
  int id_;
};

namespace {

/// Makes a new copy for each reader.
class CopySource final : public ObjectSource {
 public:
  explicit CopySource(api::Object object) : object_(std::move(object)) {}
  api::Object Get() const override { return object_.Clone(); }

 private:
  const api::Object object_;
};

const api::Time kNow = api::Time::FromUnixSeconds(1'800'000'000);

void CopyMember(api::Object& to, const api::Object& from, std::string_view member) {
  const api::Field* field = to.type().Find(member);
  if (field == nullptr) return;
  Assign(field->type(), api::MutableMember(*field, to.mutable_value()), field->of(from.value()));
}

std::string Path(const ObjectRef& ref) {
  return ref.namespace_.empty() ? ref.name : ref.namespace_ + "/" + ref.name;
}

// What the garbage collector is asked to do first.
void AddFinalizer(const api::meta_v1::DeleteOptions& options, api::meta_v1::ObjectMeta& metadata) {
  std::string finalizer;
  if (options.propagation_policy == "Orphan") finalizer = "orphan";
  if (options.propagation_policy == "Foreground") finalizer = "foregroundDeletion";
  if (finalizer.empty() ||
      std::ranges::find(metadata.finalizers, finalizer) != metadata.finalizers.end())
    return;
  metadata.finalizers.push_back(std::move(finalizer));
}

}  // namespace

Error MemoryClient::NotFound(const ObjectRef& ref) const {
  return {.reason = StatusReason::kNotFound,
          .message = fmt::format("{} \"{}\" not found", ref.kind->qualified_resource(), ref.name)};
}

Result<> MemoryClient::Allow(Verb verb, const ObjectRef& ref, std::string_view subresource) {
  if (!fault_) return {};
  return fault_(verb, ref, subresource);
}

Result<api::Object> MemoryClient::Get(const ObjectRef& ref) {
  DRAY_TRY_VOID(Allow(Verb::kGet, ref, {}));
  const Objects& objects = objects_[ref.kind];
  const auto found = objects.find(Path(ref));
  if (found == objects.end()) return Fail(NotFound(ref));
  return found->second;
}

Result<ObjectList> MemoryClient::List(const api::KindInfo& kind, const ListOptions& options) {
  DRAY_TRY_VOID(Allow(Verb::kList, {.kind = &kind}, {}));
  ObjectList list{.items = {}, .resource_version = std::to_string(version_)};
  for (const auto& [path, object] : objects_[&kind]) {
    const std::string& namespace_ = object.metadata().namespace_;
    if (options.namespace_.empty() || options.namespace_ == namespace_) {
      list.items.push_back(object);
    }
  }
  return list;
}

Frozen<ObjectSource> MemoryClient::SourceOf(const api::Object& object,
                                            const ListOptions& /*options*/) {
  return std::make_shared<const CopySource>(object);
}

Result<api::Object> MemoryClient::Create(const api::Object& object) {
  api::Object stored = object.Clone();
  api::meta_v1::ObjectMeta& metadata = stored.mutable_metadata();
  if (metadata.name.empty()) {
    metadata.name = fmt::format("{}{:05}", metadata.generate_name, ++uids_);
  }
  DRAY_TRY_VOID(Allow(Verb::kCreate, RefOf(stored), {}));
  return CreateNow(std::move(stored));
}

Result<api::Object> MemoryClient::CreateNow(api::Object stored) {
  api::meta_v1::ObjectMeta& metadata = stored.mutable_metadata();
  if (objects_[&stored.kind()].contains(Path(RefOf(stored)))) {
    return Fail(
        StatusReason::kAlreadyExists,
        fmt::format("{} \"{}\" already exists", stored.kind().qualified_resource(), metadata.name));
  }
  metadata.uid = fmt::format("uid-{}", ++uids_);
  metadata.creation_timestamp = kNow;
  return Store(WatchEventType::kAdded, std::move(stored), {});
}

template <class T>
Result<T> MemoryClient::WithFate(Verb verb,
                                 const ObjectRef& ref,
                                 std::string_view subresource,
                                 std::function<Result<T>()> write) {
  DRAY_TRY_VOID(Allow(verb, ref, subresource));
  const Fate fate = fate_ ? fate_(verb, ref, subresource) : Fate::kAnswered;
  if (fate == Fate::kAnswered) return write();
  if (fate == Fate::kAnswerLost) {
    (void)write();
  } else {
    delayed_.emplace_back([write = std::move(write)] { (void)write(); });
  }
  return Fail(StatusReason::kTimeout, "the outcome is unknown");
}

void MemoryClient::CarryOutDelayed() {
  for (const auto& write : std::exchange(delayed_, {})) write();
}

Result<api::Object> MemoryClient::Update(const api::Object& object, std::string_view subresource) {
  return WithFate<api::Object>(
      Verb::kUpdate,
      RefOf(object),
      subresource,
      [this, copy = object.Clone(), subresource = std::string(subresource)] {
        return UpdateNow(copy, subresource);
      });
}

Result<api::Object> MemoryClient::UpdateNow(const api::Object& object,
                                            std::string_view subresource) {
  const ObjectRef ref = RefOf(object);
  const Objects& objects = objects_[ref.kind];
  const auto found = objects.find(Path(ref));
  if (found == objects.end()) return Fail(NotFound(ref));
  const api::Object& old = found->second;
  if (!object.metadata().uid.empty() && object.metadata().uid != old.metadata().uid) {
    return Fail(StatusReason::kConflict, "the UID in the precondition does not match");
  }
  const std::string& expected = object.metadata().resource_version;
  if (!expected.empty() && expected != old.metadata().resource_version) {
    return Fail(StatusReason::kConflict,
                fmt::format("Operation cannot be fulfilled on {} \"{}\": the object has been "
                            "modified; please apply your changes to the latest version and try "
                            "again",
                            ref.kind->qualified_resource(),
                            ref.name));
  }
  api::Object stored = subresource == "status" ? old.Clone() : object.Clone();
  if (subresource == "status") {
    CopyMember(stored, object, "status");
  } else {
    if (ref.kind->has_status) CopyMember(stored, old, "status");
    stored.mutable_metadata().uid = old.metadata().uid;
    stored.mutable_metadata().creation_timestamp = old.metadata().creation_timestamp;
    stored.mutable_metadata().deletion_timestamp = old.metadata().deletion_timestamp;
  }
  const bool done = stored.metadata().deletion_timestamp && stored.metadata().finalizers.empty() &&
                    !ref.kind->graceful_delete;
  return Store(
      done ? WatchEventType::kDeleted : WatchEventType::kModified, std::move(stored), subresource);
}

std::vector<Result<api::Object>> MemoryClient::WriteAll(std::span<const Write> writes) {
  Answers answers;
  while (!writes.empty()) {
    const auto last = std::ranges::find(writes, false, &Write::with_next);
    const auto count = static_cast<size_t>(last - writes.begin()) + 1;
    Answers some =
        count == 1 ? Client::WriteAll(writes.first(1)) : WriteSequence(writes.first(count));
    std::ranges::move(some, std::back_inserter(answers));
    writes = writes.subspan(count);
  }
  return answers;
}

MemoryClient::Answers MemoryClient::WriteSequence(std::span<const Write> writes) {
  const auto refuse = [&](const Error& error) { return Answers(writes.size(), Fail(error)); };
  Fate fate = Fate::kAnswered;
  for (const Write& write : writes) {
    const bool creates = write.verb == Write::Verb::kCreate && write.subresource.empty();
    const Verb verb = write.verb == Write::Verb::kUpdate ? Verb::kUpdate
                      : creates                          ? Verb::kCreate
                                                         : Verb::kBind;
    const ObjectRef ref = verb == Verb::kBind ? write.parent : RefOf(write.object);
    const Result<> allowed = Allow(verb, ref, write.subresource);
    if (!allowed) return refuse(allowed.error());
    if (fate == Fate::kAnswered && fate_ && !creates) fate = fate_(verb, ref, write.subresource);
  }
  if (fate == Fate::kAnswered) return WriteSequenceNow(writes);
  if (fate == Fate::kAnswerLost) {
    (void)WriteSequenceNow(writes);
  } else {
    std::vector<Write> copies(writes.begin(), writes.end());
    delayed_.emplace_back([this, copies = std::move(copies)] { (void)WriteSequenceNow(copies); });
  }
  return refuse({.reason = StatusReason::kTimeout, .message = "the outcome is unknown"});
}

MemoryClient::Answers MemoryClient::WriteSequenceNow(std::span<const Write> writes) {
  const auto before = std::tuple(objects_, journal_, history_, version_);
  const bool held_back = std::exchange(held_back_, true);
  Answers answers;
  for (const Write& write : writes) {
    Result<api::Object> written = WriteNow(write);
    if (!written) {
      std::tie(objects_, journal_, history_, version_) = before;
      held_back_ = held_back;
      return Answers(writes.size(), Fail(written.error()));
    }
    answers.push_back(std::move(written));
  }
  held_back_ = held_back;
  if (!held_back_) Deliver();
  return answers;
}

Result<api::Object> MemoryClient::WriteNow(const Write& write) {
  if (write.verb == Write::Verb::kUpdate) return UpdateNow(write.object, write.subresource);
  if (write.subresource.empty()) return CreateNow(write.object.Clone());
  DRAY_TRY_VOID(BindNow(write.parent, write.subresource, write.object));
  return api::Object();
}

Result<api::Object> MemoryClient::Patch(const ObjectRef& ref,
                                        PatchType /*type*/,
                                        std::string_view /*json*/,
                                        std::string_view /*subresource*/) {
  return Fail(StatusReason::kMethodNotAllowed,
              fmt::format("{}: patches are not supported in memory", ref.name));
}

Result<> MemoryClient::Delete(const ObjectRef& ref, const api::meta_v1::DeleteOptions& options) {
  DRAY_TRY_VOID(Allow(Verb::kDelete, ref, {}));
  const Objects& objects = objects_[ref.kind];
  const auto found = objects.find(Path(ref));
  if (found == objects.end()) return Fail(NotFound(ref));
  const api::Object& old = found->second;
  if (options.preconditions && options.preconditions->uid &&
      *options.preconditions->uid != old.metadata().uid) {
    return Fail(StatusReason::kConflict, "the UID in the precondition does not match");
  }
  if (options.preconditions && options.preconditions->resource_version &&
      *options.preconditions->resource_version != old.metadata().resource_version) {
    return Fail(StatusReason::kConflict, "the ResourceVersion in the precondition does not match");
  }
  api::Object stored = old.Clone();
  AddFinalizer(options, stored.mutable_metadata());
  const bool assigned =
      old.If<api::core_v1::Pod>() != nullptr && !old.As<api::core_v1::Pod>().spec.node_name.empty();
  const bool waits = assigned && options.grace_period_seconds.value_or(30) > 0;
  if (waits || !stored.metadata().finalizers.empty()) {
    if (old.metadata().deletion_timestamp) return {};
    stored.mutable_metadata().deletion_timestamp = kNow;
    DRAY_TRY_VOID(Store(WatchEventType::kModified, std::move(stored), {}));
    return {};
  }
  DRAY_TRY_VOID(Store(WatchEventType::kDeleted, std::move(stored), {}));
  return {};
}

Result<> MemoryClient::CreateSubresource(const ObjectRef& ref,
                                         std::string_view subresource,
                                         const api::Object& body) {
  return WithFate<void>(
      Verb::kBind, ref, subresource, [this, ref, body, subresource = std::string(subresource)] {
        return BindNow(ref, subresource, body);
      });
}

Result<> MemoryClient::BindNow(const ObjectRef& ref,
                               std::string_view subresource,
                               const api::Object& body) {
  const auto* binding = body.If<api::core_v1::Binding>();
  if (subresource != "binding" || binding == nullptr) {
    return Fail(StatusReason::kMethodNotAllowed, "only bindings are supported");
  }
  const auto found = objects_[ref.kind].find(Path(ref));
  if (found == objects_[ref.kind].end()) return Fail(NotFound(ref));
  api::Object stored = found->second.Clone();
  if (!binding->metadata.uid.empty() && binding->metadata.uid != stored.metadata().uid) {
    return Fail(StatusReason::kConflict, "the UID in the precondition does not match");
  }
  auto& pod = stored.Mutable<api::core_v1::Pod>();
  if (!pod.spec.node_name.empty()) {
    return Fail(
        StatusReason::kConflict,
        fmt::format("pod {} is already assigned to node \"{}\"", ref.name, pod.spec.node_name));
  }
  pod.spec.node_name = binding->target.name;
  std::erase_if(pod.status.conditions, [](const auto& c) { return c.type == "PodScheduled"; });
  pod.status.conditions.push_back({.type = "PodScheduled",
                                   .observed_generation = 0,
                                   .status = "True",
                                   .reason = {},
                                   .message = {}});
  DRAY_TRY_VOID(Store(WatchEventType::kModified, std::move(stored), subresource));
  return {};
}

Result<api::Object> MemoryClient::Store(WatchEventType type,
                                        api::Object object,
                                        std::string_view subresource) {
  object.mutable_metadata().resource_version = std::to_string(++version_);
  const std::string path = Path(RefOf(object));
  if (type == WatchEventType::kDeleted) {
    objects_[&object.kind()].erase(path);
  } else {
    objects_[&object.kind()].insert_or_assign(path, object);
  }
  constexpr std::string_view kVerbs[] = {"create", "update", "delete"};
  journal_.push_back(fmt::format("{} {}{}{} {}",
                                 kVerbs[static_cast<size_t>(type)],
                                 object.kind().plural,
                                 subresource.empty() ? "" : "/",
                                 subresource,
                                 path));
  history_.push_back({.version = version_, .event = {.type = type, .object = object}});
  if (!held_back_) Deliver();
  return object;
}

void MemoryClient::Deliver() {
  for (auto& [id, watcher] : watchers_) {
    std::vector<WatchEvent> events;
    for (const auto& change : std::views::reverse(history_)) {
      if (change.version <= watcher.seen) break;
      if (&change.event.object.kind() == watcher.kind) events.push_back(change.event);
    }
    watcher.seen = version_;
    if (events.empty()) continue;
    watcher.handler.events({events.rbegin(), events.rend()});
  }
}

void MemoryClient::LetGo() {
  held_back_ = false;
  Deliver();
}

Result<std::unique_ptr<Watch>> MemoryClient::StartWatch(const api::KindInfo& kind,
                                                        const ListOptions& /*options*/,
                                                        const std::string& resource_version,
                                                        WatchHandler handler) {
  DRAY_TRY_VOID(Allow(Verb::kWatch, {.kind = &kind}, {}));
  const uint64_t seen = std::stoull(resource_version);
  if (seen < forgotten_) return Fail(StatusReason::kExpired, "too old resource version");
  const int id = next_watcher_++;
  watchers_[id] = {.kind = &kind, .handler = std::move(handler), .seen = seen};
  if (!held_back_) Deliver();
  return std::make_unique<MemoryWatch>(*this, id);
}

void MemoryClient::EndWatches(const Error& error) {
  for (auto& [id, watcher] : std::exchange(watchers_, {})) watcher.handler.ended(error);
}

void MemoryClient::ForgetHistory() {
  forgotten_ = version_;
}

}  // namespace dray::client::testing
