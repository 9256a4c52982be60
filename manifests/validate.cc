// SPDX-License-Identifier: Apache-2.0
#include "manifests/validate.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/codec/json_reader.h"
#include "api/core_v1/namespace.h"
#include "api/core_v1/pod.h"
#include "api/custom_kind.h"
#include "api/defaults/defaults.h"
#include "api/status.h"
#include "api/validation/field_error.h"
#include "api/value/time.h"
#include "base/text/ascii.h"
#include "base/try.h"
#include "manifests/documents.h"
#include "manifests/files.h"
#include "manifests/hints.h"
#include "manifests/places.h"
#include "manifests/scalars.h"
#include "manifests/schema_hints.h"
#include "manifests/typed_templates.h"
#include "server/errors/errors.h"
#include "server/registry/custom_version.h"
#include "server/registry/served_kinds.h"
#include "server/registry/write.h"

namespace dray::manifests {
namespace {

namespace core = api::core_v1;

constexpr std::string_view kResourceGroup = "resource.k8s.io";
constexpr std::string_view kDefaultNamespace = "default";
constexpr int kCreated = 201;
constexpr int kOk = 200;

/// Kubernetes supports the newest three releases.
constexpr api::Release kOldestSupported = api::Release::k1_35;

struct GroupVersion {
  std::string_view group, version;
};

GroupVersion Split(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return {"", api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

/// Whether the object has a status; `json` is an object.
bool HasStatus(std::string_view json) {
  api::JsonReader reader(json);
  std::string key;
  bool found = false;
  reader.EnterObject();
  while (reader.NextKey(key)) {
    if (key == "status") found = reader.Peek() != api::JsonKind::kNull;
    reader.Skip();
  }
  return found;
}

/// `unknown field "spec.foo"` → spec.foo
std::string_view QuotedPart(std::string_view text) {
  const size_t start = text.find('"');
  const size_t end = text.rfind('"');
  return start == std::string_view::npos || start == end ? std::string_view()
                                                         : text.substr(start + 1, end - start - 1);
}

/// The field in a decoder's message in Go's style: … struct field Kind.spec.foo of type …
std::string FieldOfMismatch(std::string_view message) {
  constexpr std::string_view kBefore = "Go struct field ";
  const size_t start = message.find(kBefore);
  if (start == std::string_view::npos) return {};
  std::string_view rest = message.substr(start + kBefore.size());
  rest = rest.substr(0, rest.find(" of type "));
  const size_t dot = rest.find('.');
  return dot == std::string_view::npos ? std::string() : std::string(rest.substr(dot + 1));
}

using Namespaces = std::map<std::string, core::Namespace, std::less<>>;

/// Validates one object of a document.
class ObjectValidator {
 public:
  // NOLINTNEXTLINE(readability-function-size): all that it looks at, kept for its life
  ObjectValidator(World& world,
                  const ValidateOptions& options,
                  const KnownKinds& kinds,
                  const Namespaces& namespaces,
                  const Document& document,
                  const ObjectText& text)
      : world_(world),
        options_(options),
        kinds_(kinds),
        scheme_(kinds.scheme()),
        namespaces_(namespaces),
        places_(document.lines, text.path),
        text_(text) {
    verdict_.document = document.number;
    verdict_.line = places_.LineOf("");
    verdict_.item = text.path;
    verdict_.type = text.type;
    const WrittenName written = NameIn(text.json);
    verdict_.name =
        written.name.empty() && !written.prefix.empty() ? written.prefix + "*" : written.name;
    verdict_.namespace_ = written.namespace_;
  }

  ObjectVerdict Validate() {
    const api::KindInfo* const kind = scheme_.FindKind(text_.type.api_version, text_.type.kind);
    if (kind == nullptr) {
      UnknownKind();
    } else if (api::IsCustom(*kind) && !kind->served) {
      NotDefined(kind->plural, *kinds_.Find(kind->group, kind->kind));
    } else if (const api::Release release = options_.release.value_or(ReleaseFor(*kind));
               !kind->in.Has(release)) {
      NotServed(kind->plural, release);
    } else if (!IsOn(*kind, release)) {
      NotServed(kind->plural, release, " with these feature gates");
    } else {
      verdict_.release = release;
      KnownKind(*kind, release);
      if (!options_.release.has_value()) WarnOfOldVersion(*kind);
    }
    return std::move(verdict_);
  }

 private:
  void Error(std::string field, std::string type, std::string text, std::string hint) {
    const size_t line = places_.LineOf(field);
    verdict_.notices.push_back({.severity = Notice::Severity::kError,
                                .line = line,
                                .field = std::move(field),
                                .type = std::move(type),
                                .text = std::move(text),
                                .hint = std::move(hint)});
  }

  void Refuse(int code, std::string message) {
    verdict_.verdict = Verdict::kRefused;
    verdict_.answers.push_back(
        {.operation = "create", .code = code, .message = std::move(message)});
  }

  void UnknownKind() {
    const auto [group, version] = Split(text_.type.api_version);
    if (text_.type.kind.empty() || text_.type.api_version.empty()) {
      const std::string what = text_.type.kind.empty() ? "kind" : "apiVersion";
      Refuse(api::HttpCode(StatusReason::kBadRequest), what + " is not set");
      Error("", "Unserved", what + " is not set", "a manifest has apiVersion and kind");
      return;
    }
    if (const CustomDefinition* definition = kinds_.Find(group, text_.type.kind)) {
      NotJudged(*definition);
      return;
    }
    const auto known = std::ranges::find_if(scheme_.kinds(), [&](const api::KindInfo* one) {
      return one->group == group && one->kind == text_.type.kind;
    });
    if (known != scheme_.kinds().end()) {
      NotServed((*known)->plural, options_.release.value_or(api::Release::kNewest));
    } else if (group == kResourceGroup) {
      NotServed(LowerAscii(text_.type.kind) + "s",
                options_.release.value_or(api::Release::kNewest));
    } else {
      const bool may_be_custom = std::ranges::none_of(
          api::BuiltinKinds(), [&](const api::KindInfo* one) { return one->group == group; });
      Skip(may_be_custom ? "not a kind Dray knows; add its CustomResourceDefinition to the files"
                         : "not a kind Dray knows");
      const std::string meant = HintForKind(scheme_.kinds(), group, text_.type.kind);
      if (!meant.empty()) Warn("kind", "UnknownKind", "is no kind of its group; " + meant, "");
    }
  }

  void Skip(std::string why) {
    verdict_.verdict = Verdict::kSkipped;
    verdict_.why = std::move(why);
  }

  /// For an object whose kind `definition` defines, but not this version, or not with an effect.
  void NotJudged(const CustomDefinition& definition) {
    if (definition.problem.empty()) {
      NotDefined(definition.name.substr(0, definition.name.find('.')), definition);
    } else {
      Skip(
          fmt::format("not judged: its definition at {} {}", definition.place, definition.problem));
    }
  }

  void NotDefined(std::string_view plural, const CustomDefinition& definition) {
    Refuse(api::HttpCode(StatusReason::kNotFound),
           fmt::format("not served: {}/{}", text_.type.api_version, plural));
    Error("apiVersion",
          "NotServed",
          fmt::format("{} {} is not served by its definition at {}",
                      text_.type.api_version,
                      text_.type.kind,
                      definition.place),
          definition.served.empty()
              ? "it serves no version"
              : fmt::format("it serves {}", fmt::join(definition.served, ", ")));
  }

  /// Whether the gates enable the kind.
  bool IsOn(const api::KindInfo& kind, api::Release release) const {
    if (options_.feature_gates.empty() || api::IsCustom(kind)) return true;
    const auto served = server::registry::ServedKinds(
        scheme_, {.release = release, .gates = ProfileOf(options_, release).gates});
    return served.has_value() && std::ranges::find(*served, &kind) != served->end();
  }

  void NotServed(std::string_view plural, api::Release release, std::string_view why = "") {
    const std::string message = fmt::format("not served: {}/{}", text_.type.api_version, plural);
    Refuse(api::HttpCode(StatusReason::kNotFound), message);
    Error("apiVersion",
          "NotServed",
          fmt::format("{} {} is not served by {}{}",
                      text_.type.api_version,
                      text_.type.kind,
                      options_.release.has_value() || !why.empty() ? api::ReleaseName(release)
                                                                   : "any release",
                      why),
          why.empty()
              ? HintForVersion(
                    scheme_.kinds(), Split(text_.type.api_version).group, text_.type.kind, release)
              : std::string());
  }

  /// Warns that the object was judged by a release without support.
  void WarnOfOldVersion(const api::KindInfo& kind) {
    if (kind.in.Has(api::Release::kNewest)) return;
    std::string now = api::ReleaseName(api::Release::kNewest) + " does not serve it";
    if (kind.in.last < MinorOf(kOldestSupported)) {
      now = fmt::format("no supported release ({} to {}) serves it",
                        api::ReleaseName(kOldestSupported),
                        api::ReleaseName(api::Release::kNewest));
    }
    Warn("apiVersion",
         "NotServed",
         fmt::format(
             "{} {} was served {}; {}", kind.api_version, kind.kind, Described(kind.in), now),
         HintForVersion(scheme_.kinds(), kind.group, kind.kind, api::Release::kNewest));
  }

  void KnownKind(const api::KindInfo& kind, api::Release release) {
    auto object = server::registry::DecodeForStore(
        kind, text_.json, release, world_.clock.Now(), &verdict_.strict);
    if (!object) {
      Mismatch(kind, release, object.error().message);
      return;
    }
    const api::Profile profile = ProfileOf(options_, release);
    if (kind.create_only) {
      verdict_.answers.push_back({.operation = "create", .code = kCreated});
    } else {
      Rules(kind, profile, *std::move(object));
    }
    for (const std::string& issue : verdict_.strict) Strict(kind, release, issue);
  }

  void Mismatch(const api::KindInfo& kind, api::Release release, const std::string& message) {
    Refuse(api::HttpCode(StatusReason::kBadRequest),
           fmt::format("{0} in version \"{1}\" cannot be handled as a {0}: {2}",
                       kind.kind,
                       kind.version,
                       message));
    std::string field = FieldOfMismatch(message);
    if (field.empty()) field = FindBadScalar(kind, text_.json);
    std::string hint = field.empty() ? "" : HintForValue(kind, release, field);
    Error(field, "Mismatch", message, std::move(hint));
  }

  const core::Namespace& NamespaceOf(std::string_view name) const {
    static const core::Namespace kPlain;
    const auto found = namespaces_.find(name);
    return found == namespaces_.end() ? kPlain : found->second;
  }

  RequestContext ContextOf(const api::KindInfo& kind,
                           const api::Profile& profile,
                           const api::Object& object) const {
    return {.world = world_,
            .kind = kind,
            .profile = profile,
            .in = NamespaceOf(object.metadata().namespace_)};
  }

  /// Adds the result of a request to the verdict.
  void Answered(const api::KindInfo& kind,
                std::string_view name,
                std::string_view operation,
                Said said) {
    Answer answer = {.operation = operation, .code = operation == "create" ? kCreated : kOk};
    answer.warnings = std::move(said.warnings);
    for (const std::string& warning : answer.warnings) Warn("", "Warning", warning, {});
    if (!said.causes.empty()) Refused(kind, name, std::move(said.causes), answer);
    verdict_.answers.push_back(std::move(answer));
  }

  void Refused(const api::KindInfo& kind,
               std::string_view name,
               std::vector<ErrorCause> causes,
               Answer& answer) {
    for (const ErrorCause& cause : causes) {
      Error(cause.field, cause.reason, cause.message, {});
    }
    dray::Error error = server::errors::Invalid(kind, name, std::move(causes));
    answer.code = api::HttpCode(error.reason);
    answer.message = std::move(error.message);
    answer.causes = std::move(error.causes);
    verdict_.verdict = Verdict::kInvalid;
  }

  void Rules(const api::KindInfo& kind, const api::Profile& profile, api::Object object) {
    std::string& namespace_ = object.mutable_metadata().namespace_;
    // As the server does for the path of the request.
    if (!kind.namespaced) namespace_.clear();
    if (kind.namespaced && namespace_.empty()) namespace_ = kDefaultNamespace;
    api::Object created = object.Clone();
    const std::string name = object.metadata().name;
    Said said = Create(ContextOf(kind, profile, created), created);
    if (api::IsCustom(kind)) AddDeprecation(kind, profile.release, said);
    for (const TypedTemplate& pods : TypedTemplatesIn(object)) {
      Template(pods, profile, namespace_, said);
    }
    Answered(kind, name, "create", std::move(said));
    const bool has_status = kind.has_status && kind.status_in.Has(profile.release);
    if (kind.group != kResourceGroup || !has_status || !HasStatus(text_.json)) return;
    if (object.metadata().name.empty()) {
      // Errors of the name are reported already.
      verdict_.answers.push_back({.operation = "updateStatus",
                                  .code = api::HttpCode(StatusReason::kBadRequest),
                                  .message = "Name parameter required."});
      return;
    }
    object.mutable_metadata() = created.metadata();
    Said of_status = UpdateStatus(ContextOf(kind, profile, object), created, object);
    Answered(kind, name, "updateStatus", std::move(of_status));
  }

  static void AddDeprecation(const api::KindInfo& kind, api::Release release, Said& said) {
    std::string warning = server::registry::DeprecationWarning(kind, release);
    if (!warning.empty()) said.warnings.insert(said.warnings.begin(), std::move(warning));
  }

  /// Adds errors of a workload's pods, as far as pods can be judged before they are created, unless
  /// the workload's own validation has reported them.
  void Template(const TypedTemplate& of,
                const api::Profile& profile,
                const std::string& namespace_,
                Said& said) {
    core::Pod pod;
    pod.metadata = of.pods->metadata;
    pod.spec = of.pods->spec;
    pod.metadata.name = "pod";
    pod.metadata.namespace_ = namespace_.empty() ? std::string(kDefaultNamespace) : namespace_;
    api::Object object = api::Object::Of(std::move(pod));
    api::defaults::SetDefaults(object, api::Time::Of(world_.clock.Now()), profile.release);
    Said of_pod = Create(ContextOf(object.kind(), profile, object), object);
    for (ErrorCause& cause : of_pod.causes) {
      cause.field = fmt::format("{}.{}", of.path, cause.field);
      const bool is_said = std::ranges::find(said.causes, cause) != said.causes.end();
      if (!is_said) said.causes.push_back(std::move(cause));
    }
    std::ranges::move(of_pod.warnings, std::back_inserter(said.warnings));
  }

  void Warn(std::string field, std::string type, std::string text, std::string hint) {
    const size_t line = places_.LineOf(field);
    verdict_.notices.push_back({.severity = Notice::Severity::kWarning,
                                .line = line,
                                .field = std::move(field),
                                .type = std::move(type),
                                .text = std::move(text),
                                .hint = std::move(hint)});
  }

  /// Adds unknown and duplicate fields.
  void Strict(const api::KindInfo& kind, api::Release release, const std::string& issue) {
    const bool is_unknown = issue.starts_with("unknown");
    const std::string field(QuotedPart(issue));
    Warn(field,
         is_unknown ? "UnknownField" : "DuplicateField",
         is_unknown ? "unknown field" : "duplicate field",
         is_unknown ? HintForUnknown(kind, release, field) : "the last one counts");
  }

  static std::string HintForUnknown(const api::KindInfo& kind,
                                    api::Release release,
                                    std::string_view field) {
    const Frozen<server::registry::SchemaVersion> version = server::registry::RulesOf(kind);
    if (version == nullptr) return HintForUnknownField(kind, release, field);
    const auto schema = version->DecodeSchema();
    return schema.has_value() ? HintForSchemaField(*schema, field) : std::string();
  }

  World& world_;
  const ValidateOptions& options_;
  const KnownKinds& kinds_;
  const api::Scheme& scheme_;
  const Namespaces& namespaces_;
  DocumentPlaces places_;
  const ObjectText& text_;
  ObjectVerdict verdict_;
};

ObjectVerdict Unreadable(const Document& document) {
  // Precondition: the document has a failure.
  const LineNote& failure = *document.failure;
  ObjectVerdict verdict = {.line = failure.line, .document = document.number};
  verdict.verdict = Verdict::kUnreadable;
  verdict.notices.push_back(
      {.line = failure.line,
       .type = "Unreadable",
       .text = failure.text,
       .hint = document.is_template ? "templates have to be rendered first" : ""});
  return verdict;
}

/// A verdict on YAML that is no object.
ObjectVerdict NoObject(const Document& document, const std::string& why) {
  ObjectVerdict verdict = {.line = document.lines.line, .document = document.number};
  verdict.verdict = Verdict::kRefused;
  verdict.answers.push_back(
      {.operation = "create", .code = api::HttpCode(StatusReason::kBadRequest), .message = why});
  verdict.notices.push_back({.line = document.lines.line,
                             .type = "Mismatch",
                             .text = why,
                             .hint = "a manifest is an object with apiVersion and kind"});
  return verdict;
}

/// Namespaces with their labels.
Namespaces NamespacesIn(const std::vector<Document>& documents) {
  const api::KindInfo& kind = api::Reflected<core::Namespace>::kKind;
  Namespaces namespaces;
  for (const Document& document : documents) {
    if (document.failure.has_value() || document.json == "null") continue;
    const auto objects = ObjectsIn(document.json);
    if (!objects) continue;
    for (const ObjectText& text : *objects) {
      if (text.type.kind != kind.kind || text.type.api_version != kind.api_version) continue;
      const auto object = api::DecodeJson(kind, text.json, nullptr);
      if (!object) continue;
      namespaces.insert_or_assign(object->metadata().name, object->As<core::Namespace>());
    }
  }
  return namespaces;
}

/// Adds duplicate keys to the verdicts of the objects that contain them.
void AddDuplicates(const Document& document,
                   std::vector<ObjectVerdict>& verdicts,
                   size_t first_verdict) {
  for (const LineNote& duplicate : document.duplicates) {
    ObjectVerdict* owner = &verdicts[first_verdict];
    for (size_t i = first_verdict; i < verdicts.size(); ++i) {
      if (verdicts[i].line <= duplicate.line) owner = &verdicts[i];
    }
    owner->notices.push_back({.severity = Notice::Severity::kWarning,
                              .line = duplicate.line,
                              .type = "DuplicateField",
                              .text = duplicate.text,
                              .hint = "the last one counts"});
  }
}

/// Adds the warning of a definition, if the object is one, to its verdict.
void AddWarning(const CustomDefinition* definition, ObjectVerdict& verdict) {
  if (definition == nullptr || definition->warning.empty()) return;
  verdict.notices.push_back({.severity = Notice::Severity::kWarning,
                             .line = verdict.line,
                             .type = "NoEffect",
                             .text = definition->warning});
}

/// Whether a second read of the file would find nothing, or something else. /dev/fd/63 is a pipe
/// of a shell.
bool IsReadOnce(Disk& disk, const std::string& file) {
  return file == "-" || file.starts_with("/dev/") || disk.Look(file, "/") == Disk::Entry::kOther;
}

}  // namespace

ManifestValidator::ManifestValidator(World& world, ValidateOptions options)
    : world_(world),
      options_(std::move(options)),
      kinds_(std::make_unique<KnownKinds>(world, options_)) {}

Result<ManifestValidator> ManifestValidator::Make(World& world, const ValidateOptions& options) {
  DRAY_TRY_VOID(CheckOptions(options));
  return ManifestValidator(world, options);
}

void ManifestValidator::LearnKinds(std::span<const std::string> files) {
  for (const std::string& file : files) {
    Result<std::string> text = ReadManifestFile(world_.disk, file);
    if (text && KnownKinds::MayDefine(*text))
      kinds_->Learn(file, DocumentsIn(*text, WithLines::kYes));
    if (IsReadOnce(world_.disk, file)) texts_.try_emplace(file, std::move(text));
  }
  kinds_->Publish();
}

Result<> ManifestValidator::LearnServer(const std::string& server, std::string_view list) {
  DRAY_TRY_VOID(kinds_->LearnServer(server, list));
  kinds_->Publish();
  return {};
}

/// The text of `file`, which may have been read before.
Result<std::string> ManifestValidator::ReadFile(const std::string& file) {
  const auto kept = texts_.find(file);
  if (kept == texts_.end()) return ReadManifestFile(world_.disk, file);
  Result<std::string> text = std::move(kept->second);
  texts_.erase(kept);
  return text;
}

Result<std::vector<ObjectVerdict>> ManifestValidator::ValidateFile(const std::string& file) {
  DRAY_TRY(const std::string whole, ReadFile(file));
  const std::vector<Document> documents = DocumentsIn(whole, WithLines::kYes);
  const Namespaces namespaces = NamespacesIn(documents);
  std::vector<ObjectVerdict> verdicts;
  for (const Document& document : documents) {
    const size_t first_verdict = verdicts.size();
    if (document.failure.has_value()) {
      verdicts.push_back(Unreadable(document));
      continue;
    }
    if (document.json == "null") continue;
    const auto objects = ObjectsIn(document.json);
    if (!objects) {
      verdicts.push_back(NoObject(document, objects.error().message));
      continue;
    }
    for (const ObjectText& text : *objects) {
      verdicts.push_back(
          ObjectValidator(world_, options_, *kinds_, namespaces, document, text).Validate());
      AddWarning(kinds_->At(file, document.number, text.path), verdicts.back());
    }
    if (verdicts.size() > first_verdict) AddDuplicates(document, verdicts, first_verdict);
  }
  for (ObjectVerdict& verdict : verdicts) verdict.file = file;
  return verdicts;
}

}  // namespace dray::manifests
