import { ServiceError } from '../../core/error.ts'
import type { TextRequest } from '../../core/text-generation.ts'
import { type ChatTemplate, toTemplateMessage } from './chat-template.ts'
import { guardControlTexts } from './control-guard.ts'
import type { Vocabulary } from './vocabulary.ts'

/**
 * The tokens a request starts from.
 *
 * @throws {ServiceError} `invalid_request_error` when the template refuses the messages.
 */
export function tokenizeRequest(
  { vocabulary, template }: { readonly vocabulary: Vocabulary; readonly template: ChatTemplate },
  { input }: TextRequest,
): Uint32Array {
  if (input.type === 'prompt') return withBegin(vocabulary, [vocabulary.tokenize(input.prompt, { special: false })])
  const guard = guardControlTexts(vocabulary.controlTexts, [JSON.stringify(input.tools), ...input.messages.map(writtenText)])
  const messages = input.messages.map((message) => toTemplateMessage(message, guard.protect))
  const tools = JSON.parse(guard.protect(JSON.stringify(input.tools)))
  const rendered = template.render(messages, input.toolChoice === 'none' ? [] : tools)
  return withBegin(
    vocabulary,
    guard.split(rendered).map((part) => vocabulary.tokenize(part.text, { special: part.special })),
  )
}

function writtenText(message: { readonly content: string | null; readonly toolCalls?: readonly object[] }): string {
  return `${message.content ?? ''}${message.toolCalls === undefined ? '' : JSON.stringify(message.toolCalls)}`
}

function withBegin({ begin }: Vocabulary, parts: readonly Uint32Array[]): Uint32Array {
  const tokens = parts.flatMap((part) => [...part])
  if (begin !== null && tokens[0] !== begin) tokens.unshift(begin)
  return Uint32Array.from(tokens)
}

/** @throws {ServiceError} `context_length_exceeded` unless the prompt leaves room for one token. */
export function checkPromptFits(promptTokens: number, contextLength: number, param: 'messages' | 'prompt' | 'input'): void {
  if (promptTokens < contextLength) return
  throw new ServiceError(
    'context_length_exceeded',
    `The prompt has ${promptTokens} tokens and the model's context holds ${contextLength}, answer included; shorten the prompt.`,
    { param },
  )
}
