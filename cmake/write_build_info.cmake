# Run at every build: writes OUTPUT from INPUT if the revision has changed.
execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12 --match=none-such
                OUTPUT_VARIABLE REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT REVISION)
  set(REVISION "unknown")
endif()
configure_file(${INPUT} ${OUTPUT} @ONLY)
