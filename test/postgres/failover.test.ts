import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { openPostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { claimNext, succeed, sweep } from '../conformance/claiming.ts'
import { options, roomy } from '../conformance/store-factory.ts'
import { startFaultyLink } from '../support/postgres/faulty-link.ts'
import { insist } from '../support/postgres/insist.ts'
import { createDatabase, sharedPostgres } from '../support/postgres/postgres-databases.ts'
import { startPostgres, withoutPostgres } from '../support/postgres/postgres-server.ts'
import { makeSubmission } from '../support/submission.ts'

const takesNoWrites = { code: 'server_is_overloaded', message: /is read-only at the moment/ }

const open = (url: string) => openPostgresStore({ url, clock: createSystemClock(), limits: roomy, mode: 'service' })

suite('a standby of PostgreSQL', { skip: withoutPostgres }, () => {
  test('serves reads, rejects writes until it is promoted, and then continues with all acknowledged work', async () => {
    const primary = await sharedPostgres()
    const address = new URL(await createDatabase())
    const database = address.pathname.slice(1)
    await using link = await startFaultyLink(primary.port)
    address.port = String(link.port)
    await using store = await open(address.href)
    const running = (await store.queue.enqueue(makeSubmission(), options)).inference
    const claim = await claimNext(store.queue)
    const waiting = (await store.queue.enqueue(makeSubmission(), options)).inference
    await using standby = await startPostgres({ standbyOf: primary })
    while ((await standby.query(`select 1 from queue where id = '${waiting.id}'`, database)).length === 0);

    link.leadTo(standby.port)
    link.cut()
    assert.equal((await store.log.find(running.id, 'a', options))?.status, 'running')
    assert.equal(await insist(() => store.tokens.findByHash('h', options)), null)
    // So that the last try is cut short, which says less than the one before it.
    link.slow(400)
    const minute = { subject: 'a', minute: 1, wanted: 1, limit: 1 }
    await Promise.all([
      assert.rejects(store.queue.enqueue(makeSubmission(), options), takesNoWrites),
      assert.rejects(store.queue.renew([{ ...claim, progress: null }], { ...options, leaseMs: 6000 }), takesNoWrites),
      assert.rejects(succeed(store.queue, claim), takesNoWrites),
      assert.rejects(store.counts.takeOfMinute(minute, options), takesNoWrites),
    ])
    link.slow(0)

    await standby.query('select pg_promote()')
    assert.equal((await sweep(store.queue, { maxQueueMs: 60_000 })).requeued, 0)
    assert.equal(await succeed(store.queue, claim), 'completed')
    assert.equal((await claimNext(store.queue)).id, waiting.id)
    const notified = store.queue.waitForWork(60_000, options)
    await using other = await open(standby.url(database))
    await other.queue.enqueue(makeSubmission(), options)
    await notified
  })
})
