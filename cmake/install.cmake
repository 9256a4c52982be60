# SPDX-License-Identifier: Apache-2.0
# The library for programs of others: cmake --install build/release --prefix P  puts there
#
#   include/dray/       its face, and the headers of api/ and base/ that the face includes
#   lib/libdray.*       the layers named, as one library
#   lib/cmake/dray/     what find_package(dray) reads: the target dray::dray
#
# docs/library.md shows how it is used; examples/embed is built from an installed copy by the test
# install.embed.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# dray_install(LAYERS base api LINKS fmt::fmt): LINKS are what the layers link from outside.
function(dray_install)
  cmake_parse_arguments(I "" "" "LAYERS;LINKS" ${ARGN})
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/dray)
  list(TRANSFORM I_LAYERS PREPEND dray_ OUTPUT_VARIABLE layers)
  list(TRANSFORM layers REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  add_library(dray_library ${objects})
  # The face is in an inline namespace of its version; a shared library also says it by its name.
  set_target_properties(dray_library PROPERTIES
    OUTPUT_NAME dray EXPORT_NAME dray LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(dray_library INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(dray_library PRIVATE ${I_LINKS} $<BUILD_INTERFACE:dray_options>)
  dray_tell_users(dray_library)
  install(TARGETS dray_library EXPORT dray-targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)

  set(headers ${PROJECT_BINARY_DIR}/public-headers)
  get_target_property(generated dray_api HEADER_DIRS_generated)
  string(CONFIGURE [[
    execute_process(COMMAND "@Python3_EXECUTABLE@" "@PROJECT_SOURCE_DIR@/cmake/public_headers.py"
                            --sources "@PROJECT_SOURCE_DIR@" --generated "@generated@"
                            --output "@headers@"
                    COMMAND_ERROR_IS_FATAL ANY)
  ]] lay_out @ONLY)
  install(CODE "${lay_out}" COMPONENT library)
  install(DIRECTORY ${headers}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)

  install(EXPORT dray-targets NAMESPACE dray:: DESTINATION ${package} COMPONENT library)
  configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/dray-config.cmake.in ${PROJECT_BINARY_DIR}/dray-config.cmake
    INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file(
    ${PROJECT_BINARY_DIR}/dray-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/dray-config.cmake
                ${PROJECT_BINARY_DIR}/dray-config-version.cmake
          DESTINATION ${package} COMPONENT library)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/dray COMPONENT library)
endfunction()

# What programs that link the library must share with it, and no more. Warnings and hardening are
# ours alone: _GLIBCXX_ASSERTIONS and _FORTIFY_SOURCE add checks to inline functions and change no
# layout, so both sides may choose. What a build was instrumented with goes along, because its
# objects need the runtime, and so does LTO, whose archives only the same toolchain reads.
function(dray_tell_users target)
  target_compile_features(${target} PUBLIC cxx_std_23)
  if(DRAY_SANITIZE)
    target_compile_options(${target} INTERFACE $<INSTALL_INTERFACE:-fsanitize=${DRAY_SANITIZE}>)
    target_link_options(${target} INTERFACE $<INSTALL_INTERFACE:-fsanitize=${DRAY_SANITIZE}>)
  endif()
  if(DRAY_LTO)
    target_link_options(${target} INTERFACE
      $<INSTALL_INTERFACE:-flto=thin> $<INSTALL_INTERFACE:-fuse-ld=lld-19>)
  endif()
  if(DRAY_COVERAGE)
    target_link_options(${target} INTERFACE $<INSTALL_INTERFACE:-fprofile-instr-generate>)
  endif()
endfunction()
