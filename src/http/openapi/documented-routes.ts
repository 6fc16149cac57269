import Type, { type TObject, type TSchema } from 'typebox'
import { scopes } from '../../core/access-token.ts'
import { chatRequestSchema } from '../wire/chat/chat-request.ts'
import { completionRequestSchema } from '../wire/chat/completion-request.ts'
import { embeddingRequestSchema } from '../wire/chat/embedding-request.ts'
import { chatCompletionSchema, completionSchema, embeddingSchema } from '../wire/chat/text-answers.ts'
import { submissionSchema } from '../wire/deferred/inference-answers.ts'
import { imageResultSchema, openAiImagesSchema } from '../wire/images/image-answers.ts'
import { imageRequestSchema } from '../wire/images/image-fields.ts'
import { imageEditSchema, imageVariationSchema } from '../wire/images/openai/edit-request.ts'
import { openAiImageSchema } from '../wire/images/openai/image-options.ts'
import { upscalingRequestSchema } from '../wire/images/upscaling-request.ts'
import { upscalingResultSchema } from '../wire/images/upscaling-result.ts'
import { messageModelListSchema, messageModelSchema } from '../wire/messages/message-models.ts'
import { rerankSchema, textRankSchema } from '../wire/rerank/rerank-answers.ts'
import { rerankNames, rerankPath, rerankRequestSchema } from '../wire/rerank/rerank-request.ts'
import { modelListSchema, modelSchema } from '../wire/service/model-answers.ts'
import { detokenizeSchema } from '../wire/tokens/detokenize-request.ts'
import { detokenizedSchema, inputTokensSchema, tokenizedSchema } from '../wire/tokens/token-answers.ts'
import { tokenizeSchema } from '../wire/tokens/tokenize-request.ts'
import { assetRoutes } from './asset-routes.ts'
import { deferredHeaders, previewHeader } from './deferred-parameters.ts'
import { deferredRoutes } from './deferred-routes.ts'
import { type DocumentedRoute, json, text } from './documented-route.ts'
import { fileRoutes } from './file-routes.ts'
import { llamaCppRoutes } from './llama-cpp-routes.ts'
import { messageRoutes } from './message-routes.ts'
import { responseRoutes } from './response-routes.ts'
import { serviceRoutes } from './service-routes.ts'
import { storedChatRoutes } from './stored-chat-routes.ts'

const submitted = json('Asynchronous: the request is stored and will be completed.', submissionSchema, 202)
/** What the health routes answer. */
const statusSchema = Type.Object({ status: Type.String() })
const bodyRefusals = [413, 415, 429, 503, 504] as const
const events = { 'text/event-stream': text }

const openAiImages = { status: 200, description: 'The images.', content: { 'application/json': openAiImagesSchema, ...events } } as const
const imageStream = 'With `stream: true` the answer is a stream of named events that ends with the last `…completed`.'

function drawingRoute(
  path: string,
  summary: string,
  { body, answer }: { readonly body: TObject; readonly answer: TSchema } = { body: imageRequestSchema, answer: imageResultSchema },
): DocumentedRoute {
  return {
    method: 'post',
    path,
    summary,
    description: 'With `Accept: image/png`, `image/jpeg` or `image/webp` the answer is the first image itself.',
    scopes: ['image'],
    parameters: [...deferredHeaders, previewHeader],
    body,
    answers: [
      {
        status: 200,
        description: 'The images.',
        content: { 'application/json': answer, 'image/png': text, 'image/jpeg': text, 'image/webp': text },
      },
      submitted,
    ],
    refusals: [400, 404, 409, 422, ...bodyRefusals],
  }
}

/** Every route of the public interface, in the order in which the document shows them. */
export function documentedRoutes(settings: { readonly widePenalties: boolean }): readonly DocumentedRoute[] {
  return [
    drawingRoute('/generate/sdxl', 'Generate images with SDXL'),
    drawingRoute('/generate/controlnet-sdxl', 'The same as /generate/sdxl, by the original name for ControlNets'),
    drawingRoute('/generate/sd', 'Generate images with Stable Diffusion 1.5 or 2'),
    drawingRoute('/generate/controlnet-sd', 'The same as /generate/sd, by the original name for ControlNets'),
    drawingRoute('/generate/image', 'Generate images with any installed image model'),
    drawingRoute('/upscaling', 'Enlarge an image', { body: upscalingRequestSchema, answer: upscalingResultSchema }),
    {
      method: 'post',
      path: '/v1/chat/completions',
      summary: 'Continue a conversation',
      description: 'With `stream: true` the answer is a stream of `data:` lines that ends with `data: [DONE]`. Also at /chat/completions.',
      scopes: ['text'],
      parameters: deferredHeaders,
      body: chatRequestSchema(settings),
      answers: [{ status: 200, description: 'The answer.', content: { 'application/json': chatCompletionSchema, ...events } }, submitted],
      refusals: [400, 404, 409, ...bodyRefusals],
    },
    ...storedChatRoutes,
    ...messageRoutes,
    ...responseRoutes,
    {
      method: 'post',
      path: '/v1/completions',
      summary: 'Continue a text',
      scopes: ['text'],
      body: completionRequestSchema(settings),
      answers: [{ status: 200, description: 'The continuation.', content: { 'application/json': completionSchema, ...events } }],
      refusals: [400, 404, ...bodyRefusals],
    },
    {
      method: 'post',
      path: '/v1/embeddings',
      summary: 'Embed texts',
      scopes: ['text'],
      body: embeddingRequestSchema,
      answers: [json('One vector of unit length per input.', embeddingSchema)],
      refusals: [400, 404, ...bodyRefusals],
    },
    {
      method: 'post',
      path: rerankPath,
      summary: 'Rank documents by how well they answer a query',
      description: `In the format of Jina and Cohere; with \`texts\`, of TEI's. Also at ${rerankNames.join(', ')}.`,
      scopes: ['text'],
      body: rerankRequestSchema,
      answers: [
        json('The documents, the best first; a list of `index` and `score` to `texts`.', Type.Union([rerankSchema, textRankSchema])),
      ],
      refusals: [400, 404, ...bodyRefusals],
    },
    {
      method: 'post',
      path: '/tokenize',
      summary: 'Read a text or a conversation as tokens',
      description: 'Supports the fields of llama.cpp (`content`) and vLLM (`prompt`, `messages`).',
      scopes: ['text'],
      body: tokenizeSchema,
      answers: [json('The tokens.', tokenizedSchema)],
      refusals: [400, 404, ...bodyRefusals],
    },
    {
      method: 'post',
      path: '/detokenize',
      summary: 'Spell tokens',
      scopes: ['text'],
      body: detokenizeSchema,
      answers: [json('The text.', detokenizedSchema)],
      refusals: [400, 404, ...bodyRefusals],
    },
    {
      method: 'post',
      path: '/v1/chat/completions/input_tokens',
      summary: 'Count the tokens of a conversation',
      description: 'Takes the body of a chat completion and returns only the number of tokens of its prompt.',
      scopes: ['text'],
      body: chatRequestSchema(settings),
      answers: [json('The count.', inputTokensSchema)],
      refusals: [400, 404, ...bodyRefusals],
    },
    ...llamaCppRoutes(settings),
    {
      method: 'post',
      path: '/v1/images/generations',
      summary: "Generate images in OpenAI's format",
      description: imageStream,
      scopes: ['image'],
      body: openAiImageSchema,
      answers: [openAiImages],
      refusals: [400, 404, 422, ...bodyRefusals],
    },
    {
      method: 'post',
      path: '/v1/images/edits',
      summary: 'Edit a picture by a prompt',
      description: `Repaints the transparent part of \`mask\`, or the whole picture without one. ${imageStream}`,
      scopes: ['image'],
      body: imageEditSchema,
      bodyType: 'multipart/form-data',
      answers: [openAiImages],
      refusals: [400, 404, 422, ...bodyRefusals],
    },
    {
      method: 'post',
      path: '/v1/images/variations',
      summary: 'Draw a variation of a picture',
      scopes: ['image'],
      body: imageVariationSchema,
      bodyType: 'multipart/form-data',
      answers: [json('The images.', openAiImagesSchema)],
      refusals: [400, 404, 422, ...bodyRefusals],
    },
    {
      method: 'get',
      path: '/v1/images/stored/{account}/{id}/{index}',
      summary: 'Fetch a picture by its signed link',
      description: '`response_format: "url"` returns these links; everyone who has one sees that picture for 24 hours.',
      scopes: null,
      parameters: [
        ...['account', 'id', 'index'].map((name) => ({ in: 'path' as const, name, description: 'As in the link.', schema: text })),
        ...['expires', 'signature'].map((name) => ({ in: 'query' as const, name, description: 'As in the link.', schema: text })),
      ],
      answers: [{ status: 200, description: 'The picture.', content: { 'image/png': text, 'image/jpeg': text, 'image/webp': text } }],
      refusals: [404, 410],
    },
    ...fileRoutes,
    ...deferredRoutes,
    ...assetRoutes,
    {
      method: 'get',
      path: '/v1/models',
      summary: 'List the models',
      description:
        "Also at /models. With `anthropic-version`, the answer has Anthropic's format and lists text models, page by page (`limit`, `after_id`, `before_id`).",
      scopes,
      answers: [json('Every installed model.', Type.Union([modelListSchema, messageModelListSchema]))],
      refusals: [429],
    },
    {
      method: 'get',
      path: '/v1/models/{id}',
      summary: 'Get a model',
      scopes,
      parameters: [{ in: 'path', name: 'id', description: 'Its name; may hold slashes.', schema: text }],
      answers: [json('The model.', Type.Union([modelSchema, messageModelSchema]))],
      refusals: [404, 429],
    },
    ...serviceRoutes,
    {
      method: 'get',
      path: '/metrics',
      summary: "Metrics in Prometheus' text format",
      scopes: ['read'],
      answers: [{ status: 200, description: 'The metrics.', content: { 'text/plain': text } }],
      refusals: [429],
    },
    {
      method: 'get',
      path: '/healthz',
      summary: 'Is the process alive?',
      description: 'Also at /health.',
      scopes: null,
      answers: [json('It is.', statusSchema)],
    },
    {
      method: 'get',
      path: '/readyz',
      summary: 'Can it serve?',
      scopes: null,
      answers: [json('It can.', statusSchema)],
      refusals: [503],
    },
    {
      method: 'get',
      path: '/openapi.json',
      summary: 'This document',
      scopes: null,
      answers: [{ status: 200, description: 'OpenAPI 3.1.', content: { 'application/json': text } }],
    },
    {
      method: 'get',
      path: '/docs/api',
      summary: 'API reference with requests to try',
      description:
        'With your token you can send requests from the page, which loads nothing from elsewhere; `/docs/api/page.js` and `/docs/api/rapidoc.js` are its scripts.',
      scopes: null,
      answers: [{ status: 200, description: 'HTML.', content: { 'text/html': text } }],
    },
    {
      method: 'get',
      path: '/docs/api/plain',
      summary: 'API reference without scripts',
      scopes: null,
      answers: [{ status: 200, description: 'HTML.', content: { 'text/html': text } }],
    },
  ]
}
