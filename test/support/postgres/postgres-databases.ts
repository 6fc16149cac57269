import { after } from 'node:test'
import { migrate } from '../../../src/storage/postgres/schema/migrate.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'

/** One server for all tests of a file, started by the first that needs it. */
let server: Promise<PostgresServer> | undefined
let made = 0

after(async () => (await server)?.[Symbol.asyncDispose]())

/** The server of this file's tests. */
export function sharedPostgres(): Promise<PostgresServer> {
  server ??= startTemplate()
  return server
}

/** The address of a new database that has its tables and nothing in them, or not even tables. */
export async function createDatabase(template: 'migrated' | 'template1' = 'migrated'): Promise<string> {
  const { query, url } = await sharedPostgres()
  const name = `test_${made++}`
  await query(`create database ${name} template ${template}`)
  return url(name)
}

async function startTemplate(): Promise<PostgresServer> {
  await using undo = new AsyncDisposableStack()
  const started = undo.use(await startPostgres())
  await started.query('create database migrated')
  await migrate(started.url('migrated'))
  undo.move()
  return started
}
