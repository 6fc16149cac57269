import Type, { type Static } from 'typebox'
import type { ServiceError } from '../../../../core/error.ts'
import type { InspectedImage } from '../../../../core/images/inspect-image.ts'
import { maxReferences, referencePixels, takesReferences } from '../../../../core/images/references.ts'
import { familyOf, type ImageModelDescriptor } from '../../../../core/model.ts'
import { shortName } from '../../../../core/requests/request-record.ts'
import type { Abortable } from '../../../../core/waiting.ts'
import { createBodyChecker } from '../../../faults/body-checker.ts'
import { closed, optional } from '../../../faults/object-schema.ts'
import { faultsError, fieldFault, imageFaultCodes, refuseFaults } from '../../../faults/refuse-faults.ts'
import { type Form, readFormFields } from '../../forms/read-form-fields.ts'
import { inspectField } from '../decode-image.ts'
import { findLoraAssetFaults } from '../image-assets.ts'
import { imageDefaults } from '../image-fields.ts'
import type { ImageParsing } from '../image-request.ts'
import { findStrengthFault, strengthFor } from '../image-strength.ts'
import { findUnsupported, unsupportedField } from '../unsupported-fields.ts'
import { commonImageOptions, drawingOptions, unsupportedImageOptions } from './image-options.ts'
import { chooseModel, type OpenAiImages, resolveImages } from './resolve-images.ts'

/** The share of the picture that is redrawn; with a mask, all of its transparent part. */
const strengths = { high: 0.5, low: imageDefaults.strength, masked: 1, variation: 0.6 } as const

const { style: _, ...unsupported } = unsupportedImageOptions
const unsupportedEditOptions = { ...unsupported, markup: unsupportedField() }
const file = (description: string) => Type.Optional(Type.String({ contentMediaType: 'application/octet-stream', description }))
const image = file('The image to start from: a PNG, JPEG or WebP file, also under the name `image[]`.')
const editImage = file(
  `The image to start from: a PNG, JPEG or WebP file. FLUX.2 klein takes up to ${maxReferences}, under the name \`image[]\`, as references.`,
)

/** The form of POST /v1/images/edits. */
export const imageEditSchema = closed({
  image: editImage,
  mask: file('A file of the same size with transparent parts: only these are repainted.'),
  ...commonImageOptions,
  ...drawingOptions,
  ...optional({
    input_fidelity: Type.Enum(['high', 'low'], { description: 'How closely the image is kept: high is a strength of 0.5.' }),
    strength: Type.Number({ exclusiveMinimum: 0, maximum: 1, description: 'How much to change; 0.8 by default, with a mask 1.' }),
  }),
  ...unsupportedEditOptions,
})

/** The form of POST /v1/images/variations. */
export const imageVariationSchema = closed({ image, ...commonImageOptions })

const editChecker = createBodyChecker(imageEditSchema)
const variationChecker = createBodyChecker(imageVariationSchema)
type Edit = Static<typeof imageEditSchema>

interface EditParsing extends ImageParsing {
  /** Pixels of one request, over all its pictures. */
  readonly maxPixels: number
}

/**
 * Reads the form of POST /v1/images/edits.
 *
 * @throws {ServiceError} `validation_error`, `unsupported`, `model_not_found`.
 */
export function parseImageEdit(deps: EditParsing, form: Form<Uint8Array>, options: Abortable): Promise<OpenAiImages> {
  const body = editChecker.parse(readFormFields(imageEditSchema, form.fields, imageFaultCodes), imageFaultCodes)
  refuseFaults(findUnsupported(body, unsupportedEditOptions), imageFaultCodes)
  return startFrom(deps, { form, body, known: ['image', 'mask'] }, options)
}

/**
 * Reads the form of POST /v1/images/variations: the picture is redrawn without a prompt.
 *
 * @throws {ServiceError} `validation_error`, `unsupported`, `model_not_found`.
 */
export function parseImageVariation(deps: EditParsing, form: Form<Uint8Array>, options: Abortable): Promise<OpenAiImages> {
  const body = variationChecker.parse(readFormFields(imageVariationSchema, form.fields, imageFaultCodes), imageFaultCodes)
  const variation = { ...body, prompt: '', cfg_scale: 1, strength: strengths.variation }
  return startFrom(deps, { form, body: variation, known: ['image'] }, options)
}

async function startFrom(
  deps: EditParsing,
  { form, body, known }: { readonly form: Form<Uint8Array>; readonly body: Edit; readonly known: readonly string[] },
  { signal }: Abortable,
): Promise<OpenAiImages> {
  const { images, mask } = takeFiles(form, known)
  const [image] = images
  const chosen = chooseModel(deps.catalog, body)
  const { model } = chosen
  refuseUnfit(model)
  const sees = known.includes('mask') && takesReferences(familyOf(model))
  refuseMore(images, sees ? maxReferences : 1, model)
  refuseFaults(findLoraAssetFaults(chosen.assets, model, { catalog: deps.catalog, field: 'prompt' }), imageFaultCodes)
  const picture = await inspectField(deps.inspectImage, { field: 'image', bytes: image }, { signal })
  const { request, delivery } = resolveImages(body, { ...chosen, picture, maxPixels: deps.maxPixels })
  // A masked picture is repainted. Without a mask, a model that supports references gets all pictures as references.
  const references = sees ? images.slice(mask === undefined ? 0 : 1) : []
  const shown = await inspectAll(deps.inspectImage, references, { signal })
  const seen = { ...request, ...(references.length > 0 && { references, referencePixels: referencePixels(shown) }) }
  if (sees && mask === undefined) {
    refuseStrength(body, model)
    return { request: seen, delivery }
  }
  const strength = readStrength(body, { masked: mask !== undefined, steps: request.steps })
  const initial = { image, strength: strengthFor(strength, request.steps) }
  if (mask === undefined) return { request: { ...seen, initial }, delivery }
  const { width, height } = request
  const found = await inspectField(
    deps.inspectImage,
    { field: 'mask', bytes: mask },
    { signal, transparency: true, whiteAt: { width, height } },
  )
  if (found.width !== picture.width || found.height !== picture.height)
    throw refusal('mask', `must be of ${picture.width} × ${picture.height} pixels, as \`image\` is, not ${found.width} × ${found.height}.`)
  const white = { image: found.mask ?? mask, fullResolution: false, padding: 0, outpainting: false, blur: 0 }
  return { request: { ...seen, initial, mask: white }, delivery }
}

function takeFiles(
  { files }: Form<Uint8Array>,
  known: readonly string[],
): { readonly images: readonly [Uint8Array, ...Uint8Array[]]; readonly mask: Uint8Array | undefined } {
  const named = files.map(({ field, file }) => ({ name: /^image\[\d*\]$/.test(field) ? 'image' : field, file }))
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
  const [image, ...others] = of('image')
  const [mask, second] = of('mask')
  if (image === undefined) throw refusal('image', 'is required: add the file to start from.')
  if (second !== undefined) throw refusal('mask', 'must appear once.')
  return { images: [image, ...others], mask }
}

function refuseMore({ length }: readonly Uint8Array[], most: number, { id }: ImageModelDescriptor): void {
  if (length <= most) return
  if (most === 1) throw refusal('image', `must be one image: ${id} cannot combine several; send one request for each.`, true)
  throw refusal('image', `must be at most ${most} images for ${id}, not ${length}.`)
}

async function inspectAll(
  inspect: ImageParsing['inspectImage'],
  pictures: readonly Uint8Array[],
  options: Abortable,
): Promise<readonly InspectedImage[]> {
  const found: InspectedImage[] = []
  for (const bytes of pictures) found.push(await inspectField(inspect, { field: 'image', bytes }, options))
  return found
}

/** Refuses options about how much of a picture is kept: references have none. */
function refuseStrength({ strength, input_fidelity }: Edit, { id }: ImageModelDescriptor): void {
  if (strength !== undefined)
    throw refusal('strength', `must be left out: ${id} takes the image as a reference; POST /generate/image starts from one.`, true)
  if (input_fidelity === 'low') throw refusal('input_fidelity', `must be high or left out: ${id} takes the image as a reference.`, true)
}

function refuseUnfit(model: ImageModelDescriptor): void {
  if (model.bounds?.startsFromImage === false)
    throw refusal('model', `must be a different model: ${model.id} (${familyOf(model)}) cannot start from an image.`, true)
}

function readStrength({ strength, input_fidelity }: Edit, { masked, steps }: { readonly masked: boolean; readonly steps: number }): number {
  if (strength !== undefined && input_fidelity !== undefined)
    throw refusal('input_fidelity', 'must be left out with `strength`, which has the same effect.')
  const chosen = strength ?? (input_fidelity === undefined ? strengths[masked ? 'masked' : 'low'] : strengths[input_fidelity])
  const fault = findStrengthFault(chosen, steps)
  if (fault === null) return chosen
  throw refusal('strength', fault)
}

function refusal(field: string, text: string, unsupported = false): ServiceError {
  return faultsError([fieldFault(field, text, unsupported ? 'unsupported' : 'range')], imageFaultCodes)
}
