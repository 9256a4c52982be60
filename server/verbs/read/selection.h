// SPDX-License-Identifier: Apache-2.0
// The objects that a list, a watch or a deletecollection selects.
#pragma once

#include <string>
#include <string_view>

#include "api/kind.h"
#include "api/object.h"
#include "api/selectors/field_selector.h"
#include "api/selectors/label_selector.h"
#include "base/result.h"
#include "server/verbs/context/request.h"

namespace dray::server::verbs::inline read {

struct Selection {
  api::LabelSelector labels;
  api::FieldSelector fields;

  /// Errors: kBadRequest  a selector does not parse, or names a field by which objects of `kind`
  /// cannot be selected in `release`.
  static Result<Selection> Parse(const api::KindInfo& kind,
                                 const ListOptions& options,
                                 api::Release release = api::Release::kAny);

  bool Matches(const api::Object& object) const;
  bool is_everything() const { return labels.IsEverything() && fields.IsEverything(); }
};

/// The value of a selectable field as selectors compare it; empty when absent.
std::string FieldText(const api::Object& object, std::string_view path);

}  // namespace dray::server::verbs::inline read
