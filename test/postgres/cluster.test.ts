import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { offerModel } from '../browser/support/offer-model.ts'
import { makeAuthority, makeCertificate } from '../support/cluster/make-certificates.ts'
import { createDatabase } from '../support/postgres/postgres-databases.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'
import { type FaultyS3Server, startFaultyS3Server } from '../support/s3/faulty-s3-server.ts'
import { type ServiceProcess, startServiceIn } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

interface Polled {
  readonly status: string
  readonly outcome?: string
  readonly attempt?: number
  readonly response_url?: string
}

suite('a cluster of processes on one database and one bucket', { skip: withoutPostgres }, () => {
  const parts = new AsyncDisposableStack()
  let bucket: FaultyS3Server
  let apis: readonly ServiceProcess[] = []
  let workers: readonly ServiceProcess[] = []
  let token = ''
  let links: readonly string[] = []

  const call = (node: ServiceProcess | undefined, path: string, init: RequestInit = {}) =>
    fetch(new URL(path, node?.url), {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...init.headers },
    })

  async function submit(node: ServiceProcess | undefined, steps: number, pictures = 1): Promise<string> {
    const body = JSON.stringify({ prompt: 'a lantern', steps, seed: 7, num_images: pictures })
    const response = await call(node, '/generate/sdxl', { method: 'POST', headers: { 'x-service-async': '1' }, body })
    const answer = (await response.json()) as { readonly response_id: string }
    assert.equal(response.status, 202, JSON.stringify(answer))
    return answer.response_id
  }

  const poll = async (node: ServiceProcess | undefined, id: string, wait = 0): Promise<Polled> =>
    (await (await call(node, `/v1/requests/${id}?wait=${wait}`)).json()) as Polled

  async function until(id: string, reached: (polled: Polled) => boolean, wait = 1): Promise<Polled> {
    for (;;) {
      const polled = await poll(apis[0], id, wait)
      if (reached(polled) || polled.status === 'completed') return polled
    }
  }

  before(async () => {
    bucket = parts.use(await startFaultyS3Server())
    const folder = parts.use(await createTemporaryFolder()).path
    const { endpoint } = bucket.address
    const authority = await makeAuthority(folder, 'authority')
    const certificate = await makeCertificate(folder, { authority, name: 'node' })
    const environment = {
      SEPIA_NODE_AUTHORITY_FILE: certificate.authority,
      SEPIA_NODE_CERTIFICATE_FILE: certificate.certificate,
      SEPIA_NODE_KEY_FILE: certificate.key,
      SEPIA_DATABASE_URL: await createDatabase(),
      SEPIA_S3_URL: `${endpoint.replace('//', '//key:secret@')}/outputs`,
      // Renewed in time on a machine that has more to do than it can.
      SEPIA_LEASE: '5s',
      SEPIA_PULL_HOSTS: '127.0.0.1',
    }
    const start = async (role: string, index: number) =>
      parts.use(await startServiceIn(environment, join(folder, `${role}-${index}`), '--role', role))
    const started = await Promise.all([start('api', 0), start('api', 1), start('worker', 0), start('worker', 1)])
    apis = started.slice(0, 2)
    workers = started.slice(2)
    const tokens = started.flatMap(({ greeting }) => /TOKEN=(\S+)/.exec(greeting)?.[1] ?? [])
    assert.equal(tokens.length, 1, 'one of all that start at once makes the first owner')
    token = tokens[0] ?? ''
    links = started.flatMap(({ greeting }) => /^Open the console: (\S+)$/m.exec(greeting)?.[1] ?? [])
    // Nodes report to each other every two seconds.
    for (const node of apis) while ((await fetch(`${node.url}/readyz`)).status !== 200);
  })
  after(() => parts.disposeAsync())

  test('exactly one of several nodes started at once prints the first-run link, which works', async () => {
    assert.equal(links.length, 1)
    const [link] = links
    const code = new URL(link ?? '').hash.slice(1)
    const look = await fetch(new URL('/console/api/invitation', apis[1]?.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: apis[1]?.url ?? '' },
      body: JSON.stringify({ code }),
    })
    assert.partialDeepStrictEqual(await look.json(), { role: 'owner', firstRun: true })
  })

  test('a model being pulled by one node is visible on another, and can be stopped there', async () => {
    await using shelf = await offerModel({ id: 'offered-chat', from: 'sepia-mini-chat' })
    const [one, other] = apis
    const asBrowser = (node: ServiceProcess | undefined, path: string, { body, cookie = '' }: { body?: object; cookie?: string } = {}) =>
      fetch(new URL(`/console/api/${path}`, node?.url), {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json', origin: node?.url ?? '', cookie },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    const code = new URL(links[0] ?? '').hash.slice(1)
    const signUp = await asBrowser(one, 'sign-up', { body: { code, name: 'Ada', email: 'ada@example.org', password: 'a poet of science' } })
    const cookie = signUp.headers.get('set-cookie')?.split(';')[0] ?? ''
    const pullsIn = async (answer: Response) =>
      ((await answer.json()) as { readonly pulls?: readonly Record<string, unknown>[] }).pulls ?? []
    const pullsOn = async (node: ServiceProcess | undefined) => pullsIn(await asBrowser(node, 'models', { cookie }))
    assert.equal((await asBrowser(one, 'models/pulls', { cookie, body: { source: shelf.address } })).status, 202)
    while ((await pullsOn(other)).length === 0);
    assert.partialDeepStrictEqual(await pullsOn(other), [{ source: shelf.address, state: 'pulling', node: hostname() }])
    assert.partialDeepStrictEqual(await pullsIn(await call(other, '/v1/models')), [
      { source: 'model.json', bytes_done: 0, node: hostname() },
    ])
    assert.equal((await asBrowser(other, 'models/pulls/remove', { cookie, body: { source: shelf.address } })).status, 204)
    while ((await pullsOn(one)).length > 0);
    assert.deepEqual(await pullsIn(await call(other, '/v1/models')), [])
  })

  test('an API node answers chats with the models of workers, which serve only nodes and probes', async () => {
    const body = JSON.stringify({ model: 'sepia-mini-chat', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 8 })
    for (const node of apis) {
      const ask = () => call(node, '/v1/chat/completions', { method: 'POST', body })
      let response = await ask()
      // On a busy machine a worker may be silent for longer than another node waits for it.
      while (response.status === 503) response = await ask()
      assert.equal(response.status, 200, await response.clone().text())
    }
    assert.equal((await call(workers[0], '/v1/chat/completions', { method: 'POST', body })).status, 404)
    assert.equal((await call(workers[0], '/healthz')).status, 200)
  })

  test('one node accepts a request, another serves its output, byte for byte, from one object of the bucket', async () => {
    const stored = bucket.objects.size
    const id = await submit(apis[0], 2)
    const polled = await poll(apis[1], id, 60)
    assert.deepEqual([polled.status, polled.outcome], ['completed', 'succeeded'])
    const bodies = await Promise.all(apis.map(async (node) => Buffer.from(await (await call(node, `/v1/responses/${id}`)).arrayBuffer())))
    assert.ok(bodies[0] !== undefined && bodies[0].length > 1000 && bodies[1]?.equals(bodies[0]))
    assert.equal(bucket.objects.size, stored + 1)
  })

  test('a request running on a worker is cancelled from another node', async () => {
    // Far longer than it takes to see it run.
    const id = await submit(apis[0], 50, 4)
    await until(id, ({ status }) => status === 'running', 0)
    assert.ok((await call(apis[1], `/v1/requests/${id}`, { method: 'DELETE' })).ok)
    const polled = await poll(apis[0], id, 30)
    assert.equal(polled.outcome, 'cancelled')
  })

  test('while the bucket returns only 503 outputs wait, and submits and polls continue', async () => {
    bucket.fault = () => ({ status: 503 })
    const id = await submit(apis[0], 1)
    await until(id, ({ status }) => status === 'running')
    assert.equal((await poll(apis[1], id)).outcome, undefined)
    bucket.fault = () => undefined
    assert.equal((await until(id, () => false)).outcome, 'succeeded')
  })

  test('the work of a killed node is done by the others, exactly once', async () => {
    const ids = await Promise.all([0, 1, 0, 1, 0, 1].map((node) => submit(apis[node], 10)))
    await Promise.race(ids.map((id) => until(id, ({ status }) => status === 'running')))
    await workers[0]?.kill()
    const ends = await Promise.all(ids.map((id) => until(id, () => false)))
    assert.deepEqual(
      ends.map(({ outcome }) => outcome),
      ids.map(() => 'succeeded'),
    )
    for (const id of ids) {
      const { status, headers } = await call(apis[1], `/v1/responses/${id}`)
      assert.deepEqual([status, headers.get('etag') !== null], [200, true])
    }
  })

  test('a whole answer whose node is killed early is rejected with an error that can be retried', async () => {
    // Far longer than it takes to see it run.
    const chat = { model: 'sepia-mini-chat', messages: [{ role: 'user', content: 'Hello' }], n: 16, ignore_eos: true, max_tokens: 1000 }
    const generated = async () => {
      const text = await (await call(workers[1], '/metrics')).text()
      return Number(/^sepia_generated_tokens_total\{[^}]*sepia-mini-chat[^}]*\} (\d+)$/m.exec(text)?.[1] ?? 0)
    }
    const before = await generated()
    const requested = call(apis[0], '/v1/chat/completions', { method: 'POST', body: JSON.stringify(chat) })
    // So many that some have come to the node that was asked.
    while ((await generated()) < before + 100);
    await workers[1]?.kill()
    const answer = await requested
    assert.equal(answer.status, 503, await answer.clone().text())
    assert.ok(Number(answer.headers.get('retry-after')) >= 1)
  })
})
