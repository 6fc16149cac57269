import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeSolidPng } from '../../src/runtimes/fake/solid-png.ts'
import { unpackGoldenCheckpoints } from '../support/model-files/golden-checkpoints.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { becomeOwner, openPage, visitConsole } from './support/console-visit.ts'
import { eventually } from './support/eventually.ts'
import { withoutChromium } from './support/open-chromium.ts'

const wanted =
  /unet\/(?:z_image_turbo|flux1-dev)-Q4_0|diffusion_models\/(?:flux-2-klein|flux1-schnell)\.|text_encoders\/|vae\/|tokenizers\/|checkpoints\/sd3\.5_medium_incl/u

const picture = Buffer.from(encodeSolidPng(32, 32, 0x3060c0))

/** The defaults of the form for each family. */
const families = [
  ['z_image_turbo-Q4_0', '8'],
  ['flux1-schnell', '4'],
  ['flux1-dev-Q4_0', '28'],
  ['flux-2-klein', '4'],
  ['sd3.5_medium_incl_clips_t5xxl', '28'],
] as const

test('the form has the defaults of each family, and the dialog suggests models with steps and licences', {
  skip: withoutChromium,
}, async () => {
  await using folder = await createTemporaryFolder()
  await unpackGoldenCheckpoints(folder.path, (path) => wanted.test(path), 'transformers')
  await using visit = await visitConsole(['--models', folder.path])
  const { page } = visit
  await becomeOwner(visit)
  await openPage(page, 'Images')
  await page.getByText('Sampling').click()
  for (const [model, steps] of families) {
    await page.getByLabel('Model', { exact: true }).selectOption(model)
    await eventually(async () => assert.equal(await page.getByLabel('Steps', { exact: true }).inputValue(), steps, model))
  }
  await page.getByText('Reference images').waitFor({ state: 'detached' })
  await page.getByLabel('Model', { exact: true }).selectOption('flux-2-klein')
  const field = page
    .locator('.stack')
    .filter({ has: page.getByText('Reference images', { exact: true }) })
    .last()
  for (const name of ['Reference 1', 'Reference 2']) {
    await field.locator('input[type=file]').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: picture })
    await page.getByRole('img', { name }).waitFor()
  }
  await page.getByRole('button', { name: 'Remove reference 2' }).click()
  await page.getByRole('img', { name: 'Reference 2' }).waitFor({ state: 'detached' })
  await page.getByLabel('Prompt', { exact: true }).fill('the blue of image 1')
  const sent = page.waitForRequest((request) => request.url().endsWith('/generate/image'))
  await page.getByRole('button', { name: 'Draw', exact: true }).click()
  const body: unknown = (await sent).postDataJSON()
  assert.equal((body as { readonly reference_images: readonly string[] }).reference_images.length, 1)
  await openPage(page, 'Models')
  await page.getByRole('button', { name: 'Pull a model' }).click()
  const dialog = page.getByRole('dialog', { name: 'Pull a model' })
  const suggestions = dialog.getByRole('listitem')
  await suggestions.filter({ hasText: 'Z-Image-Turbo' }).getByText('apache-2.0 · 8 steps').waitFor()
  await suggestions.filter({ hasText: 'FLUX.1-schnell' }).getByText('· 4 steps').waitFor()
})
