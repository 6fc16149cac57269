import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { deleteAccount, eraseDeletedAccounts } from '../../src/operations/access/deleted-accounts.ts'
import { endWorkOfDisabled, WorkUnderWay } from '../../src/operations/access/work-under-way.ts'
import { createDice } from '../conformance/queue-races.ts'
import { startHttpService } from '../support/http-service.ts'
import { createMemoryOutputs } from '../support/memory/create-memory-outputs.ts'
import { createTestClock } from '../support/test-clock.ts'

const options = { signal: new AbortController().signal }
const pieces = 6

suite('uploads of erased accounts', () => {
  for (let seed = 1; seed <= 6; seed++)
    test(`an upload beside the erasure of its account ends or is erased with it (seed ${seed})`, async () => {
      const dice = createDice(seed)
      const clock = createTestClock()
      const underWay = new WorkUnderWay()
      const outputs = createMemoryOutputs({ clock })
      await using service = await startHttpService({ clock, overrides: { underWay, outputs } })
      const deps = { ...service.store, outputs, clock, underWay }
      const { id: accountId } = await createAccount(deps, { name: 'Eve', role: 'member' }, options)
      const token = await service.makeToken(['text'], { accountId })
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const body = writable.getWriter()
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=b' }
      // The connection may end before the whole body is sent.
      const sent = { method: 'POST', headers, body: readable, duplex: 'half' } as const
      const status = fetch(`${service.url}/v1/files`, sent).then(
        (answer) => answer.status,
        () => null,
      )
      const send = (text: string) => body.write(Buffer.from(text)).catch(() => {})
      void send('--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nuser_data\r\n')
      void send('--b\r\ncontent-disposition: form-data; name="file"; filename="notes"\r\n\r\n')
      await service.received(1)
      while (!underWay.accounts().includes(accountId)) await new Promise((resolve) => setImmediate(resolve))
      const erase = async () => {
        for (let turn = dice(60); turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve))
        await deleteAccount(deps, { accountId, by: null, name: 'Eve' }, options)
        await endWorkOfDisabled(deps, options)
        await eraseDeletedAccounts(deps, options)
      }
      const upload = async () => {
        for (let piece = 0; piece < pieces; piece++) {
          for (let turn = dice(6); turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve))
          await send('line\n'.repeat(5000))
        }
        await send('\r\n--b--\r\n')
        await body.close().catch(() => {})
      }
      await Promise.all([erase(), upload()])
      assert.ok([200, 401, null].includes(await status), String(await status))
      // A file that was stored at the last moment goes with the next round.
      await clock.advance(10 * 60_000)
      await eraseDeletedAccounts(deps, options)
      const query = { kind: 'file', accountId, order: 'oldest', after: null, limit: 10 } as const
      assert.deepEqual(await service.store.documents.list(query, options), [])
      assert.deepEqual(await Array.fromAsync(outputs.listOld({ olderThan: clock.now() + 1 }, options)), [])
      assert.deepEqual(service.failures, [])
    })
})
