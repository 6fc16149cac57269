import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import type { TokenizeRequest } from '../../../core/text-generation.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed } from '../../faults/object-schema.ts'
import { fieldFault, refuseFaults, textFaultCodes } from '../../faults/refuse-faults.ts'
import { chatMessageSchema } from '../chat/chat-message-schema.ts'
import type { ParsedChat } from '../chat/chat-request.ts'
import { openingFields } from '../chat/fields/opening-fields.ts'
import { toolFields } from '../chat/tool-fields.ts'
import { maxTokenIds, tokenId } from './token-ids.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))
const flag = (standard: boolean, description: string) => Type.Optional(Type.Boolean({ default: standard, description }))

/** The name of a model, optional when there is only one. */
export const onlyModel = Type.Optional(Type.String({ minLength: 1, description: 'A text model; may be left out where there is only one.' }))

/** The body of POST /tokenize: a text in the format of llama.cpp or vLLM, or a conversation. */
export const tokenizeSchema = closed({
  model: onlyModel,
  content: text("The text; llama.cpp's name."),
  add_special: flag(false, 'With `content`: whether the tokens around a text are added.'),
  parse_special: flag(true, 'With `content`: whether spellings of control tokens become these tokens.'),
  with_pieces: flag(false, 'With `content`: whether each token comes with its text.'),
  prompt: text("The text; vLLM's name."),
  add_special_tokens: flag(true, 'With `prompt`: whether the tokens around a text are added.'),
  return_token_strs: flag(false, 'With `prompt` or `messages`: whether the answer has the text of each token.'),
  messages: Type.Optional(Type.Array(chatMessageSchema, { minItems: 1, description: 'A conversation, as for a chat completion.' })),
  tools: toolFields.tools,
  ...openingFields,
})

type TokenizeBody = Static<typeof tokenizeSchema>

/** A checked request, and the format of its answer. */
export interface ParsedTokenize {
  readonly input: TokenizeRequest['input']
  readonly spelled: boolean
  readonly answer: 'llama.cpp' | 'vllm'
}

const checker = createBodyChecker(tokenizeSchema)
const inputs = ['content', 'prompt', 'messages'] as const

/**
 * Reads the body of POST /tokenize.
 *
 * @param choose Finds the requested model.
 * @param parseChat Reads conversations.
 * @throws {ServiceError} naming every fault at once, and the errors of `choose`.
 */
export function parseTokenizeRequest(
  received: unknown,
  { choose, parseChat }: { readonly choose: (model: string | undefined) => string; readonly parseChat: (body: unknown) => ParsedChat },
): ParsedTokenize & { readonly model: string } {
  const body = checker.parse(received, textFaultCodes)
  refuseFaults(findInputFaults(body), textFaultCodes)
  const model = choose(body.model)
  const { messages, tools, add_generation_prompt, continue_final_message } = body
  if (body.content !== undefined)
    return {
      model,
      input: { type: 'text', text: body.content, framed: body.add_special ?? false, special: body.parse_special ?? true },
      spelled: body.with_pieces ?? false,
      answer: 'llama.cpp',
    }
  const spelled = body.return_token_strs ?? false
  if (messages === undefined) {
    const framed = body.add_special_tokens ?? true
    return { model, input: { type: 'text', text: body.prompt ?? '', framed, special: true }, spelled, answer: 'vllm' }
  }
  const { input } = parseChat({ model, messages, tools, add_generation_prompt, continue_final_message }).request
  if (input.type !== 'chat') throw new TypeError('A chat request became something else')
  return { model, input, spelled, answer: 'vllm' }
}

function findInputFaults(body: TokenizeBody): readonly FieldFault[] {
  const [first, second] = inputs.filter((field) => body[field] !== undefined)
  if (first === undefined) return [fieldFault('content', 'is required, or `prompt`, or `messages`: add one of them.', 'missing')]
  return second === undefined ? [] : [fieldFault(second, `contradicts \`${first}\`; send one of them.`, 'conflict')]
}

/** The body of POST /detokenize. */
export const detokenizeSchema = closed({
  model: onlyModel,
  tokens: Type.Array(tokenId, { maxItems: maxTokenIds, description: 'Token ids.' }),
})

const detokenizeChecker = createBodyChecker(detokenizeSchema)

/**
 * Reads the body of POST /detokenize.
 *
 * @throws {ServiceError} naming every fault at once.
 */
export function parseDetokenizeRequest(received: unknown): { readonly model: string | undefined; readonly tokens: readonly number[] } {
  const { model, tokens } = detokenizeChecker.parse(received, textFaultCodes)
  return { model, tokens }
}
