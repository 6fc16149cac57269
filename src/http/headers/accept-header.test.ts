import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readImageAccept } from './accept-header.ts'

for (const [header, answer] of [
  [undefined, 'json'],
  ['', 'json'],
  ['*/*', 'json'],
  ['application/json', 'json'],
  ['text/html', 'json'],
  ['nonsense;q=x', 'json'],
  ['image/png', 'png'],
  ['IMAGE/JPEG', 'jpeg'],
  ['image/webp;q=0.9, image/png;q=0.1', 'webp'],
  ['image/*', 'any'],
  ['image/gif, image/png', 'png'],
  ['application/json, image/png', 'json'],
  ['image/png, application/json', 'png'],
  ['image/png;q=0.5, application/json', 'json'],
  ['image/png;q=0', 'json'],
] as const) {
  test(`Accept: ${header} selects ${answer}`, () => {
    const wanted = readImageAccept(header)
    assert.equal(wanted.type === 'json' ? 'json' : (wanted.encoding ?? 'any'), answer)
  })
}
