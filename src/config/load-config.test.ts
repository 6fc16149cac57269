import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { loadConfig } from './load-config.ts'

interface Workplace extends AsyncDisposable {
  readonly folder: string
  readonly load: (sources: {
    readonly flags?: Readonly<Record<string, unknown>>
    readonly environment?: Readonly<Record<string, string>>
  }) => Promise<number | readonly string[]>
}

/** A working folder with these files; `load` gives the port that was read, or the places of the faults. */
async function openWorkplace(files: Readonly<Record<string, string>>): Promise<Workplace> {
  const folder = await mkdtemp(join(tmpdir(), 'sepia-config-'))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return {
    folder,
    load: async ({ flags = {}, environment = {} }) => {
      const loaded = await loadConfig({ flags, environment }, { cores: 1, memoryBytes: 1e9, terminal: false, folder })
      return 'config' in loaded ? loaded.config.listen.port : loaded.faults.map(({ where }) => where)
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

describe('loadConfig', () => {
  it('reads sepia.config.json of the working folder if it is there', async () => {
    await using place = await openWorkplace({ 'sepia.config.json': '{ "port": 81 }' })
    assert.equal(await place.load({}), 81)
    await using empty = await openWorkplace({})
    assert.equal(await empty.load({}), 8080)
  })

  it('reads the file that the flag names, else the one that the environment names', async () => {
    await using place = await openWorkplace({ 'a.json': '{ "port": 82 }', 'b.json': '{ "port": 83 }' })
    const environment = { SEPIA_CONFIG: 'b.json' }
    assert.equal(await place.load({ flags: { config: 'a.json' }, environment }), 82)
    assert.equal(await place.load({ environment }), 83)
  })

  it('reports a file that is missing or broken together with all other faults', async () => {
    await using place = await openWorkplace({ 'broken.json': '{ "port": ' })
    const environment = { SEPIA_PORT: 'x' }
    for (const config of ['missing.json', 'broken.json']) {
      assert.deepEqual(await place.load({ flags: { config }, environment }), [join(place.folder, config), 'SEPIA_PORT'])
    }
  })
})
