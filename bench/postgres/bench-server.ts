import { type PostgresServer, startPostgres } from '../../test/support/postgres/postgres-server.ts'
import { describeMachine } from '../measure.ts'

/** A durable server of its own on disk, and says on what machine. */
export async function startBenchServer(): Promise<PostgresServer> {
  console.log(describeMachine())
  const server = await startPostgres({ onDisk: true })
  const [version] = await server.query('show server_version')
  console.log(`PostgreSQL ${version?.server_version}, synchronous_commit on, fsync on\n`)
  return server
}

/** The address of a new database on it. */
export async function createDatabase(server: PostgresServer, name: string): Promise<string> {
  await server.query(`create database ${name}`)
  return server.url(name)
}
