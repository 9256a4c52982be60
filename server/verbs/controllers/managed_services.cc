// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/controllers/managed_services.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "api/apiregistration_v1.h"
#include "base/try.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "server/verbs/context/first_objects.h"
#include "server/verbs/controllers/own_request.h"

namespace dray::server::verbs::inline controllers {
namespace {

const api::KindInfo& ManagedKind() {
  return api::Reflected<api::apiregistration_v1::APIService>::kKind;
}

// Whether the server made the APIService for a definition.
bool IsManaged(const store::Record& record) {
  const auto item = storage::ItemOf(storage::View::OfStorage(ManagedKind()), record);
  if (!item.has_value() || !item->has_value()) return false;
  const auto& labels = (*item)->object.metadata().labels;
  const auto label = labels.find(kManagedLabel);
  return label != labels.end() && label->second == "true";
}

}  // namespace

void ManagedServices::Add(std::string_view group, std::string_view version) {
  std::string name = fmt::format("{}.{}", version, group);
  Version& wanted = wanted_[name];
  if (wanted.definitions++ > 0) return;
  wanted.group = group;
  wanted.version = version;
  noted_.insert(std::move(name));
}

void ManagedServices::Remove(std::string_view group, std::string_view version) {
  std::string name = fmt::format("{}.{}", version, group);
  const auto found = wanted_.find(name);
  if (found == wanted_.end() || --found->second.definitions > 0) return;
  wanted_.erase(found);
  noted_.insert(std::move(name));
}

Result<> ManagedServices::Match(const store::Snapshot& snapshot) {
  Result<> outcome;
  std::erase_if(noted_, [&](const std::string& name) {
    Result<> done = MatchOne(snapshot, name);
    const bool is_done = done.has_value();
    if (!is_done && outcome.has_value()) outcome = std::move(done);
    return is_done;
  });
  return outcome;
}

Result<> ManagedServices::MatchOne(const store::Snapshot& snapshot, const std::string& name) {
  const store::Record* record = snapshot.Find(storage::ResourcePrefix(ManagedKind()) + name);
  const auto wanted = wanted_.find(name);
  if (wanted == wanted_.end()) {
    if (record == nullptr || !IsManaged(*record)) return {};
    return CarryOutOwnRequest(core_, OwnRequest(Verb::kDelete, ManagedKind(), name));
  }
  if (record != nullptr) return {};
  ResourceRequest request = OwnRequest(Verb::kCreate, ManagedKind(), {});
  request.body = ApiServiceOf(wanted->second.group, wanted->second.version);
  return CarryOutOwnRequest(core_, std::move(request));
}

}  // namespace dray::server::verbs::inline controllers
