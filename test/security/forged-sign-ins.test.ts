import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CookieJar } from '../support/sign-in/cookie-jar.ts'
import { ada, begin, comeBack, faultPage as fault, openOrganisation as open, signIn } from '../support/sign-in/organisation.ts'
import { visitProvider } from '../support/sign-in/visit-provider.ts'

suite('a sign-in with the organisation is rejected', () => {
  test('if the state does not match, without using the code', async () => {
    await using service = await open()
    service.provider.person = ada
    const { jar, address } = await begin(service)
    const returned = new URL(await visitProvider(address))
    returned.searchParams.set('state', 'another')
    assert.equal(await comeBack(service, jar, returned.href), fault('expired'))
    assert.equal(service.provider.count('/token'), 0)
  })

  test('if another browser returns with it', async () => {
    await using service = await open()
    service.provider.person = ada
    const { address } = await begin(service)
    const victim = await begin(service)
    assert.equal(await comeBack(service, victim.jar, await visitProvider(address)), fault('expired'))
    assert.equal(await comeBack(service, new CookieJar(), await visitProvider(address)), fault('expired'))
  })

  test('if its code is used a second time, with the same cookie', async () => {
    await using service = await open()
    service.provider.person = ada
    const { jar, address } = await begin(service)
    const copy = new CookieJar()
    copy.take(jar.header())
    const returned = await visitProvider(address)
    assert.equal(await comeBack(service, jar, returned), '/console/chat')
    assert.equal(await comeBack(service, copy, returned), fault('refused'))
  })

  test('if it took longer than ten minutes', async () => {
    await using service = await open()
    service.provider.person = ada
    const { jar, address } = await begin(service)
    const returned = await visitProvider(address)
    await service.clock.advance(10 * 60 * 1000)
    assert.equal(await comeBack(service, jar, returned), fault('expired'))
  })

  test('if its cookie was changed or sealed with another key', async () => {
    await using service = await open()
    await using other = await open()
    service.provider.person = ada
    const change = (sealed: string) => (sealed.startsWith('A') ? 'B' : 'A') + sealed.slice(1)
    for (const forge of [change, () => '', () => 'x'.repeat(3000)]) {
      const { jar, address } = await begin(service)
      const forged = new CookieJar()
      forged.take(`sepia_openid=${forge(jar.get('sepia_openid') ?? '')}`)
      assert.equal(await comeBack(service, forged, await visitProvider(address)), fault('expired'))
    }
    const { jar } = await begin(other)
    const { address } = await begin(service)
    assert.equal(await comeBack(service, jar, await visitProvider(address)), fault('expired'))
  })

  test('if the answer names another issuer', async () => {
    await using service = await open()
    service.provider.person = ada
    const { jar, address } = await begin(service)
    const returned = new URL(await visitProvider(address))
    assert.equal(returned.searchParams.get('iss'), service.provider.issuer)
    returned.searchParams.set('iss', 'https://elsewhere.example')
    assert.equal(await comeBack(service, jar, returned.href), fault('refused'))
  })

  test('after repeated failures from one address', async () => {
    await using service = await open({ rules: { createAccounts: false } })
    const locations: string[] = []
    for (let guess = 0; guess < 33; guess++) locations.push((await signIn(service, ada)).location)
    assert.equal(locations[0], fault('unknown'))
    assert.equal(locations.at(-1), fault('busy'))
  })
})
