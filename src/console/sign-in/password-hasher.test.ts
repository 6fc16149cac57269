import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PasswordHasher } from './password-hasher.ts'

const cheap = { N: 2, r: 1, p: 1 }

test('a password matches its own hash and no other', async () => {
  const hasher = new PasswordHasher(cheap)
  const hash = await hasher.hash('ink and paper')
  assert.equal(await hasher.verify('ink and paper', hash), true)
  assert.equal(await hasher.verify('ink and papyrus', hash), false)
})

test('the service hashes with 32 MB and three passes', async () => {
  assert.match(await new PasswordHasher().hash('ink and paper'), /^scrypt\$32768\$8\$3\$/)
})

test('two hashes of one password differ', async () => {
  const hasher = new PasswordHasher(cheap)
  assert.notEqual(await hasher.hash('ink and paper'), await hasher.hash('ink and paper'))
})

test('a hash with other cost parameters is still verified', async () => {
  const hash = await new PasswordHasher({ N: 4, r: 2, p: 1 }).hash('ink and paper')
  assert.equal(await new PasswordHasher(cheap).verify('ink and paper', hash), true)
})

test('accents match in composed and decomposed form', async () => {
  const hasher = new PasswordHasher(cheap)
  assert.equal(await hasher.verify('cafe\u0301', await hasher.hash('caf\u00e9')), true)
})

test('an unknown account matches nothing', async () => {
  assert.equal(await new PasswordHasher(cheap).verify('ink and paper', null), false)
})

test('a damaged hash matches nothing', async () => {
  assert.equal(await new PasswordHasher(cheap).verify('x', 'scrypt$2$1'), false)
})

test('sign-ins over the limit are rejected, and earlier ones still finish', async () => {
  const hasher = new PasswordHasher(cheap)
  const results = await Promise.allSettled(Array.from({ length: 40 }, () => hasher.hash('x')))
  const refused = results.filter((result) => result.status === 'rejected')
  assert.equal(refused.length, 40 - 18)
  assert.equal(refused[0]?.reason.code, 'server_is_overloaded')
  await hasher.hash('x')
})
