import Type, { type Static } from 'typebox'
import { assetEngines } from '../../../core/assets/asset-engine.ts'
import type { UploadKind } from '../../../core/assets/uploaded-asset.ts'
import type { FieldFault } from '../../../core/error.ts'
import type { NewAsset } from '../../../operations/assets/uploads.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed, optional } from '../../faults/object-schema.ts'
import { fieldFault, imageFaultCodes, refuseFaults } from '../../faults/refuse-faults.ts'

const engineNames = Object.keys(assetEngines)

/** The original service's asset types that Sepia supports. */
export const assetTypes = ['checkpoint', 'lora', 'textual_inversion', 'vae'] as const
export type AssetType = (typeof assetTypes)[number]

const assetType = Type.Enum([...assetTypes, 'file', 'latent'])
const engineName = Type.String({ maxLength: 64, description: `One of ${engineNames.join(', ')}.` })
const triggerWords = Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: 32 })

/** The body of POST /v1/assets. */
export const newAssetSchema = closed({
  asset_type: assetType,
  name: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$', description: '1 to 64 letters, digits, ".", "_" and "-".' }),
  data: closed({
    asset_type: assetType,
    ...optional({
      engine: engineName,
      data_type: Type.String({ description: 'Read from the file instead.' }),
      file_format: Type.String({ description: 'Only safetensors.' }),
      trigger_words: triggerWords,
      checkpoint: Type.String({ maxLength: 128 }),
      preview_url: Type.String(),
      version: Type.String(),
    }),
  }),
  ...optional({
    description: Type.String({ maxLength: 2000 }),
    is_public: Type.Boolean({ description: 'Whether every account may use it; owners only.' }),
    transfer_api_type: Type.Enum(['presigned-url', 'any', 'sts', 'gcp-oauth']),
    skip_validation: Type.Boolean(),
    hf_repo: Type.String(),
    hf_token_secret: Type.String(),
    url: Type.String(),
  }),
})
/** The body of POST /v1/assets/<id>/complete-upload. */
export const completeUploadSchema = closed({ skip_validation: Type.Optional(Type.Boolean()), token: Type.Optional(Type.String()) })
/** The body of POST /v1/assets/<id>/picture. */
export const assetPictureSchema = closed({ image: Type.String({ description: 'PNG, JPEG or WebP in base64, at most 512 KB.' }) })
const checker = createBodyChecker(newAssetSchema)

/** Reads the body of POST /v1/assets. @throws {ServiceError} `validation_error`, `unsupported`. */
export function readNewAsset(body: unknown): NewAsset {
  const fields = checker.parse(body, imageFaultCodes)
  const known = Object.entries(assetEngines).find(([name]) => name === fields.data.engine)?.[1]
  refuseFaults(findFaults(fields, known), imageFaultCodes)
  const { family, controlnet } = known ?? { family: 'sdxl', controlnet: false }
  return {
    name: fields.name,
    kind: controlnet ? 'controlnet' : kindOf(fields.asset_type),
    family,
    isPublic: fields.is_public ?? false,
    description: fields.description ?? '',
    triggerWords: fields.data.trigger_words ?? [],
    base: fields.data.checkpoint ?? null,
  }
}

function kindOf(type: Static<typeof assetType>): UploadKind {
  return type === 'textual_inversion' ? 'textual-inversion' : type === 'lora' || type === 'vae' ? type : 'checkpoint'
}

function findFaults(fields: Static<typeof newAssetSchema>, engine: { readonly controlnet: boolean } | undefined): readonly FieldFault[] {
  const { data, asset_type: type, transfer_api_type: transfer } = fields
  const faults: FieldFault[] = []
  const refuse = (path: readonly string[], text: string, kind = 'unsupported') => faults.push(fieldFault(path, text, kind))
  if (type === 'file' || type === 'latent') refuse(['asset_type'], `must be one of ${assetTypes.join(', ')}; ${type} is not supported.`)
  if (data.asset_type !== type) refuse(['data', 'asset_type'], 'must be the same as `asset_type`.', 'conflict')
  if (engine === undefined) refuse(['data', 'engine'], `must be one of ${engineNames.join(', ')}.`)
  else if (type !== 'checkpoint' && engine.controlnet)
    refuse(['data', 'engine'], 'must be one without ControlNet: a ControlNet is an asset of type checkpoint.', 'conflict')
  if (data.file_format !== undefined && data.file_format !== 'safetensors')
    refuse(['data', 'file_format'], 'must be safetensors: other formats can run code when they are read; convert the file.')
  if (transfer === 'sts' || transfer === 'gcp-oauth')
    refuse(['transfer_api_type'], `must be presigned-url: Sepia does not offer ${transfer}; PUT the file to the returned address.`)
  if (fields.skip_validation === true) refuse(['skip_validation'], 'must be left out: every file is checked.')
  for (const name of ['hf_repo', 'hf_token_secret', 'url'] as const)
    if (fields[name] !== undefined) refuse([name], 'must be left out: upload the file, or have its operator run `sepia model pull`.')
  return faults
}
