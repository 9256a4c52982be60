// SPDX-License-Identifier: Apache-2.0
// dray whatif: whether work would fit into a cluster, and what is in the way.
#include "planning/what_if.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "api/codec/json_writer.h"
#include "cli/allocate_report.h"
#include "cli/commands.h"
#include "cli/explain_report.h"
#include "cli/offline_input.h"
#include "cli/output.h"
#include "manifests/objects.h"
#include "planning/offline_cluster.h"

namespace dray::cli {
namespace {

struct WhatIfOptions {
  OfflineInputOptions input;      // its paths: the cluster
  std::vector<std::string> work;  // files of what is to fit
  size_t replicas = 1;            // of each pod of the work
  bool max = false;               // how often the work fits
  std::vector<std::string> deleted, drained, removed, added;
  bool all = false;
  std::string format = "text";
};

/// What came of it.
struct WhatIfAnswer {
  std::vector<planning::OfflineAnswer> placed;        // and what did not fit
  std::vector<planning::OfflineExplanation> reasons;  // of those
  size_t copies = 0;                                  // with --max
  std::map<std::string, size_t> by_node;              // with --max: pods
};

struct Work {
  std::set<std::string> what;  // "pod a/b", "claim a/c"
  std::vector<planning::PlacedObject> pods;
};

/// Reads the work, so that it is known which of all objects it is. Notes are told later.
Result<Work> ReadWork(World& world, const WhatIfOptions& options, const std::string& namespace_) {
  const api::Scheme scheme;
  DRAY_TRY(const manifests::Manifests read,
           manifests::ReadManifests(world.disk, scheme, options.work));
  planning::OfflineObjects objects = planning::SortManifests(world, read, namespace_);
  Work work;
  for (const auto& pod : objects.pods)
    work.what.insert("pod " + api::ObjectKey(pod.object.metadata()));
  for (const std::string& claim : objects.claim_order) work.what.insert("claim " + claim);
  work.pods = std::move(objects.pods);
  return work;
}

/// "node=3".
Result<std::pair<std::string, size_t>> NodeAndCount(const std::string& text) {
  const size_t equals = text.rfind('=');
  size_t count = 0;
  const char* const end = text.data() + text.size();
  const bool is_read = equals != std::string::npos && equals > 0 &&
                       std::from_chars(text.data() + equals + 1, end, count).ptr == end &&
                       equals + 1 < text.size();
  if (is_read) return std::pair(text.substr(0, equals), count);
  return Fail(StatusReason::kBadRequest, fmt::format("--add-nodes: {:?} is not NODE=COUNT", text));
}

/// In this order: deleted, drained, removed, added. Pods that lose their node are work, too.
Result<> Change(const WhatIfOptions& options,
                const std::string& namespace_,
                planning::OfflineObjects& objects,
                Work& work) {
  for (const std::string& what : options.deleted)
    DRAY_TRY_VOID(planning::Delete(objects, what, namespace_));
  for (const std::string& node : options.drained) {
    DRAY_TRY(std::vector<std::string> moved, planning::Drain(objects, node));
    work.what.insert(moved.begin(), moved.end());
  }
  for (const std::string& node : options.removed) {
    DRAY_TRY(std::vector<std::string> moved, planning::RemoveNode(objects, node));
    work.what.insert(moved.begin(), moved.end());
  }
  for (const std::string& text : options.added) {
    DRAY_TRY(const auto added, NodeAndCount(text));
    DRAY_TRY_VOID(planning::AddNodesLike(objects, added.first, added.second));
  }
  return {};
}

/// Replicas of the work's pods beside those that are there.
void AddReplicas(World& world,
                 const WhatIfOptions& options,
                 planning::OfflineObjects& objects,
                 Work& work) {
  for (size_t i = 1; i < options.replicas; ++i) {
    for (const planning::PlacedObject& pod : work.pods) {
      planning::PlacedObject copy =
          planning::CopyOf(world, pod, fmt::format("{}-{}", pod.object.metadata().name, i));
      work.what.insert("pod " + api::ObjectKey(copy.object.metadata()));
      objects.pods.push_back(std::move(copy));
    }
  }
}

/// Puts copies of the work's pods into the cluster until one does not fit.
void FillUp(World& world,
            const Work& work,
            planning::OfflineCluster& cluster,
            WhatIfAnswer& answer) {
  while (!work.pods.empty() && answer.copies < planning::kCopiesMax) {
    std::vector<std::string> nodes;
    for (const planning::PlacedObject& pod : work.pods) {
      const std::string name = fmt::format("{}-{}", pod.object.metadata().name, answer.copies + 1);
      const planning::OfflineAnswer placed = cluster.AddPod(planning::CopyOf(world, pod, name));
      if (placed.verdict == planning::Verdict::kFits) {
        nodes.push_back(placed.node);
        continue;
      }
      if (auto reason = cluster.Explain(placed.what)) answer.reasons.push_back(*std::move(reason));
      return;
    }
    for (const std::string& node : nodes) ++answer.by_node[node];
    ++answer.copies;
  }
}

void WritePlaced(const planning::OfflineAnswer& placed, api::JsonWriter& json) {
  json.Object([&] {
    json.Member("for", placed.what);
    json.Member("fits", placed.verdict == planning::Verdict::kFits);
    if (!placed.node.empty()) json.Member("node", placed.node);
    if (!placed.reason.empty()) json.Member("reason", placed.reason);
  });
}

std::string JsonOf(const WhatIfOptions& options, const WhatIfAnswer& answer) {
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      json.Member("fits", options.max ? answer.copies > 0 : answer.reasons.empty());
      json.Member("answers").Array([&] {
        for (const planning::OfflineAnswer& one : answer.placed) WritePlaced(one, json);
      });
      if (options.max) {
        json.Member("max", answer.copies);
        json.Member("podsByNode").Object([&] {
          for (const auto& [node, pods] : answer.by_node) json.Member(node, pods);
        });
      }
      WriteExplanations(answer.reasons, json);
    });
  });
}

void Print(const WhatIfOptions& options, const WhatIfAnswer& answer, const Output& output) {
  const OutputFormat format = FormatOf(options.format);
  if (format != OutputFormat::kText) return output.Document(format, JsonOf(options, answer));
  std::vector<planning::OfflineAnswer> fitting;
  for (const planning::OfflineAnswer& one : answer.placed) {
    if (one.verdict == planning::Verdict::kFits) fitting.push_back(one);
  }
  PrintAsTable(output.out, fitting);
  if (options.max) {
    fmt::print(output.out,
               "{}{} {}\n",
               answer.copies == planning::kCopiesMax ? "at least " : "",
               answer.copies,
               Plural(answer.copies, "copy fits", "copies fit"));
    std::vector<Row> rows = {{"NODE", "PODS"}};
    for (const auto& [node, pods] : answer.by_node) rows.push_back({node, std::to_string(pods)});
    if (rows.size() > 1) fmt::print(output.out, "{}", TableOf(rows, Numbers::kRight));
    if (!answer.reasons.empty()) fmt::print(output.out, "\nof the next one:\n");
  }
  for (const planning::OfflineExplanation& reason : answer.reasons) {
    fmt::print(output.out,
               "{}{}",
               &reason == &answer.reasons.front() ? "" : "\n",
               TextOf(reason, {.all = options.all, .colours = output.colours}));
  }
}

/// The exit code. Errors: bad options or unreadable input.
Result<int> RunWhatIf(World& world, const WhatIfOptions& options, const Output& output) {
  OfflineInputOptions everything = options.input;
  everything.is_live = everything.is_live || everything.paths.empty();
  everything.paths.insert(everything.paths.end(), options.work.begin(), options.work.end());
  DRAY_TRY(OfflineInput input, ReadOfflineInput(world, everything, output));
  DRAY_TRY(Work work, ReadWork(world, options, input.namespace_));
  DRAY_TRY_VOID(Change(options, input.namespace_, input.objects, work));
  AddReplicas(world, options, input.objects, work);
  const bool fills = options.max;
  planning::OfflineCluster cluster(world,
                                   std::move(input.objects),
                                   {.features = input.features,
                                    .node = options.input.node,
                                    .budget = {.steps_max = options.input.steps_max},
                                    .only = fills ? std::set<std::string>() : work.what});
  DRAY_TRY_VOID(CheckNode(options.input, cluster.NodeNames()));
  WhatIfAnswer answer;
  if (fills) {
    FillUp(world, work, cluster, answer);
    Print(options, answer, output);
    return answer.copies > 0 ? kExitYes : kExitNo;
  }
  answer.placed = cluster.AllocateAll();
  for (const planning::OfflineAnswer& one : answer.placed) {
    if (one.verdict == planning::Verdict::kFits) continue;
    if (auto reason = cluster.Explain(one.what)) answer.reasons.push_back(*std::move(reason));
  }
  if (answer.placed.empty())
    output.Notes(std::vector<std::string>{"nothing of the work waits for devices"});
  Print(options, answer, output);
  return answer.reasons.empty() ? kExitYes : kExitNo;
}

void AddChanges(CLI::App& command, WhatIfOptions& options) {
  command.add_option("--replicas", options.replicas, "so many of each pod of the work")
      ->check(CLI::Range(size_t{1}, planning::kCopiesMax))
      ->capture_default_str();
  command.add_flag("--max", options.max, "how often the pods of the work fit, and what then lacks")
      ->excludes("--replicas");
  command.add_option("--delete", options.deleted, "pod/NAME or claim/NAME is gone; repeatable")
      ->type_name("WHAT")
      ->allow_extra_args(false);
  command
      .add_option("--drain", options.drained, "the node's pods look for another one; repeatable")
      ->type_name("NODE")
      ->allow_extra_args(false);
  command
      .add_option(
          "--remove-node", options.removed, "the same, and its devices are gone; repeatable")
      ->type_name("NODE")
      ->allow_extra_args(false);
  command.add_option("--add-nodes", options.added, "so many more nodes like that one; repeatable")
      ->type_name("NODE=COUNT")
      ->allow_extra_args(false);
}

}  // namespace

Command AddWhatIf(CLI::App& program) {
  const auto options = std::make_shared<WhatIfOptions>();
  CLI::App* const command =
      program.add_subcommand("whatif", "whether work would fit into a cluster, before it is there");
  command->add_option("-f,--filename", options->work, "the work: file, folder or -; repeatable")
      ->type_name("PATH")
      ->allow_extra_args(false);
  command
      ->add_option("--cluster",
                   options->input.paths,
                   "the cluster: dumps or manifests (default: the one kubectl asks); repeatable")
      ->type_name("PATH")
      ->allow_extra_args(false);
  AddLiveInput(*command, options->input);
  AddRules(*command, options->input);
  AddChanges(*command, *options);
  command->add_option("--node", options->input.node, "look at this node only")->type_name("NAME");
  command->add_option("-n,--namespace", options->input.namespace_, "of objects that name none")
      ->type_name("NAME");
  command->add_flag("--all", options->all, "do not cut long lists short");
  command->add_option("-o,--output", options->format, "text, json or yaml")
      ->check(CLI::IsMember({"text", "json", "yaml"}))
      ->capture_default_str();
  command->footer(
      "What waits in the cluster already is left waiting. Changes happen in the order deleted, "
      "drained, removed, added, before the work comes. Nothing is written anywhere.\n"
      "Exit codes: 0 all of it fits (with --max: once at least), 1 it does not, 2 bad options or "
      "unreadable input.\n"
      "Examples:\n"
      "  dray whatif -f job.yaml --cluster dump.yaml\n"
      "  dray whatif -f job.yaml --cluster dump.yaml --max\n"
      "  dray whatif --cluster dump.yaml --drain node-7");
  return {.app = command, .run = [options](World& world, const Output& output) {
            const Result<int> code = RunWhatIf(world, *options, output);
            return code ? *code : output.Refuse("whatif", code.error().message);
          }};
}

}  // namespace dray::cli
