import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type GgufEntry, ggufFloat, ggufValue, writeGguf } from '../../../test/support/model-files/gguf-file.ts'
import { ggmlTypes } from './ggml-types.ts'
import { type GgufFacts, readGgufFacts } from './gguf-facts.ts'
import { readGgufHeader } from './gguf-header.ts'
import type { ReadAt } from './header-reader.ts'

const readFrom =
  (file: Uint8Array): ReadAt =>
  async (position, bytes) =>
    file.subarray(position, position + bytes)

async function factsOf(entries: readonly GgufEntry[]): Promise<GgufFacts | null> {
  const header = await readGgufHeader(readFrom(writeGguf(entries, [])))
  assert.ok(!('fault' in header), JSON.stringify(header))
  return readGgufFacts(header)
}

const llama: readonly GgufEntry[] = [
  ['general.architecture', ggufValue('llama')],
  ['llama.block_count', ggufValue(32)],
  ['llama.context_length', ggufValue(131_072)],
  ['llama.embedding_length', ggufValue(4096)],
  ['llama.attention.head_count', ggufValue(32)],
  ['llama.attention.head_count_kv', ggufValue(8)],
]
const words: GgufEntry = ['tokenizer.ggml.tokens', ggufValue(Array.from({ length: 30_000 }, (_, index) => `word ${index}`))]
const types: GgufEntry = ['tokenizer.ggml.token_type', ggufValue(Array.from({ length: 30_000 }, () => 1))]

describe('the header of a GGUF file', () => {
  it('describes the built-in model', async () => {
    const file = await readFile(fileURLToPath(new URL('../../../models/sepia-mini-chat/model.gguf', import.meta.url)))
    const header = await readGgufHeader(readFrom(file))
    assert.ok(!('fault' in header))
    const facts = readGgufFacts(header)
    assert.deepEqual([facts?.use, facts?.contextLength, facts?.layers, facts?.split], ['text', 1024, 8, null])
    assert.ok((facts?.parameters ?? 0) > 1e6)
  })

  it('is read past vocabularies, in any order of keys', async () => {
    for (const entries of [
      [...llama, words, types],
      [words, types, ...llama],
      [['clip.context_length', ggufValue(77)] as const, ...llama.toReversed(), ['llama.rope.freq_base', ggufFloat(10_000)] as const],
    ])
      assert.equal((await factsOf(entries))?.contextLength, 131_072)
  })

  it('keeps the requested lists, byte by byte', async () => {
    const file = writeGguf([...llama, ['tokenizer.ggml.tokens', ggufValue(['a', 'é', ''])], types], [])
    const header = await readGgufHeader(readFrom(file), { lists: ['tokenizer.ggml.tokens', 'tokenizer.ggml.token_type'] })
    assert.ok(!('fault' in header))
    assert.deepEqual(header.values.get('tokenizer.ggml.tokens'), ['a', 'Ã©', ''])
    assert.equal(String(header.values.get('tokenizer.ggml.token_type')).split(',').length, 30_000)
  })

  it('reports the bytes of keys and values, using the largest layer if layers differ', async () => {
    assert.equal((await factsOf(llama))?.cacheBytesPerToken, 32 * 8 * (128 + 128) * 2)
    const differing = [...llama.slice(0, 5), ['llama.attention.head_count_kv', ggufValue([8, 4, 0])] as const]
    assert.equal((await factsOf(differing))?.cacheBytesPerToken, 32 * 8 * (128 + 128) * 2)
  })

  it('distinguishes models that generate, embed, rerank, read images, adapt or draw', async () => {
    const architecture = (name: string): GgufEntry => ['general.architecture', ggufValue(name)]
    const headers: readonly (readonly GgufEntry[])[] = [
      [architecture('qwen3')],
      [architecture('nomic-bert')],
      [architecture('bert'), ['bert.pooling_type', ggufValue(4)]],
      [architecture('clip')],
      [architecture('llama'), ['general.type', ggufValue('adapter')], ['adapter.type', ggufValue('lora')]],
      [
        architecture('llama'),
        ['general.type', ggufValue('adapter')],
        ['adapter.type', ggufValue('lora')],
        ['adapter.alora.invocation_tokens', ggufValue([1, 2])],
      ],
      [architecture('flux')],
    ]
    const uses = await Promise.all(headers.map(factsOf))
    assert.deepEqual(
      uses.map((facts) => facts?.use),
      ['text', 'embeddings', 'reranker', 'projector', 'adapter', 'foreign-adapter', 'picture'],
    )
  })

  it('reports whether attention is causal, and how a text becomes one vector', async () => {
    const table: readonly (readonly [architecture: string, entries: readonly GgufEntry[], forward: boolean, pooling: string | null])[] = [
      ['llama', [], true, null],
      ['qwen3', [['qwen3.pooling_type', ggufValue(3)]], true, 'last'],
      ['qwen2', [['qwen2.pooling_type', ggufValue(1)]], true, 'mean'],
      ['llama', [['llama.attention.causal', ggufValue(false)]], false, null],
      ['gemma-embedding', [['gemma-embedding.pooling_type', ggufValue(99)]], false, null],
      ['llada', [], false, null],
    ]
    for (const [architecture, entries, readsForward, pooling] of table) {
      const facts = await factsOf([['general.architecture', ggufValue(architecture)], ...entries])
      assert.deepEqual([facts?.readsForward, facts?.pooling], [readsForward, pooling], architecture)
    }
  })

  it('reports which part of a split set it is', async () => {
    const facts = await factsOf([...llama, ['split.count', ggufValue(3)], ['split.no', ggufValue(1)]])
    assert.deepEqual(facts?.split, { index: 1, count: 3 })
    assert.equal((await factsOf([...llama, ['split.count', ggufValue(1)]]))?.split, null)
  })

  it('reports the expected length of the file from its known weight types and alignment', async () => {
    const tensor = { name: 'a', shape: [256, 2], type: 12, data: Buffer.alloc(288) }
    const promised = async (entries: readonly GgufEntry[], ...types: readonly number[]): Promise<number> => {
      const file = writeGguf(
        entries,
        types.map((type, index) => ({ ...tensor, type, name: `tensor ${index}` })),
      )
      const header = await readGgufHeader(readFrom(file))
      assert.ok(!('fault' in header))
      return header.promisedBytes - file.length
    }
    assert.ok((await promised(llama)) > -32)
    assert.equal(await promised(llama, 12), 0)
    assert.equal(await promised(llama, 12, 12), 0)
    // For an unknown type only the start is checked.
    assert.equal(await promised(llama, 12, 77), -288)
    const padded = await promised([...llama, ['general.alignment', ggufValue(4096)]], 12)
    assert.ok(padded > 0 && padded < 4096)
  })

  it('reports the type of most weights from the weights themselves, whatever the header claims', async () => {
    const labels = {
      ...{ 0: 'F32', 1: 'F16', 2: 'Q4_0', 3: 'Q4_1', 6: 'Q5_0', 7: 'Q5_1', 8: 'Q8_0', 30: 'BF16', 39: 'MXFP4' },
      ...{ 10: 'Q2_K', 11: 'Q3_K', 12: 'Q4_K', 13: 'Q5_K', 14: 'Q6_K', 34: 'TQ1_0', 35: 'TQ2_0' },
      ...{ 16: 'IQ2_XXS', 17: 'IQ2_XS', 18: 'IQ3_XXS', 19: 'IQ1_S', 20: 'IQ4_NL', 21: 'IQ3_S', 22: 'IQ2_S', 23: 'IQ4_XS', 29: 'IQ1_M' },
    }
    const tensor = (name: string, type: number, rows: number) => {
      const { block, bytes } = ggmlTypes.get(type) ?? { block: 0, bytes: 0 }
      return { name, shape: [256, rows], type, data: Buffer.alloc(((256 * rows) / block) * bytes) }
    }
    for (const [number, label] of Object.entries(labels)) {
      // Norms and token embeddings are stored with another type.
      const tensors = [
        tensor('norm', 0, 1),
        tensor('token_embd.weight', 14, 3),
        tensor('a', Number(number), 4),
        tensor('b', Number(number), 4),
      ]
      const header = await readGgufHeader(readFrom(writeGguf([...llama, ['general.file_type', ggufValue(15)]], tensors)))
      assert.ok(!('fault' in header), label)
      assert.equal(readGgufFacts(header)?.quantization, label)
    }
  })

  it('is rejected if it is not a header, has another version, is cut short, or has impossible sizes', async () => {
    const whole = writeGguf([...llama, words], [])
    const change = (edit: (file: Buffer) => void): Buffer => {
      const copy = Buffer.from(whole)
      edit(copy)
      return copy
    }
    const tensor = (name: string, bytes: number, type = 12, shape = [256, 2]) => ({ name, shape, type, data: Buffer.alloc(bytes) })
    const notItsSize = (name: string, type: string, takes: number, room: number) =>
      `holds ${room} bytes for the tensor "${name}", whose type ${type} takes ${takes}`
    const table: readonly (readonly [Buffer, string])[] = [
      [writeGguf(llama, [tensor('a', 32), tensor('b', 32)]), notItsSize('a', 'Q4_K', 288, 32)],
      // Q8_0 labelled as Q4_0, with bytes left between it and the next, and Q4_0 labelled as Q8_0, which reaches into it.
      [writeGguf(llama, [tensor('a', 544, 2), tensor('b', 288)]), notItsSize('a', 'Q4_0', 288, 544)],
      [writeGguf(llama, [tensor('a', 288, 8), tensor('b', 288)]), notItsSize('a', 'Q8_0', 544, 288)],
      [writeGguf(llama, [tensor('a', 288), tensor('b', 100, 2), tensor('c', 288)]), notItsSize('b', 'Q4_0', 288, 128)],
      [writeGguf(llama, [tensor('a', 288), tensor('a', 288)]), 'holds the tensor "a" twice'],
      [writeGguf(llama, [tensor('a', 288, 12, [32, 16])]), 'has a tensor "a" whose rows are not a multiple of its block size'],
      [
        writeGguf([...llama, ['general.alignment', ggufValue(64)]], [tensor('a', 288), tensor('b', 288)]),
        notItsSize('a', 'Q4_K', 288, 288),
      ],
      ...[0, 48, 'wide'].map((alignment): readonly [Buffer, string] => [
        writeGguf([...llama, ['general.alignment', ggufValue(alignment)]], [tensor('a', 288)]),
        'has a `general.alignment` that is not a power of two',
      ]),
      [change((file) => file.writeBigUInt64LE(65_537n, 8)), 'has a damaged header'],
      [Buffer.alloc(0), 'has a damaged header'],
      [Buffer.from('weights and more'), 'is not a GGUF file'],
      [change((file) => file.writeUInt32LE(1, 4)), 'is of GGUF version 1 instead of 2 or 3'],
      [change((file) => file.writeUInt32BE(3, 4)), 'is a big-endian GGUF file; use a little-endian one'],
      [whole.subarray(0, 1000), 'has a damaged header'],
      [change((file) => file.writeBigUInt64LE(2n ** 60n, 8)), 'has a damaged header'],
      [change((file) => file.writeBigUInt64LE(2n ** 60n, 16)), 'has a damaged header'],
      [change((file) => file.writeBigUInt64LE(2n ** 60n, 24)), 'has a damaged header'],
      [change((file) => file.writeUInt32LE(99, 24 + 8 + 'general.architecture'.length)), 'has a damaged header'],
    ]
    for (const [file, fault] of table) assert.deepEqual(await readGgufHeader(readFrom(file)), { fault })
  })
})
