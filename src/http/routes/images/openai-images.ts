import type { TObject } from 'typebox'
import { withInstalledModel } from '../../body/complete-bodies.ts'
import { receivedForm } from '../../body/form/received-form.ts'
import { synchronousBody } from '../../body/read-body.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import type { Call, Route } from '../../route.ts'
import type { RouteAnswer } from '../../route-description.ts'
import type { Form } from '../../wire/forms/read-form-fields.ts'
import { imageEditSchema, imageVariationSchema, parseImageEdit, parseImageVariation } from '../../wire/images/openai/edit-request.ts'
import { openAiImageSchema } from '../../wire/images/openai/image-options.ts'
import { openAiImagesSchema } from '../../wire/images/openai/images-answer.ts'
import { parseOpenAiImageRequest } from '../../wire/images/openai/resolve-images.ts'
import { events, json, modelRefusals } from '../row-parts.ts'
import { answerImages } from './answer-images.ts'
import { imageParsingOf } from './drawing.ts'

const images: RouteAnswer = { status: 200, description: 'The images.', content: { 'application/json': openAiImagesSchema, ...events } }
const stream = 'With `stream: true`, the response is a stream of named events that ends with the last `…completed`.'

/** /v1/images/…: OpenAI's image routes. */
export const openAiImageRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/images/generations',
    origin: 'imageUrl',
    summary: "Generate images in OpenAI's format",
    description: stream,
    scopes: ['image'],
    spends: 'images',
    model: 'drawing',
    body: openAiImageSchema,
    example: { prompt: 'a fox in the snow, watercolour', size: 'auto', output_format: 'webp' },
    answers: [images],
    refusals: [...modelRefusals, 422],
    handle: (deps, settings) => async (call) => {
      const catalog = deps.assets.library.catalogFor(call.caller.accountId)
      const requested = parseOpenAiImageRequest(catalog, synchronousBody(call.incoming).value, settings.requests.imagePixels)
      return answerImages(deps, call, { ...requested, name: 'image_generation' })
    },
  },
  {
    ...formRoute('/v1/images/edits', 'Edit an image with a prompt', imageEditSchema),
    description: `Repaints the transparent part of \`mask\`, or the whole image without one. ${stream}`,
    answers: [images],
    handle: (deps, settings) => (call) => answerForm(deps, settings, call, parseImageEdit),
  },
  {
    ...formRoute('/v1/images/variations', 'Create a variation of an image', imageVariationSchema),
    answers: [json('The images.', openAiImagesSchema)],
    handle: (deps, settings) => (call) => answerForm(deps, settings, call, parseImageVariation),
  },
]

function formRoute(path: string, summary: string, body: TObject) {
  const refusals = [...modelRefusals, 422] as const
  return {
    method: 'POST',
    path,
    origin: 'imageUrl',
    summary,
    scopes: ['image'],
    spends: 'images',
    model: 'drawing',
    takes: 'form',
    body,
    refusals,
  } as const
}

async function answerForm(
  deps: RouteDependencies,
  settings: HttpSettings,
  call: Call,
  parse: typeof parseImageEdit | typeof parseImageVariation,
): Promise<object> {
  const parsing = { ...imageParsingOf(deps, call.caller), maxPixels: settings.requests.imagePixels }
  const requested = await parse(parsing, withModel(deps, settings, call, await receivedForm(call.incoming).collect()), call.options)
  return answerImages(deps, call, { ...requested, name: 'image_edit' })
}

/** A form that names the model as a JSON body does once it has been filled in. */
function withModel<File>(deps: RouteDependencies, settings: HttpSettings, { incoming, reply }: Call, form: Form<File>): Form<File> {
  const [named, ...more] = form.fields.get('model') ?? []
  if (named === undefined || more.length > 0) return form
  const { model } = withInstalledModel(deps, settings, { request: incoming, reply, body: { model: named } })
  const others = [...form.fields].filter(([name]) => name !== 'model')
  return { ...form, fields: new Map([...others, ...(typeof model === 'string' ? [['model', [model]] as const] : [])]) }
}
