// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/resources.h"

#include <utility>

#include "server/errors/errors.h"
#include "server/verbs/verbs.h"

namespace dray::server::verbs {

struct Resources::Parts {
  explicit Parts(Core parts) : core(std::move(parts)), hub(core.store) {}
  Core core;
  WatchHub hub;
};

namespace {

std::unique_ptr<storage::AllocationGuard> GuardOf(const store::Store& store,
                                                  const Options& options) {
  return options.exclusive_devices ? std::make_unique<storage::AllocationGuard>(store) : nullptr;
}

Error NoSuchMethod() {
  return errors::WithoutSubject(StatusReason::kMethodNotAllowed,
                                "the server does not allow this method on the requested resource");
}

bool IsBinding(const ResourceRequest& request) {
  return (request.kind->kind == "Pod" && request.subresource == "binding") ||
         (request.kind->kind == "Binding" && request.subresource.empty());
}

Task<Outcome> Dispatch(Call call) {
  const ResourceRequest& request = *call.request;
  const bool plain = request.subresource.empty();
  const bool binding = request.kind->group.empty() && IsBinding(request);
  switch (request.verb) {
    case Verb::kCreate:
      if (binding) return Bind(call);
      if (plain && !request.kind->create_only) return Create(call);
      break;
    case Verb::kGet:
      if (!binding && !request.kind->create_only) return Get(call);
      break;
    case Verb::kList:
      if (plain && !binding && !request.kind->create_only) return List(call);
      break;
    case Verb::kUpdate:
      if (!binding && !request.kind->create_only) return Update(call);
      break;
    case Verb::kPatch:
      if (!binding && !request.kind->create_only) return Patch(call);
      break;
    case Verb::kDelete:
      if (plain && !binding && !request.kind->create_only) return DeleteOne(call);
      break;
    case Verb::kDeleteCollection:
      if (plain && !binding && !request.kind->create_only) return DeleteCollection(call);
      break;
    case Verb::kWatch: break;
  }
  return [](Error error) -> Task<Outcome> {
    co_return std::unexpected(std::move(error));
  }(NoSuchMethod());
}

}  // namespace

Resources::Resources(
    const api::Scheme& scheme, store::Store& store, World& world, Log log, const Options& options)
    : scheme_(scheme),
      parts_(std::make_unique<Parts>(Core{.scheme = scheme,
                                          .store = store,
                                          .store_id = store.status().id,
                                          .world = world,
                                          .log = std::move(log),
                                          .options = options,
                                          .allocations = GuardOf(store, options)})) {}

Resources::~Resources() = default;

api::Release Resources::release() const {
  return parts_->core.options.release;
}

void Resources::CatchUp() {
  if (parts_->core.allocations != nullptr) parts_->core.allocations->CatchUp();
}

Task<Answer> Resources::Handle(ResourceRequest request) {
  Answer answer;
  const Call call{.core = &parts_->core, .request = &request, .warnings = &answer.warnings};
  Result<Outcome> outcome = co_await Dispatch(call);
  answer.outcome = std::move(outcome);
  co_return answer;
}

Result<std::unique_ptr<WatchCursor>> Resources::Watch(const ResourceRequest& request) {
  return OpenWatch(parts_->core, parts_->hub, request);
}

}  // namespace dray::server::verbs
