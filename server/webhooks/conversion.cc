// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/conversion.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json_writer.h"
#include "api/codec/tree_json.h"
#include "api/text/go_quote.h"
#include "api/validation/field_error.h"
#include "api/validation/value_rules.h"
#include "server/webhooks/answer.h"

namespace dray::server::webhooks {
namespace {

using api::Tree;
using api::meta_v1::ObjectMeta;
using net::client::ClientResponse;

namespace crd_v1 = api::apiextensions_v1;

constexpr ReviewKind kConversionReview{.group = "apiextensions.k8s.io", .kind = "ConversionReview"};
// JSON values of an answer: each takes some fifty bytes of memory, however short its text is.
constexpr size_t kAnswerValuesMax = size_t{1} << 21;
constexpr std::array<std::string_view, 3> kFrame = {"apiVersion", "kind", "metadata"};

api::admissionregistration_v1::WebhookClientConfig ClientOf(const crd_v1::WebhookConversion& said) {
  api::admissionregistration_v1::WebhookClientConfig client;
  if (!said.client_config.has_value()) return client;
  client.url = said.client_config->url;
  client.ca_bundle = said.client_config->ca_bundle;
  if (said.client_config->service.has_value()) {
    const crd_v1::ServiceReference& service = *said.client_config->service;
    client.service = {.namespace_ = service.namespace_,
                      .name = service.name,
                      .path = service.path,
                      .port = service.port};
  }
  return client;
}

std::string_view TextAt(const Tree* tree, std::string_view name) {
  const Tree* found = tree == nullptr ? nullptr : tree->Find(name);
  return found != nullptr && found->is_text() ? found->text() : std::string_view();
}

// As Go names the type of a JSON value.
std::string_view GoTypeOf(const Tree& tree) {
  switch (tree.kind()) {
    case Tree::Kind::kNull: return "<nil>";
    case Tree::Kind::kBool: return "bool";
    case Tree::Kind::kInteger: return "int64";
    case Tree::Kind::kDouble: return "float64";
    case Tree::Kind::kText: return "string";
    case Tree::Kind::kList: return "[]interface {}";
    case Tree::Kind::kObject: break;
  }
  return "map[string]interface {}";
}

// The objects of a review that says that it has converted; or why it has not.
std::expected<std::vector<Tree>, std::string> ObjectsOf(const Tree& review,
                                                        ReviewVersion version,
                                                        std::string_view uid) {
  const Tree* const response = review.Find("response");
  if (response == nullptr || !response->is_object()) {
    return std::unexpected(std::string("no response provided"));
  }
  // Version v1beta1 asked for no uid.
  const std::string_view answered = TextAt(response, "uid");
  if (version == ReviewVersion::kV1 && answered != uid) {
    return std::unexpected(
        fmt::format("expected response.uid={}, got {}", api::GoQuote(uid), api::GoQuote(answered)));
  }
  const Tree* const result = response->Find("result");
  const std::string_view status = TextAt(result, "status");
  if (status != "Success") {
    const std::string_view message = TextAt(result, "message");
    return std::unexpected(
        message.empty() ? fmt::format("response.result.status was '{}', not 'Success'", status)
                        : std::string(message));
  }
  const Tree* const converted = response->Find("convertedObjects");
  if (converted == nullptr) return std::vector<Tree>();
  return std::vector<Tree>(converted->elements().begin(), converted->elements().end());
}

// `[a, b]`, or `a` alone.
std::string Aggregate(std::span<const ErrorCause> causes) {
  std::string text;
  for (const ErrorCause& cause : causes) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{}: {}", cause.field, cause.message);
  }
  return causes.size() > 1 ? fmt::format("[{}]", text) : text;
}

// Labels or annotations that the webhook has returned in place of `kept`; or what is wrong with
// them. Those of the original need not be valid.
template <class Check>
std::optional<std::string> TakeTexts(const Tree& metadata,
                                     std::string_view name,
                                     Check check,
                                     api::Map<std::string>& kept) {
  const Tree* const said = metadata.Find(name);
  if (said == nullptr || said->is_null()) {
    kept = {};
    return std::nullopt;
  }
  if (!said->is_object()) {
    return fmt::format("invalid metadata.{} of type {} in converted object", name, GoTypeOf(*said));
  }
  api::Map<std::string> texts;
  for (const Tree::Member& member : said->members()) {
    if (!member.value.is_text()) {
      return fmt::format("metadata.{}[{}] must be a string, but is {} in converted object",
                         name,
                         member.name(),
                         GoTypeOf(member.value));
    }
    texts.try_emplace(member.name(), member.value.text());
  }
  if (!(texts == kept)) {
    api::validation::FieldErrors errors;  // NOLINT(misc-const-correctness): `check` adds to it
    const std::string place = fmt::format("metadata.{}", name);
    check(texts, api::validation::Path(place), errors);
    if (!errors.empty()) return Aggregate(errors.causes());
  }
  kept = std::move(texts);
  return std::nullopt;
}

// `metadata` of the original, with what the webhook may change of it; or what is wrong.
std::optional<std::string> TakeMetadata(const Tree& converted, ObjectMeta& metadata) {
  const Tree* const said = converted.Find("metadata");
  if (said == nullptr) return "missing metadata in converted object";
  if (!said->is_object()) {
    return fmt::format("invalid metadata of type {} in converted object", GoTypeOf(*said));
  }
  std::optional<std::string> problem =
      TakeTexts(*said, "labels", api::validation::CheckLabels, metadata.labels);
  if (problem.has_value()) return problem;
  return TakeTexts(*said, "annotations", api::validation::CheckAnnotations, metadata.annotations);
}

// What must be as it was; nothing if it is.
std::optional<std::string> ChangedIdentity(const Tree& converted, const ObjectMeta& original) {
  const Tree* const metadata = converted.Find("metadata");
  struct Kept {
    std::string_view word, before, after;
  };
  const Kept all[] = {
      {.word = "name", .before = original.name, .after = TextAt(metadata, "name")},
      {.word = "namespace", .before = original.namespace_, .after = TextAt(metadata, "namespace")},
      {.word = "UID", .before = original.uid, .after = TextAt(metadata, "uid")}};
  for (const Kept& one : all) {
    if (one.before == one.after) continue;
    return fmt::format("must have the same {}: {} != {}", one.word, one.before, one.after);
  }
  return std::nullopt;
}

// Why it is not an object of the wanted version; nothing if it is.
std::optional<std::string> WrongType(const Tree& converted, const api::KindInfo& to) {
  const std::string_view kind = TextAt(&converted, "kind");
  const std::string_view version = TextAt(&converted, "apiVersion");
  if (kind.empty()) {
    return fmt::format("Object 'Kind' is missing in '{}'",
                       api::BeginningOf(converted, api::validation::kShownMax));
  }
  if (version != to.api_version) {
    return fmt::format("invalid groupVersion (expected {}, received {})", to.api_version, version);
  }
  if (kind != to.kind) {
    return fmt::format("invalid kind (expected {}, received {})", to.kind, kind);
  }
  return std::nullopt;
}

// One converted object, in the words of upstream for one of several.
struct Place {
  bool is_only;
  size_t index;

  std::string InvalidType(std::string_view why) const {
    return fmt::format(
        "returned invalid {}object at index {}: {}", is_only ? "" : "converted ", index, why);
  }
  std::string Invalid(std::string_view why) const {
    return is_only ? fmt::format("returned invalid object: {}", why) : InvalidType(why);
  }
  std::string InvalidMetadata(std::string_view why) const {
    return is_only ? fmt::format("returned invalid metadata: {}", why)
                   : fmt::format("returned invalid metadata in object at index {}: {}", index, why);
  }
};

std::expected<api::Object, std::string> Converted(Tree tree,
                                                  const api::Object& original,
                                                  const api::CustomKind& to,
                                                  Place place) {
  if (const auto problem = WrongType(tree, to); problem.has_value()) {
    return std::unexpected(place.InvalidType(*problem));
  }
  if (const auto problem = ChangedIdentity(tree, original.metadata()); problem.has_value()) {
    return std::unexpected(place.Invalid(*problem));
  }
  api::CustomObject object{.metadata = original.metadata()};
  if (const auto problem = TakeMetadata(tree, object.metadata); problem.has_value()) {
    return std::unexpected(place.InvalidMetadata(*problem));
  }
  tree.EraseMembers([](const Tree::Member& member) {
    return std::ranges::find(kFrame, member.name()) != kFrame.end();
  });
  object.content = std::move(tree);
  return api::Object::Of(to, std::move(object));
}

}  // namespace

ConversionWebhook::ConversionWebhook(crd_v1::WebhookConversion said)
    : said_(std::move(said)),
      client_(ClientOf(said_)),
      version_(ReviewVersionOf(said_.conversion_review_versions)) {}

std::string ConversionReviewText(ReviewVersion version,
                                 std::string_view uid,
                                 const api::KindInfo& to,
                                 std::span<const std::string> objects) {
  std::string text = api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      json.Member("kind", kConversionReview.kind);
      json.Member("apiVersion", kConversionReview.ApiVersion(version));
      json.Member("request").Object([&] {
        json.Member("uid", uid);
        json.Member("desiredAPIVersion", to.api_version);
        json.Member("objects").Array([&] {
          for (const std::string& object : objects) json.Raw(object);
        });
      });
      // Upstream writes the empty answer too.
      json.Member("response").Object([&] {
        json.Member("uid", "");
        json.Member("convertedObjects").Raw("null");
        json.Member("result").Object([&] { json.Member("metadata").Object([] {}); });
      });
    });
  });
  text += '\n';
  return text;
}

std::string ConversionProblem(const api::KindInfo& from, std::string_view what) {
  return fmt::format("conversion webhook for {}, Kind={} {}", from.api_version, from.kind, what);
}

std::expected<std::vector<api::Object>, ConversionFailure> ReadConversion(
    ClientResponse answer,
    ReviewVersion version,
    std::string_view uid,
    std::span<const api::Object> originals,
    const api::CustomKind& to) {
  const api::KindInfo& from = originals.front().kind();
  const auto fail = [&](ConversionEnd end, std::string_view what) {
    return std::unexpected(ConversionFailure{.end = end, .message = ConversionProblem(from, what)});
  };
  const auto failed = [&](ConversionEnd end, std::string_view why) {
    return fail(end, fmt::format("failed: {}", why));
  };
  auto document = ReadReview(std::move(answer), kConversionReview, version);
  if (!document.has_value()) return failed(ConversionEnd::kNoAnswer, document.error());
  if (version == ReviewVersion::kV1) {
    const auto other = OtherReview(document->said, kConversionReview, version);
    if (other.has_value()) return failed(ConversionEnd::kMalformed, *other);
  }
  const Result<Tree> review = api::ReadTree(document->json, {.values_max = kAnswerValuesMax});
  if (!review.has_value()) return failed(ConversionEnd::kNoAnswer, review.error().message);
  auto objects = ObjectsOf(*review, version, uid);
  if (!objects.has_value()) return failed(ConversionEnd::kMalformed, objects.error());
  if (objects->size() != originals.size()) {
    return fail(ConversionEnd::kPartial,
                fmt::format("returned {} objects, expected {}", objects->size(), originals.size()));
  }
  std::vector<api::Object> converted;
  converted.reserve(objects->size());
  for (size_t i = 0; i < objects->size(); ++i) {
    auto one = Converted(
        std::move((*objects)[i]), originals[i], to, {.is_only = originals.size() == 1, .index = i});
    if (!one.has_value()) return fail(ConversionEnd::kInvalidObject, one.error());
    converted.push_back(*std::move(one));
  }
  return converted;
}

}  // namespace dray::server::webhooks
