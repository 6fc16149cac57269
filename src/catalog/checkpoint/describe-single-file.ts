import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { detectSafetensorsKind } from '../../core/checkpoint/safetensors-kind.ts'
import { type CatalogFault, fileFault } from '../catalog-fault.ts'
import { type FoundPart, findParts, withParts } from './assemble-models.ts'
import type { describeCheckpoint } from './describe-checkpoint.ts'
import { describeFile, examineWeights } from './examine-weights.ts'
import { readFileHeader } from './read-file-header.ts'

/** Components in the folder of a file and its subfolders. */
async function partsBeside(path: string): Promise<readonly FoundPart[]> {
  const folder = dirname(path)
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(?:safetensors|gguf)$/iu.test(name))
  const examined = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), found: await examineWeights(join(folder, name), name).catch(() => null) })),
  )
  return examined.flatMap(({ path: at, found }) => (found?.kind === 'part' ? [{ ...found, path: at }] : []))
}

/** Describes a single-file checkpoint named by a `model.json`. */
export async function describeSingleFile(
  path: string,
  name: string,
): Promise<Awaited<ReturnType<typeof describeCheckpoint>> | { readonly fault: CatalogFault }> {
  const fault = (message: string) => ({ fault: fileFault(path, message) })
  const header = await readFileHeader(path).catch(() => ({ fault: 'cannot be read' }))
  if ('fault' in header) return fault(`${header.fault}; copy it again.`)
  const found = detectSafetensorsKind(header)
  if (found.kind === 'unknown') return fault(`${found.reason}.`)
  if (found.kind !== 'checkpoint' && found.kind !== 'transformer')
    return fault(`is a ${found.kind}, not a checkpoint; put it into the folder above, without a model.json.`)
  const described = await describeFile(found, header, { weights: path, name: `${name} ${path}` })
  if (found.kind === 'checkpoint') return described
  const parts = await findParts({ ...found, path }, await partsBeside(path))
  return 'unusable' in parts ? fault(`${parts.unusable}.`) : withParts(described, parts)
}
