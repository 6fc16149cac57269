import { ServiceError } from '../../core/error.ts'
import { type ProjectorFacts, takesAnySize } from '../../core/gguf/projector-facts.ts'
import type { PictureBlock } from '../../core/ports/vision-tower.ts'
import type { Abortable } from '../../core/waiting.ts'
import { readImageHeader } from '../diffusion/pictures/image-header.ts'
import type { PixelSize } from '../diffusion/pictures/rgb-image.ts'
import type { Filter } from './resample.ts'

/** The picture in another size, in the middle of a canvas. */
export interface Scene {
  /** Sizes that the picture is brought to, one after the other. */
  readonly sizes: readonly PixelSize[]
  readonly canvas: PixelSize
  readonly colour: readonly [red: number, green: number, blue: number]
  readonly filter: Filter
}

/** A square of a scene, or a whole scene, which the tower looks at. */
export interface Tile {
  readonly scene: Scene
  readonly left: number
  readonly top: number
}

const black = [0, 0, 0] as const
/** CLIP's mean colour. */
const average = [122, 116, 104] as const
/** Longer side by shorter side, at most: beyond it nothing is left of the shorter one. */
const maxStretched = 200

/**
 * The layout of a picture: texts around tiles, in the order the family was trained with, computed as in llama.cpp's `tools/mtmd`.
 *
 * @throws {ServiceError} `validation_error` for an extremely narrow picture.
 */
export function layOutPicture(picture: PixelSize, facts: ProjectorFacts): readonly (string | Tile)[] {
  if (Math.max(picture.width, picture.height) > maxStretched * Math.min(picture.width, picture.height))
    throw new ServiceError(
      'validation_error',
      `An image of ${picture.width} × ${picture.height} pixels is more than ${maxStretched} times as long as wide: crop it.`,
    )
  const square = { width: facts.imageSize, height: facts.imageSize }
  switch (facts.family) {
    case 'mlp':
      if (facts.tiledSizes.length > 0) return tileLlava(picture, facts)
      return [inMiddle(picture, square, { colour: average, filter: 'bicubic' })]
    case 'gemma3':
      return ['<start_of_image>', inMiddle(picture, square, { colour: black, filter: 'bilinear' }), '<end_of_image>']
    case 'idefics3':
      return tileIdefics(picture, facts)
    case 'qwen2vl_merger':
    case 'qwen2.5vl_merger':
    case 'qwen3vl_merger': {
      const canvas = sizeInGrid(picture, facts.patchSize * facts.merge)
      return ['<|vision_start|>', inMiddle(picture, canvas, { colour: black, filter: 'bicubic' }), '<|vision_end|>']
    }
  }
}

/** The formats of pictures in messages, in words. */
const chatFormats = 'PNG, JPEG, WebP or GIF'

/**
 * The layout of a picture as texts and blocks of rows; only its header is read. @throws {ServiceError} `validation_error` if it is not a
 * picture or extremely narrow.
 */
export async function layOutBlocks(
  picture: Uint8Array,
  facts: ProjectorFacts,
  { signal }: Abortable,
): Promise<readonly (string | PictureBlock)[]> {
  const parts = layOutPicture(await readImageHeader(picture, { signal, formats: chatFormats }), facts)
  return parts.map((part) => (typeof part === 'string' ? part : blockOf(part, facts)))
}

function blockOf({ scene: { canvas } }: Tile, { imageSize, patchSize, merge, family }: ProjectorFacts): PictureBlock {
  const side = patchSize * (family === 'mlp' ? 1 : merge)
  if (!takesAnySize(family)) return { rows: (imageSize / side) ** 2, columns: null }
  return { rows: (canvas.width * canvas.height) / side ** 2, columns: canvas.width / side }
}

function inMiddle(picture: PixelSize, canvas: PixelSize, look: Pick<Scene, 'colour' | 'filter'>): Tile {
  return { scene: { ...look, sizes: [fitInto(picture, canvas)], canvas }, left: 0, top: 0 }
}

function fitInto({ width, height }: PixelSize, canvas: PixelSize): PixelSize {
  const scale = Math.min(Math.fround(canvas.width / width), Math.fround(canvas.height / height))
  const fit = (length: number, most: number): number => Math.min(most, Math.ceil(Math.fround(length * scale)))
  return { width: fit(width, canvas.width), height: fit(height, canvas.height) }
}

/** Squares of a grid that a picture becomes, at least and at most. */
const [fewestSquares, maxSquares] = [8, 4096]

/** About the picture's own size in whole squares. @see https://github.com/QwenLM/Qwen2.5-VL/blob/main/qwen-vl-utils/src/qwen_vl_utils/vision_process.py */
function sizeInGrid({ width, height }: PixelSize, side: number): PixelSize {
  const inSquares = (length: number, round: (squares: number) => number): number => round(Math.fround(Math.fround(length) / side)) * side
  const near = (length: number): number => Math.max(side, inSquares(length, Math.round))
  const [area, pixels] = [near(width) * near(height), Math.fround(Math.fround(height) * width)]
  if (area > maxSquares * side * side) {
    const shrink = Math.fround(Math.sqrt(Math.fround(pixels / (maxSquares * side * side))))
    const fit = (length: number): number => Math.max(side, inSquares(length / shrink, Math.floor))
    return { width: fit(width), height: fit(height) }
  }
  if (area >= fewestSquares * side * side) return { width: near(width), height: near(height) }
  const stretch = Math.fround(Math.sqrt(Math.fround((fewestSquares * side * side) / pixels)))
  return { width: inSquares(width * stretch, Math.ceil), height: inSquares(height * stretch, Math.ceil) }
}

/** Tiles of a picture that is larger than a tile, row by row, and the whole of it in one. @see https://llava-vl.github.io/blog/2024-01-30-llava-next/ */
function tileLlava(picture: PixelSize, { imageSize: side, tiledSizes }: ProjectorFacts): readonly Tile[] {
  const square = { width: side, height: side }
  const overview: Tile = { scene: { sizes: [square], canvas: square, colour: black, filter: 'bicubic' }, left: 0, top: 0 }
  if (picture.width <= side && picture.height <= side) return [overview]
  const canvas = bestSize(picture, tiledSizes)
  const { scene } = inMiddle(picture, canvas, { colour: black, filter: 'bicubic' })
  const columns = canvas.width / side
  const tiles = Array.from({ length: (canvas.height / side) * columns }, (_, i): Tile => {
    return { scene, left: (i % columns) * side, top: Math.floor(i / columns) * side }
  })
  return [...tiles, overview]
}

/** The size in which the most of a picture can be seen, and of several the one that leaves least free. */
function bestSize(picture: PixelSize, sizes: readonly PixelSize[]): PixelSize {
  const areaOf = ({ width, height }: PixelSize): number => width * height
  const seenIn = (size: PixelSize): number => {
    const scale = Math.min(Math.fround(size.width / picture.width), Math.fround(size.height / picture.height))
    const cut = (length: number): number => Math.trunc(Math.fround(length * scale))
    return Math.min(cut(picture.width) * cut(picture.height), areaOf(picture))
  }
  return sizes.toSorted((a, b) => seenIn(b) - seenIn(a) || areaOf(a) - areaOf(b))[0] ?? picture
}

/**
 * Tiles of the picture in a large size, row by row, and behind them the whole of it in one.
 *
 * @see https://github.com/huggingface/transformers/blob/main/src/transformers/models/idefics3/processing_idefics3.py
 */
function tileIdefics(picture: PixelSize, { imageSize: side, longestSide }: ProjectorFacts): readonly (string | Tile)[] {
  const square = { width: side, height: side }
  const { large, small } = longestSide === null ? scenesOfOldFiles(picture, square) : scenesByLongestSide(picture, square, longestSide)
  const [columns, rows] = [large.canvas.width / side, large.canvas.height / side]
  const tiles = Array.from({ length: rows * columns }, (_, i): readonly (string | Tile)[] => {
    const [row, column] = [Math.floor(i / columns), i % columns]
    const lineBreak = row > 0 && column === 0 ? '\n' : ''
    const mark = `${lineBreak}<fake_token_around_image><row_${row + 1}_col_${column + 1}>`
    return [mark, { scene: large, left: column * side, top: row * side }]
  })
  const overview = ['\n\n<fake_token_around_image><global-img>', { scene: small, left: 0, top: 0 }, '<fake_token_around_image>']
  return [...tiles.flat(), ...overview]
}

interface Scenes {
  readonly large: Scene
  readonly small: Scene
}

function scenesByLongestSide(picture: PixelSize, square: PixelSize, longestSide: number): Scenes {
  const ratio = picture.width / picture.height
  const even = (length: number): number => Math.max(2, Math.trunc(length) + (Math.trunc(length) % 2))
  const resized =
    picture.width >= picture.height
      ? { width: longestSide, height: even(longestSide / ratio) }
      : { width: even(longestSide * ratio), height: longestSide }
  const whole = (length: number): number => Math.ceil(length / square.width) * square.width
  const canvas = { width: whole(resized.width), height: whole(resized.height) }
  const look = { colour: black, filter: 'lanczos' } as const
  return {
    large: { ...look, sizes: [resized, canvas], canvas },
    small: { ...look, sizes: [resized, canvas, square], canvas: square },
  }
}

/** Files of early converters do not say how large pictures become: about as large as they are. */
function scenesOfOldFiles(picture: PixelSize, square: PixelSize): Scenes {
  const whole = (length: number): number => Math.max(1, Math.round(Math.fround(length / square.width))) * square.width
  const canvas = { width: whole(picture.width), height: whole(picture.height) }
  const look = { colour: black, filter: 'bicubic' } as const
  const isWhole = picture.width === canvas.width && picture.height === canvas.height
  return {
    large: { ...look, sizes: [isWhole ? picture : fitInto(picture, canvas)], canvas },
    small: { ...look, sizes: [square], canvas: square },
  }
}
