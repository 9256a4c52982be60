// SPDX-License-Identifier: Apache-2.0
// A schema, an object, and an object that was there before, a line each: pruning and defaults are
// done when they have been done once, and every check gives the same answer twice.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/tree_json.h"
#include "base/check.h"
#include "custom/schema/default_rules.h"
#include "custom/schema/defaults.h"
#include "custom/schema/list_rules.h"
#include "custom/schema/prune.h"
#include "custom/schema/schema.h"
#include "custom/schema/validate.h"
#include "tests/fuzz/custom_schema.h"

namespace {

using namespace dray;                  // NOLINT(google-build-using-namespace): this file is glue
using namespace dray::custom::schema;  // NOLINT(google-build-using-namespace)

// As a server reads what a client sent.
bool Complete(api::Tree& object, const Schema& schema) {
  std::vector<std::string> unknown;
  Prune(object, schema, &unknown);
  DRAY_CHECK(unknown.size() <= kUnknownMembersMax);
  std::vector<std::string> none;
  Prune(object, schema, &none);
  DRAY_CHECK(none.empty());
  if (!ApplyDefaults(object, schema).has_value()) return false;
  const std::string once = api::ToJson(object);
  DRAY_CHECK(ApplyDefaults(object, schema).has_value());
  DRAY_CHECK(api::ToJson(object) == once);
  const auto again = api::ReadTree(once);
  DRAY_CHECK(again.has_value() && *again == object);
  return true;
}

void Check(const api::Tree& object, const api::Tree* old, const Schema& schema) {
  const std::vector<ErrorCause> causes = Validate(object, old, schema);
  DRAY_CHECK(Validate(object, old, schema) == causes);
  DRAY_CHECK(CheckLists(object, old, schema) == CheckLists(object, old, schema));
  if (old == nullptr) return;
  // An old object only takes causes away.
  if (Validate(object, nullptr, schema).empty()) DRAY_CHECK(causes.empty());
  (void)ValidateStatus(object, old, schema);
}

}  // namespace

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto definition = fuzz::DefinitionWith(fuzz::TakeLine(text));
  if (!definition.has_value()) return 0;
  const Frozen<Schema> schema =
      CompileSchema(*definition->spec.versions.front().schema->open_apiv3_schema);
  DRAY_CHECK(schema->size() > 0);
  (void)CheckDefaults(*schema, "spec.validation.openAPIV3Schema", {});
  std::optional<api::Tree> object = fuzz::ObjectOf(fuzz::TakeLine(text));
  if (!object.has_value() || !Complete(*object, *schema)) return 0;
  Check(*object, nullptr, *schema);
  Check(*object, &*object, *schema);
  std::optional<api::Tree> old = fuzz::ObjectOf(fuzz::TakeLine(text));
  if (!old.has_value() || !Complete(*old, *schema)) return 0;
  Check(*object, &*old, *schema);
  return 0;
}
