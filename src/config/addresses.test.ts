import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isReachableLocallyOnly, resolveAddresses } from './addresses.ts'

const nothingSet = { publicUrl: null, imageUrl: null, asyncUrl: null, textUrl: null }

test('addresses that are not set follow the public one, and that the listening one', () => {
  const listening = 'http://127.0.0.1:8080'
  assert.deepEqual(Object.values(resolveAddresses(nothingSet, listening)), [listening, listening, listening, listening])
  const publicUrl = 'https://sepia.example'
  const asyncUrl = 'https://later.example'
  assert.deepEqual(resolveAddresses({ ...nothingSet, publicUrl, asyncUrl }, listening), {
    publicUrl,
    imageUrl: publicUrl,
    asyncUrl,
    textUrl: publicUrl,
  })
})

test('links work only on this machine if the service listens on every address and has no public one', () => {
  for (const host of ['0.0.0.0', '::']) {
    assert.equal(isReachableLocallyOnly(nothingSet, host), true, host)
    assert.equal(isReachableLocallyOnly({ publicUrl: 'https://sepia.example' }, host), false, host)
  }
  for (const host of ['127.0.0.1', '::1', 'localhost', '192.168.1.5']) assert.equal(isReachableLocallyOnly(nothingSet, host), false, host)
})
