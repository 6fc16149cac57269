import type { TensorPlace } from '../../../../core/checkpoint/safetensors-header.ts'
import { refuseAdapterNumbers } from '../../../../core/checkpoint/stored-weights.ts'
import { bundledVectors } from '../../../../core/checkpoint/text-widths.ts'
import { ServiceError } from '../../../../core/error.ts'
import type { Abortable } from '../../../../core/waiting.ts'
import type { TextPath } from '../../prompts/encode-prompts.ts'
import { escapePattern } from '../../prompts/escape-pattern.ts'
import type { EncoderRow } from '../../prompts/text-encoder.ts'
import { findUnsound, readTensors } from '../weights/read-tensor.ts'
import { readWeightFile, type WeightFile } from '../weights/weight-table.ts'

/** The vectors of a textual inversion for each text encoder; null = it has none for that one. */
export interface TextualInversion {
  readonly first: readonly Float32Array[] | null
  readonly second: readonly Float32Array[] | null
}

/**
 * Reads a textual inversion: `clip_l` and `clip_g` for SDXL, else one tensor (`emb_params`, or the token's name).
 *
 * @throws {ServiceError} `unsupported` when the file holds none, or numbers that are none.
 * @see Gal et al. 2022, arXiv:2208.01618
 */
export async function readEmbedding(path: string, options: Abortable): Promise<TextualInversion> {
  const file = await readWeightFile(path)
  const names = [...file.tensors.keys()]
  const refuse = (reason: string): ServiceError =>
    new ServiceError('unsupported', `The textual inversion ${file.name} ${reason}.`, { param: 'textual_inversions' })
  const unreadable = refuseAdapterNumbers(file.tensors)
  if (unreadable !== null) throw refuse(unreadable)
  const tensors = await readTensors(file, names, options)
  const unsound = findUnsound(tensors)
  if (unsound !== null) throw refuse(unsound)
  const vectorsOf = (name: string): readonly Float32Array[] | null => {
    const [place, values] = [file.tensors.get(name), tensors.get(name)]
    return place === undefined || values === undefined ? null : rowsOf(values, place)
  }
  if (tensors.has('clip_l') || tensors.has('clip_g')) return { first: vectorsOf('clip_l'), second: vectorsOf('clip_g') }
  const [only] = names
  if (only === undefined || names.length > 1)
    throw new ServiceError('unsupported', `${file.name} holds no textual inversion.`, { param: 'textual_inversions' })
  return { first: vectorsOf(only), second: null }
}

/** A word in prompts and the vectors that stand for it. */
export interface TriggerWord {
  readonly trigger: string
  readonly vectors: readonly Float32Array[]
}

/** Above every vocabulary: ids from here on stand for vectors. */
const firstVectorId = 1_000_000

/**
 * Adds trigger words to a text path: the tokenizer splits at them, and the encoder uses their vectors.
 *
 * @throws {ServiceError} `unsupported` if the vectors do not have the encoder's width.
 */
export function withTriggerWords({ tokenizer, encoder, reads }: TextPath, words: readonly TriggerWord[]): TextPath {
  if (words.length === 0) return { tokenizer, encoder, reads }
  const vectors = words.flatMap((word) => word.vectors)
  for (const vector of vectors)
    if (encoder.width !== null && vector.length !== encoder.width)
      throw new ServiceError(
        'unsupported',
        `A textual inversion has vectors of ${vector.length} numbers, but the model's text encoder takes ${encoder.width}; it is for another family.`,
        { param: 'textual_inversions' },
      )
  const starts = new Map<string, readonly number[]>()
  let next = firstVectorId
  for (const word of words)
    starts.set(
      word.trigger,
      word.vectors.map(() => next++),
    )
  const pattern = new RegExp(
    `(${[...starts.keys()]
      .toSorted((a, b) => b.length - a.length)
      .map(escapePattern)
      .join('|')})`,
    'u',
  )
  const { startId, endId, padId, maxLength } = tokenizer
  return {
    reads,
    tokenizer: {
      startId,
      endId,
      padId,
      maxLength,
      // Splitting by a pattern with one group leaves the separators at the odd places.
      encode: (text) => text.split(pattern).flatMap((piece, i) => (i % 2 === 1 ? (starts.get(piece) ?? []) : tokenizer.encode(piece))),
    },
    encoder: {
      width: encoder.width,
      pooledWidth: encoder.pooledWidth,
      maxClipSkip: encoder.maxClipSkip,
      encode: (rows, clipSkip) =>
        encoder.encode(
          rows.map((row) => withVectors(row, vectors)),
          clipSkip,
        ),
    },
  }
}

function withVectors({ ids }: EncoderRow, vectors: readonly Float32Array[]): EncoderRow {
  const places = new Map<number, Float32Array>()
  for (const [place, id] of ids.entries()) {
    const vector = id < firstVectorId ? undefined : vectors[id - firstVectorId]
    if (vector !== undefined) places.set(place, vector)
  }
  return { ids: ids.map((id) => (id < firstVectorId ? id : 0)), vectors: places }
}

/** A textual inversion that a LoRA brings with it, and the word that it stands for. */
export interface BundledEmbedding extends TextualInversion {
  readonly trigger: string
}

/** Whether a tensor of a LoRA is one of a textual inversion. */
export function isBundledEmbedding(name: string): boolean {
  return bundledVectors.test(name)
}

/** The textual inversions among a LoRA's tensors. */
export function readBundledEmbeddings(
  { tensors }: Pick<WeightFile, 'tensors'>,
  values: ReadonlyMap<string, Float32Array>,
): readonly BundledEmbedding[] {
  const found = new Map<string, BundledEmbedding>()
  for (const [name, place] of tensors) {
    const [, trigger, part] = bundledVectors.exec(name) ?? []
    const numbers = values.get(name)
    if (trigger === undefined || numbers === undefined) continue
    const vectors = rowsOf(numbers, place)
    const before = found.get(trigger) ?? { trigger, first: null, second: null }
    found.set(trigger, part === 'clip_g' ? { ...before, second: vectors } : { ...before, first: vectors })
  }
  return [...found.values()]
}

function rowsOf(values: Float32Array, { shape }: TensorPlace): readonly Float32Array[] {
  const width = shape.at(-1) ?? 1
  return Array.from({ length: values.length / width }, (_, i) => values.subarray(i * width, (i + 1) * width))
}
