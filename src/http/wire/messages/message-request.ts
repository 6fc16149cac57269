import Type, { type Static } from 'typebox'
import { type FieldFault, ServiceError } from '../../../core/error.ts'
import { isRecord } from '../../../core/json-value.ts'
import type { ChatInput, TextRequest } from '../../../core/text-generation.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed, integerField, numberField, optional } from '../../faults/object-schema.ts'
import { refuseFaults, textFaultCodes } from '../../faults/refuse-faults.ts'
import { adapterFields, findAdapterFaults, readAdapters } from '../chat/fields/adapter-fields.ts'
import { readStop, stopList } from '../chat/fields/ending-fields.ts'
import { textModelField } from '../chat/require-text-model.ts'
import { readSampling, topFields } from '../chat/sampling-fields.ts'
import { accepted } from '../ignored-fields.ts'
import { findForeignBlocks, messageSchema, systemField } from './content-blocks.ts'
import { findForeignMessageTools, findMessageToolFaults, messageToolFields, readMessageTools } from './message-tools.ts'
import { endsInBeginning, findTurnFaults, readMessages } from './read-messages.ts'
import { readServerTools } from './server-tool-blocks.ts'
import { findThinkingFaults, readAnswerFormat, readThinking, showsThoughts, thinkingFields } from './thinking-fields.ts'

const conversationFields = {
  model: textModelField,
  messages: Type.Array(messageSchema, { minItems: 1, description: 'The conversation; a last assistant message is continued.' }),
  system: systemField,
  ...messageToolFields,
  ...thinkingFields,
}

const answerFields = {
  max_tokens: integerField(1, 2 ** 31 - 1, 'Maximum number of tokens to generate; the context may end it earlier.'),
  ...optional({
    stop_sequences: { ...stopList, description: 'Generation ends before any of these; empty ones are ignored.' },
    stream: Type.Boolean({ default: false, description: 'Whether the answer comes as server-sent events.' }),
    temperature: numberField(0, 1, 'Randomness; 0 always picks the most likely token.', 1),
  }),
  ...topFields,
  ...adapterFields,
  ...optional({
    metadata: closed(
      { user_id: Type.Optional(Type.String({ maxLength: 512 })) },
      { description: '`user_id`: your own name for the end user; accepted, not kept.' },
    ),
    service_tier: Type.Enum(['auto', 'standard_only'], { description: 'Accepted; there is one tier.' }),
    cache_control: Type.Object({}, { description: accepted.keptWarm }),
    mcp_servers: Type.Array(Type.Unknown(), { maxItems: 0, description: 'Only an empty list: tools are called by the client.' }),
  }),
}

/** The body of POST /v1/messages. */
export const messageRequestSchema = closed({ ...conversationFields, ...answerFields })

/** The body of POST /v1/messages/count_tokens. */
export const countRequestSchema = closed({
  ...conversationFields,
  cache_control: answerFields.cache_control,
  mcp_servers: answerFields.mcp_servers,
})

/** A parsed request, and its answer's delivery. */
export interface ParsedMessage {
  readonly request: TextRequest
  readonly stream: boolean
  /** Whether the answer shows the model's reasoning. */
  readonly thoughts: boolean
}

const messageChecker = createBodyChecker(messageRequestSchema)
const countChecker = createBodyChecker(countRequestSchema)

/** Reads the body of POST /v1/messages. @throws {ServiceError} naming every fault at once. */
export function parseMessageRequest(sent: unknown): ParsedMessage {
  const body = messageChecker.parse(readPlain(sent), textFaultCodes)
  refuseFaults([...findConversationFaults(body), ...findAdapterFaults(body)], textFaultCodes)
  return {
    request: {
      model: body.model,
      input: readConversation(body),
      maxTokens: body.max_tokens,
      sampling: readSampling(body),
      stop: readStop(body.stop_sequences),
      choices: 1,
      topLogprobs: null,
      responseFormat: readAnswerFormat(body),
      ...readAdapters(body),
    },
    stream: body.stream ?? false,
    thoughts: showsThoughts(body),
  }
}

/** Reads the body of POST /v1/messages/count_tokens. @throws {ServiceError} naming every fault at once. */
export function parseCountRequest(sent: unknown): { readonly model: string; readonly input: ChatInput } {
  const body = countChecker.parse(readPlain(sent), textFaultCodes)
  refuseFaults(findConversationFaults(body), textFaultCodes)
  return { model: body.model, input: readConversation(body) }
}

type ConversationBody = Static<typeof countRequestSchema> & { readonly max_tokens?: number }

/** A body with server tools as text. Unsupported features are reported before all other faults. */
function readPlain(sent: unknown): unknown {
  const received = readServerTools(sent)
  if (!isRecord(received)) return received
  const { thread, messages, tools } = received
  // Clients continue without a thread after this error.
  if (thread !== undefined && thread !== null)
    throw new ServiceError('unsupported_parameter', '`thread` is not supported: send the whole conversation without it.', {
      param: 'thread',
    })
  refuseFaults([...findForeignBlocks(messages), ...findForeignMessageTools(tools)], textFaultCodes)
  return received
}

function findConversationFaults(body: ConversationBody): readonly FieldFault[] {
  return [...findTurnFaults(body.messages), ...findMessageToolFaults(body), ...findThinkingFaults(body)]
}

function readConversation(body: ConversationBody): ChatInput {
  return {
    type: 'chat',
    messages: readMessages(body.system, body.messages),
    ...readMessageTools(body),
    ...(endsInBeginning(body.messages) && { opening: 'last-message' }),
    ...readThinking(body),
  }
}
