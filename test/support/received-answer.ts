import assert from 'node:assert/strict'
import type OpenAI from 'openai'
import type { ScriptedModel } from './model-files/scripted-model.ts'
import type { WrittenCall } from './model-files/tool-family.ts'

/** A client's result of an answer with possible tool calls, without their random ids. */
export interface ReceivedAnswer {
  readonly text: string
  readonly calls: readonly WrittenCall[]
  readonly reason: string | null
}

type Request = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>

export async function collectAnswer(client: OpenAI, request: Request): Promise<ReceivedAnswer> {
  const [choice] = (await client.chat.completions.create(request)).choices
  const calls = (choice?.message.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call.function] : []))
  return { text: choice?.message.content ?? '', calls, reason: choice?.finish_reason ?? null }
}

export async function collectStream(client: OpenAI, request: Request): Promise<ReceivedAnswer> {
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

/** A client's result of an answer with thoughts. */
export interface ReceivedThoughts {
  readonly thoughts: string
  readonly text: string
  /** How many. */
  readonly calls: number
}

/** The results of a whole and a streamed answer, which must agree. */
export async function collectThoughts(
  from: Pick<ScriptedModel, 'say'>,
  output: string,
  ask: (fields: object) => Promise<Response>,
): Promise<ReceivedThoughts> {
  from.say(output, output)
  const { choices } = JSON.parse(await (await ask({})).text())
  const { content, reasoning_content, tool_calls = [] } = choices[0].message
  const whole = { thoughts: reasoning_content ?? '', text: content ?? '', calls: tool_calls.length }
  const streamed = { thoughts: '', text: '', calls: 0 }
  for (const line of (await (await ask({ stream: true })).text()).split('\n')) {
    if (!line.startsWith('data: {')) continue
    const { delta } = JSON.parse(line.slice(6)).choices[0]
    streamed.thoughts += delta.reasoning_content ?? ''
    streamed.text += delta.content ?? ''
    streamed.calls += (delta.tool_calls ?? []).filter(({ id }: { id?: string }) => id !== undefined).length
  }
  assert.deepEqual(streamed, whole)
  return whole
}
