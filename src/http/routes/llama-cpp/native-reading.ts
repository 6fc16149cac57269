import { ServiceError } from '../../../core/error.ts'
import { tokenize } from '../../../operations/read-tokens.ts'
import { createEmbedding } from '../../../operations/run-work.ts'
import { synchronousBody } from '../../body/read-body.ts'
import type { Route } from '../../route.ts'
import { admitText } from '../../wire/chat/overlong-prompt.ts'
import { chooseTextModel } from '../../wire/chat/require-text-model.ts'
import {
  encodeNativeEmbedding,
  nativeEmbeddingAnswerSchema,
  nativeEmbeddingSchema,
  parseNativeEmbedding,
} from '../../wire/llama-cpp/native-embedding.ts'
import { createTemplateParser, templateAnswerSchema, templateSchema } from '../../wire/llama-cpp/template-request.ts'
import { json, modelRefusals } from '../row-parts.ts'
import { aboutNative } from './native-completions.ts'

/** llama.cpp's routes that embed texts and render a conversation with the model's template. */
export const nativeReadingRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/embedding',
    alsoAt: ['/embeddings'],
    summary: "Embed texts, in llama.cpp's format",
    description: `${aboutNative} Also at /embeddings; OpenAI's are at /v1/embeddings.`,
    scopes: ['text'],
    spends: 'tokens',
    body: nativeEmbeddingSchema,
    example: { model: 'all-minilm-l6-v2', content: 'a fox' },
    answers: [json('One vector of unit length per text.', nativeEmbeddingAnswerSchema)],
    refusals: modelRefusals,
    handle:
      (deps) =>
      async ({ incoming, caller, options, work }) => {
        const { model, ...embedded } = parseNativeEmbedding(synchronousBody(incoming).value)
        const request = { model: chooseTextModel(deps.catalog, model, 'embed').id, ...embedded }
        return encodeNativeEmbedding(await createEmbedding(work, { caller, request }, options))
      },
  },
  {
    method: 'POST',
    path: '/apply-template',
    summary: "Render a conversation with the model's template",
    description: aboutNative,
    scopes: ['text'],
    largeBody: true,
    model: 'chosen',
    body: templateSchema,
    example: { model: 'smollm2-135m-instruct', messages: [{ role: 'user', content: 'What is the capital of France?' }] },
    answers: [json('The text.', templateAnswerSchema)],
    refusals: modelRefusals,
    handle: (deps, settings) => {
      const parse = createTemplateParser(settings, (model) => chooseTextModel(deps.catalog, model, 'generate').id)
      return async ({ incoming, caller, work, options }) => {
        const body = synchronousBody(incoming)
        const { model, input } = parse(body.value)
        admitText(deps.catalog, { model, input }, { bytes: body.byteLength, use: 'read' })
        const request = { model, input, spelled: false, written: true }
        const { result } = await tokenize(work, { caller, request }, options)
        if (result.prompt !== undefined) return { prompt: result.prompt }
        const message = `The model ${model} runs on a server that does not expose its prompts; use one that runs here.`
        throw new ServiceError('unsupported_parameter', message, { param: 'model' })
      }
    },
  },
]
