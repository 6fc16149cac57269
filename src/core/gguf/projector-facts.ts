import type { GgufHeader } from './gguf-header.ts'

/** Supported vision models, by llama.cpp's projector type. */
export const visionFamilies = {
  idefics3: 'SmolVLM and Idefics 3',
  mlp: 'LLaVA 1.5 and 1.6',
  gemma3: 'Gemma 3',
  qwen2vl_merger: 'Qwen2-VL',
  'qwen2.5vl_merger': 'Qwen2.5-VL',
  qwen3vl_merger: 'Qwen3-VL',
} as const
export type VisionFamily = keyof typeof visionFamilies
/** Families that take pictures of any size, as a grid. */
export type GridFamily = 'qwen2vl_merger' | 'qwen2.5vl_merger' | 'qwen3vl_merger'
/** Families that take squares of a fixed size. */
export type SquareFamily = Exclude<VisionFamily, GridFamily>

/** Whether a family takes pictures of any size. */
export function takesAnySize(family: VisionFamily): family is GridFamily {
  return family.startsWith('qwen')
}

/** Whether attention within a block is bidirectional. */
export function seesAround(family: VisionFamily): boolean {
  return family === 'gemma3'
}

/** Properties of a vision tower, read from the header of its mmproj file. */
export interface ProjectorFacts {
  readonly family: VisionFamily
  /** Side of its square input in pixels. */
  readonly imageSize: number
  /** Side of a patch in pixels. */
  readonly patchSize: number
  /** Patches per side that are merged into one row. */
  readonly merge: number
  /** Longer side to which pictures are resized before tiling; null = not in the file. */
  readonly longestSide: number | null
  /** Sizes for tiling, of which the best is chosen per picture; empty = no tiling. */
  readonly tiledSizes: readonly { readonly width: number; readonly height: number }[]
  readonly layers: number
  /** Interval of layers with full attention; the others use window attention. null = all are full. */
  readonly wholeEvery: number | null
  readonly heads: number
  readonly epsilon: number
  readonly activation: 'gelu' | 'silu' | 'quick-gelu'
  /** Per colour channel. */
  readonly mean: readonly number[]
  readonly deviation: readonly number[]
}

const usualMerge: Readonly<Record<SquareFamily, number>> = { idefics3: 1, mlp: 1, gemma3: 4 }

/**
 * Reads the properties of an mmproj file.
 *
 * @returns The properties, or the fault of an unsupported file, completing a sentence about it.
 */
export function readProjectorFacts({ values, tensors }: GgufHeader): ProjectorFacts | { readonly fault: string } {
  const number = (key: string): number | null => {
    const value = values.get(`clip.vision.${key}`)
    return typeof value === 'number' ? value : null
  }
  const colours = (key: string): readonly number[] => {
    const value = values.get(`clip.vision.${key}`)
    return Array.isArray(value) ? value.map(Number) : []
  }
  if (values.get('clip.has_vision_encoder') === false) return { fault: 'is for sound, not for images' }
  const kind = String(values.get('clip.projector_type') ?? values.get('clip.vision.projector_type') ?? 'not named')
  const variant = findVariant(values, new Set(tensors.map(({ name }) => name)))
  const family = isFamily(kind) && variant === null ? kind : null
  if (family === null) {
    const known = Object.values(visionFamilies).join(', ')
    return { fault: `is of a kind that Sepia does not support (${variant ?? kind}); use one of ${known}` }
  }
  const [imageSize, patchSize] = [number('image_size') ?? 0, number('patch_size') ?? 0]
  const [mean, deviation] = [colours('image_mean'), colours('image_std')]
  const facts: ProjectorFacts = {
    family,
    imageSize,
    patchSize,
    merge: number('projector.scale_factor') ?? number('spatial_merge_size') ?? (takesAnySize(family) ? gridMerge : usualMerge[family]),
    longestSide: number('preproc_image_size'),
    tiledSizes: readTiledSizes(values.get('clip.vision.image_grid_pinpoints')),
    layers: number('block_count') ?? 0,
    wholeEvery: (family === 'qwen2.5vl_merger' && number('n_wa_pattern')) || null,
    heads: number('attention.head_count') ?? 0,
    epsilon: number('attention.layer_norm_epsilon') ?? 0,
    activation: values.get('clip.use_gelu') === true ? 'gelu' : values.get('clip.use_silu') === true ? 'silu' : 'quick-gelu',
    mean,
    deviation,
  }
  const sizes = [imageSize, patchSize, facts.merge, facts.layers, facts.heads]
  const fits = sizes.every((size) => Number.isInteger(size) && size > 0) && imageSize % (patchSize * facts.merge) === 0
  const tiles = facts.tiledSizes.flatMap(({ width, height }) => [width / imageSize, height / imageSize])
  const cuts = tiles.every((count) => Number.isInteger(count) && count > 0 && count <= maxTiles)
  if (!fits || !cuts || imageSize > largestSide || (facts.longestSide ?? imageSize) > largestSide)
    return { fault: 'has impossible image sizes in its header' }
  if (takesAnySize(family) && facts.merge !== gridMerge) return { fault: 'does not merge patches in squares of 2 × 2' }
  if (mean.length !== 3 || deviation.length !== 3 || deviation.includes(0)) return { fault: 'does not say how colours are normalized' }
  return facts
}

/** Maximum side of a model's input in pixels. */
const largestSide = 8192
/** Patches per side merged into one row in towers for pictures of any size. */
export const gridMerge = 2
const maxTiles = 16

function readTiledSizes(pairs: unknown): ProjectorFacts['tiledSizes'] {
  if (!Array.isArray(pairs)) return []
  return pairs.flatMap((width, index) => (index % 2 === 0 ? [{ width: Number(width), height: Number(pairs[index + 1] ?? 0) }] : []))
}

function isFamily(kind: string): kind is VisionFamily {
  return Object.hasOwn(visionFamilies, kind)
}

/** Finds properties that mark an unsupported variant of a known type; null = none. */
function findVariant(values: GgufHeader['values'], tensors: ReadonlySet<string>): string | null {
  if (tensors.has('mm.3.weight')) return 'mlp_norm'
  return values.has('clip.vision.feature_layer') ? 'mlp with layers of its own choice' : null
}
