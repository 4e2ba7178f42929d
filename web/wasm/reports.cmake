# Sources of the command line that the module is compiled with; style.includes finds one that is missing.
set(SALTUS_LAB_REPORTS)
foreach(name report accuracy_report ledger_report sample_report scene_schema motion_json)
  list(APPEND SALTUS_LAB_REPORTS ${PROJECT_SOURCE_DIR}/src/saltus/cli/${name}.cpp)
endforeach()
