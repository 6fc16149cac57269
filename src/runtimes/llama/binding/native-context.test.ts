import assert from 'node:assert/strict'
import { test } from 'node:test'
import { miniChat } from '../../../../test/support/mini-chat.ts'
import { NativeContext } from './native-context.ts'
import { openModelFile } from './open-model-file.ts'
import { ThreadPool } from './thread-pool.ts'

const { signal } = new AbortController()
const shape = { contextSize: 1024, batchSize: 512, sequences: 2, swaFullCache: true, makes: 'logits' } as const
const tokens = Uint32Array.from({ length: 500 }, (_, index) => 300 + ((index * 7919) % 3500))
const last = Uint32Array.of(tokens.length - 1)

test('a batch can be aborted while it is computed, and does not affect the next one', async () => {
  await using file = await openModelFile(miniChat.file, { signal })
  using pool = new ThreadPool(file.native.library, 2)
  const logits: Float32Array[] = []
  for (const stops of [false, true]) {
    await using context = await NativeContext.open(file.native, shape, { pool })
    assert.ok(context !== null)
    for (const stop of stops ? [true, false] : [false]) {
      context.initBatch()
      const [index = 0] = context.addToBatch(0, 0, tokens, last)
      const decoded = context.decodeBatch(2)
      if (stop) context.stopBatch()
      assert.equal(await decoded, !stop)
      if (stop) assert.ok(context.removeTokenCellsFromSequence(0, 0, -1))
      else logits.push(context.logits(index).slice())
    }
  }
  assert.deepEqual(logits[0], logits[1])
})

test('a batch of one thread leaves the pool, whose threads would otherwise poll beside it', async ({ mock }) => {
  await using file = await openModelFile(miniChat.file, { signal })
  using pool = new ThreadPool(file.native.library, 2)
  await using context = await NativeContext.open(file.native, shape, { pool })
  assert.ok(context !== null)
  const attach = mock.method(file.native.library.functions, 'llama_attach_threadpool')
  for (const [position, threads] of [1, 2, 2, 1, 1, 2].entries()) {
    context.initBatch()
    context.addToBatch(0, position, Uint32Array.of(300), Uint32Array.of())
    assert.ok(await context.decodeBatch(threads))
  }
  assert.deepEqual(
    attach.mock.calls.map(({ arguments: [, attached] }) => attached !== null),
    [true, false, true],
  )
})

/** Reads tokens into a sequence. @returns The logits after the last. */
async function read(context: NativeContext, sequence: number, first: number, read: Uint32Array): Promise<Float32Array> {
  context.initBatch()
  const [index = 0] = context.addToBatch(sequence, first, read, Uint32Array.of(read.length - 1))
  assert.ok(await context.decodeBatch(1))
  return context.logits(index).slice()
}

test('a copied sequence continues like its original, whatever part of its cells is used and whatever is copied before the next batch', async () => {
  await using file = await openModelFile(miniChat.file, { signal })
  using pool = new ThreadPool(file.native.library, 1)
  const next = Uint32Array.of(777)
  for (const length of [20, 400]) {
    await using context = await NativeContext.open(file.native, { ...shape, contextSize: 2048, sequences: 4 }, { pool })
    assert.ok(context !== null)
    await read(context, 0, 0, tokens.subarray(0, length))
    await read(context, 1, 0, tokens.subarray(50, 70))
    await context.copySequence(2, 0)
    await context.copySequence(3, 2)
    await context.copySequence(0, 1)
    const copies = [await read(context, 2, length, next), await read(context, 3, length, next)]
    const other = await read(context, 0, 20, next)
    assert.deepEqual(other, await read(context, 1, 20, next))
    assert.deepEqual(copies[0], copies[1])
    context.disposeSequence(0)
    await read(context, 0, 0, tokens.subarray(0, length))
    assert.deepEqual(copies[0], await read(context, 0, length, next))
  }
})

test('a copy of an empty sequence empties its target', async () => {
  await using file = await openModelFile(miniChat.file, { signal })
  using pool = new ThreadPool(file.native.library, 1)
  await using context = await NativeContext.open(file.native, shape, { pool })
  assert.ok(context !== null)
  const text = tokens.subarray(0, 20)
  const first = await read(context, 1, 0, text)
  await context.copySequence(1, 0)
  assert.deepEqual(await read(context, 1, 0, text), first)
})

test('keys and values at 8 bits give nearly the same output', async () => {
  await using file = await openModelFile(miniChat.file, { signal })
  using pool = new ThreadPool(file.native.library, 1)
  const likeliest: number[] = []
  const logits: Float32Array[] = []
  for (const cacheType of ['f16', 'q8_0'] as const) {
    await using context = await NativeContext.open(file.native, { ...shape, cacheType }, { pool })
    assert.ok(context !== null)
    const found = await read(context, 0, 0, tokens.subarray(0, 100))
    logits.push(found)
    likeliest.push(found.indexOf(Math.max(...found)))
  }
  assert.equal(likeliest[0], likeliest[1])
  assert.notDeepEqual(logits[0], logits[1])
})
