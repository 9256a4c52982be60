// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/admission/changed_object.h"

#include <utility>

#include "api/conversion/conversion.h"
#include "api/custom_kind.h"
#include "server/registry/write.h"
#include "server/storage/hub_content.h"
#include "server/storage/stored_object.h"

namespace dray::server::verbs::admission {

api::Object* ChangeableOf(const Passage& passage) {
  return passage.object != nullptr ? passage.object : passage.write->part;
}

api::Object AfterChange(const Call& call,
                        const api::KindInfo& version,
                        const api::Object& before,
                        api::Object requested) {
  const api::Release release = call.request->release;
  const storage::View view{.kind = &version, .release = release};
  const bool sees_all = view.is_storage() && !storage::HasHubContent(before);
  api::Object next = registry::ForStore(std::move(requested), release, call.now());
  if (const api::CustomKind* const custom = api::CustomOf(before.kind()); custom != nullptr) {
    if (&next.kind() != custom) {
      api::CustomConverter* const converter = ConverterOf(call);
      next = converter == nullptr ? api::ReadAs(next, *custom) : converter->Convert(next, *custom);
    }
  } else if (!sees_all) {
    api::conversion::MergeBack(version, before, next, release);
  }
  next.mutable_metadata().managed_fields = before.metadata().managed_fields;
  return next;
}

}  // namespace dray::server::verbs::admission
