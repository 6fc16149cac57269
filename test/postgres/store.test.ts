import { suite } from 'node:test'
import pg from 'pg'
import { openPostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { testErasedAccounts } from '../conformance/erased-accounts.ts'
import { testNodeRegistry } from '../conformance/node-registry.ts'
import { testStore } from '../conformance/store.ts'
import { roomy } from '../conformance/store-factory.ts'
import { createMemoryOutputs } from '../support/memory/create-memory-outputs.ts'
import { createDatabase } from '../support/postgres/postgres-databases.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'

suite('the store on PostgreSQL', { skip: withoutPostgres }, () => {
  testStore('postgres', async (settings) => openPostgresStore({ ...settings, url: await createDatabase(), mode: 'service', time: 'clock' }))
  testStore('postgres with large work elsewhere', async (settings) => {
    const store = await openPostgresStore({ ...settings, url: await createDatabase(), mode: 'service', time: 'clock' })
    store.keepLargeWorkIn?.(createMemoryOutputs(settings))
    return store
  })
  testErasedAccounts('postgres', async (settings) => {
    const url = await createDatabase()
    const store = await openPostgresStore({ ...settings, url, mode: 'service', time: 'clock' })
    return {
      store,
      async rows() {
        const client = new pg.Client(url)
        await client.connect()
        try {
          const { rows: tables } = await client.query(
            "select table_name as name from information_schema.tables where table_schema = current_schema() and table_name <> 'audit_entries'",
          )
          const found: string[] = []
          for (const { name } of tables) {
            const { rows } = await client.query(`select to_jsonb(each)::text as row from "${name}" as each`)
            found.push(...rows.map(({ row }) => `${name} ${row}`))
          }
          return found.sort()
        } finally {
          await client.end()
        }
      },
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    }
  })
  testNodeRegistry('postgres', async ({ clock }) => {
    const store = await openPostgresStore({ url: await createDatabase(), clock, limits: roomy, mode: 'tool', time: 'clock' })
    const { nodes } = store
    return {
      cluster: (options) => nodes.cluster(options),
      bucket: (found, options) => nodes.bucket(found, options),
      report: (report, options) => nodes.report(report, options),
      offer: (nodeId, offer, options) => nodes.offer(nodeId, offer, options),
      findOffer: (nodeId, options) => nodes.findOffer(nodeId, options),
      leave: (nodeId, options) => nodes.leave(nodeId, options),
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    }
  })
})
