import { join } from 'node:path'
import type { JsonRecord } from '../../onnx/model-file.ts'
import { readTensors } from '../weights/read-tensor.ts'
import type { WeightTable } from '../weights/weight-table.ts'

const [mean, variance] = ['bn.running_mean', 'bn.running_var']
const epsilon = 1e-4

/** What a VAE has learned of the channels of patches of its latents, as options of a VAE in diffusers' words; none where it has learned nothing. */
export async function readLatentStatistics(vae: WeightTable): Promise<JsonRecord> {
  const place = vae.find(mean)
  if (place === undefined) return {}
  const file = {
    path: join(vae.folder, place.file),
    name: vae.label,
    tensors: new Map([mean, variance].map((name) => [name, vae.get(name)])),
  }
  const read = await readTensors(file, [mean, variance], { signal: AbortSignal.any([]) })
  const deviations = Array.from(read.get(variance) ?? [], (value) => Math.fround(Math.sqrt(Math.fround(value + epsilon))))
  return { scaling_factor: 1, shift_factor: 0, latents_mean: [...(read.get(mean) ?? [])], latents_std: deviations, patch_side: 2 }
}
