import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSessionCookie, writeSessionCookie } from './session.ts'

test('with HTTPS the cookie is bound to this host and to HTTPS', () => {
  const cookie = writeSessionCookie('secret', { publicUrl: 'https://sepia.example', maxAgeMs: 5000 })
  assert.equal(cookie, '__Host-sepia_session=secret; Path=/; Max-Age=5; HttpOnly; SameSite=Strict; Secure')
})

test('without HTTPS it is not, since browsers would drop it', () => {
  const cookie = writeSessionCookie('secret', { publicUrl: 'http://127.0.0.1:8080', maxAgeMs: 5000 })
  assert.equal(cookie, 'sepia_session=secret; Path=/; Max-Age=5; HttpOnly; SameSite=Strict')
})

test('below a path prefix it is sent only to that path', () => {
  const site = { publicUrl: 'https://host.example/sepia', maxAgeMs: 5000 }
  const cookie = writeSessionCookie('secret', site)
  assert.equal(cookie, '__Secure-sepia_session=secret; Path=/sepia; Max-Age=5; HttpOnly; SameSite=Strict; Secure')
  assert.equal(readSessionCookie({ cookie: '__Secure-sepia_session=secret' }, site.publicUrl), 'secret')
  assert.equal(readSessionCookie({ cookie: '__Host-sepia_session=secret' }, site.publicUrl), null)
})

test('the session is found among other cookies', () => {
  assert.equal(readSessionCookie({ cookie: 'a=1; sepia_session=secret; b=2' }, 'http://127.0.0.1'), 'secret')
  assert.equal(readSessionCookie({ cookie: 'x__Host-sepia_session=1' }, 'https://sepia.example'), null)
  assert.equal(readSessionCookie({}, 'https://sepia.example'), null)
})
