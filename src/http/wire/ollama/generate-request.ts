import Type, { type Static } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import type { ChatMessage, TextRequest } from '../../../core/text-generation.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed, optional } from '../../faults/object-schema.ts'
import { fieldFault, refuseFaults, textFaultCodes } from '../../faults/refuse-faults.ts'
import { findImageFaults, imagesField, readImages } from './images-field.ts'
import { findRunFaults, modelField, type OllamaRun, readChatOptions, readRun, runFields } from './run-fields.ts'

/** The body of POST /api/generate. */
export const ollamaGenerateSchema = closed({
  model: modelField,
  ...optional({
    prompt: Type.String({ description: "The user's message; without one, the model is loaded or unloaded." }),
    system: Type.String({ description: 'Instructions before it.' }),
    suffix: Type.String({ description: 'Text after the answer, for models that fill gaps; the prompt is the text before it.' }),
    raw: Type.Boolean({ default: false, description: 'Whether the prompt is completed as it is, without the chat template.' }),
    images: imagesField,
    template: Type.String({ maxLength: 0, description: "Not supported: the model's own template is used." }),
    context: Type.Array(Type.Integer(), {
      maxItems: 0,
      description: 'Not supported: send the conversation to /api/chat, which is cached.',
    }),
  }),
  ...runFields,
})

type GenerateBody = Static<typeof ollamaGenerateSchema>

const checker = createBodyChecker(ollamaGenerateSchema)

/** Reads the body of POST /api/generate. @throws {ServiceError} naming every fault at once. */
export function parseOllamaGenerate(received: unknown): OllamaRun {
  const { suffix, ...rest } = checker.parse(received, textFaultCodes)
  const body: GenerateBody = { ...rest, ...(suffix !== undefined && suffix !== '' && { suffix }) }
  refuseFaults([...findRunFaults(body), ...findImageFaults(body.images, ['images']), ...findPlainFaults(body)], textFaultCodes)
  const { prompt = '' } = body
  return readRun(body, prompt === '' && body.suffix === undefined ? null : readInput(body))
}

/** Finds fields that only a chat template can place. */
function findPlainFaults({ raw = false, suffix, system = '', images = [], think }: GenerateBody): readonly FieldFault[] {
  const [reason] = raw ? ['`raw`'] : suffix !== undefined ? ['`suffix`'] : []
  if (reason === undefined) return []
  const given = { system: system !== '', images: images.length > 0, think: think !== undefined && think !== false }
  return Object.entries(given).flatMap(([name, isGiven]) =>
    isGiven ? [fieldFault(name, `needs the chat template, which ${reason} leaves out; send one of them.`)] : [],
  )
}

function readInput(body: GenerateBody): TextRequest['input'] {
  const { prompt = '', suffix, system = '', raw = false } = body
  if (suffix !== undefined) return { type: 'prompt', prompt, echo: false, gap: { suffix, files: [] } }
  if (raw) return { type: 'prompt', prompt, special: true, echo: false }
  const pictures = readImages(body.images)
  const messages: readonly ChatMessage[] = [
    ...(system === '' ? [] : [{ role: 'system', content: system } as const]),
    { role: 'user', content: prompt, ...(pictures.length > 0 && { parts: [...pictures, { type: 'text', text: prompt }] }) },
  ]
  return {
    type: 'chat',
    messages,
    tools: [],
    toolChoice: 'none',
    parallelToolCalls: true,
    ...readChatOptions(body),
  }
}
