import assert from 'node:assert/strict'
import dns from 'node:dns'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { nameAnswer, startNameServer } from '../../test/support/network/name-server.ts'
import { postWebhook } from './post-webhook.ts'

const { signal } = new AbortController()
const post = (url: string, privateTargets = false, nameServers?: readonly string[]) =>
  postWebhook({ url, headers: { 'webhook-id': 'msg_1' }, body: '{}' }, { signal, privateTargets, ...(nameServers && { nameServers }) })

async function startReceiver(status: number, headers: Readonly<Record<string, string>> = {}) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    request.resume()
    response.writeHead(status, headers).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { requests, port, [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) }
}

test('posts to private addresses only where they are allowed, and does not follow redirects', async () => {
  await using receiver = await startReceiver(302, { location: 'http://127.0.0.1:1/' })
  assert.deepEqual(await post(`http://127.0.0.1:${receiver.port}/hook`), { reason: 'no public address' })
  assert.equal(receiver.requests.length, 0)
  assert.deepEqual(await post(`http://127.0.0.1:${receiver.port}/hook`, true), { status: 302 })
  assert.deepEqual([receiver.requests.length, receiver.requests[0]?.headers['webhook-id']], [1, 'msg_1'])
})

test('a receiver that requests another protocol has answered, one that hangs up has not, and neither delays a stop', async () => {
  const answers = { '/protocol': 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n', '/nothing': '' }
  await using server = createServer((request) => {
    request.socket.write(answers[request.url === '/protocol' ? '/protocol' : '/nothing'])
    request.socket.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  assert.deepEqual(await post(`http://127.0.0.1:${port}/protocol`, true), { status: 101 })
  assert.deepEqual(await post(`http://127.0.0.1:${port}/nothing`, true), { reason: 'ECONNRESET' })
})

test('a receiver with endless interim responses is given up at once, one with a few is waited for', async () => {
  const processing = 'HTTP/1.1 102 Processing\r\n\r\n'
  await using server = createServer((request) => {
    const { socket } = request
    if (request.url === '/few') return void socket.end(`${processing.repeat(3)}HTTP/1.1 204 No Content\r\n\r\n`)
    if (request.url === '/protocol')
      return void socket.end(`${processing.repeat(100)}HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n`)
    const flood = () => {
      while (socket.writable && socket.write(processing.repeat(1000)));
    }
    socket.on('drain', flood).on('error', () => {})
    flood()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  assert.deepEqual(await post(`http://127.0.0.1:${port}/few`, true), { status: 204 })
  assert.deepEqual(await post(`http://127.0.0.1:${port}/flood`, true), { reason: 'no final answer' })
  assert.deepEqual(await post(`http://127.0.0.1:${port}/protocol`, true), { status: 101 })
})

test('a name that resolves to a private address is rejected at every attempt, whatever it resolved to before', async () => {
  await using receiver = await startReceiver(200)
  const answers = [[0, 0, 0, 0], [127, 0, 0, 1], null, [169, 254, 169, 254]] as const
  for (const found of answers) {
    using names = await startNameServer((question, isFour) => nameAnswer(question, isFour ? found : null))
    const message = { url: `http://receiver.example:${receiver.port}/`, headers: {}, body: '{}' }
    const result = await postWebhook(message, { signal, privateTargets: false, nameServers: names.servers })
    assert.deepEqual(result, { reason: 'no public address' })
  }
  using six = await startNameServer((question, isFour) => nameAnswer(question, isFour ? null : [...Array(15).fill(0), 1]))
  const message = { url: `http://receiver.example:${receiver.port}/`, headers: {}, body: '{}' }
  const result = await postWebhook(message, { signal, privateTargets: false, nameServers: six.servers })
  assert.deepEqual([result, receiver.requests.length], [{ reason: 'no public address' }, 0])
})

test("receivers are never resolved by the system's look-up, which blocks others in the process", async (context) => {
  const lookup = context.mock.method(dns, 'lookup')
  syncBuiltinESMExports()
  context.after(syncBuiltinESMExports)
  using names = await startNameServer((question) => nameAnswer(question, null))
  assert.deepEqual(await post('http://there-is-no-such-name.invalid/', false, names.servers), { reason: 'no public address' })
  assert.equal(lookup.mock.callCount(), 0)
})

test('no spelling of an internal address gets through', async () => {
  await using receiver = await startReceiver(200)
  const hosts = [
    'localhost',
    '127.1',
    '0x7f000001',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '169.254.169.254',
    '10.0.0.1',
    '[fd00::1]',
  ]
  for (const host of hosts) assert.deepEqual(await post(`http://${host}:${receiver.port}/`), { reason: 'no public address' }, host)
  assert.equal(receiver.requests.length, 0)
})

test('an internal name and an unknown name give the same result', async () => {
  await using receiver = await startReceiver(200)
  // The name server of the machine may be silent for longer than a receiver may be.
  using names = await startNameServer((question) => nameAnswer(question, null))
  const [internal, nobody] = [`http://localhost:${receiver.port}/`, 'http://there-is-no-such-name.invalid/']
  assert.deepEqual(await post(internal), await post(nobody, false, names.servers))
})
