import assert from 'node:assert/strict'
import { getActiveResourcesInfo } from 'node:process'
import { test } from 'node:test'
import { findConfinement } from './find-confinement.ts'

test('a machine without commands that confine engines has none, and nothing is left waiting for them', async () => {
  const timers = () => getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  const before = timers()
  const { closeFiles, closeNetwork, limitMemory } = await findConfinement({ environment: { PATH: '/nowhere' } })
  assert.deepEqual([closeFiles, closeNetwork, limitMemory], [null, null, null])
  assert.equal(timers(), before)
})
