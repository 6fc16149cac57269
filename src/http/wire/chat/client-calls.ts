import { parseRecord } from '../../../core/json-value.ts'
import { finishWords } from '../../../core/text/finish-words.ts'
import type { FinishReason, TextPart, TextRequest, ToolDefinition } from '../../../core/text-generation.ts'

/** The kind of tool that a call belongs to for the client; undefined = a function. */
export function calledAs({ input }: TextRequest, name: string): ToolDefinition['calledAs'] {
  return input.type === 'chat' ? input.tools.find((tool) => tool.name === name)?.calledAs : undefined
}

/** The text that a model passed to a custom tool, from the arguments it wrote; all of them if the call was cut off. */
export function inputIn(written: string): string {
  const input = parseRecord(written)?.input
  return typeof input === 'string' ? input : written
}

/** The finish reason of an answer. @param isOnly Whether it ends with a `function_call` of OpenAI's first interface. */
export function finishWord(reason: FinishReason, isOnly: boolean): (typeof finishWords)[FinishReason]['openAi'] | 'function_call' {
  const word = finishWords[reason].openAi
  return isOnly && word === 'tool_calls' ? 'function_call' : word
}

interface OpenCall {
  readonly index: number
  readonly as: ToolDefinition['calledAs']
  written: string
}

/** Encodes calls in a stream's deltas that do not have the format of functions. The input of a custom tool is sent when it is complete. */
export class ClientCalls {
  readonly #request: TextRequest
  /** By choice. A call ends where the next begins or its choice ends. */
  readonly #open = new Map<number, OpenCall>()

  constructor(request: TextRequest) {
    this.#request = request
  }

  /** The fields of a delta that end the open call before this part; null = none. */
  before(part: TextPart): object | null {
    if (part.type !== 'tool-call' && part.type !== 'choice-finish') return null
    const open = this.#open.get(part.choice)
    return open?.as === 'text' ? { tool_calls: [{ index: open.index, custom: { input: inputIn(open.written) } }] } : null
  }

  /** The fields of a delta for this part; undefined = those of a function, null = none. */
  of(part: TextPart): object | null | undefined {
    if (part.type === 'tool-call') {
      const { choice, index, id, name } = part
      const as = calledAs(this.#request, name)
      this.#open.set(choice, { index, as, written: '' })
      if (as === 'text') return { tool_calls: [{ index, id, type: 'custom', custom: { name, input: '' } }] }
      return as === 'only' ? { function_call: { name, arguments: '' } } : undefined
    }
    const open = part.type === 'tool-arguments' ? this.#open.get(part.choice) : undefined
    if (part.type !== 'tool-arguments' || open?.as === undefined) return undefined
    open.written += part.fragment
    return open.as === 'text' ? null : { function_call: { arguments: part.fragment } }
  }

  /** Whether a choice ends with a `function_call` of OpenAI's first interface. */
  isOnly(choice: number): boolean {
    return this.#open.get(choice)?.as === 'only'
  }
}
