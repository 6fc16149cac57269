import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import {
  createAccessToken,
  hashAccessToken,
  isAccessTokenText,
  makeAccessTokenText,
  restoreAccessToken,
  revokeAccessToken,
} from './access-tokens.ts'

const options = { signal: new AbortController().signal }

test('a revocation cannot be undone while the account has its full number of tokens, or after a minute', async () => {
  const clock = createTestClock()
  await using store = createMemoryStore({ clock, limits: { maxPending: 1 } })
  const deps = { tokens: store.tokens, clock, mostTokens: 1 }
  const make = async () => {
    const { token } = await createAccessToken(deps, { accountId: 'a', name: 'laptop', scopes: ['read'], expiresAt: null }, options)
    return token
  }
  const first = await make()
  await revokeAccessToken(deps, first, options)
  const second = await make()
  await assert.rejects(restoreAccessToken(deps, first, options), { code: 'concurrency_limit_exceeded' })
  await revokeAccessToken(deps, second, options)
  await restoreAccessToken(deps, first, options)
  clock.jump(clock.now() + 61_000)
  await assert.rejects(restoreAccessToken(deps, second, options), { code: 'not_found' })
})

suite('the text of an access token', () => {
  test('is a prefix, 27 digits of secret and 6 of check, and never the same', () => {
    const texts = Array.from({ length: 100 }, makeAccessTokenText)
    for (const text of texts) {
      assert.match(text, /^sepia_[0-9A-Za-z]{33}$/)
      assert.ok(isAccessTokenText(text))
    }
    assert.equal(new Set(texts).size, 100)
  })

  test('differs from a text with any one character changed', () => {
    const text = makeAccessTokenText()
    for (let index = 0; index < text.length; index++) {
      const other = text[index] === 'a' ? 'b' : 'a'
      assert.equal(isAccessTokenText(text.slice(0, index) + other + text.slice(index + 1)), false)
    }
    for (const wrong of ['', 'sepia_', text.slice(1), text.slice(0, -1), `${text}0`, ` ${text}`])
      assert.equal(isAccessTokenText(wrong), false)
  })

  test('is stored as its SHA-256', () => {
    assert.equal(hashAccessToken('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})
