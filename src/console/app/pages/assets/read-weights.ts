import type { UploadKind } from '../../../../core/assets/uploaded-asset.ts'
import type { CheckpointFamily } from '../../../../core/checkpoint/checkpoint-family.ts'
import { refuseLora } from '../../../../core/checkpoint/lora-refusal.ts'
import { readSafetensorsHeader, SafetensorsFault } from '../../../../core/checkpoint/safetensors-header.ts'
import { detectSafetensorsKind } from '../../../../core/checkpoint/safetensors-kind.ts'
import { t } from '../../language/t.ts'

/** The result of reading a file's header, or why the file cannot be used, as the end of a sentence that begins with the file. */
export type ReadWeights =
  | { readonly kind: UploadKind; readonly family: CheckpointFamily | null; readonly words: readonly string[] }
  | { readonly refusal: string }

/** Checks a file before its upload, with the same code as the service. */
export async function readWeights(file: File): Promise<ReadWeights> {
  if (!/\.safetensors$/iu.test(file.name)) return { refusal: t`isn’t a .safetensors file; other kinds can run code when they are read` }
  const read = async (offset: number, bytes: number) => new Uint8Array(await file.slice(offset, offset + bytes).arrayBuffer())
  try {
    const header = await readSafetensorsHeader(read, file.size)
    const found = detectSafetensorsKind(header)
    if (found.kind === 'unknown') return { refusal: found.reason }
    if (found.kind === 'upscaler') return { refusal: t`is an upscaler; the operator must put it into a models folder` }
    if (found.kind === 'transformer' || found.kind === 'text-encoder')
      return { refusal: t`is a model of several parts, or one of them; the operator must put it into a models folder` }
    const refusal = found.kind === 'lora' ? refuseLora([...header.tensors.keys()]) : null
    if (refusal !== null) return { refusal }
    const phrase = header.metadata.get('modelspec.trigger_phrase') ?? ''
    const words = phrase.split(',').map((word) => word.trim())
    return { kind: found.kind, family: 'family' in found ? found.family : null, words: words.filter((word) => word !== '').slice(0, 32) }
  } catch (error) {
    return { refusal: error instanceof SafetensorsFault ? error.message : t`cannot be read` }
  }
}

/** A valid asset name, made from the file's. */
export function assetName(file: File): string {
  const plain = file.name.replace(/\.safetensors$/iu, '').replaceAll(/[^A-Za-z0-9._-]+/gu, '-')
  return plain.replace(/^[^A-Za-z0-9]+/u, '').slice(0, 64)
}
