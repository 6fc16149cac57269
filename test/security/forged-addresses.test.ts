import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type ConsoleService, startConsoleService } from '../support/console-service.ts'

/** Answers of so many wrong sign-ins, each with what a proxy would say about its client. */
async function guess(service: ConsoleService, times: number, forwardedFor: (index: number) => string): Promise<readonly number[]> {
  const statuses: number[] = []
  for (let index = 0; index < times; index += 1) {
    const body = { email: 'ada@sepia.test', password: 'not this one' }
    const answer = await service.send('POST', '/console/api/session', { body, headers: { 'x-forwarded-for': forwardedFor(index) } })
    statuses.push(answer.statusCode)
  }
  return statuses
}

suite('forged addresses', () => {
  test('a client without a trusted proxy cannot choose its address', async () => {
    const service = await startConsoleService()
    const statuses = await guess(service, 7, (index) => `203.0.113.${index}`)
    assert.equal(statuses.at(-1), 429)
  })

  test('behind a trusted proxy guesses slow down only the client that makes them', async () => {
    const service = await startConsoleService({ settings: { listen: { trustedProxies: ['127.0.0.1'] } } })
    assert.equal((await guess(service, 7, () => '203.0.113.1')).at(-1), 429)
    assert.deepEqual(await guess(service, 1, () => '203.0.113.2'), [401])
  })

  test('behind a trusted proxy only the address added by the proxy counts', async () => {
    const service = await startConsoleService({ settings: { listen: { trustedProxies: ['127.0.0.1'] } } })
    const statuses = await guess(service, 7, (index) => `198.51.100.${index}, 203.0.113.1`)
    assert.equal(statuses.at(-1), 429)
  })
})
