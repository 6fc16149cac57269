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

test('a batch can be stopped while it is computed, and the next one is computed as if it had never been', async () => {
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
