// SPDX-License-Identifier: Apache-2.0
#include "client/shared_informers.h"

#include <utility>

namespace dray::client {

SharedInformers::SharedInformers(Client& client, const Clock& clock, Wakeup& wakeup, Log log)
    : client_(client), clock_(clock), wakeup_(wakeup), log_(std::move(log)) {}

Informer& SharedInformers::Of(const api::KindInfo& kind) {
  std::unique_ptr<Informer>& informer = informers_[&kind];
  if (informer == nullptr) informer = MakeOwn(kind);
  informer->WantWhole();
  return *informer;
}

Informer& SharedInformers::MetadataOf(const api::KindInfo& kind) {
  std::unique_ptr<Informer>& informer = informers_[&kind];
  if (informer == nullptr) {
    informer =
        std::make_unique<Informer>(client_,
                                   kind,
                                   clock_,
                                   wakeup_,
                                   log_,
                                   Informer::Options{.selection = {.metadata_of_large = true}});
  }
  return *informer;
}

std::unique_ptr<Informer> SharedInformers::MakeOwn(const api::KindInfo& kind) const {
  return std::make_unique<Informer>(client_, kind, clock_, wakeup_, log_);
}

}  // namespace dray::client
