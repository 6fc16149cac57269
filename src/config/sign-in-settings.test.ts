import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { groupRoles, issuerUrl } from './sign-in-settings.ts'

describe('an issuer', () => {
  for (const address of [
    'https://login.example/',
    'https://login.example/realms/staff',
    'https://login.example/o/sepia/',
    'http://127.0.0.1:3000/',
  ])
    it(`may be ${address}, and is kept as written`, () => assert.deepEqual(issuerUrl.parse(address, ''), { value: address }))

  for (const raw of [
    'http://login.example',
    'ftp://login.example',
    'login.example',
    'https://a:b@login.example',
    'https://login.example/?a=b',
    '',
    7,
  ])
    it(`cannot be ${JSON.stringify(raw)}`, () => assert.ok('fault' in issuerUrl.parse(raw, '')))
})

describe('roles of groups', () => {
  it('are read from text and from a list, names with equals signs and spaces too', () => {
    const value = [
      ['cn=sepia owners', 'owner'],
      ['*', 'member'],
    ]
    assert.deepEqual(groupRoles.parse('cn=sepia owners=owner, *=member', ''), { value })
    assert.deepEqual(groupRoles.parse(['cn=sepia owners=owner', '*=member'], ''), { value })
    assert.equal(groupRoles.print([['*', 'member']]), '*=member')
  })

  for (const raw of ['staff', 'staff=admin', '=owner', 'a=owner,,b=member', ['a=owner', 7], true, ''])
    it(`are not ${JSON.stringify(raw)}`, () => assert.ok('fault' in groupRoles.parse(raw, '')))
})
