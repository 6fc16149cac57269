import { join } from 'node:path'
import { createDatabase } from '../../support/postgres/postgres-databases.ts'
import { startFaultyS3Server } from '../../support/s3/faulty-s3-server.ts'
import { type ServiceProcess, startServiceIn } from '../../support/service-process.ts'
import { createTemporaryFolder } from '../../support/temporary-folder.ts'
import type { StartedService } from './start-service.ts'

/** Two nodes of one service, on a database and a bucket of their own. */
export interface TwoNodes extends AsyncDisposable {
  /** The first, which made the first-run link and the access token. */
  readonly first: Pick<StartedService, 'url' | 'link' | 'token'>
  readonly second: Pick<StartedService, 'url'>
}

export async function startTwoNodes(): Promise<TwoNodes> {
  await using stack = new AsyncDisposableStack()
  const bucket = stack.use(await startFaultyS3Server())
  const { path: folder } = stack.use(await createTemporaryFolder())
  const environment = {
    SEPIA_DATABASE_URL: await createDatabase(),
    SEPIA_S3_URL: `${bucket.address.endpoint.replace('//', '//key:secret@')}/outputs`,
    SEPIA_CLUSTER_SECRET: 'a secret of all nodes',
  }
  const start = async (name: string): Promise<ServiceProcess> => stack.use(await startServiceIn(environment, join(folder, name)))
  const first = await start('one')
  const second = await start('two')
  const token = /TOKEN=(\S+)/.exec(first.greeting)?.[1] ?? ''
  const link = /^Open the console: (\S+)$/m.exec(first.greeting)?.[1] ?? ''
  const owned = stack.move()
  return { first: { url: first.url, link, token }, second, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
