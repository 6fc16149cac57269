import assert from 'node:assert/strict'
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readGoldenCheckpoints, unpackGoldenCheckpoints } from '../../../test/support/model-files/golden-checkpoints.ts'
import { createTemporaryFolder, writeFiles } from '../../../test/support/temporary-folder.ts'
import { removeModel } from '../pulled-folder.ts'
import { openCatalog } from '../refreshable-catalog.ts'

const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
const folder = join(temporary.path, 'models')
await unpackGoldenCheckpoints(folder, (path) => !path.endsWith('.json') || path.startsWith('xl-diffusers/'))

test('every kind of file in a models folder is recognized by its header', async () => {
  const catalog = await openCatalog({ folders: [folder] })
  const families = Object.fromEntries(catalog.list().map((model) => [model.id, model.kind === 'image' ? model.checkpoint?.family : null]))
  assert.deepEqual(families, {
    'xl-diffusers': 'sdxl',
    refiner: 'sdxl-refiner',
    sd15: 'sd15',
    'sd15-inpaint': 'sd15',
    sd21: 'sd2',
    xl: 'sdxl',
    'xl-vpred': 'sdxl',
  })
  const assets = catalog.listAssets().map(({ kind, name, family }) => `${kind} ${name} ${family}`)
  assert.deepEqual(assets.toSorted(), [
    'controlnet controlnet-xl sdxl',
    'controlnet sd15-controlnet sd15',
    'lora dora null',
    'lora locon-kohya sdxl',
    'lora loha null',
    'lora lora-kohya sdxl',
    'lora lora-kohya-diffusers-names sdxl',
    'lora lora-peft sdxl',
    'lora sd15-lora-kohya sd15',
    'textual-inversion ti-sd15 null',
    'textual-inversion ti-xl sdxl',
    'vae vae-xl null',
  ])
})

test('values that no file contains come from the defaults of the family', async () => {
  const catalog = await openCatalog({ folders: [folder] })
  const image = (id: string) => {
    const found = catalog.find(id)
    assert.ok(found?.kind === 'image')
    return found
  }
  assert.deepEqual(image('xl').native, { width: 1024, height: 1024 })
  assert.deepEqual(image('sd15').sizes, { type: 'range', min: 64, max: 1024 })
  assert.deepEqual(image('sd15').defaults, { steps: 30, guidanceScale: 12, sampler: 'DDIM' })
  assert.equal(image('sd15').bounds?.clipSkip, 3)
  assert.equal(image('xl').bounds?.clipSkip, 2)
  assert.deepEqual(
    ['sd15', 'sd21', 'xl', 'xl-diffusers'].map((id) => image(id).bounds?.textWidths),
    [{ first: 64 }, { first: 64 }, { first: 64, second: 64 }, { first: 64, second: 64 }],
  )
  assert.deepEqual(catalog.findAsset('textual-inversion', 'ti-sd15')?.textWidths, { first: 64 })
  assert.deepEqual(catalog.findAsset('textual-inversion', 'ti-xl')?.textWidths, { first: 64, second: 64 })
  assert.equal(image('sd15-inpaint').checkpoint?.inpainting, true)
  assert.equal(catalog.defaultImageModel((model) => model.checkpoint?.family === 'sd2')?.id, 'sd21')
})

const header = (tensors: object, data = 0): Buffer => {
  const json = Buffer.from(JSON.stringify(tensors))
  const start = Buffer.alloc(8)
  start.writeBigUInt64LE(BigInt(json.length))
  return Buffer.concat([start, json, Buffer.alloc(data)])
}
const half = (from: number, to: number) => ({ dtype: 'F16', shape: [(to - from) / 2], data_offsets: [from, to] })

const damaged: readonly (readonly [string, Buffer, RegExp])[] = [
  ['overlapping', header({ a: half(0, 8), b: half(4, 12) }, 12), /tensor "b" that overlaps another; copy it again/],
  ['liar', header({ a: half(0, 800) }, 12), /is cut short: it has \d+ bytes where its header promises/],
  ['huge', Buffer.concat([Buffer.from('ffffffffffff0000', 'hex'), Buffer.alloc(20)]), /header would be longer than the file/],
  ['renamed-pickle', Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(40)]), /is a pickle, which can run code/],
  ['empty', Buffer.alloc(0), /is empty; download it again/],
  ['pointer', Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:0\n'), /is a pointer of Git LFS.*git lfs pull/],
  ['page', Buffer.from('\n<!DOCTYPE html><html>'), /is a web page, not weights/],
]

test('damaged files are left out, listed with their faults, and reported to requests that name them', async () => {
  const own = join(temporary.path, 'damaged')
  await mkdir(own)
  for (const [name, bytes] of damaged) await writeFile(join(own, `${name}.safetensors`), bytes)
  await unpackGoldenCheckpoints(own, (path) => path === 'sd15-lora-kohya.safetensors')
  await truncate(join(own, 'sd15-lora-kohya.safetensors'), 200_000)
  await writeFile(join(own, 'odd:name.safetensors'), header({ a: half(0, 4) }, 4))
  const catalog = await openCatalog({ folders: [own] })
  assert.deepEqual([catalog.list(), catalog.faults.length], [[], damaged.length + 2])
  for (const [name, , expected] of damaged) {
    const fault = catalog.faults.find(({ file }) => file.endsWith(`/${name}.safetensors`))
    assert.match(fault?.message ?? '', expected)
    assert.match(`${catalog.findUnusable(name)?.reason}; copy it again or remove it.`, expected)
  }
})

test('a pickle and a sound file of another kind are reported when a request names them', async () => {
  const own = join(temporary.path, 'other')
  await mkdir(join(own, 'further-down'), { recursive: true })
  await writeFile(join(own, 'old.ckpt'), 'x')
  await writeFile(
    join(own, 'further-down/flux.safetensors'),
    header({ 'double_blocks.0.weight': half(0, 4), 'single_blocks.0.weight': half(4, 8) }, 8),
  )
  const catalog = await openCatalog({ folders: [own] })
  assert.match(catalog.findUnusable('old')?.reason ?? '', /pickle/)
  assert.match(catalog.findUnusable('flux')?.reason ?? '', /FLUX/)
})

test('parts of a split safetensors file are reported with the missing ones', async () => {
  const own = join(temporary.path, 'split')
  const whole = header({ 'model.embed_tokens.weight': half(0, 4) }, 4)
  for (const [place, names] of [
    ['one', ['model-00002-of-00003']],
    ['both', ['a-00001-of-00002', 'a-00002-of-00002']],
    ['many', ['big-00003-of-00009']],
  ] as const) {
    await mkdir(join(own, place), { recursive: true })
    for (const name of names) await writeFile(join(own, place, `${name}.safetensors`), whole)
  }
  const catalog = await openCatalog({ folders: [own] })
  const reasonOf = (name: string) => catalog.findUnusable(name)?.reason ?? ''
  const fix = "download the whole folder in diffusers' layout, or the model as one file"
  assert.equal(
    reasonOf('model'),
    `is part 2 of 3 of a split model, and these parts are missing: model-00001-of-00003.safetensors, model-00003-of-00003.safetensors; ${fix}`,
  )
  assert.ok(reasonOf('a').includes(`(is part 2 of 2 of a split model; ${fix})`), reasonOf('a'))
  assert.match(reasonOf('big'), /big-00001-of-00009\.safetensors, big-00002-\S+, big-00004-of-00009\.safetensors and 5 more;/)
})

test('model names drop the suffix of a split; few-step models and velocity prediction are recognized by name', async () => {
  const own = join(temporary.path, 'names')
  const wanted = {
    'sd15.safetensors': 'some_lightning_v2',
    'sd21.safetensors': 'v2-1_768-ema',
    'xl.safetensors': 'xl-lcm-00001-of-00001',
    'lora-kohya.safetensors': 'sdxl_lightning_4step_lora',
  }
  await mkdir(own)
  const packed = await readGoldenCheckpoints()
  for (const [path, name] of Object.entries(wanted)) await writeFile(join(own, `${name}.safetensors`), packed.get(path) ?? '')
  const catalog = await openCatalog({ folders: [own] })
  const image = (id: string) => {
    const found = catalog.find(id)
    assert.ok(found?.kind === 'image', id)
    return found
  }
  assert.deepEqual(image('some_lightning_v2').defaults, { steps: 4, guidanceScale: 1, sampler: 'K_EULER' })
  assert.equal(image('some_lightning_v2').timestepSpacing, 'trailing')
  assert.equal(catalog.findAsset('lora', 'sdxl_lightning_4step_lora')?.pace?.sampler, 'K_EULER')
  assert.deepEqual(image('xl-lcm').defaults, { steps: 4, guidanceScale: 1, sampler: 'LCM' })
  assert.deepEqual(image('v2-1_768-ema').native, { width: 768, height: 768 })
  assert.equal(image('v2-1_768-ema').checkpoint?.prediction, 'v_prediction')
  await removeModel(image('xl-lcm'))
  assert.deepEqual(
    (await openCatalog({ folders: [own] })).list().map(({ id }) => id),
    ['some_lightning_v2', 'v2-1_768-ema'],
  )
})

test('a model.json sets the defaults of a checkpoint, and two files with one name are a fault', async () => {
  const own = join(temporary.path, 'described')
  await unpackGoldenCheckpoints(join(own, 'mine'), (path) => path === 'sd15.safetensors')
  const described = {
    id: 'mine',
    kind: 'image',
    format: 'safetensors',
    file: 'sd15.safetensors',
    native: { width: 64, height: 64 },
    defaults: { steps: 7 },
  }
  await writeFile(join(own, 'mine/model.json'), JSON.stringify(described))
  const mine = (await openCatalog({ folders: [own] })).find('mine')
  assert.ok(mine?.kind === 'image')
  assert.deepEqual([mine.native.width, mine.defaults.steps, mine.checkpoint?.family], [64, 7, 'sd15'])
  await writeFile(join(own, 'mine.ckpt'), 'x')
  const { faults } = await openCatalog({ folders: [own] })
  assert.match(faults[0]?.message ?? '', /mine is already the id of .*; rename one of the two files\./)
})

test('nested folders are searched, links are followed once, and files with one name are prefixed with their folders', async () => {
  const own = join(temporary.path, 'deep')
  const lora = (await readGoldenCheckpoints()).get('lora-kohya.safetensors') ?? Buffer.alloc(0)
  const paths = [
    'loras/SDXL/styles/ink.safetensors',
    'style-a/pytorch_lora_weights.safetensors',
    'more/style-b/pytorch_lora_weights.safetensors',
    'more/twice/same.safetensors',
    'other/twice/same.safetensors',
    'hub/models--pub--painter/snapshots/0123abcd/pytorch_lora_weights.safetensors',
    'a/b/c/d/e/f/g/h/deepest.safetensors',
  ]
  await writeFiles(own, Object.fromEntries([...paths, 'a/b/c/d/e/f/g/h/i/beyond.safetensors'].map((path) => [path, lora])))
  await symlink('..', join(own, 'more/back'))
  await symlink(join(own, 'loras/SDXL'), join(own, 'zz-linked'))
  const catalog = await openCatalog({ folders: [own] })
  assert.deepEqual(
    catalog
      .listAssets()
      .map(({ name }) => name)
      .toSorted(),
    [
      'deepest',
      'ink',
      'more/twice/same',
      'other/twice/same',
      'painter/pytorch_lora_weights',
      'style-a/pytorch_lora_weights',
      'style-b/pytorch_lora_weights',
    ],
  )
  assert.deepEqual(catalog.faults, [
    { file: own, field: '', message: 'holds folders more than 8 levels deep (1), which are not searched for models.' },
  ])
  for (const name of ['SDXL/styles/ink', 'styles/ink', 'ink', 'ink.safetensors', 'SDXL\\styles\\ink.safetensors'])
    assert.equal(catalog.findAsset('lora', name)?.name, 'ink')
})

test('files that a failing disk cannot read are left out, and the others are offered', { skip: process.platform !== 'linux' }, async () => {
  await using place = await createTemporaryFolder()
  // Reading the first bytes of this file fails with EIO.
  const broken = '/proc/self/mem'
  for (const name of ['loose.gguf', 'loose.safetensors']) await symlink(broken, join(place.path, name))
  await mkdir(join(place.path, 'described'))
  await symlink(broken, join(place.path, 'described', 'm.gguf'))
  await writeFile(
    join(place.path, 'described', 'model.json'),
    JSON.stringify({ id: 'described', kind: 'text', format: 'gguf', file: 'm.gguf' }),
  )
  const catalog = await openCatalog({ folders: [place.path] })
  assert.deepEqual(catalog.list(), [])
  for (const name of ['loose', 'described']) assert.match(String(catalog.findUnusable(name)?.reason), /cannot be read|EIO/, name)
})
