// SPDX-License-Identifier: Apache-2.0
#include "control_plane/in_process_client.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "api/custom_kind.h"
#include "api/meta_v1/object_meta.h"
#include "api/meta_v1/status.h"
#include "base/check.h"
#include "base/frozen.h"
#include "base/thread_urgency.h"
#include "base/try.h"
#include "base/waiting.h"
#include "client/mirror.h"
#include "client/read_modify_write.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "store/held_commits.h"

namespace dray::control_plane {
namespace {

using client::WatchEvent;
using client::WatchEventType;

WatchEventType TypeOf(server::verbs::WatchEventType type) {
  switch (type) {
    case server::verbs::WatchEventType::kAdded: return WatchEventType::kAdded;
    case server::verbs::WatchEventType::kModified: return WatchEventType::kModified;
    case server::verbs::WatchEventType::kDeleted: return WatchEventType::kDeleted;
    case server::verbs::WatchEventType::kBookmark:
    case server::verbs::WatchEventType::kError: return WatchEventType::kBookmark;
  }
  return WatchEventType::kBookmark;
}

server::patch::PatchType TypeOf(client::PatchType type) {
  switch (type) {
    case client::PatchType::kJson: return server::patch::PatchType::kJson;
    case client::PatchType::kMerge: return server::patch::PatchType::kMerge;
    case client::PatchType::kStrategicMerge: return server::patch::PatchType::kStrategicMerge;
  }
  return server::patch::PatchType::kMerge;
}

/// A Status that ends a watch, as the error it stands for.
Error ErrorOf(const api::meta_v1::Status& status) {
  const bool expired = status.reason == ReasonName(StatusReason::kExpired);
  return {.reason = expired ? StatusReason::kExpired : StatusReason::kInternalError,
          .message = status.message};
}

/// What an answer brings; empty where it brings no object.
Result<api::Object> ObjectOf(Result<server::verbs::Answer> answer) {
  if (!answer) return std::move(answer).failure();
  if (!answer->outcome) return std::move(answer->outcome).failure();
  if (auto* object = std::get_if<server::verbs::ObjectAnswer>(&*answer->outcome)) {
    return std::move(object->item.object);
  }
  return api::Object();
}

/// The answer of one request as those of a sequence.
Task<std::vector<Result<server::verbs::Answer>>> Alone(Task<server::verbs::Answer> task) {
  std::vector<Result<server::verbs::Answer>> answers;
  answers.push_back(co_await std::move(task));
  co_return answers;
}

server::storage::Extent ExtentOf(const client::ListOptions& options) {
  return options.metadata_of_large ? server::storage::Extent::kMetadataOfLarge
                                   : server::storage::Extent::kWhole;
}

/// A record of the store, which has the object as bytes.
class RecordSource final : public client::ObjectSource {
 public:
  RecordSource(const api::KindInfo& kind,
               server::storage::Extent extent,
               Frozen<store::Record> record)
      : kind_(kind), record_(std::move(record)), extent_(extent) {}

  api::Object Get() const override {
    const server::storage::View view = server::storage::View::OfStorage(kind_);
    const Result<server::storage::ItemRef> found = extent_ == server::storage::Extent::kWhole
                                                       ? FindItem(view, *record_)
                                                       : FindMetadata(view, *record_);
    // It was read before, and bytes do not change.
    DRAY_CHECK(found.has_value() && found->item != nullptr);
    return found->item->object;
  }

 private:
  const api::KindInfo& kind_;
  const Frozen<store::Record> record_;
  const server::storage::Extent extent_;
};

}  // namespace

/// What a watch found when it had its turn.
struct InProcessClient::Turn {
  size_t events = 0;
  bool may_wait = true;  // all of them
};

/// A watch under way, shared by the delivery thread and the handle its owner has.
class InProcessClient::Running : public std::enable_shared_from_this<Running> {
 public:
  Running(InProcessClient& owner, client::WatchHandler handler)
      : owner_(owner), handler_(std::move(handler)) {}

  void Begin(std::unique_ptr<server::verbs::WatchCursor> cursor) {
    {
      const MutexLock lock(mutex_);
      cursor_ = std::move(cursor);
      // The cursor ends before this object does, so the callback may hold a plain weak reference.
      cursor_->OnChange([self = weak_from_this()] {
        if (const auto running = self.lock()) running->Wake();
      });
    }
    Wake();
  }

  /// Asks the delivery thread for a turn; any number of times before it comes.
  void Wake() {
    if (queued_.exchange(true)) return;
    if (!owner_.woken_.TryPush(weak_from_this())) queued_ = false;  // closing
  }

  /// On the delivery thread: hands over what is there.
  Turn TakeTurn() {
    queued_ = false;
    const MutexLock lock(mutex_);
    if (cursor_ == nullptr) return {};
    std::vector<server::verbs::WatchEvent> found = cursor_->Next(kBatchEventsMax);
    if (cursor_->has_more()) Wake();
    if (found.empty()) return {};
    const auto may_wait = owner_.options_.may_wait;
    const Turn turn{.events = found.size(),
                    .may_wait = may_wait != nullptr && std::ranges::all_of(found, may_wait)};
    std::vector<WatchEvent> events;
    events.reserve(found.size());
    Frozen<api::meta_v1::Status> failure;
    for (server::verbs::WatchEvent& event : found) {
      if (event.status != nullptr) {
        failure = std::move(event.status);
      } else {
        events.push_back({.type = TypeOf(event.type), .object = std::move(event.item.object)});
      }
    }
    if (!events.empty()) handler_.events(std::move(events));
    if (failure != nullptr) {
      cursor_.reset();
      handler_.ended(ErrorOf(*failure));
    }
    return turn;
  }

  /// Waits for a turn under way; no callback runs after this.
  void End() {
    std::unique_ptr<server::verbs::WatchCursor> cursor;
    const MutexLock lock(mutex_);
    cursor = std::move(cursor_);
  }

 private:
  InProcessClient& owner_;
  const client::WatchHandler handler_;
  std::atomic<bool> queued_ = false;
  Mutex mutex_;
  std::unique_ptr<server::verbs::WatchCursor> cursor_ DRAY_GUARDED_BY(mutex_);
};

class InProcessClient::Handle final : public client::Watch {
 public:
  Handle(InProcessClient& owner, std::shared_ptr<Running> running)
      : owner_(owner), running_(std::move(running)) {}
  ~Handle() override {
    running_->End();
    // Its turn would be for nothing: what has ended must not take the place of a watch that runs.
    owner_.woken_.EraseIf([this](const std::weak_ptr<Running>& woken) {
      return !woken.owner_before(running_) && !running_.owner_before(woken);
    });
    --owner_.watches_;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

 private:
  InProcessClient& owner_;
  std::shared_ptr<Running> running_;
};

InProcessClient::InProcessClient(server::verbs::Resources& resources,
                                 server::verbs::User user,
                                 InProcessOptions options)
    : resources_(resources),
      user_(std::move(user)),
      options_(std::move(options)),
      manager_(user_->name.substr(user_->name.rfind(':') + 1)),
      delivery_([this] { Deliver(); }) {}

InProcessClient::~InProcessClient() {
  woken_.Close();
  end_.Wake();
  delivery_.join();
}

void InProcessClient::Deliver() {
  GoSoonAfterWaking();
  while (auto woken = woken_.Pop()) {
    size_t most = 0;
    bool may_wait = true;
    for (; woken.has_value(); woken = woken_.TryPop()) {
      const std::shared_ptr<Running> running = woken->lock();
      if (running == nullptr) continue;
      const Turn turn = running->TakeTurn();
      most = std::max(most, turn.events);
      may_wait = may_wait && turn.may_wait;
    }
    if (most >= kManyEvents || (most > 0 && may_wait)) end_.WaitFor(kGatherTime);
  }
}

server::verbs::ResourceRequest InProcessClient::RequestFor(server::verbs::Verb verb,
                                                           const client::ObjectRef& ref) const {
  return {.verb = verb,
          .kind = ref.kind,
          .namespace_ = ref.namespace_,
          .name = ref.name,
          .write = {.field_manager = manager_},
          .under_lease = options_.under_lease,
          .user = user_};
}

server::verbs::ResourceRequest InProcessClient::RequestFor(const client::Write& write) const {
  const api::Object& object = write.object;
  const client::ObjectRef collection{.kind = &object.kind(),
                                     .namespace_ = object.metadata().namespace_};
  server::verbs::ResourceRequest request;
  if (write.verb == client::Write::Verb::kUpdate) {
    request = RequestFor(server::verbs::Verb::kUpdate, client::RefOf(object));
  } else {
    request = RequestFor(server::verbs::Verb::kCreate,
                         write.subresource.empty() ? collection : write.parent);
  }
  request.subresource = write.subresource;
  request.body = object;
  return request;
}

Result<api::Object> InProcessClient::CallForObject(server::verbs::ResourceRequest request) {
  return ObjectOf(Wait(resources_.Handle(std::move(request))));
}

Result<api::Object> InProcessClient::Get(const client::ObjectRef& ref) {
  return CallForObject(RequestFor(server::verbs::Verb::kGet, ref));
}

Result<client::ObjectList> InProcessClient::List(const api::KindInfo& kind,
                                                 const client::ListOptions& options) {
  server::verbs::ResourceRequest request =
      RequestFor(server::verbs::Verb::kList, {.kind = &kind, .namespace_ = options.namespace_});
  request.list.label_selector = options.label_selector;
  request.list.field_selector = options.field_selector;
  request.list.resource_version = options.exactly_at;
  if (!options.exactly_at.empty()) request.list.resource_version_match = "Exact";
  request.list.limit = static_cast<int64_t>(options.limit);
  request.list.continue_token = options.continue_token;
  request.extent = ExtentOf(options);
  client::ObjectList list;
  DRAY_TRY(server::verbs::Answer answer, Wait(resources_.Handle(std::move(request))));
  if (!answer.outcome) return std::move(answer.outcome).failure();
  auto* const found = std::get_if<server::verbs::ListAnswer>(&*answer.outcome);
  if (found == nullptr) return list;
  list.resource_version = std::move(found->resource_version);
  list.continue_token = std::move(found->continue_token);
  list.items.reserve(found->items.size());
  for (const server::storage::Item& item : found->items) list.items.push_back(item.object);
  return list;
}

Frozen<client::ObjectSource> InProcessClient::SourceOf(const api::Object& object,
                                                       const client::ListOptions& options) {
  const api::KindInfo& kind = object.kind();
  const bool is_as_stored = &kind.storage() == &kind && !api::IsCustom(kind);
  if (options_.records == nullptr || !is_as_stored) return nullptr;
  const api::meta_v1::ObjectMeta& metadata = object.metadata();
  Frozen<store::Record> record = options_.records->Read()->Get(
      server::storage::ObjectKey(kind, metadata.namespace_, metadata.name));
  const bool is_this = record != nullptr &&
                       client::VersionOf(object) == static_cast<uint64_t>(record->modified.value());
  if (!is_this) return nullptr;
  return std::make_shared<const RecordSource>(kind, ExtentOf(options), std::move(record));
}

Result<api::Object> InProcessClient::Create(const api::Object& object) {
  return CallForObject(RequestFor({.verb = client::Write::Verb::kCreate, .object = object}));
}

Result<api::Object> InProcessClient::Update(const api::Object& object,
                                            std::string_view subresource) {
  return CallForObject(RequestFor({.verb = client::Write::Verb::kUpdate,
                                   .object = object,
                                   .subresource = std::string(subresource)}));
}

Result<api::Object> InProcessClient::Patch(const client::ObjectRef& ref,
                                           client::PatchType type,
                                           std::string_view json,
                                           std::string_view subresource) {
  server::verbs::ResourceRequest request = RequestFor(server::verbs::Verb::kPatch, ref);
  request.subresource = subresource;
  request.patch_type = TypeOf(type);
  request.body = std::string(json);
  return CallForObject(std::move(request));
}

Result<> InProcessClient::Delete(const client::ObjectRef& ref,
                                 const api::meta_v1::DeleteOptions& options) {
  server::verbs::ResourceRequest request = RequestFor(server::verbs::Verb::kDelete, ref);
  request.delete_options = options;
  DRAY_TRY_VOID(CallForObject(std::move(request)));
  return {};
}

Result<> InProcessClient::CreateSubresource(const client::ObjectRef& ref,
                                            std::string_view subresource,
                                            const api::Object& body) {
  DRAY_TRY_VOID(CallForObject(RequestFor({.verb = client::Write::Verb::kCreate,
                                          .object = body,
                                          .subresource = std::string(subresource),
                                          .parent = ref})));
  return {};
}

Task<std::vector<Result<server::verbs::Answer>>> InProcessClient::Begin(
    std::span<const client::Write> writes) {
  std::vector<server::verbs::ResourceRequest> requests;
  requests.reserve(writes.size());
  for (const client::Write& write : writes) requests.push_back(RequestFor(write));
  if (requests.size() > 1) return resources_.HandleInSequence(std::move(requests));
  return Alone(resources_.Handle(std::move(requests.front())));
}

std::vector<Result<api::Object>> InProcessClient::WriteAll(std::span<const client::Write> writes) {
  Waiting<std::vector<Result<server::verbs::Answer>>> waiting;
  std::vector<size_t> lengths;
  {
    const store::HeldCommits held(options_.holder);
    for (auto rest = writes; !rest.empty(); rest = rest.subspan(lengths.back())) {
      const auto last = std::ranges::find(rest, false, &client::Write::with_next);
      const auto before = static_cast<size_t>(last - rest.begin());
      lengths.push_back(std::min(before + 1, rest.size()));
      waiting.Begin(Begin(rest.first(lengths.back())));
    }
  }
  std::vector<Result<api::Object>> objects;
  objects.reserve(writes.size());
  auto length = lengths.begin();
  for (auto& answers : std::move(waiting).WaitForAll()) {
    if (!answers.has_value()) {
      objects.insert(objects.end(), *length, Result<api::Object>(Fail(answers.error())));
    } else {
      for (auto& answer : *answers) objects.push_back(ObjectOf(std::move(answer)));
    }
    ++length;
  }
  return objects;
}

Result<std::unique_ptr<client::Watch>> InProcessClient::StartWatch(
    const api::KindInfo& kind,
    const client::ListOptions& options,
    const std::string& resource_version,
    client::WatchHandler handler) {
  if (++watches_ > kWatchesMax) {
    --watches_;
    return Fail(StatusReason::kTooManyRequests, "too many watches in this process");
  }
  server::verbs::ResourceRequest request =
      RequestFor(server::verbs::Verb::kWatch, {.kind = &kind, .namespace_ = options.namespace_});
  request.list.label_selector = options.label_selector;
  request.list.field_selector = options.field_selector;
  request.list.resource_version = resource_version;
  request.list.allow_watch_bookmarks = true;
  request.extent = ExtentOf(options);
  auto cursor = resources_.Watch(request);
  if (!cursor) {
    --watches_;
    return std::move(cursor).failure();
  }
  auto running = std::make_shared<Running>(*this, std::move(handler));
  running->Begin(*std::move(cursor));
  return std::unique_ptr<client::Watch>(std::make_unique<Handle>(*this, std::move(running)));
}

}  // namespace dray::control_plane
