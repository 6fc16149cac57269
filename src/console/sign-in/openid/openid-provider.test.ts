import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { OpenIdProvider } from './openid-provider.ts'

test('a provider that did not answer is asked again after two seconds, also if the time of the system was set back', async () => {
  const clock = createTestClock()
  let asked = 0
  const fetch = async () => {
    asked += 1
    throw new TypeError('fetch failed')
  }
  const client = { issuer: 'https://provider.test', clientId: 'sepia', clientSecret: null, scopes: 'openid', label: 'Provider' }
  const rules = { createAccounts: false, emailDomains: [], roles: [] }
  const provider = new OpenIdProvider({ ...client, groupsClaim: 'groups', rules, fetch }, clock)
  const begin = () => assert.rejects(provider.begin('https://sepia.test/console/api/openid'), { fault: 'unreachable' })
  await begin()
  clock.jump(clock.now() - 3_600_000)
  await begin()
  assert.equal(asked, 1)
  await clock.advance(2000)
  await begin()
  assert.equal(asked, 2)
})
