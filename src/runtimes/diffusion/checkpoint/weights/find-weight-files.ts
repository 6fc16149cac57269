import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readJsonObject, unusableModel } from '../../onnx/model-file.ts'

/**
 * The files of one network in diffusers' folder layout: one file, or the shards that its index names; full precision
 * before the `fp16` variant.
 *
 * @param stems What the file may be called, without `.safetensors`; the first that is there counts.
 * @returns Absolute paths.
 * @throws {ServiceError} `inference_failed` when there is none.
 */
export async function findWeightFiles(folder: string, component: string, stems: readonly string[]): Promise<readonly string[]> {
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
