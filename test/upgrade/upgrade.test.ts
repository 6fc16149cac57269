import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startServiceIn } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import type { KnownState } from './known-state.ts'
import { Visitor } from './visitor.ts'

const releases = new URL('../fixtures/releases/', import.meta.url)

for (const archive of readdirSync(releases).filter((name) => name.endsWith('.tar.gz')))
  test(`continues with the data folder of a killed ${archive.replace('.tar.gz', '')}`, { timeout: 300_000 }, async () => {
    await using folder = await createTemporaryFolder()
    execFileSync('tar', ['-xzf', new URL(archive, releases).pathname, '-C', folder.path])
    const known: KnownState = JSON.parse(readFileSync(join(folder.path, 'known.json'), 'utf8'))
    const timeFile = join(folder.path, 'time')
    writeFileSync(timeFile, String(known.at - Date.now()))
    const time = new URL('../chaos/movable-time.ts', import.meta.url).href
    const environment = { CHAOS_TIME_FILE: timeFile, NODE_OPTIONS: `--import ${time}` }
    await using service = await startServiceIn(environment, join(folder.path, 'data'))
    const visitors = {
      owner: new Visitor(service.url, known.people.owner),
      member: new Visitor(service.url, known.people.member),
    }

    for (const { by, path, body } of known.readings) assertHolds(await visitors[by].read(path), body, `${by}: ${path}`)
    for (const { by, id } of known.unfinished) {
      const { outcome, error } = await visitors[by].awaitEnd(id)
      assert.equal(outcome, 'succeeded', `${id}: ${JSON.stringify(error)}`)
    }
    const session = await visitors.owner.send('POST', '/console/api/session', { email: known.people.owner.email, password: known.password })
    assert.equal(session.account.role, 'owner')
  })

/** Requires every earlier answer to be given again; there may be more. */
function assertHolds(now: unknown, before: unknown, where: string): void {
  if (typeof before !== 'object' || before === null) {
    assert.deepEqual(now, before, where)
    return
  }
  assert.ok(typeof now === 'object' && now !== null, where)
  const members = new Map(Object.entries(now))
  if (Array.isArray(before)) assert.equal(members.size, before.length, where)
  for (const [name, value] of Object.entries(before)) assertHolds(members.get(name), value, `${where} › ${name}`)
}
