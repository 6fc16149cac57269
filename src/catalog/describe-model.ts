import { join, resolve } from 'node:path'
import { isImageServer } from '../core/images/image-servers.ts'
import { defaultSizes } from '../core/images/image-sizes.ts'
import type { ModelPrice } from '../core/limits/model-price.ts'
import type {
  ImageModelDescriptor,
  ImageSizes,
  ModelDescriptor,
  SpeculativeDecoding,
  TextDefaults,
  TextModelDescriptor,
} from '../core/model.ts'
import { withRemedy } from '../core/text/with-remedy.ts'
import type { CatalogFault } from './catalog-fault.ts'
import { describeDiffusersFolder } from './checkpoint/describe-diffusers-folder.ts'
import { describeSingleFile } from './checkpoint/describe-single-file.ts'
import { describeImageServer, readImageBounds } from './describe/describe-image-server.ts'
import { readTextServers } from './describe/servers.ts'
import { blindnessOf } from './gguf/pair-projectors.ts'
import { describeGguf, readGguf } from './gguf/read-gguf.ts'
import type { ModelFile } from './model-file.ts'

/** Facts about a model's folder. */
export interface FolderFacts {
  /** Absolute path. */
  readonly folder: string
  readonly bytes: number
  /** Unix seconds. */
  readonly created: number
}

/** Completes a checked `model.json` with defaults, absolute paths and facts from its files. */
export async function describeModel(
  modelFile: ModelFile,
  { folder, bytes, created }: FolderFacts,
): Promise<ModelDescriptor | { readonly fault: CatalogFault }> {
  const { id, name = id, license = null, description, price, hidden = false, aliases = [] } = modelFile
  const base = {
    ...{ id, name, folder, license, bytes, created },
    ...(description !== undefined && { description }),
    ...(price !== undefined && { price: readPrice(price) }),
    ...(aliases.length > 0 && { aliases }),
    ...(hidden && { hidden }),
  }
  if (modelFile.kind === 'text') return { ...base, ...(await describeText(modelFile, folder)) }
  const usual = await describeUsual(modelFile, folder)
  if ('fault' in usual) return usual
  const { draws = 'requested', defaults = {} } = modelFile
  const native = { ...usual.native, ...modelFile.native }
  const isUsual = native.width === usual.native.width && native.height === usual.native.height && draws === 'requested'
  return {
    ...usual,
    ...base,
    bytes: 'bytes' in usual && typeof usual.bytes === 'number' ? usual.bytes : bytes,
    native,
    draws,
    sizes: readSizes(modelFile.sizes) ?? (isUsual ? usual.sizes : defaultSizes({ native, draws })),
    defaults: {
      steps: defaults.steps ?? usual.defaults.steps,
      guidanceScale: defaults.cfg_scale ?? usual.defaults.guidanceScale,
      sampler: defaults.sampler ?? usual.defaults.sampler,
    },
    ...readDenoising(modelFile, { folder, usual }),
  }
}

/** Drawing defaults for local weights; remote servers have their own. */
function readDenoising(
  { format, refiner, timestepSpacing }: ModelFile & { readonly kind: 'image' },
  { folder, usual }: { readonly folder: string; readonly usual: UsualImage },
): Pick<ImageModelDescriptor, 'refiner' | 'timestepSpacing'> {
  if (isImageServer(format)) return { refiner: null, timestepSpacing: null }
  return {
    refiner: refiner === undefined ? null : resolve(folder, refiner),
    timestepSpacing: timestepSpacing ?? usual.timestepSpacing ?? null,
  }
}

function readPrice({ prompt = 0, completion = 0, image = 0 }: NonNullable<ModelFile['price']>): ModelPrice {
  const inMillionths = (amount: number) => Math.round(amount * 1_000_000)
  return { promptTokens: inMillionths(prompt), completionTokens: inMillionths(completion), image: inMillionths(image) }
}

type UsualImage = Omit<ImageModelDescriptor, 'id' | 'name' | 'folder' | 'license' | 'bytes' | 'created'>

function describeUsual(
  modelFile: ModelFile & { readonly kind: 'image' },
  folder: string,
): Promise<UsualImage | { readonly fault: CatalogFault }> {
  switch (modelFile.format) {
    case 'safetensors':
      return usualCheckpoint(modelFile, folder)
    case 'onnx-sdxl':
      return usualExport(modelFile.native, folder)
    default:
      return describeImageServer(modelFile, folder)
  }
}

async function usualExport(native: ImageModelDescriptor['native'], folder: string): Promise<UsualImage> {
  return {
    kind: 'image',
    format: 'onnx-sdxl',
    native,
    draws: 'requested',
    sizes: defaultSizes({ native, draws: 'requested' }),
    defaults: { steps: 30, guidanceScale: 12, sampler: 'DDIM' },
    refiner: null,
    bounds: await readImageBounds(folder),
  }
}

async function usualCheckpoint(
  { id, file, prediction }: ModelFile & { format: 'safetensors' },
  folder: string,
): Promise<UsualImage | { readonly fault: CatalogFault }> {
  const usual = file === undefined ? await describeDiffusersFolder(folder, id) : await describeSingleFile(join(folder, file), id)
  if ('fault' in usual || prediction === undefined || usual.checkpoint === undefined) return usual
  const { guessed: _, ...checkpoint } = usual.checkpoint
  return { ...usual, checkpoint: { ...checkpoint, prediction } }
}

type TextPart = Omit<TextModelDescriptor, keyof FolderFacts | 'id' | 'name' | 'license'>

async function describeText(modelFile: ModelFile & { kind: 'text' }, folder: string): Promise<TextPart> {
  const { kind, contextLength = null, embeddings = false, defaults } = modelFile
  const base = { kind, contextLength, embeddings, ...(defaults && { defaults: readTextDefaults(defaults) }) }
  if (modelFile.format === 'gguf') {
    const { format, projector, speculative, cacheType } = modelFile
    const file = join(folder, modelFile.file)
    const facts = await readGguf(file)
    // The engine reports an unreadable file when the model is loaded.
    const own = 'fault' in facts ? {} : describeGguf(facts)
    return {
      ...base,
      embeddings: embeddings || (own.generates === false && own.ranks !== true),
      ...own,
      ...(cacheType !== undefined && { cacheType }),
      format,
      file,
      speculative: readSpeculative(speculative, folder),
      ...(projector !== undefined && (await readProjector(join(folder, projector)))),
    }
  }
  const upstream = readTextServers(modelFile, folder)
  const { format, vision = false, ranks = false } = modelFile
  const does = { ...(vision && { vision }), ...(ranks && { ranks, generates: false }) }
  return { ...base, format, file: join(folder, 'model.json'), upstream, speculative: null, ...does }
}

/** The projector of a vision model; its size is already part of the folder's. */
async function readProjector(path: string): Promise<Pick<TextModelDescriptor, 'vision' | 'projector' | 'blindness'>> {
  const facts = await readGguf(path)
  const remedied = (fault: string) => ({ projector: { fault: withRemedy(fault, 'copy it again') } })
  const { projector = { fault: 'is not an mmproj file' } } = 'fault' in facts ? remedied(facts.fault) : facts
  return 'fault' in projector ? { blindness: blindnessOf(path, projector.fault) } : { vision: true, projector: path }
}

function readTextDefaults({
  temperature,
  top_p: topP,
  top_k: topK,
  min_p: minP,
  repetition_penalty: repetitionPenalty,
}: NonNullable<(ModelFile & { kind: 'text' })['defaults']>): TextDefaults {
  const given = Object.entries({ temperature, topP, topK, minP, repetitionPenalty }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given)
}

function readSpeculative(given: string | undefined, folder: string): SpeculativeDecoding | null {
  if (given === undefined) return null
  return given === 'prompt-lookup' ? { method: given } : { method: 'draft-model', file: resolve(folder, given) }
}

function readSizes(sizes: (ModelFile & { kind: 'image' })['sizes']): ImageSizes | undefined {
  if (sizes === undefined) return undefined
  return 'min' in sizes ? { type: 'range', min: sizes.min, max: sizes.max } : { type: 'list', sizes }
}
