import assert from 'node:assert/strict'
import { test } from 'node:test'
import { follow, SlowContext, start } from '../../../../test/support/engines/followed-generation.ts'
import { CountingContext } from '../binding/counting-context.ts'

/** A context whose batches run until they are stopped. */
class StoppableContext extends CountingContext {
  #stop: () => void = () => {}

  override async decodeBatch(threads: number): Promise<boolean> {
    await super.decodeBatch(threads)
    await new Promise<void>((resolve) => {
      this.#stop = resolve
    })
    return false
  }
  override stopBatch(): void {
    this.#stop()
  }
}

test('a prompt whose readers have all left is stopped inside its batch, and its tokens are discarded', async () => {
  for (const end of ['cancelled', 'unloaded'] as const) {
    const context = new StoppableContext()
    const { loop } = start(2, { context, inOrder: true })
    const { generation, log, released } = follow([1, 2, 3])
    loop.submit(generation)
    while (context.batches.length === 0) await new Promise((resolve) => setImmediate(resolve))
    if (end === 'cancelled') loop.cancel(generation)
    else await loop[Symbol.asyncDispose]()
    await released
    assert.deepEqual([context.batches, context.removals], [['0:3'], ['0:0']], end)
    assert.equal(log.length, end === 'cancelled' ? 0 : 1)
  }
})

test('a batch with other texts continues', async () => {
  const context = new SlowContext()
  let stops = 0
  context.stopBatch = () => stops++
  const { loop } = start(2, { context })
  const [first, second] = [follow([1, 2, 3]), follow([4, 5, 6])]
  loop.submit(first.generation)
  loop.submit(second.generation)
  while (context.requested.length === 0) await new Promise((resolve) => setImmediate(resolve))
  loop.cancel(first.generation)
  assert.equal(stops, 0)
  loop.cancel(second.generation)
  assert.equal(stops, 1)
  context.finishBatches()
  await Promise.all([first.released, second.released])
})
