import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type FaultyLink, startFaultyLink } from '../../support/postgres/faulty-link.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres/postgres-server.ts'
import { type FaultyS3Server, startFaultyS3Server } from '../../support/s3/faulty-s3-server.ts'
import { createTemporaryFolder } from '../../support/temporary-folder.ts'
import { ServiceProcess } from '../service-process.ts'
import { startWatchedModel, type WatchedModel } from './watched-model.ts'

/** One node, with its own way to the database. */
export interface ChaosNode {
  readonly service: ServiceProcess
  readonly link: FaultyLink
  /** Whether no fault affects the process itself, so that it must answer. */
  up: boolean
  /** Grows whenever it ceases to be up. */
  falls: number
}

/** Three nodes that answer and compute, on a database, a bucket and a model that faults can be done to. */
export interface ClusterUnderTest extends AsyncDisposable {
  readonly nodes: readonly ChaosNode[]
  readonly server: PostgresServer
  readonly bucket: FaultyS3Server
  readonly model: WatchedModel
  readonly token: string
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** Seen from inside the database: every attempt that is counted against a request, whatever becomes of it. */
const countAttempts = `
  create table burned_attempts (id uuid not null, at timestamptz not null default clock_timestamp());
  create function note_burned_attempt() returns trigger language plpgsql as $$
  begin
    insert into burned_attempts (id) values (new.id);
    return null;
  end $$;
  create trigger note_burned_attempt after update on queue for each row
    when (new.lost + new.failed > old.lost + old.failed) execute function note_burned_attempt()`

/** @param settings.root The checkout to run. */
export async function startCluster({ root, leaseMs }: { readonly root: string; readonly leaseMs: number }): Promise<ClusterUnderTest> {
  await using parts = new AsyncDisposableStack()
  const folder = parts.use(await createTemporaryFolder()).path
  const server = parts.use(await startPostgres())
  await server.query('create database cluster')
  const bucket = parts.use(await startFaultyS3Server())
  const model = parts.use(await startWatchedModel())
  await mkdir(join(folder, 'models/watched'), { recursive: true })
  const description = { id: 'watched', kind: 'text', format: 'openai', url: model.url, slots: 16 }
  await writeFile(join(folder, 'models/watched/model.json'), JSON.stringify(description))
  const nodes: ChaosNode[] = []
  for (const name of ['a', 'b', 'c']) {
    const link = parts.use(await startFaultyLink(server.port))
    const environment = {
      SEPIA_DATABASE_URL: `postgres://postgres@127.0.0.1:${link.port}/cluster`,
      SEPIA_S3_URL: `${bucket.address.endpoint.replace('//', '//key:secret@')}/outputs`,
      SEPIA_CLUSTER_SECRET: 'a secret of all nodes',
      SEPIA_MODELS: join(folder, 'models'),
    }
    const service = parts.use(new ServiceProcess({ root, dataFolder: join(folder, name), leaseMs, environment }))
    nodes.push({ service, link, up: false, falls: 0 })
  }
  await Promise.all(nodes.map(startNode))
  const query = (sql: string) => server.query(sql, 'cluster')
  await query(countAttempts)
  const owned = parts.move()
  const token = nodes.map(({ service }) => service.token).find((text) => text !== '') ?? ''
  return { nodes, server, bucket, model, token, query, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Starts a node; resolves when it is ready. */
export async function startNode(node: ChaosNode): Promise<void> {
  await node.service.start()
  while (!(await fetch(`${node.service.url}/readyz`).catch(() => null))?.ok) await pause(20)
  node.up = true
}

/** Notes that a node owes no answers from now on. */
export function takeDown(node: ChaosNode): void {
  node.up = false
  node.falls++
}
