import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { AuditPage } from '../../src/console/contract/audit.ts'
import type { People } from '../../src/console/contract/people.ts'
import type { SessionList } from '../../src/console/contract/sessions.ts'
import { readJson } from '../support/read-json.ts'
import { startService } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const packed = join(import.meta.dirname, '../fixtures/data-folders/release-bf3f07d.tar.gz')

/** What the folder's page says of it. */
const token = 'sepia_PHChlBckZHwO43MoP7jpZMvPNt34LexYw'
const finished = '01a20802-0290-7de9-b356-d2013f7e4103'
const outputSha256 = '766c4b0cb4d238eb0d1b96a6dab8904b0c2c12415d6627d50eef37e48c3dace6'
const waiting = ['01a20802-2032-7de9-ad8a-f95e96c8552a', '01a20802-2038-7de9-8568-d8df14c089e3', '01a20802-2042-7de9-9c0a-d8053a2f6e4d']
const writtenAt = 1_795_430_687_015

/** Unpacks the data folder as if the earlier version had stopped just now: outputs live for a day, and requests wait no longer. */
async function unpack(folder: string): Promise<void> {
  await promisify(execFile)('tar', ['-xzf', packed, '-C', folder])
  using database = new DatabaseSync(join(folder, 'sepia.db'))
  const passed = Date.now() - writtenAt
  const dates = {
    inferences: ['created_at', 'queued_at', 'started_at', 'completed_at', 'expires_at'],
    sessions: ['created_at', 'expires_at'],
  }
  for (const [table, columns] of Object.entries(dates))
    for (const column of columns) database.prepare(`update ${table} set ${column} = ${column} + ?`).run(passed)
}

test('a data folder of the last release goes on: everything is there, and what waited completes', async () => {
  await using folder = await createTemporaryFolder()
  await unpack(folder.path)
  await using service = await startService(folder.path, '--log-level', 'error')
  const read = async (path: string) => fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${token}` } })

  const output = await read(`/v1/responses/${finished}`)
  assert.equal(
    createHash('sha256')
      .update(Buffer.from(await output.arrayBuffer()))
      .digest('hex'),
    outputSha256,
  )
  for (const id of waiting) {
    let status = ''
    while (status !== 'completed') {
      const poll = await readJson(await read(`/v1/requests/${id}?wait=20`))
      assert.match(String(poll.status), /^(pending|running|completed)$/)
      status = String(poll.status)
    }
    assert.ok((await (await read(`/v1/responses/${id}`)).text()).length > 1000, id)
  }

  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const body = JSON.stringify({ email: 'ada@example.org', password: 'a poet of science' })
  const signedIn = await fetch(`${service.url}/console/api/session`, { method: 'POST', headers, body })
  assert.equal(signedIn.status, 200)
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const see = async (path: string) => (await fetch(`${service.url}/console/api/${path}`, { headers: { ...headers, cookie } })).text()
  const { accounts }: People = JSON.parse(await see('people'))
  assert.deepEqual(
    accounts.map(({ name, role }) => [name, role]),
    [
      ['Ada Lovelace', 'owner'],
      ['Bob Builder', 'member'],
    ],
  )
  assert.deepEqual([accounts[1]?.limits.tokensPerDay, accounts[1]?.limits.imagesPerMonth], [5_000_000, 70])
  assert.match(await see('conversations/abcdefghijklmnopqrstuvwx'), /Words kept.*What was said before the update\?/)
  const { entries }: AuditPage = JSON.parse(await see('audit'))
  assert.ok(entries.some(({ action }) => action === 'account-changed'))
  const { sessions }: SessionList = JSON.parse(await see('sessions'))
  assert.equal(sessions.length, 2)
})
