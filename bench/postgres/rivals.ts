import { makeWorkerUtils } from 'graphile-worker'
import { PgBoss } from 'pg-boss'
import { writePortable } from '../../src/core/portable-value.ts'
import { makeSubmission } from '../../test/support/submission.ts'

/** Another queue on PostgreSQL, measured with the same work. */
export interface Rival extends AsyncDisposable {
  readonly name: string
  readonly submit: (index: number) => Promise<unknown>
  /** Submits `count` requests as fast as it can. */
  readonly fill?: (count: number) => Promise<void>
  /** Claims and completes up to `count` requests and returns how many. Absent = it does this only in its own workers. */
  readonly claimAndComplete?: (count: number) => Promise<number>
}

/** The same work as ours, as JSON. */
const job = JSON.parse(writePortable(makeSubmission().work).json) as object
/** What its end says, as ours does. */
const output = { key: 'k', contentType: 'application/json', bytes: 2, sha256: 'ab'.repeat(32) }

/** pg-boss with one queue, ten connections. */
export async function startPgBoss(url: string): Promise<Rival> {
  const boss = new PgBoss({ connectionString: url, max: 10, supervise: false, schedule: false })
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue('work')
  return {
    name: 'pg-boss',
    submit: () => boss.send('work', job),
    async fill(count) {
      for (let done = 0; done < count; done += 500)
        await boss.insert(
          'work',
          Array.from({ length: 500 }, () => ({ data: job })),
        )
    },
    async claimAndComplete(count) {
      const jobs = await boss.fetch('work', { batchSize: count })
      if (jobs.length > 0)
        await boss.complete(
          'work',
          jobs.map(({ id }) => id),
          output,
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
