import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { BenchTarget } from './bench-target.ts'

const megabyte = 1024 * 1024
const bodyLimitBytes = 32 * megabyte
const chat = '/v1/chat/completions'
const honest = '"model":"fake-chat","messages":[{"role":"user","content":"Hi"}]'

/** Sends one hostile request and resolves to its status when it is over, or to how its connection ended. */
type Attack = (target: BenchTarget, signal: AbortSignal) => Promise<string>

/** Every class of hostile request, by name. The bytes of each are made once, before the clock runs. */
export function makeAttacks(): ReadonlyMap<string, Attack> {
  return new Map<string, Attack>([
    ['11 million empty messages', post(chat, `{"model":"m","messages":[${fill('{}')}]}`)],
    ['2.3 million unknown fields', post(chat, `{${honest},${list(2_300_000, (at) => `"k${at}":1`)}}`)],
    ['2.3 million keys of logit_bias', post(chat, `{${honest},"logit_bias":{${list(2_300_000, (at) => `"${at}":1`)}}}`)],
    ['16 million numbers', post('/v1/embeddings', `{"model":"m","input":[${fill('1')}]}`)],
    ['16 million brackets', post(chat, '['.repeat(16 * megabyte))],
    ['as many keys as may be', post(chat, `{${honest},${list(11_990, (at) => `"k${at}":1`)}}`)],
    ['5 500 messages, the last wrong', post(chat, `{"model":"m","messages":[${list(5500, () => '{"role":"user","content":"Hi"}')},{}]}`)],
    ['15 million escapes', post(chat, `{${honest},"user":"${'\\n'.repeat(15 * megabyte)}"}`)],
    ['a key of 30 MB', post(chat, `{${honest},"${'k'.repeat(30 * megabyte)}":1}`)],
    ['a prompt of 30 MB', post(chat, `{"model":"fake-chat","messages":[{"role":"user","content":"${'hello '.repeat(5 * megabyte)}"}]}`)],
    ['a picture of 30 MB', post('/generate/sdxl', `{"prompt":"x","init_image":"${'QUJD'.repeat(7.5 * megabyte)}"}`)],
    ['arguments of 30 MB', post(chat, withArguments('[]'.repeat(15 * megabyte)))],
    ['30 MB without a token', post(chat, ' '.repeat(30 * megabyte), { authorization: 'Bearer nobody' })],
    ['a sign-in of 31 MB', post('/console/api/session', `{"email":"a@b.c","password":"${'x'.repeat(31 * megabyte)}"}`, ownPage)],
    ['wrong sign-ins', post('/console/api/session', '{"email":"a@b.c","password":"wrong wrong wrong"}', ownPage)],
    ['unfinished bodies', raw(({ enemy }) => head(enemy, 30 * megabyte) + ' '.repeat(megabyte))],
    ['unfinished heads', raw(() => `POST ${chat} HTTP/1.1\r\nhost: x\r\nx-a: b\r\n`)],
    ['1 500 requests in one packet', raw(() => 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(1500))],
    ['long answers, 16 at a time', post(chat, `{${honest},"n":16,"max_tokens":1000}`)],
  ])
}

/** A page of the service itself, as a browser says. */
const ownPage = { 'sec-fetch-site': 'same-origin' }

/** Sends a body as fast as it is read and leaves as soon as it is answered. */
function post(path: string, content: string, headers: Readonly<Record<string, string>> = {}): Attack {
  const body = Buffer.from(content)
  return async ({ url, enemy }, signal) => {
    const fields = { 'content-type': 'application/json', 'content-length': body.length, authorization: `Bearer ${enemy}`, ...headers }
    const sent = request(url + path, { method: 'POST', headers: fields, agent: false, signal })
    try {
      sent.on('error', () => {})
      sent.end(body)
      const [answer] = await once(sent, 'response')
      await text(answer)
      return String(answer.statusCode)
    } catch {
      return 'cut off'
    } finally {
      sent.destroy()
    }
  }
}

/** Writes bytes of no whole request, or of many, and stays for a second. */
function raw(bytes: (target: BenchTarget) => string): Attack {
  return async (target, signal) => {
    const { hostname, port } = new URL(target.url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {}).resume()
    try {
      await once(socket, 'connect', { signal })
      socket.write(bytes(target))
      await pause(1000, undefined, { signal })
      return 'left'
    } catch {
      return 'cut off'
    } finally {
      socket.destroy()
    }
  }
}

function head(token: string, length: number): string {
  return `POST ${chat} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
}

function withArguments(text: string): string {
  const call = { id: 'a', type: 'function', function: { name: 'x', arguments: text } }
  return JSON.stringify({ model: 'fake-chat', messages: [{ role: 'assistant', tool_calls: [call] }] })
}

function list(count: number, entry: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => entry(index)).join(',')
}

function fill(entry: string): string {
  return `${entry},`.repeat(Math.floor((bodyLimitBytes - 200) / (entry.length + 1))) + entry
}
