# SPDX-License-Identifier: Apache-2.0
# What `dray version -o json` tells of a build: commit, compiler, libraries.
#
#   dray_build_facts(TARGET)   adds the source that defines what cli/command_line/build_facts.h declares
#
# The commit is looked up by every build, and the source written again only when it is another.
# This file is that script, too: cmake -DROOT=… -DTEMPLATE=… -DOUTPUT=… -P build_facts.cmake

if(CMAKE_SCRIPT_MODE_FILE)
  set(commit "")
  set(is_modified false)
  execute_process(COMMAND git -C ${ROOT} rev-parse --show-toplevel
                  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  # A copy without history that lies in a repository of another project has no commit.
  if(NOT failed AND top STREQUAL ROOT)
    execute_process(COMMAND git -C ${ROOT} rev-parse HEAD
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND git -C ${ROOT} status --porcelain --untracked-files=no
                    OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      set(is_modified true)
    endif()
  endif()
  configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
  return()
endif()

# NAME=VERSION of each library that programs contain or load, as CMake found them.
function(dray_library_versions result)
  string(REGEX REPLACE "_.*" "" jemalloc "${JEMALLOC_VERSION}")
  set(re2 ${RE2_VERSION})
  if(re2 STREQUAL "0.0.0")  # Debian's file for pkg-config does not know it
    execute_process(COMMAND dpkg-query --show "--showformat=\${source:Upstream-Version}" libre2-dev
                    OUTPUT_VARIABLE re2 ERROR_QUIET)
  endif()
  set(versions
    Boost=${Boost_VERSION} CLI11=${CLI11_VERSION} OpenSSL=${OPENSSL_VERSION} RE2=${re2}
    SQLite=${SQLite3_VERSION} fmt=${fmt_VERSION} gRPC=${GRPCPP_VERSION} libyaml=${YAML_VERSION}
    nghttp2=${NGHTTP2_VERSION} prometheus-cpp=${PROMETHEUS_VERSION} protobuf=${PROTOBUF_LITE_VERSION}
    zlib=${ZLIB_VERSION_STRING})
  if(DRAY_JEMALLOC)
    list(APPEND versions jemalloc=${jemalloc})
  endif()
  list(SORT versions)
  set(${result} ${versions} PARENT_SCOPE)
endfunction()

function(dray_build_facts target)
  dray_library_versions(versions)
  set(DRAY_LIBRARIES "")
  foreach(pair ${versions})
    string(REPLACE "=" "\", \"" pair "${pair}")
    string(APPEND DRAY_LIBRARIES "    {\"${pair}\"},\n")
  endforeach()
  set(DRAY_COMPILER "clang ${CMAKE_CXX_COMPILER_VERSION}")
  string(TOLOWER "${CMAKE_SYSTEM_NAME}/${CMAKE_SYSTEM_PROCESSOR}" DRAY_PLATFORM)
  set(DRAY_LINKED shared)
  if(DRAY_STATIC)
    set(DRAY_LINKED static)
  endif()
  set(template ${CMAKE_CURRENT_BINARY_DIR}/build_facts.cc.in)
  set(commit "@commit@")  # for the second time
  set(is_modified "@is_modified@")
  configure_file(${CMAKE_CURRENT_SOURCE_DIR}/build_facts.cc.in ${template} @ONLY)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/build_facts.cc)
  add_custom_target(${target}_build_facts
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DTEMPLATE=${template} -DOUTPUT=${source}
            -P ${PROJECT_SOURCE_DIR}/cmake/build_facts.cmake
    BYPRODUCTS ${source}
    VERBATIM)
  add_dependencies(${target} ${target}_build_facts)
  target_sources(${target} PRIVATE ${source})
endfunction()
