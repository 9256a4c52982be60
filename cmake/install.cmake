# SPDX-License-Identifier: Apache-2.0
# The allocator as a library of others: cmake --install build/library --prefix P  puts there
#
#   include/dray/       the headers of the layers named, generated ones included
#   lib/                their libraries
#   lib/cmake/dray/     what find_package(dray) reads: targets dray::base … dray::allocator
#
# docs/library.md shows how they are used; examples/embed is built from an installed copy by the
# test install.embed.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

function(dray_install)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/dray)
  foreach(layer ${ARGN})
    set(target dray_${layer})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${layer} INSTALL_RPATH "$ORIGIN")
    set(header_sets FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dray COMPONENT library)
    get_target_property(sets ${target} INTERFACE_HEADER_SETS)
    if(generated IN_LIST sets)
      list(APPEND header_sets FILE_SET generated DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dray
                              COMPONENT library)
    endif()
    install(TARGETS ${target} EXPORT dray-targets
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
            INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dray
            ${header_sets})
  endforeach()
  dray_tell_users(dray_base)
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
