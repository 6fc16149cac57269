import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type GgufEntry, type GgufTensor, ggufFloat, ggufValue, writeGguf } from '../../../test/support/model-files/gguf-file.ts'
import { findAdapterFault } from './adapter-faults.ts'
import { readGgufHeader } from './gguf-header.ts'

const weight = 'blk.0.attn_q.weight'
const matrix = (name: string, shape: readonly number[], type = 0, bytesEach = 4): GgufTensor => ({
  ...{ name, shape, type },
  data: Buffer.alloc(bytesEach * shape.reduce((product, size) => product * size, 1)),
})
const a = (shape: readonly number[] = [64, 4], name = weight) => matrix(`${name}.lora_a`, shape)
const b = (shape: readonly number[] = [4, 64], name = weight) => matrix(`${name}.lora_b`, shape)
const alpha = (value: Buffer): GgufEntry => ['adapter.lora.alpha', value]

async function faultOf(tensors: readonly GgufTensor[], entries: readonly GgufEntry[] = [alpha(ggufFloat(8))]): Promise<string | null> {
  const file = writeGguf(entries, tensors)
  const header = await readGgufHeader(async (position, bytes) => file.subarray(position, position + bytes))
  assert.ok(!('fault' in header), JSON.stringify(header))
  return findAdapterFault(header)
}

suite('an adapter of a language model', () => {
  const [experts, tokens] = ['blk.0.ffn_up_exps.weight', 'token_embd.weight']
  for (const [what, tensors, entries] of [
    ['has two matrices', [a(), b()]],
    ['has norms beside them, which llama.cpp ignores', [a(), b(), matrix('blk.0.attn_norm.weight', [64])]],
    ['has matrices of blocks', [{ ...matrix(`${weight}.lora_a`, [64, 4], 8), data: Buffer.alloc(272) }, b()]],
    ['has matrices for each expert', [a([64, 4, 2], experts), b([4, 64, 2], experts)]],
    ['has no alpha', [a(), b()], []],
    ['has an alpha of zero, which has no effect', [a(), b()], [alpha(ggufFloat(0))]],
    ['has the rank 1, with a vector for each matrix', [a([64]), b([1, 64])]],
    // llama.cpp selects rows of the first matrix by token, so its converter stores that matrix transposed.
    ['changes the token embeddings', [a([4, 1000], tokens), b([4, 64], tokens)]],
  ] as const)
    test(`is accepted if it ${what}`, async () => assert.equal(await faultOf(tensors, entries), null))

  const ofWeight = `for "${weight}"`
  for (const [what, fault, tensors, entries] of [
    ['an alpha that is a text', 'has an alpha that is not a 32-bit number', [a(), b()], [alpha(ggufValue('8'))]],
    ['an alpha that is whole', 'has an alpha that is not a 32-bit number', [a(), b()], [alpha(ggufValue(8))]],
    ['an alpha that is not a number', 'has an alpha that is not a 32-bit number', [a(), b()], [alpha(ggufFloat(Number.NaN))]],
    ['an infinite alpha', 'has an alpha that is not a 32-bit number', [a(), b()], [alpha(ggufFloat(Number.POSITIVE_INFINITY))]],
    [
      'invocation tokens given as a text',
      'is an activated LoRA; use one that is not',
      [a(), b()],
      [['adapter.alora.invocation_tokens', ggufValue('1')]],
    ],
    ['no matrices', 'changes no weights', []],
    ['no second matrix', `holds only one of two matrices ${ofWeight}`, [a()]],
    ['no first matrix', `holds only one of two matrices ${ofWeight}`, [b()]],
    ['matrices of rank zero', `holds matrices of the ranks 0 and 0 ${ofWeight}`, [a([64, 0]), b([0, 64])]],
    ['matrices of two ranks', `holds matrices of the ranks 4 and 8 ${ofWeight}`, [a(), b([8, 64])]],
    [
      'whole numbers',
      `holds a matrix of I8, not of floating point numbers, ${ofWeight}`,
      [matrix(`${weight}.lora_a`, [64, 4], 24, 1), b()],
    ],
    [
      'an unknown type',
      `holds a matrix of type 77, not of floating point numbers, ${ofWeight}`,
      [matrix(`${weight}.lora_a`, [64, 4], 77), b()],
    ],
    [
      'a block type that llama.cpp uses only for intermediate results',
      `holds a matrix of Q8_1, not of floating point numbers, ${ofWeight}`,
      [{ ...matrix(`${weight}.lora_a`, [64, 4], 9), data: Buffer.alloc(288) }, b()],
    ],
    [
      'two ranks in the token embeddings',
      `holds matrices of the ranks 4 and 8 for "${tokens}"`,
      [a([4, 1000], tokens), b([8, 64], tokens)],
    ],
    ['four dimensions', `holds more than matrices ${ofWeight}`, [a([64, 4, 1, 2]), b([4, 64, 1, 2])]],
    ['experts for weights without experts', `holds more than matrices ${ofWeight}`, [a([64, 4, 2]), b([4, 64, 2])]],
    ['a different number of experts', `holds more than matrices for "${experts}"`, [a([64, 4, 2], experts), b([4, 64, 3], experts)]],
  ] as const)
    test(`is rejected for ${what}`, async () => assert.equal(await faultOf(tensors, entries), fault))
})
