# Sources of the command line that the module is compiled with; tests/web links them, too, so that one that is missing
# is noticed without emscripten.
set(SALTUS_LAB_REPORTS)
foreach(name report accuracy_report ledger_report sample_report scene_schema motion_json)
  list(APPEND SALTUS_LAB_REPORTS ${PROJECT_SOURCE_DIR}/src/saltus/cli/${name}.cpp)
endforeach()
