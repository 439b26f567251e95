add_test(NAME include_check COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -P
                                    ${CMAKE_CURRENT_LIST_DIR}/include_check.cmake)
add_test(NAME include_check_finds_violations
         COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
                 -DCOPY=${PROJECT_BINARY_DIR}/include_check_copy -P
                 ${CMAKE_CURRENT_LIST_DIR}/violations_test.cmake)
set_tests_properties(include_check include_check_finds_violations PROPERTIES LABELS fast)
