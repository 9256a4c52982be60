// SPDX-License-Identifier: Apache-2.0
// Bytes as the answer of a webhook to a review that the first byte chooses: the answer is refused
// with a reason, or it decides, and what it makes of an object keeps the object's identity.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "api/custom_kind.h"
#include "base/check.h"
#include "net/client/request_text.h"
#include "server/patch/json_patch.h"
#include "server/patch/json_tree.h"
#include "server/webhooks/conversion.h"
#include "server/webhooks/review.h"

namespace {

using namespace dray;                    // NOLINT(google-build-using-namespace): this file is glue
using namespace dray::server;            // NOLINT(google-build-using-namespace)
using namespace dray::server::webhooks;  // NOLINT(google-build-using-namespace)

constexpr std::string_view kUid = "u";
constexpr std::string_view kObject =
    R"({"metadata":{"name":"a","namespace":"n","uid":"1","labels":{"x":"y"}},"spec":{"l":[1,2]}})";

// Two versions of a custom kind.
struct Kinds {
  Kinds() {
    api::CustomKindText text{.group = "a.test",
                             .version = "v1",
                             .kind = "Lamp",
                             .list_kind = "LampList",
                             .plural = "lamps",
                             .singular = "lamp"};
    const api::CustomKind* resource = arena.Resource(text);
    v1 = arena.Version(*resource, text);
    text.version = "v2";
    v2 = arena.Version(*resource, text);
  }

  api::CustomKindArena arena;
  const api::CustomKind* v1 = nullptr;
  const api::CustomKind* v2 = nullptr;
};

void CheckPatch(const std::string& text) {
  Result<patch::JsonTree> patch = patch::ParseJsonTree(text, patch::kDepthMax);
  if (!patch.has_value() || !patch->is_array()) return;
  Result<patch::JsonTree> document = patch::ParseJsonTree(kObject, patch::kDepthMax);
  DRAY_CHECK(document.has_value());
  if (!patch::ApplyJsonPatch(*std::move(patch), *document).has_value()) return;
  std::string patched;
  api::WriteJsonTree(*document, patched);
  DRAY_CHECK(patch::ParseJsonTree(patched, patch::kDepthMax).has_value());
}

void CheckAdmission(net::client::ClientResponse answer, ReviewVersion version, Purpose purpose) {
  const auto decision = ReadAnswer(std::move(answer), version, kUid, purpose);
  if (!decision.has_value()) {
    DRAY_CHECK(!decision.error().empty());
    return;
  }
  DRAY_CHECK(purpose == Purpose::kMutate || decision->patch.empty());
  if (!decision->patch.empty()) CheckPatch(decision->patch);
  if (!decision->is_allowed) DRAY_CHECK(!DenialOf("a", decision->status).message.empty());
}

void CheckConversion(net::client::ClientResponse answer, ReviewVersion version, size_t objects) {
  static const Kinds kKinds;
  std::vector<api::Object> originals;
  for (size_t i = 0; i < objects; ++i) {
    Result<api::Object> original = api::DecodeJson(*kKinds.v1, kObject, nullptr);
    DRAY_CHECK(original.has_value());
    originals.push_back(*std::move(original));
  }
  const auto converted = ReadConversion(std::move(answer), version, kUid, originals, *kKinds.v2);
  if (!converted.has_value()) {
    DRAY_CHECK(!converted.error().message.empty());
    DRAY_CHECK(converted.error().end != ConversionEnd::kConverted);
    return;
  }
  DRAY_CHECK(converted->size() == objects);
  for (const api::Object& one : *converted) {
    DRAY_CHECK(&one.kind() == kKinds.v2);
    const api::meta_v1::ObjectMeta& meta = one.metadata();
    DRAY_CHECK(meta.name == "a" && meta.namespace_ == "n" && meta.uid == "1");
    DRAY_CHECK(api::DecodeJson(*kKinds.v2, api::ToJson(one), nullptr).has_value());
  }
}

}  // namespace

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const unsigned chosen = data[0];
  net::client::ClientResponse answer{
      .status = (chosen & 8U) != 0 ? 500 : 200,
      .body = std::string(reinterpret_cast<const char*>(data) + 1, size - 1)};
  answer.headers.Add("Content-Type", "application/json");
  const ReviewVersion version = (chosen & 1U) != 0 ? ReviewVersion::kV1beta1 : ReviewVersion::kV1;
  if ((chosen & 2U) != 0) {
    CheckConversion(std::move(answer), version, (chosen & 4U) != 0 ? 2 : 1);
  } else {
    CheckAdmission(
        std::move(answer), version, (chosen & 4U) != 0 ? Purpose::kMutate : Purpose::kValidate);
  }
  return 0;
}
