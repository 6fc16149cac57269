import { type AssetDescriptor, assetKinds, type ImageAssetKind } from '../../../core/assets/asset.ts'
import { weightStem } from '../../../core/assets/find-asset.ts'
import { familyNames, isTransformerFamily } from '../../../core/checkpoint/checkpoint-family.ts'
import { mayFit } from '../../../core/checkpoint/lora-facts.ts'
import { findWidthFault } from '../../../core/checkpoint/text-widths.ts'
import { defined } from '../../../core/defined.ts'
import type { FieldFault } from '../../../core/error.ts'
import type { ImageRequest } from '../../../core/image-generation.ts'
import { maxControlnets } from '../../../core/images/controlnet.ts'
import type { InspectImage } from '../../../core/images/inspect-image.ts'
import type { LoraUse } from '../../../core/images/lora.ts'
import { familyOf, type ImageModelBounds, type ImageModelDescriptor } from '../../../core/model.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import { shortName } from '../../../core/requests/request-record.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { decodeImage } from './decode-image.ts'
import { findIdle } from './image-faults.ts'
import { type ImageBody, imageDefaults } from './image-fields.ts'
import { type ReadPrompts, readPrompts } from './image-loras.ts'

/** One ControlNet of a body, from either of its forms. */
interface NamedControlnet {
  readonly field: string
  readonly name: string
  readonly image: string | undefined
  readonly scale: number
  readonly until: number
  readonly preprocess: boolean
}

/** The ControlNets of a body: the original service's single one, then Sepia's list. */
function readControlnets({ controlnet: name, controlnets = [], ...body }: ImageBody): readonly NamedControlnet[] {
  const listed = controlnets.map(({ name, image, conditioning_scale: scale = 1, early_stop: until = 1, preprocess = true }) => {
    return { field: 'controlnets', name, image, scale, until, preprocess }
  })
  if (name === undefined) return listed
  const { controlnet_image: image, ...filled } = { ...imageDefaults, ...body }
  const { controlnet_conditioning_scale: scale, controlnet_early_stop: until, controlnet_preprocess: preprocess } = filled
  return [{ field: 'controlnet', name, image, scale, until, preprocess }, ...listed]
}

/** A use of an asset in a body, and the installed asset of that name; undefined = not installed. */
interface NamedAsset<Use extends { readonly name: string }> {
  readonly use: Use
  readonly asset: AssetDescriptor | undefined
}

/** All assets that a body names, each looked up once. */
export interface NamedAssets {
  readonly prompts: ReadPrompts
  readonly loras: readonly NamedAsset<LoraUse>[]
  readonly textualInversions: readonly NamedAsset<{ readonly name: string; readonly trigger: string }>[]
  readonly controlnets: readonly NamedAsset<NamedControlnet>[]
  readonly vae: NamedAsset<{ readonly name: string }> | null
}

/** Reads the names of a body's assets, including those in prompt tags, and looks them up. */
export function resolveAssets(body: ImageBody, catalog: Pick<ModelCatalog, 'findAsset'>): NamedAssets {
  const prompts = readPrompts(body)
  const resolve = <Use extends { readonly name: string }>(kind: ImageAssetKind, use: Use): NamedAsset<Use> => ({
    use,
    asset: catalog.findAsset(kind, use.name),
  })
  return {
    prompts,
    loras: prompts.loras.map((use) => resolve('lora', use)),
    textualInversions: Object.entries(body.textual_inversions ?? {}).map(([name, trigger]) =>
      resolve('textual-inversion', { name, trigger }),
    ),
    controlnets: readControlnets(body).map((use) => resolve('controlnet', use)),
    vae: body.vae === undefined ? null : resolve('vae', { name: body.vae }),
  }
}

/** The name under which a request stores an asset: the upload's id, because its name may refer to another file later. */
export function keptName({ use, asset }: NamedAsset<{ readonly name: string }>): string {
  return asset?.name ?? use.name
}

/** Finds LoRAs of a body that are missing, unusable or for another family than the model's. */
export function findLoraAssetFaults(
  { loras }: Pick<NamedAssets, 'loras'>,
  model: ImageModelDescriptor,
  { catalog, field = 'loras' }: { readonly catalog: ModelCatalog; readonly field?: string },
): readonly FieldFault[] {
  if (model.checkpoint === undefined) return []
  return loras.flatMap((lora) => findAssetFault(field, 'lora', { named: lora, model, catalog }))
}

function findAssetFault(
  field: string,
  kind: ImageAssetKind,
  {
    named: { use, asset },
    model,
    catalog,
  }: { readonly named: NamedAsset<{ readonly name: string }>; readonly model: ImageModelDescriptor; readonly catalog: ModelCatalog },
): readonly FieldFault[] {
  const fault = (text: string): readonly FieldFault[] => [fieldFault(field, text, 'unsupported')]
  const shown = shortName(use.name)
  const unusable = asset === undefined ? catalog.findUnusable(use.name) : undefined
  if (unusable !== undefined) return fault(`must name another file: ${shown} ${unusable.reason}.`)
  if (asset === undefined) {
    const other = assetKinds.find((each) => catalog.findAsset(each, use.name) !== undefined)
    const what = other !== undefined ? kindNames[other] : catalog.find(use.name) === undefined ? 'not installed' : 'a model'
    const wanted = what === 'not installed' ? '' : `, not ${kindNames[kind]}`
    return fault(`names ${shown}, which is ${what}${wanted}; installed are: ${namesOf(catalog, kind)}.`)
  }
  const family = familyOf(model)
  const bounds: Partial<ImageModelBounds> = model.bounds ?? {}
  const { width } = bounds
  if (mayFit(asset, family, bounds)) return []
  const fitting = asset.families ?? (asset.family === null || asset.family === family ? [] : [asset.family])
  if (fitting.length === 0 || fitting.includes(family)) {
    if (asset.width !== undefined && width !== undefined && asset.width !== width)
      return fault(`names ${shown}, which is for a transformer of width ${asset.width}; that of ${model.id} has ${width}.`)
    const vectors = isTransformerFamily(family) ? undefined : findWidthFault(asset.textWidths, bounds.textWidths)
    if (vectors !== undefined) {
      const own = vectors.model === undefined ? `${model.id} has none` : `that of ${model.id} takes ${vectors.model}`
      return fault(`names ${shown}, which has vectors of width ${vectors.vectors} for the ${vectors.encoder} text encoder; ${own}.`)
    }
    return fault(`names ${shown}, which contains a textual inversion; models of ${familyNames[family]} do not support them.`)
  }
  const names = fitting.map((each) => familyNames[each]).join(' or ')
  return fault(`names ${shown}, which is for ${names}; ${model.id} is a model of ${familyNames[family]}.`)
}

const controlnetDetails = ['controlnet_image', 'controlnet_conditioning_scale', 'controlnet_early_stop', 'controlnet_preprocess'] as const

/** Finds assets of a body that are missing, unusable or for another family than the model's. */
export function findAssetFaults(
  body: ImageBody,
  assets: NamedAssets,
  { model, catalog }: { readonly model: ImageModelDescriptor; readonly catalog: ModelCatalog },
): readonly FieldFault[] {
  const { textualInversions, controlnets, vae } = assets
  const faults: FieldFault[] = [...findLoraAssetFaults(assets, model, { catalog })]
  const add = (field: string, text: string, kind = 'unsupported'): void => {
    faults.push(fieldFault(field, text, kind))
  }
  const check = (field: string, kind: ImageAssetKind, named: NamedAsset<{ readonly name: string }>): void => {
    faults.push(...findAssetFault(field, kind, { named, model, catalog }))
  }
  for (const each of textualInversions) check('textual_inversions', 'textual-inversion', each)
  if (vae !== null) check('vae', 'vae', vae)
  for (const each of controlnets) {
    check(each.use.field, 'controlnet', each)
    if (each.use.image === undefined) add('controlnet_image', `must be the image for ${shortName(each.use.name)}.`, 'missing')
  }
  if (controlnets.length > maxControlnets) add('controlnets', `may name at most ${maxControlnets}, not ${controlnets.length}.`, 'range')
  if (body.controlnet === undefined) faults.push(...findIdle(body, controlnetDetails, 'needs `controlnet`: name one, or leave it out.'))
  if (model.checkpoint?.inpainting === true && (body.init_image === undefined || body.mask_image === undefined))
    add(body.init_image === undefined ? 'init_image' : 'mask_image', `is required: ${model.id} is an inpainting model.`, 'missing')
  return faults
}

const kindNames: Readonly<Record<ImageAssetKind, string>> = {
  lora: 'a LoRA',
  'textual-inversion': 'a textual inversion',
  vae: 'a VAE',
  controlnet: 'a ControlNet',
}

/** Whether a name is that of the VAE file that the model uses anyway. */
export function isOwnVae(name: string, { checkpoint }: ImageModelDescriptor): boolean {
  const own = checkpoint?.files?.vae
  return own !== undefined && weightStem(own).normalize('NFC') === weightStem(name).normalize('NFC')
}

function namesOf(catalog: ModelCatalog, kind: ImageAssetKind): string {
  const names = catalog.listAssets().filter((asset) => asset.kind === kind)
  return names.length === 0 ? 'none' : names.map(({ name }) => name).join(', ')
}

/** The assets of a request other than LoRAs, with their pictures decoded and checked. */
export async function decodeAssets(
  inspect: InspectImage,
  { controlnets: named, textualInversions, vae }: NamedAssets,
  options: Abortable,
): Promise<Pick<ImageRequest, 'textualInversions' | 'vae' | 'controlnets'>> {
  const controlnets = []
  for (const each of named) {
    const { field, image = '', scale, until, preprocess } = each.use
    const of = field === 'controlnet' ? 'controlnet_image' : 'controlnets'
    const { bytes } = await decodeImage(inspect, { field: of, text: image }, options)
    controlnets.push({ name: keptName(each), scale, until, preprocess, image: bytes })
  }
  const inversions = textualInversions.map((each) => ({ name: keptName(each), trigger: each.use.trigger }))
  return defined({
    textualInversions: inversions.length === 0 ? undefined : inversions,
    vae: vae === null ? undefined : keptName(vae),
    controlnets: controlnets.length === 0 ? undefined : controlnets,
  })
}

/** A model with the defaults of a body's LoRAs, and the other values that they require. */
export interface PacedModel {
  readonly model: ImageModelDescriptor
  readonly spacing: Pick<ImageRequest, 'timestepSpacing'>
}

/**
 * Applies the defaults of a LoRA for few steps (steps, guidance, sampler) to fields that a body leaves out. With several LoRAs, the first
 * counts.
 */
export function paceByLoras(model: ImageModelDescriptor, { loras }: Pick<NamedAssets, 'loras'>): PacedModel {
  const counting = model.checkpoint === undefined ? [] : loras.filter(({ use }) => use.weight > 0)
  const pace = counting.map(({ asset }) => asset?.pace).find((each) => each !== undefined)
  if (pace === undefined) return { model, spacing: {} }
  const { timestepSpacing, ...defaults } = pace
  return { model: { ...model, defaults }, spacing: timestepSpacing === null ? {} : { timestepSpacing } }
}
