/** From this many tokens of one sequence on, llama.cpp's flash attention works in tiles; fewer are done one by one, at several times the price each. */
export const tile = 64
/** Below this length of the context, what attention costs does not matter. */
export const longContext = 1024
/**
 * Number of single tokens after a long context that cost as much as a tile, on AMD (Zen 5): after 2 460 tokens, 24 take 192 ms, 28 take 228
 * and 64 take 219.
 */
const tileWorth = 26

/**
 * Number of a text's `left` tokens to read at once, about `room`: cut at tile boundaries, the results equal those of the whole text in one
 * batch.
 */
export function cutBetweenTiles(left: number, room: number): number {
  const whole = room - (room % tile)
  return left < whole + tile ? left : whole // A started tile gives the same results only in one batch with a whole one.
}

/** Number of tokens of a cached prefix to use: after a long one, a whole tile is cheaper than the few dozen new tokens. */
export function keepForTile(cached: number, promptLength: number): number {
  const fresh = promptLength - cached
  return cached >= longContext && fresh > tileWorth && fresh < tile ? promptLength - tile : cached
}

/**
 * Number of a prompt's `left` tokens to put into a batch with `room`: whole tiles, since a partial one costs as much, and so that the rest
 * is not between a few single tokens and a tile.
 */
export function cutForTile(left: number, room: number): number {
  if (left <= room || room < tile) return Math.min(left, room)
  const whole = room - (room % tile)
  const remains = left - whole
  return remains > tileWorth && remains < tile && whole > tile ? whole - tile : whole
}
