// SPDX-License-Identifier: Apache-2.0
// A custom kind of thirty fields with five rules, its objects, and Deployments with as many fields
// and bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dray::bench {

inline constexpr std::string_view kDefinitions =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
inline constexpr std::string_view kDeployments = "/apis/apps/v1/namespaces/default/deployments";

/// The group of the `number`th such kind, for example "kind-7.example.com".
std::string GadgetGroup(size_t number);
/// The path of its objects in the namespace default.
std::string GadgetPath(size_t number);
/// Its definition: twelve texts, twelve numbers, a list of objects, and the status of a Deployment.
/// Each field has a description, as most definitions of operators have.
std::string GadgetDefinition(size_t number);
/// An object of it.
std::string GadgetBody(size_t number, std::string_view name);

std::string DeploymentBody(std::string_view name);

}  // namespace dray::bench
