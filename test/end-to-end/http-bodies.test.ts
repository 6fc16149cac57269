import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { documentedRoutes } from '../../src/http/openapi/documented-routes.ts'
import { routes } from '../../src/http/routes.ts'
import { publishedBodies } from '../../src/http/wire/chat/sampling-fields.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { exchange, openSocket, readUntil } from '../support/raw-exchange.ts'
import { readError } from '../support/read-json.ts'

suite('request bodies', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService()
  })
  after(() => service[Symbol.asyncDispose]())

  const prompt = { prompt: 'a tiger' }

  test('a body that is not plain JSON is rejected with 415', async () => {
    const post = (headers: Record<string, string>) => service.fetch('/generate/sdxl', { json: prompt, headers })
    assert.equal((await post({ 'content-type': 'application/json; charset=utf-8' })).status, 200)
    assert.equal((await post({ 'content-type': 'APPLICATION/JSON;charset=UTF-8' })).status, 200)
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'multipart/form-data; boundary=x',
      'nonsense',
      '',
    ]) {
      const refused = await post({ 'content-type': type })
      assert.equal(refused.status, 415, type)
      assert.equal((await readError(refused)).param, 'content-type', type)
    }
    for (const encoding of ['gzip', 'br', 'x']) {
      const refused = await post({ 'content-encoding': encoding })
      assert.equal(refused.status, 415, encoding)
      assert.equal((await readError(refused)).param, 'content-encoding', encoding)
    }
    assert.equal((await post({ 'content-encoding': 'identity' })).status, 200)
    const inChunks = (encoding: string) =>
      exchange(
        service.url,
        `POST /generate/sdxl HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.token}\r\ncontent-type: application/json\r\ntransfer-encoding: ${encoding}\r\nconnection: close\r\n\r\nE\r\n{"prompt":"x"}\r\n0\r\n\r\n`,
      )
    assert.match(await inChunks('gzip, chunked'), /^HTTP\/1\.1 415 [\s\S]*"param":"transfer-encoding","code":"unsupported_media_type"/)
    assert.match(await inChunks('Chunked'), /^HTTP\/1\.1 200 /)
    const bare = await exchange(
      service.url,
      `POST /generate/sdxl HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.token}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
    )
    assert.match(bare, /^HTTP\/1\.1 415 [\s\S]*unsupported_media_type/)
  })

  for (const { method, path, body, takes } of documentedRoutes(routes, publishedBodies))
    if (body !== undefined && takes === undefined)
      test(`${method} ${path} rejects JSON that is not an object`, async () => {
        for (const json of [[], [1], 'x', 3, true, null]) {
          const refused = await service.fetch(path, { method, json })
          assert.ok([400, 422].includes(refused.status), `${refused.status} to ${JSON.stringify(json)}`)
        }
      })

  test('malformed JSON and JSON that is not an object are rejected with 400', async () => {
    for (const [body, code] of [
      ['', 'invalid_json'],
      ['{', 'invalid_json'],
      ["{'prompt': 1}", 'invalid_json'],
      ['{"model":"\xff"', 'invalid_json'],
      ['[]', 'invalid_request_error'],
      ['"text"', 'invalid_request_error'],
      ['null', 'invalid_request_error'],
    ] as const) {
      const answer = await service.fetch('/v1/chat/completions', { method: 'POST', body })
      assert.equal(answer.status, 400, body)
      assert.equal((await readError(answer)).code, code, body)
    }
    const misplaced = await service.fetch('/v1/chat/completions', { method: 'POST', body: '{"model": "m",\n "stream": true,\n}' })
    assert.equal((await readError(misplaced)).message, 'Send a body that is valid JSON in UTF-8; this one breaks at line 3 column 1.')
    const broken = await service.fetch('/v1/chat/completions', { method: 'POST', body: Buffer.from([0x22, 0xff, 0x22]) })
    assert.equal((await readError(broken)).code, 'invalid_json')
    assert.deepEqual(service.failures, [])
  })

  test('a body may have exactly the limit, counted while it streams in', async () => {
    const limit = 10 * 1024 * 1024
    const fill = (size: number) => `{"prompt":"a tiger","x":"${'x'.repeat(size - 27)}"}`
    for (const [size, status, code] of [
      [limit, 422, 'validation_error'],
      [limit + 1, 413, 'payload_too_large'],
    ] as const) {
      assert.equal(fill(size).length, size)
      for (const streamed of [false, true]) {
        const body = streamed ? new Blob([fill(size)]).stream() : fill(size)
        const answer = await service.fetch('/generate/sdxl', {
          method: 'POST',
          body,
          headers: { 'x-service-async': '1' },
          ...(streamed && { duplex: 'half' }),
        })
        assert.equal(answer.status, status)
        assert.equal((await readError(answer)).code, code)
      }
    }
    assert.equal((await service.fetch('/generate/sdxl', { method: 'POST', body: fill(1024 * 1024) })).status, 422)
    assert.equal((await service.fetch('/generate/sdxl', { method: 'POST', body: fill(1024 * 1024 + 1) })).status, 413)
  })

  test('a chunked body over the limit is rejected before its end, and the connection serves the next request', async () => {
    const socket = await openSocket(service.url)
    const head = `POST /generate/sdxl HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.token}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`
    socket.write(`${head}${(1024 * 1024 + 2).toString(16)}\r\n${'x'.repeat(1024 * 1024 + 2)}\r\n`)
    assert.match(await readUntil(socket, /payload_too_large/), /^HTTP\/1\.1 413 /)
    socket.write('0\r\n\r\nGET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
    assert.match(await readUntil(socket, /\{"status":"ok"\}/), /^HTTP\/1\.1 200 /)
    socket.destroy()
  })

  test('a client that sends an oversized chunked body to its end receives the error', async () => {
    const socket = await openSocket(service.url)
    socket.write(
      `POST /generate/sdxl HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.token}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
    )
    const chunk = `100000\r\n${' '.repeat(1024 * 1024)}\r\n`
    for (let sent = 0; sent < 40; sent += 1) if (!socket.write(chunk)) await once(socket, 'drain')
    socket.write('0\r\n\r\nGET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    const answers = await readUntil(socket, /\{"status":"ok"\}/)
    assert.match(answers, /^HTTP\/1\.1 413 [\s\S]*payload_too_large[\s\S]*HTTP\/1\.1 200 /)
    socket.destroy()
  })

  for (const [kind, head, path = '/generate/sdxl'] of [
    ['for nobody', '', '/nowhere'],
    ['too long', 'authorization: Bearer TOKEN\r\ncontent-type: application/json\r\n'],
    ['of the wrong kind', 'authorization: Bearer TOKEN\r\ncontent-type: text/plain\r\n'],
    ['without a token', 'content-type: application/json\r\n'],
  ] as const)
    test(`a body ${kind}, sent with connection: close, is rejected before the connection closes`, async () => {
      const socket = await openSocket(service.url)
      const size = 20 * 1024 * 1024
      const fields = head.replace('TOKEN', service.token)
      socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\n${fields}connection: close\r\ncontent-length: ${size}\r\n\r\n`)
      const part = Buffer.alloc(1024 * 1024, ' ')
      for (let sent = 0; sent < size; sent += part.length) if (!socket.write(part)) await once(socket, 'drain')
      assert.match(await text(socket), /^HTTP\/1\.1 4\d\d [\s\S]*"code":"[a-z_]+"\}\}$/)
    })
})
