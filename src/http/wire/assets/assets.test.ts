import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { assertRefused, type ExpectedRefusal } from '../../../../test/support/wire/assert-refused.ts'
import { assetEngines, engineOf } from '../../../core/assets/asset-engine.ts'
import { assetFromDocument, assetReference, assetToJson, type UploadedAsset } from '../../../core/assets/uploaded-asset.ts'
import { assetSchema, encodeAsset } from './asset-answers.ts'
import { readNewAsset } from './asset-fields.ts'
import { readAssetQuery } from './asset-query.ts'

const engine = 'image/stable-diffusion-xl-v1-0'
const lora = { asset_type: 'lora', name: 'ink', data: { asset_type: 'lora', engine } }
const asset: UploadedAsset = {
  id: `asset_${'0'.repeat(32)}`,
  accountId: 'a',
  name: 'ink',
  kind: 'lora',
  family: 'sdxl',
  isPublic: false,
  description: 'Ink.',
  triggerWords: ['inky'],
  base: null,
  state: 'ready',
  details: '',
  bytes: 7,
  found: null,
  linkKey: 'k',
  picture: null,
  createdAt: 0,
  deletedAt: null,
  version: 3,
}

suite('announcements of assets', () => {
  test('defaults are filled in', () => {
    assert.deepEqual(readNewAsset(lora), {
      name: 'ink',
      kind: 'lora',
      family: 'sdxl',
      isPublic: false,
      description: '',
      triggerWords: [],
      base: null,
    })
    const data = { ...lora.data, trigger_words: ['inky'], checkpoint: 'base', file_format: 'safetensors', data_type: 'fp16' }
    const full = readNewAsset({ ...lora, data, description: 'Ink.', is_public: true, transfer_api_type: 'any', skip_validation: false })
    assert.deepEqual([full.isPublic, full.description, full.triggerWords, full.base], [true, 'Ink.', ['inky'], 'base'])
  })

  for (const [name, { family, controlnet }] of Object.entries(assetEngines))
    test(`a checkpoint for ${name} has the family ${family}${controlnet ? ' and is a ControlNet' : ''}, also in answers`, () => {
      const read = readNewAsset({ asset_type: 'checkpoint', name: 'x', data: { asset_type: 'checkpoint', engine: name } })
      assert.deepEqual([read.family, read.kind], [family, controlnet ? 'controlnet' : 'checkpoint'])
      assert.equal(engineOf(read), name)
      const shown = encodeAsset({ ...asset, kind: read.kind, family: read.family })
      assert.deepEqual([shown.asset_type, shown.data.engine, shown.data.trigger_words], ['checkpoint', name, undefined])
    })

  for (const type of ['lora', 'vae', 'textual_inversion'] as const)
    test(`a ${type} has the same kind in the announcement and the answer`, () => {
      const { kind } = readNewAsset({ asset_type: type, name: 'x', data: { asset_type: type, engine } })
      assert.equal(encodeAsset({ ...asset, kind }).asset_type, type)
      assert.deepEqual(encodeAsset({ ...asset, kind }).data.trigger_words, type === 'vae' ? undefined : ['inky'])
    })

  const within = (fields: object) => ({ data: { ...lora.data, ...fields } })
  for (const [name, fields, expected] of [
    [
      'a kind that is not kept',
      { asset_type: 'latent', data: { asset_type: 'latent', engine } },
      { code: 'unsupported', param: 'asset_type' },
    ],
    ['two kinds', within({ asset_type: 'vae' }), { param: 'data.asset_type' }],
    ['an engine that there is not', within({ engine: 'text/x' }), { code: 'unsupported', param: 'data.engine' }],
    ['no engine', within({ engine: undefined }), { code: 'unsupported', param: 'data.engine' }],
    ['a name every object has as an engine', within({ engine: 'constructor' }), { code: 'unsupported', param: 'data.engine' }],
    ['a LoRA for a ControlNet', within({ engine: 'image/controlnet-sdxl' }), { param: 'data.engine' }],
    ['a pickle', within({ file_format: 'pickle' }), { code: 'unsupported', param: 'data.file_format', says: /run code/ }],
    ['a way to upload that there is not', { transfer_api_type: 'sts' }, { code: 'unsupported', param: 'transfer_api_type' }],
    ['a file unchecked', { skip_validation: true }, { code: 'unsupported', param: 'skip_validation' }],
    ['a file from elsewhere', { url: 'https://x/' }, { code: 'unsupported', param: 'url' }],
    ['a repository', { hf_repo: 'a/b' }, { code: 'unsupported', param: 'hf_repo' }],
    ['a name with a path', { name: '../x' }, { param: 'name' }],
    ['a name that begins with a dot', { name: '.x' }, { param: 'name' }],
    ['a name of 65 letters', { name: 'x'.repeat(65) }, { param: 'name' }],
    ['an empty trigger word', within({ trigger_words: [''] }), { param: 'data.trigger_words[0]' }],
    ['33 trigger words', within({ trigger_words: Array(33).fill('x') }), { param: 'data.trigger_words' }],
    ['an unknown field', { owner: 'me' }, { param: 'owner' }],
  ] as readonly (readonly [string, object, ExpectedRefusal])[])
    test(`${name} is refused by name`, () => {
      assertRefused(() => readNewAsset({ ...lora, ...fields }), { code: 'validation_error', ...expected })
    })
})

suite('assets in answers and in the store', () => {
  test('an answer matches its schema, with the name of each state', () => {
    assert.deepEqual(Compile(assetSchema).Errors(encodeAsset({ ...asset, base: 'sdxl', picture: 'image/png' })), [])
    for (const [fields, status] of [
      [{ state: 'awaiting', bytes: 0 }, 'ready_to_upload'],
      [{ state: 'awaiting', bytes: 1 }, 'uploading'],
      [{ state: 'ready' }, 'ready'],
      [{ state: 'rejected', details: 'No.' }, 'rejected'],
      [{ state: 'deleted' }, 'deleted'],
    ] as const)
      assert.equal(encodeAsset({ ...asset, ...fields }).status, status)
    assert.ok(!JSON.stringify(encodeAsset(asset)).includes('linkKey'))
  })

  const kept = { kind: 'asset', at: 0, label: null, text: '', bytes: 0, expiresAt: null } as const
  const read = (value: object) =>
    assetFromDocument({ ...kept, id: asset.id, accountId: 'a', version: 3, value: JSON.parse(JSON.stringify(value)) } as never)

  test('a stored asset is read back unchanged', () => {
    for (const each of [asset, { ...asset, base: 'b', picture: 'image/png', deletedAt: 5, state: 'deleted' } as const])
      assert.deepEqual(read(Object(assetToJson(each))), each)
    assert.equal(assetReference(asset), `${asset.id}/ink`)
  })

  for (const [field, value] of Object.entries({
    kind: 'pickle',
    family: 'flux',
    state: 'lost',
    isPublic: 1,
    name: 5,
    description: null,
    details: 5,
    linkKey: null,
    bytes: '7',
    createdAt: null,
    triggerWords: 'x',
  }))
    test(`a record whose ${field} is ${JSON.stringify(value)} is rejected`, () => {
      assert.equal(read({ ...Object(assetToJson(asset)), [field]: value }), null)
    })

  test('a record that is not an object is rejected', () => {
    for (const value of [null, 5, 'x', []])
      assert.equal(assetFromDocument({ ...kept, id: 'x', accountId: 'a', version: 1, value } as never), null)
  })
})

suite('the list of assets', () => {
  const others = [
    asset,
    { ...asset, id: 'asset_1', name: 'wash', kind: 'vae', isPublic: true },
    { ...asset, id: 'asset_2', accountId: 'b', kind: 'controlnet', family: 'sd15' },
  ] as const
  const found = (query: Record<string, unknown>) =>
    others.filter(readAssetQuery(query).accepts).map(({ id }) => others.findIndex((each) => each.id === id))

  for (const [query, expected] of [
    [{}, [0, 1, 2]],
    [{ name: 'wash' }, [1]],
    [{ asset_type: 'lora' }, [0]],
    [{ asset_type: ['vae', 'checkpoint'] }, [1, 2]],
    [{ engine: 'image/controlnet-sd15' }, [2]],
    [{ asset_ids: `asset_1,${asset.id}` }, [0, 1]],
    [{ asset_ids: ['asset_1', 'asset_2'] }, [1, 2]],
    [{ owner: 'a', is_public: 'false' }, [0]],
    [{ is_public: 'true' }, [1]],
    [{ owner: 'c' }, []],
    [{ engine_type: 'image', file_format: 'safetensors' }, [0, 1, 2]],
  ] as const)
    test(`${JSON.stringify(query)} finds ${expected.join(', ') || 'none'}`, () => assert.deepEqual(found(query), expected))

  test('pages have 200 entries and start at the first by default', () => {
    assert.deepEqual([readAssetQuery({}).limit, readAssetQuery({}).offset], [200, 0])
    assert.deepEqual([readAssetQuery({ limit: '5' }).limit, readAssetQuery({ offset: '7' }).offset], [5, 7])
  })

  for (const [param, value, code] of [
    ['data_type', 'fp16', 'unsupported_parameter'],
    ['is_public', 'yes', 'invalid_request_error'],
    ['engine_type', 'text', 'invalid_request_error'],
    ['file_format', 'pickle', 'invalid_request_error'],
    ['limit', '0', 'invalid_request_error'],
    ['limit', '201', 'invalid_request_error'],
    ['limit', '-1', 'invalid_request_error'],
    ['limit', '1.5', 'invalid_request_error'],
    ['offset', '1000001', 'invalid_request_error'],
    ['offset', 'x', 'invalid_request_error'],
  ] as const)
    test(`${param}=${value} is refused`, () => assertRefused(() => readAssetQuery({ [param]: value }), { code, param }))
})
