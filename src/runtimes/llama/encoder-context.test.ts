import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { miniChat } from '../../../test/support/mini-chat.ts'
import { ggufValue, readGgufHeader, writeGguf } from '../../../test/support/model-files/gguf-file.ts'
import { readGgufTensors } from '../../../test/support/model-files/read-tensors.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { ComputeThreads } from './binding/compute-threads.ts'
import { NativeContext } from './binding/native-context.ts'
import { type ModelFile, openModelFile } from './binding/open-model-file.ts'
import { ThreadPool } from './binding/thread-pool.ts'
import { EncoderContext } from './encoder-context.ts'

const { signal } = new AbortController()
const contextLength = 1024
const [mean, first, last] = [1, 2, 3] as const

/** The built-in model with another pooling type, by llama.cpp's number. */
async function openPooled(pooling: number): Promise<ModelFile> {
  await using folder = await createTemporaryFolder()
  const builtIn = await readFile(miniChat.file)
  const path = join(folder.path, 'model.gguf')
  await writeFile(path, writeGguf([...readGgufHeader(builtIn), ['llama.pooling_type', ggufValue(pooling)]], readGgufTensors(builtIn)))
  return await openModelFile(path, { signal })
}

/** An encoder without other requests, and the lengths of the pieces that it has read. */
function encode(file: ModelFile, { between = () => {}, memoryBytes = 1e9 } = {}): { encoder: EncoderContext; pieces: number[] } {
  const pieces: number[] = []
  const loop = {
    between: async <Result>(compute: () => Promise<Result>): Promise<Result> => {
      const result = await compute()
      between()
      return result
    },
  }
  class NotedThreads extends ComputeThreads {
    override decode(...[context, tokens]: Parameters<ComputeThreads['decode']>): Promise<boolean> {
      pieces.push(tokens)
      return super.decode(context, tokens)
    }
  }
  const pool = new ThreadPool(file.native.library, 1)
  const threads = new NotedThreads(pool, file.bytes)
  const options = { loop, threads, pool, contextLength, memoryBytes, ranking: false, wholeOnGpu: false, now: () => 0 }
  return { encoder: new EncoderContext(file, options), pieces }
}

async function readWhole({ native }: ModelFile, tokens: Uint32Array): Promise<Float64Array> {
  const shape = { contextSize: contextLength, batchSize: contextLength, sequences: 1, swaFullCache: false, makes: 'vectors' } as const
  await using context = await NativeContext.open(native, shape, { pool: new ThreadPool(native.library, 1) })
  assert.ok(context !== null)
  context.initBatch()
  context.addToBatch(0, 0, tokens, Uint32Array.of(tokens.length - 1))
  await context.decodeBatch(1)
  return context.embedding()
}

const text = (length: number): Uint32Array => Uint32Array.from({ length }, (_, index) => 300 + ((index * 7919) % 3500))

test('NaN and infinity are errors, not vectors', async () => {
  const builtIn = await readFile(miniChat.file)
  for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
    await using folder = await createTemporaryFolder()
    const tensors = readGgufTensors(builtIn).map((tensor) =>
      tensor.name === 'output_norm.weight'
        ? { ...tensor, data: Buffer.from(new Float32Array(tensor.data.length / 4).fill(bad).buffer) }
        : tensor,
    )
    const path = join(folder.path, 'model.gguf')
    await writeFile(path, writeGguf([...readGgufHeader(builtIn), ['llama.pooling_type', ggufValue(mean)]], tensors))
    await using file = await openModelFile(path, { signal })
    const { encoder } = encode(file)
    await using _ = encoder
    await assert.rejects(encoder.read(text(5), { signal }), { code: 'numerical_error' })
  }
})

test('a text read in pieces has exactly the same vector as in one batch', async () => {
  for (const pooling of [null, last]) {
    await using file = await (pooling === null ? openModelFile(miniChat.file, { signal }) : openPooled(pooling))
    const { encoder, pieces } = encode(file)
    await using _ = encoder
    for (const length of [1, 64, 127, 128, 129, 500])
      assert.deepEqual(await encoder.read(text(length), { signal }), await readWhole(file, text(length)), `${length} tokens`)
    assert.deepEqual(pieces.slice(0, 7), [1, 64, 127, 64, 64, 64, 65])
    assert.ok(Math.max(...pieces) < 128)
  }
})

test('mean pooling of a text read in pieces covers all its tokens', async () => {
  await using file = await openPooled(mean)
  const { encoder, pieces } = encode(file)
  await using _ = encoder
  const expected = await readWhole(file, text(300))
  const vector = await encoder.read(text(300), { signal })
  assert.equal(pieces.length, 4)
  assert.ok(Math.hypot(...expected) > 1)
  for (const [index, value] of expected.entries()) assert.ok(Math.abs(value - (vector[index] ?? Number.NaN)) < 1e-4, `${index}: ${value}`)
})

test('a model that pools the first token reads a text in one batch, if the logits of all its tokens fit in memory', async () => {
  await using file = await openPooled(first)
  const { encoder, pieces } = encode(file)
  await using _ = encoder
  assert.deepEqual(await encoder.read(text(300), { signal }), await readWhole(file, text(300)))
  assert.deepEqual(pieces, [300])
  assert.equal(encoder.length, contextLength)
  const roomFor = (tokens: number) => encode(file, { memoryBytes: tokens * file.vocabularySize * 4 }).encoder.length
  assert.deepEqual([roomFor(500), roomFor(1)], [500, 256])
})

test('reading stops when the client leaves between two pieces, and does not affect the next text', async () => {
  await using file = await openModelFile(miniChat.file, { signal })
  const leaving = new AbortController()
  const { encoder, pieces } = encode(file, { between: () => leaving.abort(new Error('gone')) })
  await using _ = encoder
  await assert.rejects(encoder.read(text(1000), leaving), /gone/)
  assert.deepEqual(pieces, [64])
  assert.deepEqual(await encoder.read(text(100), { signal }), await readWhole(file, text(100)))
})
