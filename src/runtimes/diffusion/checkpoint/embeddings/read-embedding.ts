import { ServiceError } from '../../../../core/error.ts'
import { readTensors } from '../weights/read-tensor.ts'
import { readWeightFile } from '../weights/weight-file.ts'

/** The vectors of a textual inversion for each text encoder; null = it has none for that one. */
export interface TextualInversion {
  readonly first: readonly Float32Array[] | null
  readonly second: readonly Float32Array[] | null
}

/**
 * Reads a textual inversion: `clip_l` and `clip_g` for SDXL, else one tensor (`emb_params`, or the token's name).
 *
 * @throws {ServiceError} `unsupported` when the file holds none.
 * @see Gal et al. 2022, arXiv:2208.01618
 */
export async function readEmbedding(path: string, options: { readonly signal: AbortSignal }): Promise<TextualInversion> {
  const file = await readWeightFile(path)
  const names = [...file.tensors.keys()]
  const tensors = await readTensors(file, names, options)
  const vectorsOf = (name: string): readonly Float32Array[] | null => {
    const [shape, values] = [file.tensors.get(name)?.shape, tensors.get(name)]
    if (shape === undefined || values === undefined) return null
    const width = shape.at(-1) ?? 0
    return Array.from({ length: values.length / width }, (_, i) => values.subarray(i * width, (i + 1) * width))
  }
  if (tensors.has('clip_l') || tensors.has('clip_g')) return { first: vectorsOf('clip_l'), second: vectorsOf('clip_g') }
  const [only] = names
  if (only === undefined || names.length > 1)
    throw new ServiceError('unsupported', `${file.name} holds no textual inversion.`, { param: 'textual_inversions' })
  return { first: vectorsOf(only), second: null }
}
