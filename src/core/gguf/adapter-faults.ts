import { ggmlTypes } from './ggml-types.ts'
import type { GgufHeader } from './gguf-header.ts'
import type { GgufTensor } from './gguf-tensors.ts'

const alphaKey = 'adapter.lora.alpha'
/** Types that llama.cpp multiplies with; Q8_1 and Q8_K hold only intermediate results. */
const multiplied = /^(?:F32|F16|BF16|(?!Q8_[1K]$)I?Q\d.*|TQ\d.*|MXFP4)$/u
/** The embedding table: llama.cpp selects rows of its first matrix by token, so that matrix is stored transposed. */
const embeddingTable = /token_embd\.weight$/u

/**
 * Why llama.cpp cannot apply an adapter, completing a sentence that begins with its name; null = its header has no fault. llama.cpp does not check this,
 * and ends the engine with everybody's requests.
 */
export function findAdapterFault({ values, valueTypes, tensors }: GgufHeader): string | null {
  const alpha = values.get(alphaKey)
  if (valueTypes.has(alphaKey) && (valueTypes.get(alphaKey) !== 'float32' || !Number.isFinite(alpha)))
    return 'has an alpha that is not a 32-bit number'
  if (valueTypes.has('adapter.alora.invocation_tokens')) return 'is an activated LoRA; use one that is not'
  const named = new Map(tensors.map((tensor) => [tensor.name, tensor]))
  const changed = new Set(tensors.flatMap(({ name }) => (/\.lora_[ab]$/u.test(name) ? [name.slice(0, -'.lora_a'.length)] : [])))
  if (changed.size === 0) return 'changes no weights'
  for (const name of changed) {
    const fault = findPairFault(name, named.get(`${name}.lora_a`), named.get(`${name}.lora_b`))
    if (fault !== null) return `${fault} for ${JSON.stringify(name.slice(0, 100))}`
  }
  return null
}

function findPairFault(name: string, a: GgufTensor | undefined, b: GgufTensor | undefined): string | null {
  if (a === undefined || b === undefined) return 'holds only one of two matrices'
  for (const { type } of [a, b]) {
    const stored = ggmlTypes.get(type)?.name
    if (stored === undefined || !multiplied.test(stored))
      return `holds a matrix of ${stored ?? `type ${type}`}, not of floating point numbers,`
  }
  const [rank = 1, experts] = [a.shape[embeddingTable.test(name) ? 0 : 1], expertsOf(a)]
  if (rank === 0 || b.shape[0] !== rank) return `holds matrices of the ranks ${rank} and ${b.shape[0] ?? 0}`
  const areMatrices = experts === expertsOf(b) && (experts === 1 || name.includes('_exps.'))
  return areMatrices && [a, b].every(({ shape }) => (shape[3] ?? 1) === 1) ? null : 'holds more than matrices'
}

function expertsOf({ shape }: GgufTensor): number {
  return shape[2] ?? 1
}
