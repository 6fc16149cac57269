import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startConsoleService } from '../../../test/support/console-service.ts'
import type { PresetList } from '../contract/presets.ts'

const base = '/console/api/presets'
const idOf = (name: string) => name.padEnd(24, 'z')
const parameters = {
  ...{ system: 'Be brief.', maxTokens: 64, temperature: 0, topP: 1, topK: 0, minP: 0, seed: '7', stop: '', format: 'text' },
  ...{ frequencyPenalty: 0, presencePenalty: 0, repetitionPenalty: 1, schema: '', tools: '', toolChoice: 'auto' },
}

async function startPresets() {
  const service = await startConsoleService()
  const owner = await service.join(service.firstCode, 'ada@example.org')
  const { code } = (await service.send('POST', '/console/api/invitations', { cookie: owner, body: { role: 'member' } })).json()
  const member = await service.join(code, 'bob@example.org')
  const list = async (cookie = owner): Promise<PresetList> => (await service.send('GET', base, { cookie })).json()
  const keep = async (name: string, body: object = { name, parameters }, cookie = owner) =>
    (await service.send('PUT', `${base}/${idOf(name)}`, { cookie, body })).statusCode
  const choose = async (standard: string | null, cookie = owner) =>
    (await service.send('PUT', base, { cookie, body: { standard } })).statusCode
  const remove = async (name: string, cookie = owner) => (await service.send('DELETE', `${base}/${idOf(name)}`, { cookie })).statusCode
  return { ...service, owner, member, list, keep, choose, remove }
}

test('presets are stored per account, by name, renamed, and deleted', async () => {
  const { member, list, keep, remove } = await startPresets()
  assert.deepEqual(await list(), { presets: [], standard: null })
  assert.deepEqual([await keep('zoo'), await keep('ant')], [204, 204])
  assert.deepEqual(
    (await list()).presets.map(({ name }) => name),
    ['ant', 'zoo'],
  )
  assert.equal(await keep('ant', { name: 'ant', parameters: { ...parameters, maxTokens: 512, limited: true } }), 204)
  assert.equal((await list()).presets[0]?.parameters.limited, true)
  assert.equal(await keep('zoo', { name: 'Älter', parameters: { ...parameters, temperature: 1.5 } }), 204)
  assert.deepEqual((await list()).presets.find(({ id }) => id === idOf('zoo'))?.parameters.temperature, 1.5)
  assert.deepEqual((await list(member)).presets, [])
  assert.equal(await remove('zoo', member), 204)
  assert.equal((await list()).presets.length, 2)
  assert.equal(await remove('zoo'), 204)
  assert.equal((await list()).presets.length, 1)
})

test('a preset stores LoRAs, at most eight', async () => {
  const { list, keep } = await startPresets()
  const withLoras = (count: number) => ({
    name: 'ink',
    parameters: { ...parameters, loras: Array.from({ length: count }, (_, index) => ({ name: `ink-${index}`, weight: 0.5 })) },
  })
  assert.equal(await keep('ink', withLoras(9)), 422)
  assert.equal(await keep('ink', withLoras(8)), 204)
  assert.deepEqual((await list()).presets[0]?.parameters.loras?.[0], { name: 'ink-0', weight: 0.5 })
})

test('one preset is the default until another is chosen or it is deleted', async () => {
  const { list, keep, choose, remove, member } = await startPresets()
  await keep('one')
  await keep('two')
  assert.equal(await choose(idOf('one')), 204)
  assert.equal(await choose(idOf('two')), 204)
  assert.equal((await list()).standard, idOf('two'))
  assert.equal(await choose(idOf('two'), member), 404)
  assert.equal(await choose(idOf('deleted')), 404)
  await remove('two')
  assert.equal((await list()).standard, null)
  await choose(idOf('one'))
  assert.equal(await choose(null), 204)
  assert.equal((await list()).standard, null)
})

test('concurrent changes are all stored', async () => {
  const { list, keep } = await startPresets()
  const names = Array.from({ length: 8 }, (_, index) => `preset${index}`)
  assert.deepEqual(
    await Promise.all(names.map((name) => keep(name))),
    names.map(() => 204),
  )
  assert.equal((await list()).presets.length, 8)
})

test('hostile presets are rejected', async () => {
  const { keep, list, send, owner } = await startPresets()
  for (const body of [
    {},
    { name: '', parameters },
    { name: '  ', parameters },
    { name: 'a'.repeat(101), parameters },
    { name: '\u200b', parameters },
    { name: 'a\nb', parameters },
    { name: 'a\u0000b', parameters },
    { name: 'a\u009bb', parameters },
    { name: 'a', parameters: { ...parameters, more: 1 } },
    { name: 'a', parameters: { ...parameters, temperature: 'hot' } },
    { name: 'a', parameters: { ...parameters, system: 'a'.repeat(100_001) } },
    { name: 'a', parameters: null },
  ])
    assert.equal(await keep('a', body), 422, JSON.stringify(body).slice(0, 80))
  assert.equal((await send('PUT', `${base}/UPPER`, { cookie: owner, body: { name: 'a', parameters } })).statusCode, 404)
  assert.equal((await send('GET', base)).statusCode, 401)
  assert.deepEqual((await list()).presets, [])
})
