import type { AssetKind } from '../../../core/assets/asset.ts'
import { familyNames } from '../../../core/checkpoint/checkpoint-family.ts'
import type { FieldFault } from '../../../core/error.ts'
import type { ImageRequest } from '../../../core/image-generation.ts'
import { mostControlnets } from '../../../core/images/controlnet.ts'
import { familyOf, type ImageModelDescriptor } from '../../../core/model.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import { shortName } from '../../../core/requests/short-name.ts'
import { decodeImage, type InspectImage } from './decode-image.ts'
import type { ImageBody } from './image-fields.ts'
import { readLoras } from './image-loras.ts'

/** What one ControlNet of a body is called and shown, whichever fields say so. */
interface NamedControlnet {
  readonly field: string
  readonly name: string
  readonly image: string | undefined
  readonly scale: number
  readonly until: number
  readonly preprocess: boolean
}

/** The ControlNets of a body: the original's single one, then our list. */
function readControlnets(body: ImageBody): readonly NamedControlnet[] {
  const single: readonly NamedControlnet[] =
    body.controlnet === undefined
      ? []
      : [
          {
            field: 'controlnet',
            name: body.controlnet,
            image: body.controlnet_image,
            scale: body.controlnet_conditioning_scale ?? 1,
            until: body.controlnet_early_stop ?? 1,
            preprocess: body.controlnet_preprocess ?? true,
          },
        ]
  const listed = (body.controlnets ?? []).map(({ name, image, conditioning_scale = 1, early_stop, preprocess }): NamedControlnet => {
    return { field: 'controlnets', name, image, scale: conditioning_scale, until: early_stop ?? 1, preprocess: preprocess ?? true }
  })
  return [...single, ...listed]
}

/** Says which of the LoRAs that a body names are not there, cannot be used, or are for another family than the model. */
export function findLoraAssetFaults(
  body: Pick<ImageBody, 'prompt' | 'prompt_2' | 'loras'>,
  model: ImageModelDescriptor,
  { catalog, field = 'loras' }: { readonly catalog: ModelCatalog; readonly field?: string },
): readonly FieldFault[] {
  if (model.checkpoint === undefined) return []
  return readLoras(body).loras.flatMap(({ name }) => findAssetFault(field, { kind: 'lora', name }, model, catalog))
}

function findAssetFault(
  field: string,
  { kind, name }: { readonly kind: AssetKind; readonly name: string },
  model: ImageModelDescriptor,
  catalog: ModelCatalog,
): readonly FieldFault[] {
  const fault = (text: string): readonly FieldFault[] => [{ path: [field], message: `\`${field}\` ${text}`, kind: 'unsupported' }]
  if (model.checkpoint === undefined) return fault(`must be left out: ${model.id} is an ONNX export, which supports no assets.`)
  const asset = catalog.findAsset(kind, name)
  const named = shortName(name)
  const unusable = catalog.findUnusable(name)
  if (unusable !== undefined) return fault(`must name another file: ${named} ${unusable.reason}.`)
  if (asset === undefined) return fault(`names ${named}, which is not installed; installed are: ${namesOf(catalog, kind)}.`)
  if (asset.family === null || asset.family === familyOf(model)) return []
  return fault(`names ${named}, which is for ${familyNames[asset.family]}; ${model.id} is a model of ${familyNames[familyOf(model)]}.`)
}

/** Says which of a body's assets are not there, cannot be used, or are for another family than the model. */
export function findAssetFaults(body: ImageBody, model: ImageModelDescriptor, catalog: ModelCatalog): readonly FieldFault[] {
  const faults: FieldFault[] = [...findLoraAssetFaults(body, model, { catalog })]
  const add = (field: string, text: string, kind = 'unsupported'): void => {
    faults.push({ path: [field], message: `\`${field}\` ${text}`, kind })
  }
  const check = (field: string, kind: AssetKind, name: string): void => {
    faults.push(...findAssetFault(field, { kind, name }, model, catalog))
  }
  for (const name of Object.keys(body.textual_inversions ?? {})) check('textual_inversions', 'textual-inversion', name)
  if (body.vae !== undefined) check('vae', 'vae', body.vae)
  const controlnets = readControlnets(body)
  for (const { field, name, image } of controlnets) {
    check(field, 'controlnet', name)
    if (image === undefined) add('controlnet_image', `must be the picture for ${shortName(name)}.`, 'missing')
  }
  if (controlnets.length > mostControlnets) add('controlnets', `may name at most ${mostControlnets}, not ${controlnets.length}.`, 'range')
  if (body.controlnet === undefined) {
    for (const field of ['controlnet_image', 'controlnet_conditioning_scale', 'controlnet_early_stop', 'controlnet_preprocess'] as const)
      if (body[field] !== undefined) add(field, 'needs `controlnet`: name one, or leave it out.', 'conflict')
  }
  if (model.checkpoint?.inpainting === true && (body.init_image === undefined || body.mask_image === undefined))
    add(body.init_image === undefined ? 'init_image' : 'mask_image', `is required: ${model.id} is an inpainting model.`, 'missing')
  return faults
}

function namesOf(catalog: ModelCatalog, kind: AssetKind): string {
  const names = catalog.listAssets().filter((asset) => asset.kind === kind)
  return names.length === 0 ? 'none' : names.map(({ name }) => name).join(', ')
}

/** The name by which a request keeps an asset. */
function referenceTo(catalog: ModelCatalog, kind: AssetKind, name: string): string {
  return catalog.findAsset(kind, name)?.name ?? name
}

/** The request with every LoRA by the name that it keeps: an upload's own name may come to mean another file while the request waits. */
export function withReferences(request: ImageRequest, catalog: ModelCatalog): ImageRequest {
  return { ...request, loras: request.loras.map((use) => ({ ...use, name: referenceTo(catalog, 'lora', use.name) })) }
}

/** The assets of a body besides its LoRAs, their pictures decoded and checked. */
export async function decodeAssets(
  { catalog, inspectImage: inspect }: { readonly catalog: ModelCatalog; readonly inspectImage: InspectImage },
  body: ImageBody,
  options: { readonly signal: AbortSignal },
): Promise<Pick<ImageRequest, 'textualInversions' | 'vae' | 'controlnets'>> {
  const controlnets = []
  for (const { field, name, image = '', scale, until, preprocess } of readControlnets(body)) {
    const of = field === 'controlnet' ? 'controlnet_image' : 'controlnets'
    controlnets.push({
      name: referenceTo(catalog, 'controlnet', name),
      scale,
      until,
      preprocess,
      image: await decodeImage(inspect, { field: of, text: image }, options),
    })
  }
  const inversions = Object.entries(body.textual_inversions ?? {}).map(([name, trigger]) => ({
    name: referenceTo(catalog, 'textual-inversion', name),
    trigger,
  }))
  return {
    ...(inversions.length === 0 ? {} : { textualInversions: inversions }),
    ...(body.vae === undefined ? {} : { vae: referenceTo(catalog, 'vae', body.vae) }),
    ...(controlnets.length === 0 ? {} : { controlnets }),
  }
}
