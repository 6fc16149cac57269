import Type, { type Static, type TObject } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import type { TextRequest } from '../../../core/text-generation.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed, integerField } from '../../faults/object-schema.ts'
import { findIdleField, refuseFaults, textFaultCodes } from '../../faults/refuse-faults.ts'
import { chatMessageSchema } from './chat-message-schema.ts'
import type { CompletionHead } from './completion.ts'
import { acceptedFields, neutralFields } from './fields/accepted-fields.ts'
import { adapterFields, findAdapterFaults, readAdapters } from './fields/adapter-fields.ts'
import { endingFields, findEndingFaults, readEnding, readStop, stopField } from './fields/ending-fields.ts'
import { findLimitFaults, limitFields, readLimit } from './fields/limit-fields.ts'
import { findOpeningFaults, openingFields, readOpening } from './fields/opening-fields.ts'
import { findOutputFormatFaults, outputFormatFields, readOutputFormat } from './fields/output-format-fields.ts'
import { readStoring, type Storing, storingFields } from './fields/storing-fields.ts'
import { findThinkingFaults, readThinking, thinkingFields } from './fields/thinking-fields.ts'
import { findUrgencyFaults, readTier, readUrgency, urgencyFields } from './fields/urgency-fields.ts'
import { findMessageFaults, readChatMessages } from './read-chat-messages.ts'
import { textModelField } from './require-text-model.ts'
import { findResponseFormatFaults, readResponseFormat, responseFormatField } from './response-format-field.ts'
import { type BodySettings, findSamplingFaults, readSampling, type SamplingFields, samplingFields } from './sampling-fields.ts'
import { type Delivery, findStreamFaults, readDelivery, streamFields } from './stream-options-field.ts'
import { findToolFaults, readParallel, readToolChoice, readTools, toolFields } from './tool-fields.ts'

const firstFields = {
  model: textModelField,
  messages: Type.Array(chatMessageSchema, {
    minItems: 1,
    description: 'Roles system (or developer), user, assistant, tool; content is a string or a list of text parts.',
  }),
  ...limitFields,
}

const lastFields = {
  stop: stopField,
  ...endingFields,
  n: Type.Optional(integerField(1, 16, 'Answers to make.', 1)),
  ...streamFields,
  logprobs: Type.Optional(Type.Boolean({ default: false, description: 'Whether tokens come with their log probabilities.' })),
  top_logprobs: Type.Optional(integerField(0, 20, 'Alternatives per token; needs logprobs.')),
  response_format: responseFormatField,
  ...outputFormatFields,
  ...openingFields,
  ...thinkingFields,
  ...toolFields,
  ...adapterFields,
  ...urgencyFields,
  ...storingFields,
  ...acceptedFields,
  ...neutralFields,
  timings_per_token: Type.Optional(
    Type.Boolean({ default: false, description: "Whether chunks have `timings`, as those of llama.cpp's server; needs `stream`." }),
  ),
}

/** The fields of POST /v1/chat/completions, in the order of the documentation. */
export type ChatFields = typeof firstFields & SamplingFields & typeof lastFields

/** The body of POST /v1/chat/completions. */
export function chatRequestSchema(settings: BodySettings): TObject<ChatFields> {
  return closed({ ...firstFields, ...samplingFields(settings), ...lastFields })
}

/** A parsed chat request, its delivery, and whether its answer is stored. */
export interface ParsedChat {
  readonly request: TextRequest
  readonly delivery: Delivery
  readonly storing: Storing
  /** The service tier in the answer; absent when the request names none. */
  readonly tier?: CompletionHead['tier']
}

/** Makes the parser of chat requests. It fills in every default, or reports every fault at once. */
export function createChatRequestParser(settings: BodySettings): (body: unknown) => ParsedChat {
  const checker = createBodyChecker(chatRequestSchema(settings))
  return (received) => {
    const body = checker.parse(received, textFaultCodes)
    refuseFaults(findChatFaults(body), textFaultCodes)
    const ending = readEnding(body)
    const opening = readOpening(body)
    const tier = readTier(body)
    return {
      request: {
        model: body.model,
        input: {
          type: 'chat',
          messages: readChatMessages(body.messages),
          tools: readTools(body),
          toolChoice: readToolChoice(body),
          parallelToolCalls: readParallel(body),
          ...(opening && { opening }),
          ...readThinking(body),
        },
        ...readLimit(body),
        sampling: readSampling(body),
        stop: readStop(body.stop),
        choices: body.n ?? 1,
        topLogprobs: body.logprobs === true ? (body.top_logprobs ?? 0) : null,
        responseFormat: readOutputFormat(body) ?? readResponseFormat(body.response_format),
        ...(ending && { ending }),
        ...readAdapters(body),
        ...readUrgency(body),
      },
      delivery: { ...readDelivery(body), ...(body.timings_per_token === true && { timings: true }) },
      storing: readStoring(body),
      ...(tier && { tier }),
    }
  }
}

/** A checked body of POST /v1/chat/completions. */
export type ChatBody = Static<TObject<ChatFields>>

function findChatFaults(body: ChatBody): readonly FieldFault[] {
  return [
    ...findMessageFaults(body.messages),
    ...findLimitFaults(body),
    ...findSamplingFaults(body),
    ...findIdleField(body, 'top_logprobs', 'logprobs'),
    ...findStreamFaults(body),
    ...findIdleField(body, 'timings_per_token', 'stream'),
    ...findResponseFormatFaults(body.response_format),
    ...findOutputFormatFaults(body, readResponseFormat(body.response_format)),
    ...findOpeningFaults(body),
    ...findThinkingFaults(body),
    ...findAdapterFaults(body),
    ...findUrgencyFaults(body),
    ...findEndingFaults(body, readLimit(body).maxTokens),
    ...findToolFaults(body),
  ]
}
