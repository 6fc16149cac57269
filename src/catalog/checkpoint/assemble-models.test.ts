import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { neededParts } from '../../core/checkpoint/model-parts.ts'
import { type FoundPart, findParts } from './assemble-models.ts'

const temporary = await createTemporaryFolder()
const at = (path: string): string => join(temporary.path, path)
after(() => temporary[Symbol.asyncDispose]())
before(async () => {
  for (const file of [
    'text_encoders/t5.safetensors',
    'text_encoders/clip.safetensors',
    'vae/ae.safetensors',
    'diffusion_models/ae2.safetensors',
    'vae/sd3_vae.safetensors',
    'vae/other.safetensors',
  ]) {
    await mkdir(dirname(at(file)), { recursive: true })
    await writeFile(at(file), '')
  }
  await mkdir(at('tokenizers/t5'), { recursive: true })
  await writeFile(at('tokenizers/t5/tokenizer.json'), '{}')
})

const path = at('diffusion_models/flux1-schnell.safetensors')
const clip: FoundPart = { part: 'clip-l', path: at('text_encoders/clip.safetensors'), bytes: 1, width: null }
const t5: FoundPart = { part: 't5', path: at('text_encoders/t5.safetensors'), bytes: 10, width: 4096 }
const vae: FoundPart = { part: 'vae', path: at('vae/ae.safetensors'), bytes: 100, width: null }
const flux = { family: 'flux-schnell', path, lacks: neededParts('flux-schnell') } as const

test('a model is assembled from folders beside its own, with the tokenizer of its text encoder', async () => {
  assert.deepEqual(await findParts(flux, [vae, t5, clip]), {
    files: { text_encoder: clip.path, text_encoder_2: t5.path, tokenizer_2: at('tokenizers/t5'), vae: vae.path },
    sizes: { text_encoder: 1, text_encoder_2: 10, tokenizer_2: 0, vae: 100 },
  })
})

test('a part in the folder of the model takes precedence over others', async () => {
  const own = { ...vae, path: at('diffusion_models/ae2.safetensors'), bytes: 1, width: null }
  const found = await findParts(flux, [vae, own, t5, clip])
  assert.ok('files' in found)
  assert.equal(found.files.vae, own.path)
})

test('a missing part is reported with the usual name of its file', async () => {
  const found = await findParts(flux, [clip])
  assert.ok('unusable' in found)
  assert.match(found.unusable, /FLUX\.1 schnell.*t5xxl_fp16\.safetensors.*ae\.safetensors/u)
})

test('Stable Diffusion 3 works without T5 and its tokenizer', async () => {
  const lacks = neededParts('sd3').filter(({ component }) => component !== 'vae')
  const clipG: FoundPart = { ...clip, part: 'clip-g' }
  const found = await findParts({ family: 'sd3', path, lacks }, [clip, clipG])
  assert.deepEqual(found, { files: { text_encoder: clip.path, text_encoder_2: clip.path }, sizes: { text_encoder: 1, text_encoder_2: 1 } })
})

test('a VAE whose name is that of another family is not used', async () => {
  const sd3Vae: FoundPart = { ...vae, path: at('vae/sd3_vae.safetensors'), bytes: 50, width: 16 }
  const fluxVae: FoundPart = { ...vae, width: 16 }
  const other: FoundPart = { ...vae, path: at('vae/other.safetensors'), bytes: 500, width: 16 }
  const sd3 = { family: 'sd3', path, lacks: neededParts('sd3').filter(({ part }) => part === 'vae') } as const
  const lone = { ...flux, lacks: flux.lacks.filter(({ part }) => part === 'vae') }
  const chosen = async (model: Parameters<typeof findParts>[0], ...vaes: readonly FoundPart[]) => {
    const found = await findParts(model, vaes)
    return 'files' in found ? found.files.vae : found.unusable
  }
  assert.equal(await chosen(sd3, fluxVae, sd3Vae, other), sd3Vae.path)
  assert.equal(await chosen(lone, sd3Vae, fluxVae, other), fluxVae.path)
  assert.equal(await chosen(sd3, fluxVae, other), other.path)
  assert.match(
    (await chosen(sd3, fluxVae)) ?? '',
    /Stable Diffusion 3 without .*its VAE \(.*of stabilityai\/stable-diffusion-3\.5-medium\)$/,
  )
  assert.match((await chosen(lone, sd3Vae)) ?? '', /its VAE \(ae\.safetensors of Comfy-Org\/z_image_turbo\)$/)
})
