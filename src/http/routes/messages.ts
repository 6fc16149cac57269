import { collectText } from '../../operations/collect-text.ts'
import { generateText } from '../../operations/generate-text.ts'
import { tokenize } from '../../operations/read-tokens.ts'
import { streamText } from '../answers/stream-text.ts'
import { synchronousBody } from '../body/read-body.ts'
import type { Route } from '../route.ts'
import { withAdapters } from '../wire/chat/fields/adapter-fields.ts'
import { admitText } from '../wire/chat/overlong-prompt.ts'
import { withModelDefaults } from '../wire/chat/with-model-defaults.ts'
import { encodeMessage, startMessage } from '../wire/messages/message.ts'
import { messageAnswerSchema, messageCountSchema } from '../wire/messages/message-answers.ts'
import { countRequestSchema, messageRequestSchema, parseCountRequest, parseMessageRequest } from '../wire/messages/message-request.ts'
import { encodeMessageStream, pingEvent } from '../wire/messages/message-stream.ts'
import { events, inQuery, json, modelRefusals } from './row-parts.ts'

const about = "Also accepts the token as `x-api-key`, and returns errors in Anthropic's format."
const model = 'smollm2-135m-instruct'
const messages = [{ role: 'user', content: 'What is the capital of France?' }]

/** Sent by clients that use beta features. */
const beta = inQuery('beta', "Sent by Anthropic's clients; no effect.")

/** /v1/messages: conversations in Anthropic's format. */
export const messageRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/messages',
    origin: 'textUrl',
    summary: "Continue a conversation, in Anthropic's format",
    description: `With \`stream: true\` the answer is a stream of named events that ends with \`message_stop\`. ${about}`,
    scopes: ['text'],
    spends: 'tokens',
    model: 'named',
    parameters: [beta],
    body: messageRequestSchema,
    example: { model, system: 'Answer in one word.', messages, max_tokens: 64 },
    answers: [{ status: 200, description: 'The answer.', content: { 'application/json': messageAnswerSchema, ...events } }],
    refusals: modelRefusals,
    handle: (deps) => async (call) => {
      const { incoming, work, caller, options } = call
      const body = synchronousBody(incoming)
      const defaults = withModelDefaults(deps.catalog, body.value, ['temperature', 'topP', 'topK'])
      const { request: parsed, stream, thoughts } = parseMessageRequest(defaults)
      const found = admitText(deps.catalog, parsed, { bytes: body.byteLength })
      const request = withAdapters(deps.catalog, parsed, found)
      const head = startMessage(request.model)
      const complete = incoming.latePictures?.putInto()
      const parts = generateText(work, { caller, request, complete }, options)
      if (!stream) return encodeMessage(head, await collectText(parts), { thoughts })
      return streamText(deps, call, parts, {
        encode: (started, { isEarly }) => encodeMessageStream(head, started, { thoughts, isEarly }),
        ping: pingEvent,
      })
    },
  },
  {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    origin: 'textUrl',
    summary: "Count the tokens of a conversation, in Anthropic's format",
    description: about,
    scopes: ['text'],
    largeBody: true,
    model: 'named',
    parameters: [beta],
    body: countRequestSchema,
    example: { model, messages },
    answers: [json('The number of tokens.', messageCountSchema)],
    refusals: modelRefusals,
    handle:
      (deps) =>
      async ({ incoming, caller, work, options }) => {
        const body = synchronousBody(incoming)
        const request = { ...parseCountRequest(body.value), spelled: false }
        admitText(deps.catalog, request, { bytes: body.byteLength })
        const { result } = await tokenize(work, { caller, request }, options)
        return { input_tokens: result.tokens.length }
      },
  },
]
