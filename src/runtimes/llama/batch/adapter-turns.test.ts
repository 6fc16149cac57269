import assert from 'node:assert/strict'
import { test } from 'node:test'
import { follow, start } from '../../../../test/support/engines/followed-generation.ts'
import { CountingContext } from '../binding/counting-context.ts'
import { AdapterTurns } from './adapter-turns.ts'

const text = (key: string) => ({ generation: { adapters: { key } } })

test('texts with different adapters take turns of several batches, and a later one waits for at most one turn', () => {
  const turns = new AdapterTurns()
  const [plain, a, b] = [text(''), text('a'), text('b')]
  const serve = (running: Parameters<AdapterTurns['next']>[0]): string => {
    const members = turns.next(running)
    const keys = new Set(members.map(({ generation }) => generation.adapters.key))
    assert.equal(keys.size, 1)
    return `${[...keys][0]}${members.length}`
  }
  const order = (running: Parameters<AdapterTurns['next']>[0], count: number) =>
    Array.from({ length: count }, () => serve(running)).join(' ')
  assert.equal(order([a, a], 6), 'a2 a2 a2 a2 a2 a2')
  assert.equal(order([plain, a, plain], 9), '2 2 2 2 a1 a1 a1 a1 2')
  assert.equal(order([plain, a, b], 8), '1 1 1 b1 b1 b1 b1 a1')
  assert.equal(order([plain, b], 2), '1 1')
})

test('no batch mixes adapters, and cached tokens are reused only with the same adapters', async () => {
  const context = new CountingContext()
  const { loop } = start(3, { context })
  const set = (scale: number) => ({ key: `a ${scale}`, adapters: [{ pointer: 1n, scale }] })
  const prompt = Array<number>(12).fill(7)
  const all = [follow(prompt, { adapters: set(1) }), follow(prompt), follow(prompt, { adapters: set(1) })]
  for (const { generation } of all) loop.submit(generation)
  await Promise.all(all.map(({ released }) => released))
  assert.deepEqual(
    context.batches.map((batch, index) => `${context.scales[index]}|${batch}`),
    ['1|0:12 2:12', '1|0:1 2:1', '1|0:1 2:1', '|1:12', '|1:1', '|1:1'],
  )
  const later = follow(prompt, { adapters: set(0.5) })
  loop.submit(later.generation)
  await later.released
  assert.equal(later.log[0], 'prompt 0')
  const same = follow(prompt, { adapters: set(1) })
  loop.submit(same.generation)
  await same.released
  assert.equal(same.log[0], 'prompt 11')
})

test('a text continues with its adapters after others were freed', async () => {
  const context = new CountingContext()
  const { loop } = start(1, { context })
  const freed = Promise.withResolvers<void>()
  const set = { key: 'a', adapters: [{ pointer: 1n, scale: 1 }] }
  const text = follow([7, 7], {
    adapters: set,
    limit: 6,
    onToken: () => {
      loop.between(async () => loop.dropAdapters()).then(freed.resolve, freed.reject)
      return true
    },
  })
  loop.submit(text.generation)
  await Promise.all([text.released, freed.promise])
  assert.deepEqual(new Set(context.scales.map(String)), new Set(['1']))
})
