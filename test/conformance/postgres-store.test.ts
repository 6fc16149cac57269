import { suite } from 'node:test'
import { openPostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { createDatabase } from '../support/postgres/postgres-databases.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'
import { testStore } from './store.ts'

suite('the store on PostgreSQL', { skip: withoutPostgres }, () => {
  testStore('postgres', async (settings) => openPostgresStore({ ...settings, url: await createDatabase(), mode: 'service', time: 'clock' }))
})
