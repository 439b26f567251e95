# `cmake --install`: the program, and the package that find_package(sparsewire) finds. The headers keep their
# folders below include/sparsewire, which is what users' compilers get as include folder.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/sparsewire)

# sparsewire_install(PART target...): targets that are found together, as sparsewire::NAME without the prefix.
function(sparsewire_install part)
  foreach(target ${ARGN})
    string(REPLACE sparsewire_ "" name ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  endforeach()
  install(TARGETS ${ARGN} EXPORT sparsewire_${part})
  install(EXPORT sparsewire_${part} NAMESPACE sparsewire:: FILE sparsewire_${part}.cmake
          DESTINATION ${package_folder})
endfunction()

sparsewire_install(core sparsewire_flags sparsewire_model sparsewire_algorithms)
sparsewire_install(mpi sparsewire_mpi)
sparsewire_install(sim sparsewire_topologies sparsewire_sim)
install(TARGETS sparsewire)

foreach(folder algorithms model sim topologies)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION include/sparsewire FILES_MATCHING PATTERN "*.hpp")
endforeach()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sparsewireConfig.cmake.in sparsewireConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(sparsewireConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sparsewireConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/sparsewireConfigVersion.cmake ${PROJECT_SOURCE_DIR}/cmake/FindSimGrid.cmake
        DESTINATION ${package_folder})
