// SPDX-License-Identifier: Apache-2.0
// Objects from files: YAML or JSON, one or many documents, lists, folders, standard input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "api/kind.h"
#include "api/object.h"
#include "base/result.h"
#include "base/world.h"

namespace dray::manifests {

/// Objects in one invocation; more are refused.
inline constexpr size_t kManifestObjectsMax = 1'000'000;

struct ManifestObject {
  api::Object object;
  std::string file;       // "-" for standard input
  size_t line;            // where its document begins
  std::string item = {};  // "items[3]" of a list; empty for the document itself
};

/// FILE:LINE of the object's document; of an item of a list, whose line says little and is seldom
/// looked for in a dump, "FILE: KIND NAMESPACE/NAME".
std::string PlaceOf(const ManifestObject& object);

/// What becomes of objects whose kind the scheme does not know.
enum class UnknownKinds : uint8_t {
  kSkipped,
  kPodTemplates,  // a Job for each pod template stands for the object (pod_templates.h)
};

struct Manifests {
  std::vector<ManifestObject> objects;  // in the order of paths, file names and documents
  std::vector<std::string> notes;       // skipped kinds, unknown fields: FILE:LINE: what
};

/// Reads every path: a file, a folder (its .yaml, .yml and .json files, sorted, and its folders),
/// or "-". What becomes of kinds the scheme does not know is noted, and so are unknown fields.
///
/// Errors: kBadRequest  not YAML or JSON, or a value of the wrong type; names FILE:LINE of the
///         field. More than `objects_max` objects.
///         what the disk says about unreadable files.
Result<Manifests> ReadManifests(Disk& disk,
                                const api::Scheme& scheme,
                                std::span<const std::string> paths,
                                size_t objects_max = kManifestObjectsMax,
                                UnknownKinds unknown = UnknownKinds::kSkipped);

}  // namespace dray::manifests
