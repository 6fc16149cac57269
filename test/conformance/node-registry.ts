import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeOffer } from '../../src/core/cluster/node.ts'
import { type Clock, hourMs } from '../../src/core/ports/clock.ts'
import type { NodeRegistry } from '../../src/core/ports/node-registry.ts'
import { describeFakeImage, describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { makeNodeReport } from '../support/cluster/node-report.ts'
import { createTestClock } from '../support/test-clock.ts'
import { options } from './store-factory.ts'

export type NodeRegistryFactory = (settings: { readonly clock: Clock }) => Promise<NodeRegistry & AsyncDisposable>

const offer: NodeOffer = {
  models: [describeFakeText(), describeFakeImage()],
  assets: [{ kind: 'lora', name: 'ink', file: '/ink.safetensors', family: 'sdxl', bytes: 7, created: 1 }],
}

/** Reporting, offering and leaving. */
export function testNodeRegistry(name: string, open: NodeRegistryFactory): void {
  test(`${name} registry: a report returns all reported nodes, ordered by id`, async () => {
    const clock = createTestClock()
    await using registry = await open({ clock })
    const second = makeNodeReport('b', {
      role: 'worker',
      models: [{ modelId: 'm', state: 'loaded', memoryBytes: 5, slots: 2, inUse: 1, waiting: 0, contextLength: 512 }],
    })
    assert.deepEqual(await registry.report(second, options), [{ ...second, seenAt: clock.now(), hasOffer: false }])
    const first = makeNodeReport('a', { role: 'api', url: null })
    assert.deepEqual(await registry.report(first, options), [
      { ...first, seenAt: clock.now(), hasOffer: false },
      { ...second, seenAt: clock.now(), hasOffer: false },
    ])
    const drained = { ...second, draining: true }
    assert.deepEqual((await registry.report(drained, options))[1], { ...drained, seenAt: clock.now(), hasOffer: false })
  })

  test(`${name} registry: a node without a report for six seconds is left out, and returns with its next report`, async () => {
    const clock = createTestClock()
    await using registry = await open({ clock })
    const ids = async () => (await registry.report(makeNodeReport('a'), options)).map(({ id }) => id)
    await registry.report(makeNodeReport('b'), options)
    await clock.advance(5999)
    assert.deepEqual(await ids(), ['a', 'b'])
    await clock.advance(1)
    assert.deepEqual(await ids(), ['a'])
    await registry.report(makeNodeReport('b'), options)
    assert.deepEqual(await ids(), ['a', 'b'])
  })

  test(`${name} registry: keeps the offers of a node until it leaves`, async () => {
    await using registry = await open({ clock: createTestClock() })
    assert.equal(await registry.findOffer('a', options), null)
    await registry.offer('a', { models: [], assets: [] }, options)
    await registry.report(makeNodeReport('a'), options)
    await registry.offer('a', offer, options)
    assert.deepEqual(await registry.findOffer('a', options), offer)
    await registry.leave('a', options)
    assert.equal(await registry.findOffer('a', options), null)
    assert.deepEqual(
      (await registry.report(makeNodeReport('b'), options)).map(({ id }) => id),
      ['b'],
    )
  })

  test(`${name} registry: forgets the offer of a node after an hour of silence, and reports that it is missing`, async () => {
    const clock = createTestClock()
    await using registry = await open({ clock })
    const hasOffer = async () => (await registry.report(makeNodeReport('b'), options)).find(({ id }) => id === 'b')?.hasOffer
    await registry.offer('b', offer, options)
    assert.equal(await hasOffer(), true)
    await clock.advance(hourMs)
    await registry.report(makeNodeReport('a'), options)
    assert.equal(await hasOffer(), true)
    await clock.advance(hourMs + 1)
    await registry.report(makeNodeReport('a'), options)
    assert.equal(await registry.findOffer('b', options), null)
    assert.equal(await hasOffer(), false)
  })

  test(`${name} registry: concurrent calls return one id for the cluster`, async () => {
    await using registry = await open({ clock: createTestClock() })
    const ids = await Promise.all(Array.from({ length: 5 }, () => registry.cluster(options)))
    assert.equal(new Set(ids).size, 1)
    assert.match(ids[0] ?? '', /^[\w-]{8,64}$/)
  })

  test(`${name} registry: concurrent calls return one bucket for the cluster, the first one reported`, async () => {
    await using registry = await open({ clock: createTestClock() })
    assert.equal(await registry.bucket(null, options), null)
    const found = await Promise.all(Array.from({ length: 5 }, (_, index) => registry.bucket(`bucket-${index}`, options)))
    assert.equal(new Set(found).size, 1)
    assert.match(found[0] ?? '', /^bucket-[0-4]$/)
    assert.equal(await registry.bucket(null, options), found[0])
  })
}
