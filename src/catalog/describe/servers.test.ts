import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitLogin } from './servers.ts'

test('a user name and password are removed from an address, and nothing else', () => {
  for (const [address, expected] of [
    ['http://gpu-1:8000/v1/', { url: 'http://gpu-1:8000/v1' }],
    ['https://gpu-1/a@b/v1', { url: 'https://gpu-1/a@b/v1' }],
    ['http://me:s%40cret@gpu-1/v1', { url: 'http://gpu-1/v1', login: 'me:s@cret' }],
    ['https://me@[::1]:8000', { url: 'https://[::1]:8000', login: 'me:' }],
  ] as const)
    assert.deepEqual(splitLogin(address), expected)
})
