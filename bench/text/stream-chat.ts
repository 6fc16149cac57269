import { once } from 'node:events'
import { request } from 'node:http'
import type { ChatServer } from './chat-server.ts'

/** A streamed answer, and the time of its first text. */
export interface StreamedChat {
  readonly text: string
  readonly firstMs: number
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly completionTokens: number
}

/** Sends one streamed chat completion and reads it to its end. */
export async function streamChat(server: ChatServer, body: object): Promise<StreamedChat> {
  const startedAt = performance.now()
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${server.token}` }
  const sent = request(`${server.url}/v1/chat/completions`, { method: 'POST', headers, agent: false })
  sent.end(JSON.stringify({ model: server.model, stream: true, stream_options: { include_usage: true }, ...body }))
  const [response] = await once(sent, 'response')
  response.setEncoding('utf8')
  let text = ''
  let firstMs = Number.NaN
  let rest = ''
  let usage: { prompt_tokens: number; completion_tokens: number; prompt_tokens_details?: { cached_tokens?: number } } | undefined
  for await (const piece of response) {
    const events = `${rest}${piece}`.split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      if (!event.startsWith('data: {')) continue
      const chunk = JSON.parse(event.slice('data: '.length))
      const content = chunk.choices?.[0]?.delta?.content
      if (typeof content === 'string' && content.length > 0) {
        if (text.length === 0) firstMs = performance.now() - startedAt
        text += content
      }
      usage = chunk.usage ?? usage
    }
  }
  if (response.statusCode !== 200 || usage === undefined) throw new Error(`${server.name} answered ${response.statusCode}: ${rest}`)
  return {
    text,
    firstMs,
    promptTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    completionTokens: usage.completion_tokens,
  }
}
