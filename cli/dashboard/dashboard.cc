// SPDX-License-Identifier: Apache-2.0
#include "cli/dashboard/dashboard.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json_writer.h"
#include "api/feature_gates.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/release.h"
#include "base/check.h"
#include "base/result.h"
#include "base/try.h"
#include "base/world.h"
#include "cli/dashboard/allocation_history.h"
#include "cli/dashboard/bundle.h"
#include "cli/dashboard/what_if_question.h"
#include "cli/input/live_input.h"
#include "cli/input/offline_input.h"
#include "cli/questions/count_devices.h"
#include "cli/questions/planned_work.h"
#include "cli/reports/capacity_report.h"
#include "cli/reports/explain_report.h"
#include "cli/reports/what_if_report.h"
#include "cli/terminal/output.h"
#include "client/client.h"
#include "dray/budget.h"
#include "manifests/objects.h"
#include "net/http.h"
#include "planning/capacity/capacity.h"
#include "planning/cluster/holder_states.h"
#include "planning/cluster/offline_cluster.h"
#include "planning/objects/offline_objects.h"
#include "server/errors/errors.h"
#include "server/http/gzip.h"
#include "server/http/pages.h"
#include "server/registry/served_kinds.h"

namespace dray::cli::inline dashboard {
namespace {

using server::http::PageAnswer;
using server::http::PageQuestion;

constexpr std::string_view kSource = "the server";  // the place of objects
constexpr int64_t kQuestionSecondsMax = 10;         // of work for one question
constexpr std::array<std::string_view, 4> kByWords = {"driver", "pool", "class", "node"};

/// Nothing comes from another place, no script stands in a page, and no page of others shows ours.
constexpr std::string_view kContentPolicy =
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "object-src 'none'";

PageAnswer TextAnswer(int status, std::string text) {
  return {.status = status,
          .headers = {{"Content-Type", "text/plain; charset=utf-8"},
                      {"X-Content-Type-Options", "nosniff"}},
          .body = std::move(text)};
}

/// The version and gates that a client would learn from the server.
LiveInput ServedBy(const server::registry::Emulation& emulation) {
  const bool is_any = emulation.release == api::Release::kAny;
  const api::Release release = is_any ? api::Release::kNewest : emulation.release;
  LiveInput live{.read = {}, .namespace_ = {}, .listed = {}};
  live.version = fmt::format("v1.{}.0", api::MinorOf(release));
  for (const api::GateInfo& gate : api::Gates()) {
    if (gate.in.Rules(emulation.release))
      live.gates.emplace(gate.name, emulation.gates.Has(gate.gate));
  }
  return live;
}

/// "pod namespace/name" for pod/NAME. Errors: kBadRequest.
Result<std::string> SubjectOf(std::string_view target, std::string_view namespace_) {
  const size_t slash = std::min(target.find('/'), target.size());
  const std::string_view kind = target.substr(0, slash);
  const std::string_view name = target.substr(std::min(slash + 1, target.size()));
  const bool is_known = kind == "pod" || kind == "claim";
  if (!is_known || name.empty() || name.find('/') != std::string_view::npos) {
    return Fail(server::errors::WithoutSubject(
        StatusReason::kBadRequest, "the parameter `for` must be pod/NAME or claim/NAME"));
  }
  return fmt::format("{} {}/{}", kind, namespace_, name);
}

class Dashboard final : public server::http::Pages {
 public:
  Dashboard(World& world, LiveInput served)
      : world_(world), served_(std::move(served)), bundle_(BundleOfBuild()) {}

  PageAnswer File(std::string_view path, const net::Headers& headers) const override {
    if (!bundle_.why_none.empty()) {
      return TextAnswer(404, fmt::format("This program has no dashboard: {}.\n", bundle_.why_none));
    }
    path.remove_prefix(server::http::kPagesPath.size());
    if (path.empty()) {
      PageAnswer moved = TextAnswer(308, "The dashboard is at /ui/.\n");
      moved.headers.emplace_back("Location", "/ui/");
      return moved;
    }
    path.remove_prefix(1);
    if (path.empty()) path = "index.html";
    const auto file = std::ranges::find(bundle_.files, path, &BundledFile::path);
    if (file == bundle_.files.end()) return TextAnswer(404, "404 page not found\n");
    return AnswerOf(*file, headers);
  }

  Result<std::string> Answer(const PageQuestion& question) const override {
    if (question.name == "explain") return Explain(question);
    if (question.name == "capacity") return Capacity(question);
    if (question.name == "devices") return Devices(question);
    if (question.name == "whatif") return WhatIf(question);
    if (question.name == "history") return AllocationHistory(question);
    return Fail(server::errors::WithoutSubject(
        StatusReason::kNotFound,
        "the questions are explain, capacity, devices, whatif and history"));
  }

  bool HasBody(std::string_view name) const override { return name == "whatif"; }

 private:
  static PageAnswer AnswerOf(const BundledFile& file, const net::Headers& headers) {
    PageAnswer answer{.headers = {{"ETag", std::string(file.entity_tag)},
                                  {"Cache-Control", "no-cache"},
                                  {"Vary", "Accept-Encoding"},
                                  {"Content-Type", std::string(file.media_type)},
                                  {"Content-Security-Policy", std::string(kContentPolicy)},
                                  {"Referrer-Policy", "no-referrer"},
                                  {"X-Content-Type-Options", "nosniff"}}};
    if (headers.Get("If-None-Match") == file.entity_tag) {
      answer.status = 304;
      return answer;
    }
    const std::string_view gzip(reinterpret_cast<const char*>(file.gzip.data()), file.gzip.size());
    if (server::http::AcceptsGzip(headers)) {
      answer.headers.emplace_back("Content-Encoding", "gzip");
      answer.body = gzip;
      return answer;
    }
    auto plain = server::http::Gunzip(gzip, file.bytes);
    if (!plain) return TextAnswer(500, "out of memory\n");
    answer.body = *std::move(plain);
    return answer;
  }

  /// The cluster, as far as the user may list it.
  Result<LiveInput> ReadObjects(const PageQuestion& question,
                                const OfflineInputOptions& options) const {
    LiveInput live = served_;
    live.namespace_ = options.namespace_;
    const auto list = [&](const api::KindInfo& kind,
                          const std::string& namespace_) -> Result<client::ObjectList> {
      DRAY_TRY(const std::vector<api::Object> objects, question.list(kind, namespace_));
      client::ObjectList copies;  // InputOf changes its objects, and these are the server's
      copies.items.reserve(objects.size());
      for (const api::Object& object : objects) copies.items.push_back(object.Clone());
      return copies;
    };
    DRAY_TRY_VOID(AddObjects(list, std::string(kSource), live));
    return live;
  }

  Result<OfflineInput> Read(const PageQuestion& question,
                            const OfflineInputOptions& options) const {
    DRAY_TRY(LiveInput live, ReadObjects(question, options));
    return InputOf(world_, options, std::move(live));
  }

  Result<std::string> Explain(const PageQuestion& question) const {
    OfflineInputOptions options{.seconds_max = kQuestionSecondsMax};
    options.namespace_ = question.query.First("namespace").value_or(kDefaultNamespace);
    DRAY_TRY(const std::string what,
             SubjectOf(question.query.First("for").value_or(""), options.namespace_));
    DRAY_TRY(OfflineInput input, Read(question, options));
    allocator::SharedWork work = SearchWorkOf(options);
    const planning::HolderStates holders(input.objects);
    planning::OfflineOptions rules = RulesFor(input);
    rules.budget = {
        .steps_max = options.steps_max, .cancelled = question.is_given_up, .work = &work};
    planning::OfflineCluster cluster(world_, std::move(input.objects), std::move(rules));
    std::optional<planning::OfflineExplanation> answer = cluster.Explain(what);
    if (!answer.has_value()) {
      const std::string_view which = input.unread.empty() ? "" : " among what you may list";
      return Fail(server::errors::WithoutSubject(StatusReason::kNotFound,
                                                 fmt::format("there is no {}{}", what, which)));
    }
    holders.Mark(what, answer->explanation);
    return api::JsonText([&](api::JsonWriter& json) {
      json.Object([&] {
        WriteSchema("explain", json);
        WriteExplanations({&*answer, 1}, json);
        json.Member("unread").ArrayOf(input.unread);
      });
    });
  }

  Result<std::string> Capacity(const PageQuestion& question) const {
    const auto* const by =
        std::ranges::find(kByWords, question.query.First("by").value_or("driver"));
    if (by == kByWords.end()) {
      return Fail(server::errors::WithoutSubject(
          StatusReason::kBadRequest, "the parameter `by` must be driver, pool, class or node"));
    }
    DRAY_TRY(const OfflineInput input, Read(question, {.seconds_max = kQuestionSecondsMax}));
    DRAY_TRY(const planning::CapacityReport report,
             CountDevices(
                 world_, input, {.by = static_cast<planning::CapacityBy>(by - kByWords.begin())}));
    return JsonOf(report);
  }

  Result<std::string> Devices(const PageQuestion& question) const {
    DRAY_TRY(const OfflineInput input, Read(question, {.seconds_max = kQuestionSecondsMax}));
    DRAY_TRY(const planning::CapacityReport report,
             CountDevices(world_, input, {.lists_devices = true}));
    return api::JsonText([&](api::JsonWriter& json) {
      json.Object([&] {
        json.Member("pools").Array([&] {
          for (const planning::JudgedPool& pool : report.judged) WritePool(pool, json);
        });
        json.Member("unread").ArrayOf(input.unread);
      });
    });
  }

  static void WritePool(const planning::JudgedPool& pool, api::JsonWriter& json) {
    std::vector<std::string> tainted, unhealthy;
    json.Object([&] {
      json.Member("driver", pool.driver);
      json.Member("pool", pool.pool);
      json.Member("devices").Object([&] {
        for (const planning::JudgedDevice& device : pool.devices) {
          json.Member(device.name, planning::DeviceStateName(device.state));
          if (device.is_tainted) tainted.push_back(device.name);
          if (device.is_unhealthy) unhealthy.push_back(device.name);
        }
      });
      if (!tainted.empty()) json.Member("tainted").ArrayOf(tainted);
      if (!unhealthy.empty()) json.Member("unhealthy").ArrayOf(unhealthy);
    });
  }

  /// The cluster, and the work that the question brings.
  Result<OfflineInput> ReadWithWork(const PageQuestion& question,
                                    const OfflineInputOptions& options,
                                    manifests::Manifests work) const {
    DRAY_TRY(LiveInput live, ReadObjects(question, options));
    for (manifests::ManifestObject& copy : planning::CopiesOf(work.objects))
      live.read.objects.push_back(std::move(copy));
    DRAY_TRY(OfflineInput input, InputOf(world_, options, std::move(live)));
    input.work = std::move(work.objects);
    return input;
  }

  Result<std::string> WhatIf(const PageQuestion& question) const {
    DRAY_TRY(const WhatIfAsked asked, ParseWhatIf(question.body));
    OfflineInputOptions options{.seconds_max = kQuestionSecondsMax};
    options.namespace_ =
        asked.default_namespace.empty() ? kDefaultNamespace : asked.default_namespace;
    const api::Scheme scheme;
    DRAY_TRY(manifests::Manifests work,
             manifests::ReadManifestText(asked.manifests,
                                         "manifests",
                                         scheme,
                                         kAskedObjectsMax,
                                         manifests::UnknownKinds::kPodTemplates));
    std::vector<std::string> notes = work.notes;
    DRAY_TRY(OfflineInput input, ReadWithWork(question, options, std::move(work)));
    std::ranges::copy(input.objects.notes, std::back_inserter(notes));
    const std::vector<std::string> unread = input.unread;
    allocator::SharedWork searching = SearchWorkOf(options);
    DRAY_TRY(const std::optional<WhatIfAnswer> answer,
             PlanWork(world_,
                      options,
                      input,
                      asked.question,
                      {.cancelled = question.is_given_up,
                       .work = &searching,
                       .note = [&](std::string note) { notes.push_back(std::move(note)); }}));
    DRAY_CHECK(answer.has_value());  // a question that decides nothing is refused
    return api::JsonText([&](api::JsonWriter& json) {
      json.Object([&] {
        WriteWhatIf(*answer, json);
        json.Member("notes").ArrayOf(notes);
        json.Member("unread").ArrayOf(unread);
      });
    });
  }

  World& world_;
  const LiveInput served_;
  const Bundle bundle_;
};

}  // namespace

std::shared_ptr<const server::http::Pages> MakeDashboard(
    World& world, const server::registry::Emulation& emulation) {
  return MakeDashboard(world, ServedBy(emulation));
}

std::shared_ptr<const server::http::Pages> MakeDashboard(World& world, LiveInput served) {
  return std::make_shared<Dashboard>(world, std::move(served));
}

}  // namespace dray::cli::inline dashboard
