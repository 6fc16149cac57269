import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSignInFaults, openSignIn } from './open-sign-in.ts'

type Settings = Parameters<typeof findSignInFaults>[0]['signIn']

const openId = {
  issuer: 'https://login.example/',
  clientId: 'sepia',
  clientSecretFile: null,
  scopes: 'openid email',
  label: 'Example',
  createAccounts: false,
  emailDomains: [],
  groupsClaim: 'groups',
  roles: [],
}
const alone: Settings = { sessionMs: 1, local: true, secondFactor: 'optional', openId: null }

const cases: readonly (readonly [what: string, settings: Settings, faults: readonly string[]])[] = [
  ['passwords alone', alone, []],
  ['passwords and a provider', { ...alone, openId }, []],
  ['a provider alone', { ...alone, local: false, openId }, []],
  ['no sign-in method', { ...alone, local: false }, ['oidc-issuer']],
  ['a provider without a client id', { ...alone, openId: { ...openId, clientId: null } }, ['oidc-client-id']],
  ['scopes without the identity', { ...alone, openId: { ...openId, scopes: 'email openids' } }, ['oidc-scopes']],
]

for (const [what, signIn, faults] of cases)
  test(`${what}: ${faults.length === 0 ? 'starts' : `reports ${faults.join(', ')}`}`, () => {
    assert.deepEqual(
      findSignInFaults({ signIn }).map(({ where }) => where),
      faults,
    )
  })

test('an unreadable secret stops the start, and the error names its setting', async () => {
  const signIn = { ...alone, openId: { ...openId, clientSecretFile: '/nowhere/secret' } }
  await assert.rejects(openSignIn({ signIn }, { fetch }), /\/nowhere\/secret cannot be read/)
})
