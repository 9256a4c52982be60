// SPDX-License-Identifier: Apache-2.0
// dray convert: manifests in another version of resource.k8s.io. All documents are converted in
// memory before any is written, so a rejected document leaves no partial output.
#include "manifests/convert.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/codec/json.h"
#include "api/feature_gates.h"
#include "api/kind.h"
#include "api/release.h"
#include "base/try.h"
#include "cli/command_line/command_text.h"
#include "cli/questions/questions.h"
#include "cli/terminal/output.h"
#include "manifests/convert_item.h"
#include "manifests/files.h"

namespace dray::cli::inline questions {
namespace {

using manifests::ItemConverter;

struct ConvertOptions {
  std::vector<std::string> paths;  // files, folders, "-"
  std::string version;             // resource.k8s.io/v1beta1, or v1beta1
  std::string release;             // 1.34: the release of the version's form; empty: all fields
  manifests::Losing losing = manifests::Losing::kRefused;
  std::string format = "yaml";
  std::string folder;  // for output files; empty: standard output
};

/// v1beta1 of "resource.k8s.io/v1beta1" and of "v1beta1".
/// Errors: kBadRequest  not a version of the group, or not in the release.
Result<std::string> VersionOf(std::string_view word, api::Release release) {
  const size_t slash = word.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? ItemConverter::kGroup : word.substr(0, slash);
  const std::string version(slash == std::string_view::npos ? word : word.substr(slash + 1));
  std::set<std::string_view> known;
  for (const api::KindInfo* kind : api::BuiltinKinds()) {
    if (kind->group == ItemConverter::kGroup && kind->served && kind->in.Has(release)) {
      known.insert(kind->version);
    }
  }
  if (group == ItemConverter::kGroup && known.contains(version)) return std::string(version);
  std::string names;
  for (const std::string_view one : known)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", one);
  const std::string where =
      release == api::Release::kAny ? "" : fmt::format(" in {}", api::ReleaseName(release));
  return Fail(StatusReason::kBadRequest,
              fmt::format("--to: {} is no version of {}{}; there are {}",
                          word,
                          ItemConverter::kGroup,
                          where,
                          names));
}

/// The release named by `word`, 1.26 to 1.37; empty: all of them. Dray knows the forms of objects
/// of more releases than it can emulate. Errors: kBadRequest  another word.
Result<api::Release> TargetReleaseOf(std::string_view word) {
  if (word.empty()) return api::Release::kAny;
  for (int minor = api::MinorOf(api::Release::kFirst); minor <= api::MinorOf(api::Release::kNewest);
       ++minor) {
    if (word == fmt::format("1.{}", minor)) return static_cast<api::Release>(minor);
  }
  return Fail(StatusReason::kBadRequest,
              fmt::format("--release: {} is none of 1.{} to 1.{}",
                          word,
                          api::MinorOf(api::Release::kFirst),
                          api::MinorOf(api::Release::kNewest)));
}

/// A file to write.
struct OutputFile {
  std::string path;
  std::vector<manifests::ConvertedDocument> documents;
};

/// The path relative to the folder of `paths` that contains the file; for a file named itself, its
/// last part.
std::string RelativeName(const std::string& file, const std::vector<std::string>& paths) {
  for (std::string folder : paths) {
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    if (file.size() > folder.size() + 1 && file.starts_with(folder + "/"))
      return file.substr(folder.size() + 1);
  }
  const size_t slash = file.rfind('/');
  return slash == std::string::npos ? file : file.substr(slash + 1);
}

/// Errors: kBadRequest  standard input, or two files of one name.
Result<std::vector<OutputFile>> FilesOf(const ConvertOptions& options,
                                        const std::vector<std::string>& files,
                                        std::vector<manifests::ConvertedDocument> documents) {
  std::vector<OutputFile> output;
  std::map<std::string, std::string> sources;  // by the path of the output
  std::map<std::string, size_t> places;        // indexes, by source
  for (const std::string& file : files) {
    if (places.contains(file)) continue;
    if (file == "-")
      return Fail(StatusReason::kBadRequest, "--output-dir: standard input has no name");
    const std::string path = options.folder + "/" + RelativeName(file, options.paths);
    const auto [known, is_new] = sources.emplace(path, file);
    if (!is_new) {
      return Fail(
          StatusReason::kBadRequest,
          fmt::format("--output-dir: {} and {} would both be {}", known->second, file, path));
    }
    places.emplace(file, output.size());
    output.push_back({.path = path, .documents = {}});
  }
  for (manifests::ConvertedDocument& document : documents)
    output[places.at(document.file)].documents.push_back(std::move(document));
  return output;
}

/// Errors: kBadRequest  one of them exists already; nothing is written then. Those of the disk.
Result<> WriteFiles(Disk& disk, const std::vector<OutputFile>& files) {
  for (const OutputFile& file : files) {
    if (disk.IsFolder(file.path) || disk.Read(file.path)) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("--output-dir: {} is there already; nothing written", file.path));
    }
  }
  for (const OutputFile& file : files) {
    for (size_t slash = file.path.find('/', 1); slash != std::string::npos;
         slash = file.path.find('/', slash + 1)) {
      const std::string folder = file.path.substr(0, slash);
      if (!disk.IsFolder(folder)) DRAY_TRY_VOID(disk.MakeFolder(folder));
    }
    const std::string text = file.path.ends_with(".json")
                                 ? api::PrettyJson(manifests::ToJson(file.documents)) + "\n"
                                 : manifests::ToYaml(file.documents);
    DRAY_TRY_VOID(disk.Write(file.path, text, Disk::Privacy::kEverybody));
  }
  return {};
}

bool HasObject(const manifests::ConvertedDocument& document) {
  return !document.json.empty() && document.json != "null";
}

/// Whether `word` names a version of a group that Dray does not have: that of custom kinds.
bool IsOfCustomGroup(std::string_view word) {
  const size_t slash = word.find('/');
  return slash != std::string_view::npos &&
         std::ranges::none_of(api::BuiltinKinds(), [&](const api::KindInfo* kind) {
           return kind->group == word.substr(0, slash);
         });
}

/// Errors: no such version or release, or unreadable input.
Result<manifests::Conversion> ConvertAll(World& world,
                                         const ConvertOptions& options,
                                         const Output& output) {
  const auto remark = [&](std::string_view line) { output.Remark(line); };
  if (IsOfCustomGroup(options.version)) {
    if (!options.release.empty()) {
      return Fail(
          StatusReason::kBadRequest,
          fmt::format("--release: a release has no fields of {}; leave it out", options.version));
    }
    return manifests::ConvertCustomFiles(
        world, options.paths, options.version, options.losing, remark);
  }
  DRAY_TRY(const api::Release release, TargetReleaseOf(options.release));
  DRAY_TRY(std::string version, VersionOf(options.version, release));
  return manifests::ConvertFiles(world.disk,
                                 options.paths,
                                 ItemConverter(std::move(version), release),
                                 options.losing,
                                 remark);
}

/// Returns the exit code. Errors: no such version, unreadable input, or no objects in it.
Result<int> Convert(World& world, const ConvertOptions& options, const Output& output) {
  DRAY_TRY(manifests::Conversion done, ConvertAll(world, options, output));
  if (done.is_refused || done.would_lose) {
    output.Refuse("convert",
                  fmt::format("nothing written{}",
                              done.is_refused ? "" : "; --allow-loss drops what has no place"));
    return kExitNo;
  }
  if (!std::ranges::any_of(done.documents, HasObject)) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("nothing to convert: no object in {}", fmt::join(options.paths, ", ")));
  }
  if (!options.folder.empty()) {
    DRAY_TRY(const std::vector<std::string> files,
             manifests::ManifestFiles(world.disk, options.paths));
    DRAY_TRY(const std::vector<OutputFile> written,
             FilesOf(options, files, std::move(done.documents)));
    DRAY_TRY_VOID(WriteFiles(world.disk, written));
  } else if (FormatOf(options.format) == OutputFormat::kYaml) {
    cli::Print(output.out, "{}", Composed(manifests::ToYaml(done.documents)));
  } else {
    output.Document(OutputFormat::kJson, manifests::ToJson(done.documents));
  }
  return kExitYes;
}

void AddOptions(Command& command, ConvertOptions& options) {
  command
      .Texts("-f, --filename PATH", options.paths, "file, folder or - (standard input); repeatable")
      .Required();
  command
      .Text("--to VERSION",
            options.version,
            "resource.k8s.io/VERSION, or the version alone; or GROUP/VERSION of custom kinds whose "
            "CustomResourceDefinition is in the files")
      .Required();
  command
      .Text("--release RELEASE",
            options.release,
            "1.26 to 1.37: without the fields this release does not have yet "
            "(default: all fields the version ever had)")
      .Suggests(ReleaseNames(api::Release::kFirst));
  command.Flag(
      "--allow-loss",
      [&options] { options.losing = manifests::Losing::kAllowed; },
      "drop what the version cannot express, and say so, instead of refusing");
  const Option& folder =
      command.Text("--output-dir FOLDER",
                   options.folder,
                   "write each file under its name into this folder, as YAML or JSON as it was");
  command
      .Text("-o, --output", options.format, "yaml or json; several documents as JSON become a List")
      .OneOf({"yaml", "json"})
      .ShowsDefault()
      .Excludes(folder);
}

}  // namespace

void AddConvert(Command& program) {
  const auto options = std::make_shared<ConvertOptions>();
  Command& command = program.Add("convert", "manifests in another version of their kind");
  AddOptions(command, *options);
  command.Notes(
      "Versions of one generation convert into each other: v1alpha3, v1beta1, v1beta2 and v1; "
      "v1alpha1 and v1alpha2. From these two to a later one the output is a proposal, with "
      "comments on what has no counterpart: read them before you apply it. Other kinds pass "
      "through, but for pods, also those of workloads (up to 1.30 they name claims under "
      "`source`), and ResourceQuotas.\n"
      "Custom kinds are converted as by a server: pruned, and with the defaults of both versions. "
      "A definition with a conversion webhook needs a server.\n"
      "Exit codes: 0 converted, 1 something would be lost (nothing is written), 2 unreadable "
      "input, or no object in it.\n"
      "Example:\n  dray convert -f claims.yaml --to resource.k8s.io/v1 >claims-v1.yaml");
  command.Does(
      [options](World& world, const Output& output) { return Convert(world, *options, output); });
}

}  // namespace dray::cli::inline questions
