// Hashes for keys and versions.
#pragma once

#include <string>
#include <string_view>

namespace sparsewire {

// The first 32 hexadecimal digits of the SHA-1 of `text`.
std::string sha1_of(std::string_view text);

}  // namespace sparsewire
