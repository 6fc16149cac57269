import assert from 'node:assert/strict'
import type { ScriptedModel } from './model-files/scripted-model.ts'
import type { WrittenCall } from './model-files/tool-family.ts'

/** Sends a chat completion with these fields. */
export type Ask = (fields: object) => Promise<Response>

/** An answer with possible tool calls, without their random ids. */
export interface ReceivedAnswer {
  readonly text: string
  readonly calls: readonly WrittenCall[]
  readonly reason: string | null
}

interface Delta {
  readonly content?: string
  readonly reasoning_content?: string
  readonly tool_calls?: readonly { readonly index: number; readonly id?: string; readonly function: Partial<WrittenCall> }[]
}

interface ChatCompletion {
  readonly choices: readonly [
    {
      readonly message: {
        readonly content: string | null
        readonly reasoning_content?: string
        readonly tool_calls?: readonly { readonly function: WrittenCall }[]
      }
      readonly finish_reason: string
    },
  ]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

export async function receiveCompletion(ask: Ask, fields: object): Promise<ChatCompletion> {
  return JSON.parse(await textOf(await ask(fields)))
}

export async function collectAnswer(ask: Ask, fields: object): Promise<ReceivedAnswer> {
  const { message, finish_reason } = (await receiveCompletion(ask, fields)).choices[0]
  return { text: message.content ?? '', calls: (message.tool_calls ?? []).map((call) => call.function), reason: finish_reason }
}

/** The same answer from its stream, and the fragments of its calls' arguments. */
export async function collectStream(ask: Ask, fields: object): Promise<ReceivedAnswer & { readonly fragments: readonly string[] }> {
  const calls: { name: string; arguments: string }[] = []
  const fragments: string[] = []
  let text = ''
  let reason: string | null = null
  for (const { delta, finish_reason } of await receiveChoices(ask, fields)) {
    text += delta.content ?? ''
    reason = finish_reason ?? reason
    for (const { index, id, function: part } of delta.tool_calls ?? []) {
      if (id !== undefined) calls[index] = { name: part.name ?? '', arguments: '' }
      const call = calls[index] ?? assert.fail('A call continues that has not begun.')
      call.arguments += part.arguments ?? ''
      if (part.arguments) fragments.push(part.arguments)
    }
  }
  return { text, calls, reason, fragments }
}

/** A client's result of an answer with thoughts. */
export interface ReceivedThoughts {
  readonly thoughts: string
  readonly text: string
  /** How many. */
  readonly calls: number
}

/** The results of a whole and a streamed answer, which must agree. */
export async function collectThoughts(from: Pick<ScriptedModel, 'say'>, output: string, ask: Ask): Promise<ReceivedThoughts> {
  from.say(output, output)
  const { content, reasoning_content, tool_calls = [] } = (await receiveCompletion(ask, {})).choices[0].message
  const whole = { thoughts: reasoning_content ?? '', text: content ?? '', calls: tool_calls.length }
  const streamed = { thoughts: '', text: '', calls: 0 }
  for (const { delta } of await receiveChoices(ask, {})) {
    streamed.thoughts += delta.reasoning_content ?? ''
    streamed.text += delta.content ?? ''
    streamed.calls += (delta.tool_calls ?? []).filter(({ id }) => id !== undefined).length
  }
  assert.deepEqual(streamed, whole)
  return whole
}

/** The choices of all chunks of a streamed completion. */
async function receiveChoices(
  ask: Ask,
  fields: object,
): Promise<readonly { readonly delta: Delta; readonly finish_reason?: string | null }[]> {
  const lines = (await textOf(await ask({ ...fields, stream: true }))).split('\n')
  return lines.filter((line) => line.startsWith('data: {')).flatMap((line) => JSON.parse(line.slice(6)).choices)
}

async function textOf(response: Response): Promise<string> {
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return text
}
