import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { TransientMap } from './transient-map.ts'

suite('a map of requests', () => {
  test('holds what was set last for each key, until it is deleted', () => {
    const map = new TransientMap<number, { name: string }>()
    map.set(1, { name: 'first' })
    map.set(2, { name: 'second' })
    map.set(1, { name: 'third' })
    map.delete(2)
    map.delete(3)
    assert.deepEqual([...map], [[1, { name: 'third' }]])
    assert.deepEqual([[...map.keys()], map.size, map.get(1), map.get(2)], [[1], 1, { name: 'third' }, undefined])
  })

  test('frees deleted values without a full garbage collection', () => {
    setFlagsFromString('--expose-gc')
    const collect: NodeJS.GCFunction = runInNewContext('gc')
    const map = new TransientMap<number, number[]>()
    map.set(-1, [])
    // Moves the map's table to the old generation.
    collect()
    const before = process.memoryUsage().heapUsed
    for (let key = 0; key < 2000; key++) {
      map.set(key, new Array(1250).fill(key))
      if (key >= 30) map.delete(key - 30)
      if (key % 100 === 99) collect({ type: 'minor' })
    }
    const keptMb = (process.memoryUsage().heapUsed - before) / 2 ** 20
    // A Map keeps 17 MB of the 19.
    assert.ok(keptMb < 4, `${keptMb.toFixed(1)} MB are kept`)
  })
})
