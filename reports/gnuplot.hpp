// Runs gnuplot as a child process, without a shell.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sparsewire {

// Runs `gnuplot script` with `directory` as its working directory and without the user's start-up file.
// Throws std::runtime_error when gnuplot is not in PATH, or with what it wrote to stderr when it fails.
void run_gnuplot(const std::filesystem::path& directory, const std::string& script);

// A gnuplot string literal that shows `text` as it is: nothing in it is taken as a quote, a command or a mark
// of enhanced text; control characters become blanks.
std::string gnuplot_text(std::string_view text);

// A gnuplot string literal of text whose marks of enhanced text (10^{-3}) are wanted.
std::string gnuplot_enhanced(std::string_view text);

}  // namespace sparsewire
