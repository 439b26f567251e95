#include "experiments/sha1.hpp"

#include <fmt/format.h>

#include <boost/uuid/detail/sha1.hpp>

namespace sparsewire {

std::string sha1_of(std::string_view text) {
  boost::uuids::detail::sha1 hash;
  hash.process_bytes(text.data(), text.size());
  unsigned digest[5];
  hash.get_digest(digest);
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", digest[0], digest[1], digest[2], digest[3]);
}

}  // namespace sparsewire
