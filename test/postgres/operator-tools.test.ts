import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createDatabase, sharedPostgres } from '../support/postgres/postgres-databases.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'
import { startFaultyS3Server } from '../support/s3/faulty-s3-server.ts'
import { sepia } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

interface Findings {
  readonly healthy: boolean
  readonly findings: readonly { readonly subject: string; readonly healthy: boolean; readonly message: string }[]
}

suite("an operator's tools on PostgreSQL", { skip: withoutPostgres }, () => {
  test('doctor checks database and bucket, and backup refuses to copy an empty folder', async () => {
    await using folder = await createTemporaryFolder()
    await using bucket = await startFaultyS3Server()
    process.env.SEPIA_S3_URL = `${bucket.address.endpoint.replace('//', '//key:secret@')}/outputs`
    process.env.SEPIA_CLUSTER_SECRET = 'a secret of all nodes'
    const doctor = async (url: string) => {
      process.env.SEPIA_DATABASE_URL = url
      const { code, out } = await sepia('doctor', '--json', '--data', folder.path)
      const { findings } = JSON.parse(out) as Findings
      return {
        code,
        found: findings.filter(({ subject }) => !subject.startsWith('model')).map(({ subject, message }) => `${subject}: ${message}`),
      }
    }
    const whole = await doctor(await createDatabase())
    assert.equal(whole.code, 0)
    assert.match(
      whole.found.join('\n'),
      /^database: PostgreSQL answers, with schema (\d+) of \1\. .*no synchronous standby.*\noutputs: all 0 are whole$/,
    )
    const { query, url } = await sharedPostgres()
    await query('create database without_tables')
    assert.match((await doctor(url('without_tables'))).found.join('\n'), /^database: PostgreSQL has no tables yet/)
    assert.deepEqual(await query(`select to_regclass('accounts') as accounts`, 'without_tables'), [{ accounts: null }])
    const away = await doctor('postgres://nobody:hunter2@127.0.0.1:1/absent')
    assert.deepEqual(away, {
      code: 1,
      found: ['database: The database at 127.0.0.1:1 cannot be used: connect ECONNREFUSED 127.0.0.1:1; start it, or correct database-url.'],
    })
    for (const command of ['backup', 'restore'] as const) {
      const { code, err } = await sepia(
        command,
        `${folder.path}/file.db`,
        '--data',
        folder.path,
        ...(command === 'restore' ? ['--yes'] : []),
      )
      assert.equal(code, 2)
      assert.match(err, /pg_dump|does not exist/)
    }
  })
})
