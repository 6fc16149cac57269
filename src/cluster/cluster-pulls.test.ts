import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNode } from '../../test/support/cluster/start-node.ts'
import { createTestClock } from '../../test/support/test-clock.ts'
import { createSystemClock } from '../composition/system-clock.ts'
import { ModelPulls } from '../operations/model-pulls.ts'
import { createMemoryNodeRegistry } from '../storage/memory/node-registry.ts'

const source = 'https://models.example/tiger/model.json'
const options = { signal: new AbortController().signal }

/** Two nodes, of which the first pulls as its test says. */
async function startNodes() {
  await using parts = new AsyncDisposableStack()
  const clock = createTestClock()
  const hand = { progress: (_done: number, _total: number) => {}, stopped: 0, fail: (_reason: Error) => {} }
  const own = new ModelPulls((_source, { signal, onProgress }) => {
    hand.progress = onProgress
    signal.addEventListener('abort', () => {
      hand.stopped++
    })
    return new Promise((_resolve, reject) => {
      hand.fail = reject
    })
  }, clock)
  const registry = createMemoryNodeRegistry({ clock: createSystemClock() })
  const one = parts.use(await startNode({ registry, id: 'one', pulls: own }))
  const two = parts.use(await startNode({ registry, id: 'two' }))
  const owned = parts.move()
  /** What each reports the other hears. */
  const talk = async () => {
    for (const { view } of [one, two, one, two]) await view.refresh(options)
  }
  return { one, two, hand, clock, talk, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

test('a pull is seen on every node, with the machine that it comes to, its rate and its end', async () => {
  await using nodes = await startNodes()
  const { one, two, hand, clock, talk } = nodes
  one.pulls.start(source)
  const startedAt = clock.now()
  hand.progress(0, 100)
  await clock.advance(1000)
  hand.progress(40, 100)
  await talk()
  const seen = {
    source,
    startedAt,
    state: 'pulling',
    bytesDone: 40,
    bytesTotal: 100,
    bytesPerSecond: 40,
    reason: null,
    node: 'host of one',
  }
  assert.deepEqual(two.pulls.list(), [seen])
  assert.deepEqual(one.pulls.list(), [seen])
  hand.fail(new Error('There is no room. '.repeat(100)))
  await talk()
  assert.deepEqual([two.pulls.list()[0]?.state, two.pulls.list()[0]?.reason?.length], ['failed', 500])
})

test('a pull is stopped from any node, and one that is begun again afterwards goes on', async () => {
  await using nodes = await startNodes()
  const { one, two, hand, clock, talk } = nodes
  one.pulls.start(source)
  await talk()
  two.pulls.remove(source)
  assert.deepEqual(two.pulls.list(), [])
  await two.view.refresh(options)
  await one.view.refresh(options)
  assert.deepEqual([hand.stopped, one.pulls.list()], [1, []])
  await clock.advance(1)
  one.pulls.start(source)
  await talk()
  await talk()
  assert.deepEqual([hand.stopped, two.pulls.list().length], [1, 1])
})

test('a node of an earlier version, which tells of no pulls, has none', async () => {
  await using nodes = await startNodes()
  const { two, talk } = nodes
  await talk()
  assert.deepEqual(two.pulls.list(), [])
  assert.equal(
    two.view.nodes().every(({ pulls }) => pulls === undefined),
    true,
  )
})
