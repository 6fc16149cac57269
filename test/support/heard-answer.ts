import type OpenAI from 'openai'
import type { WrittenCall } from './model-files/tool-family.ts'

/** What a client makes of an answer that may hold tool calls; the random ids of the calls are left out. */
export interface HeardAnswer {
  readonly text: string
  readonly calls: readonly WrittenCall[]
  readonly reason: string | null
}

type Request = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>

export async function hearAtOnce(client: OpenAI, request: Request): Promise<HeardAnswer> {
  const [choice] = (await client.chat.completions.create(request)).choices
  const calls = (choice?.message.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call.function] : []))
  return { text: choice?.message.content ?? '', calls, reason: choice?.finish_reason ?? null }
}

export async function hearStream(client: OpenAI, request: Request): Promise<HeardAnswer> {
  const calls: { name: string; arguments: string }[] = []
  let text = ''
  let reason: string | null = null
  for await (const { choices } of await client.chat.completions.create({ ...request, stream: true })) {
    const [choice] = choices
    text += choice?.delta.content ?? ''
    reason = choice?.finish_reason ?? reason
    for (const { index, id, function: part } of choice?.delta.tool_calls ?? []) {
      if (id !== undefined) calls[index] = { name: part?.name ?? '', arguments: '' }
      const call = calls[index]
      if (call !== undefined) call.arguments += part?.arguments ?? ''
    }
  }
  return { text, calls, reason }
}
