import assert from 'node:assert/strict'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after, before, suite, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { openSocket } from '../support/raw-exchange.ts'
import { readJson } from '../support/read-json.ts'

const megabyte = 1024 * 1024
const signal = new AbortController().signal
const field = (name: string, value: string, more = '') => `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
const file = (name: string, content: string) => field(name, content, `; filename="a.jsonl"\r\nContent-Type: application/octet-stream`)
const whole = (...parts: readonly string[]) => `${parts.join('')}--b--\r\n`
const many = (count: number, part: (index: number) => string) => Array.from({ length: count }, (_, index) => part(index))
const nested = (depth: number): string =>
  many(depth, (level) => `--b${level}\r\nContent-Type: multipart/mixed; boundary=b${level + 1}\r\n\r\n`).join('')

/** Hostile forms, the accepted statuses, and a boundary or header if it differs. */
interface Attack {
  readonly body: () => string
  readonly type?: string
  readonly statuses: readonly number[]
}

const attacks: Readonly<Record<string, Attack>> = {
  '10 000 tiny fields': { body: () => whole(...many(10_000, (at) => field(`f${at}`, ''))), statuses: [400] },
  '10 000 tiny fields by one name': { body: () => whole(...many(10_000, () => field('purpose', 'batch'))), statuses: [400] },
  '10 000 tiny files': { body: () => whole(...many(10_000, (at) => file(`f${at}`, 'x'))), statuses: [400] },
  '10 000 empty parts without a name': { body: () => whole(...many(10_000, () => '--b\r\n\r\n\r\n')), statuses: [400] },
  'a million boundaries and nothing between': { body: () => '--b\r\n'.repeat(megabyte), statuses: [400] },
  'a boundary that almost ends, a million times': { body: () => `${field('a', '\r\n--'.repeat(megabyte))}--b--`, statuses: [400] },
  'forms in each other, 5000 deep': { body: () => nested(5000), type: 'multipart/form-data; boundary=b0', statuses: [400] },
  'a name of a megabyte': { body: () => whole(field('x'.repeat(megabyte), 'y')), statuses: [400] },
  'a value of 8 megabytes': { body: () => whole(field('purpose', 'x'.repeat(8 * megabyte))), statuses: [400] },
  'a file name of a megabyte': { body: () => whole(field('file', 'x', `; filename="${'x'.repeat(megabyte)}"`)), statuses: [400] },
  'headers of a part without end': { body: () => `--b\r\n${many(100_000, (at) => `X-${at}: y\r\n`).join('')}`, statuses: [400] },
  'a header of a part without its line end': { body: () => `--b\r\nContent-Disposition: ${'x'.repeat(4 * megabyte)}`, statuses: [400] },
  'names that lead into prototypes': {
    body: () =>
      whole(...['__proto__', 'constructor[prototype][a]', 'expires_after[__proto__]'].map((name) => field(name, 'x')), file('file', 'x')),
    statuses: [400],
  },
  'names in brackets, 10 000 deep': { body: () => whole(field(`a${'[b]'.repeat(30)}`, 'x'), file('file', 'x')), statuses: [400] },
  'a part that is never finished': {
    body: () => `${field('purpose', 'batch')}--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx`,
    statuses: [400],
  },
  'no end after the last part': { body: () => `${field('purpose', 'batch')}${file('file', 'x')}`, statuses: [400] },
  'no beginning': { body: () => 'x'.repeat(megabyte), statuses: [400] },
  'nothing at all': { body: () => '', statuses: [400] },
  'an empty boundary': { body: () => whole(file('file', 'x')), type: 'multipart/form-data; boundary=', statuses: [400] },
  'a boundary of 100 KB': {
    body: () => whole(file('file', 'x')),
    type: `multipart/form-data; boundary=${'b'.repeat(10_000)}`,
    statuses: [400],
  },
  'bytes that are no text in names and values': {
    body: () => whole(field('pur\u0000pose\u0001', '\u0000\ud800'), field('purpose', '\u0000'), file('file', '\u0000')),
    statuses: [400],
  },
  'another encoding than it says': { body: () => whole(field('purpose', 'x', '\r\nContent-Transfer-Encoding: base64')), statuses: [400] },
}

suite('hostile forms', () => {
  let service: HttpService
  let neighbour: string
  const delay = monitorEventLoopDelay({ resolution: 1 })
  before(async () => {
    const bodyMemory = { totalBytes: 256 * megabyte, shareBytes: 64 * megabyte }
    service = await startHttpService({ settings: { requests: { bodyLimitBytes: 16 * megabyte }, bodyMemory } })
    const { id } = await createAccount({ ...service.store, clock: createSystemClock() }, { name: 'Grace', role: 'member' }, { signal })
    neighbour = await service.makeToken(['text', 'image'], { accountId: id })
  })
  after(() => service[Symbol.asyncDispose]())

  /** An honest form, as the published clients send it. */
  async function sendHonest(path: '/v1/files' | '/v1/images/edits'): Promise<number> {
    const body = new FormData()
    if (path === '/v1/files') {
      body.append('purpose', 'user_data')
      body.append('file', new Blob(['honest']), 'a.txt')
    } else {
      body.append('prompt', 'a fox')
      body.append('image', new Blob([new Uint8Array(tinyPicture)], { type: 'image/png' }), 'a.png')
    }
    const answer = await fetch(`${service.url}${path}`, { method: 'POST', headers: { authorization: `Bearer ${neighbour}` }, body })
    await answer.text()
    return answer.status
  }

  for (const path of ['/v1/files', '/v1/images/edits'] as const)
    for (const [what, { body, type = 'multipart/form-data; boundary=b', statuses }] of Object.entries(attacks))
      test(`${path}: ${what}: rejected, and a concurrent form is accepted`, async (context) => {
        const text = Buffer.from(body())
        delay.reset()
        delay.enable()
        const headers = { authorization: `Bearer ${service.token}`, 'content-type': type }
        const [refused, honest] = await Promise.all([
          fetch(`${service.url}${path}`, { method: 'POST', headers, body: text }),
          sendHonest(path),
        ])
        const answer = await refused.text()
        delay.disable()
        context.diagnostic(`${(text.length / megabyte).toFixed(2)} MiB, the event loop held ${(delay.max / 1e6).toFixed(0)} ms`)
        const allowed = path === '/v1/files' ? statuses : [...statuses, 422]
        assert.ok(allowed.includes(refused.status), `${refused.status} ${answer.slice(0, 300)}`)
        assert.ok(answer.length < 3000, `${answer.length} characters`)
        assert.equal(honest, 200)
        assert.deepEqual(service.failures, [])
      })

  test('rejected forms leave no bytes behind', async () => {
    const { data } = await readJson(await service.fetch('/v1/files'))
    assert.deepEqual(data, [])
  })

  for (const [what, length, sent] of [
    ['more than it says', 40, whole(field('purpose', 'user_data'), file('file', 'x'.repeat(1000)))],
    ['less than it says', 100_000, whole(field('purpose', 'user_data'), file('file', 'x'))],
    ['nothing of what it says', 1_000_000, ''],
  ] as const)
    test(`a form with ${what}, from a client that disconnects, leaves nothing behind`, async () => {
      const socket = await openSocket(service.url)
      socket.on('error', () => {})
      const head = ['POST /v1/files HTTP/1.1', 'Host: x', `Authorization: Bearer ${service.token}`]
      socket.write(`${[...head, 'Content-Type: multipart/form-data; boundary=b', `Content-Length: ${length}`].join('\r\n')}\r\n\r\n${sent}`)
      assert.equal(await sendHonest('/v1/files'), 200)
      socket.destroy()
      await once(socket, 'close')
      assert.equal(await sendHonest('/v1/images/edits'), 200)
      const { data } = await readJson(await service.fetch('/v1/files'))
      assert.deepEqual(data, [])
      assert.deepEqual(service.failures, [])
    })

  test('forms without a token are not read', async () => {
    const body = Buffer.from(whole(...many(10_000, (at) => file(`f${at}`, 'x'))))
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    for (const path of ['/v1/files', '/v1/images/edits', '/v1/images/variations'])
      assert.equal((await fetch(`${service.url}${path}`, { method: 'POST', headers, body })).status, 401)
  })

  test('many incomplete forms leave room for complete ones', async () => {
    const sockets = await Promise.all(many(30, () => '').map(() => openSocket(service.url)))
    const head = ['POST /v1/images/edits HTTP/1.1', 'Host: x', `Authorization: Bearer ${service.token}`, 'Content-Length: 9000000']
    for (const socket of sockets) {
      socket.on('error', () => {})
      socket.write(
        `${[...head, 'Content-Type: multipart/form-data; boundary=b'].join('\r\n')}\r\n\r\n${file('image', 'x'.repeat(megabyte))}`,
      )
    }
    for (const path of ['/v1/files', '/v1/images/edits'] as const) assert.equal(await sendHonest(path), 200)
    for (const socket of sockets) socket.destroy()
  })
})

/** 16 x 16 brown pixels. */
const tinyPicture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAMAAAAoLQ9TAAAAA1BMVEV6RyB6SilWAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADUlEQVQY02NgGAXIAAABEAAB7JfjegAAAABJRU5ErkJggg==',
  'base64',
)
