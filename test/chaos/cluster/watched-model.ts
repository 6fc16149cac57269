import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

/** One run of a request on the model. */
export interface Run {
  readonly startedAt: number
  /** When the caller left before the answer; null while that has not happened. */
  cutAt: number | null
  /** When the whole answer was sent; null before. */
  endedAt: number | null
}

/** A server of a language model that records each request, with its count and time. */
export interface WatchedModel extends AsyncDisposable {
  /** As model.json names it. */
  readonly url: string
  /** Every run of a request, by its name. */
  readonly runs: ReadonlyMap<string, readonly Run[]>
}

/** The prompt of a request for its own answer after a time, with padding of some characters. */
export function promptOf(name: string, workMs: number, more = 0): string {
  return more === 0 ? `${name} ${workMs}` : `${name} ${workMs} ${'x'.repeat(more)}`
}

/** The answer of the model to it, one piece per word. */
export function answerTo(name: string): string {
  return `the answer to ${name} is complete`
}

/** Starts it; what others than the load ask is answered as well. */
export async function startWatchedModel(): Promise<WatchedModel> {
  const runs = new Map<string, Run[]>()
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return void response.end('{"object": "list", "data": []}')
    const body = (await json(request).catch(() => ({}))) as { readonly messages?: readonly { readonly content: string }[] }
    const [name = '', workMs = '0'] = (body.messages?.at(-1)?.content ?? '').split(' ')
    const run: Run = { startedAt: performance.now(), cutAt: null, endedAt: null }
    runs.set(name, [...(runs.get(name) ?? []), run])
    response.on('close', () => {
      if (!response.writableFinished) run.cutAt = performance.now()
    })
    await answer(response, { name, workMs: Number(workMs) })
    if (!response.destroyed) run.endedAt = performance.now()
  })
  server.keepAliveTimeout = 60_000
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    runs,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

async function answer(response: ServerResponse, { name, workMs }: { readonly name: string; readonly workMs: number }): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (further: object) => response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', ...further })}\n\n`)
  const words = answerTo(name).split(/(?= )/)
  for (const content of words) {
    await pause(workMs / words.length)
    if (response.destroyed) return
    send({ choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] })
  }
  send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  send({ choices: [], usage: { prompt_tokens: 2, completion_tokens: words.length, total_tokens: words.length + 2 } })
  response.end('data: [DONE]\n\n')
}
