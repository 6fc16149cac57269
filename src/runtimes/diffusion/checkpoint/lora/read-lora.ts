import { refuseLora } from '../../../../core/checkpoint/lora-refusal.ts'
import { refuseAdapterNumbers } from '../../../../core/checkpoint/stored-weights.ts'
import { ServiceError } from '../../../../core/error.ts'
import { isRecord, parseRecord } from '../../../../core/json-value.ts'
import type { Abortable } from '../../../../core/waiting.ts'
import { type BundledEmbedding, isBundledEmbedding, readBundledEmbeddings } from '../embeddings/read-embedding.ts'
import { findUnsound, readTensors } from '../weights/read-tensor.ts'
import { readWeightFile, type WeightFile } from '../weights/weight-table.ts'
import { type LoraChange, readChanges } from './lora-change.ts'
import { type LoraPart, type LoraTarget, type LoraTargets, readLoraKey } from './lora-modules.ts'

/** A LoRA's change of one module. */
export type LoraModule = LoraTarget & LoraChange

/** A LoRA in memory. */
export interface Lora {
  /** Name in messages. */
  readonly name: string
  readonly modules: readonly LoraModule[]
  readonly embeddings: readonly BundledEmbedding[]
  readonly bytes: number
}

/**
 * Reads a LoRA for the modules of a model.
 *
 * @throws {ServiceError} `unsupported` when it is of a kind or for a model that does not fit.
 */
export async function readLora(path: string, targets: LoraTargets, { signal }: Abortable): Promise<Lora> {
  const file = await readWeightFile(path)
  const names = [...file.tensors.keys()]
  const refusal = refuseLora(names)
  if (refusal !== null) throw refuse(file, refusal)
  const parts = new Map<string, Map<LoraPart, string>>()
  for (const name of names) {
    if (isBundledEmbedding(name)) continue
    const key = readLoraKey(name)
    if (key === null) throw refuse(file, `holds "${name}", which belongs to no LoRA that Sepia can apply`)
    parts.set(key.module, (parts.get(key.module) ?? new Map<LoraPart, string>()).set(key.part, name))
  }
  const unreadable = refuseAdapterNumbers(file.tensors)
  if (unreadable !== null) throw refuse(file, unreadable)
  const tensors = await readTensors(file, names, { signal })
  const unsound = findUnsound(tensors)
  if (unsound !== null) throw refuse(file, unsound)
  const embeddings = readBundledEmbeddings(file, tensors)
  const peftScale = readPeftScale(file.metadata)
  const modules = [...parts].flatMap(([module, own]): readonly LoraModule[] => {
    const target = targets.get(module)
    if (target === undefined) throw refuse(file, `changes "${module}", which the model does not have; it is for another family`)
    const find = (part: LoraPart) => {
      const [values, shape] = [tensors.get(own.get(part) ?? ''), file.tensors.get(own.get(part) ?? '')?.shape]
      return values === undefined || shape === undefined ? undefined : { values, shape }
    }
    return target.flatMap((each) => {
      const changes = readChanges(find, each, { ownScale: (rank) => peftScale(module, rank) })
      if ('fault' in changes) throw refuse(file, `${changes.fault} for "${module}"`)
      return changes.map((change) => ({ ...each, ...change }))
    })
  })
  if (modules.length === 0 && embeddings.length === 0) throw refuse(file, 'holds no LoRA')
  return { name: file.name, modules, embeddings, bytes: modules.reduce((sum, change) => sum + bytesOf(change), 0) }
}

function bytesOf(change: LoraChange): number {
  if (change.kind === 'factors') return change.down.values.byteLength + change.up.values.byteLength
  return change.kind === 'difference' ? change.values.byteLength : change.outer.values.byteLength + change.inner.values.byteLength
}

function refuse({ name }: WeightFile, reason: string): ServiceError {
  return new ServiceError('unsupported', `The LoRA ${name} ${reason}.`, { param: 'loras' })
}

/** Scale of a LoRA without `alpha` tensors, by module and rank. */
export type PeftScale = (module: string, rank: number) => number

/** Reads the scale that peft's adapters carry in their metadata (`lora_adapter_metadata`); alpha equals the rank where there is none. */
export function readPeftScale(metadata: ReadonlyMap<string, string>): PeftScale {
  const config = parseRecord(metadata.get('lora_adapter_metadata') ?? '') ?? {}
  return (module, rank) => {
    const component = module.slice(0, module.indexOf('.'))
    const inside = module.slice(component.length + 1)
    const patterns = config[`${component}.alpha_pattern`]
    const own = isRecord(patterns)
      ? Object.entries(patterns).find(([pattern]) => inside === pattern || inside.endsWith(`.${pattern}`))?.[1]
      : undefined
    const alpha = own ?? config[`${component}.lora_alpha`]
    if (typeof alpha !== 'number') return 1
    return config[`${component}.use_rslora`] === true ? alpha / Math.sqrt(rank) : alpha / rank
  }
}
