import { makeWorkerUtils } from 'graphile-worker'
import { PgBoss } from 'pg-boss'

/** A queue on PostgreSQL that others wrote, asked for the same. */
export interface Rival extends AsyncDisposable {
  readonly name: string
  submit(index: number): Promise<unknown>
  /** Takes so many and completes them; how many it got. Absent = it does so only by workers of its own. */
  readonly claimAndComplete?: (count: number) => Promise<number>
}

const job = { prompt: 'a tiger'.repeat(20), steps: 30 }

/** pg-boss with one queue, ten connections. */
export async function startPgBoss(url: string): Promise<Rival> {
  const boss = new PgBoss({ connectionString: url, max: 10, supervise: false, schedule: false })
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue('work')
  return {
    name: 'pg-boss',
    submit: () => boss.send('work', job),
    async claimAndComplete(count) {
      const jobs = await boss.fetch('work', { batchSize: count })
      if (jobs.length > 0)
        await boss.complete(
          'work',
          jobs.map(({ id }) => id),
        )
      return jobs.length
    },
    [Symbol.asyncDispose]: () => boss.stop({ graceful: false }),
  }
}

/** graphile-worker, ten connections. */
export async function startGraphileWorker(url: string): Promise<Rival> {
  const utils = await makeWorkerUtils({ connectionString: url, maxPoolSize: 10 })
  await utils.migrate()
  return {
    name: 'graphile-worker',
    submit: () => utils.addJob('work', job),
    [Symbol.asyncDispose]: async () => utils.release(),
  }
}
