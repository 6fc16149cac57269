import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkModelFile } from './check-model-file.ts'

const text = { id: 'a/b-1', kind: 'text', format: 'gguf', file: 'model.gguf' }
const upstream = { id: 'far', kind: 'text', format: 'openai', url: 'http://gpu-1:8000/v1' }
const image = { id: 'draw', kind: 'image', format: 'onnx-sdxl', native: { width: 1024, height: 1024 } }

function faultFields(value: unknown): string[] {
  const checked = checkModelFile('/m/model.json', JSON.stringify(value), { confined: false })
  return 'faults' in checked ? checked.faults.map(({ field }) => field) : []
}

test('accepts the smallest model of each kind', () => {
  assert.deepEqual(faultFields(text), [])
  assert.deepEqual(faultFields(image), [])
  assert.deepEqual(faultFields(upstream), [])
})

test('requires the address of a model on another server, and no file here', () => {
  assert.deepEqual(faultFields({ ...upstream, url: 'gpu-1:8000', slots: 0 }), ['url', 'slots'])
  for (const url of [
    'http://me:%zz@gpu-1/v1',
    'http://me:word@gpu-1\\x@gpu-2/v1',
    'http://gpu-1/v1\n',
    'http://gpu-1/v1?key=secret',
    'http://gpu-1/v1#',
    'http://',
    'ftp://gpu-1',
  ]) {
    assert.deepEqual(faultFields({ ...upstream, url }), ['url'])
    assert.deepEqual(faultFields({ ...upstream, replicas: [url] }), ['replicas'])
  }
  for (const url of ['http://[::1]:8000/v1', 'https://gpu-1/a@b/v1/', 'http://gpu_1:8000', 'http://me:secret@gpu-1/v1'])
    assert.deepEqual(faultFields({ ...upstream, url }), [])
  assert.deepEqual(faultFields({ ...upstream, file: 'model.gguf' }), ['file'])
})

test('accepts "prompt-lookup" or a GGUF file as speculative, and nothing else', () => {
  assert.deepEqual(faultFields({ ...text, speculative: 'prompt-lookup' }), [])
  assert.deepEqual(faultFields({ ...text, speculative: '../small/model.gguf' }), [])
  assert.deepEqual(faultFields({ ...text, speculative: 'eagle' }), ['speculative'])
  assert.deepEqual(faultFields({ ...upstream, speculative: 'prompt-lookup' }), ['speculative'])
})

test('reports every fault at once', () => {
  const value = {
    ...image,
    id: 'Bad Id',
    native: { width: 1000.5 },
    defaults: { steps: 0, cfg_scale: 51, sampler: 'EULER' },
    colour: 'red',
  }
  assert.deepEqual(faultFields(value), [
    'id',
    'native.height',
    'native.width',
    'defaults.steps',
    'defaults.cfg_scale',
    'defaults.sampler',
    'colour',
  ])
})

test('describes the valid values of a field, and keeps the other fields', () => {
  const checked = checkModelFile('/m/model.json', JSON.stringify({ ...text, contextLength: 'long' }), { confined: false })
  assert.deepEqual(checked, {
    faults: [{ file: '/m/model.json', field: 'contextLength', message: 'must be an integer from 64 to 1048576.' }],
    sound: text,
  })
})

test('rejects fields of the other kind', () => assert.deepEqual(faultFields({ ...text, native: { width: 64, height: 64 } }), ['native']))

test('rejects an unknown kind and a value that is not an object', () => {
  assert.deepEqual(faultFields({ id: 'a', kind: 'sound' }), ['kind'])
  assert.deepEqual(faultFields([]), [''])
  assert.ok('faults' in checkModelFile('/m/model.json', '{', { confined: false }))
})

function faultTexts(value: unknown): string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const checked = checkModelFile('/m/model.json', text, { confined: false })
  return 'faults' in checked ? checked.faults.map(({ field, message }) => `${field}: ${message}`) : []
}

test('reports the line and column where a file is not valid JSON', () => {
  const [fault = ''] = faultTexts('{\n  "id": "far",\n  "kind": "text",\n}')
  assert.match(fault, /^: is not valid JSON: .*line 4 column 1/)
  assert.deepEqual(faultTexts('[]'), [': write one JSON object into it.'])
})

test('a wrong kind or format does not make other fields wrong', () => {
  assert.deepEqual(faultFields({ ...upstream, kind: 'llm' }), ['kind'])
  assert.deepEqual(faultFields({ ...upstream, format: 'ollama' }), ['format'])
  assert.deepEqual(faultFields({ ...image, format: 'onnx' }), ['format'])
  assert.deepEqual(faultFields({ ...upstream, kind: 'llm', base_url: 'http://gpu-1' }), ['kind', 'base_url'])
})

test('suggests the field that a misspelt one most likely meant', () => {
  assert.match(
    faultTexts({ ...upstream, timeouts: { fisrt: 3 } }).join(),
    /timeouts\.fisrt: is not a known field: remove it, or write `timeouts\.first`\./,
  )
  assert.match(
    faultTexts({ ...upstream, kind: 'llm', keyfile: 'key' }).join(),
    /keyfile: is not a known field: remove it, or write `keyFile`\./,
  )
})

test('describes the shape of a field that is not an object', () => {
  assert.deepEqual(faultTexts({ ...upstream, timeouts: 60 }), ['timeouts: must be an object with "connect", "first", "idle".'])
  assert.deepEqual(faultTexts({ ...image, native: '1024x1024' }).at(-1), 'native: must be an object with "width", "height".')
})

test('reports unknown fields of a replica without stopping the start', () => {
  const replicas = [{ url: 'http://gpu-2:8000/v1', wieght: 2 }]
  const checked = checkModelFile('/m/model.json', JSON.stringify({ ...upstream, replicas }), { confined: false })
  assert.ok('idle' in checked)
  assert.deepEqual(
    checked.idle.map(({ field, message }) => `${field}: ${message}`),
    ['replicas[0].wieght: has no effect; remove it or use one of url, weight. Did you mean weight?'],
  )
})

for (const path of ['../model.gguf', '/etc/passwd', 'a/../b', 'C:model', 'a\\b', 'a//b', '']) {
  test(`rejects the path ${JSON.stringify(path)}`, () => {
    assert.deepEqual(faultFields({ ...text, file: path }), ['file'])
    assert.deepEqual(faultFields({ ...text, files: { [path]: { bytes: 1, sha256: '0'.repeat(64) } } }), ['files'])
  })
}

for (const [sizes, faults] of [
  [{ min: 64, max: 512 }, []],
  [[{ width: 64, height: 72 }], []],
  [{ min: 512, max: 64 }, ['sizes']],
  [[{ width: 65, height: 72 }], ['sizes']],
  [[], ['sizes']],
] as const) {
  test(`sizes ${JSON.stringify(sizes)}: ${faults.length} faults`, () => assert.deepEqual(faultFields({ ...image, sizes }), faults))
}
