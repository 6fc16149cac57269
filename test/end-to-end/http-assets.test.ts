import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import sharp from 'sharp'
import { examineWeights } from '../../src/catalog/checkpoint/examine-weights.ts'
import { isRecord } from '../../src/core/json-value.ts'
import type { ImageModelDescriptor } from '../../src/core/model.ts'
import { createAccessToken } from '../../src/operations/access/access-tokens.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { AssetLibrary, type LibrarySources } from '../../src/operations/assets/asset-library.ts'
import { removeDeletedAssets } from '../../src/operations/assets/deleted-assets.ts'
import { createFakeCatalog, describeFakeImage } from '../../src/runtimes/fake/fake-catalog.ts'
import { openAssetFiles } from '../../src/storage/filesystem/open-asset-files.ts'
import { startHttpService } from '../support/http-service.ts'
import { readGoldenCheckpoints } from '../support/model-files/golden-checkpoints.ts'
import { safetensorsFile } from '../support/model-files/safetensors-file.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { createTestAssets } from '../support/test-assets.ts'
import { createTestClock } from '../support/test-clock.ts'

const { signal } = new AbortController()
const flux = { name: 'transformer.single_transformer_blocks.0.attn.to_q.lora_A.weight', shape: [1, 8], values: new Float32Array(8) }
const notForSdxl = /is for FLUX.1 dev or FLUX.1 schnell or FLUX.2 klein, not for SDXL/
const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'brown' } })
  .png()
  .toBuffer()
const golden = await readGoldenCheckpoints()
const lora = golden.get('lora-peft.safetensors') ?? Buffer.alloc(0)
const checkpoint: ImageModelDescriptor = describeFakeImage({
  id: 'fake-image',
  format: 'safetensors',
  checkpoint: { family: 'sdxl', inpainting: false, weights: '/fake/image', prediction: null },
})
const sdxl = 'image/stable-diffusion-xl-v1-0'
const described = (name: string, more: object = {}) => ({
  name,
  asset_type: 'lora',
  data: { asset_type: 'lora', engine: sdxl, trigger_words: ['sks'] },
  transfer_api_type: 'presigned-url',
  ...more,
})

/** The part of the answers of the assets routes that these tests read. */
interface AssetAnswer {
  readonly error: { readonly code: string; readonly message: string }
  readonly asset: {
    readonly id: string
    readonly status: string
    readonly status_details: string
    readonly size_bytes: number
    readonly data: { readonly trigger_words: readonly string[] }
  }
  readonly transfer_api: { readonly put_url: string; readonly get_url: string }
  readonly total: number
  readonly data: readonly { readonly id: string }[]
}

async function readAnswer(response: Response): Promise<{ readonly status: number; readonly body: AssetAnswer }> {
  return { status: response.status, body: (await response.json()) as AssetAnswer }
}

async function start(bytesPerAccount?: number) {
  const stack = new AsyncDisposableStack()
  const folder = stack.use(await createTemporaryFolder()).path
  const clock = createTestClock()
  const catalog = createFakeCatalog([checkpoint])
  const assets = { folder, ...(bytesPerAccount === undefined ? {} : { bytesPerAccount }) }
  const service = stack.use(await startHttpService({ clock, catalog, assets }))
  const other = await createAccount({ ...service.store, clock }, { name: 'Bob', role: 'member' }, { signal })
  const { text: otherToken } = await createAccessToken(
    { ...service.store, clock },
    { accountId: other.id, name: 'test', scopes: ['image', 'read'], expiresAt: null },
    { signal },
  )
  const put = (url: string, body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'PUT', body, headers })
  const create = async (body: object, token = service.token) => {
    return readAnswer(await service.fetch('/v1/assets', { json: body, token }))
  }
  const upload = async (name: string, more: object = {}, file: Uint8Array<ArrayBuffer> = new Uint8Array(lora), token = service.token) => {
    const made = await create(described(name, more), token)
    assert.equal(made.status, 200, JSON.stringify(made.body))
    const sent = await put(made.body.transfer_api.put_url, file)
    assert.equal(sent.status, 200, await sent.text())
    const completed = await service.fetch(`/v1/assets/${made.body.asset.id}/complete-upload`, { method: 'POST', token })
    return { id: String(made.body.asset.id), completed: (await completed.json()) as { readonly error?: string } }
  }
  const get = async (path: string, token = service.token) => {
    return readAnswer(await service.fetch(path, { token }))
  }
  const remove = (id: string, token = service.token) => service.fetch(`/v1/assets/${id}`, { method: 'DELETE', token })
  const draw = (body: object, token = service.token) => service.fetch('/generate/sdxl', { json: { prompt: 'a tiger', ...body }, token })
  return {
    service,
    clock,
    catalog,
    folder,
    other: { id: other.id, token: otherToken },
    put,
    create,
    upload,
    get,
    remove,
    draw,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

suite('uploaded assets', () => {
  test('a LoRA can be created, uploaded, checked and used only by its account', async () => {
    await using it = await start()
    const { id, completed } = await it.upload('mine')
    assert.deepEqual(completed, {})
    const shown = await it.get(`/v1/assets/${id}`)
    assert.deepEqual(
      [shown.body.asset.status, shown.body.asset.size_bytes, shown.body.asset.data.trigger_words],
      ['ready', lora.length, ['sks']],
    )
    assert.deepEqual(await readFile(join(it.folder, `${id}.safetensors`)), lora)
    for (const name of ['mine', id]) assert.equal((await it.draw({ loras: { [name]: 0.5 } })).status, 200)
    const refused = await it.draw({ loras: { mine: 1 } }, it.other.token)
    assert.equal(refused.status, 422)
    assert.match(await refused.text(), /names mine, which is not installed; installed are: none/)
    for (const path of [`/v1/assets/${id}`, '/v1/assets/mine', '/v1/assets/nobody'])
      assert.deepEqual((await it.get(path, it.other.token)).body.error.code, 'not_found')
    assert.equal((await it.get('/v1/assets', it.other.token)).body.total, 0)
  })

  test("a LoRA in a prompt of OpenAI's routes is found and rejected as on Sepia's routes", async () => {
    await using it = await start()
    const { id } = await it.upload('mine')
    const generate = (prompt: string, token = it.service.token) => it.service.fetch('/v1/images/generations', { json: { prompt }, token })
    const edit = (prompt: string, token = it.service.token) => {
      const form = new FormData()
      form.append('prompt', prompt)
      form.append('image', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'a.png')
      return fetch(`${it.service.url}/v1/images/edits`, { method: 'POST', body: form, headers: { authorization: `Bearer ${token}` } })
    }
    for (const send of [generate, edit]) {
      for (const name of ['mine', id]) assert.equal((await send(`a <lora:${name}:0.5> tiger`)).status, 200)
      const unknown = await send('a <lora:none> tiger')
      assert.equal(unknown.status, 422)
      assert.match(await unknown.text(), /`prompt` names none, which is not installed/)
      const foreign = await send('a <lora:mine> tiger', it.other.token)
      assert.equal(foreign.status, 422)
      assert.match(await foreign.text(), /names mine, which is not installed; installed are: none/)
    }
  })

  test('a request keeps its file if another file takes the name', async () => {
    await using it = await start()
    const { id } = await it.upload('mine')
    const submitted = await it.service.fetch('/generate/sdxl', {
      json: { prompt: 'a <lora:mine:0.5> tiger' },
      headers: { 'x-service-async': '1' },
    })
    assert.equal(submitted.status, 202)
    const [claim] = await it.service.store.queue.claim(
      { workerId: 'w', rooms: [{ model: 'fake-image', room: 1 }], limit: 1, leaseMs: 1000 },
      { signal },
    )
    const work = (await claim?.load({ signal }))?.work
    assert.ok(work?.kind === 'image')
    assert.deepEqual(work.request.loras, [{ name: `${id}/mine`, weight: 0.5 }])
  })

  test('public assets are created by owners and usable by all', async () => {
    await using it = await start()
    const refused = await it.create(described('shared', { is_public: true }), it.other.token)
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'insufficient_scope'])
    const { id } = await it.upload('shared', { is_public: true })
    assert.equal((await it.draw({ loras: { shared: 1 } }, it.other.token)).status, 200)
    assert.equal((await it.remove(id, it.other.token)).status, 403)
    assert.equal((await it.create(described('shared'), it.other.token)).status, 422)
    assert.equal((await it.get(`/v1/assets?owner=${it.service.accountId}&asset_type=lora`, it.other.token)).body.total, 1)
    assert.equal((await it.get(`/v1/assets?asset_type=vae&asset_type=checkpoint`, it.other.token)).body.total, 0)
  })

  test('a deleted asset stays available to earlier requests only', async () => {
    await using it = await start()
    const { id } = await it.upload('mine')
    await it.service.fetch('/generate/sdxl', { json: { prompt: 'a <lora:mine> tiger' }, headers: { 'x-service-async': '1' } })
    assert.equal((await it.remove(id)).status, 200)
    assert.equal((await it.draw({ loras: { mine: 1 } })).status, 422)
    assert.equal((await it.get('/v1/assets')).body.total, 0)
    const assets = createTestAssets({ store: it.service.store, clock: it.clock, catalog: it.catalog, folder: it.folder })
    const tidy = () =>
      removeDeletedAssets(
        { ...assets, log: it.service.store.log, onModelGone: () => undefined },
        { interactiveMs: 1000, deferredMs: 100_000 },
        { signal },
      )
    const isThere = async () => (await assets.files.received(id)) !== null
    await tidy()
    assert.ok(await isThere(), 'others may be answered right now')
    await it.clock.advance(1001)
    await tidy()
    assert.ok(await isThere(), 'a pending request names it')
    await it.clock.advance(100_000)
    await tidy()
    assert.equal(await isThere(), false)
    await it.upload('mine')
  })

  test('an interrupted upload continues', async () => {
    await using it = await start()
    const made = await it.create(described('mine'))
    const { put_url } = made.body.transfer_api
    const half = Math.floor(lora.length / 2)
    const range = (from: number, to: number) => ({ 'content-range': `bytes ${from}-${to - 1}/${lora.length}` })
    assert.equal((await it.put(put_url, new Uint8Array(lora.subarray(0, half)), range(0, half))).status, 200)
    const wrong = await it.put(put_url, new Uint8Array(lora.subarray(half + 1)), range(half + 1, lora.length))
    assert.equal(wrong.status, 422)
    assert.match(await wrong.text(), new RegExp(`Continue at byte ${half}`))
    assert.equal((await it.put(put_url, new Uint8Array(lora.subarray(half)), range(half, lora.length))).status, 200)
    const completed = await it.service.fetch(`/v1/assets/${made.body.asset.id}/complete-upload`, { method: 'POST' })
    assert.deepEqual(await completed.json(), {})
    assert.equal((await it.put(put_url, new Uint8Array(lora))).status, 404)
  })

  test('invalid files are rejected, each with its error', async () => {
    await using it = await start()
    const early: readonly (readonly [string, Uint8Array<ArrayBuffer>, RegExp])[] = [
      ['zip', new Uint8Array(Buffer.from('PK\u0003\u0004 and so on, as torch.save writes')), /is a pickle, which can run code/],
      ['pickle', new Uint8Array(Buffer.from([0x80, 2, 0x8a, 10, 1, 2, 3, 4, 5, 6])), /is a pickle/],
      ['gguf', new Uint8Array(Buffer.from('GGUF\u0003\u0000\u0000\u0000\u0000\u0000')), /is a GGUF file/],
      ['text', new Uint8Array(Buffer.from('<!doctype html><p>not found')), /is no safetensors file/],
    ]
    for (const [name, bytes, answer] of early) {
      const made = await it.create(described(name))
      const sent = await it.put(made.body.transfer_api.put_url, bytes)
      assert.equal(sent.status, 422)
      assert.match(await sent.text(), answer)
    }
    const oft = { name: 'lora_unet_mid_block_attentions_0_proj_in.oft_blocks', shape: [2, 2, 2], values: new Float32Array(8) }
    const truncated = new Uint8Array(lora.subarray(0, lora.length - 100))
    const late: readonly (readonly [string, Uint8Array<ArrayBuffer>, object, RegExp])[] = [
      ['cut', truncated, {}, /^The file .*(?:ends|shorter|beyond|bytes)/],
      ['oft', new Uint8Array(safetensorsFile([oft])), {}, /of the kind OFT/],
      ['embedding', new Uint8Array(golden.get('ti-xl.safetensors') ?? []), {}, /holds a textual-inversion, not a lora/],
      ['flux', new Uint8Array(safetensorsFile([flux])), {}, notForSdxl],
      ['small', new Uint8Array(golden.get('sd15-lora-kohya.safetensors') ?? []), {}, /is for Stable Diffusion 1.5, not for SDXL/],
    ]
    for (const [name, bytes, more, answer] of late) {
      const { id, completed } = await it.upload(name, more, bytes)
      assert.match(completed.error ?? '', answer)
      const { asset } = (await it.get(`/v1/assets/${id}`)).body
      assert.deepEqual([asset.status, asset.status_details, asset.size_bytes], ['rejected', completed.error, 0])
      await assert.rejects(readFile(join(it.folder, `${id}.part`)))
    }
  })

  test('unsupported fields are rejected by name', async () => {
    await using it = await start()
    const cases: readonly (readonly [object, RegExp])[] = [
      [{ transfer_api_type: 'sts' }, /does not offer sts/],
      [{ skip_validation: true }, /every file is checked/],
      [{ url: 'https://a.example/x' }, /`url` must be left out/],
      [{ asset_type: 'latent', data: { asset_type: 'latent', engine: sdxl } }, /latent is not supported/],
      [{ data: { asset_type: 'lora', engine: 'image/flux-dev' } }, /`data.engine` must be one of/],
      [{ data: { asset_type: 'lora', engine: sdxl, file_format: 'pt' } }, /must be safetensors/],
      [{ data: { asset_type: 'vae', engine: sdxl } }, /the same as `asset_type`/],
      [{ name: '../x' }, /`name`/],
      [{ name: 'fake-image' }, /fake-image is already in use/],
    ]
    for (const [more, answer] of cases) {
      const made = await it.create(described('mine', more))
      assert.equal(made.status, 422)
      assert.match(made.body.error.message, answer)
    }
  })

  test('uploads of an account stay within its quota, whatever length they declare', async () => {
    await using it = await start(lora.length + 10)
    await it.upload('one')
    const made = await it.create(described('two'))
    const { put_url } = made.body.transfer_api
    assert.equal((await it.put(put_url, new Uint8Array(lora))).status, 429)
    const pieces = new ReadableStream({
      start(controller) {
        for (let at = 0; at < lora.length; at += 1000) controller.enqueue(new Uint8Array(lora.subarray(at, at + 1000)))
        controller.close()
      },
    })
    const chunked = await fetch(put_url, { method: 'PUT', body: pieces, duplex: 'half' } as RequestInit)
    assert.equal(chunked.status, 429)
    assert.match(await chunked.text(), /Delete an asset first/)
  })

  test('an upload that was broken off counts towards the quota', async () => {
    await using it = await start(lora.length + 10)
    const made = await it.create(described('broken'))
    // It breaks off at the quota.
    const twice = new Blob([new Uint8Array(lora), new Uint8Array(lora)]).stream()
    const broken = await fetch(made.body.transfer_api.put_url, { method: 'PUT', body: twice, duplex: 'half' } as RequestInit)
    assert.equal(broken.status, 429)
    const { put_url } = (await it.create(described('next'))).body.transfer_api
    const refused = await it.put(put_url, new Uint8Array(lora))
    assert.equal(refused.status, 429, await refused.text())
    await it.remove(made.body.asset.id)
    assert.equal((await it.put(put_url, new Uint8Array(lora))).status, 200)
  })

  test('links are valid for one asset, one verb and a day', async () => {
    await using it = await start()
    const { id } = await it.upload('mine')
    const { get_url, put_url } = (await it.get(`/v1/assets/${id}?transfer_api_type=presigned-url`)).body.transfer_api
    const whole = await fetch(get_url)
    assert.deepEqual(Buffer.from(await whole.arrayBuffer()), lora)
    assert.equal((await fetch(put_url)).status, 404)
    assert.equal((await fetch(get_url.replace(/signature=./, 'signature=x'))).status, 404)
    assert.equal((await fetch(get_url.replace(id, `asset_${'0'.repeat(32)}`))).status, 404)
    await it.clock.advance(25 * 60 * 60 * 1000)
    assert.equal((await fetch(get_url)).status, 404)
  })

  test('an uploaded checkpoint is a model of its account', async () => {
    await using it = await start()
    const engine = { asset_type: 'checkpoint', data: { asset_type: 'checkpoint', engine: sdxl } }
    const { id, completed } = await it.upload('my-model', engine, new Uint8Array(golden.get('xl.safetensors') ?? []))
    assert.deepEqual(completed, {})
    const names = async (token?: string) => (await it.get('/v1/models', token)).body.data.map(({ id }) => id)
    assert.deepEqual(await names(), ['fake-image', `${id}/my-model`])
    assert.deepEqual(await names(it.other.token), ['fake-image'])
    const submitted = await it.service.fetch('/generate/sdxl', {
      json: { prompt: 'a tiger', checkpoint: 'my-model' },
      headers: { 'x-service-async': '1' },
    })
    assert.equal(submitted.status, 202)
    for (const model of [`${id}/my-model`, id, 'my-model']) assert.equal((await it.draw({ model }, it.other.token)).status, 404)
  })

  test('a restart reads no checked file again, reads an upload of an earlier version once, and rejects what the current rules forbid', async () => {
    await using it = await start()
    const { documents } = it.service.store
    const ids: string[] = []
    for (const name of ['mine', 'old', 'bad', 'flux']) ids.push((await it.upload(name)).id)
    const [, old = '', bad = '', foreign = ''] = ids
    for (const id of [old, bad, foreign]) {
      const stored = await documents.get({ kind: 'asset', id, accountId: null }, { signal })
      assert.ok(stored !== null && isRecord(stored.value))
      const earlier = { ...stored, text: '', value: { ...stored.value, examination: 2 } }
      await documents.put(earlier, { signal, version: stored.version, most: Number.MAX_SAFE_INTEGER })
    }
    await writeFile(join(it.folder, `${bad}.safetensors`), 'no weights')
    await writeFile(join(it.folder, `${foreign}.safetensors`), safetensorsFile([flux]))
    const examined: string[] = []
    const startAgain = async () => {
      const files = openAssetFiles({ folder: it.folder })
      const examine: LibrarySources['examine'] = (path, name) => {
        examined.push(name)
        return examineWeights(path, name)
      }
      const library = new AssetLibrary({ catalog: it.catalog, documents, files, examine })
      await library.refresh({ signal })
      return new Map(library.entries().map(({ asset, weights }) => [asset.name, 'part' in weights && weights.part.file]))
    }
    const file = (id = '') => join(it.folder, `${id}.safetensors`)
    const entries = new Map([
      ['old', file(old)],
      ['mine', file(ids[0])],
    ])
    assert.deepEqual(await startAgain(), entries)
    assert.deepEqual(examined.toSorted(), [`${bad}/bad`, `${old}/old`, `${foreign}/flux`].toSorted())
    assert.deepEqual(await startAgain(), entries)
    assert.equal(examined.length, 3)
    assert.match((await it.get(`/v1/assets/${foreign}`)).body.asset.status_details, notForSdxl)
    const { status, status_details, size_bytes } = (await it.get(`/v1/assets/${bad}`)).body.asset
    assert.deepEqual(
      [status, status_details, size_bytes],
      ['rejected', 'The file is cut short or not a safetensors file: its header would be longer than the file.', 0],
    )
    assert.deepEqual((await readdir(it.folder)).toSorted(), [`${ids[0]}.safetensors`, `${old}.safetensors`].toSorted())
    // The last version kept files that it rejected at a restart.
    const kept = await documents.get({ kind: 'asset', id: bad, accountId: null }, { signal })
    assert.ok(kept !== null && isRecord(kept.value))
    const counted = { ...kept, text: '', value: { ...kept.value, bytes: 10 } }
    await documents.put(counted, { signal, version: kept.version, most: Number.MAX_SAFE_INTEGER })
    await writeFile(file(bad), 'no weights')
    assert.deepEqual(await startAgain(), entries)
    assert.equal((await it.get(`/v1/assets/${bad}`)).body.asset.size_bytes, 0)
    assert.ok(!(await readdir(it.folder)).includes(`${bad}.safetensors`))
  })

  test('pictures show the effect of an asset', async () => {
    await using it = await start()
    const { id } = await it.upload('mine')
    const png = Buffer.concat([Buffer.from('\u0089PNG\r\n', 'latin1'), Buffer.alloc(30)])
    const posted = await it.service.fetch(`/v1/assets/${id}/picture`, { json: { image: png.toString('base64') } })
    assert.deepEqual([posted.status, ((await posted.json()) as { has_picture: boolean }).has_picture], [200, true])
    const shown = await it.service.fetch(`/v1/assets/${id}/picture`)
    assert.equal(shown.headers.get('content-type'), 'image/png')
    assert.deepEqual(Buffer.from(await shown.arrayBuffer()), png)
    assert.equal((await it.service.fetch(`/v1/assets/${id}/picture?width=320`)).status, 200)
    assert.equal((await it.service.fetch(`/v1/assets/${id}/picture?width=321`)).status, 400)
    const hostile = await it.service.fetch(`/v1/assets/${id}/picture`, { json: { image: Buffer.from('<svg>').toString('base64') } })
    assert.equal(hostile.status, 422)
  })
})
