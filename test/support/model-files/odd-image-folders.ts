import assert from 'node:assert/strict'
import { cp, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { openCatalog } from '../../../src/catalog/refreshable-catalog.ts'
import { loadDiffusionModel } from '../../../src/runtimes/diffusion/load-diffusion-model.ts'
import { makeImageRequest } from '../image-request.ts'
import { createTemporaryFolder } from '../temporary-folder.ts'
import { unpackGoldenCheckpoints } from './golden-checkpoints.ts'
import { readStoredTensors, type StoredTensor, storedFile } from './safetensors-file.ts'

type Family = 'flux-dev' | 'z-image-turbo' | 'sd3.5-medium' | 'flux2-klein'
const [transformer, vae, encoder] = [
  'transformer/diffusion_pytorch_model.safetensors',
  'vae/diffusion_pytorch_model.safetensors',
  'text_encoder/model.safetensors',
] as const
const index = `${transformer}.index.json`
const [firstShard, secondShard] = [1, 2].map((i) => `diffusion_pytorch_model-0000${i}-of-00002.safetensors`)

interface Place {
  /** Of the model that is damaged. */
  readonly folder: string
  /** Of sound models and their parts. */
  readonly sound: string
  readonly family: Family
}
type Damage = (place: Place) => Promise<unknown>

const remove =
  (path: string): Damage =>
  ({ folder }) =>
    rm(join(folder, path), { recursive: true })
const write =
  (path: string, content: string | Uint8Array): Damage =>
  ({ folder }) =>
    writeFile(join(folder, path), content)
const halve =
  (path: string): Damage =>
  async ({ folder }) =>
    truncate(join(folder, path), Math.floor((await stat(join(folder, path))).size / 2))
const configure =
  (path: string, changes: object): Damage =>
  async ({ folder }) =>
    writeFile(join(folder, path), JSON.stringify({ ...JSON.parse(await readFile(join(folder, path), 'utf8')), ...changes }))
const change =
  (path: string, edit: (tensors: readonly StoredTensor[]) => readonly StoredTensor[]): Damage =>
  async ({ folder }) =>
    writeFile(join(folder, path), storedFile(edit(await readStoredTensors(join(folder, path)))))
const without = (pattern: RegExp) => (tensors: readonly StoredTensor[]) => tensors.filter(({ name }) => !pattern.test(name))
const lead =
  (target: (place: Place) => string): Damage =>
  async (place) => {
    await rm(join(place.folder, transformer))
    await symlink(target(place), join(place.folder, transformer))
  }
const listShards =
  (content: string): Damage =>
  async ({ folder }) => {
    await rm(join(folder, transformer))
    await writeFile(join(folder, index), content)
  }
/** Splits the transformer, and keeps its first half. */
const loseShard =
  (withIndex: boolean): Damage =>
  async ({ folder }) => {
    const tensors = (await readStoredTensors(join(folder, transformer))).toSorted((a, b) => a.name.localeCompare(b.name))
    const isKept = ({ name }: StoredTensor) => !/(?:transformer_blocks|layers)\.[1-9]\./u.test(name)
    await rm(join(folder, transformer))
    await writeFile(
      join(folder, 'transformer', withIndex ? (firstShard ?? '') : 'diffusion_pytorch_model.safetensors'),
      storedFile(tensors.filter(isKept)),
    )
    const map = Object.fromEntries(tensors.map((tensor) => [tensor.name, isKept(tensor) ? firstShard : secondShard]))
    if (withIndex) await writeFile(join(folder, index), JSON.stringify({ weight_map: map }))
  }
const eachTokenizer =
  (damage: (folder: string) => Promise<unknown>): Damage =>
  async ({ folder }) => {
    for (const name of await readdir(folder)) if (name.startsWith('tokenizer')) await damage(join(folder, name))
  }
const longHeader = Buffer.alloc(64)
longHeader.writeBigUInt64LE(2n ** 60n)
const header = (text: string): Buffer => Buffer.concat([Buffer.of(text.length, 0, 0, 0, 0, 0, 0, 0), Buffer.from(text)])
const other = (family: Family): Family => (family === 'z-image-turbo' || family === 'flux2-klein' ? 'flux-dev' : 'z-image-turbo')
const another = ({ sound, family }: Place) => join(sound, other(family), encoder)
const layers = { num_layers: 40, n_layers: 40 }
/** Transformers in the names of their authors; null = there is none. */
const originals: Readonly<Record<Family, string | null>> = {
  'flux-dev': 'diffusion_models/flux1-dev.safetensors',
  'z-image-turbo': 'diffusion_models/z_image_turbo_bf16.safetensors',
  'sd3.5-medium': null,
  'flux2-klein': 'diffusion_models/flux-2-klein.safetensors',
}

const draws = null
const damages: readonly (readonly [what: string, damage: Damage, answer: RegExp | null])[] = [
  ['without the file of its transformer', remove(transformer), /transformer\/ has no \.safetensors file|without \.safetensors files/],
  ['without the folder of its transformer', remove('transformer'), /neither "unet\/config\.json" nor "transformer\/config\.json"/],
  ['with an empty transformer', write(transformer, ''), /too short to be a safetensors file/],
  ['with half a transformer', halve(transformer), /is cut short: it has \d+ bytes where its header promises \d+/],
  ['with a transformer of letters', write(transformer, 'x'.repeat(500)), /cut short or not a safetensors file/],
  ['with a header longer than the file', write(transformer, longHeader), /header would be longer than the file/],
  ['with a header that is a list', write(transformer, header('[]')), /header that is not a JSON object/],
  ['with a header that is not JSON', write(transformer, header('{"a')), /header that is not JSON/],
  ['with no tensors', write(transformer, header('{}')), /holds a transformer of a family that Sepia does not run/],
  [
    'with a type that nobody knows',
    write(transformer, header('{"a":{"dtype":"Q9","shape":[1],"data_offsets":[0,0]}}')),
    /Q9|does not run|type/,
  ],
  [
    'with an index of absent shards',
    listShards(JSON.stringify({ weight_map: { a: firstShard } })),
    /-00001-of-00002\.safetensors is missing/,
  ],
  ['with an index that leads elsewhere', listShards('{"weight_map":{"a":"../../x.safetensors"}}'), /does not name files beside it/],
  ['with an index that is not JSON', listShards('{'), /index\.json is not valid JSON/],
  ['with an empty index', listShards('{"weight_map":{}}'), /does not name files beside it/],
  ['without its second shard', loseShard(true), /-00002-of-00002\.safetensors is missing or cannot be read; copy it again/],
  [
    'without its second shard and its index',
    loseShard(false),
    /transformer\/config\.json says \d in "\w+", and its weights have \d; copy the folder/,
  ],
  [
    'with a transformer that is a folder',
    async ({ folder }) => {
      await rm(join(folder, transformer))
      await mkdir(join(folder, transformer))
    },
    /is missing or cannot be read|without \.safetensors files/,
  ],
  ['with a broken link', lead(() => '/nowhere/x.safetensors'), /is a broken link/],
  ['with a link to itself', lead(({ folder }) => join(folder, transformer)), /is a broken link/],
  ['with a link to a sound transformer', lead(({ sound, family }) => join(sound, family, transformer)), draws],
  [
    'with weights of bitsandbytes',
    change(transformer, (all) =>
      all.map((each) =>
        each.shape.length === 2 && /blocks\.0|layers\.0/u.test(each.name) ? { ...each, dtype: 'U8', shape: [each.bytes.length, 1] } : each,
      ),
    ),
    /stores its weights as U8/,
  ],
  [
    'with a configuration of more layers',
    configure('transformer/config.json', layers),
    /says 40 in "(?:num_layers|n_layers)", and its weights have \d/,
  ],
  ['with a configuration that is not JSON', write('transformer/config.json', '{'), /is not a JSON object; copy the whole folder/],
  [
    'with a configuration of a UNet',
    configure('transformer/config.json', { _class_name: 'UNet2DConditionModel' }),
    /names the transformer UNet2DConditionModel/,
  ],
  [
    'with a configuration without its kind',
    configure('transformer/config.json', { _class_name: undefined }),
    /its transformer\/config\.json names no transformer in "_class_name"; copy the folder again/,
  ],
  ['without its VAE', remove('vae'), /without all its parts; .*its VAE/],
  ['with half a VAE', halve(vae), /is cut short/],
  ['with a VAE without decoder', change(vae, without(/^decoder/u)), /lacks the tensor "decoder\.conv_in\.weight"/],
  [
    'with a VAE of 4 channels',
    ({ folder, sound }) => cp(join(sound, 'vae-xl.safetensors'), join(folder, vae)),
    /is a VAE of 4 channels, and .* needs one of (?:16|32)/,
  ],
  [
    'with a VAE whose configuration has 4 channels',
    configure('vae/config.json', { latent_channels: 4 }),
    /says 4 in "latent_channels", and its weights have (?:16|32)/,
  ],
  ['with a VAE whose configuration is no JSON', write('vae/config.json', '{'), /vae\/config\.json is not valid JSON/],
  ['with two VAEs', ({ folder }) => cp(join(folder, vae), join(folder, 'vae/another.safetensors')), draws],
  ['without its text encoder', remove('text_encoder'), /without all its parts; .*the text encoder/],
  ['with half a text encoder', halve(encoder), /is cut short/],
  ['with the text encoder of another family', (place) => cp(another(place), join(place.folder, encoder)), /lacks the tensor/],
  ['with a text encoder without its tokens', change(encoder, without(/embed/u)), /lacks the tensor ".*embed/],
  ['with a scheduler that is not JSON', write('scheduler/scheduler_config.json', '{'), /scheduler_config\.json is not valid JSON/],
  ['with a model index that is not JSON', write('model_index.json', '{'), /is not a JSON object; copy the whole folder/],
  ['without its tokenizers', eachTokenizer((folder) => rm(folder, { recursive: true })), /without all its parts; .*tokenizer/],
  [
    'with tokenizers of one letter',
    eachTokenizer(async (folder) => {
      for (const file of await readdir(folder)) await writeFile(join(folder, file), '{')
    }),
    /is not valid JSON; copy it again/,
  ],
]

/** Reference models that are damaged in each way; loading those that still draw takes seconds of the processor. */
export function testOddImageFolders(families: readonly Family[]): void {
  suite('incomplete and unusual folders of models with a transformer', { timeout: 600_000 }, () => {
    const { signal } = new AbortController()
    const stack = new AsyncDisposableStack()
    let sound = ''
    before(async () => {
      sound = stack.use(await createTemporaryFolder()).path
      const kept = [
        ...families.map((name) => `${name}/`),
        ...families.map((name) => join(other(name), encoder)),
        ...families.flatMap((name) => originals[name] ?? []),
      ]
      await unpackGoldenCheckpoints(sound, (path) => kept.some((start) => path.startsWith(start)), 'transformers')
      await unpackGoldenCheckpoints(sound, (path) => path === 'vae-xl.safetensors')
    })
    after(() => stack.disposeAsync())

    for (const family of families) {
      const file = originals[family]
      if (file === null) continue
      test(`${family} with a transformer in its original names: draws`, async () => {
        await using models = await createTemporaryFolder()
        await cp(join(sound, family), join(models.path, family), { recursive: true })
        await cp(join(sound, file), join(models.path, family, transformer))
        assert.equal(await answerOf(models.path, family), 'draws')
      })
    }

    for (const family of families)
      for (const [what, damage, answer] of damages)
        test(`${family} ${what}: ${answer === draws ? 'draws' : 'is rejected in one sentence'}`, async () => {
          await using models = await createTemporaryFolder()
          const folder = join(models.path, family)
          await cp(join(sound, family), folder, { recursive: true })
          await damage({ folder, sound, family })
          const said = await answerOf(models.path, family)
          if (answer === draws) assert.equal(said, 'draws')
          else assert.match(said, answer)
          assert.doesNotMatch(said, /\n|undefined|\[object|node_modules/u)
        })

    /** Why a model cannot be used, when it is found or when it is loaded. */
    async function answerOf(models: string, id: string): Promise<string> {
      const catalog = await openCatalog({ folders: [models] })
      const model = catalog.find(id)
      if (model?.kind !== 'image') return catalog.findUnusable(id)?.reason ?? 'not found'
      try {
        await using loaded = await loadDiffusionModel(model, { threads: 1, signal })
        const request = makeImageRequest('a fox', { model: id, steps: 1, width: 32, height: 32, guidanceScale: 1, sampler: 'K_EULER' })
        await loaded.generate(request, { signal, onProgress: () => {} })
        return 'draws'
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    }
  })
}
