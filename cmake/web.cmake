# SPDX-License-Identifier: Apache-2.0
# The dashboard inside the program: dray_web_bundle(TARGET) adds the source that defines what
# cli/dashboard/bundle.h declares.
#
# dev/web_bundle.py bundles web/ with npm into build/web, once for all presets and again only when a
# file of web/ has changed. Where that is impossible (no Node.js, an old one, no network), the program
# is built without a dashboard and says why: here, in `dray serve --help` and at /ui/.

option(DRAY_UI "Put the dashboard (web/) into the program, where Node.js and npm are at hand" ON)

function(dray_web_bundle target)
  set(script ${PROJECT_SOURCE_DIR}/dev/web_bundle.py)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/web_bundle.cc)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/web/src/* ${PROJECT_SOURCE_DIR}/web/*.json ${PROJECT_SOURCE_DIR}/web/*.mjs)
  list(FILTER files EXCLUDE REGEX "/node_modules/")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files} ${script})
  set(without)
  if(NOT DRAY_UI)
    set(without --without "the build has DRAY_UI=OFF")
  endif()
  execute_process(COMMAND ${Python3_EXECUTABLE} ${script} --output ${source} ${without}
                  OUTPUT_VARIABLE outcome OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "dashboard: ${outcome}")
  target_sources(${target} PRIVATE ${source})
endfunction()
