import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { familyNames, type TransformerFamily } from '../../../../core/checkpoint/checkpoint-family.ts'
import { isTurbo } from '../../../../core/checkpoint/family-defaults.ts'
import type { ComponentName, ModelFiles } from '../../../../core/checkpoint/model-files.ts'
import { lackingReason, type ModelPart, neededParts } from '../../../../core/checkpoint/model-parts.ts'
import {
  familyTexts,
  findTransformer,
  refuseVariant,
  type TextEncoderKind,
  type TextSource,
  textWidthOf,
} from '../../../../core/checkpoint/transformer-file.ts'
import type { ServiceError } from '../../../../core/error.ts'
import { type JsonRecord, readOptionalJsonObject, unusableModel } from '../../onnx/model-file.ts'
import { transformerModules } from '../names/transformer-names.ts'
import { renewVaeName } from '../names/vae-names.ts'
import { readComponent, readVaeComponent } from '../weights/folder-tables.ts'
import { namedTable, originalVae } from '../weights/original-tables.ts'
import { partTable } from '../weights/parted-table.ts'
import { readTensors } from '../weights/read-tensor.ts'
import { readWeightFile, type WeightFile, WeightTable } from '../weights/weight-table.ts'
import { vaeSizes } from './read-single-file.ts'
import { transformerRules } from './transformer-rules.ts'

/** A text encoder of a transformer with the folder of its tokenizer; null = the public one of CLIP. */
export interface TransformerText {
  readonly kind: TextEncoderKind
  readonly weights: WeightTable
  readonly tokenizer: string | null
}

/** A transformer model independent of its layout: weights named as in diffusers, and properties. */
export interface TransformerParts {
  readonly family: TransformerFamily
  readonly transformer: WeightTable
  readonly text: readonly TransformerText[]
  readonly vae: WeightTable
  /** Options of the VAE in diffusers' words. */
  readonly vaeConfig: JsonRecord
  /** Options of the scheduler in diffusers' words. */
  readonly schedulerConfig: JsonRecord
}

/** Content of a model's own file or folder. */
interface Source {
  readonly label: string
  readonly family: TransformerFamily
  readonly transformer: WeightTable
  readonly schedulerConfig: JsonRecord
  readonly vaeConfig: JsonRecord
  /** null = in another file. */
  readonly encoder: (text: TextSource) => Promise<WeightTable | null>
  readonly vae: () => Promise<WeightTable | null>
  readonly tokenizer: (name: ComponentName) => Promise<string | null>
}

/**
 * Reads a model that predicts with a transformer.
 *
 * @param files What it takes from other files.
 * @returns null where the file or folder holds no transformer.
 * @throws {ServiceError} `inference_failed` naming the file that does not fit, or what is missing.
 */
export async function readTransformer(path: string, files: ModelFiles): Promise<TransformerParts | null> {
  const stats = await stat(path).catch(() => null)
  if (stats === null) return null
  const source = stats.isDirectory() ? await folderSource(path) : await fileSource(path)
  if (source === null) return null
  const { family, transformer, schedulerConfig, label } = source
  const text: TransformerText[] = []
  for (const wanted of familyTexts[family]) {
    const weights = await encoderOf(wanted, source, files)
    if (weights === null) continue
    text.push({ kind: wanted.kind, weights, tokenizer: await tokenizerOf(wanted, source, files) })
  }
  refuseOtherHeads(source)
  requireBiases(source)
  refuseForeignTexts(text, source)
  const vae = files.vae === undefined ? await source.vae() : vaeTable(await readWeightFile(files.vae), '')
  if (vae === null) throw missingPart(label, family, 'vae')
  refuseForeignVae(vae, source)
  const rules = transformerRules[family]
  const vaeConfig = {
    scaling_factor: rules.scalingFactor,
    shift_factor: rules.shiftFactor,
    ...source.vaeConfig,
    ...vaeSizes(vae),
    ...(await readLatentStatistics(vae, family)),
  }
  return { family, transformer, text, vae, vaeConfig, schedulerConfig: { ...rules.schedule, ...schedulerConfig } }
}

/** Width of Stable Diffusion 3's heads; that of others follows from their rotation. */
const unrotatedHead = 64

/** Rejects queries and keys that are normalized in heads of another width. */
function refuseOtherHeads({ family, transformer }: Source): void {
  const wanted = transformerRules[family].rotation?.axes.reduce((sum, axis) => sum + axis) ?? unrotatedHead
  for (const name of transformer.names()) {
    if (!/\.norm_(?:added_)?[qk]\.weight$/u.test(name)) continue
    const width = transformer.sizeOf(name, 0)
    if (width !== wanted) throw unusableModel(transformer.label, `has a tensor "${name}" of ${width} numbers for heads of ${wanted}`)
  }
}

/** Linear layers with a bias, by diffusers' names; FLUX.2 klein has none. */
const biased: Readonly<Partial<Record<TransformerFamily, RegExp>>> = {
  'flux-dev': /./u,
  'flux-schnell': /./u,
  sd3: /./u,
  'z-image': /adaLN_modulation|embedder|final_layer/u,
}

/** A layer without its bias would draw another picture. */
function requireBiases({ family, transformer }: Source): void {
  for (const name of transformer.names()) {
    const [module, isMatrix] = [name.replace(/\.weight$/u, ''), (transformer.find(name)?.shape.length ?? 0) > 1]
    if (module !== name && isMatrix && biased[family]?.test(module) === true) transformer.get(`${module}.bias`)
  }
}

const clipTable = 'text_model.embeddings.token_embedding.weight'

/** Tables of tokens, by kind of text encoder. */
const tokenTables: Readonly<Record<TextEncoderKind, string>> = {
  'clip-l': clipTable,
  'clip-g': clipTable,
  t5: 'shared.weight',
  qwen3: 'embed_tokens.weight',
}

/** A text encoder of another width would fail in the middle of a drawing, and two in each other's place would draw something else. */
function refuseForeignTexts(text: readonly TransformerText[], { family, transformer }: Source): void {
  const widthOf = ({ kind, weights }: TransformerText): number => weights.sizeOf(tokenTables[kind], 1)
  const refuse = (encoders: readonly TransformerText[], wanted: number | undefined): void => {
    const width = encoders.reduce((sum, encoder) => sum + widthOf(encoder), 0)
    if (encoders.length === 0 || wanted === undefined || width === wanted) return
    const names = encoders.map(({ weights }) => weights.label).join(' with ')
    const fault = `needs texts of width ${wanted}, and ${names} gives ${width}; use the text encoders of ${familyNames[family]}`
    throw unusableModel(transformer.label, fault)
  }
  const clips = text.filter(({ kind }) => tokenTables[kind] === clipTable)
  const [first, second] = clips
  if (first !== undefined && second !== undefined && widthOf(first) > widthOf(second))
    throw unusableModel(first.weights.label, `is in the place of ${second.weights.label}; exchange them`)
  refuse(clips, transformer.find('time_text_embed.text_embedder.linear_1.weight')?.shape[1])
  refuse(
    text.filter((encoder) => !clips.includes(encoder)),
    textWidthOf({ family, prefix: '' }, (name) => transformer.find(name)?.shape),
  )
}

/** Blocks of every family's decoder. */
const vaeBlocks = 4

/** A VAE of another family, or whose configuration is that of another, would draw noise. */
function refuseForeignVae(vae: WeightTable, { family, vaeConfig }: Source): void {
  const wanted = neededParts(family).find(({ part }) => part === 'vae')?.width
  const channels = vae.sizeOf('decoder.conv_in.weight', 1)
  if (wanted !== undefined && channels !== wanted)
    throw unusableModel(
      vae.label,
      `is a VAE of ${channels} channels, and ${familyNames[family]} needs one of ${wanted}; use that of the model`,
    )
  const blocks = vae.count('decoder.up_blocks.')
  if (blocks !== vaeBlocks) throw unusableModel(vae.label, `has ${blocks} blocks in its decoder instead of ${vaeBlocks}; copy it again`)
  const { latent_channels: stated } = vaeConfig
  if (typeof stated === 'number' && stated !== channels)
    throw unusableModel('vae/config.json', `says ${stated} in "latent_channels", and its weights have ${channels}; copy the folder again`)
}

/** Blocks by the names of their number in a transformer's configuration. */
const countedBlocks = [
  ['num_layers', 'transformer_blocks.'],
  ['num_single_layers', 'single_transformer_blocks.'],
  ['n_layers', 'layers.'],
] as const

/** A folder that lost some of its shards holds fewer blocks than its configuration says. */
function refuseOtherCount(config: JsonRecord, transformer: WeightTable): void {
  for (const [field, prefix] of countedBlocks) {
    const { [field]: stated } = config
    const held = transformer.count(prefix)
    if (typeof stated === 'number' && stated !== held)
      throw unusableModel('transformer/config.json', `says ${stated} in "${field}", and its weights have ${held}; copy the folder again`)
  }
}

async function encoderOf(wanted: TextSource, source: Source, files: ModelFiles): Promise<WeightTable | null> {
  const file = files[wanted.component]
  const found = file === undefined ? await source.encoder(wanted) : namedTable(await readWeightFile(file), '')
  if (found !== null) return plainNames(found)
  if (wanted.optional) return null
  throw missingPart(source.label, source.family, wanted.kind)
}

async function tokenizerOf({ tokenizer, kind }: TextSource, source: Source, files: ModelFiles): Promise<string | null> {
  if (tokenizer === null) return null
  const folder = files[tokenizer] ?? (await source.tokenizer(tokenizer))
  if (folder === null) throw missingPart(source.label, source.family, `tokenizer-${kind === 't5' ? 't5' : 'qwen3'}`)
  return folder
}

/** Names as encoders have them: some files put `model.` before them, or repeat the table of tokens under another name. */
function plainNames(table: WeightTable): WeightTable {
  const weights = new Map(table.names().map((name) => [name.replace(/^model\./u, ''), table.get(name)]))
  const repeated = weights.get('encoder.embed_tokens.weight')
  if (repeated !== undefined && !weights.has('shared.weight')) weights.set('shared.weight', repeated)
  return new WeightTable(table.folder, table.label, weights)
}

function missingPart(label: string, family: TransformerFamily, part: ModelPart): ServiceError {
  return unusableModel(label, lackingReason(family, [part]))
}

function vaeTable(file: WeightFile, prefix: string): WeightTable {
  const isDiffusers = [...file.tensors.keys()].some((name) => name.startsWith(`${prefix}decoder.mid_block.`))
  return isDiffusers ? namedTable(file, prefix, renewVaeName) : originalVae(file, prefix)
}

async function folderSource(folder: string): Promise<Source | null> {
  const inside = await stat(join(folder, 'transformer')).catch(() => null)
  if (inside === null) return null
  const [vaeConfig = {}, schedulerConfig = {}, config = {}] = await Promise.all(
    ['vae/config.json', 'scheduler/scheduler_config.json', 'transformer/config.json'].map((file) => readOptionalJsonObject(folder, file)),
  )
  const stored = await readComponent(folder, 'transformer', { stems: ['diffusion_pytorch_model'] })
  const found = findTransformer((name) => stored.has(name))
  if (found === null) throw unusableModel(stored.label, 'holds a transformer of a family that Sepia does not run')
  const transformer = transformerTable(stored, found)
  refuseOtherCount(config, transformer)
  const present = async (name: string): Promise<boolean> => (await stat(join(folder, name)).catch(() => null))?.isDirectory() ?? false
  return {
    label: basename(folder),
    family: found.family,
    transformer,
    vaeConfig,
    schedulerConfig,
    encoder: async ({ component }) =>
      (await present(component)) ? readComponent(folder, component, { stems: ['model', 'pytorch_model'] }) : null,
    vae: async () => ((await present('vae')) ? readVaeComponent(folder) : null),
    tokenizer: async (name) => ((await present(name)) ? join(folder, name) : null),
  }
}

async function fileSource(path: string): Promise<Source | null> {
  const file = await readWeightFile(path)
  const found = findTransformer((name) => file.tensors.has(name))
  if (found === null) return null
  const holds = (prefix: string): boolean => [...file.tensors.keys()].some((name) => name.startsWith(prefix))
  const vaePrefix = ['first_stage_model.', 'vae.'].find(holds)
  return {
    label: file.name,
    family: found.family,
    transformer: transformerTable(namedTable(file, found.prefix), found),
    vaeConfig: {},
    // Z-Image itself was trained for more noise than its distilled sister.
    schedulerConfig: found.family === 'z-image' && !isTurbo(file.name) ? { shift: 6 } : {},
    encoder: async ({ inside }) => (holds(inside) ? namedTable(file, inside) : null),
    vae: async () => (vaePrefix === undefined ? null : vaeTable(file, vaePrefix)),
    tokenizer: async () => null,
  }
}

function transformerTable(stored: WeightTable, { family, layout }: NonNullable<ReturnType<typeof findTransformer>>): WeightTable {
  const reason = refuseVariant({ prefix: '', family }, (name) => stored.find(name)?.shape)
  if (reason !== null) throw unusableModel(stored.label, reason)
  return partTable(
    stored,
    transformerModules(family, layout, (prefixes) => stored.count(prefixes[layout])),
  )
}

const [mean, variance] = ['bn.running_mean', 'bn.running_var']
const epsilon = 1e-4

/** Statistics of FLUX.2's latent patches, as options named as in diffusers; empty = another family. */
async function readLatentStatistics(vae: WeightTable, family: TransformerFamily): Promise<JsonRecord> {
  if (family !== 'flux2-klein') return {}
  const place = vae.get(mean)
  const file = {
    path: join(vae.folder, place.file),
    name: vae.label,
    tensors: new Map([mean, variance].map((name) => [name, vae.get(name)])),
  }
  const read = await readTensors(file, [mean, variance], { signal: AbortSignal.any([]) })
  const deviations = Array.from(read.get(variance) ?? [], (value) => Math.fround(Math.sqrt(Math.fround(value + epsilon))))
  return { scaling_factor: 1, shift_factor: 0, latents_mean: [...(read.get(mean) ?? [])], latents_std: deviations, patch_side: 2 }
}
