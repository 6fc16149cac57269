import assert from 'node:assert/strict'
import { test } from 'node:test'
import { follow, start } from '../../../../test/support/engines/followed-generation.ts'
import { CountingContext } from '../binding/counting-context.ts'

test('half of the texts that only continue are drawn behind their batch, and the other half by the loop when it is done', async () => {
  let computing = false
  class ComputingContext extends CountingContext {
    override async decodeBatch(threads: number): Promise<boolean> {
      computing = true
      await new Promise((resolve) => setImmediate(resolve))
      computing = false
      return await super.decodeBatch(threads)
    }
  }
  for (const inOrder of [true, false]) {
    const { loop } = start(5, { context: new ComputingContext(), inOrder, batchMs: 100 })
    const draws = Array.from({ length: 5 }, (): boolean[] => [])
    const all = draws.map((own) => follow([7], { limit: 3, draw: () => Promise.resolve(own.push(computing)) }))
    for (const { generation } of all) loop.submit(generation)
    await Promise.all(all.map(({ released }) => released))
    for (const { log } of all) assert.deepEqual(log, ['prompt 0', '1', '2', '3', 'limit'])
    assert.equal(draws.filter((own) => own.at(-1)).length, inOrder ? 3 : 0)
  }
})

test('sampling queued behind a batch finishes before its generation returns its sampler', async () => {
  for (const end of ['cancelled', 'failed', 'enough'] as const) {
    const draw = Promise.withResolvers<number>()
    const order: string[] = []
    const context = new CountingContext()
    const { loop } = start(1, { context, inOrder: true, batchMs: 100 })
    let [draws, tokens] = [0, 0]
    const { generation } = follow([7, 7], {
      limit: 9,
      draw: () => {
        if (end === 'failed' && draws === 1) context.failures = 1
        return ++draws === 3 ? draw.promise.finally(() => order.push('drawn')) : Promise.resolve(1)
      },
      onToken: () => {
        if (++tokens < 2) return true
        if (end === 'cancelled') loop.cancel(generation)
        return end !== 'enough'
      },
      onRelease: () => order.push('released'),
    })
    loop.submit(generation)
    while (draws < 3) await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(order, [], end)
    draw.resolve(2)
    while (order.length < 2) await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(order, ['drawn', 'released'], end)
  }
})

test('a draw that fails leaves the samplers of the draws beside it alone', async () => {
  for (const inOrder of [true, false])
    for (const last of [1, 3]) {
      const pending = Promise.withResolvers<number>()
      const order: string[] = []
      const { loop } = start(2, { inOrder, batchMs: 100 })
      const draws: [number, number] = [0, 0]
      const drawing = (place: 0 | 1, atLast: () => Promise<number>) => () => (++draws[place] === last ? atLast() : Promise.resolve(1))
      const drawn = () => pending.promise.finally(() => order.push('drawn'))
      const slow = follow([7], { limit: 9, draw: drawing(0, drawn), onRelease: () => order.push('released') })
      const failing = follow([7], { limit: 9, draw: drawing(1, () => Promise.reject(new Error('It fails.'))) })
      loop.submit(slow.generation)
      loop.submit(failing.generation)
      while (draws[0] < last || draws[1] < last) await new Promise((resolve) => setImmediate(resolve))
      await new Promise((resolve) => setImmediate(resolve))
      assert.deepEqual(order, [], `draw ${last}`)
      pending.resolve(2)
      while (order.length < 2) await new Promise((resolve) => setImmediate(resolve))
      assert.deepEqual(order, ['drawn', 'released'], `draw ${last}`)
    }
})
