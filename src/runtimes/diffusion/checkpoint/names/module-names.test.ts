import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readGoldenCheckpoints } from '../../../../../test/support/model-files/golden-checkpoints.ts'
import { prefixesOf, translator } from './module-names.ts'
import { openClipModules, stackedProjections } from './open-clip-names.ts'
import { diffusersUnetLayout, originalUnetLayout, unetModules } from './unet-names.ts'
import { countVaeBlocks, vaeModules } from './vae-names.ts'

interface NameRow {
  readonly component: string
  readonly diffusers: readonly { readonly name: string }[]
  readonly original: readonly { readonly name: string }[]
}

const packed = await readGoldenCheckpoints()

function rowsOf(file: string): readonly NameRow[] {
  return JSON.parse(packed.get(file)?.toString() ?? '{}').tensors
}

/** Rows of one component as pairs of names, only those with one tensor in each layout. */
function pairsOf(file: string, component: string, prefix: string): readonly { readonly diffusers: string; readonly original: string }[] {
  const rows = rowsOf(file)
  return rows
    .filter((row) => row.component === component && row.diffusers.length === 1 && row.original.length === 1)
    .map((row) => ({ diffusers: row.diffusers[0]?.name ?? '', original: (row.original[0]?.name ?? '').replace(prefix, '') }))
}

for (const [file, count] of [
  ['names-sdxl.json', 1680],
  ['names-sd15.json', 686],
] as const) {
  test(`${file}: every tensor of the UNet has one name in each layout, found from either`, () => {
    const pairs = pairsOf(file, 'unet', 'model.diffusion_model.')
    assert.equal(pairs.length, count)
    const fromOriginal = translator(unetModules(originalUnetLayout(prefixesOf(pairs.map(({ original }) => original)))), 'original')
    const fromDiffusers = translator(unetModules(diffusersUnetLayout(prefixesOf(pairs.map(({ diffusers }) => diffusers)))), 'diffusers')
    for (const { diffusers, original } of pairs) {
      assert.equal(fromOriginal(original), diffusers)
      assert.equal(fromDiffusers(diffusers), original)
    }
    assert.equal(new Set(pairs.map(({ original }) => fromOriginal(original))).size, count)
  })

  test(`${file}: every tensor of the VAE has one name in each layout, found from either`, () => {
    const pairs = pairsOf(file, 'vae', 'first_stage_model.')
    assert.equal(pairs.length, 248)
    const modules = vaeModules(countVaeBlocks(prefixesOf(pairs.map(({ original }) => original))))
    for (const { diffusers, original } of pairs) {
      assert.equal(translator(modules, 'original')(original), diffusers)
      assert.equal(translator(modules, 'diffusers')(diffusers), original)
    }
  })
}

test('every tensor of the OpenCLIP encoder has a name, and three projections share one', () => {
  const pairs = pairsOf('names-sdxl.json', 'text_encoder_2', 'conditioner.embedders.1.model.')
  const rename = translator(openClipModules(32), 'original')
  for (const { diffusers, original } of pairs) assert.equal(rename(original), diffusers)
  const rows = rowsOf('names-sdxl.json')
  const stacked = rows.filter((row) => row.component === 'text_encoder_2' && row.diffusers.length === 3)
  assert.equal(stacked.length, 64)
  for (const { diffusers } of stacked)
    for (const [i, projection] of stackedProjections.entries()) assert.ok(diffusers[i]?.name.includes(`.self_attn.${projection}.`))
  assert.equal(pairs.length + stacked.length * 3, 517)
})
