import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { refuseStorage } from '../../../../core/checkpoint/stored-weights.ts'
import { readJsonObject, unusableModel } from '../../onnx/model-file.ts'
import { renewVaeName } from '../names/vae-names.ts'
import { readWeightFile, type StoredWeight, WeightTable, withScales } from './weight-table.ts'

/** One network of a folder in diffusers' layout. @throws {ServiceError} `inference_failed` naming the file that does not fit. */
export async function readComponent(
  folder: string,
  component: string,
  { stems, rename = (name) => name }: { readonly stems: readonly string[]; readonly rename?: (name: string) => string },
): Promise<WeightTable> {
  const files = await Promise.all((await findWeightFiles(folder, component, stems)).map(readWeightFile))
  const weights = new Map<string, StoredWeight>()
  for (const file of files) {
    const reason = refuseStorage(file.tensors)
    if (reason !== null) throw unusableModel(`${component}/${file.name}`, reason)
    if (file.folder !== files[0]?.folder)
      throw unusableModel(`${component}/${file.name}`, 'is a link into another folder than its other shards')
    for (const [name, place] of file.tensors) {
      const known = rename(name)
      if (weights.has(known)) throw unusableModel(`${component}/${file.name}`, `repeats the tensor "${known}" of another shard`)
      weights.set(known, { ...place, file: file.name, transposed: false })
    }
  }
  const label = files.length === 1 ? `${component}/${basename(files[0]?.path ?? '')}` : `${component}/`
  return new WeightTable(files[0]?.folder ?? folder, label, withScales(weights))
}

/** A VAE of a folder; older ones name their attention otherwise. */
export function readVaeComponent(folder: string): Promise<WeightTable> {
  return readComponent(folder, 'vae', { stems: ['diffusion_pytorch_model'], rename: renewVaeName })
}

/**
 * The files of one network in diffusers' folder layout: one file, or the shards that its index names; full precision before the `fp16`
 * variant.
 *
 * @param stems Possible file names without `.safetensors`; the first existing one is used.
 * @returns Absolute paths.
 * @throws {ServiceError} `inference_failed` if there is none.
 */
async function findWeightFiles(folder: string, component: string, stems: readonly string[]): Promise<readonly string[]> {
  const inside = join(folder, component)
  const names = new Set(await readdir(inside).catch(() => []))
  for (const variant of ['', '.fp16']) {
    for (const stem of stems) {
      const whole = `${stem}${variant}.safetensors`
      if (names.has(whole)) return [join(inside, whole)]
      const index = [`${stem}${variant}.safetensors.index.json`, `${stem}.safetensors.index${variant}.json`].find((name) => names.has(name))
      if (index !== undefined) return readShards(folder, `${component}/${index}`, inside)
    }
  }
  const pickled = [...names].some((name) => /\.(?:bin|ckpt|pt|pth)$/u.test(name))
  const fault = pickled
    ? 'holds its weights as a pickle, which can run code when it is read; convert it to safetensors'
    : 'has no .safetensors file'
  throw unusableModel(`${component}/`, fault)
}

async function readShards(folder: string, index: string, inside: string): Promise<readonly string[]> {
  const { weight_map: map } = await readJsonObject(folder, index)
  const shards = typeof map === 'object' && map !== null ? [...new Set(Object.values(map))] : []
  const names = shards.filter((name) => typeof name === 'string').filter((name) => /^[^/\\]+\.safetensors$/u.test(name))
  if (names.length === 0 || names.length !== shards.length) throw unusableModel(index, 'does not name files beside it in "weight_map"')
  return names.map((name) => join(inside, name))
}
