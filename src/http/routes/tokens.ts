import { detokenize, tokenize } from '../../operations/read-tokens.ts'
import { synchronousBody } from '../body/read-body.ts'
import type { Route } from '../route.ts'
import { chatRequestSchema, createChatRequestParser } from '../wire/chat/chat-request.ts'
import { admitText } from '../wire/chat/overlong-prompt.ts'
import { chooseTextModel } from '../wire/chat/require-text-model.ts'
import { detokenizedSchema, encodePieces, encodeTokens, inputTokensSchema, tokenizedSchema } from '../wire/tokens/token-answers.ts'
import { detokenizeSchema, parseDetokenizeRequest, parseTokenizeRequest, tokenizeSchema } from '../wire/tokens/tokenize-request.ts'
import { json, modelRefusals } from './row-parts.ts'

const model = 'smollm2-135m-instruct'

/** Converts texts to tokens and back, and counts the tokens of a conversation. */
export const tokenRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/tokenize',
    summary: 'Tokenize a text or a conversation',
    description: 'Supports the fields of llama.cpp (`content`) and vLLM (`prompt`, `messages`).',
    scopes: ['text'],
    largeBody: true,
    model: 'chosen',
    body: tokenizeSchema,
    example: { model, content: 'The capital of France' },
    answers: [json('The tokens.', tokenizedSchema)],
    refusals: modelRefusals,
    handle: (deps, settings) => {
      const parseChat = createChatRequestParser(settings)
      const choose = (named: string | undefined): string => chooseTextModel(deps.catalog, named).id
      return async ({ incoming, caller, work, options }) => {
        const body = synchronousBody(incoming)
        const { answer, ...request } = parseTokenizeRequest(body.value, { choose, parseChat })
        admitText(deps.catalog, request, { bytes: body.byteLength, use: 'read' })
        const { result, contextLength } = await tokenize(work, { caller, request }, options)
        return answer === 'llama.cpp' ? encodePieces(result) : encodeTokens(result, contextLength)
      }
    },
  },
  {
    method: 'POST',
    path: '/detokenize',
    summary: 'Convert tokens to text',
    scopes: ['text'],
    largeBody: true,
    model: 'chosen',
    body: detokenizeSchema,
    example: { model, tokens: [1, 2, 3] },
    answers: [json('The text.', detokenizedSchema)],
    refusals: modelRefusals,
    handle:
      (deps) =>
      async ({ incoming, caller, work, options }) => {
        const { model: named, tokens } = parseDetokenizeRequest(synchronousBody(incoming).value)
        const request = { model: chooseTextModel(deps.catalog, named).id, tokens }
        const { text } = await detokenize(work, { caller, request }, options)
        return { content: text, prompt: text }
      },
  },
  {
    method: 'POST',
    path: '/v1/chat/completions/input_tokens',
    origin: 'textUrl',
    summary: 'Count the tokens of a conversation',
    description: 'Takes the body of a chat completion and returns only the number of tokens of its prompt.',
    scopes: ['text'],
    largeBody: true,
    model: 'named',
    body: chatRequestSchema,
    example: { model, messages: [{ role: 'user', content: 'What is the capital of France?' }] },
    answers: [json('The number of tokens.', inputTokensSchema)],
    refusals: modelRefusals,
    handle: (deps, settings) => {
      const parse = createChatRequestParser(settings)
      return async ({ incoming, caller, work, options }) => {
        const body = synchronousBody(incoming)
        const { model: named, input } = parse(body.value).request
        admitText(deps.catalog, { model: named, input }, { bytes: body.byteLength, use: 'read' })
        if (input.type !== 'chat') throw new TypeError('A chat request became something else')
        const { result } = await tokenize(work, { caller, request: { model: named, input, spelled: false } }, options)
        return { object: 'response.input_tokens', input_tokens: result.tokens.length }
      }
    },
  },
]
