// Sparse vectors from SVMlight (libsvm) text files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sparsewire {

struct SvmlightOptions {
  std::optional<std::uint64_t> dimension{};  // elements; wins over the file's own
  bool one_based = false;                    // the lowest index is 1; rows hold 0-based indices all the same
  bool empty_line_is_vector = true;          // otherwise empty lines are passed over
};

// Rows in file order. Pairs are (0-based index, value) as written: any order, equal indices kept apart;
// sparse_vector() sorts them and adds up equal indices.
struct SvmlightData {
  std::uint64_t dimension = 0;
  std::vector<std::vector<std::pair<std::int64_t, double>>> rows;
};

// What is wrong with a file; what() begins with name:line:column.
struct SvmlightError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Parses lines of `label? index:value ...`, where the label is a first token without ':' and is dropped, and
// '#' starts a comment. A first line "# N=1000" gives the dimension, otherwise it is the highest index plus
// one. A line of only a comment is no vector. CR LF line ends and a missing last newline are accepted; so are
// nan and inf. Throws SvmlightError for a token that is not index:value, an index that is negative or not
// below the dimension (or 0 in a one-based file), or a dimension above 2^32. `name` is for messages.
SvmlightData parse_svmlight(std::istream& input, const std::string& name,
                            const SvmlightOptions& options = {});

// The same from a file. Throws std::runtime_error with the path if it cannot be read.
SvmlightData read_svmlight(const std::filesystem::path& path, const SvmlightOptions& options = {});

}  // namespace sparsewire
