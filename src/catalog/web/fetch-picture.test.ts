import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { suite, test } from 'node:test'
import { fetchPicture } from './fetch-picture.ts'

/** Every host name resolves to this machine. */
const lookup: LookupFunction = (_name, { all }, callback) =>
  all === true ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4)
const unknown: LookupFunction = (name, _options, callback) => callback(Object.assign(new Error(name), { code: 'ENOTFOUND' }), '')

async function startServer(listener: RequestListener): Promise<{ readonly url: string; readonly port: number } & AsyncDisposable> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  }
  return { url: `http://127.0.0.1:${port}`, port, [Symbol.asyncDispose]: close }
}

interface Options {
  readonly trustedHosts?: readonly string[]
  readonly found?: LookupFunction
  readonly onBytes?: (count: number) => void
  readonly signal?: AbortSignal
}

function get(address: string, options: Options = {}): Promise<Buffer> {
  const { trustedHosts = ['127.0.0.1'], found = lookup, onBytes = () => {}, signal = new AbortController().signal } = options
  return fetchPicture(address, { trustedHosts, lookUp: () => found }, { onBytes, signal })
}

const noPublicAddress = { code: 'invalid_request_error', message: 'cannot be fetched: it has no public address.' }

suite('images at web addresses', () => {
  test('arrive in counted pieces, also through redirects', async () => {
    await using server = await startServer(({ url }, response) => {
      if (url === '/moved') response.writeHead(302, { location: '/picture' }).end()
      else response.end('a picture')
    })
    let bytes = 0
    const onBytes = (count: number): void => {
      bytes += count
    }
    assert.equal((await get(`${server.url}/moved`, { onBytes })).toString(), 'a picture')
    assert.equal(bytes, 9)
  })

  test('are not fetched from private networks, for any spelling, name or redirect', async () => {
    let requests = 0
    await using inside = await startServer((_request, response) => {
      requests += 1
      response.end()
    })
    const hosts = [
      '127.0.0.1',
      'localhost',
      '127.1',
      '2130706433',
      '0x7f000001',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
      'inside.example',
    ]
    for (const host of hosts) await assert.rejects(get(`http://${host}:${inside.port}/`, { trustedHosts: [] }), noPublicAddress, host)
    await using outside = await startServer((_request, response) => {
      response.writeHead(302, { location: `http://localhost:${inside.port}/` }).end()
    })
    await assert.rejects(get(outside.url), noPublicAddress)
    assert.equal(requests, 0)
    await assert.rejects(get('http://there-is-no-such-name.example/', { found: unknown }), noPublicAddress)
  })

  test('that cannot be fetched are rejected with the response of their server', async () => {
    await using server = await startServer(({ url }, response) => {
      if (url === '/gone') response.writeHead(404).end()
      else if (url === '/loop') response.writeHead(302, { location: '/loop' }).end()
      else response.destroy()
    })
    await assert.rejects(get(`${server.url}/gone`), { message: 'cannot be fetched: its server answered 404.' })
    for (const path of ['loop', 'broken']) await assert.rejects(get(`${server.url}/${path}`), { message: /^cannot be fetched: / }, path)
  })

  test('stop as soon as they are too large, or the client disconnects', async () => {
    await using server = await startServer((_request, response) => {
      const flood = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', flood)
      flood()
    })
    const tooLarge = new Error('too large')
    let left = 1_000_000
    const onBytes = (count: number): void => {
      left -= count
      if (left < 0) throw tooLarge
    }
    await assert.rejects(get(server.url, { onBytes }), { cause: tooLarge })
    const controller = new AbortController()
    const leave = (): void => controller.abort(new Error('the client left'))
    await assert.rejects(get(server.url, { onBytes: leave, signal: controller.signal }), /the client left/)
  })
})
