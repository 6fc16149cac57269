import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import type { Scope } from '../../src/core/access-token.ts'
import { encodeWebhook } from '../../src/http/wire/deferred/inference.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { WorkUnderWay } from '../../src/operations/access/work-under-way.ts'
import { startMaintenance } from '../../src/worker/maintenance.ts'
import { postWebhook, signWebhook } from '../../src/worker/post-webhook.ts'
import { finish, submit } from '../support/deferred-requests.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { createMemoryOutputs } from '../support/memory/create-memory-outputs.ts'
import { readError, readJson } from '../support/read-json.ts'

const { signal } = new AbortController()

interface Announcement {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

async function startReceiver() {
  const received: Announcement[] = []
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) })
    response.writeHead(204).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { received, url: `http://127.0.0.1:${port}/hook`, [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) }
}

/** Delivers what is due over real connections, private addresses included, until the first attempt is recorded. */
async function deliverOne(service: HttpService): Promise<void> {
  const clock = createSystemClock()
  const attempted = Promise.withResolvers<void>()
  await using _maintenance = startMaintenance(
    {
      ...service.store,
      outputs: createMemoryOutputs({ clock }),
      clock,
      encodeWebhook: (inference, at) => encodeWebhook({ asyncUrl: service.url }, inference, at),
      post: (post, { signal }) => postWebhook(post, { signal, privateTargets: true }),
      random: () => 0,
      onAttempt: () => attempted.resolve(),
      onQueueAge: () => {},
      underWay: new WorkUnderWay(),
      heldClaims: () => [],
      onSwept: () => {},
      onExpired: () => {},
      onFault: (_, error) => attempted.reject(error),
    },
    { maxQueueMs: 60_000, leaseMs: 30_000 },
  )
  await attempted.promise
}

async function readSecrets(service: HttpService): Promise<readonly string[]> {
  const { data } = await readJson(await service.fetch('/v1/webhooks/secrets'))
  assert.ok(Array.isArray(data))
  assert.deepEqual(
    data.map(({ current }) => current),
    data.map((_, index) => index === 0),
  )
  return data.map(({ secret }) => secret)
}

/** Fails unless one of the signatures is by this secret; test/clients holds the signature itself to an independent verifier. */
function verify(secret: string | undefined, { headers, body }: Announcement): unknown {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => String(headers[name]))
  const expected = signWebhook({ id: id ?? '', timestamp: Number(timestamp), body }, [secret ?? ''])
  assert.ok(signatures?.split(' ').includes(expected['webhook-signature'] ?? ''), 'The signature is by another secret')
  return JSON.parse(body)
}

suite('webhooks', () => {
  test('the displayed secret verifies deliveries before and after a rotation, and the log lists them', async () => {
    await using receiver = await startReceiver()
    await using service = await startHttpService({ worker: true, settings: { deferred: { privateWebhooks: true } } })
    const announce = async () => {
      const { id } = await submit(service, undefined, { 'x-service-webhook': receiver.url })
      const polled = await finish(service, id)
      await deliverOne(service)
      const announcement = receiver.received.at(-1)
      assert.ok(announcement)
      return { id, polled, announcement }
    }
    const first = await announce()
    const [old, ...none] = await readSecrets(service)
    assert.deepEqual(none, [])
    const { polled, announcement } = first
    assert.deepEqual(verify(old, announcement), { type: 'inference.completed', timestamp: polled.completed_at, data: polled })

    const rotation = await service.fetch('/v1/webhooks/secrets/rotate', { method: 'POST' })
    assert.equal(rotation.status, 200)
    assert.equal(rotation.headers.get('cache-control'), 'no-store')
    const rotated = await readJson(rotation)
    assert.deepEqual(await readSecrets(service), [rotated.secret, old])
    assert.throws(() => verify(String(rotated.secret), announcement))

    const second = await announce()
    for (const secret of [old, String(rotated.secret)]) verify(secret, second.announcement)

    const { object, data } = await readJson(await service.fetch('/v1/webhooks/deliveries'))
    assert.equal(object, 'list')
    const over = { url: receiver.url, state: 'delivered', attempts: 1, last_result: '204', next_attempt_at: null }
    assert.deepEqual(
      data,
      [second, first].map((made) => ({ id: made.announcement.headers['webhook-id'], response_id: made.id, ...over })),
    )
  })

  test('another account sees neither the deliveries nor the secret', async () => {
    await using service = await startHttpService({ worker: true })
    const { id } = await submit(service, undefined, { 'x-service-webhook': 'https://example.com/hook' })
    await finish(service, id)
    const own = await readSecrets(service)
    const other = await createAccount({ ...service.store, clock: createSystemClock() }, { name: 'Eve', role: 'member' }, { signal })
    const token = await service.makeToken(['read', 'text'], { accountId: other.id })
    assert.deepEqual(await readJson(await service.fetch('/v1/webhooks/deliveries', { token })), { object: 'list', data: [] })
    assert.equal((await service.fetch('/v1/webhooks/secrets/rotate', { method: 'POST', token })).status, 200)
    assert.deepEqual(await readSecrets(service), own)
  })

  test('the scope read shows the log but not the secret; the scope write the reverse', async () => {
    await using service = await startHttpService()
    const statuses = async (scopes: readonly Scope[]) => {
      const token = await service.makeToken(scopes)
      const answers = await Promise.all([
        service.fetch('/v1/webhooks/deliveries', { token }),
        service.fetch('/v1/webhooks/secrets', { token }),
        service.fetch('/v1/webhooks/secrets/rotate', { method: 'POST', token }),
      ])
      for (const answer of answers.filter(({ ok }) => !ok)) assert.equal((await readError(answer)).code, 'insufficient_scope')
      return answers.map(({ status }) => status)
    }
    assert.deepEqual(await statuses(['read']), [200, 403, 403])
    assert.deepEqual(await statuses(['text']), [403, 200, 200])
    assert.deepEqual(await statuses(['image']), [403, 200, 200])
  })

  test('a rotation accepts an empty JSON body or none', async () => {
    await using service = await startHttpService()
    const rotate = (headers: Record<string, string>) =>
      fetch(`${service.url}/v1/webhooks/secrets/rotate`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}`, ...headers },
      })
    assert.equal((await rotate({})).status, 200)
    assert.equal((await rotate({ 'content-type': 'application/json' })).status, 200)
    assert.equal((await service.fetch('/v1/webhooks/secrets/rotate', { json: {} })).status, 200)
    const refused = await service.fetch('/v1/webhooks/secrets/rotate', { json: { keep: 'both' } })
    assert.equal(refused.status, 400)
    assert.equal((await readError(refused)).param, 'keep')
  })
})
