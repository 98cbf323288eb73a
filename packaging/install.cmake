# What `cmake --install` puts where, and the Debian package that `cpack` makes of it.
include(GNUInstallDirs)

# Man pages and completions come from the tables of commands and options, as the help does.
add_executable(gen_cli tools/gen_cli.c)
target_link_libraries(gen_cli PRIVATE subcore_app)
target_compile_definitions(gen_cli PRIVATE SUBCORE_VERSION="${PROJECT_VERSION}")
set(pages ${CMAKE_BINARY_DIR}/pages)
file(MAKE_DIRECTORY ${pages})
add_custom_command(OUTPUT ${pages}/stamp
  COMMAND gen_cli ${pages} COMMAND ${CMAKE_COMMAND} -E touch ${pages}/stamp
  DEPENDS gen_cli COMMENT "Man pages and completions")
add_custom_target(pages ALL DEPENDS ${pages}/stamp)

# Written when installing: only then is the prefix known.
install(CODE "
  set(PROJECT_VERSION \"${PROJECT_VERSION}\")
  set(SUBCORE_PC_LIBDIR \"\\\${prefix}/${CMAKE_INSTALL_LIBDIR}\")
  set(SUBCORE_PC_CONFIGDIR \"\\\${prefix}/${CMAKE_INSTALL_DATADIR}/subcore/configs\")
  set(SUBCORE_PC_INCLUDEDIR \"\\\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}\")
  configure_file(\"${PROJECT_SOURCE_DIR}/packaging/subcore.pc.in\"
    \"${CMAKE_BINARY_DIR}/subcore.pc\" @ONLY)")

install(TARGETS subcore RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS libsubcore ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/subcore DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_BINARY_DIR}/subcore.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/subcore/configs FILES_MATCHING PATTERN "*.yaml"
  PATTERN "suites" EXCLUDE PATTERN "sweeps" EXCLUDE)
install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${pages}/subcore.bash RENAME subcore
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${pages}/_subcore DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME subcore)
set(CPACK_PACKAGE_CONTACT "subcore maintainers <maintainers@subcore.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cycle-level simulator of modern NVIDIA GPU cores")
set(CPACK_PACKAGE_DESCRIPTION
  "Simulates what the cores of a GPU do with SASS, cycle by cycle, from traces, listings,\n or SASS with a launch file. Neither a GPU nor CUDA is needed. Has the program, the\n library libsubcore with its header, and configurations of cards.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES subcore)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "gnuplot-nox, libyaml-dev, zlib1g-dev, liblzma-dev, libzstd-dev")
include(CPack)
