// SPDX-License-Identifier: Apache-2.0
#include "manifests/pod_templates.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "api/batch_v1/job.h"
#include "api/codec/json.h"
#include "api/codec/json_reader.h"
#include "api/kind.h"
#include "manifests/documents.h"
#include "manifests/json_members.h"

namespace dray::manifests {
namespace {

/// KIND/NAME/PATH; paths may contain slashes, kinds and names do not.
constexpr std::string_view kSourceAnnotation = "dray/template-of";
constexpr size_t kDepthMax = 64;

using Members = std::vector<JsonMember>;

std::string_view ValueOf(const Members& members, std::string_view key) {
  const auto found = std::ranges::find(members, key, &JsonMember::key);
  return found == members.end() ? std::string_view() : std::string_view(found->value);
}

std::optional<int64_t> NumberIn(const Members& members, std::string_view key) {
  const std::string_view text = ValueOf(members, key);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::max<int64_t>(number, 0);
}

/// Empty if the value is no string.
std::string TextIn(const Members& members, std::string_view key) {
  std::string text;
  api::JsonReader reader(ValueOf(members, key));
  if (reader.Peek() == api::JsonKind::kString) reader.String(text);
  return text;
}

bool IsTrue(const Members& members, std::string_view key) {
  return ValueOf(members, key) == "true";
}

bool IsPodTemplate(std::string_view json) {
  const Members spec = MembersOf(ValueOf(MembersOf(json), "spec"));
  return ValueOf(spec, "containers").starts_with('[');
}

bool IsTemplateKey(std::string_view key) {
  return key == "template" || key == "templates" || key.ends_with("Template") ||
         key.ends_with("Templates");
}

/// "worker" for "workerGroupSpecs", "Worker" and "workerTemplate"; empty for generic keys.
std::string LabelOfKey(std::string_view key) {
  constexpr std::array<std::string_view, 8> kEndings = {
      "GroupSpecs", "GroupSpec", "ReplicaSpecs", "Templates", "Template", "Specs", "Spec", "Group"};
  if (key == "spec" || key == "template" || key == "templates") return {};
  for (const std::string_view ending : kEndings) {
    if (!key.ends_with(ending)) continue;
    key.remove_suffix(ending.size());
    break;
  }
  return std::string(key);
}

/// Converts text to a part of a pod's name.
std::string AsDnsLabel(std::string_view text) {
  std::string label;
  for (const char c : text) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool is_plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    label += is_plain ? lower : '-';
  }
  while (label.starts_with('-')) label.erase(0, 1);
  while (label.ends_with('-')) label.pop_back();
  return label;
}

/// What the objects on the path to a template contribute.
struct Way {
  std::string path;
  std::string label = {};
  int64_t count = 1;
  bool is_suspended = false;
  size_t depth = 0;

  Way Into(std::string_view key) const {
    Way way = *this;
    way.path += way.path.empty() ? std::string(key) : fmt::format(".{}", key);
    if (std::string label_of_key = LabelOfKey(key); !label_of_key.empty())
      way.label = std::move(label_of_key);
    ++way.depth;
    return way;
  }
  Way IntoElement(size_t index) const {
    Way way = *this;
    way.path += fmt::format("[{}]", index);
    way.label += fmt::format("-{}", index);
    ++way.depth;
    return way;
  }
  void Multiply(int64_t factor) {
    const bool is_too_many = factor > 0 && count > kTemplatePodsMax / factor;
    count = is_too_many ? kTemplatePodsMax : count * factor;
  }
};

class TemplateFinder {
 public:
  std::vector<PodTemplate> Find(std::string_view spec) && {
    Look(spec, Way{.path = "spec"});
    return std::move(found_);
  }

 private:
  void Look(std::string_view json, Way way) {
    if (way.depth > kDepthMax || found_.size() == kTemplatesMax) return;
    if (json.starts_with('[')) {
      const std::vector<std::string> elements = ElementsOf(json);
      for (size_t i = 0; i < elements.size(); ++i) Look(elements[i], way.IntoElement(i));
      return;
    }
    if (!json.starts_with('{')) return;
    const Members members = MembersOf(json);
    Count(members, way);
    for (const JsonMember& member : members) {
      Way next = way.Into(member.key);
      if (!IsTemplateKey(member.key)) {
        Look(member.value, std::move(next));
      } else if (member.value.starts_with('[')) {
        const std::vector<std::string> elements = ElementsOf(member.value);
        for (size_t i = 0; i < elements.size(); ++i) Template(elements[i], next.IntoElement(i));
      } else {
        CountLeader(member.key, members, next);
        Template(member.value, std::move(next));
      }
    }
  }

  static void Count(const Members& members, Way& way) {
    std::optional<int64_t> parallelism = NumberIn(members, "parallelism");
    const std::optional<int64_t> completions = NumberIn(members, "completions");
    if (parallelism.has_value() && completions.has_value())
      parallelism = std::min(*parallelism, *completions);
    for (const std::optional<int64_t> factor :
         {NumberIn(members, "replicas"), NumberIn(members, "count"), parallelism}) {
      if (factor.has_value()) way.Multiply(*factor);
    }
    way.is_suspended = way.is_suspended || IsTrue(members, "suspend") ||
                       IsTrue(MembersOf(ValueOf(members, "runPolicy")), "suspend");
    for (const std::string_view key : {"name", "groupName"}) {
      if (std::string name = TextIn(members, key); !name.empty()) way.label = std::move(name);
    }
  }

  /// A leader with a template of its own is one of the group's `size` pods.
  static void CountLeader(std::string_view key, const Members& members, Way& way) {
    const std::optional<int64_t> size = NumberIn(members, "size");
    if (key != "workerTemplate" || !size.has_value()) return;
    const bool has_leader = !ValueOf(members, "leaderTemplate").empty();
    way.Multiply(std::max<int64_t>(*size - (has_leader ? 1 : 0), 0));
  }

  void Template(std::string_view json, Way way) {
    if (!IsPodTemplate(json)) return Look(json, std::move(way));
    if (found_.size() == kTemplatesMax) return;
    std::string label = AsDnsLabel(way.label);
    if (label.empty()) label = "pod";
    for (size_t i = 1; !labels_.insert(label).second; ++i)
      label = fmt::format("{}-{}", AsDnsLabel(way.label), i);
    found_.push_back({.path = std::move(way.path),
                      .label = std::move(label),
                      .json = std::string(json),
                      .count = way.count,
                      .is_suspended = way.is_suspended});
  }

  std::vector<PodTemplate> found_;
  std::set<std::string> labels_;
};

bool HasController(const Members& metadata) {
  const std::vector<std::string> owners = ElementsOf(ValueOf(metadata, "ownerReferences"));
  return std::ranges::any_of(
      owners, [](const std::string& owner) { return IsTrue(MembersOf(owner), "controller"); });
}

}  // namespace

std::vector<PodTemplate> PodTemplatesIn(std::string_view json) {
  if (!json.contains("\"containers\"")) return {};
  return TemplateFinder().Find(ValueOf(MembersOf(json), "spec"));
}

std::vector<api::Object> JobsFor(std::string_view kind, std::string_view json) {
  std::vector<api::Object> jobs;
  if (HasController(MembersOf(ValueOf(MembersOf(json), "metadata")))) return jobs;
  const WrittenName written = NameIn(json);
  const std::string name = written.name.empty() ? written.prefix + "0" : written.name;
  for (const PodTemplate& one : PodTemplatesIn(json)) {
    const std::string text = ObjectOf({{"apiVersion", Quoted("batch/v1")},
                                       {"kind", Quoted("Job")},
                                       {"spec",
                                        ObjectOf({{"parallelism", std::to_string(one.count)},
                                                  {"suspend", one.is_suspended ? "true" : "false"},
                                                  {"template", one.json}})}});
    Result<api::Object> job =
        api::DecodeJson(api::Reflected<api::batch_v1::Job>::kKind, text, nullptr);
    if (!job) continue;
    api::meta_v1::ObjectMeta& metadata = job->mutable_metadata();
    metadata.name = fmt::format("{}-{}", name, one.label);
    metadata.namespace_ = written.namespace_;
    metadata.annotations[std::string(kSourceAnnotation)] =
        fmt::format("{}/{}/{}", kind, name, one.path);
    jobs.push_back(*std::move(job));
  }
  return jobs;
}

std::optional<TemplateSource> SourceOf(const api::Object& object) {
  if (object.If<api::batch_v1::Job>() == nullptr) return std::nullopt;
  const auto& annotations = object.metadata().annotations;
  const auto found = annotations.find(std::string(kSourceAnnotation));
  if (found == annotations.end()) return std::nullopt;
  const std::string& text = found->second;
  const size_t name = text.find('/');
  const size_t path = name == std::string::npos ? name : text.find('/', name + 1);
  if (path == std::string::npos) return std::nullopt;
  return TemplateSource{.kind = text.substr(0, name),
                        .name = text.substr(name + 1, path - name - 1),
                        .path = text.substr(path + 1)};
}

std::string WrittenNameOf(const api::Object& object) {
  const std::optional<TemplateSource> source = SourceOf(object);
  if (!source.has_value())
    return fmt::format("{} {}", object.kind().kind, api::ObjectKey(object.metadata()));
  const std::string& namespace_ = object.metadata().namespace_;
  return fmt::format(
      "{} {}{}{}", source->kind, namespace_, namespace_.empty() ? "" : "/", source->name);
}

}  // namespace dray::manifests
