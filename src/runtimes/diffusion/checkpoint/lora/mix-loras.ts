import { Tensor } from 'onnxruntime-node'
import { ServiceError } from '../../../../core/error.ts'
import { floatAt } from '../../value-at.ts'
import { additionInput } from '../graph/graph-builder.ts'
import type { WeightTable } from '../weights/weight-table.ts'
import { additionKey, type BranchKey, branchKey, loraInputs } from './lora-branches.ts'
import type { LoraChange } from './lora-change.ts'
import type { LoraNetwork } from './lora-modules.ts'
import { sizesOf } from './matrices.ts'
import type { Lora } from './read-lora.ts'

/** A LoRA and how strongly it counts. */
export interface WeightedLora {
  readonly lora: Lora
  readonly weight: number
  /** For text encoders; absent = the same. */
  readonly textWeight?: number
}

/** Changes that one branch holds. */
interface Branch {
  readonly module: string
  readonly parts: readonly { readonly change: LoraChange; readonly weight: number; readonly name: string }[]
}

/** The branches that some LoRAs need in a network. */
export function changedBranches(loras: readonly WeightedLora[], network: LoraNetwork): ReadonlySet<BranchKey> {
  return new Set(groupBranches(loras, network).keys())
}

function groupBranches(loras: readonly WeightedLora[], network: LoraNetwork): ReadonlyMap<BranchKey, Branch> {
  const branches = new Map<BranchKey, Branch>()
  const counts = new Map<string, number>()
  const numbered = (module: string, kind: 'kronecker' | 'rows' | 'columns'): BranchKey => {
    const count = counts.get(`${kind} ${module}`) ?? 0
    counts.set(`${kind} ${module}`, count + 1)
    return branchKey(module, kind, count)
  }
  for (const { lora, weight, textWeight = weight } of loras) {
    const counted = network === 'unet' ? weight : textWeight
    for (const change of lora.modules) {
      if (change.network !== network) continue
      const { module } = change
      const key = ((): BranchKey => {
        if (change.kind === 'difference') return additionKey(`${module}.${change.tensor}`)
        if (change.kind === 'kronecker') return numbered(module, 'kronecker')
        return change.magnitude === null ? module : numbered(module, change.magnitude.of === 'outputs' ? 'rows' : 'columns')
      })()
      branches.set(key, { module, parts: [...(branches.get(key)?.parts ?? []), { change, weight: counted, name: lora.name }] })
    }
  }
  return branches
}

/**
 * The numbers of every branch that a graph has: low-rank factors of all LoRAs side by side, weight and scale in the second factor. A module
 * that none of them changes gets a rank of one and zeros.
 *
 * @throws {ServiceError} `unsupported` when sizes do not fit the module.
 */
export function mixLoras(
  loras: readonly WeightedLora[],
  {
    network,
    weights,
    branches,
  }: { readonly network: LoraNetwork; readonly weights: WeightTable; readonly branches: ReadonlySet<BranchKey> },
): Readonly<Record<string, Tensor>> {
  const grouped = groupBranches(loras, network)
  const feeds: Record<string, Tensor> = {}
  for (const key of branches) {
    const { module, parts } = grouped.get(key) ?? { module: key, parts: [] }
    if (key.startsWith('add:')) Object.assign(feeds, addition(weights, key.slice('add:'.length), parts))
    else Object.assign(feeds, beside(weights, key, { module, parts }))
  }
  return feeds
}

function refuse(module: string, parts: Branch['parts']): ServiceError {
  const names = [...new Set(parts.map(({ name }) => name))].join(' or ')
  const message = `The LoRA ${names} holds matrices of other sizes than the model for "${module}"; it is for another family.`
  return new ServiceError('unsupported', message, { param: 'loras' })
}

function addition(weights: WeightTable, tensor: string, parts: Branch['parts']): Readonly<Record<string, Tensor>> {
  const stored = weights.find(tensor)
  const sum = new Float32Array(stored?.shape.reduce((product, size) => product * size, 1) ?? 0)
  for (const { change, weight, name } of parts) {
    if (stored === undefined || change.kind !== 'difference' || change.values.length !== sum.length)
      throw refuse(tensor, [{ change, weight, name }])
    for (let i = 0; i < sum.length; i++) sum[i] = floatAt(sum, i) + floatAt(change.values, i) * change.scale * weight
  }
  return { [additionInput(tensor)]: new Tensor('float32', sum, stored?.shape ?? []) }
}

function beside(weights: WeightTable, key: BranchKey, { module, parts }: Branch): Readonly<Record<string, Tensor>> {
  const [outputs = 0, ...inner] = weights.get(`${module}.weight`).shape
  const isLinear = inner.slice(1).every((size) => size === 1)
  const inputs = inner.reduce((product, size) => product * size, 1)
  const asConvolution = inner.length > 1 && !(isLinear && takesRows(module))
  const names = loraInputs(key)
  const [only] = parts
  if (only?.change.kind === 'kronecker') {
    const { outer, inner: kernel, scale } = only.change
    const [[a, b], [c, d]] = [sizesOf(outer), sizesOf(kernel)]
    if (a * c !== outputs || b * d !== inputs) throw refuse(module, parts)
    const scaled = outer.values.map((value) => value * scale * only.weight)
    const sizes = asConvolution ? [c, d / inner.slice(1).reduce((product, size) => product * size, 1), ...inner.slice(1)] : [c, d]
    return { [names.up]: new Tensor('float32', scaled, [a, b]), [names.down]: new Tensor('float32', kernel.values, sizes) }
  }
  const { down, up, rank } = joinFactors(parts, { module, inputs, outputs })
  const lengths = only?.change.kind === 'factors' ? only.change.magnitude : null
  const expected = lengths?.of === 'inputs' ? inputs : outputs
  if (lengths !== null && (lengths.values.length !== expected || (lengths.of === 'inputs' && asConvolution))) throw refuse(module, parts)
  return {
    [names.down]: new Tensor('float32', down, asConvolution ? [rank, ...inner] : [rank, inputs]),
    [names.up]: new Tensor('float32', up, asConvolution ? [outputs, rank, 1, 1] : [outputs, rank]),
    ...(lengths && { [names.lengths]: new Tensor('float32', Float32Array.from(lengths.values), [expected]) }),
  }
}

/** Whether a 1 × 1 convolution is computed as a linear layer over rows: those around attention are. */
function takesRows(module: string): boolean {
  return /\.proj_(?:in|out)$/u.test(module)
}

function joinFactors(
  parts: Branch['parts'],
  { module, inputs, outputs }: { readonly module: string; readonly inputs: number; readonly outputs: number },
): { readonly down: Float32Array; readonly up: Float32Array; readonly rank: number } {
  const factors = parts.flatMap(({ change, weight }) =>
    change.kind === 'factors' ? [{ ...change, weight, own: sizesOf(change.down)[0] }] : [],
  )
  const rank = Math.max(
    1,
    factors.reduce((sum, { own }) => sum + own, 0),
  )
  const down = new Float32Array(rank * inputs)
  const up = new Float32Array(outputs * rank)
  let at = 0
  for (const { down: first, up: second, scale, weight, own } of factors) {
    if (first.values.length !== own * inputs || second.values.length !== outputs * own) throw refuse(module, parts)
    down.set(first.values, at * inputs)
    for (let row = 0; row < outputs; row++)
      for (let column = 0; column < own; column++)
        up[row * rank + at + column] = floatAt(second.values, row * own + column) * scale * weight
    at += own
  }
  return { down, up, rank }
}
