// SPDX-License-Identifier: Apache-2.0
// Reads objects from files: YAML or JSON, one or many documents, lists, folders, standard input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "api/codec/json.h"
#include "api/kind.h"
#include "api/object.h"
#include "base/result.h"
#include "base/world.h"

namespace dray::manifests {

/// The most objects of one invocation.
inline constexpr size_t kManifestObjectsMax = 1'000'000;

struct ManifestObject {
  api::Object object;
  std::string file;       // "-" for standard input
  size_t line;            // where its document starts
  std::string item = {};  // "items[3]" of a list; empty for the document itself
};

/// FILE:LINE of the object's document. For an item of a list, "FILE: KIND NAMESPACE/NAME", because
/// lines of a dump are not informative.
std::string PlaceOf(const ManifestObject& object);

/// How to handle objects whose kind the scheme does not have.
enum class UnknownKinds : uint8_t {
  kSkipped,
  kPodTemplates,  // a Job for each pod template stands for the object (pod_templates.h)
};

/// The note about an object whose kind the scheme does not have.
struct UnknownKindNote {
  size_t note = 0;  // its index
  api::TypeMeta type = {};
  std::string treatment = {};  // its text without the reason
  bool is_used = false;        // pod templates stand for the object
};

struct Manifests {
  std::vector<ManifestObject> objects;        // in the order of paths, file names and documents
  std::vector<std::string> notes;             // skipped kinds, unknown fields: FILE:LINE: what
  std::vector<UnknownKindNote> unknown = {};  // about some of the notes, in their order
  size_t custom = 0;  // objects left out whose kind a definition defines (CorrectNotes)
};

/// Reads every path: a file, a folder (its .yaml, .yml and .json files, sorted, and its folders),
/// or "-". Adds notes about kinds that the scheme does not have and about unknown fields.
///
/// Errors: kBadRequest  not YAML or JSON, or a value of the wrong type, with FILE:LINE of the
/// field; more than `objects_max` objects. Those of the disk for unreadable files.
Result<Manifests> ReadManifests(Disk& disk,
                                const api::Scheme& scheme,
                                std::span<const std::string> paths,
                                size_t objects_max = kManifestObjectsMax,
                                UnknownKinds unknown = UnknownKinds::kSkipped);

/// The same for one text; `source` is its name in notes and places. Errors: kBadRequest  as above.
Result<Manifests> ReadManifestText(const std::string& text,
                                   const std::string& source,
                                   const api::Scheme& scheme,
                                   size_t objects_max,
                                   UnknownKinds unknown);

}  // namespace dray::manifests
