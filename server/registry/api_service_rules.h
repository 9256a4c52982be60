// SPDX-License-Identifier: Apache-2.0
// What an APIService may say. After kube-aggregator's pkg/apis/apiregistration/validation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "api/text/names.h"
#include "api/validation/options.h"
#include "base/result.h"

namespace dray::server::registry {

/// What is wrong with `name` as that of `object`, an APIService: it is version and group.
api::NameErrors CheckApiServiceName(const api::Object& object, std::string_view name);

/// What is wrong with the spec of `object`, an APIService.
std::vector<ErrorCause> ValidateApiService(const api::Object& object,
                                           const api::Object* old,
                                           const api::validation::Options& options);
/// The same, and with its name, of one that is to replace `old`.
std::vector<ErrorCause> ValidateApiServiceChange(const api::Object& object,
                                                 const api::Object* old,
                                                 const api::validation::Options& options);
/// What is wrong with its status.
std::vector<ErrorCause> ValidateApiServiceStatus(const api::Object& object,
                                                 const api::Object* old,
                                                 const api::validation::Options& options);

/// The condition of an APIService that this server answers for itself.
inline constexpr std::string_view kLocalApi = "Local";
inline constexpr std::string_view kLocalApiMessage = "Local APIServices are always available";

}  // namespace dray::server::registry
