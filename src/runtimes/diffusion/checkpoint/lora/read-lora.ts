import { refuseLora } from '../../../../core/checkpoint/lora-refusal.ts'
import { ServiceError } from '../../../../core/error.ts'
import { readTensors } from '../weights/read-tensor.ts'
import { readWeightFile, type WeightFile } from '../weights/weight-file.ts'
import { readLoraKey } from './lora-keys.ts'
import type { LoraTarget, LoraTargets } from './lora-modules.ts'
import { readPeftScale } from './peft-scale.ts'

/** What a LoRA adds to one module: `scale · up · down`. */
export interface LoraModule extends LoraTarget {
  readonly rank: number
  /** [rank, inputs]; of a convolution [rank, inputs, height, width]. */
  readonly down: Float32Array
  /** [outputs, rank] */
  readonly up: Float32Array
  /** Alpha over rank. */
  readonly scale: number
}

/** A LoRA in memory. */
export interface Lora {
  readonly modules: readonly LoraModule[]
  readonly bytes: number
}

/**
 * Reads a LoRA for the modules of a model.
 *
 * @throws {ServiceError} `unsupported` when it is of a kind or for a model that does not fit.
 */
export async function readLora(path: string, targets: LoraTargets, { signal }: { readonly signal: AbortSignal }): Promise<Lora> {
  const file = await readWeightFile(path)
  const names = [...file.tensors.keys()]
  const refusal = refuseLora(names)
  if (refusal !== null) throw refuse(file, refusal)
  const parts = new Map<string, { down?: string; up?: string; alpha?: string }>()
  for (const name of names) {
    const key = readLoraKey(name)
    if (key === null) throw refuse(file, `holds "${name}", which belongs to no LoRA that Sepia can apply`)
    parts.set(key.module, { ...parts.get(key.module), [key.part]: name })
  }
  const tensors = await readTensors(file, names, { signal })
  const peftScale = readPeftScale(file.metadata)
  const modules = [...parts].flatMap(([module, { down, up, alpha }]): readonly LoraModule[] => {
    const target = targets.get(module)
    if (target === undefined) throw refuse(file, `changes "${module}", which the model does not have; it is for another family`)
    const [downValues, upValues] = [tensors.get(down ?? ''), tensors.get(up ?? '')]
    const rank = file.tensors.get(down ?? '')?.shape[0]
    if (downValues === undefined || upValues === undefined || !rank || file.tensors.get(up ?? '')?.shape[1] !== rank)
      throw refuse(file, `holds no matching pair for "${module}"`)
    const scale = alpha === undefined ? peftScale(module, rank) : (tensors.get(alpha)?.[0] ?? rank) / rank
    return target.map((each) => ({ ...each, rank, down: downValues, up: rowsOf(upValues, each), scale }))
  })
  if (modules.length === 0) throw refuse(file, 'holds no LoRA')
  return { modules, bytes: modules.reduce((sum, { down, up }) => sum + down.byteLength + up.byteLength, 0) }
}

/** The rows of a second factor that are a module's. */
function rowsOf(up: Float32Array, { rows }: LoraTarget): Float32Array {
  if (rows === undefined) return up
  const share = up.length / rows.all
  return up.subarray(rows.first * share, (rows.first + rows.count) * share)
}

function refuse({ name }: WeightFile, reason: string): ServiceError {
  return new ServiceError('unsupported', `The LoRA ${name} ${reason}.`, { param: 'loras' })
}
