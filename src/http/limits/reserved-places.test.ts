import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ReservedPlaces } from './reserved-places.ts'

/** A store that answers slowly, and in which other processes hold some places. */
function slowCounts(others: number) {
  const requested: number[] = []
  return {
    requested,
    takeOfMinute: async () => ({ granted: 0, left: 0 }),
    async keepPlaces({ places, limit }: { readonly subject: string; readonly places: number; readonly limit: number }) {
      requested.push(places)
      await setImmediate()
      return Math.max(0, Math.min(places, limit - others))
    },
  }
}

test('requests that arrive while the store is slow get their places, up to the limit', async () => {
  const counts = slowCounts(0)
  const places = new ReservedPlaces(counts, 'polls a', () => {})
  const taken = await Promise.all(Array.from({ length: 100 }, () => places.take(256)))
  assert.equal(taken.filter((place) => place === null).length, 0)
  assert.ok(counts.requested.length <= 10, `${counts.requested.length} questions`)
})

test('only requests beyond the last place are refused', async () => {
  const places = new ReservedPlaces(slowCounts(226), 'polls a', () => {})
  const taken = await Promise.all(Array.from({ length: 100 }, () => places.take(256)))
  assert.equal(taken.filter((place) => place !== null).length, 30)
})
