// SPDX-License-Identifier: Apache-2.0
// The kinds of an input: those that Dray has, and those that CustomResourceDefinitions of the input
// define. Definitions are created by the server's own code, and so are objects of their kinds.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/kind.h"
#include "api/live_scheme.h"
#include "api/object.h"
#include "base/frozen.h"
#include "base/result.h"
#include "base/world.h"
#include "manifests/documents.h"
#include "manifests/requests.h"
#include "server/registry/defined_kinds.h"

namespace dray::manifests {

/// A CustomResourceDefinition of the input.
struct CustomDefinition {
  std::string name;                      // "widgets.example.com", as written
  std::string group, kind;               // of its objects, as written
  std::string place;                     // FILE:LINE, or a server
  std::vector<std::string> served = {};  // "example.com/v1", in the order of the definition
  std::string webhook = {};              // what converts between versions: a URL or a service
  /// Why it has no effect, as the end of a sentence: "is invalid". Empty: it has one, or another
  /// definition of the same content has.
  std::string problem = {};
  /// A problem that no server reports when it creates the definition; empty: none.
  std::string warning = {};
};

/// For one thread. Objects of custom kinds must not outlive it.
class KnownKinds {
 public:
  /// `options`, which passed CheckOptions(), says how definitions are validated. The world outlives
  /// this.
  KnownKinds(World& world, ValidateOptions options);
  KnownKinds(const KnownKinds&) = delete;
  KnownKinds& operator=(const KnownKinds&) = delete;
  ~KnownKinds() = default;

  /// Whether a text can have definitions, so that it must be learned. O(text).
  static bool MayDefine(std::string_view text);

  /// Adds the definitions in `documents`, those of `file`. If several define one name, the first
  /// valid one counts. Schemas are compiled here, once. O(text).
  void Learn(const std::string& file, std::span<const Document> documents);
  /// Adds the definitions of a server, which `list` is, a CustomResourceDefinitionList in JSON.
  /// Call it last: definitions of files replace those of the server. Errors: kBadRequest  no list.
  Result<> LearnServer(const std::string& server, std::string_view list);
  /// Makes the kinds visible in scheme(). O(all kinds).
  void Publish();

  /// Custom kinds have all versions of their definition, also those that are not served.
  const api::Scheme& scheme() const { return *scheme_; }
  /// The definition of a kind; of several the first with an effect. Null: there is none.
  const CustomDefinition* Find(std::string_view group, std::string_view kind) const;
  /// The definition that is object `item` of a document of `file`; null: it is none.
  const CustomDefinition* At(const std::string& file,
                             size_t document,
                             const std::string& item) const;

 private:
  struct Place {
    std::string file;
    size_t document;
    std::string item;
    auto operator<=>(const Place&) const = default;
  };

  void Add(Place place, const ObjectText& text, const std::string& shown);
  CustomDefinition Define(const ObjectText& text, std::string place);
  void Accept(const api::Object& created, CustomDefinition& definition);

  World& world_;
  const ValidateOptions options_;
  api::LiveScheme live_;
  server::registry::DefinedKinds kinds_{live_};
  Frozen<api::Scheme> scheme_ = live_.Now();
  std::map<Place, CustomDefinition> definitions_;
  // Those with an effect, by name, with their place.
  std::map<std::string, std::pair<api::Object, std::string>, std::less<>> created_;
  std::map<std::pair<std::string, std::string>, const CustomDefinition*, std::less<>> by_kind_;
};

/// "example.com" of "example.com/v1"; empty for the core group.
std::string_view GroupOf(std::string_view api_version);

}  // namespace dray::manifests
