import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startNode } from '../../test/support/cluster/start-node.ts'
import { createMemoryNodeRegistry } from '../../test/support/memory/node-registry.ts'
import { createTestClock } from '../../test/support/test-clock.ts'
import { createSystemClock } from '../composition/system-clock.ts'
import { ModelPulls } from '../operations/model-pulls.ts'

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

test('every node shows a pull with its machine, rate and end', async () => {
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

test('a pull can be stopped from any node and started again', async () => {
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

test('a node of an earlier version, which reports no pulls, has none', async () => {
  await using nodes = await startNodes()
  const { two, talk } = nodes
  await talk()
  assert.deepEqual(two.pulls.list(), [])
  assert.equal(
    two.view.nodes().every(({ pulls }) => pulls === undefined),
    true,
  )
})

suite('a pull requested from a node that only serves clients', () => {
  /** An API node, and workers that note what they are asked to pull. */
  async function startApi(...workers: readonly string[]) {
    await using parts = new AsyncDisposableStack()
    const clock = createTestClock()
    const registry = createMemoryNodeRegistry({ clock: createSystemClock() })
    const started: string[] = []
    const startWorker = async (id: string) => {
      const pullModel = () => {
        started.push(id)
        return Promise.reject(new Error('There is no such model.'))
      }
      return parts.use(await startNode({ registry, id, role: 'worker', pulls: new ModelPulls(pullModel, clock) }))
    }
    const nodes = [parts.use(await startNode({ registry, id: 'api', role: 'api' }))]
    for (const id of workers) nodes.push(await startWorker(id))
    const owned = parts.move()
    const talk = async () => {
      for (let round = 0; round < 3; round++) for (const { view } of nodes) await view.refresh(options)
    }
    await talk()
    const leave = async (id: string) => {
      const at = nodes.findIndex((node) => node.id === id)
      await nodes.splice(at, 1)[0]?.[Symbol.asyncDispose]()
    }
    const [api] = nodes
    assert.ok(api !== undefined)
    return { api, started, talk, leave, [Symbol.asyncDispose]: () => owned.disposeAsync() }
  }

  test('begins once, on a node that runs models, and is visible at once', async () => {
    await using cluster = await startApi('a', 'b')
    cluster.api.pulls.start(source)
    cluster.api.pulls.start(source)
    assert.partialDeepStrictEqual(cluster.api.pulls.list(), [{ source, state: 'pulling', node: 'host of a' }])
    await cluster.talk()
    assert.deepEqual(cluster.started, ['a'])
    assert.partialDeepStrictEqual(cluster.api.pulls.list(), [
      { source, state: 'failed', reason: 'There is no such model.', node: 'host of a' },
    ])
    assert.equal(cluster.api.pulls.list().length, 1)
  })

  test('begins on another node if that one stops before it gets the request', async () => {
    await using cluster = await startApi('a', 'b')
    cluster.api.pulls.start(source)
    await cluster.leave('a')
    await cluster.talk()
    assert.deepEqual(cluster.started, ['b'])
  })

  test('does not begin when it is stopped before that', async () => {
    await using cluster = await startApi('a')
    cluster.api.pulls.start(source)
    cluster.api.pulls.remove(source)
    assert.deepEqual(cluster.api.pulls.list(), [])
    await cluster.talk()
    assert.deepEqual(cluster.started, [])
  })

  test('is rejected if no node runs models, or if there is no source', async () => {
    await using cluster = await startApi()
    assert.throws(() => cluster.api.pulls.start(source), { code: 'server_is_overloaded', message: /--role worker/ })
    assert.throws(() => cluster.api.pulls.start('/etc'), { code: 'validation_error' })
  })
})
