// SPDX-License-Identifier: Apache-2.0
#include "server/documents/openapi_operations.h"

namespace dray::server::documents {
namespace {

constexpr std::string_view kPatchTypes[] = {"application/apply-patch+yaml",
                                            "application/json-patch+json",
                                            "application/merge-patch+json",
                                            "application/strategic-merge-patch+json"};
constexpr std::string_view kStreamTypes[] = {"application/json",
                                             "application/yaml",
                                             "application/vnd.kubernetes.protobuf",
                                             "application/json;stream=watch",
                                             "application/vnd.kubernetes.protobuf;stream=watch"};
constexpr std::string_view kLogTypes[] = {
    "text/plain", "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"};

constexpr Parameter kWriteParameters[] = {
    {"dryRun", "string"}, {"fieldManager", "string"}, {"fieldValidation", "string"}};
constexpr Parameter kPatchParameters[] = {{"dryRun", "string"},
                                          {"fieldManager", "string"},
                                          {"fieldValidation", "string"},
                                          {"force", "boolean"}};
constexpr Parameter kDeleteParameters[] = {
    {"dryRun", "string"},
    {"gracePeriodSeconds", "integer"},
    {"ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"},
    {"orphanDependents", "boolean"},
    {"propagationPolicy", "string"}};
constexpr Parameter kListParameters[] = {{"allowWatchBookmarks", "boolean"},
                                         {"continue", "string"},
                                         {"fieldSelector", "string"},
                                         {"labelSelector", "string"},
                                         {"limit", "integer"},
                                         {"resourceVersion", "string"},
                                         {"resourceVersionMatch", "string"},
                                         {"sendInitialEvents", "boolean"},
                                         {"timeoutSeconds", "integer"},
                                         {"watch", "boolean"}};
constexpr Parameter kDeleteCollectionParameters[] = {
    {"continue", "string"},
    {"dryRun", "string"},
    {"fieldSelector", "string"},
    {"gracePeriodSeconds", "integer"},
    {"ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"},
    {"labelSelector", "string"},
    {"limit", "integer"},
    {"orphanDependents", "boolean"},
    {"propagationPolicy", "string"},
    {"resourceVersion", "string"},
    {"resourceVersionMatch", "string"},
    {"sendInitialEvents", "boolean"},
    {"timeoutSeconds", "integer"}};
constexpr Parameter kLogParameters[] = {{"container", "string"},
                                        {"follow", "boolean"},
                                        {"insecureSkipTLSVerifyBackend", "boolean"},
                                        {"limitBytes", "integer"},
                                        {"previous", "boolean"},
                                        {"sinceSeconds", "integer"},
                                        {"stream", "string"},
                                        {"tailLines", "integer"},
                                        {"timestamps", "boolean"}};

constexpr std::string_view kOkOrCreated[] = {"200", "201"};
constexpr std::string_view kCreatedOrAccepted[] = {"200", "201", "202"};
constexpr std::string_view kOkOrAccepted[] = {"200", "202"};

constexpr Operation kList = {.method = "get",
                             .action = "list",
                             .id_verb = "list",
                             .parameters = kListParameters,
                             .types = kStreamTypes,
                             .answered = Answered::kList};
constexpr Operation kCreate = {.method = "post",
                               .action = "post",
                               .id_verb = "create",
                               .parameters = kWriteParameters,
                               .request = kAnyTypes,
                               .codes = kCreatedOrAccepted,
                               .sent = Sent::kObject};
constexpr Operation kDeleteCollection = {.method = "delete",
                                         .action = "deletecollection",
                                         .id_verb = "delete",
                                         .id_infix = "Collection",
                                         .parameters = kDeleteCollectionParameters,
                                         .request = kAnyTypes,
                                         .sent = Sent::kDeleteOptions,
                                         .answered = Answered::kStatus};
constexpr Operation kRead = {.method = "get", .action = "get", .id_verb = "read"};
constexpr Operation kReplace = {.method = "put",
                                .action = "put",
                                .id_verb = "replace",
                                .parameters = kWriteParameters,
                                .request = kAnyTypes,
                                .codes = kOkOrCreated,
                                .sent = Sent::kObject};
constexpr Operation kPatchObject = {.method = "patch",
                                    .action = "patch",
                                    .id_verb = "patch",
                                    .parameters = kPatchParameters,
                                    .request = kPatchTypes,
                                    .codes = kOkOrCreated,
                                    .sent = Sent::kPatch};
constexpr Operation kDelete = {.method = "delete",
                               .action = "delete",
                               .id_verb = "delete",
                               .parameters = kDeleteParameters,
                               .request = kAnyTypes,
                               .codes = kOkOrAccepted,
                               .sent = Sent::kDeleteOptions};
constexpr Operation kReadLog = {.method = "get",
                                .action = "get",
                                .id_verb = "read",
                                .parameters = kLogParameters,
                                .types = kLogTypes,
                                .answered = Answered::kText};
constexpr Operation kWatchOne = {.method = "get",
                                 .action = "watch",
                                 .id_verb = "watch",
                                 .parameters = kListParameters,
                                 .types = kStreamTypes,
                                 .answered = Answered::kEvents};
constexpr Operation kWatchMany = {.method = "get",
                                  .action = "watchlist",
                                  .id_verb = "watch",
                                  .parameters = kListParameters,
                                  .types = kStreamTypes,
                                  .answered = Answered::kEvents};
constexpr Operation kOfCollections[] = {kList, kCreate, kDeleteCollection};
constexpr Operation kOfItems[] = {kRead, kReplace, kPatchObject, kDelete};

constexpr std::array<std::string_view, 2> kCustomTypes = {"application/json", "application/yaml"};
constexpr std::string_view kCustomPatchTypes[] = {
    "application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"};
constexpr Parameter kReadParameters[] = {{"resourceVersion", "string"}};

}  // namespace

std::span<const Operation> CollectionOperations() {
  return kOfCollections;
}

std::span<const Operation> ItemOperations() {
  return kOfItems;
}

const Operation& OperationOf(std::string_view verb) {
  if (verb == "get") return kRead;
  if (verb == "create") return kCreate;
  return verb == "update" ? kReplace : kPatchObject;
}

const Operation& LogOperation() {
  return kReadLog;
}

const Operation& WatchOneOperation() {
  return kWatchOne;
}

const Operation& WatchManyOperation() {
  return kWatchMany;
}

Operation OfCustomKind(Operation operation) {
  operation.types = kCustomTypes;
  if (!operation.request.empty()) operation.request = kCustomTypes;
  if (operation.sent == Sent::kPatch) {
    operation.request = kCustomPatchTypes;
    operation.codes = kOkCode;
  }
  if (operation.action == "get") operation.parameters = kReadParameters;
  if (operation.action == "delete") operation.answered = Answered::kStatus;
  if (operation.action == "deletecollection") {
    operation.parameters = kListParameters;
    operation.request = {};
    operation.sent = Sent::kNothing;
  }
  return operation;
}

}  // namespace dray::server::documents
