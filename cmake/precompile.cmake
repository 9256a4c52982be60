# SPDX-License-Identifier: Apache-2.0
# Precompiled headers: what most units read is read once, which halves a build from scratch
# (CONTRIBUTING.md has the figures). They are used where no compiler cache is: with one, a change to
# any header named here would compile everything again. Nothing may need them: every source and
# header includes what it uses, as builds with a cache and `make lint` show.
#
#   dray_precompile()   after all targets: each of ours takes the set that fits it

if(CCACHE)
  option(DRAY_PRECOMPILE "precompiled headers" OFF)
else()
  option(DRAY_PRECOMPILE "precompiled headers" ON)
endif()

set(DRAY_PRECOMPILED_STD
  <algorithm>
  <array>
  <atomic>
  <charconv>
  <chrono>
  <expected>
  <functional>
  <map>
  <memory>
  <optional>
  <set>
  <span>
  <string>
  <string_view>
  <utility>
  <variant>
  <vector>
  <fmt/format.h>
  "\"base/log.h\""
  "\"base/mutex.h\""
  "\"base/published.h\""
  "\"base/result.h\""
  "\"base/strong.h\""
  "\"base/world.h\"")
set(DRAY_PRECOMPILED_API
  "\"api/codec/json.h\""
  "\"api/core_v1/node.h\""
  "\"api/core_v1/pod.h\""
  "\"api/kind.h\""
  "\"api/object.h\""
  "\"api/resource_v1/claim.h\""
  "\"api/resource_v1/device_class.h\""
  "\"api/resource_v1/slice.h\"")
set(DRAY_PRECOMPILED_TESTS
  <gmock/gmock.h>
  <gtest/gtest.h>)

# One set of headers, as the object library dray_precompiled_NAME.
function(dray_precompiled_set name)
  set(target dray_precompiled_${name})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cc CONTENT "// no code, only headers\n")
  add_library(${target} OBJECT ${PROJECT_BINARY_DIR}/precompiled.cc)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${DRAY_GENERATED})
  target_link_libraries(${target} PRIVATE dray_options fmt::fmt)
  if(name STREQUAL "tests")
    target_link_libraries(${target} PRIVATE GTest::gmock)
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
  add_dependencies(${target} dray_api_generated)
endfunction()

# Gives the targets of a folder, and of the folders below it, the set that fits.
function(dray_precompile_folder folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    get_target_property(links ${target} LINK_LIBRARIES)
    if(type STREQUAL "INTERFACE_LIBRARY" OR NOT "${links}" MATCHES "dray_options")
      continue()
    endif()
    if("${links}" MATCHES "GTest::")
      target_precompile_headers(${target} REUSE_FROM dray_precompiled_tests)
    elseif(folder MATCHES "^${PROJECT_SOURCE_DIR}/(base|net|store)")
      target_precompile_headers(${target} REUSE_FROM dray_precompiled_std)
    else()
      target_precompile_headers(${target} REUSE_FROM dray_precompiled_api)
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below ${folders})
    dray_precompile_folder(${below})
  endforeach()
endfunction()

function(dray_precompile)
  if(NOT DRAY_PRECOMPILE)
    return()
  endif()
  # Libraries and programs share the headers, so they are compiled alike.
  target_compile_options(dray_options INTERFACE -fPIC -pthread)
  dray_precompiled_set(std ${DRAY_PRECOMPILED_STD})
  dray_precompiled_set(api ${DRAY_PRECOMPILED_STD} ${DRAY_PRECOMPILED_API})
  dray_precompiled_set(tests ${DRAY_PRECOMPILED_STD} ${DRAY_PRECOMPILED_API} ${DRAY_PRECOMPILED_TESTS})
  get_property(folders DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTY SUBDIRECTORIES)
  foreach(folder ${folders})
    dray_precompile_folder(${folder})
  endforeach()
endfunction()
