import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { suite, test } from 'node:test'
import { collectText } from '../../src/operations/collect-text.ts'
import { describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { loadUpstreamModel } from '../../src/runtimes/upstream/load-upstream-model.ts'
import { makeTextRequest } from '../support/text-request.ts'

const { signal } = new AbortController()
type Format = 'openai' | 'anthropic'

/** A server that sends these pieces, each in a packet of its own, in answer to every text. */
async function connect(format: Format, pieces: readonly (string | Uint8Array)[]) {
  await using stack = new AsyncDisposableStack()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.setNoDelay(true).on('error', () => {}))
    let taken = ''
    const answer = async () => {
      for (const piece of pieces) {
        socket.write(piece)
        await new Promise(setImmediate)
      }
      socket.end()
    }
    socket.on('data', (data) => {
      taken += data.toString('latin1')
      if (taken.startsWith('GET')) return void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 11\r\nConnection: close\r\n\r\n{"data":[]}')
      const [, length = '0'] = /content-length: (\d+)/i.exec(taken) ?? []
      if (taken.includes('\r\n\r\n') && taken.length - taken.indexOf('\r\n\r\n') - 4 === Number(length)) void answer()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const upstream = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, model: 'm', keyFile: null, slots: 1 }
  const { model } = stack.use(await loadUpstreamModel(describeFakeText({ format, upstream }), { signal, probeMs: 2 ** 31 - 1 }))
  const kept = stack.move()
  return {
    ask: () => collectText(model.generate(makeTextRequest('hello'), { signal, account: 'a' })),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const events: Readonly<Record<Format, readonly string[]>> = {
  openai: [
    JSON.stringify({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Grüße ' } }] }),
    JSON.stringify({ choices: [{ index: 0, delta: { content: '😀' } }] }),
    JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } }),
  ],
  anthropic: [
    JSON.stringify({ type: 'message_start', message: { usage: { input_tokens: 7, output_tokens: 0 } } }),
    JSON.stringify({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Grüße 😀' } }),
    JSON.stringify({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } }),
    JSON.stringify({ type: 'message_stop' }),
  ],
}

const head = (status = '200 OK', more = '') => `HTTP/1.1 ${status}\r\nContent-Type: text/event-stream\r\nConnection: close\r\n${more}\r\n`
const chunked = 'Transfer-Encoding: chunked\r\n'
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const data = (lines: readonly string[], end = '\n') => lines.map((line) => `data: ${line}${end}${end}`).join('')
const bytes = (text: string) => [...Buffer.from(text)].map((byte) => Uint8Array.of(byte))

/** Answers that are complete, however they are written. */
const complete: Readonly<Record<string, (lines: readonly string[]) => readonly (string | Uint8Array)[]>> = {
  'in single bytes': (lines) => [head(), ...bytes(data(lines))],
  'with CRLF': (lines) => [head(), data(lines, '\r\n')],
  'with CR': (lines) => [head(), data(lines, '\r')],
  'after a byte order mark': (lines) => [head(), `\uFEFF${data(lines)}`],
  'between comments and other fields': (lines) => [head(), lines.map((line) => `: hello\nid: 1\nretry: 5\ndata:${line}\n\n:\n\n`).join('')],
  'with trailers': (lines) => [head('200 OK', chunked), ...lines.map((line) => chunk(data([line]))), '0\r\nX-Tokens: 3\r\n\r\n'],
  'after answers to come': (lines) => [
    'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
    'HTTP/1.1 102 Processing\r\n\r\n',
    head(),
    data(lines),
  ],
  'with status 201': (lines) => [head('201 Created'), data(lines)],
  'in HTTP/1.0': (lines) => [head().replace('HTTP/1.1', 'HTTP/1.0'), data(lines)],
  'as lines of JSON': (lines) => [head(), ...bytes(lines.map((line) => `${line}\n`).join(''))],
  'as lines of JSON with CRLF and blank lines': (lines) => [head(), lines.map((line) => `${line}\r\n\r\n`).join('')],
  'with a last line that has no end': (lines) => [head(), data(lines).trimEnd()],
  'over several data lines': (lines) => [
    head(),
    lines.map((line) => `${JSON.stringify(JSON.parse(line), null, 1).replace(/^/gm, 'data: ')}\n\n`).join(''),
  ],
  'and broken off behind its end': (lines) => [head('200 OK', chunked), chunk(data(lines)), chunk('data: {"choi')],
  'and followed by other data': (lines) => [head(), `${data(lines)}data: <html>\n\n`],
}

const failed = (message: string, code: number | string = 500) => JSON.stringify({ error: { message, code, type: 'api_error' } })
const busy = { code: 'server_is_overloaded' }

/** Answers that are none, and the error of each. */
const faults: Readonly<Record<string, readonly [pieces: readonly string[], error: object]>> = {
  'an error with 200': [[head(), failed('It broke.')], { code: 'inference_failed' }],
  'an error with 200 in a list': [[head(), `[${failed('Slow down.', 429)}]`], busy],
  'an error with 200 over several lines': [[head(), JSON.stringify(JSON.parse(failed('Slow down.', 429)), null, 2)], busy],
  'an error as an event': [[head(), `event: error\ndata: ${failed('Slow down.', 429)}\n\n`], busy],
  'a page': [[head(), '<html><body>Sign in</body></html>'], { code: 'inference_failed' }],
  nothing: [[head()], { code: 'inference_failed' }],
  'no content': [['HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'], { code: 'inference_failed' }],
  'a redirect': [[head('307 Temporary Redirect', 'Location: /v2\r\n')], { code: 'inference_failed' }],
  'a pause in seconds': [[head('429 Too Many Requests', 'Retry-After: 7\r\n')], { ...busy, retryAfterSeconds: 7 }],
  'a pause with a date that has passed': [
    [head('503 Service Unavailable', 'Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n')],
    { ...busy, retryAfterSeconds: 1 },
  ],
  'a pause that is no number': [[head('503 Service Unavailable', 'Retry-After: soon\r\n')], { ...busy, retryAfterSeconds: 1 }],
  'compressed bytes': [[head('200 OK', 'Content-Encoding: gzip\r\n'), '\x1f\x8b'], { code: 'inference_failed' }],
  'another protocol': [['SSH-2.0-OpenSSH_9.6\r\n'], { code: 'inference_failed' }],
}

for (const format of ['openai', 'anthropic'] as const)
  suite(`a server of the format ${format} is read`, () => {
    const lines = events[format]
    for (const [name, write] of Object.entries(complete))
      test(`if its answer comes ${name}`, async () => {
        await using server = await connect(format, write(lines))
        const { choices, usage } = await server.ask()
        assert.deepEqual([choices[0]?.text, choices[0]?.reason], ['Grüße 😀', 'stop'])
        assert.deepEqual([usage.promptTokens, usage.completionTokens], [7, 3])
      })

    for (const [name, [pieces, error]] of Object.entries(faults))
      test(`if it sends ${name}, which is an error`, async () => {
        await using server = await connect(format, pieces)
        await assert.rejects(server.ask(), error)
      })
  })
