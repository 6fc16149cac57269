import { readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { explainUnreadableKey, longestKeyFile, parseUpstreamKey } from '../core/files/upstream-key.ts'
import { isImageServer } from '../core/images/image-servers.ts'
import { isTextServer } from '../core/model.ts'
import { type CatalogFault, fileFault } from './catalog-fault.ts'
import type { FolderFacts } from './describe-model.ts'
import type { ModelReferences } from './model-file.ts'

/** Required files of SDXL in the official ONNX layout. */
const sdxlFiles = [
  'unet/model.onnx',
  'text_encoder/model.onnx',
  'text_encoder_2/model.onnx',
  'vae_decoder/model.onnx',
  'scheduler/scheduler_config.json',
]

/** Files of a tokenizer, of which there are one or two. */
async function tokenizerFiles(folder: string): Promise<readonly string[]> {
  const choices = ['tokenizer', 'tokenizer_2'].map(async (name) => {
    const whole = await stat(resolve(folder, name, 'tokenizer.json')).catch(() => null)
    const split = await stat(resolve(folder, name, 'vocab.json')).catch(() => null)
    return whole?.isFile() === true && split === null ? [`${name}/tokenizer.json`] : [`${name}/vocab.json`, `${name}/merges.txt`]
  })
  return (await Promise.all(choices)).flat()
}

/** Checks that a model's files exist with the sizes in its `model.json`; reads no contents except that of a server's key. */
export async function checkFiles(
  modelFile: ModelReferences,
  folder: string,
): Promise<{ readonly facts: FolderFacts } | { readonly faults: readonly CatalogFault[] }> {
  const tokenizers = modelFile.format === 'onnx-sdxl' ? await tokenizerFiles(folder) : []
  const paths = [...new Set([...listNeeded(modelFile), ...tokenizers, ...Object.keys(modelFile.files ?? {})])]
  const found = await Promise.all(paths.map(async (path) => ({ path, stats: await stat(resolve(folder, path)).catch(() => null) })))
  const faults = found.flatMap(({ path, stats }) => {
    const stated = modelFile.files?.[path]?.bytes
    const file = resolve(folder, path)
    if (!stats?.isFile())
      return [fileFault(file, `is missing; ${isWorkflow(modelFile, path) ? exportIt : 'copy the whole model folder again'}.`)]
    if (stated === undefined || stated === stats.size) return []
    return [fileFault(file, `has ${stats.size} bytes instead of ${stated}; copy it again or correct "files" in model.json.`)]
  })
  const refiner = modelFile.refiner === undefined ? null : resolve(folder, modelFile.refiner)
  if (refiner !== null && (await stat(refiner).catch(() => null)) === null)
    faults.push({
      file: resolve(folder, 'model.json'),
      field: 'refiner',
      message: `is ${refiner}, which does not exist; correct the path or remove it.`,
    })
  faults.push(...(await checkKeyFile(modelFile.keyFile, folder)))
  if (faults.length > 0) return { faults }
  const bytes = await measure(modelFile, { folder, refiner, listed: found.reduce((sum, { stats }) => sum + (stats?.size ?? 0), 0) })
  return { facts: { folder, bytes, created: Math.floor((found[0]?.stats?.mtimeMs ?? 0) / 1000) } }
}

/** Bytes to be loaded: for an export, its networks with external weights, and those of the refiner. */
async function measure(
  { format }: ModelReferences,
  { folder, refiner, listed }: { readonly folder: string; readonly refiner: string | null; readonly listed: number },
): Promise<number> {
  if (runsElsewhere(format)) return 0
  if (format !== 'onnx-sdxl') return listed
  return (await measureExport(folder)) + (refiner === null ? 0 : await measureExport(refiner))
}

/** Whether a format names a server. */
export function runsElsewhere(format: ModelReferences['format']): boolean {
  return isTextServer(format) || (format !== undefined && isImageServer(format))
}

const exportIt = 'export it in ComfyUI with "Export (API)" and write {{prompt}} where the prompt goes'

function isWorkflow({ format, workflow = 'workflow.json' }: ModelReferences, path: string): boolean {
  return format === 'comfyui' && path === workflow
}

/** Required files of a model, the main one first. */
function listNeeded({ format, file, projector, speculative, workflow = 'workflow.json' }: ModelReferences): readonly string[] {
  if (format === 'onnx-sdxl') return sdxlFiles
  if (format === 'safetensors') return [file ?? 'model_index.json']
  const named =
    format === 'gguf'
      ? [file, projector, speculative?.endsWith('.gguf') ? speculative : undefined]
      : ['model.json', format === 'comfyui' ? workflow : undefined]
  return named.filter((path) => path !== undefined)
}

/** Faults of the key file named in a `model.json`; empty if none is named. */
async function checkKeyFile(keyFile: string | undefined, folder: string): Promise<readonly CatalogFault[]> {
  if (keyFile === undefined) return []
  const path = resolve(folder, keyFile)
  const fault = await findFault(path)
  return fault === null ? [] : [{ file: join(folder, 'model.json'), field: 'keyFile', message: `names ${path}, which ${fault}.` }]
}

async function findFault(path: string): Promise<string | null> {
  try {
    const stats = await stat(path)
    if (!stats.isFile()) return explainUnreadableKey('EISDIR')
    if (stats.size > longestKeyFile) return `has ${stats.size} bytes; name a file that holds only the access key`
    const read = parseUpstreamKey(await readFile(path, 'utf8'))
    return 'fault' in read ? read.fault : null
  } catch (error) {
    return explainUnreadableKey((error as NodeJS.ErrnoException).code)
  }
}

/** Folders of networks in the official ONNX layout. */
const networks = ['unet', 'text_encoder', 'text_encoder_2', 'vae_decoder', 'vae_encoder', 'safety_checker'] as const

/** Total bytes of an exported model's networks, mostly in weight files beside the graphs. */
async function measureExport(folder: string): Promise<number> {
  const sizes = await Promise.all(networks.map((network) => measureFolder(join(folder, network))))
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function measureFolder(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const stats = await Promise.all(names.map((name) => stat(join(folder, name))))
  return stats.reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0)
}
