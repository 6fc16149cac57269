import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../support/test-clock.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

/** Counts shared by all processes on one store. */
export function testSharedCounts(name: string, open: StoreFactory): void {
  const openRoomy = () => open({ clock: createTestClock(), limits: roomy })

  test(`${name} counts: concurrent requests stay within the limit of a minute, and the rest is reported`, async () => {
    await using store = await openRoomy()
    const take = (minute: number, wanted = 5, subject = 'a') => store.counts.takeOfMinute({ subject, minute, wanted, limit: 12 }, options)
    const answers = await Promise.all([take(7), take(7), take(7), take(7)])
    assert.deepEqual(answers.map(({ granted }) => granted).toSorted(), [0, 2, 5, 5])
    assert.deepEqual(await take(7), { granted: 0, left: 0 })
    assert.deepEqual(await take(7, 5, 'b'), { granted: 5, left: 7 })
    assert.deepEqual(await take(8), { granted: 5, left: 7 })
  })

  test(`${name} counts: a request for a past minute counts in the current one`, async () => {
    await using store = await openRoomy()
    const take = (minute: number) => store.counts.takeOfMinute({ subject: 'a', minute, wanted: 1, limit: 2 }, options)
    assert.deepEqual(
      [await take(8), await take(7), await take(8)].map(({ granted }) => granted),
      [1, 1, 0],
    )
  })

  test(`${name} counts: setting the clock back starts a new minute`, async () => {
    await using store = await openRoomy()
    const take = (minute: number) => store.counts.takeOfMinute({ subject: 'a', minute, wanted: 2, limit: 2 }, options)
    assert.deepEqual(
      [await take(100), await take(100), await take(40), await take(40), await take(41)].map(({ granted }) => granted),
      [2, 0, 2, 0, 2],
    )
  })

  test(`${name} counts: a process keeps the places that it reports, within the limit`, async () => {
    await using store = await openRoomy()
    const keep = (places: number) => store.counts.keepPlaces({ subject: 'a', places, limit: 10 }, options)
    assert.deepEqual([await keep(4), await keep(12), await keep(0), await keep(3)], [4, 10, 0, 3])
  })
}
