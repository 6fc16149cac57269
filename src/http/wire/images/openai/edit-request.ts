import Type, { type Static } from 'typebox'
import type { ServiceError } from '../../../../core/error.ts'
import { familyOf, type ImageModelDescriptor } from '../../../../core/model.ts'
import { shortName } from '../../../../core/requests/request-record.ts'
import { createBodyChecker } from '../../../faults/body-checker.ts'
import { faultsError, imageFaultCodes, refuseFaults } from '../../../faults/refuse-faults.ts'
import { type Form, readFormFields } from '../../forms/read-form-fields.ts'
import { inspectField } from '../decode-image.ts'
import { findLoraAssetFaults, resolveAssets } from '../image-assets.ts'
import { imageDefaults } from '../image-fields.ts'
import { chooseImageModel, type ImageParsing } from '../image-request.ts'
import { plainLeastStrength, strengthFor } from '../image-strength.ts'
import { paceByLoras } from '../lora-pace.ts'
import { findUnsupported, unsupportedField } from '../unsupported-fields.ts'
import { commonImageOptions, drawingOptions, unsupportedImageOptions } from './image-options.ts'
import { type OpenAiImages, resolveImages } from './resolve-images.ts'

/** How much of the picture is redrawn; where there is a mask all of its transparent part is. */
const strengths = { high: 0.5, low: imageDefaults.strength, masked: 1, variation: 0.6 } as const

const { style: _, ...unsupported } = unsupportedImageOptions
const unsupportedEditOptions = { ...unsupported, markup: unsupportedField() }
const file = (description: string) => Type.Optional(Type.String({ contentMediaType: 'application/octet-stream', description }))
const image = file('The picture to start from: a PNG, JPEG or WebP file; one only, also under the name `image[]`.')

/** The form of POST /v1/images/edits. */
export const imageEditSchema = Type.Object(
  {
    image,
    mask: file('A file of the same size with transparent parts: only these are repainted.'),
    ...commonImageOptions,
    ...drawingOptions,
    input_fidelity: Type.Optional(
      Type.Enum(['high', 'low'], { description: 'How closely the picture is kept: high is a strength of 0.5.' }),
    ),
    strength: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 1, description: 'How much to change; 0.8 by default, with a mask 1.' }),
    ),
    ...unsupportedEditOptions,
  },
  { additionalProperties: false },
)

/** The form of POST /v1/images/variations. */
export const imageVariationSchema = Type.Object({ image, ...commonImageOptions }, { additionalProperties: false })

const editChecker = createBodyChecker(imageEditSchema)
const variationChecker = createBodyChecker(imageVariationSchema)
type Edit = Static<typeof imageEditSchema>

interface EditParsing extends ImageParsing {
  /** Of one request, over all its pictures. */
  readonly mostPixels: number
}

/**
 * Reads the form of POST /v1/images/edits.
 *
 * @throws {ServiceError} `validation_error`, `unsupported`, `model_not_found`.
 */
export function parseImageEdit(
  deps: EditParsing,
  form: Form<Uint8Array>,
  options: { readonly signal: AbortSignal },
): Promise<OpenAiImages> {
  const body = editChecker.parse(readFormFields(imageEditSchema, form.fields, imageFaultCodes), imageFaultCodes)
  refuseFaults(findUnsupported(body, unsupportedEditOptions), imageFaultCodes)
  return startFrom(deps, { form, body, known: ['image', 'mask'] }, options)
}

/**
 * Reads the form of POST /v1/images/variations: the picture is drawn again, from no words.
 *
 * @throws {ServiceError} `validation_error`, `unsupported`, `model_not_found`.
 */
export function parseImageVariation(
  deps: EditParsing,
  form: Form<Uint8Array>,
  options: { readonly signal: AbortSignal },
): Promise<OpenAiImages> {
  const body = variationChecker.parse(readFormFields(imageVariationSchema, form.fields, imageFaultCodes), imageFaultCodes)
  const variation = { ...body, prompt: '', cfg_scale: 1, strength: strengths.variation }
  return startFrom(deps, { form, body: variation, known: ['image'] }, options)
}

async function startFrom(
  deps: EditParsing,
  { form, body, known }: { readonly form: Form<Uint8Array>; readonly body: Edit; readonly known: readonly string[] },
  { signal }: { readonly signal: AbortSignal },
): Promise<OpenAiImages> {
  const { image, mask } = takeFiles(form, known)
  const { prompt, negative_prompt = '' } = body
  const assets = resolveAssets({ prompt, negative_prompt }, deps.catalog)
  const { model, spacing } = paceByLoras(chooseImageModel(deps.catalog, { field: 'model', name: body.model }), assets)
  refuseUnfit(model)
  refuseFaults(findLoraAssetFaults(assets, model, { catalog: deps.catalog, field: 'prompt' }), imageFaultCodes)
  const picture = await inspectField(deps.inspectImage, { field: 'image', bytes: image }, { signal })
  const { request: resolved, delivery } = resolveImages(body, { model, assets, picture, mostPixels: deps.mostPixels })
  const request = { ...resolved, ...spacing }
  const strength = readStrength(body, { masked: mask !== undefined, steps: request.steps })
  const initial = { image, strength: strengthFor(strength, request.steps) }
  if (mask === undefined) return { request: { ...request, initial }, delivery }
  const { width, height } = request
  const found = await inspectField(
    deps.inspectImage,
    { field: 'mask', bytes: mask },
    { signal, transparency: true, whiteAt: { width, height } },
  )
  if (found.width !== picture.width || found.height !== picture.height)
    throw refusal('mask', `must be of ${picture.width} × ${picture.height} pixels, as \`image\` is, not ${found.width} × ${found.height}.`)
  const white = { image: found.mask ?? mask, fullResolution: false, padding: 0, outpainting: false, blur: 0 }
  return { request: { ...request, initial, mask: white }, delivery }
}

function takeFiles(
  { files }: Form<Uint8Array>,
  known: readonly string[],
): { readonly image: Uint8Array; readonly mask: Uint8Array | undefined } {
  const named = files.map(({ field, file }) => ({ name: field === 'image[]' ? 'image' : field, file }))
  const unknown = named.find(({ name }) => !known.includes(name))
  if (unknown !== undefined) {
    const isMarkup = known.includes('mask') && unknown.name === 'markup'
    throw refusal(
      shortName(unknown.name),
      isMarkup ? 'is not supported by this service: leave it out.' : 'is not a known file: remove it.',
      isMarkup,
    )
  }
  const of = (name: string) => named.filter((each) => each.name === name).map((each) => each.file)
  const [image, another] = of('image')
  const [mask, second] = of('mask')
  if (image === undefined) throw refusal('image', 'is required: add the file to start from.')
  if (another !== undefined) throw refusal('image', 'must be one picture: no model here combines several; send one request for each.', true)
  if (second !== undefined) throw refusal('mask', 'must appear once.')
  return { image, mask }
}

function refuseUnfit(model: ImageModelDescriptor): void {
  if (model.bounds?.startsFromImage === false)
    throw refusal('model', `must be a different model: ${model.id} (${familyOf(model)}) cannot start from a picture.`, true)
}

function readStrength({ strength, input_fidelity }: Edit, { masked, steps }: { readonly masked: boolean; readonly steps: number }): number {
  if (strength !== undefined && input_fidelity !== undefined)
    throw refusal('input_fidelity', 'must be left out with `strength`, which has the same effect.')
  const chosen = strength ?? (input_fidelity === undefined ? strengths[masked ? 'masked' : 'low'] : strengths[input_fidelity])
  if (strengthFor(chosen, steps) * steps >= 1) return chosen
  throw refusal('strength', `times the steps must be at least 1: use ${plainLeastStrength(steps)} or more with ${steps} steps.`)
}

function refusal(field: string, text: string, unsupported = false): ServiceError {
  return faultsError([{ path: [field], message: `\`${field}\` ${text}`, kind: unsupported ? 'unsupported' : 'range' }], imageFaultCodes)
}
