// SPDX-License-Identifier: Apache-2.0
// Subresources that need a kubelet. They are refused: no node here runs containers.
#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <variant>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/pod_options.h"
#include "base/text/ascii.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/policies/admission_request.h"
#include "server/storage/keys.h"
#include "server/verbs/admission/chain.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/read/read.h"
#include "server/verbs/subresources/subresources.h"
#include "store/snapshot.h"

namespace dray::server::verbs::inline subresources {
namespace {

namespace core_v1 = api::core_v1;

struct Part {
  std::string_view name;
  std::string_view what;                   // the missing thing, for the message
  const api::KindInfo* options = nullptr;  // of a connection; null: a plain read
};

constexpr std::array kParts = {
    Part{.name = "attach",
         .what = "process to attach to",
         .options = &api::Reflected<core_v1::PodAttachOptions>::kKind},
    Part{.name = "exec",
         .what = "container to run a command in",
         .options = &api::Reflected<core_v1::PodExecOptions>::kKind},
    Part{.name = "log", .what = "log"},
    Part{.name = "portforward",
         .what = "port to forward to",
         .options = &api::Reflected<core_v1::PodPortForwardOptions>::kKind},
    Part{.name = "proxy",
         .what = "port to connect to",
         .options = &api::Reflected<core_v1::PodProxyOptions>::kKind}};

const Part* PartNamed(std::string_view subresource) {
  const auto* const found = std::ranges::find(kParts, subresource, &Part::name);
  return found == kParts.end() ? nullptr : found;
}

using Parameters = std::vector<std::pair<std::string, std::string>>;

// The values of the parameter that are numbers; others are ignored.
std::vector<int32_t> NumbersOf(const Parameters& parameters, std::string_view name) {
  std::vector<int32_t> numbers;
  for (const auto& [key, value] : parameters) {
    int32_t number = 0;
    const char* const end = value.data() + value.size();
    const bool is_number = std::from_chars(value.data(), end, number).ptr == end && !value.empty();
    if (key == name && is_number) numbers.push_back(number);
  }
  return numbers;
}

// Writes the parameter with the field's name, if there is one, in the form that the field needs.
void WriteField(const api::Field& field, const Parameters& parameters, api::JsonWriter& json) {
  const auto first =
      std::ranges::find(parameters, field.name, &std::pair<std::string, std::string>::first);
  if (first == parameters.end()) return;
  switch (field.type().kind) {
    case api::TypeKind::kBool: {
      const std::string word = LowerAscii(first->second);
      json.Member(field.name, word != "false" && word != "0");
      return;
    }
    case api::TypeKind::kString: json.Member(field.name, first->second); return;
    default: break;
  }
  if (field.name == "ports") {
    json.Member(field.name).ArrayOf(NumbersOf(parameters, field.name));
    return;
  }
  json.Member(field.name).Array([&] {
    for (const auto& [key, value] : parameters) {
      if (key == field.name) json.Value(value);
    }
  });
}

// The options of a connection, as admission sees them.
Result<api::Object> OptionsOf(const Call& call, const api::KindInfo& kind) {
  const std::string text = api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      for (const api::Field& field : kind.type().fields) {
        WriteField(field, call.request->connect_options, json);
      }
    });
  });
  return api::DecodeJson(kind, text, nullptr);
}

// Returns the error of a connection to a pod whose node does not exist.
Result<> CheckNode(const Call& call, const store::Snapshot& snapshot, const Outcome& found) {
  const auto* const answer = std::get_if<ObjectAnswer>(&found);
  const auto* const pod = answer == nullptr ? nullptr : answer->item.object.If<core_v1::Pod>();
  if (pod == nullptr || pod->spec.node_name.empty()) return {};
  const std::string key =
      storage::ObjectKey(api::Reflected<core_v1::Node>::kKind, "", pod->spec.node_name);
  if (snapshot.Find(key) != nullptr) return {};
  return Fail(errors::NotFound(call.kind(), pod->spec.node_name));
}

}  // namespace

bool NeedsRunningContainers(std::string_view subresource) {
  return PartNamed(subresource) != nullptr;
}

Task<Outcome> RefuseSimulated(Call call) {
  const std::string& subresource = call.request->subresource;
  const Part& part = *PartNamed(subresource);
  DRAY_CO_TRY(const Outcome found, co_await Get(call));
  const Frozen<store::Snapshot> snapshot = call.session->Read();
  if (part.options != nullptr) {
    DRAY_CO_TRY(const api::Object options, OptionsOf(call, *part.options));
    const admission::Write connection{.operation = policies::Operation::kConnect,
                                      .object = &options,
                                      .kind = part.options,
                                      .subresource = subresource};
    DRAY_CO_TRY_VOID(co_await admission::Admit(call, snapshot, connection, nullptr));
    DRAY_CO_TRY_VOID(co_await admission::Validate(call, snapshot, connection));
  }
  DRAY_CO_TRY_VOID(CheckNode(call, *snapshot, found));
  co_return Fail(errors::Simulated(call.kind(), call.request->name, part.what));
}

}  // namespace dray::server::verbs::inline subresources
