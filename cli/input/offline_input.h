// SPDX-License-Identifier: Apache-2.0
// Common options of the commands about a cluster that Dray only reads: its files, and the release's
// rules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/feature_gates.h"
#include "base/result.h"
#include "base/world.h"
#include "cli/command_line/command.h"
#include "cli/input/live_input.h"
#include "cli/terminal/output.h"
#include "dray/budget.h"
#include "dray/features.h"
#include "manifests/objects.h"
#include "planning/cluster/offline_cluster.h"
#include "planning/objects/cluster_release.h"
#include "planning/objects/offline_objects.h"

namespace dray::cli::inline input {

struct OfflineInputOptions {
  std::vector<std::string> paths;  // files, folders, "-"
  std::vector<std::string> work;   // likewise: the subject, in addition to the cluster
  bool is_live = false;            // read a running cluster too
  bool live_is_work = false;       // the subject is the whole running cluster
  std::string kubeconfig;          // of the cluster; empty: kubectl's choice
  std::string context;             // of the kubeconfig; empty: its current one
  std::string node;                // the only candidate; empty: all nodes
  std::string namespace_;          // for objects without one; empty: default
  std::string profile;             // a released version of upstream's allocator
  std::string release;             // of Kubernetes; neither: that of the nodes, or the newest
  std::string feature_gates;       // "DRAAdminAccess=false,…"; the release's defaults otherwise
  int64_t steps_max = 20'000'000;  // of one search
  int64_t seconds_max = 60;        // of work for all searches together
  bool allows_nothing = false;     // work without requests for devices is no error
};

/// A cluster and its rules.
struct OfflineInput {
  allocator::Features features;
  api::FeatureGates gates;
  planning::OfflineObjects objects;                  // taint rules applied
  bool is_known;                                     // false: the files have no objects
  std::string namespace_;                            // for objects and names without one
  std::vector<ListedVersion> listed = {};            // if a running cluster was read
  std::vector<std::string> unread = {};              // LiveInput::unread
  std::vector<manifests::ManifestObject> work = {};  // the objects that are the work
  size_t custom_work = 0;  // objects of defined custom kinds besides, which Dray does not decode
  /// From the options, a server of Kubernetes or the nodes, with its patch.
  planning::ClusterRelease release = {};
};

// Headings of options in help.
inline constexpr const char* kInputGroup = "What is read";
inline constexpr const char* kRulesGroup = "Whose rules";

// Each adds options to `command`; `options` must outlive it.

/// -f: files of the cluster.
Option& AddFiles(Command& command, OfflineInputOptions& options);
/// --kubeconfig and --context. Without them and -f the question is about kubectl's current cluster.
void AddLiveInput(Command& command, OfflineInputOptions& options);
/// --release, --profile and --feature-gates.
void AddProfile(Command& command, OfflineInputOptions& options);
/// The options of AddProfile, and --steps-max and --seconds-max.
void AddRules(Command& command, OfflineInputOptions& options);

/// The kubeconfig of the running cluster that is read. Precondition: no thread has started.
std::string KubeconfigOf(const OfflineInputOptions& options);

/// --allow-nothing.
void AddAllowNothing(Command& command, bool& allows_nothing);

/// Reads the files, and the running cluster if one is named or there are no files. Prints notes
/// about objects that are left out. Errors: bad options or unreadable input.
Result<OfflineInput> ReadOfflineInput(World& world,
                                      const OfflineInputOptions& options,
                                      const Output& output);

/// The objects of `live`, sorted, and the rules for them: those of the options, or else of the
/// cluster. The namespace of the options comes before that of `live`. Errors: bad options.
Result<OfflineInput> InputOf(World& world, const OfflineInputOptions& options, LiveInput live);

/// The rules of the input, for a cluster of its objects. The command sets the other members.
planning::OfflineOptions RulesFor(const OfflineInput& input);

/// Remarks on what the input is not complete enough for.
std::vector<std::string> WhatLacks(const planning::OfflineObjects& objects);
/// Prints them as notes. Call it first.
void NoteWhatLacks(const planning::OfflineObjects& objects, const Output& output);

/// kExitNo if something does not fit or is wrong; else kExitUndecided if a search was given up or
/// the user interrupted them; else kExitYes.
int ExitCodeOf(const std::vector<planning::Verdict>& verdicts, bool is_cut_short);
/// The verdicts of answers or explanations.
template <class Answers>
std::vector<planning::Verdict> VerdictsOf(const Answers& answers) {
  std::vector<planning::Verdict> verdicts;
  verdicts.reserve(answers.size());
  for (const auto& answer : answers) verdicts.push_back(answer.verdict);
  return verdicts;
}
/// The same, but kExitUndecided instead of kExitYes if a part of the cluster could not be read;
/// then prints "not known" with that part.
int ExitCodeOf(int code, const OfflineInput& input, const Output& output);
/// Prints that the user interrupted the search, so the output is incomplete.
void NoteCutShort(const Output& output);

/// The budget of all searches of the command. A second of it is what an optimised program does in
/// about a second, so answers do not depend on the machine.
allocator::SharedWork SearchWorkOf(const OfflineInputOptions& options);
/// Prints a note if that budget was spent.
void NoteWorkSpent(const OfflineInputOptions& options,
                   const allocator::SharedWork& work,
                   const Output& output);

/// Errors: kBadRequest  --node is none of `nodes`.
Result<> CheckNode(const OfflineInputOptions& options, const std::vector<std::string>& nodes);

}  // namespace dray::cli::inline input
