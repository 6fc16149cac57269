import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { countTextLayers } from '../../core/checkpoint/model-files.ts'
import { detectSafetensorsKind } from '../../core/checkpoint/safetensors-kind.ts'
import { addPart, partsInFile } from '../../core/memory/image-parts.ts'
import type { CatalogFault } from '../catalog-fault.ts'
import { type FoundPart, findParts, withLimits } from './assemble-models.ts'
import { describeCheckpoint } from './describe-checkpoint.ts'
import { examineWeights, limitsInFile } from './examine-weights.ts'
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
  const fault = (message: string) => ({ fault: { file: path, field: '', message } })
  const header = await readFileHeader(path).catch(() => ({ fault: 'cannot be read' }))
  if ('fault' in header) return fault(`${header.fault}; copy it again.`)
  const found = detectSafetensorsKind(header)
  if (found.kind === 'unknown') return fault(`${found.reason}.`)
  if (found.kind === 'transformer') {
    const parts = await findParts({ ...found, path }, await partsBeside(path))
    if ('unusable' in parts) return fault(`${parts.unusable}.`)
    const layers = countTextLayers(header)
    const described = await describeCheckpoint(
      { ...found, inpainting: false, prediction: null, layers, ...limitsInFile(header, found) },
      { weights: path, name: `${name} ${path}` },
    )
    const sizes = Object.entries(parts.sizes).reduce((sum, [part, size]) => addPart(sum, part, size), partsInFile(header, found.family))
    const bounds = described.bounds && withLimits(described.bounds, parts)
    return {
      ...described,
      ...(bounds && { bounds }),
      ...(described.checkpoint && { checkpoint: { ...described.checkpoint, files: parts.files, parts: sizes } }),
    }
  }
  if (found.kind !== 'checkpoint') return fault(`is a ${found.kind}, not a checkpoint; put it into the folder above, without a model.json.`)
  return describeCheckpoint({ ...found, layers: countTextLayers(header) }, { weights: path, name: `${name} ${path}` })
}
