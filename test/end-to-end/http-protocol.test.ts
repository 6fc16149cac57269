import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, suite, test } from 'node:test'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { exchange, openSocket, readUntil } from '../support/raw-exchange.ts'
import { readError } from '../support/read-json.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

suite('HTTP protocol', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService()
  })
  after(() => service[Symbol.asyncDispose]())

  const prompt = { prompt: 'a tiger' }

  test('every answer has one request id under both names, that of the client if it is well-formed', async () => {
    for (const path of ['/v1/models', '/nowhere', '/healthz', '/v1/requests/unknown', '/generate/sdxl']) {
      const own = await service.fetch(path, { headers: { 'x-request-id': 'my_own-ID' } })
      assert.equal(own.headers.get('x-request-id'), 'my_own-ID', path)
      assert.equal(own.headers.get('x-user-request-id'), 'my_own-ID', path)
      const made = await service.fetch(path, { headers: { 'x-request-id': 'not/well formed' }, token: null })
      assert.match(made.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/, path)
      assert.equal(made.headers.get('x-user-request-id'), made.headers.get('x-request-id'), path)
    }
    const long = await service.fetch('/healthz', { headers: { 'x-request-id': 'x'.repeat(129) } })
    assert.notEqual(long.headers.get('x-request-id'), 'x'.repeat(129))
  })

  test('bytes that are not a request return a JSON error with a request id', async () => {
    const answer = await exchange(service.url, 'NONSENSE\r\n\r\n')
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\n/)
    assert.match(answer, /x-request-id: [0-9a-f-]{36}\r\n/)
    assert.match(answer, /"code":"invalid_request_error"/)
  })

  test('bytes that are not a request never corrupt a running answer', async () => {
    const body = JSON.stringify({ model: 'fake-chat', stream: true, messages: [{ role: 'user', content: '[hang after 2]' }] })
    const socket = await openSocket(service.url)
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    await readUntil(socket, /"content":/)
    let rest = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      rest += chunk
    })
    socket.write('NONSENSE\r\n\r\n')
    await once(socket, 'close')
    assert.ok(!rest.includes('HTTP/1.1 400'))
  })

  test('an idle connection stays open for longer than clients keep theirs', async () => {
    const answer = await service.fetch('/healthz')
    assert.equal(answer.headers.get('keep-alive'), 'timeout=95')
  })

  test('overlong headers return 431', async () => {
    const answer = await exchange(service.url, `GET / HTTP/1.1\r\nhost: x\r\nlong: ${'x'.repeat(20_000)}\r\n\r\n`)
    assert.match(answer, /^HTTP\/1\.1 431 .*\r\nx-request-id: /)
  })

  test('a request without Host is rejected with a request id', async () => {
    const answer = await exchange(service.url, 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n')
    assert.match(answer, /^HTTP\/1\.1 400 /)
    assert.match(answer, /x-request-id: /i)
  })

  test('links are never built from the Host header', async () => {
    const body = JSON.stringify(prompt)
    const answer = await exchange(
      service.url,
      [
        'POST /generate/sdxl HTTP/1.1',
        'host: evil.example',
        `authorization: Bearer ${service.token}`,
        'content-type: application/json',
        'x-service-async: 1',
        'x-forwarded-host: evil.example',
        `content-length: ${body.length}`,
        'connection: close',
        '',
        body,
      ].join('\r\n'),
    )
    assert.match(answer, /^HTTP\/1\.1 202 /)
    assert.ok(!answer.includes('evil.example'))
    assert.ok(answer.includes(`"poll_url":"${service.url}/v1/requests/`))
  })

  test('an unknown expectation and an upgrade are ignored', async () => {
    const expectation = await exchange(service.url, 'GET /healthz HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\nconnection: close\r\n\r\n')
    assert.match(expectation, /^HTTP\/1\.1 200 [\s\S]*x-request-id: /)
    const upgrade = await exchange(
      service.url,
      'GET /healthz HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade, close\r\n\r\n',
    )
    assert.match(upgrade, /^HTTP\/1\.1 200 /)
  })

  test('two Host headers are rejected, as a proxy could use the other one; HTTP/1.0 may have none', async () => {
    const send = (head: string) => exchange(service.url, `GET /healthz ${head}\r\nconnection: close\r\n\r\n`)
    for (const head of ['HTTP/1.1', 'HTTP/1.1\r\nhost: a\r\nHOST: b', 'HTTP/1.0\r\nhost: a\r\nhost: a'])
      assert.match(await send(head), /^HTTP\/1\.1 400 [\s\S]*Send one Host header/, head)
    for (const head of ['HTTP/1.1\r\nHoSt: a', 'HTTP/1.0', 'HTTP/1.0\r\nhost: a']) assert.match(await send(head), /^HTTP\/1\.1 200 /, head)
  })

  test('the answer to a request without a body that asks to close says that the connection closes', async () => {
    for (const [head, status] of [
      ['GET /v1/models', 401],
      ['GET /nowhere', 404],
      ['POST /v1/models', 405],
    ] as const)
      assert.match(
        await exchange(service.url, `${head} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`),
        new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*\r\nconnection: close\r\n`, 'i'),
        head,
      )
  })

  test('100 Continue is sent only after the token is checked, and for a body that is read', async () => {
    const body = '{"prompt":"x"}'
    const head = (token: string, path = '/tokenize') =>
      `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`
    // The connection is closed, since the body may still arrive and would corrupt the next request.
    for (const [token, path, status] of [
      ['wrong', '/tokenize', 401],
      [service.token, '/nowhere', 404],
    ] as const)
      assert.match(
        await exchange(service.url, head(token, path)),
        new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*\r\nconnection: close\r\n`, 'i'),
      )
    const asked = `HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.token}\r\nexpect: 100-continue\r\n`
    for (const [fields, status] of [
      ['content-type: text/plain\r\ncontent-length: 9', 415],
      ['content-length: 9', 415],
      ['content-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: 9', 415],
      ['content-type: application/json\r\ncontent-length: 99999999999', 413],
    ] as const)
      for (const path of ['/tokenize', '/v1/chat/completions'])
        assert.match(
          await exchange(service.url, `POST ${path} ${asked}${fields}\r\n\r\n`),
          new RegExp(`^HTTP/1\\.1 ${status} `),
          `${path} ${fields}`,
        )
    const socket = await openSocket(service.url)
    socket.write(head(service.token))
    assert.match(await readUntil(socket, /\r\n\r\n/), /^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    socket.write(body)
    assert.match(await readUntil(socket, /\}$/), /^HTTP\/1\.1 [24]00 /)
    socket.destroy()
  })

  test('100 Continue is sent for the file of an asset, unless its link is wrong', async () => {
    await using folder = await createTemporaryFolder()
    await using own = await startHttpService({ assets: { folder: folder.path } })
    const data = { asset_type: 'lora', engine: 'image/stable-diffusion-xl-v1-0', trigger_words: [] }
    const made = await own.fetch('/v1/assets', { json: { name: 'mine', asset_type: 'lora', data, transfer_api_type: 'presigned-url' } })
    const { transfer_api: transfer } = (await made.json()) as { readonly transfer_api: { readonly put_url: string } }
    const { pathname, search } = new URL(transfer.put_url)
    const head = (path: string) => `PUT ${path} HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 4\r\n\r\n`
    assert.match(await exchange(own.url, head(`${pathname}${search}0`)), /^HTTP\/1\.1 404 /)
    const socket = await openSocket(own.url)
    socket.write(head(`${pathname}${search}`))
    assert.match(await readUntil(socket, /\r\n\r\n/), /^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    socket.write('file')
    assert.match(await readUntil(socket, /\}$/), /^HTTP\/1\.1 200 /)
    socket.destroy()
  })

  test('unknown addresses are 404 in every shape', async () => {
    for (const path of ['/nowhere', '/v1', '/v1/requests/a/b/c', '/%zz', '/generate/sdxl/', '//v1/models']) {
      const answer = await service.fetch(path, { token: null })
      assert.equal(answer.status, 404, path)
      assert.equal((await readError(answer)).code, 'not_found', path)
    }
    assert.equal((await service.fetch('/nowhere', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } })).status, 404)
  })

  test('wrong methods return 405 with Allow; OPTIONS returns 204 with Allow; HEAD returns GET without a body', async () => {
    for (const [path, method, allow] of [
      ['/v1/completions', 'GET', 'POST, OPTIONS'],
      ['/v1/models', 'DELETE', 'GET, HEAD, OPTIONS'],
      ['/v1/requests/some-id', 'PUT', 'DELETE, GET, HEAD, OPTIONS'],
      ['/healthz', 'POST', 'GET, HEAD, OPTIONS'],
      ['/v1/requests/some-id/events', 'PATCH', 'GET, OPTIONS'],
    ] as const) {
      const wrong = await service.fetch(path, { method })
      assert.equal(wrong.status, 405, path)
      assert.equal(wrong.headers.get('allow'), allow)
      assert.equal((await readError(wrong)).code, 'method_not_allowed')
      const options = await service.fetch(path, { method: 'OPTIONS' })
      assert.equal(options.status, 204)
      assert.equal(options.headers.get('allow'), allow)
    }
    assert.match(await exchange(service.url, 'PROPFIND /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'), /^HTTP\/1\.1 405 /)
    assert.match(
      await exchange(service.url, 'QUERY /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'),
      /^HTTP\/1\.1 400 .*Send the header Content-Type/s,
    )
    const head = await service.fetch('/v1/models', { method: 'HEAD' })
    assert.equal(head.status, 200)
    assert.equal(await head.text(), '')
    assert.equal((await service.fetch('/generate/sdxl', { method: 'HEAD' })).status, 405)
  })

  test('GET accepts a JSON content type, an empty Accept and no body', async () => {
    const answer = await exchange(
      service.url,
      `GET /v1/models HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\naccept: \r\nx-octoai-async: \r\nauthorization: Bearer ${service.token}\r\nconnection: close\r\n\r\n`,
    )
    assert.match(answer, /^HTTP\/1\.1 200 /)
  })

  test('a stopping service is not ready, rejects new work and still answers polls', async () => {
    await using leaving = await startHttpService()
    assert.equal((await leaving.fetch('/readyz', { token: null })).status, 200)
    leaving.drain()
    const ready = await leaving.fetch('/readyz', { token: null })
    assert.equal(ready.status, 503)
    assert.match(ready.headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal((await leaving.fetch('/healthz', { token: null })).status, 200)
    const work = await leaving.fetch('/generate/sdxl', { json: prompt })
    assert.equal(work.status, 503)
    assert.equal((await readError(work)).code, 'shutting_down')
    assert.equal(work.headers.get('connection'), 'close')
    assert.equal((await leaving.fetch('/v1/requests')).status, 200)
  })

  test('each request is reported once, with its pattern and status', async () => {
    await using watched = await startHttpService()
    await (await watched.fetch('/v1/requests/some-id')).text()
    await (await watched.fetch('/nowhere')).text()
    await watched.settled(2)
    assert.deepEqual(
      watched.finished.map(({ route, status, accountId }) => [route, status, accountId]),
      [
        ['/v1/requests/:id', 404, watched.accountId],
        ['unmatched', 404, null],
      ],
    )
  })

  test('a target that is not a path is not found, also with a page at /', async () => {
    await using service = await startHttpService({
      extend: async (server) => {
        server.get('/', async () => 'page')
      },
    })
    const answer = await exchange(service.url, 'GET * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    assert.match(answer, /^HTTP\/1\.1 404 [\s\S]*"code":"not_found"\}\}$/)
  })
})
