import type { WeightFile } from '../weights/weight-table.ts'

/** A textual inversion that a LoRA brings with it, and the word that it stands for. */
export interface BundledEmbedding {
  readonly trigger: string
  readonly first: readonly Float32Array[] | null
  readonly second: readonly Float32Array[] | null
}

/** `bundle_emb.word.clip_l`, or `bundle_emb.word.string_to_param.*`. */
const pattern = /^bundle_emb\.(.+)\.(clip_l|clip_g|emb_params|string_to_param\.\*)$/u

/** Whether a tensor of a LoRA is one of a textual inversion. */
export function isBundledEmbedding(name: string): boolean {
  return pattern.test(name)
}

/** The textual inversions among a LoRA's tensors. */
export function readBundledEmbeddings(
  { tensors }: Pick<WeightFile, 'tensors'>,
  values: ReadonlyMap<string, Float32Array>,
): readonly BundledEmbedding[] {
  const found = new Map<string, BundledEmbedding>()
  for (const [name, { shape }] of tensors) {
    const [, trigger, part] = pattern.exec(name) ?? []
    const numbers = values.get(name)
    if (trigger === undefined || numbers === undefined) continue
    const width = shape.at(-1) ?? 1
    const vectors = Array.from({ length: numbers.length / width }, (_, i) => numbers.subarray(i * width, (i + 1) * width))
    const before = found.get(trigger) ?? { trigger, first: null, second: null }
    found.set(trigger, part === 'clip_g' ? { ...before, second: vectors } : { ...before, first: vectors })
  }
  return [...found.values()]
}
