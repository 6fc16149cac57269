import Type, { type Static, type TSchema } from 'typebox'
import type { AssetKind } from '../../../core/assets/asset.ts'
import { type ModelAliases, resolveModelName } from '../../../core/find-descriptor.ts'
import { stylePresets } from '../../../core/images/style-preset.ts'
import { listUpscalers } from '../../../core/images/upscalers.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import { requireObject } from '../../faults/body-checker.ts'
import { fieldFault, imageFaultCodes, refuseFaults } from '../../faults/refuse-faults.ts'
import { latent } from '../images/image-fields.ts'
import { chooseImageModel } from '../images/image-request.ts'
import { nameOf } from './controlnet-units.ts'
import { chosenModel, drawingModels } from './drawing-request.ts'
import { inA1111Words } from './foreign-words.ts'
import { schedulers, solverNames } from './sampler-names.ts'

const text = Type.String()
const none = Type.Null({ description: 'Not reported.' })
const checkpoint = 'sd_model_checkpoint'
const empty = Type.Object({}, { description: 'Empty.' })

/** A list of A1111, at `/sdapi/v1/<name>`. */
interface A1111List {
  readonly name: string
  readonly summary: string
  readonly schema: TSchema
  readonly list: (catalog: ModelCatalog) => object
}

function listOf<Schema extends TSchema>(
  name: string,
  summary: string,
  schema: Schema,
  list: (catalog: ModelCatalog) => Static<Schema>,
): A1111List {
  return { name, summary, schema, list }
}

const embeddingSchema = Type.Object({ step: none, sd_checkpoint: none, sd_checkpoint_name: none, shape: none, vectors: none })
const unreported = { step: null, sd_checkpoint: null, sd_checkpoint_name: null, shape: null, vectors: null }

/** A1111's lists of what is installed. Names stand in for its titles and paths. */
export const a1111Lists: readonly A1111List[] = [
  listOf(
    'sd-models',
    'List the image models',
    Type.Array(
      Type.Object({
        title: text,
        model_name: text,
        hash: none,
        sha256: none,
        filename: Type.String({ description: 'The name; paths are not reported.' }),
        config: none,
      }),
    ),
    (catalog) =>
      drawingModels(catalog).map(({ id }) => ({ title: id, model_name: id, hash: null, sha256: null, filename: id, config: null })),
  ),
  // The spacing of noise levels is a separate scheduler.
  listOf('samplers', 'List the samplers', Type.Array(Type.Object({ name: text, aliases: Type.Array(text), options: empty })), () =>
    solverNames.map((name) => ({ name, aliases: [], options: {} })),
  ),
  listOf(
    'schedulers',
    'List the schedulers',
    Type.Array(Type.Object({ name: text, label: text, aliases: none, default_rho: Type.Number(), need_inner_model: Type.Boolean() })),
    () =>
      schedulers.map(({ name, label }) => {
        return { name, label, aliases: null, default_rho: name === 'karras' ? 7 : -1, need_inner_model: false }
      }),
  ),
  listOf(
    'upscalers',
    'List the upscalers',
    Type.Array(Type.Object({ name: text, model_name: text, model_path: none, model_url: none, scale: Type.Number() })),
    (catalog) =>
      listUpscalers(catalog).map(({ id, upscaler: { scale } }) => {
        return { name: id, model_name: id, model_path: null, model_url: null, scale }
      }),
  ),
  listOf('latent-upscale-modes', 'List the latent upscale modes', Type.Array(Type.Object({ name: text })), () => [{ name: latent }]),
  listOf(
    'loras',
    'List the LoRAs',
    Type.Array(
      Type.Object({ name: text, alias: text, path: Type.String({ description: 'The name; paths are not reported.' }), metadata: empty }),
    ),
    (catalog) => namesOf(catalog, 'lora').map((name) => ({ name, alias: name, path: name, metadata: {} })),
  ),
  listOf('sd-vae', 'List the VAEs', Type.Array(Type.Object({ model_name: text, filename: text })), (catalog) =>
    namesOf(catalog, 'vae').map((name) => ({ model_name: name, filename: name })),
  ),
  listOf(
    'embeddings',
    'List the textual inversions',
    Type.Object({ loaded: Type.Record(text, embeddingSchema), skipped: empty }),
    (catalog) => {
      return { loaded: Object.fromEntries(namesOf(catalog, 'textual-inversion').map((name) => [name, unreported])), skipped: {} }
    },
  ),
  listOf('prompt-styles', 'List the style presets', Type.Array(Type.Object({ name: text, prompt: text, negative_prompt: text })), () =>
    stylePresets.map(({ name, prompt, negativePrompt }) => ({ name, prompt, negative_prompt: negativePrompt })),
  ),
]

/** Answer of GET /sdapi/v1/options, and the body of POST. */
export const optionsSchema = Type.Object({
  sd_model_checkpoint: Type.Union([text, Type.Null()], {
    description: 'The model of requests that name none; null = no image model is installed.',
  }),
  sd_vae: text,
  samples_format: text,
  CLIP_stop_at_last_layers: Type.Integer(),
})

/**
 * The current options, which are defaults of requests.
 *
 * @param chosen The account's default checkpoint; null = none.
 */
export function readOptions(catalog: ModelCatalog, chosen: string | null): Static<typeof optionsSchema> {
  const model = chosenModel(catalog, chosen) ?? catalog.defaultImageModel(({ upscaler }) => upscaler === undefined)
  return { sd_model_checkpoint: model?.id ?? null, sd_vae: 'Automatic', samples_format: 'png', CLIP_stop_at_last_layers: 1 }
}

/**
 * Reads the default checkpoint for later requests. Other options are accepted if unchanged, because clients send back all of them.
 *
 * @returns The model's id; null = no change.
 * @throws {ServiceError} `unsupported` naming each other option that would change, or a checkpoint that is not installed.
 */
export async function readChoice(
  catalog: ModelCatalog,
  received: unknown,
  { chosen, aliases }: { readonly chosen: string | null; readonly aliases: ModelAliases | undefined },
): Promise<string | null> {
  const { sd_model_checkpoint: title, ...body } = requireObject(received, imageFaultCodes)
  const { sd_model_checkpoint: current, ...options }: Readonly<Record<string, unknown>> = readOptions(catalog, chosen)
  const changed = Object.entries(body).filter(([name, value]) => !Object.hasOwn(options, name) || options[name] !== value)
  const words = 'cannot be changed for later requests: send it with each request, in `override_settings`.'
  const faults = changed.map(([name]) => fieldFault(name.slice(0, 60), words, 'unsupported'))
  if (title !== undefined && title !== null && typeof title !== 'string')
    faults.push(fieldFault(checkpoint, 'must be the name of an image model.', 'type'))
  refuseFaults(faults, imageFaultCodes)
  if (typeof title !== 'string' || title === current) return null
  const name = resolveModelName(catalog, nameOf(title), aliases)
  return inA1111Words({ checkpoint }, async () => chooseImageModel(catalog, { field: 'checkpoint', name }).id)
}

function namesOf(catalog: ModelCatalog, kind: AssetKind): readonly string[] {
  return catalog.listAssets().flatMap((asset) => (asset.kind === kind ? [asset.name] : []))
}
