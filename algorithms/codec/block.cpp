#include "algorithms/codec/block.hpp"

#include <algorithm>
#include <optional>

#include "algorithms/codec/bit_packed.hpp"
#include "algorithms/codec/bitmap.hpp"
#include "algorithms/codec/delta.hpp"
#include "algorithms/codec/pairs.hpp"
#include "algorithms/codec/tiled_bitmap.hpp"
#include "algorithms/payload/stream_format.hpp"

namespace sparsewire::codec {
namespace {

// A codec that writes down exactly the indices of a set.
struct IndexCodec {
  std::uint64_t (*bytes)(const IndexSet&);
  void (*write)(const IndexSet&, std::span<std::byte>);
  std::vector<Index> (*read)(std::span<const std::byte>, const Expected&);
  bool says_its_size = true;  // in front; else range and count tell
};

template <class Coder>
constexpr IndexCodec coder(bool says_its_size) {
  return {&Coder::bytes, &Coder::write, &Coder::read, says_its_size};
}

// None for a codec that writes values where there is no element.
std::optional<IndexCodec> index_codec(Codec codec) {
  switch (codec) {
    case Codec::pairs:
      return coder<Pairs>(false);
    case Codec::bitmap:
      return coder<Bitmap>(false);
    case Codec::tiled_bitmap:
      return coder<TiledBitmap>(true);
    case Codec::delta:
      return coder<Delta>(true);
    case Codec::bit_packed:
      return coder<BitPacked>(true);
    default:
      return std::nullopt;
  }
}

// Sizes in front of the parts that need one: of the indices, or of the filter, and of the list of fills.
constexpr std::uint64_t kWord = 8;
constexpr std::uint64_t kBloomWords = 3;  // words of the filter, hashes, positives

std::uint64_t words_in_front(Codec used, bool held_dense) {
  if (used == Codec::bloom) return kBloomWords + (held_dense ? 0 : 1);
  if (used == Codec::dense) return held_dense ? 0 : 1;
  return index_codec(used)->says_its_size ? 1 : 0;
}

// Where the parts lie, given their sizes.
Layout laid_out(std::uint64_t front_words, std::uint64_t index_bytes, std::uint64_t values,
                std::uint64_t value_bytes, std::uint64_t listed) {
  Layout layout;
  layout.index_at = sizeof(BlockHeader) + front_words * kWord;
  layout.index_bytes = index_bytes;
  layout.value_at = layout.index_at + padded(index_bytes);
  layout.value_count = values;
  layout.listed_at = layout.value_at + padded(values * value_bytes);
  layout.listed = listed;
  layout.size = layout.listed_at + padded(listed * sizeof(Index));
  return layout;
}

Layout layout_of(Codec used, const Shape& shape) {
  const std::uint64_t front = words_in_front(used, shape.held_dense), width = shape.value_bytes;
  if (used == Codec::dense) return laid_out(front, 0, shape.length(), width, shape.fills);
  if (used == Codec::bloom) {
    const Bloom filter = Bloom::of(shape.set(), width);
    const std::uint64_t positives = filter.positives(shape.begin, shape.end).size();
    return laid_out(front, filter.words.size() * kWord, positives, width, shape.fills);
  }
  return laid_out(front, index_codec(used)->bytes(shape.set()), shape.indices.size(), width, 0);
}

// A Bloom filter takes at least its bits and the values of its members.
std::uint64_t least_bloom_bytes(const Shape& shape) {
  const BloomShape filter = bloom_shape(shape.indices.size(), shape.length(), shape.value_bytes);
  return laid_out(kBloomWords, filter.words * kWord, shape.indices.size(), shape.value_bytes, 0).size;
}

Codec smallest(const Shape& shape) {
  Codec best = Codec::pairs;
  std::uint64_t least = block_bytes(best, shape);
  for (const Codec codec :
       {Codec::bitmap, Codec::tiled_bitmap, Codec::delta, Codec::bit_packed, Codec::bloom, Codec::dense}) {
    if (codec == Codec::bloom && least_bloom_bytes(shape) >= least) continue;
    const std::uint64_t bytes = block_bytes(codec, shape);
    if (bytes < least) best = codec, least = bytes;
  }
  return best;
}

Draft drafted(const BlockHeader& header, const Layout& layout, std::vector<Index> positives = {}) {
  Draft draft{std::vector<std::byte>(layout.size), layout, std::move(positives)};
  store(draft.bytes, 0, sealed(header));
  return draft;
}

Draft draft_bloom(const BlockHeader& header, const Shape& shape) {
  const Bloom filter = Bloom::of(shape.set(), shape.value_bytes);
  std::vector<Index> positives = filter.positives(shape.begin, shape.end);
  const std::uint64_t sizes[] = {filter.words.size(), filter.hashes, positives.size(), shape.fills};
  const Layout layout = laid_out(words_in_front(Codec::bloom, shape.held_dense), filter.words.size() * kWord,
                                 positives.size(), shape.value_bytes, shape.fills);
  Draft draft = drafted(header, layout, std::move(positives));
  std::memcpy(draft.bytes.data() + sizeof header, sizes, layout.index_at - sizeof header);
  if (!filter.words.empty())
    std::memcpy(draft.bytes.data() + layout.index_at, filter.words.data(), filter.words.size() * kWord);
  return draft;
}

std::uint64_t announced(std::span<const std::byte> bytes, std::uint64_t word) {
  return load<std::uint64_t>(bytes, sizeof(BlockHeader) + word * kWord);
}

// Sizes that a block announces are kept below this, so that their sums do not wrap around.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;

Layout announced_layout(std::span<const std::byte> bytes, const BlockHeader& header,
                        std::uint64_t value_bytes) {
  const auto used = static_cast<Codec>(header.codec);
  const std::uint64_t length = header.end - header.begin;
  const std::uint64_t front = words_in_front(used, header.held_dense != 0);
  if (bytes.size() < sizeof header + front * kWord) malformed("shorter than its sizes");
  const std::uint64_t listed = used == Codec::dense || used == Codec::bloom
                                   ? (header.held_dense != 0 ? 0 : announced(bytes, front - 1))
                                   : 0;
  if (listed > header.count) malformed("more listed elements than elements");
  if (used == Codec::dense) return laid_out(front, 0, length, value_bytes, listed);
  if (used == Codec::bloom) {
    const std::uint64_t words = announced(bytes, 0), positives = announced(bytes, 2);
    if (words > kMostBytes / kWord || announced(bytes, 1) > 64 || positives > length ||
        positives < header.count)
      malformed("a Bloom filter of " + std::to_string(words) + " words, " +
                std::to_string(announced(bytes, 1)) + " hashes and " + std::to_string(positives) +
                " positives");
    return laid_out(front, words * kWord, positives, value_bytes, listed);
  }
  const std::uint64_t size = front == 1              ? announced(bytes, 0)
                             : used == Codec::bitmap ? Bitmap::bytes({header.begin, header.end, {}})
                                                     : header.count * sizeof(Index);
  if (size > kMostBytes) malformed("indices of " + std::to_string(size) + " bytes");
  return laid_out(front, size, header.count, value_bytes, 0);
}

// FNV-1a, folded (datatracker.ietf.org/doc/html/draft-eastlake-fnv).
std::uint16_t seal_of(BlockHeader header) {
  header.seal = 0;
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte byte : std::as_bytes(std::span(&header, 1)))
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3;
  return static_cast<std::uint16_t>(hash ^ hash >> 16 ^ hash >> 32 ^ hash >> 48);
}

}  // namespace

BlockHeader sealed(BlockHeader header) {
  header.seal = seal_of(header);
  return header;
}

std::uint64_t block_bytes(Codec used, const Shape& shape) {
  return layout_of(used, shape).size;
}

Codec chosen(Codec wanted, const Shape& shape) {
  if (wanted == Codec::automatic) return smallest(shape);
  if (wanted == Codec::pairs) return shape.held_dense ? Codec::dense : Codec::pairs;
  if (wanted == Codec::dense) return Codec::dense;
  return block_bytes(Codec::dense, shape) < block_bytes(wanted, shape) ? Codec::dense : wanted;
}

Draft draft_block(const BlockHeader& header, const Shape& shape) {
  const auto used = static_cast<Codec>(header.codec);
  if (used == Codec::bloom) return draft_bloom(header, shape);
  const Layout layout = layout_of(used, shape);
  if (used == Codec::dense) {
    Draft draft = drafted(header, layout);
    if (!shape.held_dense) store(draft.bytes, sizeof header, shape.fills);
    return draft;
  }
  const IndexCodec coder = *index_codec(used);
  Draft draft = drafted(header, layout);
  if (coder.says_its_size) store(draft.bytes, sizeof header, layout.index_bytes);
  coder.write(shape.set(), std::span(draft.bytes).subspan(layout.index_at, layout.index_bytes));
  return draft;
}

Found find_block(std::span<const std::byte> bytes, std::uint8_t value_kind, std::uint64_t value_bytes,
                 std::uint16_t operation) {
  if (bytes.size() < sizeof(BlockHeader)) malformed("shorter than its header");
  const auto header = load<BlockHeader>(bytes, 0);
  if (header.seal != seal_of(header)) malformed("not the header of a block, or damaged");
  if (header.codec >= static_cast<std::uint8_t>(Codec::automatic) ||
      header.wanted > static_cast<std::uint8_t>(Codec::automatic) || header.held_dense > 1)
    malformed("codec " + std::to_string(header.codec) + " for " + std::to_string(header.wanted));
  if (header.value_kind != value_kind)
    malformed("values of kind " + std::to_string(header.value_kind) + ", expected " +
              std::to_string(value_kind));
  if (header.operation != operation)
    malformed("for operator " + std::to_string(header.operation) + ", expected " + std::to_string(operation));
  if (header.end < header.begin || header.end > kMaxDimension || header.count > header.end - header.begin)
    malformed(std::to_string(header.count) + " elements in [" + std::to_string(header.begin) + ", " +
              std::to_string(header.end) + ")");
  const Layout layout = announced_layout(bytes, header, value_bytes);
  if (layout.size > bytes.size())
    malformed(std::to_string(layout.size) + " bytes announced, " + std::to_string(bytes.size()) + " there");
  return {header, layout};
}

std::vector<Index> read_positions(std::span<const std::byte> bytes, const Found& found) {
  const BlockHeader& header = found.header;
  const auto used = static_cast<Codec>(header.codec);
  const std::span<const std::byte> section = bytes.subspan(found.layout.index_at, found.layout.index_bytes);
  if (used != Codec::bloom) return index_codec(used)->read(section, {header.begin, header.end, header.count});
  Bloom filter{announced(bytes, 1), std::vector<std::uint64_t>(section.size() / kWord)};
  if (!section.empty()) std::memcpy(filter.words.data(), section.data(), section.size());
  std::vector<Index> positives = filter.positives(header.begin, header.end);
  if (positives.size() != found.layout.value_count)
    malformed("a Bloom filter with " + std::to_string(positives.size()) + " positives, " +
              std::to_string(found.layout.value_count) + " announced");
  return positives;
}

std::vector<Index> read_listed(std::span<const std::byte> bytes, const Found& found) {
  const Layout& layout = found.layout;
  return Pairs::read(bytes.subspan(layout.listed_at, layout.listed * sizeof(Index)),
                     {found.header.begin, found.header.end, layout.listed});
}

}  // namespace sparsewire::codec
