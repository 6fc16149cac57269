import type { LatentSize } from '../unet/conditioning.ts'
import { floatAt } from '../value-at.ts'
import type { PixelPlanes, VaeDecoder } from './vae-decoder.ts'
import type { EncodedPixels, VaeEncoder } from './vae-encoder.ts'

/** Side of a tile and how far neighbours overlap, in latent pixels. */
export interface Tiling {
  readonly tile: number
  readonly overlap: number
}

const defaultTiling: Tiling = { tile: 128, overlap: 32 }

interface Planes {
  readonly values: Float32Array
  readonly channels: number
  readonly width: number
  readonly height: number
}

interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Decodes latents tile by tile; overlaps are blended. */
export async function decodeTiled(
  decoder: Pick<VaeDecoder, 'decode'>,
  latents: Float32Array,
  size: LatentSize,
  { factor, tiling = defaultTiling }: { readonly factor: number; readonly tiling?: Tiling },
): Promise<PixelPlanes> {
  const { values, width, height } = await mapTiles({ ...size, values: latents }, tiling, factor, async (tile) => {
    const pixels = await decoder.decode(tile.values, tile)
    return { ...pixels, channels: 3 }
  })
  return { values, width, height }
}

/** Encodes a picture tile by tile; overlaps are blended. */
export async function encodeTiled(
  encoder: Pick<VaeEncoder, 'encode'>,
  picture: PixelPlanes,
  { factor, tiling = defaultTiling }: { readonly factor: number; readonly tiling?: Tiling },
): Promise<EncodedPixels> {
  const pixelTiling = { tile: tiling.tile * factor, overlap: tiling.overlap * factor }
  const { values, channels } = await mapTiles({ ...picture, channels: 3 }, pixelTiling, 1 / factor, async (tile) => {
    const encoded = await encoder.encode(tile)
    const small = { width: tile.width / factor, height: tile.height / factor }
    return { ...small, values: encoded.values, channels: encoded.values.length / (small.width * small.height) }
  })
  return { values, channels }
}

/**
 * Works on one tile after the other and blends the results.
 *
 * @param scale Length of the result over the input's, in both directions; tiles start at multiples of its inverse.
 */
async function mapTiles(input: Planes, { tile, overlap }: Tiling, scale: number, work: (tile: Planes) => Promise<Planes>): Promise<Planes> {
  const grid = Math.max(1, Math.round(1 / scale))
  const spans = (length: number) =>
    tileSpans(length / grid, tile / grid, overlap / grid).map((span) => ({ start: span.start * grid, length: span.length * grid }))
  const width = Math.round(input.width * scale)
  const height = Math.round(input.height * scale)
  const blended = Math.round(overlap * scale)
  let sums = new Float32Array(0)
  let channels = 0
  const weights = new Float32Array(width * height)
  for (const row of spans(input.height)) {
    for (const column of spans(input.width)) {
      const result = await work(cut(input, { x: column.start, y: row.start, width: column.length, height: row.length }))
      if (channels === 0) {
        channels = result.channels
        sums = new Float32Array(channels * width * height)
      }
      const across = tileWeights({ start: Math.round(column.start * scale), length: result.width }, width, blended)
      const down = tileWeights({ start: Math.round(row.start * scale), length: result.height }, height, blended)
      for (const [y, weightY] of down.entries()) {
        const line = (Math.round(row.start * scale) + y) * width + Math.round(column.start * scale)
        for (const [x, weightX] of across.entries()) {
          const weight = weightX * weightY
          weights[line + x] = floatAt(weights, line + x) + weight
          for (let channel = 0; channel < channels; channel++) {
            const at = channel * width * height + line + x
            sums[at] = floatAt(sums, at) + weight * floatAt(result.values, (channel * result.height + y) * result.width + x)
          }
        }
      }
    }
  }
  return { values: sums.map((sum, i) => sum / (weights[i % weights.length] ?? 1)), channels, width, height }
}

function cut({ values, channels, width, height }: Planes, area: Area): Planes {
  const part = new Float32Array(channels * area.width * area.height)
  for (let channel = 0; channel < channels; channel++) {
    for (let y = 0; y < area.height; y++) {
      const from = (channel * height + area.y + y) * width + area.x
      part.set(values.subarray(from, from + area.width), (channel * area.height + y) * area.width)
    }
  }
  return { values: part, channels, width: area.width, height: area.height }
}

/** A stretch of a length: where it starts and how long it is. */
export interface Span {
  readonly start: number
  readonly length: number
}

/** Stretches of at most `tile` that cover a length, each overlapping the next by at least `overlap`. */
export function tileSpans(length: number, tile: number, overlap: number): readonly Span[] {
  if (length <= tile) return [{ start: 0, length }]
  const count = Math.ceil((length - overlap) / (tile - overlap))
  return Array.from({ length: count }, (_, i) => ({ start: Math.round((i * (length - tile)) / (count - 1)), length: tile }))
}

/** Weights of a tile along its span: rising where it overlaps the previous tile, falling where it overlaps the next, never zero. */
function tileWeights({ start, length }: Span, whole: number, overlap: number): readonly number[] {
  return Array.from({ length }, (_, i) => {
    const fromStart = start === 0 ? 1 : Math.min((i + 1) / (overlap + 1), 1)
    const fromEnd = start + length === whole ? 1 : Math.min((length - i) / (overlap + 1), 1)
    return Math.min(fromStart, fromEnd)
  })
}
