// Memory at multiples of 16 bytes, as from every 64-bit malloc: where Eigen's sums of pairs begin depends on
// the address of the numbers, and with it the last bit. emscripten's malloc promises 8.
#include <cstdlib>
#include <new>

void* operator new(std::size_t size) {
  if (void* out = std::aligned_alloc(16, (size + 15) / 16 * 16)) return out;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) {
  return operator new(size);
}
void operator delete(void* at) noexcept {
  std::free(at);
}
void operator delete[](void* at) noexcept {
  std::free(at);
}
void operator delete(void* at, std::size_t) noexcept {
  std::free(at);
}
void operator delete[](void* at, std::size_t) noexcept {
  std::free(at);
}
